"""The report of an import: how many rows became predictions, which did not, and why."""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

import click
import pandas as pd

from workbench.answers.imports.import_result import ImportedReplies, Refusal, RemarkReason, RowNote
from workbench.tables.parquet_tables import replacing

EXAMPLES: Final = 3
RANGES: Final = 12

ADVICE: Final = {
    Refusal.UNREADABLE: "fix the lines, or give the right --format or --encoding",
    Refusal.NO_POSITION: "name its column: --column position_id=THEIRS",
    Refusal.UNKNOWN_POSITION: "give the positions that the models were asked about: "
    "--positions TABLE",
    Refusal.NO_MODEL: "give --model NAME, or its column: --column model=THEIRS",
    Refusal.NO_REPLY: "name its column: --column reply=THEIRS or predicted_state=THEIRS",
    Refusal.NO_TRUE_BOARD: "give the states by --positions TABLE, --column true_state=THEIRS or "
    "moves=THEIRS (and initial_state=THEIRS); for PGN2FEN logs, give the folder of the PGN files: --pgn-root FOLDER",
    Refusal.ILLEGAL_MOVES: "each must be permitted where it is made, from the initial state; in chess, "
    "from the initial position: check --environment",
    Refusal.CONTRADICTION: "the moves, PGN files or positions belong to another set: check "
    "--pgn-root and --positions",
    Refusal.OTHER_ENVIRONMENT: "import one environment at a time: --environment NAME",
    Refusal.CHESS960: "its castling rules differ; leave these files out",
    Refusal.REPEATED: "each was read once; if they are additional replies, number them in a column "
    "sample",
    RemarkReason.NO_PGN: "give the root folder of input_pgn_file: --pgn-root FOLDER",
}


def report(imported: ImportedReplies, written: str) -> None:
    """Report refused rows and remarks on standard error, then ``written`` on standard output."""
    count, refusals = len(imported.predictions), len(imported.refusals)
    for title, notes in (
        (f"{refusals:,} of {count + refusals:,} rows refused", imported.refusals),
        (f"{len(imported.remarks):,} remarks on rows that were kept", imported.remarks),
    ):
        if notes:
            click.echo(f"{title}:", err=True)
            _echo_by_reason(notes)
    if imported.folded:
        merged = "rows hold the replies of another filter's rows again and were merged into them"
        click.echo(f"{imported.folded:,} {merged}", err=True)
    click.echo(written)


def table_summary(predictions: pd.DataFrame) -> str:
    """Return how many predictions, models and positions a table has, in words."""
    counts = {
        "prediction": len(predictions),
        "model": predictions["model"].nunique(),
        "position": predictions["position_id"].nunique(),
    }
    rows, models, positions = (
        f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in counts.items()
    )
    return f"{rows} of {models} on {positions}"


def reason_counts(notes: Iterable[RowNote]) -> dict[str, int]:
    """Return how many notes there are of each reason, most of all first."""
    return dict(Counter(str(note.reason) for note in notes).most_common())


def write_refused(notes: Iterable[RowNote], path: Path) -> None:
    """Write every refusal as CSV, with the columns file, line, reason and detail."""
    with replacing(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["file", "line", "reason", "detail"])
        writer.writerows([note.file, note.line, str(note.reason), note.detail] for note in notes)


def _echo_by_reason(notes: Sequence[RowNote]) -> None:
    for reason, count in reason_counts(notes).items():
        examples = [note for note in notes if note.reason == reason]
        click.echo(f"  {count:,}: {reason}", err=True)
        for note in examples[:EXAMPLES]:
            click.echo(f"    {note}", err=True)
        if count > EXAMPLES:
            click.echo(f"    all: {_line_ranges(examples)}", err=True)
        if advice := ADVICE.get(examples[0].reason):
            click.echo(f"    what to do: {advice}", err=True)


def _line_ranges(notes: Sequence[RowNote]) -> str:
    """Return the lines of notes as ranges, and where to find those left out."""
    ordered = sorted({(note.file, note.line) for note in notes})
    # In a run of lines without a gap, the line less its index is the same.
    runs = groupby(enumerate(ordered), key=lambda item: (item[1][0], item[1][1] - item[0]))
    ranges: dict[str, list[str]] = {}
    count = 0
    for (file, _), run in runs:
        count += 1
        if count <= RANGES:
            lines = [line for _, (_, line) in run]
            label = f"{lines[0]}" if len(lines) == 1 else f"{lines[0]}-{lines[-1]}"
            ranges.setdefault(file, []).append(label)
    text = "; ".join(f"{file} lines {', '.join(lines)}" for file, lines in ranges.items())
    left = count - RANGES
    return text + (f"; and {left:,} more places: --refused FILE lists all" if left > 0 else "")
