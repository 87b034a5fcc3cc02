"""Sites of patches: a piece of the side to move, the one intended in its place, and what that makes legal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import chess
import numpy as np
import pandas as pd

from workbench.language_model.board_probe import SQUARES, board_labels, piece_label
from workbench.language_model.patching import NextMoves
from workbench.seeds import derived_seed

INTENDED: Final = "intended"
TRUE: Final = "true"

LAG: Final = 1
"""The piece moved one ply before the last: it is of the side to move, and its moves are the model's next."""
EARLIER: Final = 2
"""The wrong ply is that of the same side's move before."""


@dataclass(frozen=True, slots=True)
class PatchSite:
    """A piece of the side to move, and the one that is to stand in its place.

    Attributes:
        position_id: Of the position.
        game: Its game.
        group: Its length in full moves.
        moves: All plies up to the board that is written.
        ply: The ply that moved the piece, from 1.
        square: Where it stands.
        piece: Its label.
        other: The label of the piece intended there, of the same colour.
        true: The board after all plies, as a FEN.
        intended: The same with the other piece.
    """

    position_id: str
    game: str
    group: int
    moves: tuple[str, ...]
    ply: int
    square: int
    piece: int
    other: int
    true: str
    intended: str


def patch_sites(positions: pd.DataFrame, seed: int = 0) -> list[PatchSite]:
    """Return one site of each position that has one; both colours move in turn.

    The piece is the one that the last ply but one moved; every second position goes without its last
    ply. There is no site where that piece is a king or was taken, or where no other piece makes a
    board that can arise.
    """
    sites = []
    for at, row in enumerate(positions.itertuples()):
        moves = tuple(str(row.moves).split())
        moves = moves[: len(moves) - at % 2]
        if len(moves) <= LAG + EARLIER:
            continue
        board = chess.Board()
        for move in moves:
            board.push_uci(move)
        *_, own, last = board.move_stack
        square = own.to_square
        piece = board.piece_at(square)
        if piece is None or last.to_square == square or piece.piece_type == chess.KING:
            continue
        others = list(_others(board, square, piece))
        if others:
            generator = np.random.default_rng(derived_seed(seed, str(row.position_id)))
            other, intended = others[generator.integers(len(others))]
            identity = str(row.position_id), str(row.game_id), int(str(row.group))
            labels = piece_label(piece), piece_label(other)
            ply = len(moves) - LAG
            sites.append(
                PatchSite(*identity, moves, ply, square, *labels, board.fen(), intended.fen())
            )
    return sites


def _others(
    board: chess.Board, square: int, piece: chess.Piece
) -> Iterator[tuple[chess.Piece, chess.Board]]:
    for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        other = chess.Piece(kind, piece.color)
        intended = board.copy(stack=False)
        intended.set_piece_at(square, other)
        if kind != piece.piece_type and intended.is_valid():
            yield other, intended


class PatchTargets:
    """The true and the intended boards of sites, as squares and as legal moves.

    Attributes:
        squares: By ``"intended"`` and ``"true"``, the labels of the squares, shape (sites, 64).
    """

    def __init__(self, sites: Sequence[PatchSite]) -> None:
        """Read the boards and list their legal moves."""
        boards = {
            INTENDED: [chess.Board(site.intended) for site in sites],
            TRUE: [chess.Board(site.true) for site in sites],
        }
        self.squares = {
            name: np.stack([board_labels(board)[:SQUARES] for board in each])
            for name, each in boards.items()
        }
        self._legal = {
            name: [set(map(_columns, board.legal_moves)) for board in each]
            for name, each in boards.items()
        }
        self._alone = {
            name: [
                own - rest for own, rest in zip(self._legal[name], self._legal[other], strict=True)
            ]
            for name, other in ((INTENDED, TRUE), (TRUE, INTENDED))
        }

    def of_moves(self, after: NextMoves) -> dict[str, Any]:
        """Return whether the likeliest moves are legal, and the probability of moves legal on one alone."""
        top = list(map(tuple, after.likeliest().tolist()))
        columns: dict[str, Any] = {}
        for name, legal in self._legal.items():
            columns[f"top_{name}"] = [move in own for move, own in zip(top, legal, strict=True)]
            alone = self._alone[name]
            rows = np.repeat(np.arange(len(alone)), [len(moves) for moves in alone])
            moves = np.array([move for own in alone for move in own], np.int64).reshape(-1, 3)
            sums = np.bincount(rows, after.probabilities(rows, moves), len(alone))
            columns[f"mass_{name}"] = np.where([bool(moves) for moves in alone], sums, np.nan)
        return columns


def _columns(move: chess.Move) -> tuple[int, int, int]:
    """Return a move as `workbench.language_model.vocabulary.read_moves` does."""
    return move.from_square, move.to_square, move.promotion - 1 if move.promotion else 0
