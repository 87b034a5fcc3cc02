"""The positions of a game that can be shown: after each move, or only at the cuts."""

from collections.abc import Iterable
from dataclasses import dataclass

import chess
import pandas as pd

from workbench.environments.chess.replay import play_moves
from workbench.errors import InvalidArgumentError, TableError
from workbench.games.movetext import lines_of


@dataclass(frozen=True, slots=True)
class Stop:
    """A position of the game that can be shown.

    Attributes:
        ply: Half-moves played.
        fen: The true board there.
        san: The move that led there, None at the start or if the moves are not known.
        uci: The same move as squares.
    """

    ply: int
    fen: str
    san: str | None = None
    uci: str | None = None


def numbered(stop: Stop) -> str:
    """Return a stop's move with its number: "12. Nf3", "12... Nf6"; "start" where none led there."""
    if stop.san is None:
        return "start" if stop.ply == 0 else f"ply {stop.ply}"
    return f"{(stop.ply + 1) // 2}{'.' if stop.ply % 2 else '...'} {stop.san}"


def played(movetext: str) -> tuple[Stop, ...]:
    """Return the start and the place after each move of a game.

    Args:
        movetext: The moves of one game from the first position, as in PGN, without headers.

    Raises:
        InvalidArgumentError: If this is not one game.
        IllegalMoveError: If a move cannot be played.
    """
    lines = list(lines_of(movetext))
    if len(lines) != 1 or lines[0].reason or not lines[0].plies:
        what = lines[0].detail if len(lines) == 1 and lines[0].reason else f"{len(lines)} games"
        raise InvalidArgumentError(
            f"expected the moves of one game without headers, as in '1. e4 e5 2. Nf3', got {what} "
            f"in {movetext[:80]!r}"
        )
    return _stops(play_moves(lines[0].moves.split(), "SAN"))


def stops_of(rows: pd.DataFrame, game_id: str) -> tuple[tuple[Stop, ...], tuple[str, ...]]:
    """Return the positions of a game that was cut at several plies, and notes on the rows.

    Args:
        rows: One row per cut, with ply, true_fen and, if they are known, moves (UCI).
        game_id: For messages.

    Raises:
        TableError: If the moves contradict each other.
        IllegalMoveError: If they cannot be played.
    """
    cuts = {int(row["ply"]): str(row["true_state"]) for row in rows.to_dict("records")}
    known = {
        int(row["ply"]): str(row["moves"]).split()
        for row in rows.to_dict("records")
        if isinstance(row.get("moves"), str)
    }
    if not known:
        note = "This table has no moves of the game: only the cuts can be shown."
        return tuple(Stop(ply, fen) for ply, fen in cuts.items()), (note,)
    longest = max(known.values(), key=len)
    for ply, moves in known.items():
        if moves != longest[: len(moves)]:
            raise TableError(
                f"game {game_id!r}: the moves at ply {ply} are not the beginning of the longest "
                "ones; give rows of one game"
            )
    stops = _stops(play_moves(longest, game=f"game {game_id!r}"))
    replayed = {stop.ply: stop.fen for stop in stops}
    notes = []
    beyond = [ply for ply in cuts if ply not in replayed]
    if beyond:
        notes.append(
            f"The moves end at ply {len(longest)}; the true board at {_plies(beyond)} comes from "
            "the table."
        )
    odd = [ply for ply, fen in cuts.items() if replayed.get(ply, fen) != fen]
    if odd:
        notes.append(
            f"At {_plies(odd)} the table's true FEN differs from the board after the moves; the "
            "scores use the table's."
        )
    return (*stops, *(Stop(ply, cuts[ply]) for ply in sorted(beyond))), tuple(notes)


def _stops(game: chess.Board) -> tuple[Stop, ...]:
    """Return the start and the place after each move on a board's stack."""
    board = chess.Board()
    stops = [Stop(0, board.fen())]
    for san in map(board.san_and_push, game.move_stack):
        stops.append(Stop(board.ply(), board.fen(), san, board.peek().uci()))
    return tuple(stops)


def _plies(plies: Iterable[int]) -> str:
    return "ply " + ", ".join(map(str, plies))
