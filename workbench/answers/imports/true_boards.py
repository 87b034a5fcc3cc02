"""The true board of a row: from its FEN, its moves or both, which must agree."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import chess

from workbench.answers.imports.imported import Noticed, Refused, RefusedRowError, Remark
from workbench.environments.chess.chess960 import chess960_headers
from workbench.environments.chess.fen import Fen
from workbench.environments.chess.replay import numbered_san, play_moves, uci_moves
from workbench.environments.chess.text_metrics import compared_text
from workbench.errors import IllegalMoveError
from workbench.games.pgn import Game, game_id_of, scan_texts, split_games, tags_of

PLIES_A_GROUP: Final = 20
"""Plies in a band of game length; a group is named by its upper edge in full moves."""

UNKNOWN_GROUP: Final = 0
"""The group of a position after an unknown number of plies."""

_FIELDS_WITH_CLOCKS: Final = 6
_LARGEST: Final = 2**31
_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class PlayedLine:
    """Moves played from the initial position, and where they lead.

    Attributes:
        moves: In UCI, separated by spaces.
        movetext: The same in SAN, with move numbers.
        game_id: Of the moves so far.
        ply: Half-moves played.
        fen: The board after them.
    """

    moves: str
    movetext: str
    game_id: str
    ply: int
    fen: str


@dataclass(frozen=True, slots=True)
class TrueBoard:
    """A row's true board and what is known of its game.

    Attributes:
        fen: As it was given, or where the moves lead.
        line: The moves, or None if they are unknown.
        ply: Half-moves played, or None if unknown.
        remarks: What the row says otherwise than its moves, without being refused for it.
    """

    fen: str
    line: PlayedLine | None
    ply: int | None
    remarks: tuple[Remark, ...]


def true_board(true_state: str | None, line: PlayedLine | None, ply: int | None) -> TrueBoard:
    """Return the true board that a FEN and moves give together.

    Args:
        true_state: As the row has it, or None.
        line: The row's moves, or None.
        ply: Half-moves played, as the row has them, or None.

    Raises:
        RefusedRowError: If there is neither a FEN that python-chess reads nor moves, or they
            contradict each other in pieces, side to move, castling rights or en passant.
    """
    if true_state is None and line is None:
        raise RefusedRowError(
            Refused.NO_TRUE_BOARD,
            "true_state",
            "expected a FEN, or moves, or movetext, got neither",
        )
    remarks = []
    if true_state is not None:
        true_state = " ".join(true_state.split())
        if fault := _fen_fault(true_state):
            raise RefusedRowError(
                Refused.NO_TRUE_BOARD, "true_state", f"expected a FEN, got {fault}"
            )
        if line is not None and not agree(true_state, line.fen):
            raise RefusedRowError(
                Refused.CONTRADICTION,
                "true_state",
                f"{true_state!r:.{_SHOWN}}, but its moves lead to {line.fen!r}",
            )
    if line is None:
        return TrueBoard(
            str(true_state), None, _ply_of(str(true_state)) if ply is None else ply, ()
        )
    if ply not in (None, line.ply):
        said = f"{ply}, but there are {line.ply} half-moves"
        remarks.append(Remark(Noticed.OTHER_PLY, "ply", said))
    fen = line.fen
    if true_state is not None and len(true_state.split()) == _FIELDS_WITH_CLOCKS:
        # The en-passant square may be written where no capture is legal, and stays as it is.
        fen = true_state
        if fen.split()[4:] != line.fen.split()[4:]:
            said = f"{true_state!r}, but after its moves it is {line.fen!r}"
            remarks.append(Remark(Noticed.OTHER_CLOCKS, "true_state", said))
    return TrueBoard(fen, line, line.ply, tuple(remarks))


def band_of(ply: int | None) -> int:
    """Return the upper edge, in full moves, of the band of 20 plies that a ply is in."""
    if ply is None:
        return UNKNOWN_GROUP
    return max(1, -(-ply // PLIES_A_GROUP)) * PLIES_A_GROUP // 2


@lru_cache(maxsize=1 << 16)
def identity_of(fen: str) -> str:
    """Return what makes two FENs the same position: all but the clocks."""
    fields = compared_text(Fen(fen), "position").split()
    fields[2:3] = ["".join(sorted(rights)) for rights in fields[2:3]]
    return " ".join(fields)


def agree(fen: str, other: str) -> bool:
    """Return whether two FENs can be of the same position; fields that one lacks tell nothing."""
    pairs = zip(identity_of(fen).split(), identity_of(other).split(), strict=False)
    return all(one == two for one, two in pairs)


@lru_cache(maxsize=1 << 16)
def played_moves(moves: str) -> PlayedLine:
    """Play moves in UCI.

    Raises:
        RefusedRowError: If one of them is illegal, or another notation.
    """
    try:
        return _played(play_moves(moves.split()))
    except IllegalMoveError as error:
        raise RefusedRowError(Refused.ILLEGAL_MOVES, "moves", str(error)) from error


@lru_cache(maxsize=1 << 16)
def played_movetext(movetext: str) -> PlayedLine | None:
    """Play the main line of PGN movetext, with or without headers.

    Returns:
        None if its headers start it from another position of standard chess.

    Raises:
        RefusedRowError: If it is no game, a move is illegal, or the headers name another variant.
    """
    # Half a word may end a file of games; a text is whole.
    texts = list(split_games(io.StringIO(f"{movetext}\n")))
    for headers, _ in texts:
        if reason := chess960_headers(tags_of(headers)):
            raise RefusedRowError(Refused.CHESS960, "", reason)
    games = list(scan_texts(texts, "movetext"))
    if len(games) != 1:
        raise RefusedRowError(
            Refused.ILLEGAL_MOVES,
            "movetext",
            f"expected one game, got {len(games)}: {movetext!r:.60}",
        )
    game = games[0].replay() if hasattr(games[0], "replay") else games[0]
    if isinstance(game, Game):
        return _played(play_moves(game.moves))
    if game.reason == "custom_start":
        return None
    if game.reason == "no_moves" and game.has_result:
        return _played(chess.Board())
    raise RefusedRowError(
        Refused.ILLEGAL_MOVES,
        "movetext",
        "expected legal moves from the initial position, got "
        f"{game.reason.replace('_', ' ')}: {game.detail:.{_SHOWN}}",
    )


def given_line(values: Mapping[str, Any]) -> PlayedLine | None:
    """Return the line of a row's ``moves`` and ``movetext``, of which either may be missing.

    Raises:
        RefusedRowError: If they cannot be played, or differ.
    """
    moves, movetext = values.get("moves"), values.get("movetext")
    line = None if moves is None else played_moves(str(moves))
    written = None if movetext is None else played_movetext(str(movetext))
    if line is not None and written is not None and line.moves != written.moves:
        raise RefusedRowError(
            Refused.CONTRADICTION,
            "moves",
            f"{line.moves!r:.{_SHOWN}}, but its movetext is {movetext!r:.{_SHOWN}}",
        )
    return line or written


def _played(board: chess.Board) -> PlayedLine:
    moves = uci_moves(board)
    return PlayedLine(
        " ".join(moves),
        " ".join(numbered_san(board.move_stack, chess.Board())),
        game_id_of(moves),
        len(moves),
        board.fen(),
    )


@lru_cache(maxsize=1 << 16)
def _fen_fault(fen: str) -> str:
    try:
        chess.Board(fen)
    except ValueError as error:
        return f"{fen!r:.{_SHOWN}}: {str(error).partition(': ')[0]:.{_SHOWN}}"
    return ""


def _ply_of(fen: str) -> int | None:
    """Return the half-moves that a FEN's move number tells, or None if it has none, or no such."""
    ply = chess.Board(fen).ply() if len(fen.split()) == _FIELDS_WITH_CLOCKS else None
    return ply if ply is not None and ply < _LARGEST else None
