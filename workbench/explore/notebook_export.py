"""Executed notebooks as HTML in which pairs of boards, games and browsers of runs work without a kernel.

``jupyter nbconvert --to workbench.explore.notebook_export.LivePairs NOTEBOOK`` writes one.
"""

from typing import Any

from nbconvert import HTMLExporter
from nbformat import NotebookNode, from_dict

from workbench.explore.game_tracker import live_games
from workbench.explore.pair.pair_html import live_pairs
from workbench.explore.run.run_sample import live_runs


class LivePairs(HTMLExporter):
    """A notebook as HTML whose last answers of BoardPair, GameTracker and RunBrowser are live once they come into view.

    The engines of `workbench.explore.pair.pair_html`, `workbench.explore.game_tracker` and
    `workbench.explore.run.run_sample` are in the file once, for all its pairs, games and runs, and so are the weights of
    each language model that read one of the games. The
    state of widgets is left out: it would show them without a kernel that answers.
    """

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Return the page and nbconvert's resources; see `nbconvert.exporters.HTMLExporter`.

        Args:
            nb: The notebook; it is not changed.
            resources: Of nbconvert.
            options: Of nbconvert.
        """
        metadata = {name: nb.metadata[name] for name in nb.metadata if name != "widgets"}
        without: NotebookNode = from_dict({**nb, "metadata": metadata})  # type: ignore[no-untyped-call]
        page, resources = super().from_notebook_node(without, resources, **options)
        engines = {
            "data-live-pair": live_pairs,
            "data-live-game": lambda: live_games([page]),
            "data-live-run": live_runs,
        }
        scripts = [
            f"<script>\n{engine()}</script>\n" for name, engine in engines.items() if name in page
        ]
        body, end, after = page.rpartition("</body>")
        return "".join((body, *scripts, end, after)), resources
