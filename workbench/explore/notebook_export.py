"""Executed notebooks as HTML in which pairs of boards work without a kernel.

``jupyter nbconvert --to workbench.explore.notebook_export.LivePairs NOTEBOOK`` writes one.
"""

from typing import Any

from nbconvert import HTMLExporter
from nbformat import NotebookNode, from_dict

from workbench.explore.pair.pair_html import live_pairs


class LivePairs(HTMLExporter):
    """A notebook as HTML whose last answers of BoardPair are live boards once they come into view.

    The engine of `workbench.explore.pair.pair_html` is in the file once, for all its pairs. The
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
        if "data-live-pair" not in page:
            return page, resources
        body, end, after = page.rpartition("</body>")
        return "".join((body, f"<script>\n{live_pairs()}</script>\n", end, after)), resources
