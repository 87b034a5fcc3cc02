import pytest

from workbench.errors import TableError
from workbench.replies.asking.journal import FILE_NAME, Journal, JournalReader

OUTPUT = {"completion": "8/8", "usage": {"total_tokens": 450}}


def test_what_was_written_is_known_again_and_sums_up(tmp_path):
    journal = Journal(tmp_path)
    journal.answered(("a", 0, 0), OUTPUT, 0.25)
    journal.answered(("a", 0, 1), OUTPUT, 0.5)
    journal.answered(("b", 1, 0), OUTPUT, None)
    journal.failed("c", 0, "500")
    journal.stopped("interrupted")
    again = Journal(tmp_path)
    assert set(again.answers) == {("a", 0, 0), ("a", 0, 1), ("b", 1, 0)}
    assert again.answers["a", 0, 0] == OUTPUT
    assert again.dollars == journal.dollars == 0.75


def test_a_line_torn_by_a_kill_is_cut_off_and_nothing_else(tmp_path):
    Journal(tmp_path).answered(("a", 0, 0), OUTPUT, 0.0)
    path = tmp_path / FILE_NAME
    whole = path.read_bytes()
    for torn in (b"{", b'{"id": "b", "sample": 0, "tur'):
        path.write_bytes(whole + torn)
        journal = Journal(tmp_path)
        assert set(journal.answers) == {("a", 0, 0)}
        journal.answered(("b", 0, 0), OUTPUT, 0.0)
        assert set(Journal(tmp_path).answers) == {("a", 0, 0), ("b", 0, 0)}


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b'{"stopped": "x"}\nno json\n{"stopped": "x"}\n')
    with pytest.raises(TableError, match="line 2"):
        Journal(tmp_path)


def test_a_reader_follows_whole_lines(tmp_path):
    reader = JournalReader(tmp_path, last_turn=1)
    reader.read()
    assert reader.answered == set()
    journal = Journal(tmp_path)
    journal.answered(("a", 0, 0), OUTPUT, 0.25)
    reader.read()
    assert (reader.answered, reader.tokens, reader.dollars) == (set(), 450, 0.25)
    journal.failed("a", 0, "reset")
    reader.read()
    assert reader.failed == {("a", 0): "reset"}
    journal.answered(("a", 0, 1), OUTPUT, 0.25)
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(b'{"stopped": "no')
    reader.read()
    assert (reader.answered, reader.failed, reader.tokens) == ({("a", 0)}, {}, 900)
    assert reader.stopped == ""
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(b' money"}\n')
    reader.read()
    assert reader.stopped == "no money"
