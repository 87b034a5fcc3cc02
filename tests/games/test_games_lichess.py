"""Lichess games: which are wanted, when there are enough, and the Parquet of the same games."""

import io
import tracemalloc
from collections import Counter

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from lichess_games import HEADERS, frames, game_text, many_games
from month_server import MONTH, serving

from workbench.cli import main
from workbench.compression import zstd
from workbench.errors import GameFileError, InvalidArgumentError, UnfilledGroupError
from workbench.games.cut import cut_games
from workbench.games.game_files import GameFiles
from workbench.games.lichess_games import Filling, MonthSource, cut_lichess, default_cache
from workbench.games.pgn import ScannedGame
from workbench.games.selection import GameFilters, speed_of
from workbench.games.streams import pgn_text
from workbench.games.synthetic_boards import random_games
from workbench.tables.parquet_tables import POSITIONS, read_provenance, read_table

GROUPS = (3, 6)


def headers(**changed):
    return "".join(f'[{name} "{value}"]\n' for name, value in {**HEADERS, **changed}.items())


def written(tmp_path, texts, name="games.pgn"):
    path = tmp_path / name
    path.write_text("".join(texts))
    return path


def cut(paths, per_group=5, **options):
    return cut_lichess([GameFiles(paths)], groups=GROUPS, per_group=per_group, seed=1, **options)


class TestFilters:
    # Lichess: estimated seconds = base + 40 increments; its own list of examples.
    @pytest.mark.parametrize(
        ("clock", "speed"),
        [
            ("15+0", "ultrabullet"),
            ("29+0", "ultrabullet"),
            ("30+0", "bullet"),
            ("60+0", "bullet"),
            ("120+1", "bullet"),
            ("180+0", "blitz"),
            ("180+2", "blitz"),
            ("300+3", "blitz"),
            ("479+0", "blitz"),
            ("480+0", "rapid"),
            ("600+0", "rapid"),
            ("900+10", "rapid"),
            ("1500+0", "classical"),
            ("900+15", "classical"),
            ("-", "correspondence"),
            ("?", ""),
            ("", ""),
        ],
    )
    def test_speeds_are_those_of_lichess(self, clock, speed):
        assert speed_of(clock) == speed

    @pytest.mark.parametrize(
        ("texts", "changed", "reason"),
        [
            ([], {}, ""),
            (["rating=1500..1600"], {}, ""),
            (["rating=1501.."], {}, "rating"),
            (["rating=..1599"], {}, "rating"),
            (["rating=..1600"], {"WhiteElo": "?"}, "rating"),
            (["rating=..1600"], {"WhiteElo": "²"}, "rating"),
            (["rating=..1600"], {"WhiteElo": "1" * 5000}, "rating"),
            (["time-control=blitz"], {"TimeControl": "9" * 5000 + "+0"}, "time_control"),
            (["time-control=blitz"], {}, ""),
            (["time-control=rapid,180+2"], {}, ""),
            (["time-control=rapid"], {}, "time_control"),
            (["time-control=correspondence"], {"TimeControl": "-"}, ""),
            (["termination=Normal"], {}, ""),
            (["termination=normal,Time forfeit"], {"Termination": "Time forfeit"}, ""),
            (["termination=Normal"], {"Termination": "Abandoned"}, "termination"),
            ([], {"WhiteTitle": "BOT"}, "bot"),
            ([], {"BlackTitle": "BOT"}, "bot"),
            ([], {"BlackTitle": "GM"}, ""),
            ([], {"White": "BOT"}, ""),
        ],
    )
    def test_what_is_refused_and_why(self, texts, changed, reason):
        found, detail = GameFilters.from_texts(texts).refuse(headers(**changed))
        assert found == reason
        assert bool(detail) == bool(reason)

    def test_bots_when_asked_for(self):
        filters = GameFilters.from_texts([], bots=True)
        assert filters.refuse(headers(WhiteTitle="BOT")) == ("", "")

    @pytest.mark.parametrize(
        "texts",
        [
            ["elo=1500"],
            ["rating"],
            ["rating="],
            ["rating=1500"],
            ["rating=high..low"],
            ["rating=2000..1000"],
            ["rating=1..2", "rating=3..4"],
            ["time-control=fast"],
            ["time-control=,"],
        ],
    )
    def test_what_is_no_filter_is_refused(self, texts):
        with pytest.raises(InvalidArgumentError, match="expected"):
            GameFilters.from_texts(texts)

    def test_every_reason_is_counted_and_named(self, tmp_path):
        texts = many_games(40, comment=0)
        played = next(random_games(1, 20, 99)).moves
        odd = [
            {"BlackTitle": "BOT"},
            {"BlackTitle": "BOT"},
            {"WhiteElo": "2900"},
            {"TimeControl": "15+0"},
            {"Termination": "Abandoned"},
            {"Variant": "Atomic"},
            {"FEN": "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "SetUp": "1"},
        ]
        texts += [game_text(90 + at, played, **tags) for at, tags in enumerate(odd)]
        filters = GameFilters.from_texts(
            ["rating=..2000", "time-control=blitz", "termination=Normal"]
        )
        found = cut([written(tmp_path, texts)], 100, filters=filters, allow_unfilled=True)
        assert found.cut.summary.refused == Counter(
            {"bot": 2, "rating": 1, "time_control": 1, "termination": 1, "variant": 1}
            | {"custom_start": 1}
        )
        assert "2 refused: bot" in found.describe()
        ids = set(found.cut.positions["source"])
        assert not ids & {f"game{90 + at:04d}" for at in range(len(odd))}


class TestFilling:
    def game(self, number, plies):
        return ScannedGame(1, f"moves {number}", plies, "", True)

    def test_a_long_game_serves_a_short_group(self):
        filling = Filling((4, 8), 1)
        assert filling.total == 2
        filling.add(self.game(1, 5))
        assert filling.filled == 1
        filling.add(self.game(2, 9))
        assert filling.filled == 2

    def test_copies_and_games_too_short_count_for_nothing(self):
        filling = Filling((4,), 2)
        assert filling.add(self.game(1, 5))
        assert not filling.add(self.game(1, 5))
        assert not filling.add(self.game(2, 4))
        assert filling.filled == 1

    @given(
        plies=st.lists(st.integers(1, 12), max_size=40),
        per_group=st.integers(1, 4),
        cuts=st.sets(st.integers(1, 5), min_size=1, max_size=4),
    )
    def test_full_is_when_the_longest_first_fills_every_group(self, plies, per_group, cuts):
        filling = Filling([2 * cut for cut in sorted(cuts)], per_group)
        for number, length in enumerate(plies):
            filling.add(self.game(number, length))
        left = list(plies)
        taken = 0
        for wanted in sorted(cuts, reverse=True):
            fitting = [length for length in left if length > 2 * wanted][:per_group]
            for length in fitting:
                left.remove(length)
            taken += len(fitting)
        assert filling.filled == taken


class TestStopping:
    def test_no_game_is_read_beyond_the_one_that_fills(self, tmp_path):
        texts = many_games(60, comment=0)
        found = cut([written(tmp_path, texts)], 5)
        assert found.stopped_early
        read = found.cut.summary.read
        fewer = written(tmp_path, texts[:read], "fewer.pgn")
        assert found.cut.positions.equals(
            cut_games(fewer, groups=GROUPS, per_group=5, seed=1).positions
        )
        with pytest.raises(UnfilledGroupError):
            cut_games(
                written(tmp_path, texts[: read - 1], "too-few.pgn"),
                groups=GROUPS,
                per_group=5,
                seed=1,
            )

    def test_illegal_games_are_made_up_for_from_what_follows(self, tmp_path):
        texts = many_games(60, comment=0)
        read = cut([written(tmp_path, texts)], 5).cut.summary.read
        long = [index for index, text in enumerate(texts[:read]) if "7. " in text]
        for index in long[:3]:
            tags, _, moves = texts[index].partition("\n\n1. ")
            texts[index] = f"{tags}\n\n1. Ke5 {moves.split(' ', 1)[1]}"
        found = cut([written(tmp_path, texts, "illegal.pgn")], 5)
        assert len(long) >= 3
        assert found.cut.summary.taken == {3: 5, 6: 5}
        assert found.cut.summary.read > read
        assert found.stopped_early

    def test_copies_are_dropped_and_counted(self, tmp_path):
        texts = many_games(30, comment=0)
        texts = [text for text in texts for _ in range(3)]
        found = cut([written(tmp_path, texts)], 5)
        assert found.cut.positions["game_id"].is_unique
        assert found.cut.summary.duplicates > 0

    def test_too_few_games_are_named(self, tmp_path):
        with pytest.raises(UnfilledGroupError, match="expected 50 games for each group"):
            cut([written(tmp_path, many_games(30, comment=0))], 50)

    def test_a_second_file_goes_on_where_the_first_ends(self, tmp_path):
        texts = many_games(60, comment=0)
        one = written(tmp_path, texts[:10], "one.pgn")
        two = written(tmp_path, texts[10:], "two.pgn")
        whole = cut([written(tmp_path, texts)], 5)
        parts = cut([one, two], 5)
        assert parts.cut.positions.equals(whole.cut.positions)
        assert parts.provenance["games_read_sha256"] == whole.provenance["games_read_sha256"]
        assert [entry["file"] for entry in parts.provenance["sources"]] == ["one.pgn", "two.pgn"]

    def test_no_source_is_refused(self):
        with pytest.raises(InvalidArgumentError, match="at least one"):
            cut_lichess([], seed=0)

    @pytest.mark.parametrize("month", ["2017-4", "2017", "2017-13", "april", "2017-04-01"])
    def test_a_month_is_year_and_month(self, tmp_path, month):
        with pytest.raises(InvalidArgumentError, match=r"2017-04.*got"):
            MonthSource(month, tmp_path)


class TestParquet:
    def table(self, texts, path, **changed):
        rows = []
        for text in texts:
            tags, _, moves = text.partition("\n\n")
            row = dict(line[1:-2].split(' "') for line in tags.splitlines())
            rows.append({**row, "movetext": moves.strip(), **changed})
        frame = pd.DataFrame(rows)
        # As on Hugging Face: numbers and titles that may be null.
        frame["WhiteElo"] = frame["WhiteElo"].astype("int16")
        frame["WhiteTitle"] = None
        frame.to_parquet(path, row_group_size=7)
        return path

    def test_the_same_games_give_the_same_positions_as_pgn(self, tmp_path):
        texts = many_games(40, comment=100)
        whole = cut([written(tmp_path, texts)], 5)
        # The result stands in the movetext, or in its own column alone.
        bare = [text.replace(" 1-0\n", "\n") for text in texts]
        for name, rows in (("a", texts), ("b", bare)):
            found = cut([self.table(rows, tmp_path / f"{name}.parquet")], 5)
            assert found.cut.positions.equals(whole.cut.positions)
            assert found.provenance["games_read_sha256"] == whole.provenance["games_read_sha256"]
            assert found.cut.summary.without_result == 0

    def test_filters_hold_there_too(self, tmp_path):
        path = self.table(many_games(10, comment=0), tmp_path / "a.parquet", BlackTitle="BOT")
        found = cut([path], 5, allow_unfilled=True)
        assert found.cut.summary.refused == {"bot": 10}

    def test_what_is_no_such_table_is_named(self, tmp_path):
        path = tmp_path / "a.parquet"
        pd.DataFrame({"moves": ["e2e4"]}).to_parquet(path)
        with pytest.raises(GameFileError, match=r"a\.parquet.*'movetext'.*'moves'"):
            cut([path])
        path.write_bytes(path.read_bytes()[:100])
        with pytest.raises(GameFileError, match="whole Parquet file"):
            cut([path])
        with pytest.raises(GameFileError, match=r"nowhere\.parquet"):
            cut([tmp_path / "nowhere.parquet"])


def test_what_expands_a_thousandfold_is_expanded_little_by_little():
    compressor = zstd.ZstdCompressor()
    bomb = b"".join(compressor.compress(b" " * 2**20) for _ in range(256)) + compressor.flush()
    assert len(bomb) < 40_000
    tracemalloc.start()
    try:
        with pgn_text(io.BufferedReader(io.BytesIO(bomb)), "bomb.pgn.zst") as text:
            assert sum(len(piece) for piece in iter(lambda: text.read(2**16), "")) == 2**28
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


class TestCommand:
    def run(self, *arguments, code=0):
        result = CliRunner().invoke(main, ["games", "lichess", *map(str, arguments)])
        assert result.exit_code == code, result.output
        return result.output

    def test_a_month(self, tmp_path):
        out = tmp_path / "positions.parquet"
        with serving(frames(many_games(100, comment=200))) as server:
            said = self.run(
                "--month", MONTH, "--address", server.address, "--cache", tmp_path / "cache",
                "--games", 20, "--groups", "3,6", "--filter", "rating=1000..2000", "-o", out,
            )  # fmt: skip
        assert "20 positions written" in said
        assert "stopped early" in said
        assert read_table(out, POSITIONS)["group"].value_counts().to_dict() == {3: 10, 6: 10}
        made = read_provenance(out)
        assert made["stage"] == "positions"
        assert made["sources"][0]["address"].endswith(f"_{MONTH}.pgn.zst")
        assert made["filters"]["rating"] == [1000, 2000]

    def test_a_file(self, tmp_path):
        path = written(tmp_path, many_games(60, comment=0))
        out = tmp_path / "positions.parquet"
        assert "10 positions" in self.run(path, "--games", 10, "--groups", "3,6", "-o", out)

    def test_what_cannot_be_is_said(self, tmp_path):
        assert "either --month, or FILES" in self.run(code=2)
        assert "either" in self.run("a.pgn", "--month", MONTH, code=2)
        assert "multiple of the 5 groups" in self.run("--month", MONTH, "--games", 12, code=2)
        assert "expected a month" in self.run("--month", "soon", code=1)
        assert "nowhere.pgn" in self.run(tmp_path / "nowhere.pgn", code=1)

    def test_the_cache_is_the_users(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert default_cache().name == "lichess"


def test_the_five_groups_are_filled_by_the_games_that_run_past_them(tmp_path):
    """One game fits each group alone; nothing is read past the one that fills the last."""
    lengths = [11, 100, 33, 10, 55, 101, 101, 77]
    games = random_games(len(lengths), 101, seed=3)
    texts = [
        game_text(number, game.moves[:length])
        for number, (game, length) in enumerate(zip(games, lengths, strict=True))
    ]
    found = cut_lichess([GameFiles([written(tmp_path, texts)])], per_group=1, seed=0)
    # 101 plies for 50 moves, 100 for 38, 55 for 27, 33 for 16, 11 for 5: the sixth game is the last.
    assert found.stopped_early
    assert found.cut.summary.read == 6
    assert found.cut.summary.taken == {5: 1, 16: 1, 27: 1, 38: 1, 50: 1}
    sources = found.cut.positions.set_index("group")["source"].to_dict()
    assert sources == {
        5: "game0000",
        16: "game0002",
        27: "game0004",
        38: "game0001",
        50: "game0005",
    }
