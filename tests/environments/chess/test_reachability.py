"""Necessary conditions of reachability: never violated in a game, and violated where they should be."""

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.environments.chess.reachability import (
    Condition,
    violated_conditions,
)
from workbench.games.game_tables import bundled_games


def violated(fen):
    return {str(condition) for condition in violated_conditions(chess.Board(fen))}


def test_the_first_position_violates_nothing():
    assert violated_conditions(chess.Board()) == ()


# Each pair is one board on either side of a condition's edge.
BY_HAND = [
    # No white king; two black kings.
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1", {"white_kings"}),
    ("4k2k/8/8/8/8/8/8/4K3 b - - 0 1", {"black_kings"}),
    # A promoted king.
    ("4k3/8/8/8/8/8/8/4K~3 w - - 0 1", {"white_kings"}),
    # Nine pawns need a ninth first file, and two queens beside eight pawns a ninth pawn.
    ("4k3/8/8/8/8/4P3/PPPPPPPP/4K3 w - - 0 1", {"white_pawns"}),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKQNR w KQkq - 0 1", {"white_promotions"}),
    ("rnbqkqnr/1ppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR w KQkq - 0 1", set()),
    ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", {"pawns_on_back_rank"}),
    # Two bishops on light squares, all pawns there; with one pawn gone it can be a promoted one.
    ("4k3/8/8/8/8/PPPPPPPP/8/3BKB2 w - - 0 1", {"white_promotions"}),
    ("4k3/8/8/8/8/1PPPPPPP/8/3BKB2 w - - 0 1", set()),
    # Two bishops on squares of different shades are those of the start.
    ("4k3/8/8/8/8/PPPPPPPP/8/2B1KB2 w - - 0 1", set()),
    # The bishop of c1 is shut in by b2 and d2, so that the one on g5 was promoted.
    ("4k3/8/8/6B1/8/8/PPPPPPPP/4K3 w - - 0 1", {"white_shut_in_bishops"}),
    ("4k3/8/8/6B1/8/8/1PPPPPPP/4K3 w - - 0 1", set()),
    ("4k3/8/8/6B1/3P4/8/PPP1PPPP/4K3 w - - 0 1", set()),
    # A shut-in bishop may have been taken where it stood.
    ("4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", set()),
    ("4k3/pppppppp/8/8/2b5/8/8/4K3 b - - 0 1", {"black_shut_in_bishops"}),
    # A doubled pawn needs a capture: black has all pieces, or lacks a knight.
    (
        "rnbqkbnr/pppppppp/8/8/8/2P5/P1PPPPPP/RNBQKBNR w KQkq - 0 1",
        {"white_pawn_captures"},
    ),
    ("r1bqkbnr/pppppppp/8/8/8/2P5/P1PPPPPP/RNBQKBNR w KQkq - 0 1", set()),
    ("rnbqkbnr/ppp1pppp/3p4/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", set()),
    (
        "rnbqkbnr/p1pppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        {"black_pawn_captures"},
    ),
    # Pawns on a3 and a4: one came from b2. Black lacks the bishop of c8 alone, and b7 and d7 shut it
    # in: it was taken on c8, and not by a pawn. With d6 for d7 it may have been taken elsewhere.
    (
        "rn1qkbnr/pppppppp/8/8/P7/P7/2PPPPPP/RNBQKBNR w KQkq - 0 1",
        {"white_pawn_captures"},
    ),
    ("rn1qkbnr/ppp1pppp/3p4/8/P7/P7/2PPPPPP/RNBQKBNR w KQkq - 0 1", set()),
    # Three pawns on a2, b2 and a3: the third has no first file within one rank of it.
    ("4k3/8/8/8/8/P7/PP6/4K3 w - - 0 1", {"white_pawn_captures"}),
    ("4k3/8/8/8/P7/8/PP6/4K3 w - - 0 1", set()),
    # Four pawns on the a-file came from a, b, c and d: 0 + 1 + 2 + 3 captures.
    ("1nbqkbnr/8/8/P7/P7/P7/P7/4K3 b k - 0 1", set()),
    ("1nbqkbnr/3ppp2/8/P7/P7/P7/P7/4K3 b k - 0 1", set()),
    ("1nbqkbnr/3pppp1/8/P7/P7/P7/P7/4K3 b k - 0 1", {"white_pawn_captures"}),
    # The pawn on e4 came from c2 past d2, which has not moved: two captures.
    ("1nbqkb1r/pppppppp/8/8/4P3/8/PP1PPPPP/RNBQKBNR w KQk - 0 1", set()),
    ("1nbqkbnr/pppppppp/8/8/4P3/8/PP1PPPPP/RNBQKBNR w KQk - 0 1", {"white_pawn_captures"}),
    # All black pawns stand unmoved: no white pawn can have passed them.
    ("4k3/pppppppp/8/8/8/8/1PPPPPPP/QQ2K3 w - - 0 1", {"white_pawn_captures"}),
    ("4k3/1ppppppp/p7/8/8/8/1PPPPPPP/QQ2K3 w - - 0 1", set()),
    # The h-pawn promoted, and b7 was the only gap: six captures. Black lacks seven pieces, but its
    # bishop of f8 was taken there, by no pawn; with a knight more there are too few. With that
    # bishop instead of the knight, the six are all that Black lacks.
    ("4k3/p1pppppp/1p6/8/8/8/PPPPPPP1/RNBQKBNQ w Q - 0 1", set()),
    ("4k1n1/p1pppppp/1p6/8/8/8/PPPPPPP1/RNBQKBNQ w Q - 0 1", {"white_pawn_captures"}),
    ("4kb2/p1pppppp/1p6/8/8/8/PPPPPPP1/RNBQKBNQ w Q - 0 1", set()),
    # The side not to move is in check.
    ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", {"opponent_in_check"}),
    ("4k3/4R3/8/8/8/8/8/4K3 b - - 0 1", set()),
    # The right to castle with a rook on h2, and with one on h1.
    ("4k3/8/8/8/8/8/7R/4K3 w K - 0 1", {"castling_rights"}),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", set()),
    # En passant: on White's own rank, without the pawn, behind a pawn that has not come from e7.
    ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", {"en_passant"}),
    ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", set()),
    ("4k3/8/8/8/8/8/8/4K3 b - e3 0 1", {"en_passant"}),
    ("4k3/4r3/8/4p3/8/8/8/4K3 w - e6 0 1", {"en_passant"}),
    ("4k3/8/4r3/4p3/8/8/8/4K3 w - e6 0 1", {"en_passant"}),
    ("4k3/8/8/8/8/8/8/4K3 w - a1 0 1", {"en_passant"}),
    # Three checkers; two knights; a rook and a knight; two rooks with the king between them.
    ("4k3/2N5/8/8/B7/8/8/4RK2 b - - 0 1", {"too_many_checkers"}),
    ("4k3/2N3N1/8/8/8/8/8/4K3 b - - 0 1", {"impossible_check"}),
    ("4k3/2N5/8/8/8/8/8/4RK2 b - - 0 1", set()),
    ("8/8/8/R2k3R/8/8/8/4K3 b - - 0 1", {"impossible_check"}),
    # A pawn and a bishop check, which is possible unless the pawn has just come from e2.
    ("8/8/8/3k4/4P3/1B6/8/4K3 b - - 0 1", set()),
    ("8/8/8/3k4/4P3/1B6/8/4K3 b - e3 0 1", {"impossible_check"}),
    # After e2-e4 a knight checks, or a rook on a line that was open before; on d1 it is opened.
    ("8/8/8/3k4/4P3/2N5/8/4K3 b - e3 0 1", {"impossible_check"}),
    ("8/8/8/8/k3P2R/8/8/4K3 b - e3 0 1", set()),
    ("8/8/8/8/k3P3/1B6/8/4K3 b - e3 0 1", {"impossible_check"}),
    ("8/8/8/8/4P3/8/k6R/4K3 b - e3 0 1", set()),
]


@pytest.mark.parametrize(("fen", "expected"), BY_HAND)
def test_boards_worked_by_hand(fen, expected):
    assert violated(fen) == expected


@pytest.mark.parametrize(("fen", "expected"), BY_HAND)
def test_the_colours_are_treated_alike(fen, expected):
    mirrored = {
        condition[:5].replace("white", "BLACK").replace("black", "WHITE").lower() + condition[5:]
        for condition in expected
    }
    assert {str(c) for c in violated_conditions(chess.Board(fen).mirror())} == mirrored


def test_all_of_several_violations_are_named_in_the_order_of_the_conditions():
    found = violated_conditions(chess.Board("4k3/8/8/8/8/8/8/P6P w K e4 0 1"))
    assert found == (
        Condition.WHITE_KINGS,
        Condition.PAWNS_ON_BACK_RANK,
        Condition.CASTLING_RIGHTS,
        Condition.EN_PASSANT,
    )


def biased_move(board, moves, chance, style):
    """Draw a move: any, or one that stretches the budgets of promotions or of pawn captures."""
    if style == "promotions":
        favoured = [m for m in moves if m.promotion] or [
            m for m in moves if board.piece_type_at(m.from_square) == chess.PAWN
        ]
    elif style == "pawn captures":
        favoured = [
            m
            for m in moves
            if board.is_capture(m) and board.piece_type_at(m.from_square) == chess.PAWN
        ] or [m for m in moves if not board.is_capture(m)]
    elif style == "checks":
        favoured = [m for m in moves if board.gives_check(m)]
    else:
        favoured = []
    return chance.choice(favoured if favoured and chance.random() < 0.8 else moves)


def random_boards(seed, style, plies):
    """Yield one board, in place, after each of the moves of a random legal game."""
    chance = random.Random(seed)
    board = chess.Board()
    for _ in range(plies):
        moves = list(board.generate_legal_moves())
        if not moves:
            return
        board.push(biased_move(board, moves, chance, style))
        yield board


@pytest.mark.parametrize(
    ("style", "games", "plies"),
    [("any", 12, 200), ("promotions", 30, 300), ("pawn captures", 30, 150), ("checks", 15, 150)],
)
def test_no_position_of_a_legal_game_violates_anything(style, games, plies):
    looked_at = promoted = pawn_takes = 0
    for seed in range(games):
        for board in random_boards(seed, style, plies):
            assert violated_conditions(board) == (), board.fen()
            looked_at += 1
            move = board.peek()
            promoted += move.promotion is not None
            pawn_takes += board.piece_type_at(move.to_square) == chess.PAWN and chess.square_file(
                move.from_square
            ) != chess.square_file(move.to_square)
    assert looked_at > 1000
    if style == "promotions":
        assert promoted > 3 * games
    if style == "pawn captures":
        assert pawn_takes > 3 * games


@given(seed=st.integers(0, 2**32), style=st.sampled_from(["any", "promotions", "pawn captures"]))
def test_the_written_fen_of_a_reached_position_violates_nothing(seed, style):
    boards = list(random_boards(seed, style, 60))
    for mode in ("legal", "fen"):
        assert violated_conditions(chess.Board(boards[-1].fen(en_passant=mode))) == ()


def test_no_position_of_a_played_game_violates_anything():
    looked_at = 0
    for game in bundled_games()[:50]:
        board = chess.Board()
        for name in game.moves:
            board.push(chess.Move.from_uci(name))
            assert violated_conditions(board) == (), board.fen()
            looked_at += 1
    assert looked_at > 5000


IMPLIED = {
    chess.STATUS_NO_WHITE_KING: {"white_kings"},
    chess.STATUS_NO_BLACK_KING: {"black_kings"},
    chess.STATUS_TOO_MANY_KINGS: {"white_kings", "black_kings"},
    chess.STATUS_TOO_MANY_WHITE_PAWNS: {"white_pawns"},
    chess.STATUS_TOO_MANY_BLACK_PAWNS: {"black_pawns"},
    chess.STATUS_PAWNS_ON_BACKRANK: {"pawns_on_back_rank"},
    chess.STATUS_TOO_MANY_WHITE_PIECES: {"white_pieces"},
    chess.STATUS_TOO_MANY_BLACK_PIECES: {"black_pieces"},
    chess.STATUS_BAD_CASTLING_RIGHTS: {"castling_rights"},
    chess.STATUS_INVALID_EP_SQUARE: {"en_passant"},
    chess.STATUS_OPPOSITE_CHECK: {"opponent_in_check"},
    chess.STATUS_EMPTY: {"white_kings"},
    chess.STATUS_TOO_MANY_CHECKERS: {"too_many_checkers"},
    # With several kings python-chess looks at all of them for this one.
    chess.STATUS_IMPOSSIBLE_CHECK: {
        "impossible_check",
        "too_many_checkers",
        "white_kings",
        "black_kings",
    },
}


def scrambled_board(chance):
    """Return a board of a game with some squares overwritten and its other fields redrawn."""
    *_, board = random_boards(chance.random(), "any", chance.randrange(1, 80))
    for _ in range(chance.choice([0, 1, 2, 4, 8, 64])):
        piece = chess.Piece(chance.randrange(1, 7), chance.random() < 0.5)
        board.set_piece_at(chance.randrange(64), chance.choice([piece, piece, None]))
    board.turn = chance.random() < 0.5
    board.ep_square = chance.choice([None, chance.randrange(64), chance.randrange(16, 48)])
    if chance.random() < 0.5:
        board.set_castling_fen("".join(r for r in "KQkq" if chance.random() < 0.5))
    return board


@pytest.mark.slow
def test_each_flag_of_python_chess_implies_a_violated_condition():
    seen = chess.Status(0)
    valid_and_violated = 0
    # The rarest flag is met in one board of 30, a violation of a valid board in one of 80.
    for seed in range(1500):
        board = scrambled_board(random.Random(seed))
        names = {str(condition) for condition in violated_conditions(board)}
        status = board.status()
        seen |= status
        for flag in chess.Status:
            if status & flag:
                assert names & IMPLIED[flag], (board.fen(), flag)
        valid_and_violated += board.is_valid() and bool(names)
    board = chess.Board(None)
    assert board.status() & chess.STATUS_EMPTY
    assert violated_conditions(board) == (Condition.WHITE_KINGS, Condition.BLACK_KINGS)
    unseen = chess.STATUS_EMPTY | chess.STATUS_RACE_CHECK | chess.STATUS_RACE_OVER
    unseen |= chess.STATUS_RACE_MATERIAL
    assert [flag for flag in chess.Status if not flag & (seen | unseen)] == []
    # The conditions go beyond python-chess's.
    assert valid_and_violated > 10
