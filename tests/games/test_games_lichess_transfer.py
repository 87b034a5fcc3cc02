"""Streaming a month from a server, well or badly behaved: the games come through, or an error."""

import subprocess
import sys
import time
from email.utils import formatdate

import pytest
from lichess_games import frames, many_games
from month_server import MONTH, Answer, serving

from workbench.errors import ChangedRemoteFileError, GameFileError, RemoteFileError
from workbench.games.cut import cut_games
from workbench.games.lichess_games import MonthSource, cut_lichess
from workbench.games.remote_files import Patience

# No wait of ours passes within a test: one that does was asked for by the server.
ASKED = Patience(first_wait=50.0, read_timeout=20.0)
QUICK = Patience(first_wait=0.01, read_timeout=20.0, attempts=3)
GROUPS = (3, 6)


@pytest.fixture(scope="module")
def texts():
    return many_games(400)


@pytest.fixture(scope="module")
def month(texts):
    data = frames(texts)
    assert len(data) > 400_000
    return data


@pytest.fixture(scope="module")
def expected(month, tmp_path_factory):
    """The positions of all games, cut from the file itself."""
    path = tmp_path_factory.mktemp("month") / "month.pgn.zst"
    path.write_bytes(month)
    return cut_games(path, groups=GROUPS, per_group=1000, seed=3, allow_unfilled=True).positions


@pytest.fixture
def server(month):
    with serving(month) as state:
        yield state


def stream(server, cache, patience=QUICK, per_group=1000):
    source = MonthSource(MONTH, cache, address=server.address, patience=patience)
    found = cut_lichess(
        [source], groups=GROUPS, per_group=per_group, seed=3, allow_unfilled=per_group == 1000
    )
    return found


def kept(cache):
    return [path for path in cache.iterdir() if path.suffix == ".zst"]


@pytest.mark.slow
def test_a_whole_month_gives_the_positions_of_the_file_and_its_sum_is_checked(
    server, tmp_path, expected
):
    found = stream(server, tmp_path)
    assert found.cut.positions.equals(expected)
    assert len(expected) > 200
    assert not found.stopped_early
    assert "SHA-256 as published" in found.describe()
    assert [(seen.status, seen.range) for seen in server.seen] == [(200, None)]
    assert kept(tmp_path)[0].read_bytes() == server.data


def test_it_stops_once_the_groups_are_full_and_the_next_run_fetches_nothing(server, tmp_path):
    found = stream(server, tmp_path, per_group=10)
    assert found.stopped_early
    assert found.cut.summary.taken == {3: 10, 6: 10}
    # Read are the games up to the 20th that is needed, in steps of 64 KiB, of some 450 KB.
    assert kept(tmp_path)[0].stat().st_size <= 196_608
    assert found.cut.summary.read < 100
    assert "checksum not verified" in found.describe()
    server.always = Answer(status=404)
    again = stream(server, tmp_path, per_group=10)
    assert len(server.seen) == 1
    assert again.cut.positions.equals(found.cut.positions)
    assert again.provenance == found.provenance
    assert " 0 of them fetched now" in again.describe()


def test_a_later_run_goes_on_where_the_first_stopped(server, tmp_path, expected):
    stream(server, tmp_path, per_group=10)
    size = kept(tmp_path)[0].stat().st_size
    found = stream(server, tmp_path)
    assert found.cut.positions.equals(expected)
    assert (server.seen[1].range, server.seen[1].if_range) == (f"bytes={size}-", '"one"')
    assert server.seen[1].status == 206
    assert "SHA-256 as published" in found.describe()


def test_a_transfer_cut_within_a_frame_is_taken_up_by_range(server, tmp_path, expected):
    server.answers.extend([Answer(cut_after=100_001), Answer(cut_after=150_003)])
    found = stream(server, tmp_path)
    assert found.cut.positions.equals(expected)
    assert [seen.status for seen in server.seen] == [200, 206, 206]
    assert "2 times the transfer was resumed" in found.describe()
    assert "SHA-256 as published" in found.describe()


def test_a_server_that_gives_less_than_the_range_is_asked_for_the_rest(server, tmp_path, expected):
    server.longest_range = 150_000
    server.answers.append(Answer(cut_after=100_001))
    found = stream(server, tmp_path)
    assert found.cut.positions.equals(expected)
    assert [seen.status for seen in server.seen] == [200, 206, 206, 206]
    assert "SHA-256 as published" in found.describe()


def test_a_server_without_ranges_sends_all_again_and_nothing_is_read_twice(
    server, tmp_path, expected
):
    server.ranges = False
    server.answers.append(Answer(cut_after=100_001))
    found = stream(server, tmp_path)
    assert found.cut.positions.equals(expected)
    assert [seen.status for seen in server.seen] == [200, 200]
    assert server.seen[1].range is not None
    assert "SHA-256 as published" in found.describe()


def test_too_many_requests_is_waited_for_as_long_as_asked(server, tmp_path, expected):
    server.answers.append(Answer(status=429, headers={"Retry-After": "1"}))
    before = time.monotonic()
    assert stream(server, tmp_path, ASKED).cut.positions.equals(expected)
    assert 1 <= time.monotonic() - before < 20


def test_a_date_to_come_back_at_is_kept_to(server, tmp_path, expected):
    at = formatdate(time.time() + 1, usegmt=True)
    server.answers.append(Answer(status=503, headers={"Retry-After": at}))
    before = time.monotonic()
    assert stream(server, tmp_path, ASKED).cut.positions.equals(expected)
    assert time.monotonic() - before < 20


def test_a_server_that_asks_for_an_hour_is_an_error_at_once(server, tmp_path):
    server.always = Answer(status=429, headers={"Retry-After": "3600"})
    with pytest.raises(RemoteFileError, match=r"429.*wait 3,600 s.*is kept"):
        stream(server, tmp_path, ASKED)
    assert len(server.seen) == 1


def test_a_busy_server_is_tried_again_and_given_up_in_the_end(server, tmp_path, expected):
    # Three tries in a row: the count begins anew with each new byte.
    busy = [Answer(status=503), Answer(status=502)]
    server.answers.extend([*busy, Answer(cut_after=100_001), busy[0]])
    assert stream(server, tmp_path).cut.positions.equals(expected)
    server.always = Answer(status=503)
    with pytest.raises(RemoteFileError, match=r"gave up after 3 consecutive tries.*503"):
        stream(server, tmp_path / "other")
    assert [seen.status for seen in server.seen[-3:]] == [503] * 3


def test_what_was_read_before_giving_up_is_kept(server, tmp_path, expected):
    server.answers.append(Answer(cut_after=200_000))
    server.always = Answer(status=503)
    with pytest.raises(RemoteFileError, match="is kept"):
        stream(server, tmp_path)
    size = kept(tmp_path)[0].stat().st_size
    assert 100_000 < size <= 200_000
    server.always = Answer()
    assert stream(server, tmp_path).cut.positions.equals(expected)
    assert server.seen[-1].range == f"bytes={size}-"


def test_a_slow_server_is_waited_for(server, tmp_path, expected):
    server.always = Answer(pause=0.01)
    patience = Patience(first_wait=50.0, read_timeout=0.5)
    assert stream(server, tmp_path, patience).cut.positions.equals(expected)
    assert len(server.seen) == 1


def test_a_transfer_that_stands_still_is_taken_up_again(server, tmp_path, expected):
    server.answers.append(Answer(stall_after=150_000, pause=2.0))
    patience = Patience(first_wait=0.01, read_timeout=1.0)
    assert stream(server, tmp_path, patience).cut.positions.equals(expected)
    assert [seen.status for seen in server.seen] == [200, 206]


def test_no_server_at_all_is_an_error(tmp_path):
    source = MonthSource(MONTH, tmp_path, address="http://127.0.0.1:9", patience=QUICK)
    with pytest.raises(RemoteFileError, match="gave up after 3 consecutive tries"):
        cut_lichess([source], seed=0)


def test_a_wrong_checksum_is_an_error_and_nothing_is_kept(server, tmp_path):
    server.sums = server.sums.replace(server.sums[:8], "0" * 8)
    with pytest.raises(RemoteFileError, match=r"expected the SHA-256 00000000.*discarded"):
        stream(server, tmp_path)
    assert not kept(tmp_path)


def test_no_published_checksum_is_said(server, tmp_path, expected):
    server.sums = None
    found = stream(server, tmp_path)
    assert found.cut.positions.equals(expected)
    assert "no published checksum" in found.describe()


def test_a_kept_file_that_was_changed_on_disk_is_found_out(server, tmp_path):
    stream(server, tmp_path)
    data = bytearray(server.data)
    data[-30] ^= 1
    kept(tmp_path)[0].write_bytes(bytes(data))
    with pytest.raises((GameFileError, RemoteFileError), match="discarded"):
        stream(server, tmp_path)
    assert not kept(tmp_path)


@pytest.mark.parametrize("if_ranges", [True, False])
def test_a_file_that_changes_between_ranges_is_read_anew(server, tmp_path, texts, if_ranges):
    newer = list(reversed(texts))
    server.if_ranges = if_ranges
    server.answers.append(Answer(cut_after=200_000))

    def change(seen):
        if seen.range:
            server.replace_data(frames(newer), '"two"')

    server.before_answer = change
    found = stream(server, tmp_path)
    assert kept(tmp_path)[0].read_bytes() == frames(newer)
    assert found.provenance["sources"][0]["etag"] == '"two"'
    assert "changed on the server" in found.describe()
    assert found.cut.summary.read == len(texts)


def test_a_file_that_changes_all_the_time_is_an_error(server, tmp_path):
    server.always = Answer(cut_after=200_000)

    def change(seen):
        server.etag = f'"{len(server.seen)}"'

    server.before_answer = change
    with pytest.raises(ChangedRemoteFileError, match="changed on the server"):
        stream(server, tmp_path)


def test_a_file_that_became_shorter_is_read_anew(server, tmp_path, texts):
    server.etag = ""
    stream(server, tmp_path, per_group=10)
    server.replace_data(frames(texts[:50]), "")
    found = stream(server, tmp_path)
    assert found.cut.summary.read == 50


def test_without_an_etag_other_first_bytes_are_found_out(server, tmp_path, texts):
    server.etag, server.ranges = "", False
    stream(server, tmp_path, per_group=10)
    server.always = Answer(chunked=True)
    server.replace_data(frames(list(reversed(texts))), "")
    assert stream(server, tmp_path).cut.summary.read == len(texts)
    assert kept(tmp_path)[0].read_bytes() == server.data


def test_a_body_of_unknown_length_is_read_to_its_end(server, tmp_path, expected):
    server.always = Answer(chunked=True)
    assert stream(server, tmp_path).cut.positions.equals(expected)
    server.answers.append(Answer(chunked=True, cut_after=100_001))
    assert stream(server, tmp_path / "cut").cut.positions.equals(expected)
    assert server.seen[-1].range is not None


@pytest.mark.parametrize("address", ["nonsense", "ftp://x", "http://"])
def test_what_is_no_address_is_an_error_at_once(tmp_path, address):
    source = MonthSource(MONTH, tmp_path, address=address, patience=ASKED)
    with pytest.raises(RemoteFileError, match="expected an address"):
        cut_lichess([source], seed=0)


def test_a_month_that_is_not_there_is_named(server, tmp_path):
    source = MonthSource("2031-01", tmp_path, address=server.address, patience=ASKED)
    with pytest.raises(RemoteFileError, match=r"2031-01.*404.*the month"):
        cut_lichess([source], seed=0)


def test_a_page_to_log_in_is_no_month(server, tmp_path):
    server.always = Answer(body=b"<!DOCTYPE html><title>Log in</title>")
    with pytest.raises(RemoteFileError, match="DOCTYPE"):
        stream(server, tmp_path)
    assert not kept(tmp_path)


def test_a_file_that_ends_within_a_frame_is_an_error_and_not_kept(server, tmp_path):
    server.replace_data(server.data[:-1000], '"short"')
    with pytest.raises(GameFileError, match=r"ends in the middle.*discarded"):
        stream(server, tmp_path)
    assert not kept(tmp_path)


def test_broken_bytes_are_an_error_and_not_kept(server, tmp_path):
    server.replace_data(server.data[:150_000] + b"\0" * 5000 + server.data[155_000:], '"broken"')
    with pytest.raises(GameFileError, match=r"broken.*discarded"):
        stream(server, tmp_path)
    assert not kept(tmp_path)


@pytest.mark.slow
def test_one_process_at_a_time_reads_a_month(server, tmp_path):
    server.always = Answer(pause=0.05)
    command = [
        sys.executable, "-m", "workbench", "games", "lichess", "--month", MONTH, "--address",
        server.address, "--cache", str(tmp_path), "-o", str(tmp_path / "out.parquet"),
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while not (kept(tmp_path) and kept(tmp_path)[0].stat().st_size):
            assert process.poll() is None
            time.sleep(0.01)
        with pytest.raises(RemoteFileError, match="another process"):
            stream(server, tmp_path)
    finally:
        process.kill()
        process.wait()
    # Killed in the middle: what it kept is a beginning of the file.
    size = kept(tmp_path)[0].stat().st_size
    assert server.data.startswith(kept(tmp_path)[0].read_bytes())
    server.always = Answer()
    found = stream(server, tmp_path)
    assert found.cut.summary.read == 400
    assert "SHA-256 as published" in found.describe()
    assert server.seen[-1].range == f"bytes={size}-"
