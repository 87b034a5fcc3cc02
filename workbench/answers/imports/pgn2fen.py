"""Logs of the PGN2FEN benchmark as predictions.

The benchmark (Aidan Cooper, 2025) asked models to turn a PGN into a FEN. Its logs have one JSON
object per line.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import Any, Final, Literal, TypeAlias

from workbench.answers.imports.file_reading import SourceFiles
from workbench.answers.imports.foreign_rows import (
    ForeignRow,
    Reader,
    classified_state,
    imported_rows,
    rows_of_files,
)
from workbench.answers.imports.import_result import (
    ImportedReplies,
    Refusal,
    RefusedRowError,
    RemarkReason,
    RowNote,
    storable,
)
from workbench.answers.imports.named_columns import VARIANT_KEYS, json_rows
from workbench.answers.imports.true_states import PlayedLine, line_of_movetext
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.prediction import Prediction, ReplyClass
from workbench.tables.parquet_tables import REPLY_KEY
from workbench.tables.provenance import json_hash

_SETS: Final = {"WorldCup": "world_cup", "randomised": "random_games"}
_THINKING: Final = re.compile(r"_think(\d+)$")
_CALLED: Final = {"true_state": "input_fen", "ply": "number_of_halfmoves"}

_Game: TypeAlias = PlayedLine | tuple[RemarkReason, str] | RefusedRowError


def import_pgn2fen(
    log_paths: Iterable[Path],
    *,
    pgn_root: Path | None = None,
    text: Literal["llm_fen", "raw"] = "llm_fen",
    fens_only: bool = False,
    encoding: str | None = None,
    files: SourceFiles | None = None,
) -> ImportedReplies:
    """Read logs of the PGN2FEN benchmark.

    A position is named by its PGN file and a hash of the folder's name and the board, such as
    ``halfmoves0021_003-8c1d2f0a``: the same for all models, whatever else is imported and whether
    or not the PGN files are there, and distinct where two sets name their files alike.
    ``game_id`` is a hash of the moves up to the position, because the PGNs end there; the length
    of the whole game is unknown and left null. ``model`` is the logged name, led by the provider
    only where two providers use the same one. ``set`` is ``world_cup`` or ``random_games`` by the
    folder of the PGN file, and ``setting`` the thinking budget that the log's name holds, such as
    ``thinking=1024``: the logged model is the same in all. Replies to the same position by the same model are
    numbered as ``sample`` 0, 1, ... in the order of the files and lines; a line that says in
    everything the same as one before, its time included, is refused.

    Args:
        log_paths: JSON Lines files, in the order of their rows.
        pgn_root: The folder that ``input_pgn_file`` is relative to; by default the first of the
            folder that holds the folder of the log, the folder of the log, and the working folder
            in which the file is found.
        text: What to classify: ``"llm_fen"``, which the benchmark cut out of the reply, or
            ``"raw"``, the whole reply, as of any model.
        fens_only: Whether to keep moves and boards alone: ``predicted_state`` is the chosen text,
            there is no reply and no movetext, and rows are sorted by set, position and model, so
            that a file of them is small.
        encoding: As of `import_named_columns`, like ``files`` and the errors.
        files: The same.
    """
    if text not in ("llm_fen", "raw"):
        raise InvalidArgumentError(f"text: expected 'llm_fen' or 'raw', got {text!r}")
    reader, reading = _Reader(pgn_root, text, fens_only), files or SourceFiles()
    entries = rows_of_files(log_paths, lambda path: json_rows(path, encoding, reading), reader.rows)
    imported = imported_rows(entries)
    places = {(note.file, note.line) for note in imported.refusals}
    remarks = [note for note in reader.remarks if (note.file, note.line) not in places]
    predictions = imported.predictions
    if fens_only:
        order = ["set", *REPLY_KEY]
        predictions = predictions.assign(movetext=None).sort_values(order, ignore_index=True)
    return replace(imported, predictions=predictions, remarks=(*remarks, *imported.remarks))


class _Reader:
    """Rows of entries, and the games that were played for them."""

    def __init__(self, pgn_root: Path | None, text: str, fens_only: bool) -> None:
        self.pgn_root = pgn_root
        self.text = text
        self.fens_only = fens_only
        self.remarks: list[RowNote] = []
        self.games: dict[tuple[Path, str], _Game] = {}

    def rows(self, path: Path, number: int, entry: dict[str, Any]) -> Iterator[ForeignRow]:
        about_game = _member(entry, "game_info", Refusal.NO_POSITION)
        about_reply = _member(entry, "llm_info", Refusal.NO_MODEL)
        pgn_file = _text(about_game, "input_pgn_file", Refusal.NO_POSITION)
        # Logs may come from Windows; its paths have either slash.
        pgn = PureWindowsPath(pgn_file)
        if not pgn.stem:
            raise RefusedRowError(
                Refusal.NO_POSITION, "input_pgn_file", f"expected a file name, got {pgn_file!r:.80}"
            )
        reply, read = self.answer(about_reply)
        thinking = _THINKING.search(path.stem)
        yield ForeignRow(
            str(path),
            number,
            path.name,
            {
                "true_state": about_game.get("input_fen"),
                "ply": about_game.get("number_of_halfmoves"),
                "set": next((_SETS[part] for part in pgn.parts if part in _SETS), ""),
                "model": _text(about_reply, "model", Refusal.NO_MODEL),
                "setting": f"thinking={thinking[1]}" if thinking else "",
                **({} if reply is None else {"reply": reply}),
            },
            read,
            played=self.game(path, number, pgn_file),
            stem=pgn.stem,
            folder=pgn.parent.name,
            names=(pgn_file, *(about_game.get(key) for key in VARIANT_KEYS)),
            content=json_hash(entry),
            provider=str(about_reply.get("provider") or ""),
            called=_CALLED,
        )

    def game(self, log: Path, number: int, pgn_file: str) -> PlayedLine | None:
        """Return the moves of a PGN file, or None, with a remark, if it cannot be used."""
        key = (log.parent, pgn_file)
        if key not in self.games:
            self.games[key] = self.played(log, pgn_file)
        game = self.games[key]
        if isinstance(game, RefusedRowError):
            raise game
        if isinstance(game, PlayedLine):
            return game
        self.remarks.append(RowNote(str(log), number, *game))
        return None

    def played(self, log: Path, pgn_file: str) -> _Game:
        relative = Path(pgn_file.replace("\\", "/"))
        folder = log.absolute().parent
        candidates = [root / relative for root in (folder.parent, folder, Path.cwd())]
        if self.pgn_root is not None:
            candidates = [self.pgn_root / relative, self.pgn_root / relative.name]
        for path in candidates:
            try:
                movetext = path.read_text(encoding="utf-8-sig", errors="replace")
                line = line_of_movetext(environment_named("chess"), movetext)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except RefusedRowError as error:
                if error.remark.reason is Refusal.CHESS960:
                    return error
                return RemarkReason.UNUSABLE_PGN, f"{path}: {error.remark.detail}"
            except (OSError, ValueError) as error:
                return RemarkReason.UNUSABLE_PGN, f"input_pgn_file: {pgn_file!r:.80}: {error}"
            if line is None:
                return RemarkReason.UNUSABLE_PGN, f"{path}: its game starts from another position"
            return line
        looked = ", ".join(dict.fromkeys(str(path.absolute()) for path in candidates))
        return RemarkReason.NO_PGN, f"input_pgn_file: expected {pgn_file!r:.80}, found no {looked}"

    def answer(self, about_reply: dict[str, Any]) -> tuple[str | None, Reader]:
        """Return the reply, and what gives the answer in the chosen text of the log."""
        key = "llm_raw_text" if self.text == "raw" else "llm_fen"
        text = _text_or_none(about_reply.get(key))
        reply = None if self.fens_only else _text_or_none(about_reply.get("llm_raw_text"))
        if text is None:
            got = f"is {about_reply[key]!r:.80}" if key in about_reply else "is missing"
            absent = Prediction(ReplyClass.ABSENT, None, reason=f"{key} {got}")
            return reply, lambda environment, task: absent
        if self.text == "raw":
            return reply, lambda environment, task: task.classify(environment, text)
        return reply, lambda environment, task: classified_state(environment, text)


def _member(entry: dict[str, Any], key: str, reason: Refusal) -> dict[str, Any]:
    value = entry.get(key)
    if not isinstance(value, dict):
        raise RefusedRowError(reason, key, f"expected an object, got {value!r:.80}")
    return value


def _text(entry: dict[str, Any], key: str, reason: Refusal) -> str:
    value = _text_or_none(entry.get(key))
    if not value or not value.strip():
        raise RefusedRowError(reason, key, f"expected a text, got {entry.get(key)!r:.80}")
    return value


def _text_or_none(value: object) -> str | None:
    return storable(value) if isinstance(value, str) else None
