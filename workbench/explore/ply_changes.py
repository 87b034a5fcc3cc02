"""What a reply has wrong that the reply before it had right, and what it mends, as one sentence for each ply."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import chess

_MOST_PHRASES: Final = 3
"""A sentence tells so many differences; further ones are counted."""

_RIGHTS: Final = {
    chess.BB_H1: "White's right to castle kingside",
    chess.BB_A1: "White's right to castle queenside",
    chess.BB_H8: "Black's right to castle kingside",
    chess.BB_A8: "Black's right to castle queenside",
}


@dataclass(frozen=True, slots=True)
class Differences:
    """Where a predicted board differs from the true one.

    Attributes:
        squares: The true and the predicted piece by square; None for no piece.
        fields: What the prediction has wrong beside the pieces, as a phrase, by the field's name.
    """

    squares: Mapping[int, tuple[chess.Piece | None, chess.Piece | None]]
    fields: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.squares or self.fields)


def differences(true: chess.Board, predicted: chess.Board) -> Differences:
    """Return where two boards differ; the counters of moves are no part of it."""
    pairs = {each: (true.piece_at(each), predicted.piece_at(each)) for each in chess.SQUARES}
    squares = {square: pair for square, pair in pairs.items() if pair[0] != pair[1]}
    return Differences(squares, dict(_fields(true, predicted)))


def _fields(true: chess.Board, predicted: chess.Board) -> Iterator[tuple[str, str]]:
    if true.turn != predicted.turn:
        yield "the side to move", f"believes that {_side(predicted.turn)} is to move"
    for corner, words in _RIGHTS.items():
        if (true.castling_rights ^ predicted.castling_rights) & corner:
            yield words, f"{'drops' if true.castling_rights & corner else 'keeps'} {words}"
    passant, believed = (board.fen().split()[3] for board in (true, predicted))
    if passant != believed:
        wrong = "has no en passant" if believed == "-" else f"has en passant on {believed}"
        yield "en passant", wrong + (f", not on {passant}" if passant != "-" else "")


def _side(turn: chess.Color) -> str:
    return chess.COLOR_NAMES[turn].capitalize()


def change_words(
    subject: str,
    now: Differences,
    before: Differences,
    true_before: chess.Board,
    move: chess.Move | None,
) -> str:
    """Return what a reply gets wrong anew, and what it mends, as a clause.

    Args:
        subject: Who replies, such as "the model".
        now: The differences of this reply.
        before: Those of the reply before it; none for the first one.
        true_before: The true board at the reply before it; the start for the first one.
        move: What was played between them; None if it is not known or there are several.
    """
    new = {each: pair for each, pair in now.squares.items() if before.squares.get(each) != pair}
    mended = [square for square in before.squares if square not in now.squares]
    phrases: list[str] = []
    if (
        move is not None
        and move.from_square in mended
        and new.get(move.to_square) == before.squares[move.from_square]
    ):
        piece = new.pop(move.to_square)[0]
        mended.remove(move.from_square)
        phrases = [f"still lacks {_name(piece)}, now on {chess.square_name(move.to_square)}"]
    believed = true_before.piece_map() | {
        square: piece for square, (_, piece) in before.squares.items()
    }
    phrases = [*_piece_phrases(new, believed), *phrases]
    phrases += [words for name, words in now.fields.items() if name not in before.fields]
    right = [f"about {name}" for name in before.fields if name not in now.fields]
    if mended:
        right.insert(0, f"on {listed(map(chess.square_name, sorted(mended)))}")
    if not now:
        return f"{subject} is right again: the boards agree" if right else _AGREE
    if right:
        phrases.append(f"is right again {listed(right)}")
    if not phrases:
        return f"nothing changes: {_remaining(now)}"
    more = len(phrases) - _MOST_PHRASES
    if more > 0:
        phrases[_MOST_PHRASES:] = [f"has {more} more {'change' if more == 1 else 'changes'}"]
    return f"{subject} {listed(phrases)}"


_AGREE: Final = "nothing changes: the boards agree"


def _piece_phrases(
    new: Mapping[int, tuple[chess.Piece | None, chess.Piece | None]],
    believed: Mapping[int, chess.Piece | None],
) -> Iterator[str]:
    """Yield a phrase for each new difference of pieces; a piece that is elsewhere has one."""
    lacking = [square for square, (true, _) in new.items() if true is not None]
    for square, (true, piece) in new.items():
        if piece is None:
            continue
        elsewhere = next((each for each in lacking if new[each][0] == piece), None)
        kept = believed.get(square) == piece
        verb = "keeps" if kept else "adds" if elsewhere is None and true is None else "has"
        words = f"{verb} {_name(piece, true)} on {chess.square_name(square)}"
        if elsewhere is not None:
            lacking.remove(elsewhere)
            words += f", not on {chess.square_name(elsewhere)}"
        elif true is not None and not kept:
            words += f", not {_name(true, piece)}"
        yield words
    for square in lacking:
        true, piece = new[square]
        if piece is None:
            verb = "loses" if believed.get(square) == true else "lacks"
            yield f"{verb} {_name(true)} on {chess.square_name(square)}"


def _name(piece: chess.Piece | None, other: chess.Piece | None = None) -> str:
    """Return "the knight"; with its colour where another piece of the same kind is meant beside it."""
    if piece is None:
        return "nothing"
    name = chess.piece_name(piece.piece_type)
    same = other is not None and other.piece_type == piece.piece_type
    return f"the {chess.COLOR_NAMES[piece.color]} {name}" if same else f"the {name}"


def _remaining(now: Differences) -> str:
    count = len(now.squares)
    parts = [f"{count} {'square differs' if count == 1 else 'squares differ'}"] if count else []
    if now.fields:
        parts.append(f"{listed(now.fields)} {'is' if len(now.fields) == 1 else 'are'} wrong")
    return f"{listed(parts)} as before"


def listed(parts: Iterable[str]) -> str:
    """Return parts with commas and an "and"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
