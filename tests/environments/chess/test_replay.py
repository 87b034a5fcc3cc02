"""Lines of given moves: read, played and written."""

import chess
import pytest

from workbench.environments.chess.replay import numbered_san, play_moves, read_moves, uci_moves
from workbench.errors import IllegalMoveError

# Morphy against the Duke of Brunswick and Count Isouard, Paris 1858.
UCI = (
    "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 "
    "c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8"
).split()
MOVETEXT = (
    "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 "
    "9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 "
    "15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8#"
)
SAN = [word for word in MOVETEXT.split() if not word.endswith(".")]
LAST_FEN = "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17"


@pytest.mark.parametrize(("line", "notation"), [(UCI, "UCI"), (SAN, "SAN")])
def test_a_game_is_played_from_either_notation(line, notation):
    board = play_moves(line, notation)
    assert board.fen() == LAST_FEN
    assert uci_moves(board) == tuple(UCI)


def test_a_game_is_written_as_in_pgn():
    board = chess.Board()
    assert " ".join(numbered_san(read_moves(UCI), board)) == MOVETEXT
    assert board.fen() == LAST_FEN


def test_a_line_that_black_begins_is_numbered_from_its_board():
    board = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 7")
    assert numbered_san(read_moves(["e7e5", "g1f3"]), board) == ["7... e5", "8. Nf3"]


def test_castling_in_another_spelling_is_the_generated_move():
    board = play_moves(["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "e1h1"])
    assert uci_moves(board)[-1] == "e1g1"


@pytest.mark.parametrize(
    ("line", "notation", "said"),
    [
        (["e2e4", "e2e4"], "UCI", "expected a legal move in UCI, got 'e2e4' (illegal uci), FEN "),
        (["e2e4", "0000"], "UCI", "expected a legal move in UCI, got '0000' (null move), FEN "),
        (["e2e4", "Nf6"], "UCI", "expected a legal move in UCI, got 'Nf6' (expected uci string "),
        (["e4", "e4"], "SAN", "expected a legal move in SAN, got 'e4' (illegal san), FEN "),
        (["e4", "--"], "SAN", "expected a legal move in SAN, got '--' (null move), FEN "),
        (["e4", "x" * 99], "SAN", f"expected a legal move in SAN, got '{'x' * 39} (invalid san)"),
    ],
)
def test_a_move_that_cannot_be_played_is_named(line, notation, said):
    with pytest.raises(IllegalMoveError) as caught:
        play_moves(line, notation, "game 'g'")
    message = str(caught.value)
    assert message.startswith(f"game 'g', ply 2: {said}")
    assert message.endswith("'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'")


@pytest.mark.parametrize("text", ["Nf3", "e2", "0000", "e2e4x", "P@e4"])
def test_what_is_no_move_between_squares_is_named(text):
    with pytest.raises(IllegalMoveError, match=f"^ply 2: expected a UCI move, got '{text}'$"):
        read_moves(["e2e5", text])
