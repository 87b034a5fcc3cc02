"""Self-play: its rules with an engine that says what the test wants, and Stockfish itself."""

import asyncio
import os
import shutil
from math import exp

import chess
import chess.engine
import pytest
from click.testing import CliRunner
from game_audit import faults_of

from workbench.cli.game_commands import games_selfplay
from workbench.errors import EngineError, InvalidArgumentError, RunMismatchError
from workbench.games import selfplay
from workbench.games.game_tables import PlayedGame, bundled_games_path, read_games
from workbench.games.selfplay import SelfPlaySettings, play_game, play_games, sample_move
from workbench.tables.parquet_tables import read_provenance

SHORT = SelfPlaySettings(seed=1, short_every=1)
STOCKFISH = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")


class SaysScore:
    """An engine that names the first legal moves, worth for White what it was told."""

    def __init__(self, for_white, lines=None):
        self.for_white = for_white
        self.lines = lines
        self.games = []

    async def analyse(self, board, limit, *, multipv, game, info):
        if game not in self.games:
            self.games.append(game)
        # Knights and rooks to and fro: nobody captures, and nothing ends before it should.
        moves = sorted(board.generate_legal_moves(), key=self.order(board))[:multipv]
        score = chess.engine.PovScore(chess.engine.Cp(self.for_white), chess.WHITE)
        return [{"pv": [move], "score": score} for move in moves]

    def order(self, board):
        def key(move):
            return (board.is_capture(move), board.piece_type_at(move.from_square), move.uci())

        return key


class Scripted:
    """An engine that names one move of a script, and begins it anew with each game."""

    def __init__(self, *moves):
        self.moves = moves

    async def analyse(self, board, limit, *, multipv, game, info):
        move = chess.Move.from_uci(self.moves[board.ply()])
        score = chess.engine.PovScore(chess.engine.Cp(0), chess.WHITE)
        return [{"pv": [move], "score": score}]


def played(engine, settings=SHORT, number=0):
    return asyncio.run(play_game(engine, number, settings))


class TestRules:
    @pytest.mark.parametrize(("score", "result"), [(700, "1-0"), (-700, "0-1")])
    def test_the_side_that_is_lost_resigns_when_it_is_to_move(self, score, result):
        game = played(SaysScore(score))
        assert (game.termination, game.result) == ("resignation", result)
        assert len(game.moves) % 2 == (result == "1-0")
        assert len(game.moves) >= 20

    def test_nobody_resigns_at_the_threshold(self):
        game = played(SaysScore(600))
        assert game.termination != "resignation"

    def test_an_even_game_is_agreed_drawn_at_once_when_patience_ends(self):
        game = played(SaysScore(0))
        assert (game.termination, game.result) == ("agreed_draw", "1/2-1/2")
        assert 20 <= len(game.moves) <= 100

    def test_a_long_game_knows_no_resignation_before_its_length(self):
        settings = SelfPlaySettings(seed=1, short_every=2, long_plies=100)
        game = played(SaysScore(700), settings, number=1)
        assert len(game.moves) > 100

    def test_mate_ends_a_game(self):
        game = played(Scripted("f2f3", "e7e5", "g2g4", "d8h4"))
        assert (game.termination, game.result, len(game.moves)) == ("checkmate", "0-1", 4)
        assert list(faults_of([game])) == []

    def test_a_position_that_comes_the_third_time_ends_a_game(self):
        game = played(Scripted(*("g1f3", "g8f6", "f3g1", "f6g8") * 3))
        assert (game.termination, game.result, len(game.moves)) == ("repetition", "1/2-1/2", 8)

    def test_a_game_that_is_always_too_short_is_given_up(self):
        settings = SelfPlaySettings(short_every=2, attempts=3)
        with pytest.raises(EngineError, match=r"game 1: .* 3 attempts"):
            played(Scripted("f2f3", "e7e5", "g2g4", "d8h4"), settings, number=1)

    def test_every_attempt_is_a_new_game_to_the_engine(self):
        engine = SaysScore(700)
        settings = SelfPlaySettings(seed=1, short_every=8)
        game = played(engine, settings, number=3)
        assert engine.games == [(3, attempt) for attempt in range(1, game.attempt + 1)]

    def test_an_engine_that_names_no_move_is_refused_with_the_board(self):
        class Silent:
            async def analyse(self, board, limit, **options):
                return [{}]

        with pytest.raises(EngineError, match=r"rnbqkbnr/pppppppp.*"):
            played(Silent())

    def test_a_rook_is_left_out_where_a_queen_is_named(self):
        """White may promote on a8 from ply 8 on; the engine names the rook first."""
        march = ["b2b4", "h7h6", "b4b5", "h6h5", "b5b6", "h5h4", "b6a7", "h4h3"]

        class Promotes(Scripted):
            async def analyse(self, board, limit, **options):
                if board.ply() < 8:
                    return await super().analyse(board, limit, multipv=1, game=0, info=0)
                if board.ply() == 8:
                    found = [chess.Move.from_uci(text) for text in ("a7b8r", "a7b8b", "a7b8q")]
                else:
                    found = [next(iter(board.generate_legal_moves()))]
                score = chess.engine.PovScore(chess.engine.Cp(700), chess.WHITE)
                return [{"pv": [move], "score": score} for move in found]

        assert played(Promotes(*march)).moves[8] == "a7b8q"


def test_a_move_worse_by_the_temperature_is_drawn_1_e_times_as_often():
    first, second = chess.Move.from_uci("e2e4"), chess.Move.from_uci("a2a3")
    found = [(second, -40), (first, 0)]
    drawn = [sample_move(found, 0, 40.0, (k + 0.5) / 10_000) for k in range(10_000)]
    assert drawn.count(second) == pytest.approx(10_000 * exp(-1) / (1 + exp(-1)), abs=1)


ENGINE = """\
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name {name}")
        print("option name Threads type spin default 1 min 1 max 1")
        print("option name Hash type spin default 1 min 1 max 1")
        print("option name MultiPV type spin default 1 min 1 max 9")
        print("uciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        ply = len(words) - 3 if "moves" in words else 0
    elif words[0] == "go":
        {go}
    elif words[0] == "quit":
        break
"""
PLAYS = (
    'move = ["f2f3", "e7e5", "g2g4", "d8h4"][ply]; '
    'print("info depth 1 multipv 1 score cp 0 pv", move); print("bestmove", move, flush=True)'
)


@pytest.fixture
def engine(tmp_path):
    """Write an engine that plays the fool's mate, or does what it is told at `go`."""

    def write(name="Fool 1", go=PLAYS):
        script = tmp_path / "engine.py"
        script.write_text(ENGINE.format(name=name, go=go))
        command = tmp_path / "engine"
        command.write_text(f'#!/bin/sh\nexec python3 "{script}"\n')
        command.chmod(0o755)
        return str(command)

    return write


class TestRun:
    def test_games_are_written_with_how_they_were_made(self, tmp_path, engine):
        out = tmp_path / "games.parquet"
        games = play_games(out, 3, SHORT, engine=engine())
        assert [game.moves for game in games] == [("f2f3", "e7e5", "g2g4", "d8h4")] * 3
        assert read_games(out) == games
        provenance = read_provenance(out)
        assert provenance["engine"] == "Fool 1"
        assert provenance["settings"]["seed"] == 1
        assert provenance["games"] == 3
        assert not list(tmp_path.glob("*.parts"))

    def test_an_interrupted_run_goes_on_where_it_was(self, tmp_path, engine, monkeypatch):
        monkeypatch.setattr(selfplay, "PART_GAMES", 2)
        real, asked = selfplay._play_part, []

        def stops_at_the_third(span, *arguments):
            asked.append(span)
            if len(asked) == 3:
                raise KeyboardInterrupt
            return real(span, *arguments)

        monkeypatch.setattr(selfplay, "_play_part", stops_at_the_third)
        out = tmp_path / "games.parquet"
        with pytest.raises(KeyboardInterrupt):
            play_games(out, 7, SHORT, engine=engine())
        assert not out.exists()
        again = play_games(out, 7, SHORT, engine=engine())
        assert asked == [(0, 2), (2, 4), (4, 6), (4, 6), (6, 7)]
        assert [game.number for game in again] == list(range(7))

    def test_games_of_another_seed_or_engine_are_not_overwritten(self, tmp_path, engine):
        out = tmp_path / "games.parquet"
        play_games(out, 2, SHORT, engine=engine())
        with pytest.raises(RunMismatchError, match="settings seed: found 1, requested 2"):
            play_games(out, 2, SelfPlaySettings(seed=2, short_every=1), engine=engine())
        with pytest.raises(RunMismatchError, match="Fool 2"):
            play_games(out, 2, SHORT, engine=engine("Fool 2"))
        assert len(play_games(out, 1, SHORT, engine=engine("Fool 2"), restart=True)) == 1

    def test_an_engine_that_dies_is_an_error_with_the_game(self, tmp_path, engine):
        with pytest.raises(EngineError, match="game 0, attempt 1"):
            play_games(tmp_path / "games.parquet", 1, SHORT, engine=engine(go="sys.exit(3)"))

    def test_what_is_no_engine_is_refused(self, tmp_path):
        with pytest.raises(EngineError, match="'no-such-engine'"):
            play_games(tmp_path / "games.parquet", 1, SHORT, engine="no-such-engine")
        with pytest.raises(EngineError, match="expected a UCI engine"):
            play_games(tmp_path / "games.parquet", 1, SHORT, engine="true")

    @pytest.mark.parametrize(
        ("number", "settings", "jobs"),
        [
            (0, SHORT, 1),
            (1, SHORT, 0),
            (1, SelfPlaySettings(seed=-1), 1),
            (1, SelfPlaySettings(short_every=0), 1),
            (1, SelfPlaySettings(long_plies=161), 1),
        ],
    )
    def test_numbers_out_of_range_are_refused(self, tmp_path, number, settings, jobs):
        with pytest.raises(InvalidArgumentError, match="expected"):
            play_games(tmp_path / "games.parquet", number, settings, jobs=jobs)


def test_the_command_writes_the_games_and_says_what_they_are(tmp_path, engine):
    out = tmp_path / "games.parquet"
    options = ["--games", 2, "--seed", 4, "--short-every", 1, "--engine", engine(), "--jobs", 1]
    done = CliRunner().invoke(games_selfplay, [*map(str, options), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "| checkmate | 2 |" in done.output
    assert f"2 games written to {out}" in done.output
    assert read_provenance(out)["settings"]["seed"] == 4
    assert len(read_games(out)) == 2


@pytest.fixture
def stockfish():
    if STOCKFISH is None:
        if os.environ.get("WORKBENCH_REQUIRE_STOCKFISH") == "1":
            pytest.fail("WORKBENCH_REQUIRE_STOCKFISH is 1, and no stockfish was found")
        pytest.skip("no stockfish was found (Debian: apt install stockfish)")
    return STOCKFISH


@pytest.mark.slow
def test_stockfish_plays_the_bundled_games_again(tmp_path, stockfish):
    bundled = bundled_games_path()
    made = read_provenance(bundled)
    here = selfplay.engine_name(stockfish)
    if here != made["engine"]:
        # Another version plays other games: only the same one can be held to them.
        pytest.skip(f"the bundled games were played by {made['engine']}, here is {here}")
    settings = SelfPlaySettings(**made["settings"])
    again = play_games(tmp_path / "games.parquet", 3, settings, engine=stockfish)
    assert again == read_games(bundled)[:3]


@pytest.mark.slow
def test_a_game_depends_on_the_seed_and_its_number_alone(tmp_path, stockfish, monkeypatch):
    settings = SelfPlaySettings(seed=5, short_every=1)
    monkeypatch.setattr(selfplay, "PART_GAMES", 1)
    in_two = play_games(tmp_path / "two.parquet", 3, settings, engine=stockfish, jobs=2)
    monkeypatch.setattr(selfplay, "PART_GAMES", 50)
    in_one = play_games(tmp_path / "one.parquet", 3, settings, engine=stockfish)
    alone = selfplay._play_part(
        (2, 3), stockfish, read_provenance(tmp_path / "one.parquet")["engine"], settings
    )
    assert in_one == in_two
    assert alone == in_one[2:]
    assert isinstance(alone[0], PlayedGame)
    assert len({game.moves for game in in_one}) == 3
    other = play_games(
        tmp_path / "other.parquet", 1, SelfPlaySettings(seed=6, short_every=1), engine=stockfish
    )
    assert other[0].moves != in_one[0].moves
