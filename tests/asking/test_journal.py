"""Every answer is written before the next call, and no damage costs more than the damaged line."""

import errno
import json
import os
import resource
from zlib import crc32

import pytest

from workbench.asking.costs import Price
from workbench.asking.journal import (
    DAMAGED_NAME,
    FILE_NAME,
    KILLED,
    SPARE_NAME,
    DamagedLine,
    Failure,
    Journal,
    JournalReader,
    journal_record,
)
from workbench.errors import JournalError

USAGE = {"input_tokens": 400, "output_tokens": 50, "total_tokens": 450}
OUTPUT = {"completion": "8/8", "usage": USAGE}
RESET = Failure("reset", permanent=False)


def test_what_was_written_is_known_again_and_sums_up(tmp_path):
    journal = Journal(tmp_path)
    journal.answered(("a", 0, 0), OUTPUT, 0.25)
    journal.answered(("a", 0, 1), OUTPUT, 0.5)
    journal.answered(("b", 1, 0), OUTPUT, None)
    journal.failed(("c", 0, 0), RESET)
    journal.failed(("d", 0, 0), Failure("400", permanent=True))
    journal.failed(("b", 1, 0), RESET)
    journal.failed(("a", 2, 0), RESET)
    journal.answered(("a", 2, 0), OUTPUT, 0.25)
    journal.stopped("interrupted")
    journal.close()
    again = Journal(tmp_path)
    for record in (again.record, journal.record):
        assert set(record.answers) == {("a", 0, 0), ("a", 0, 1), ("b", 1, 0), ("a", 2, 0)}
        assert record.answers["a", 0, 0] == OUTPUT
        assert record.dollars == 1.0
        assert record.answered(0) == {("a", 0), ("b", 1), ("a", 2)}
        assert record.failures == {
            ("c", 0): RESET, ("d", 0): Failure("400", permanent=True), ("b", 1): RESET,
        }  # fmt: skip
        assert list(record.failures)[-1] == ("b", 1)
    assert not (tmp_path / DAMAGED_NAME).exists()


def test_what_was_answered_without_a_price_counts_by_the_price_given_later(tmp_path):
    journal = Journal(tmp_path)
    journal.answered(("a", 0, 0), OUTPUT, None)
    journal.answered(("b", 0, 0), {"completion": "8/8"}, None)
    assert journal_record(tmp_path, Price(1000.0, 2000.0)).dollars == pytest.approx(0.5)


TORN = b'{"id": "x", "sample": 0, "turn": 0, "dollars": 0.5, "outp'


class TestDamage:
    @pytest.fixture
    def lines(self, tmp_path):
        journal = Journal(tmp_path)
        for name in "abc":
            journal.answered((name, 0, 0), OUTPUT, 0.25)
        journal.close()
        return (tmp_path / FILE_NAME).read_bytes().splitlines(keepends=True)

    def damaged(self, tmp_path, text):
        (tmp_path / FILE_NAME).write_bytes(text)
        journal = Journal(tmp_path)
        journal.answered(("z", 0, 0), OUTPUT, 0.0)
        journal.close()
        reopened = Journal(tmp_path)
        assert reopened.damaged == []
        assert journal.record.answers == reopened.record.answers
        kept = tmp_path / DAMAGED_NAME
        return (
            {key[0] for key in reopened.record.answers},
            len(journal.damaged),
            (kept.read_bytes() if kept.exists() else b""),
        )

    @pytest.mark.parametrize("torn", [b"{", TORN, b"\x00" * 100, b"\xff\xfe", b"[1]", b'{"id": 3}'])
    @pytest.mark.parametrize("place", [1, 2, 4])
    def test_a_damaged_line_is_set_aside_wherever_it_stands(self, tmp_path, lines, torn, place):
        ending = b"" if place == 4 else b"\n"
        text = b"".join([*lines[:place], torn + ending, *lines[place:]])
        assert self.damaged(tmp_path, text) == ({"a", "b", "c", "z"}, 1, torn + b"\n")

    def test_an_answer_glued_to_a_torn_line_is_kept(self, tmp_path, lines):
        text = b"".join([*lines[:2], TORN, *lines[2:]])
        assert self.damaged(tmp_path, text) == ({"a", "b", "c", "z"}, 1, TORN + lines[2])

    def test_a_whole_last_line_needs_no_end(self, tmp_path, lines):
        found, set_aside, kept = self.damaged(tmp_path, b"".join(lines).removesuffix(b"\n"))
        assert (found, set_aside, kept) == ({"a", "b", "c", "z"}, 0, b"")

    def test_a_reader_counts_lines_from_the_first(self, tmp_path, lines):
        path = tmp_path / FILE_NAME
        path.write_bytes(b"".join(lines[:3]))
        reader = JournalReader(tmp_path)
        reader.read()
        with path.open("ab") as file:
            file.write(lines[3] + TORN + b"\n")
        reader.read()
        assert reader.record.damaged == [5]
        assert reader.record.answered(0) == {("a", 0), ("b", 0), ("c", 0)}
        # Another process sets the line aside: the file is another one.
        Journal(tmp_path).answered(("d", 0, 0), OUTPUT, 0.25)
        reader.read()
        assert reader.record.damaged == []
        assert reader.record.dollars == 1.0


class TestAFullDisk:
    def test_a_journal_that_cannot_be_written_is_found_before_the_first_call(self, tmp_path):
        (tmp_path / FILE_NAME).symlink_to("/dev/full")
        with pytest.raises(JournalError, match=r"answers\.jsonl cannot be written: No space left"):
            Journal(tmp_path)

    def test_there_is_room_for_the_answers_under_way(self, tmp_path, monkeypatch):
        journal = Journal(tmp_path)
        journal.answered(("a", 0, 0), OUTPUT, 0.25)
        write = os.fsync

        def full(number):
            if (tmp_path / SPARE_NAME).exists():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            write(number)

        monkeypatch.setattr(os, "fsync", full)
        for name in "bc":
            journal.answered((name, 0, 0), OUTPUT, 0.25)
            assert "No space left" in journal.full
        monkeypatch.undo()
        assert Journal(tmp_path).record.answered(0) == {("a", 0), ("b", 0), ("c", 0)}
        assert journal_record(tmp_path).dollars == 0.75

    def test_half_a_line_is_taken_back(self, tmp_path):
        journal = Journal(tmp_path)
        journal.answered(("a", 0, 0), OUTPUT, 0.25)
        before = (tmp_path / FILE_NAME).read_bytes()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 40, limits[1]))
        try:
            with pytest.raises(JournalError, match="File too large"):
                journal.answered(("b", 0, 0), OUTPUT, 0.25)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (tmp_path / FILE_NAME).read_bytes() == before
        assert ("b", 0, 0) not in journal.record.answers


class TestUnknownCosts:
    def test_they_count_as_their_reserves(self, tmp_path):
        journal = Journal(tmp_path)
        journal.begun(("a", 0, 0), 0.5)
        journal.failed(("a", 0, 0), RESET, reserve=0.5, unknown="timed out")
        journal.begun(("a", 0, 0), 0.5)
        journal.answered(("a", 0, 0), OUTPUT, 0.125)
        journal.begun(("b", 0, 0), 0.5)
        journal.answered(("b", 0, 0), OUTPUT, None, reserve=0.5, unknown="no token counts")
        # The process is killed in the middle of two calls; later one of them is made again.
        for name in "cd":
            journal.begun((name, 0, 0), 0.25)
        assert journal.record.dollars == 1.125
        for _ in range(2):
            record = Journal(tmp_path).record
            assert (record.dollars, record.reserved) == (1.625, 1.5)
            assert record.unknown == {"timed out": 1, "no token counts": 1, KILLED: 2}
        again = Journal(tmp_path)
        again.begun(("c", 0, 0), 0.25)
        again.answered(("c", 0, 0), OUTPUT, 0.125)
        for record in (again.record, Journal(tmp_path).record):
            assert (record.dollars, record.unknown[KILLED]) == (1.75, 2)


def test_a_reader_follows_whole_lines(tmp_path):
    reader = JournalReader(tmp_path)
    reader.read()
    assert reader.record.answers == {}
    journal = Journal(tmp_path)
    journal.answered(("a", 0, 0), OUTPUT, 0.25)
    reader.read()
    assert reader.record.answered(1) == set()
    assert (reader.record.tokens, reader.record.dollars) == (450, 0.25)
    journal.failed(("a", 0, 1), RESET)
    reader.read()
    assert reader.record.failures == {("a", 0): RESET}
    line = json.dumps({"id": "a", "sample": 0, "turn": 1, "dollars": 0.25, "output": OUTPUT})
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write(line[:50])
    reader.read()
    assert reader.record.answered(1) == set()
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write(line[50:] + "\n")
    reader.read()
    assert reader.record.answered(1) == {("a", 0)}
    assert (reader.record.failures, reader.record.tokens) == ({}, 900)


class TestChecksums:
    @pytest.fixture
    def path(self, tmp_path):
        journal = Journal(tmp_path)
        for name in "abcdefgh":
            journal.answered((f"position-{name}", 0, 0), OUTPUT, 0.25)
        journal.close()
        return tmp_path / FILE_NAME

    def test_the_checksum_is_the_crc_of_the_line_without_it(self, path):
        for line in path.read_text().splitlines():
            text, _, checksum = line.rpartition(', "checksum": ')
            assert json.loads(checksum.removesuffix("}")) == f"{crc32((text + '}').encode()):08x}"

    def test_every_flipped_bit_of_a_line_is_noticed(self, path, tmp_path):
        lines = path.read_bytes().splitlines(keepends=True)
        whole = set(journal_record(tmp_path).answers)
        for place in range(len(lines[3]) - 1):
            for bit in range(8):
                flipped = bytearray(lines[3])
                flipped[place] ^= 1 << bit
                path.write_bytes(b"".join([*lines[:3], bytes(flipped), *lines[4:]]))
                record = journal_record(tmp_path)
                assert set(record.answers) == whole - {("position-c", 0, 0)}, (place, bit)
                # A flip into a line feed makes two lines of one.
                assert record.damaged in ([4], [4, 5])

    def test_a_line_that_lost_its_end_of_line_keeps_both_answers(self, path, tmp_path):
        lines = path.read_bytes().splitlines()
        path.write_bytes(b"\n".join([*lines[:3], lines[3] + b"\x0b" + lines[4], *lines[5:], b""]))
        before = set(journal_record(tmp_path).answers)
        journal = Journal(tmp_path)
        assert set(journal.record.answers) - before == {
            ("position-c", 0, 0), ("position-d", 0, 0)}  # fmt: skip
        assert [line.number for line in journal.damaged] == [4]

    def test_a_journal_from_before_still_opens(self, path, tmp_path):
        before = journal_record(tmp_path)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            del line["checksum"]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        for record in (journal_record(tmp_path), Journal(tmp_path).record):
            assert (record.answers, record.dollars, record.damaged) == (before.answers, 2.0, [])
        # What is written from now on has one, in the same file.
        Journal(tmp_path).answered(("z", 0, 0), OUTPUT, 0.25)
        assert len(journal_record(tmp_path).answers) == 9

    def test_a_byte_that_is_no_ascii_is_damage_in_a_journal_from_before(self, tmp_path):
        line = json.dumps({"id": "a", "sample": 0, "turn": 0, "dollars": 0.25, "output": OUTPUT})
        damaged = line.encode().replace(b"8/8", b"8\xaf8")
        (tmp_path / FILE_NAME).write_bytes(damaged + b"\n")
        journal = Journal(tmp_path)
        assert (journal.record.answers, journal.damaged[0].text) == ({}, damaged)

    def test_a_damaged_line_is_traced_to_its_question(self, path):
        keys = [(f"position-{name}", sample, 0) for name in "abcdefgh" for sample in (0, 1)]
        line = path.read_bytes().splitlines()[3]
        assert DamagedLine(4, line).question(keys) == ("position-c", 0, 0)
        assert DamagedLine(4, line[:60]).question(keys) == ("position-c", 0, 0)
        assert DamagedLine(4, b"\x00" * 300).question(keys) is None
        flipped = line.replace(b'"position-c"', b'"pos\xe9tion-c"')
        assert DamagedLine(4, flipped).question(keys) == ("position-c", 0, 0)


def test_an_answer_to_an_earlier_turn_ends_the_conversation_that_came_after(tmp_path):
    journal = Journal(tmp_path)
    journal.answered(("a", 0, 1), OUTPUT, 0.25)
    assert journal.record.answered(1) == set()
    journal.answered(("a", 0, 0), OUTPUT, 0.25)
    for record in (journal.record, journal_record(tmp_path)):
        assert (set(record.answers), record.dollars) == ({("a", 0, 0)}, 0.5)
