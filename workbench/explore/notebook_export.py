"""Executed notebooks as HTML in which pairs of boards work without a kernel.

``jupyter nbconvert --to workbench.explore.notebook_export.LivePairs NOTEBOOK`` writes one.
"""

from typing import Any, Final

from nbconvert import HTMLExporter
from nbformat import NotebookNode, from_dict

from workbench.explore.pair.pair_html import linked_pairs

_SHOWN: Final = """[data-pair-link] { display: block; }
#pair-section { padding: 0 var(--jp-notebook-padding) 24px; }
#pair-section > :is(h2, p) { font-family: var(--jp-content-font-family); }
#pair-refusal:empty { display: none; }
"""


class LivePairs(HTMLExporter):
    """A notebook as HTML whose last answers of BoardPair have links that open the pair in the page.

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
        if "data-pair-link" not in page:
            return page, resources
        pairs = linked_pairs()
        head, tag, rest = page.partition("</head>")
        body, end, after = rest.rpartition("</body>")
        style = f"<style>\n{pairs.style}\n{_SHOWN}</style>\n"
        return "".join((head, style, tag, body, pairs.body, pairs.scripts, end, after)), resources
