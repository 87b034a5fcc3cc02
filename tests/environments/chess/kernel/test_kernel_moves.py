import chess
import fuzz
import pytest
from kernel_boards import boards

from workbench.environments.chess import ChessState
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.errors import UnsupportedBoardError

# Counted by many programs and published on the Chess Programming Wiki, "Perft Results".
PERFT = [
    (chess.STARTING_FEN, 5, 4_865_609),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
]

# What python-chess 1.11.2 does on boards that cannot arise, worked out by hand from its rules:
# a FEN, and moves that are legal (+) or not (-).
ODDITIES = {
    "no king: everything pseudo-legal": ("8/8/8/8/4r3/8/4R3/8 w - - 0 1", "+e2a2 +e2e4 -e2e5"),
    "two kings: the higher one must be safe": ("8/8/8/r2K4/8/8/r2K4/8 w - - 0 1", "-d2d3 +d5d6"),
    "two kings: the lower one may step into check": ("8/8/7K/8/8/r7/3K4/8 w - - 0 1", "+d2d3"),
    "castling by the lowest king, which takes its rook": (
        "8/8/8/8/8/8/8/R2KK3 w Q - 0 1",
        "+d1a1 -e1c1 -d1b1",
    ),
    "castling while a king elsewhere is safe": ("7K/8/8/8/8/8/8/4K2R w K - 0 1", "+e1g1 +h1g1"),
    "a right to castle without its rook": ("8/8/8/8/8/8/8/4K3 w KQ - 0 1", "-e1g1 -e1c1 +e1f1"),
    "a double step from the first rank": ("k7/8/8/8/8/8/8/K3P3 w - - 0 1", "+e1e3 +e1e2"),
    "a white pawn on the last rank stands still": ("k3P3/8/8/8/8/8/8/K7 w - - 0 1", "-e8e7"),
    "en passant takes a knight": ("k7/8/8/3nP3/8/8/8/K7 w - d6 0 1", "+e5d6"),
    "en passant takes nothing": ("k7/8/8/4P3/8/8/8/K7 w - d6 0 1", "+e5d6"),
    "en passant onto an occupied square": ("k7/8/3N4/3pP3/8/8/8/K7 w - d6 0 1", "-e5d6"),
    "en passant on a wrong rank": ("k7/8/8/8/3pP3/8/8/K7 w - d5 0 1", "-e4d5"),
    "en passant would bare the king along the rank": ("k7/8/8/K2pP2r/8/8/8/8 w - d6 0 1", "-e5d6"),
    "en passant would bare the king along another rank: not asked": (
        "k7/8/8/3pP3/8/8/8/K6r w - d6 0 1",
        "-e5d6 -e5e6",
    ),
    "in check no other king moves": ("8/8/7K/8/8/3K4/8/7r w - - 0 1", "-d3d4 +h6g6 -h6h7"),
    "beside the other king, which may be taken": (
        "8/8/8/8/8/4k3/4K3/8 w - - 0 1",
        "-e2d2 +e2e3 +e2d1 +e2e1",
    ),
}


@pytest.mark.parametrize(("fen", "depth", "lines"), PERFT)
def test_published_line_counts(fen, depth, lines):
    assert kernel.line_count(ChessState.from_fen(fen), depth) == lines


@pytest.mark.parametrize("name", ODDITIES)
def test_boards_that_cannot_arise_follow_python_chess(name):
    fen, moves = ODDITIES[name]
    legal = {move.uci() for move in kernel.legal_moves(ChessState.from_fen(fen))}
    for entry in moves.split():
        assert (entry[1:] in legal) == (entry[0] == "+"), entry
    assert legal == {move.uci() for move in chess.Board(fen).generate_legal_moves()}


def test_en_passant_removes_whatever_stands_there():
    fen = "k7/8/8/3QP3/8/8/8/K7 w - d6 0 1"
    board = chess.Board(fen)
    board.push_uci("e5d6")
    assert board.queens == 0
    assert fuzz.successors_problem(fen) == ""


@pytest.mark.slow
@pytest.mark.parametrize("check", fuzz.CHECKS)
def test_python_chess_agrees_on_random_boards(check):
    wrong = {fen: problem for fen in boards(2_000, seed=20) if (problem := check(fen))}
    assert not wrong


def test_all_comparisons_run_and_agree():
    done, mismatches = fuzz.run(200, seed=21)
    assert done["boards"] == done["pairs"] == 200
    assert done["moves and successors"] > 2_000
    assert not mismatches


def test_the_comparison_notices_a_wrong_move_list(monkeypatch):
    right = kernel.legal_moves
    monkeypatch.setattr(kernel, "legal_moves", lambda state: right(state)[1:])
    assert "missing" in fuzz.moves_problem(chess.STARTING_FEN)
    small = fuzz.shrunk(chess.STARTING_FEN, fuzz.moves_problem)
    assert chess.popcount(chess.Board(small).occupied) == 1


def test_a_pawn_and_a_queen_share_no_promotion():
    fens = [
        ("8/4P3/4P3/8/8/8/8/8 w - - 0 1", "8/4Q3/8/4Q3/8/8/8/8 w - - 0 1"),
        ("8/8/8/8/8/8/4P3/8 w - - 0 1", "8/8/8/8/8/8/4R3/8 w - - 0 1"),
    ]
    true, predicted = (kernel.pack_fens(side) for side in zip(*fens, strict=True))
    # Of e2 the pawn has the moves e3 and e4, which the rook has too.
    assert kernel.joint_profiles(true, predicted, 1).recall.ravel().tolist() == [0, 1]


def test_a_promoted_king_is_refused():
    state = ChessState.from_fen("k7/8/8/8/8/8/8/K~6R w - - 0 1")
    with pytest.raises(UnsupportedBoardError, match=r"promoted king.*K~"):
        kernel.legal_moves(state)
