"""A widget's output: the widget, and below it its last answer as HTML where the widget cannot run.

A widget needs JavaScript that an exported page loads from the network, and a saved notebook holds a
widget's state only if its settings say so. The HTML is part of the notebook itself. Where the
widget runs, its element carries ``data-still`` and the HTML is not shown.
"""

from html import escape
from typing import Any

from IPython.display import display

from workbench.explore.page.at_rest import AtRest
from workbench.explore.page.still_html import paragraph

_NOTE = "The last answer of a widget that does not run here. With a kernel, run the cell again."


class StillOutput:
    """What makes a widget show its last answer without a kernel; for widgets to inherit first."""

    _still_at_rest: AtRest | None = None

    def still(self) -> str:
        """Return the last answer as HTML."""
        raise NotImplementedError

    def still_name(self) -> str:
        """Return the name of the last answer, by which the running widget hides it."""
        raise NotImplementedError

    def prepare_still(self) -> None:
        """Compute what the last answer needs before anyone has asked."""

    def renew_still(self, _change: object = None) -> None:
        """Have the HTML follow the widget, soon; before the widget is displayed nothing happens."""
        if self._still_at_rest is not None:
            self._still_at_rest.request()

    def _ipython_display_(self, **_options: Any) -> None:
        """Display the widget, then its last answer in an output of its own that can be updated."""
        self.prepare_still()
        made: Any = self._repr_mimebundle_()  # type: ignore[attr-defined]
        data, metadata = made if isinstance(made, tuple) else (made, {})
        # Where the widget cannot be shown its HTML is chosen, and the next output says it all.
        display({**data, "text/html": ""}, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        display(self._still_bundle(), raw=True, display_id=self.still_name())  # type: ignore[no-untyped-call]
        self._still_at_rest = AtRest(self._update_still)

    def _update_still(self) -> None:
        display(  # type: ignore[no-untyped-call]
            self._still_bundle(), raw=True, display_id=self.still_name(), update=True
        )

    def _still_bundle(self) -> dict[str, str]:
        name = escape(self.still_name())
        child = ".jp-OutputArea-child"
        hidden = (
            f'body:has([data-still="{name}"]) [data-still-of="{name}"],'
            # JupyterLab's own words in place of a widget without a kernel or a state, which stay.
            f'{child}:has(+{child} [data-still-of="{name}"])>.jp-OutputArea-output:not(:has(*))'
        )
        return {
            "text/html": f'<style>{hidden}{{display:none}}</style><div data-still-of="{name}">{self.still()}'
            f"{paragraph(_NOTE)}</div>",
            "text/plain": "",
        }
