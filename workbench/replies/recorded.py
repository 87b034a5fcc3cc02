"""Replies that others recorded, as a table of predictions.

The PGN2FEN benchmark (Aidan Cooper, 2025) asked models to turn a PGN into a FEN. Its logs have one
JSON object a line; each becomes one prediction, or one refusal that names the file and the line.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import chess
import chess.pgn
import pandas as pd

from workbench.errors import GameFileError, InvalidArgumentError
from workbench.replies.extract import Prediction, ReplyClass, classify, classify_fen
from workbench.tables import PREDICTIONS

PLIES_A_GROUP: Final = 20
"""Plies in a band of game length; a group is named by its upper edge in full moves."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line of a log that names no position or no model, and so became no prediction."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A log's word on a position that its PGN does not bear out; the prediction is kept."""

    file: str
    line: int
    position_id: str
    field: str
    logged: str
    replayed: str


@dataclass(frozen=True, slots=True)
class ImportedLog:
    """What was read from logs: every line is in ``predictions`` or in ``refusals``.

    Attributes:
        predictions: One row a reply, with the columns of `workbench.tables.PREDICTIONS`.
        refusals: The lines that became no row, and why.
        disagreements: Logged FENs and numbers of plies that the PGN contradicts.
        missing_games: ``input_pgn_file`` of each PGN that could not be used, and why; the rows
            stay, without moves, movetext and game id.
    """

    predictions: pd.DataFrame
    refusals: tuple[Refusal, ...]
    disagreements: tuple[Disagreement, ...]
    missing_games: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Game:
    moves: str
    movetext: str
    game_id: str
    ply: int
    fen: str


class _RefusedLineError(Exception):
    """A line cannot become a row; the message says why."""


def import_pgn2fen(
    log_paths: Iterable[Path],
    *,
    pgn_root: Path | None = None,
    text: Literal["llm_fen", "raw"] = "llm_fen",
) -> ImportedLog:
    """Read logs of the PGN2FEN benchmark.

    A position is named by the stem of its PGN file, such as ``halfmoves0021_003``: the same for
    all models, and unlike the moves also distinct where two games share an opening. ``game_id`` is
    a hash of the moves up to the position, because the PGNs end there; the length of the whole
    game is unknown and left null. ``model`` is the logged name, led by the provider only where
    two providers use the same one. Replies to the same position by the same model are numbered as
    ``sample`` 0, 1, ... in the order of the files and lines. A lone surrogate in a reply, which no
    UTF-8 file can hold, is replaced by U+FFFD.

    Args:
        log_paths: JSON Lines files, in the order in which their rows shall stand.
        pgn_root: The folder that ``input_pgn_file`` is relative to; by default the folder that
            holds the folder of each log.
        text: What to classify: ``"llm_fen"``, which the benchmark cut out of the reply, or
            ``"raw"``, the whole reply by `workbench.replies.extract.classify`.

    Raises:
        GameFileError: If a log is missing or cannot be read.
        InvalidArgumentError: If ``text`` is none of the two.
    """
    if text not in ("llm_fen", "raw"):
        raise InvalidArgumentError(f"text: expected 'llm_fen' or 'raw', got {text!r}")
    reader = _Reader(pgn_root, text)
    for path in map(Path, log_paths):
        for number, line in _lines(path):
            reader.read(path, number, line)
    return reader.imported()


class _Reader:
    """Rows, refusals and the games already replayed, while logs are read."""

    def __init__(self, pgn_root: Path | None, text: str) -> None:
        self.pgn_root = pgn_root
        self.text = text
        self.rows: list[dict[str, Any]] = []
        self.refusals: list[Refusal] = []
        self.disagreements: list[Disagreement] = []
        self.missing_games: dict[str, str] = {}
        self.games: dict[Path, _Game | None] = {}
        self.files_of_positions: dict[str, str] = {}

    def read(self, path: Path, number: int, line: bytes) -> None:
        """Turn one line into a row, or into a refusal."""
        try:
            self.rows.append(self.row(path, number, _parsed(line)))
        except _RefusedLineError as error:
            self.refusals.append(Refusal(path.name, number, str(error)))

    def row(self, path: Path, number: int, entry: dict[str, Any]) -> dict[str, Any]:
        """Return the row of a log's entry."""
        about_game, about_reply = _member(entry, "game_info"), _member(entry, "llm_info")
        pgn_file = _text(about_game, "input_pgn_file")
        model = _text(about_reply, "model")
        position_id = Path(pgn_file).stem
        if not position_id:
            raise _RefusedLineError(f"input_pgn_file: expected a file name, got {pgn_file!r}")
        if self.files_of_positions.setdefault(position_id, pgn_file) != pgn_file:
            raise _RefusedLineError(
                f"input_pgn_file: {pgn_file!r} has the same stem as "
                f"{self.files_of_positions[position_id]!r}; import these logs apart"
            )
        game = self.game(path, pgn_file)
        place = (path.name, number, position_id)
        fen = self.true_fen(place, about_game.get("input_fen"), game)
        ply = self.ply(place, about_game.get("number_of_halfmoves"), game)
        reply, prediction = self.prediction(about_reply)
        return {
            "position_id": position_id,
            "game_id": game.game_id if game else None,
            "source": path.name,
            "group": _group(ply),
            "ply": ply,
            "game_plies": None,
            "movetext": game.movetext if game else None,
            "moves": game.moves if game else None,
            "true_fen": fen,
            "model": model,
            "provider": about_reply.get("provider"),
            "reply": reply,
            **prediction.columns(),
        }

    def game(self, log: Path, pgn_file: str) -> _Game | None:
        """Return the replayed game of a PGN file, read once, or None if it cannot be used."""
        path = (self.pgn_root or log.parent.parent) / pgn_file
        if path not in self.games:
            try:
                self.games[path] = _replayed(path)
            except (OSError, ValueError) as error:
                self.games[path] = None
                self.missing_games[pgn_file] = str(error)
        return self.games[path]

    def true_fen(self, place: tuple[str, int, str], logged: object, game: _Game | None) -> str:
        """Return the logged FEN if python-chess reads it, else the replayed one."""
        usable = isinstance(logged, str) and classify_fen(logged).reply_class not in (
            ReplyClass.UNPARSEABLE,
            ReplyClass.ABSENT,
        )
        if game is None:
            if not usable:
                raise _RefusedLineError(
                    f"input_fen: expected a FEN, as the PGN is missing, got {logged!r}"
                )
        elif logged != game.fen:
            self.disagreements.append(
                Disagreement(*place, "input_fen", str(_storable(str(logged))), game.fen)
            )
        return logged if usable and isinstance(logged, str) else game.fen if game else ""

    def ply(self, place: tuple[str, int, str], logged: object, game: _Game | None) -> int:
        """Return the logged number of plies if it is one, else the replayed one."""
        usable = isinstance(logged, int) and not isinstance(logged, bool) and 0 <= logged < 2**31
        if game is None:
            if not usable:
                raise _RefusedLineError(
                    "number_of_halfmoves: expected an integer of at least 0, as the PGN is "
                    f"missing, got {logged!r}"
                )
        elif logged != game.ply or not usable:
            self.disagreements.append(
                Disagreement(*place, "number_of_halfmoves", str(logged), str(game.ply))
            )
        return logged if usable and isinstance(logged, int) else game.ply if game else 0

    def prediction(self, about_reply: dict[str, Any]) -> tuple[str | None, Prediction]:
        """Return the reply, and what the chosen text of the log amounts to."""
        reply = _storable(about_reply.get("llm_raw_text"))
        key = "llm_raw_text" if self.text == "raw" else "llm_fen"
        chosen = _storable(about_reply.get(key))
        if chosen is None:
            got = f"is {about_reply[key]!r}" if key in about_reply else "is missing"
            return reply, Prediction(ReplyClass.ABSENT, None, reason=f"{key} {got}")
        return reply, classify(chosen) if self.text == "raw" else classify_fen(chosen)

    def imported(self) -> ImportedLog:
        """Return all that was read, with models named and samples numbered."""
        providers: dict[str, set[str]] = {}
        for row in self.rows:
            providers.setdefault(row["model"], set()).add(str(row["provider"]))
        seen: Counter[tuple[str, str]] = Counter()
        for row in self.rows:
            provider = row.pop("provider")
            if len(providers[row["model"]]) > 1:
                row["model"] = f"{provider}/{row['model']}"
            key = (row["position_id"], row["model"])
            row["sample"] = seen[key]
            seen[key] += 1
        predictions = pd.DataFrame(self.rows, columns=PREDICTIONS.names)
        for column in ("group", "ply", "game_plies", "sample"):
            predictions[column] = predictions[column].astype("Int32")
        return ImportedLog(
            predictions, tuple(self.refusals), tuple(self.disagreements), self.missing_games
        )


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a log that are not blank, each with its number from 1."""
    try:
        with path.open("rb") as log:
            for number, line in enumerate(log, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise GameFileError(
            f"{path}: expected a log of the PGN2FEN benchmark (JSON Lines), got: {error}; "
            "check the path"
        ) from error


def _parsed(line: bytes) -> dict[str, Any]:
    """Return a line's JSON object."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _RefusedLineError(f"expected a JSON object, got: {error}") from error
    if not isinstance(entry, dict):
        raise _RefusedLineError(f"expected a JSON object, got {type(entry).__name__}")
    return entry


def _member(entry: dict[str, Any], key: str) -> dict[str, Any]:
    """Return an object inside an object."""
    value = entry.get(key)
    if not isinstance(value, dict):
        raise _RefusedLineError(f"{key}: expected an object, got {value!r:.80}")
    return value


def _text(entry: dict[str, Any], key: str) -> str:
    """Return a text that must not be blank."""
    value = _storable(entry.get(key))
    if not value or not value.strip():
        raise _RefusedLineError(f"{key}: expected a text, got {entry.get(key)!r:.80}")
    return value


def _storable(value: object) -> str | None:
    """Return a text as UTF-8 can hold it, or None for what is no text."""
    if not isinstance(value, str):
        return None
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _replayed(path: Path) -> _Game:
    """Replay the main line of the first game of a PGN file.

    Raises:
        ValueError: If there is no game, one of its moves is illegal, or it starts elsewhere.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        game = chess.pgn.read_game(file)
    if game is None:
        raise ValueError(f"{path}: expected a game, found none")
    if game.errors:
        raise ValueError(f"{path}: expected legal moves, got: {game.errors[0]}")
    start = game.board()
    if start != chess.Board():
        raise ValueError(f"{path}: expected a game from the first position, got {start.fen()!r}")
    line = list(game.mainline_moves())
    moves = " ".join(move.uci() for move in line)
    return _Game(
        moves=moves,
        movetext=start.variation_san(line),
        game_id=hashlib.sha256(moves.encode()).hexdigest()[:16],
        ply=len(line),
        fen=game.end().board().fen(),
    )


def _group(ply: int) -> int:
    """Return the upper edge, in full moves, of the band of plies that a ply is in."""
    return max(1, -(-ply // PLIES_A_GROUP)) * PLIES_A_GROUP // 2
