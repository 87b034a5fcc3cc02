"""The simulated tracker: exact without slips, hand-worked with each of them."""

import random
from pathlib import Path

import chess
import numpy as np
import pandas as pd
import pytest

from workbench.answers.model_replies import simulate
from workbench.environments.chess.classification import classify, classify_fen
from workbench.environments.chess.replay import SlipKind
from workbench.environments.chess.tracker import _Tracker, track
from workbench.errors import IllegalMoveError, InvalidArgumentError, TableError
from workbench.prediction import ReplyClass
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, read_table, write_table


def random_games(count: int, plies: int, seed: int) -> pd.DataFrame:
    """Positions after random legal moves, in which castling, promotion and en passant occur."""
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        board = chess.Board()
        for _ in range(chance.randrange(plies)):
            moves = list(board.legal_moves)
            if not moves:
                break
            rare = [
                m for m in moves if board.is_castling(m) or m.promotion or board.is_en_passant(m)
            ]
            board.push(chance.choice(rare or moves))
            if board.has_legal_en_passant() and chance.random() < 0.2:
                break
        rows.append(
            {
                "position_id": f"p{number}",
                "environment": "chess",
                "game_id": f"g{number}",
                "source": "random",
                "group": 10,
                "ply": board.ply(),
                "game_plies": board.ply(),
                "initial_state": "",
                "movetext": "",
                "moves": " ".join(move.uci() for move in board.move_stack),
                "true_state": board.fen(),
            }
        )
    return pd.DataFrame(rows, columns=POSITIONS.names)


@pytest.fixture(scope="module")
def positions() -> pd.DataFrame:
    return random_games(250, 160, seed=3)


@pytest.mark.slow
def test_without_slips_the_reply_is_the_true_state(positions: pd.DataFrame) -> None:
    assert any(chess.Board(fen).has_legal_en_passant() for fen in positions["true_state"])
    assert any("q" in move[4:] for moves in positions["moves"] for move in moves.split())
    assert any("e1c1" in moves or "e8g8" in moves for moves in positions["moves"])
    found = simulate(positions, rate=0, seed=1)
    assert found["reply"].tolist() == positions["true_state"].tolist()
    assert set(found["reply_class"]) == {"valid"}


def mistaken(moves: str, ply: int, kind: SlipKind) -> str:
    """The FEN after moves of which the one at ``ply`` slips."""
    tracker = _Tracker()
    names = moves.split()
    for number, name in enumerate(names, start=1):
        move = chess.Move.from_uci(name)
        if number == ply:
            assert kind in tracker.possible(move, last=number == len(names))
        tracker.play(move, kind if number == ply else None)
    return tracker.fen()


@pytest.mark.parametrize(
    ("moves", "ply", "kind", "fen"),
    [
        # The pawn stays on e2; a later move from e4 moves nothing.
        ("e2e4", 1, SlipKind.PIECE_LEFT_BEHIND, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1"),
        ("e2e4 a7a6 e4e5", 1, SlipKind.PIECE_LEFT_BEHIND, "rnbqkbnr/1ppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 2"),
        # It lands on d4, the free square to the left; on b4 for the a-pawn.
        ("e2e4", 1, SlipKind.PIECE_OFF_BY_ONE, "rnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        ("a2a4", 1, SlipKind.PIECE_OFF_BY_ONE, "rnbqkbnr/pppppppp/8/8/1P6/8/1PPPPPPP/RNBQKBNR b KQkq - 0 1"),
        # The taken pawn stays on d5, the taker goes to c5; off by one, d5 is emptied.
        ("e2e4 d7d5 e4d5", 3, SlipKind.CAPTURED_PIECE_STAYS, "rnbqkbnr/ppp1pppp/8/2Pp4/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2"),
        ("e2e4 d7d5 e4d5", 3, SlipKind.PIECE_OFF_BY_ONE, "rnbqkbnr/ppp1pppp/8/2P5/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2"),
        # En passant: the capturer lands, the pawn on d5 stays.
        ("e2e4 a7a6 e4e5 d7d5 e5d6", 5, SlipKind.CAPTURED_PIECE_STAYS, "rnbqkbnr/1pp1pppp/p2P4/3p4/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3"),
        ("e2e4", 1, SlipKind.SIDE_FORGOTTEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1"),
        ("e2e4 e7e5", 2, SlipKind.CASTLING_FORGOTTEN, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQ - 0 2"),
        # Castling forgotten on the way: later the king still castles on the board.
        ("e2e4 e7e5 f1e2 f8e7 g1f3 g8f6 e1g1", 1, SlipKind.CASTLING_FORGOTTEN, "rnbqk2r/ppppbppp/5n2/4p3/4P3/5N2/PPPPBPPP/RNBQ1RK1 b kq - 5 4"),
        # Beside the rook's corner: the rook is taken, and its castling right goes with it.
        ("b2b3 g7g6 c1b2 g8h6 b2h8", 5, SlipKind.PIECE_OFF_BY_ONE, "rnbqkbB1/pppppp1p/6pn/8/8/1P6/P1PPPPPP/RN1QKBNR b KQq - 0 3"),
        # A forgotten king's move keeps the rights.
        ("e2e4 e7e5 e1e2", 3, SlipKind.PIECE_LEFT_BEHIND, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2"),
    ],
)  # fmt: skip
def test_each_slip_does_what_it_says(moves: str, ply: int, kind: SlipKind, fen: str) -> None:
    assert mistaken(moves, ply, kind) == fen


def test_castling_long_off_by_one_keeps_the_king() -> None:
    moves = "d2d4 d7d5 c1f4 c8f5 b1c3 b8c6 d1d2 d8d7 e1c1"
    assert mistaken(moves, 9, SlipKind.PIECE_OFF_BY_ONE).startswith(
        "r3kbnr/pppqpppp/2n5/3p1b2/3P1B2/2N5/PPPQPPPP/1K1R1BNR b kq -"
    )


@pytest.mark.parametrize("kind", list(SlipKind))
def test_impossible_slips_are_not_drawn(kind: SlipKind) -> None:
    tracker = _Tracker()
    first = tracker.possible(chess.Move.from_uci("g1f3"), last=False)
    assert (kind in first) == (kind not in (SlipKind.CAPTURED_PIECE_STAYS, SlipKind.SIDE_FORGOTTEN))
    # Castling short: the king has no free square beside g1, and the rights are lost anyway.
    for name in "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7".split():
        tracker.play(chess.Move.from_uci(name), None)
    castling = tracker.possible(chess.Move.from_uci("e1g1"), last=False)
    assert castling == [SlipKind.PIECE_LEFT_BEHIND]


def test_replies_do_not_depend_on_the_other_rows(positions: pd.DataFrame) -> None:
    every = simulate(positions, rate=0.1, seed=5).set_index("position_id")
    some = simulate(positions.iloc[::-3], rate=0.1, seed=5).set_index("position_id")
    assert some["reply"].tolist() == every.loc[some.index, "reply"].tolist()
    assert simulate(positions, rate=0.1, seed=6)["reply"].tolist() != every["reply"].tolist()


def test_slips_come_at_the_rate_asked_for(positions: pd.DataFrame) -> None:
    plies = int(positions["ply"].sum())
    slips = [
        track(moves, position_id=name, rate=0.1, seed=9).slips
        for name, moves in zip(positions["position_id"], positions["moves"], strict=True)
    ]
    count = sum(map(len, slips))
    # Binomial: within five standard deviations.
    assert abs(count - 0.1 * plies) < 5 * np.sqrt(0.09 * plies)
    assert {slip.kind for of_position in slips for slip in of_position} == set(SlipKind)
    always = track("e2e4 e7e5 g1f3", position_id="x", rate=1, seed=0).slips
    assert [(slip.ply, slip.move) for slip in always] == [(1, "e2e4"), (2, "e7e5"), (3, "g1f3")]


@pytest.mark.parametrize("rate", [0.02, 0.3, 1.0])
def test_replies_are_fens_that_parse_and_classify(positions: pd.DataFrame, rate: float) -> None:
    found = simulate(positions, rate=rate, seed=2)
    assert set(found["reply_class"]) <= {"valid", "ill_formed"}
    assert (found["reply_class"] == "ill_formed").any()
    assert (found["reply"] == found["predicted_state"]).all()
    for reply in found["reply"]:
        assert len(reply.split()) == 6
        assert classify(reply) == classify_fen(reply)


def test_the_table_fits_its_schema(positions: pd.DataFrame, tmp_path: Path) -> None:
    found = simulate(positions.assign(moves=None).head(2), rate=0.5, seed=1)
    assert found["reply_class"].tolist() == [ReplyClass.ABSENT] * 2
    assert set(found["reason"]) == {"no moves to replay"}
    both = pd.concat([found, simulate(positions.tail(3), rate=0.5, seed=1)])
    assert set(both["model"]) == {"simulated-tracker rate=0.5"}
    write_table(both, tmp_path / "out.parquet", PREDICTIONS)
    assert len(read_table(tmp_path / "out.parquet", PREDICTIONS)) == 5
    assert simulate(positions.head(0), rate=0.5, seed=1).columns.tolist() == PREDICTIONS.names


@pytest.mark.parametrize("rate", [-0.01, 1.01, float("nan"), float("inf")])
def test_rates_that_are_no_probability_are_refused(positions: pd.DataFrame, rate: float) -> None:
    with pytest.raises(InvalidArgumentError, match=r"rate: expected a number in \[0, 1\]"):
        simulate(positions, rate=rate, seed=1)
    with pytest.raises(InvalidArgumentError, match="rate"):
        track("e2e4", position_id="x", rate=rate, seed=1)


def test_other_arguments_are_checked(positions: pd.DataFrame) -> None:
    with pytest.raises(InvalidArgumentError, match="seed"):
        simulate(positions, rate=0, seed=-1)
    with pytest.raises(InvalidArgumentError, match="begins with 'simulated', got 'gpt'"):
        simulate(positions, rate=0, seed=1, model_name="gpt")
    assert set(simulate(positions, rate=0, seed=1, model_name="simulated x")["model"]) == {
        "simulated x"
    }
    with pytest.raises(TableError, match="missing: \\['moves'\\]"):
        simulate(positions.drop(columns="moves"), rate=0, seed=1)
    with pytest.raises(TableError, match="'p0' again"):
        simulate(pd.concat([positions.head(1)] * 2), rate=0, seed=1)
    with pytest.raises(
        IllegalMoveError, match="position 'p0', ply 1: expected a UCI move, got 'Nf3'"
    ):
        simulate(positions.head(1).assign(moves="Nf3"), rate=0, seed=1)
