"""A simulated tracker: it replays a game's moves and makes random errors.

It replaces a model where none can be asked, and is labelled as simulated everywhere. It
keeps a plain map of pieces, which may become a position that cannot arise in chess. At each ply it
slips with a given probability, by one of the slips that are possible there, all equally likely.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import chess
import numpy as np
import pandas as pd

from workbench.answers.classification import Prediction, ReplyClass, classify_fen
from workbench.environments.chess.replay import read_moves
from workbench.errors import InvalidArgumentError, TableError
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS


class SlipKind(StrEnum):
    """A way to lose track of a move.

    ``captured_piece_stays``: the taken piece stays; the taker goes to a free square beside it on
    the same rank, or stays too if there is none. En passant, only the taken pawn stays.
    ``piece_left_behind``: the move is forgotten; the pieces stay where they were.
    ``piece_off_by_one``: the piece lands on a free square beside its target on the same rank; what
    stood on the target is taken. Possible only where there is such a square.
    ``castling_forgotten``: the move is made, and its side's remaining castling rights are lost.
    ``side_forgotten``: the move is made, but the side to move is not changed. Possible at the last
    move only.
    """

    CAPTURED_PIECE_STAYS = "captured_piece_stays"
    PIECE_LEFT_BEHIND = "piece_left_behind"
    PIECE_OFF_BY_ONE = "piece_off_by_one"
    CASTLING_FORGOTTEN = "castling_forgotten"
    SIDE_FORGOTTEN = "side_forgotten"


@dataclass(frozen=True, slots=True)
class Slip:
    """One slip: the ply it happened at (1 is White's first move), its kind, the move in UCI."""

    ply: int
    kind: SlipKind
    move: str


@dataclass(frozen=True, slots=True)
class Tracking:
    """What the tracker believes after the last move, as a FEN, and the slips that led there."""

    fen: str
    slips: tuple[Slip, ...]


def simulate(
    positions: pd.DataFrame, *, rate: float, seed: int, model_name: str | None = None
) -> pd.DataFrame:
    """Let a simulated tracker reply to positions, each reply being a FEN of six fields.

    A position's reply depends on its moves, its id, ``rate`` and ``seed`` alone: not on the other
    rows or their order. A position without moves in the table becomes an ``absent`` reply.

    Args:
        positions: Rows with the columns of `workbench.tables.parquet_tables.POSITIONS`, each ``position_id`` once.
        rate: Probability of a slip at each ply, in [0, 1]; at 0 the reply is the true state.
        seed: At least 0.
        model_name: The name in the table, which must begin with "simulated"; by default
            ``simulated-tracker rate=...``.

    Returns:
        Rows with the columns of `workbench.tables.parquet_tables.PREDICTIONS`, in the order of ``positions``.

    Raises:
        InvalidArgumentError: If an argument is out of range, or the name hides the simulation.
        TableError: If a column is missing, or an id stands twice.
        IllegalMoveError: If the moves are no UCI moves.
    """
    _check(rate, seed)
    name = model_name if model_name is not None else f"simulated-tracker rate={rate:g}"
    if not name.startswith("simulated"):
        raise InvalidArgumentError(
            f"model_name: expected a name that begins with 'simulated', got {name!r}"
        )
    missing = [column for column in POSITIONS.names if column not in positions.columns]
    if missing:
        raise TableError(f"positions: expected the columns {POSITIONS.names}, missing: {missing}")
    twice = positions["position_id"][positions["position_id"].duplicated()]
    if len(twice):
        raise TableError(f"positions: expected each position_id once, got {twice.iloc[0]!r} again")
    replies: list[dict[str, Any]] = []
    for position_id, moves in zip(positions["position_id"], positions["moves"], strict=True):
        fen = None
        prediction = Prediction(ReplyClass.ABSENT, None, reason="no moves to replay")
        if isinstance(moves, str):
            fen = track(moves, position_id=position_id, rate=rate, seed=seed).fen
            prediction = classify_fen(fen)
        replies.append(
            {"set": "", "model": name, "setting": "", "sample": 0, "reply": fen}
            | prediction.columns()
        )
    columns = PREDICTIONS.names[len(POSITIONS.names) :]
    answers = pd.DataFrame(replies, columns=columns).astype({"sample": "int32"})
    questions = positions[POSITIONS.names].reset_index(drop=True)
    predictions: pd.DataFrame = pd.concat([questions, answers], axis=1)
    return predictions


def track(moves: str, *, position_id: str, rate: float, seed: int) -> Tracking:
    """Replay moves from the first position as the simulated tracker does, and name its slips.

    After a slip later moves are carried out on the mistaken map as well as they can be: a move
    from a square that is empty there moves nothing, a move onto any piece takes it, castling moves
    a rook only if one stands in the corner, and a piece that is no pawn does not promote. The
    mistaken reply keeps count of the moves; its half-move clock is reset by what is a pawn's move
    or a capture on the mistaken map.

    Args:
        moves: UCI moves, separated by spaces, as in the ``moves`` column; may be empty.
        position_id: What the randomness is derived from, beside ``seed``.
        rate: Probability of a slip at each ply, in [0, 1].
        seed: At least 0.

    Raises:
        InvalidArgumentError: If ``rate`` or ``seed`` is out of range.
        IllegalMoveError: If a move is no UCI move.
    """
    _check(rate, seed)
    played = read_moves(moves.split(), f"position {position_id!r}")
    # Always two draws per ply, so that one ply's slip does not change the next one's luck.
    draws = np.random.default_rng(derived_seed(seed, position_id)).random((len(played), 2))
    tracker = _Tracker()
    slips: list[Slip] = []
    for ply, move in enumerate(played, start=1):
        slip, kind = draws[ply - 1]
        chosen = None
        if slip < rate:
            possible = tracker.possible(move, last=ply == len(played))
            chosen = possible[int(kind * len(possible))]
            slips.append(Slip(ply, chosen, move.uci()))
        tracker.play(move, chosen)
    return Tracking(tracker.fen(), tuple(slips))


def _check(rate: float, seed: int) -> None:
    if not 0 <= rate <= 1:
        raise InvalidArgumentError(f"rate: expected a number in [0, 1], got {rate!r}")
    if seed < 0:
        raise InvalidArgumentError(f"seed: expected an integer of at least 0, got {seed!r}")


_RIGHTS_OF_SQUARES: Final = {
    chess.E1: "KQ",
    chess.H1: "K",
    chess.A1: "Q",
    chess.E8: "kq",
    chess.H8: "k",
    chess.A8: "q",
}


class _Tracker:
    """The mistaken map and the other fields of a FEN, from the first position on."""

    def __init__(self) -> None:
        self.pieces = chess.BaseBoard()
        self.rights = "KQkq"
        self.en_passant: chess.Square | None = None
        self.halfmove_clock = 0
        self.plies = 0
        self.side_forgotten = False

    def possible(self, move: chess.Move, *, last: bool) -> list[SlipKind]:
        """Return the slips that this move allows."""
        kinds = [SlipKind.PIECE_LEFT_BEHIND]
        if self.pieces.piece_at(move.from_square):
            if self.captured_square(move) is not None:
                kinds.append(SlipKind.CAPTURED_PIECE_STAYS)
            if self.beside(move) is not None:
                kinds.append(SlipKind.PIECE_OFF_BY_ONE)
        if self.rights_of_mover() - set(_RIGHTS_OF_SQUARES.get(move.from_square, "")):
            kinds.append(SlipKind.CASTLING_FORGOTTEN)
        if last:
            kinds.append(SlipKind.SIDE_FORGOTTEN)
        return kinds

    def rights_of_mover(self) -> set[str]:
        """Return the castling rights of the side that is to play the next move."""
        return {right for right in self.rights if right.isupper() == (self.plies % 2 == 0)}

    def lose_rights(self, rights: Iterable[str]) -> None:
        """Strike castling rights out."""
        self.rights = "".join(right for right in self.rights if right not in rights)

    def captured_square(self, move: chess.Move) -> chess.Square | None:
        """Return the square of what the move takes on this map, or None."""
        if self.pieces.piece_at(move.to_square):
            return move.to_square
        if (
            move.to_square == self.en_passant
            and self.pieces.piece_type_at(move.from_square) == chess.PAWN
            and chess.square_file(move.from_square) != chess.square_file(move.to_square)
        ):
            behind = chess.square(
                chess.square_file(move.to_square), chess.square_rank(move.from_square)
            )
            return behind if self.pieces.piece_type_at(behind) == chess.PAWN else None
        return None

    def beside(self, move: chess.Move) -> chess.Square | None:
        """Return a free square beside the target on its rank, the left one first, or None."""
        file, rank = chess.square_file(move.to_square), chess.square_rank(move.to_square)
        for other in (file - 1, file + 1):
            if not 0 <= other < 8:
                continue
            square = chess.square(other, rank)
            if not self.pieces.piece_at(square) and square != self.castled_rook(move):
                return square
        return None

    def castled_rook(self, move: chess.Move) -> chess.Square | None:
        """Return where the rook goes if the move is castling on this map, or None."""
        files = chess.square_file(move.to_square) - chess.square_file(move.from_square)
        if abs(files) == 2 and self.pieces.piece_type_at(move.from_square) == chess.KING:
            return (move.from_square + move.to_square) // 2
        return None

    def play(self, move: chess.Move, slip: SlipKind | None) -> None:
        """Carry a move out on the map, with or without a slip."""
        piece = self.pieces.piece_at(move.from_square)
        reset = False
        if slip is SlipKind.CASTLING_FORGOTTEN:
            self.lose_rights(self.rights_of_mover())
        captured = self.captured_square(move)
        self.en_passant = None
        if slip is not SlipKind.PIECE_LEFT_BEHIND and piece is not None:
            target: chess.Square | None = move.to_square
            reset = piece.piece_type == chess.PAWN or captured is not None
            if slip is SlipKind.CAPTURED_PIECE_STAYS:
                if captured == move.to_square:
                    target = self.beside(move)
                captured = None
            elif slip is SlipKind.PIECE_OFF_BY_ONE:
                target = self.beside(move)
            if captured is not None:
                self.pieces.remove_piece_at(captured)
                self.lose_rights(_RIGHTS_OF_SQUARES.get(captured, ""))
            if target is not None:
                self.place(move, piece, target)
        self.halfmove_clock = 0 if reset else self.halfmove_clock + 1
        self.plies += 1
        self.side_forgotten = slip is SlipKind.SIDE_FORGOTTEN

    def place(self, move: chess.Move, piece: chess.Piece, target: chess.Square) -> None:
        """Move a piece to where the tracker takes it to go, with what follows from that."""
        for square in (move.from_square, target):
            self.lose_rights(_RIGHTS_OF_SQUARES.get(square, ""))
        rook_target = self.castled_rook(move)
        if rook_target is not None:
            file = 7 if move.to_square > move.from_square else 0
            corner = chess.square(file, chess.square_rank(move.from_square))
            if self.pieces.piece_at(corner) == chess.Piece(chess.ROOK, piece.color):
                self.pieces.remove_piece_at(corner)
                self.pieces.set_piece_at(rook_target, chess.Piece(chess.ROOK, piece.color))
        self.pieces.remove_piece_at(move.from_square)
        if piece.piece_type == chess.PAWN:
            if move.promotion:
                piece = chess.Piece(move.promotion, piece.color)
            elif abs(target - move.from_square) == 16:
                self.en_passant = (move.from_square + target) // 2
        self.pieces.set_piece_at(target, piece)

    def fen(self) -> str:
        """Return the FEN of what the tracker believes, as python-chess would write it.

        The en-passant square is written only where a capture is legal, the castling rights as
        they are believed, whether or not king and rook stand there.
        """
        white = (self.plies % 2 == 0) != self.side_forgotten
        board = chess.Board(None)
        board.set_piece_map(self.pieces.piece_map())
        board.turn = white
        board.ep_square = square = self.en_passant
        legal = board.has_legal_en_passant()
        return " ".join(
            (
                self.pieces.board_fen(),
                "w" if white else "b",
                self.rights or "-",
                chess.square_name(square) if legal and square is not None else "-",
                str(self.halfmove_clock),
                str(self.plies // 2 + 1),
            )
        )
