"""Texts cut to their beginning and end, with their length."""

import pytest

from workbench.long_texts import cut, quoted, shortened


@pytest.mark.parametrize("length", [0, 1, 79, 80])
def test_what_fits_stays_as_it_is(length):
    text = "x" * length
    assert (cut(text), quoted(text), shortened(text, 80)) == (text, repr(text), text)


def test_a_long_text_is_80_characters_and_its_length():
    text = "a" * 500_000 + "b" * 500_000
    assert cut(text) == "a" * 39 + "…" + "b" * 40 + " (1,000,000 characters)"
    assert quoted(text) == "'" + "a" * 39 + "…" + "b" * 40 + "' (1,000,000 characters)"
    assert quoted("\n" * 90, 24) == repr("\n" * 11 + "…" + "\n" * 12) + " (90 characters)"


def test_the_middle_is_left_out():
    assert shortened("abcdefghij", 5) == "ab…ij"
