"""Where tracking was lost: worked by hand, against plain rules, and on the tracker's slips."""

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.environments.chess.replay import NO_SQUARE, SlipKind, carry_out, pieces_of
from workbench.environments.chess.state import Fen
from workbench.environments.chess.tracker import LossKind, LostTrack, _replays, lost_track, track
from workbench.errors import IllegalMoveError
from workbench.games import random_games

LEFT_OUT, NOT_REMOVED = LossKind.MOVE_LEFT_OUT, LossKind.CAPTURE_NOT_REMOVED
SCOTCH = "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4"


def board_after(moves):
    board = chess.Board()
    for name in moves.split():
        board.push(chess.Move.from_uci(name))
    return board


def altered(moves, changes):
    """Return the true placement with squares overwritten; None empties one."""
    board = board_after(moves)
    for square, symbol in changes.items():
        piece = chess.Piece.from_symbol(symbol) if symbol else None
        board.set_piece_at(chess.parse_square(square), piece)
    return board.board_fen()


BY_HAND = [
    # 2... Nc6 left out.
    (SCOTCH, {"c6": None, "b8": "n"}, LostTrack(4, LEFT_OUT, 0, 2)),
    # 4. Nxd4 takes the pawn, which stays; the knight goes to c4, left of it.
    (SCOTCH, {"c4": "N", "d4": "p"}, LostTrack(7, NOT_REMOVED, 0, 2)),
    # 3. d4 left out: 3... exd4 and 4. Nxd4 go on, the pawn stays on d2.
    (SCOTCH, {"d2": "P"}, LostTrack(5, LEFT_OUT, 0, 1)),
    # 2. Nf3 left out: 4. Nxd4 finds no knight on f3, so that Black's pawn stays on d4.
    (SCOTCH, {"g1": "N", "d4": "p"}, LostTrack(3, LEFT_OUT, 0, 2)),
    # The last move left out, and a pawn more: one square remains.
    (SCOTCH, {"f3": "N", "d4": "p", "h5": "P"}, LostTrack(7, LEFT_OUT, 1, 3)),
    # Right, and wrong by no single mistake in a move.
    (SCOTCH, {}, LostTrack(None, None, None, 0)),
    (SCOTCH, {"h5": "P"}, LostTrack(None, None, None, 1)),
    # Castling left out: the king and the rook stay.
    (
        "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8",
        {"g1": None, "f1": None, "e1": "K", "h1": "R"},
        LostTrack(7, LEFT_OUT, 0, 4),
    ),
    # The king's journey to e2 and back left out by half changes where the rest finds it: with
    # 2. Ke2 left out, 3. Ke1 finds no king on e2, and the board is the true one. That is not nearer.
    ("e2e4 e7e5 e1e2 e8e7 e2e1 e7e8", {}, LostTrack(None, None, None, 0)),
    # En passant: the taken pawn stays, the taker goes where it should.
    ("e2e4 a7a6 e4e5 d7d5 e5d6", {"d5": "p"}, LostTrack(5, NOT_REMOVED, 0, 1)),
    # 2... d5 left out: the pawn stands on d7, and d6 is no en-passant square for it.
    ("e2e4 a7a6 e4e5 d7d5 e5d6", {"d7": "p"}, LostTrack(4, LEFT_OUT, 0, 1)),
    # 3... Bb4 left out: the bishop stays on d6, where 5. exd6 takes it and no pawn.
    (
        "e2e4 e7e6 e4e5 f8d6 g1f3 d6b4 f3g1 d7d5 e5d6",
        {"b4": None, "d5": "p"},
        LostTrack(6, LEFT_OUT, 0, 2),
    ),
    # A capture by promotion beside: b7xa8 leaves the rook on a8; b8 is not free, so nothing moves.
    (
        "b2b4 a7a5 b4a5 b7b6 a5b6 h7h6 b6b7 h6h5 b7a8q",
        {"a8": "r", "b7": "P"},
        LostTrack(9, LEFT_OUT, 0, 2),
    ),
    # The same with b8 free: the pawn becomes a queen there.
    (
        "b2b4 a7a5 b4a5 b7b6 a5b6 b8c6 b6b7 h7h5 b7a8q",
        {"a8": "r", "b8": "Q"},
        LostTrack(9, NOT_REMOVED, 0, 2),
    ),
]


@pytest.mark.parametrize(("moves", "changes", "expected"), BY_HAND)
def test_predictions_worked_by_hand(moves, changes, expected):
    assert lost_track(moves, Fen(altered(moves, changes))) == expected


def test_only_the_placement_counts():
    placement = altered(SCOTCH, {"c6": None, "b8": "n"})
    for rest in ("", " b KQkq - 0 4", " w - - and so on"):
        assert lost_track(SCOTCH, Fen(placement + rest)).ply == 4


def test_of_equally_near_replays_the_latest_is_named():
    # Without either of the knights' moves alone the prediction, both at home, is two squares off.
    moves = "g1f3 g8f6"
    assert lost_track(moves, Fen(chess.STARTING_BOARD_FEN)) == LostTrack(2, LEFT_OUT, 2, 4)


def test_at_one_ply_a_move_left_out_comes_first():
    # 2. exd5 left out leaves e4; not removed, it is on c5. A third board is as far from both.
    moves = "e2e4 d7d5 e4d5"
    prediction = altered(moves, {"d5": "p"})
    assert lost_track(moves, Fen(prediction)) == LostTrack(None, None, None, 1)
    both = altered(moves, {"d5": "p", "e4": "P", "c5": "P"})
    assert lost_track(moves, Fen(both)) == LostTrack(3, LEFT_OUT, 1, 3)


@pytest.mark.parametrize("unreadable", ["", "nonsense", "8/8/8/8/8/8/8", "9/8/8/8/8/8/8/8 w"])
def test_an_unreadable_placement_says_nothing(unreadable):
    assert lost_track(SCOTCH, Fen(unreadable)) == LostTrack(None, None, None, None)


def test_without_moves_there_is_nothing_to_replay():
    assert lost_track(None, Fen(chess.STARTING_FEN)) == LostTrack(None, None, None, None)
    assert lost_track("", Fen(chess.STARTING_FEN)) == LostTrack(None, None, None, 0)
    assert lost_track("", Fen("8/8/8/8/8/8/8/8")) == LostTrack(None, None, None, 32)


@pytest.mark.parametrize("bad", ["Nf3", "e2", "0000", "e2e4x", "P@e4"])
def test_what_is_no_move_is_refused_by_name(bad):
    with pytest.raises(IllegalMoveError, match=f"ply 2.*{bad!r}"):
        lost_track(f"e2e4 {bad}", Fen(chess.STARTING_FEN))


def eventful_game(seed, plies):
    """Return the moves of a random legal game in which captures and rare moves are favoured."""
    chance = random.Random(seed)
    board = chess.Board()
    for _ in range(plies):
        moves = list(board.generate_legal_moves())
        if not moves:
            break
        rare = [m for m in moves if board.is_castling(m) or m.promotion or board.is_en_passant(m)]
        taking = [m for m in moves if board.is_capture(m)]
        favoured = rare or taking
        board.push(chance.choice(favoured if favoured and chance.random() < 0.6 else moves))
    return " ".join(move.uci() for move in board.move_stack)


def after_move(pieces, move, passed, kind=None):
    """Carry a move out on a map from squares to letters, by rules written apart from the package.

    Returns the map and the square that a pawn's double step passed; None for a capture that is not
    removed where there is none.
    """
    letter, target = pieces.get(move.from_square), move.to_square
    rank, aside = move.from_square // 8 * 8, target % 8 - move.from_square % 8
    pawns = ("P", "p")
    behind = rank + target % 8
    en_passant = target == passed and aside and letter in pawns and pieces.get(behind) in pawns
    captured = target if target in pieces else behind if en_passant else None
    if kind is NOT_REMOVED and (letter is None or captured is None):
        return None
    if letter is None or kind is LEFT_OUT:
        return pieces, None
    pieces = dict(pieces)
    if kind is not NOT_REMOVED:
        pieces.pop(captured, None)
    elif captured == target:
        beside = {0: [1], 7: [-1]}.get(target % 8, [-1, 1])
        free = [target + side for side in beside if target + side not in pieces]
        if not free:
            return pieces, None
        target = free[0]
    if letter in ("K", "k") and abs(aside) == 2:
        rook = {"K": "R", "k": "r"}[letter]
        corner = rank + (7 if move.to_square > move.from_square else 0)
        if pieces.get(corner) == rook:
            del pieces[corner]
            pieces[(move.from_square + move.to_square) // 2] = rook
    del pieces[move.from_square]
    if letter in pawns and move.promotion:
        pieces[target] = chess.Piece(move.promotion, letter == "P").symbol()
        return pieces, None
    pieces[target] = letter
    stepped = letter in pawns and abs(target - move.from_square) == 16
    return pieces, (target + move.from_square) // 2 if stepped else None


def letters(pieces):
    return {square: piece.symbol() for square, piece in pieces.piece_map().items()}


def placement(letters_of):
    board = chess.BaseBoard(None)
    board.set_piece_map({s: chess.Piece.from_symbol(each) for s, each in letters_of.items()})
    return board.board_fen()


def tracked(moves, ply, kind):
    """Return the placement that one mistake leads to, or None."""
    reached = letters(chess.BaseBoard()), None
    for number, name in enumerate(moves.split(), start=1):
        move = chess.Move.from_uci(name)
        reached = after_move(reached[0], move, reached[1], kind if number == ply else None)
        if reached is None:
            return None
    return placement(reached[0])


def placement_of(row):
    return placement({square: chr(code) for square, code in enumerate(row) if code})


@pytest.mark.parametrize("seed", range(12))
def test_every_replay_is_that_of_plain_rules(seed):
    moves = eventful_game(seed, 90)
    replays = _replays(moves)
    assert placement_of(replays.boards[0]) == board_after(moves).board_fen()
    kinds = [NOT_REMOVED if stays else LEFT_OUT for stays in replays.stays]
    mistakes = list(zip(replays.plies.tolist(), kinds, strict=True))
    boards = dict(zip(mistakes[1:], replays.boards[1:], strict=True))
    assert len(boards) == len(replays.boards) - 1
    standing = 0
    for ply in range(1, len(moves.split()) + 1):
        left_out = tracked(moves, ply, LEFT_OUT)
        assert placement_of(boards[ply, LEFT_OUT]) == left_out
        expected = tracked(moves, ply, NOT_REMOVED)
        if (ply, NOT_REMOVED) in boards:
            standing += 1
            assert placement_of(boards[ply, NOT_REMOVED]) == expected
        else:
            # No capture, or one without a free square beside, where the taker stays as well.
            assert expected in (None, left_out)
    assert standing > 5


def random_map(chance):
    """Return pieces on squares where castling, double steps and en passant meet them."""
    pieces = chess.BaseBoard(None)
    for square in range(64):
        if chance.random() < 0.4:
            kind = chance.choice([chess.PAWN, chess.ROOK, chess.KING, chess.KNIGHT])
            pieces.set_piece_at(square, chess.Piece(kind, chance.random() < 0.5))
    return pieces


def random_move(chance, steps):
    """Return a move that often castles, steps twice or follows a double step en passant."""
    while True:
        origin, target = chance.sample(range(64), 2)
        shape = chance.random()
        if shape < 0.3:
            target = origin + chance.choice([-2, 2])
        elif shape < 0.5:
            target = origin + chance.choice([-16, 16])
        elif shape < 0.8 and steps:
            target = chance.choice(steps)
            origin = target + chance.choice([-9, -7, 7, 9])
        if 0 <= target < 64 and 0 <= origin < 64:
            promotion = chess.QUEEN if chance.random() < 0.2 else None
            return chess.Move(origin, target, promotion)


@pytest.mark.parametrize("seed", range(20))
def test_moves_on_any_maps_are_carried_out_by_plain_rules(seed):
    chance = random.Random(seed)
    maps = [random_map(chance) for _ in range(6)]
    boards = [bytearray(pieces_of(each.board_fen())) for each in maps]
    passed = [NO_SQUARE] * len(boards)
    reached = [(letters(each), None) for each in maps]
    for _ in range(40):
        move = random_move(chance, [square for square in passed if square != NO_SQUARE])
        squares = move.from_square, move.to_square, move.promotion or 0
        passed = [
            carry_out(board, *squares, step, move.to_square, True)
            for board, step in zip(boards, passed, strict=True)
        ]
        reached = [after_move(pieces, move, step) for pieces, step in reached]
        assert [placement_of(board) for board in boards] == [placement(p) for p, _ in reached]
        assert [None if step == NO_SQUARE else step for step in passed] == [s for _, s in reached]


@given(seed=st.integers(0, 2**32), chosen=st.integers(0, 2**16), kind=st.sampled_from(LossKind))
def test_a_prediction_by_one_mistake_is_explained_whole(seed, chosen, kind):
    moves = eventful_game(seed, 50)
    ply = 1 + chosen % len(moves.split())
    prediction = tracked(moves, ply, kind)
    if prediction is None:
        return
    found = lost_track(moves, Fen(prediction))
    if prediction == board_after(moves).board_fen():
        # The mistake left no trace on the last board.
        assert found == LostTrack(None, None, None, 0)
        return
    assert found.squares == 0
    assert found.true_squares > 0
    # An equivalent mistake leads to the same board; of all those the latest ply is named.
    assert found.ply >= ply
    assert tracked(moves, found.ply, found.kind) == prediction


def test_single_slips_of_the_simulated_tracker_are_found():
    replayed = (SlipKind.PIECE_LEFT_BEHIND, SlipKind.CAPTURED_PIECE_STAYS)
    named = right = 0
    for index, game in enumerate(random_games(300, 40, seed=1)):
        moves = " ".join(game.moves)
        believed = track(moves, position_id=str(index), rate=0.04, seed=2)
        kinds = [slip.kind for slip in believed.slips]
        if len(kinds) != 1 or kinds[0] not in replayed:
            continue
        if believed.fen.split()[0] == board_after(moves).board_fen():
            continue
        named += 1
        right += lost_track(moves, Fen(believed.fen)).ply == believed.slips[0].ply
    assert named > 30
    assert right / named > 0.85
