"""RunBrowser: the scores of a run as a table and a scatter; a row opens as a pair of boards."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from ipywidgets import VBox  # type: ignore[import-untyped]

from workbench.explore.page.still_output import StillOutput
from workbench.explore.pair.board_pair import BoardPair
from workbench.explore.run.run_export import write_rows
from workbench.explore.run.run_files import Replies
from workbench.explore.run.scores_table import ScoresTable
from workbench.scoring.parameters import Distance

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class RunBrowser(StillOutput, VBox):  # type: ignore[misc]
    """A browser of a run: its scores, and below them, once a click or Enter opens a row, its pair.

    Args:
        scores: A scores table, or the path of one.
        predictions: The predictions that were scored, or their path, for moves and replies; or
            None.
        depth: The m of p_m and r_m; the largest that the scores have, if None.
        distance: The column of edit distances: ``levenshtein``, ``levenshtein_position`` or
            ``levenshtein_placement``.
        columns: Columns shown in the table: of the scores, or ``edit_distance``, ``precision``,
            ``recall``, ``disagreement``, ``remark``.

    Attributes:
        table: The `ScoresTable`; its traits hold what is shown.
        pair: The `BoardPair` in which a row opens.

    Raises:
        TableError: If a table cannot be read or lacks a column.
        InvalidArgumentError: If the scores do not have this depth or these columns.
    """

    def __init__(
        self,
        scores: pd.DataFrame | str | Path,
        predictions: pd.DataFrame | str | Path | None = None,
        *,
        depth: int | None = None,
        distance: Distance = "levenshtein",
        columns: Sequence[str] | None = None,
    ) -> None:
        self._replies = Replies(predictions)
        self.table = ScoresTable(
            scores, depth=depth, distance=distance, columns=columns, replies=self._replies
        )
        self.pair = BoardPair(depth=self.table.depth)
        self.table.on_open = self.open_row
        # Hidden, not left out: a saved notebook holds what is displayed.
        self.pair.layout.display = "none"
        super().__init__([self.table, self.pair])
        self.table.observe(self.renew_still, ["answers", "opened"])
        self.pair.observe(self.renew_still, "answers")

    def prepare_still(self) -> None:
        """Answer what the pages of both parts would ask first."""
        self.table.prepare_still()
        self.pair.prepare_still()

    def still(self) -> str:
        """Return the rows, and the pair if a row is open, as HTML."""
        return self.table.still() + (self.pair.still() if self.table.opened else "")

    def still_name(self) -> str:
        """Return the name of the last answer, by which the running table hides it."""
        return self.table.still_of

    @property
    def shown(self) -> pd.DataFrame:
        """The rows that are shown at present, in their order."""
        return self.table.shown

    def figure(self) -> "Figure":
        """Return a static picture of the run."""
        from workbench.explore.run.run_picture import run_figure

        return run_figure(self.table.run)

    def export(self, path: str | Path, kind: str = "") -> Path:
        """Write the rows that are shown to a new file; one that exists is never replaced.

        Args:
            path: Of the file.
            kind: ``csv``, ``parquet``, ``fen`` (predicted FENs) or ``true_fen``; the ending of the
                path if empty.

        Returns:
            The absolute path.

        Raises:
            InvalidArgumentError: If the file exists, or there is no such kind.
        """
        return write_rows(self.table.run, self.table.places, path, kind)

    def open_first(self) -> bool:
        """Open the first of the rows that are shown, if there is one.

        Returns:
            Whether there was; if not, the pair stays as it is.

        Raises:
            InvalidFenError: If its true FEN cannot be read.
        """
        shown = self.shown
        if len(shown):
            self.open_row(int(shown.index[0]))
        return len(shown) > 0

    def open_row(self, row: int) -> None:
        """Open a row in the pair below, with the conventions that the row was scored by.

        Args:
            row: Its number in the scores, from 0.

        Raises:
            InvalidArgumentError: If there is no such row.
            InvalidFenError: If the row's true FEN cannot be read.
        """
        self.table.check_row(row)
        run = self.table.run
        found = {str(name): value for name, value in run.rows.iloc[row].items()}
        moves, reply, without = self._replies.find(found)
        self.pair.show_row({**found, "movetext": moves, "reply": reply})
        self.pair.depth = run.depth
        self.table.show_opened(row, without)
        self.pair.layout.display = None
