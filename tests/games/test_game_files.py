"""Files, folders, archives and pipes of games: the same games, and the hash of what was read."""

import bz2
import gzip
import hashlib
import os
import re
import threading
import tracemalloc
import zipfile

import pytest
from click.testing import CliRunner
from lichess_games import many_games

from workbench.cli import main
from workbench.compression import zstd
from workbench.errors import GameFileError
from workbench.games.cut import cut_games
from workbench.games.game_files import GameFiles
from workbench.games.game_tables import GAMES, PlayedGame, games_frame
from workbench.games.lichess_games import cut_lichess
from workbench.games.pgn import RefusedGame
from workbench.games.selection import GameFilters
from workbench.tables.parquet_tables import POSITIONS, read_provenance, read_table, write_table

TEXTS = many_games(24, comment=0, seed=5)
PGN = "".join(TEXTS).encode()
SOURCES = [f"game{number:04d}" for number in range(24)]


def sources(paths, **options):
    return [game.source for game in GameFiles(paths, **options).games()]


def zipped(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def played_games(path):
    games = [
        PlayedGame(3, 1, 0, 0, "1-0", "resignation", ("e2e4", "e7e5", "g1f3")),
        PlayedGame(4, 1, 0, 0, "1/2-1/2", "stalemate", ("d2d4", "d7d5", "c2c4")),
    ]
    write_table(games_frame(games), path, GAMES)
    return path


class TestKinds:
    @pytest.mark.parametrize(
        ("name", "pack"),
        [
            ("a.pgn", bytes),
            ("a.txt", bytes),
            ("a.pgn.gz", gzip.compress),
            ("a.pgn.bz2", bz2.compress),
            ("a.pgn.zst", zstd.compress),
            ("bzip2 by another name", bz2.compress),
        ],
    )
    def test_every_kind_holds_the_same_games(self, tmp_path, name, pack):
        path = tmp_path / name
        path.write_bytes(pack(PGN))
        files = GameFiles([path])
        assert [game.source for game in files.games()] == SOURCES
        (entry,) = files.provenance()
        packed = pack(PGN)
        assert entry == {
            "file": name,
            "bytes": len(packed),
            "sha256": hashlib.sha256(packed).hexdigest(),
        }

    def test_an_archive_gives_its_pgn_files_by_name_and_nothing_else(self, tmp_path):
        members = {
            "b/second.PGN": "".join(TEXTS[10:]),
            "readme.txt": "no games",
            "b/": "",
            "a/first.pgn.bz2": bz2.compress("".join(TEXTS[:10]).encode()),
            "__MACOSX/a/._first.pgn": b"\0\5\26\7",
            "c/no-site.pgn": "1. e4 *",
        }
        path = zipped(tmp_path / "games.zip", members)
        files = GameFiles([path])
        assert [game.source for game in files.games()] == [
            *SOURCES,
            "games.zip/c/no-site.pgn#1",
        ]
        data = path.read_bytes()
        assert files.provenance()[0]["sha256"] == hashlib.sha256(data).hexdigest()

    def test_the_only_file_of_an_archive_may_have_any_name(self, tmp_path):
        assert sources([zipped(tmp_path / "games.zip", {"games.txt": PGN})]) == SOURCES

    def test_a_folder_gives_its_games_sorted_by_name(self, tmp_path):
        folder = tmp_path / "games"
        (folder / "sub").mkdir(parents=True)
        (folder / "b.pgn").write_text("".join(TEXTS[4:8]))
        (folder / "a.pgn.gz").write_bytes(gzip.compress("".join(TEXTS[:4]).encode()))
        zipped(folder / "sub" / "c.zip", {"x.pgn": "".join(TEXTS[8:])})
        zipped(folder / "pictures.zip", {"x.png": b"1", "y.png": b"2"})
        played_games(folder / "d.parquet")
        (folder / "notes.txt").write_text("1. e4 *")
        (folder / ".hidden.pgn").write_text("1. e4 *")
        os.mkfifo(folder / "pipe.pgn")
        cut = cut_games(GameFiles([folder]), groups=(1,), per_group=1, seed=0)
        write_table(cut.positions, folder / "positions.parquet", POSITIONS)
        files = GameFiles([folder])
        expected = [*SOURCES[:8], "d #3", "d #4", *SOURCES[8:]]
        assert [game.source for game in files.games()] == expected
        assert [entry["file"] for entry in files.provenance()] == [
            f"games/{name}" for name in ("a.pgn.gz", "b.pgn", "d.parquet", "sub/c.zip")
        ]
        assert "3 files without games left out: games/notes.txt" in files.describe()

    def test_games_of_self_play_have_a_result_and_a_termination(self, tmp_path):
        path = played_games(tmp_path / "games.parquet")
        filters = GameFilters.from_texts(["termination=Stalemate"])
        one, other = GameFiles([path]).games(filters.refuse)
        assert isinstance(one, RefusedGame)
        assert (one.source, one.reason) == ("games #3", "termination")
        assert other.moves == ("d2d4", "d7d5", "c2c4")
        found = cut_lichess([GameFiles([path])], groups=(1,), per_group=2, seed=0)
        assert sorted(found.cut.positions["source"]) == ["games #3", "games #4"]


class TestPipes:
    def cut(self, *arguments, **options):
        command = ["games", *map(str, arguments), "--groups", "1"]
        result = CliRunner().invoke(main, command, **options)
        assert result.exit_code == 0, result.output
        return result.output

    @pytest.mark.parametrize("pack", [bytes, zstd.compress, "zip", "parquet"])
    def test_the_bytes_of_standard_input_are_hashed(self, tmp_path, pack):
        if pack == "zip":
            data = zipped(tmp_path / "games.zip", {"a.pgn": PGN}).read_bytes()
        elif pack == "parquet":
            data = played_games(tmp_path / "games.parquet").read_bytes()
        else:
            data = pack(PGN)
        out = tmp_path / "positions.parquet"
        self.cut("cut", "-", "--per-group", 1, "--allow-unfilled", "-o", out, input=data)
        assert read_provenance(out)["sources"] == [
            {
                "file": "standard input",
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
        ]

    @pytest.mark.parametrize("command", ["cut", "lichess"])
    def test_pipes_and_files_of_one_name_keep_their_hashes(self, tmp_path, command):
        parts = ["".join(TEXTS[at::4]).encode() for at in range(4)]
        given = []
        for name, part in zip(("one", "two"), parts, strict=False):
            (tmp_path / name).mkdir()
            given.append(tmp_path / name / "games.pgn")
            given[-1].write_bytes(part)
        given.append(tmp_path / "fifo")
        os.mkfifo(given[-1])
        writer = threading.Thread(target=given[-1].write_bytes, args=(parts[2],))
        writer.start()
        reading, writing = os.pipe()
        os.write(writing, parts[3])
        os.close(writing)
        given.append(f"/dev/fd/{reading}")
        out = tmp_path / "positions.parquet"
        # More than there are: everything is read.
        self.cut(command, *given, "--per-group", 50, "--allow-unfilled", "-o", out)
        writer.join()
        os.close(reading)
        entries = read_provenance(out)["sources"]
        names = ["one/games.pgn", "two/games.pgn", "fifo", f"/dev/fd/{reading}"]
        assert [entry["file"] for entry in entries] == names
        sums = [hashlib.sha256(part).hexdigest() for part in parts]
        assert [entry["sha256"] for entry in entries] == sums
        whole = cut_games(
            list(GameFiles(given[:2]).games()),
            groups=(1,), per_group=50, seed=0, allow_unfilled=True,
        )  # fmt: skip
        assert set(whole.positions["game_id"]) < set(read_table(out, POSITIONS)["game_id"])

    def test_a_pipe_is_read_no_further_than_needed_and_a_file_is_hashed_whole(self, tmp_path):
        path = tmp_path / "games.pgn"
        path.write_bytes(PGN * 200)
        files = GameFiles([path])
        found = cut_lichess([files], groups=(1,), per_group=3, seed=0)
        assert found.stopped_early
        assert files.provenance()[0]["sha256"] == hashlib.sha256(PGN * 200).hexdigest()
        out = tmp_path / "positions.parquet"
        said = self.cut("lichess", "-", "--per-group", 3, "-o", out, input=PGN * 200)
        assert "stopped early" in said
        made = read_provenance(out)
        assert made["sources"] == [{"file": "standard input", "bytes": None, "sha256": ""}]
        assert made["games_read_sha256"] == found.provenance["games_read_sha256"]

    def test_a_pipe_cannot_be_read_twice(self, tmp_path):
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        bad = "".join(f"1. {file}4 Ke{rank} 2. a3 *\n\n" for file in "abcdefgh" for rank in (3, 4))
        writer = threading.Thread(target=fifo.write_text, args=(bad + "1. e4 e5 2. d4 *\n",))
        writer.start()
        with pytest.raises(GameFileError, match=r"fifo: expected a file, got a pipe.*save them"):
            cut_games(fifo, groups=(1,), per_group=1, seed=0, reserve=0)
        writer.join()

    def test_standard_input_is_named_once(self):
        with pytest.raises(GameFileError, match="several times"):
            GameFiles(["-", "-"])


class TestFaults:
    def test_missing_files_are_found_before_the_first_is_read(self, tmp_path):
        (tmp_path / "a.pgn").write_bytes(PGN)
        with pytest.raises(GameFileError, match=r"nowhere\.pgn"):
            GameFiles([tmp_path, tmp_path / "nowhere.pgn"])

    def test_a_folder_without_games_is_named(self, tmp_path):
        (tmp_path / "notes.txt").write_text("1. e4 *")
        with pytest.raises(GameFileError, match=r"expected a folder with games.*got 1 other"):
            GameFiles([tmp_path])

    def test_an_archive_without_games_is_named(self, tmp_path):
        path = zipped(tmp_path / "a.zip", {"x.png": b"1", "y.png": b"2"})
        with pytest.raises(GameFileError, match=r"expected PGN files.*x\.png"):
            sources([path])

    def test_an_encrypted_archive_is_named(self, tmp_path):
        path = zipped(tmp_path / "a.zip", {"x.pgn": PGN})
        data = bytearray(path.read_bytes())
        for header, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(header) + at] |= 1
        path.write_bytes(data)
        with pytest.raises(GameFileError, match=r"a\.zip/x\.pgn.*without a password"):
            sources([path])

    @pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
    def test_a_truncated_archive_is_named(self, tmp_path, share):
        path = zipped(tmp_path / "a.zip", {"x.pgn": PGN})
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])
        with pytest.raises(GameFileError, match="expected a whole zip archive"):
            sources([path], allow_truncated=True)

    def test_a_broken_file_in_an_archive_is_an_error_or_counted(self, tmp_path):
        texts = many_games(200, comment=600)
        path = zipped(tmp_path / "a.zip", {"x.pgn": "".join(texts)})
        data = bytearray(path.read_bytes())
        data[len(data) * 3 // 4] ^= 0xFF
        path.write_bytes(data)
        with pytest.raises(GameFileError, match=r"a\.zip/x\.pgn.*\(\d+ games were read before\)"):
            sources([path])
        files = GameFiles([path], allow_truncated=True)
        read = [game.source for game in files.games()]
        assert 0 < len(read) <= 200
        assert len(files.broken_off) == 1

    def test_an_archive_that_expands_a_thousandfold_takes_no_memory(self, tmp_path):
        path = tmp_path / "bomb.zip"
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open("x.pgn", "w") as member,
        ):
            for _ in range(32):
                member.write(b" " * 2**20)
            member.write(b"\n1. e4 e5 *\n")
        assert path.stat().st_size < 2**16
        tracemalloc.start()
        try:
            assert sources([path]) == ["bomb.zip/x.pgn#1"]
            assert tracemalloc.get_traced_memory()[1] < 60 * 2**20
        finally:
            tracemalloc.stop()

    def test_an_archive_in_an_archive_is_named(self, tmp_path):
        inner = zipped(tmp_path / "inner.zip", {"x.pgn": PGN}).read_bytes()
        path = zipped(tmp_path / "outer.zip", {"inner.zip": inner})
        with pytest.raises(GameFileError, match=r"outer\.zip/inner\.zip.*got zip data"):
            sources([path])

    def test_a_broken_file_leaves_the_next_ones(self, tmp_path):
        broken = tmp_path / "a.pgn.zst"
        whole = zstd.compress("".join(TEXTS[:12]).encode())
        broken.write_bytes(whole + zstd.compress(PGN)[:-9])
        fine = tmp_path / "b.pgn"
        fine.write_text("".join(TEXTS[12:]))
        files = GameFiles([broken, fine], allow_truncated=True)
        read = [game.source for game in files.games()]
        assert read[:12] == SOURCES[:12]
        assert read[-12:] == SOURCES[12:]
        found = cut_lichess([files], groups=(1,), per_group=20, seed=0)
        assert "broke off: " in found.describe()
        sums = [entry["sha256"] for entry in files.provenance()]
        assert sums == [hashlib.sha256(path.read_bytes()).hexdigest() for path in (broken, fine)]


def test_a_stray_zero_byte_costs_its_game_alone(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_bytes(PGN + b"1. e4 \0 e5 *\n\n" + PGN)
    games = list(GameFiles([path]).games())
    assert [game.source for game in games if not isinstance(game, RefusedGame)] == SOURCES * 2
    assert [game.reason for game in games if isinstance(game, RefusedGame)] == ["unreadable_moves"]


@pytest.mark.parametrize("kind", ["a.pgn", "a.pgn.zst", "a.zip", "a.parquet", "folder"])
def test_progress_is_the_share_of_the_bytes(tmp_path, capfd, kind):
    path = tmp_path / kind
    if kind == "a.parquet":
        played_games(path)
    elif kind == "a.zip":
        zipped(path, {"x.pgn": PGN * 150, "y.pgn": PGN * 150})
    elif kind == "folder":
        path.mkdir()
        for name in ("x.pgn", "y.pgn"):
            (path / name).write_bytes(PGN * 100)
    else:
        path.write_bytes(PGN * 150 if kind == "a.pgn" else zstd.compress(PGN * 150))
    for _ in GameFiles([path], progress=True).games():
        pass
    shown = capfd.readouterr().err
    shares = [int(share) for share in re.findall(r"(\d+)%", shown)]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 99 <= shares[-1] <= 100


def test_cut_and_lichess_have_the_same_options_in_the_same_words():
    games = main.commands["games"]
    cut, lichess = (
        {option.name: option for option in games.commands[name].params}
        for name in ("cut", "lichess")
    )
    assert set(lichess) - set(cut) == {"months", "address", "cache"}
    assert set(cut) <= set(lichess)
    for name in set(cut) - {"files", "bots"}:
        assert cut[name].to_info_dict() == lichess[name].to_info_dict()
    assert (cut["bots"].default, lichess["bots"].default) == (True, False)


def test_filters_and_counts_hold_for_both_commands(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_bytes(PGN + PGN.replace(b'"180+2"', b'"15+0"').replace(b"1. ", b"1. a3 a6 2. "))
    rows = {}
    for command in ("cut", "lichess"):
        out = tmp_path / f"{command}.parquet"
        options = ["--filter", "time-control=blitz", "--groups", "1,2", "-o", str(out)]
        arguments = ["games", command, str(path), *options]
        result = CliRunner().invoke(main, [*arguments, "--games", "8"])
        assert result.exit_code == 0, result.output
        rows[command] = read_table(out, POSITIONS)
        assert rows[command]["group"].value_counts().to_dict() == {1: 4, 2: 4}
        assert read_provenance(out)["filters"]["time_controls"] == ["blitz"]
        refused = CliRunner().invoke(main, [*arguments, "--games", "8", "--per-group", "4"])
        assert refused.exit_code == 2
        assert "--per-group or --games, got both" in refused.output
    assert rows["cut"]["source"].isin(SOURCES).all()
    everything = ["games", "lichess", str(path), "--allow-unfilled", "--groups", "1,2"]
    found = CliRunner().invoke(main, [*everything, "-o", str(tmp_path / "x.parquet")]).output
    assert "48 games read" in found


@pytest.mark.parametrize("command", ["cut", "lichess"])
def test_a_table_without_a_position_is_not_written(tmp_path, command):
    path, out = tmp_path / "games.pgn", tmp_path / "positions.parquet"
    path.write_text("1. e4 e5 *\n")
    options = ["--groups", "2,5", "--allow-unfilled", "-o", str(out)]
    ended = CliRunner().invoke(main, ["games", command, str(path), *options])
    assert ended.exit_code == 1
    assert "expected games of more than 2 full moves in games.pgn, found none" in ended.output
    assert not out.exists()
