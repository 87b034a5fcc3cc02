"""The files of a report for a paper: figures as SVG and PDF, a table in LaTeX, and the page as PDF."""

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.score_description import reply_count_words
from workbench.errors import OutputError
from workbench.reports.chapters import Chapter
from workbench.reports.forest_plot import draw, latex_table
from workbench.reports.result_sections import summary_of
from workbench.studies.models import model_summary
from workbench.studies.panels import ALL_LENGTHS
from workbench.tables.parquet_tables import replacing

FIGURES_FOLDER: Final = "figures"
TABLE_FILE: Final = "table.tex"
PDF_FILE: Final = "report.pdf"

_FIGURE: Final = re.compile(r"(forest|curves)(-\d+)?\.(svg|pdf)")
PDF_MARK: Final = b"\n% World-State Workbench\n"
"""Follows the end of report.pdf, as a comment: a browser writes no author."""

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SECONDS: Final = 120


def paper_files(out: Path) -> list[Path]:
    """Return the files in a folder that have names of what is written here."""
    figures = sorted((out / FIGURES_FOLDER).glob("*"))
    paths = [path for path in figures if _FIGURE.fullmatch(path.name)]
    return paths + [path for path in (out / TABLE_FILE, out / PDF_FILE) if path.exists()]


def write_paper_files(numbers: list[tuple[Chapter, pd.DataFrame]], out: Path) -> list[Path]:
    """Write the forest plot and the curves of each chapter, and the table of all; return the files."""
    paths: list[Path] = []
    for place, (chapter, of_chapter) in enumerate(numbers, start=1):
        after = f"-{place}" if len(numbers) > 1 else ""
        figures = {"forest": draw(chapter, of_chapter)}
        summary = summary_of(chapter)
        if (summary["length"] != ALL_LENGTHS).any() and summary["precision"].notna().any():
            figures["curves"] = model_summary.draw(
                summary, reply_count_words(chapter.scores), environment=chapter.environment.name
            )
        for name, figure in figures.items():
            paths += _save(figure, out / FIGURES_FOLDER / f"{name}{after}")
    if numbers:
        table = out / TABLE_FILE
        with replacing(table) as beside:
            beside.write_text(latex_table(numbers), encoding="utf-8")
        paths.append(table)
    return paths


def _save(figure: Figure, path: Path) -> list[Path]:
    paths = [path.with_name(f"{path.name}.{end}") for end in ("svg", "pdf")]
    dates = [{"Date": None}, {"CreationDate": None}]
    # Fonts as TrueType, which journals take.
    with mpl.rc_context({"svg.hashsalt": path.name, "pdf.fonttype": 42}):
        for each, date in zip(paths, dates, strict=True):
            with replacing(each) as beside:
                metadata = {"Creator": "World-State Workbench", **date}
                figure.savefig(beside, format=each.suffix[1:], metadata=metadata)
    return paths


def chromium() -> str:
    """Return the path of chromium.

    Raises:
        OutputError: If there is none.
    """
    for name in _BROWSERS:
        if path := shutil.which(name):
            return path
    raise OutputError(
        f"report.pdf: expected one of {', '.join(_BROWSERS)} on the PATH, got none; install chromium "
        "(Debian and Ubuntu: apt-get install chromium), or open index.html and print it from a browser"
    )


def print_page(browser: str, page: Path) -> Path:
    """Print a page to ``report.pdf`` beside it, and return the file."""
    path = page.with_name(PDF_FILE)
    with replacing(path) as beside, TemporaryDirectory() as profile:
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
            f"--user-data-dir={profile}", f"--print-to-pdf={beside.absolute()}", page.absolute().as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise OutputError(
                f"{path}: expected {browser} to print {page} within {_SECONDS} s, got nothing; open the "
                "page and print it from a browser"
            ) from None
        if done.returncode or not beside.exists() or not beside.stat().st_size:
            raise OutputError(
                f"{path}: expected {browser} to print {page}, got exit code {done.returncode}: "
                f"{done.stderr[-300:]!r}; open the page and print it from a browser"
            )
        with beside.open("ab") as file:
            file.write(PDF_MARK)
    return path
