"""Outputs of a lesson that change: shown once guesses are made, or renewed with each of them."""

from base64 import b64encode
from collections.abc import Callable
from html import escape
from itertools import count
from typing import Any, Final

from IPython.display import HTML, Image, Markdown, display

_NUMBERS: Final = count()


class LiveOutput:
    """An output that can be shown anew in its place.

    Args:
        content: Returns what to show.
    """

    def __init__(self, content: Callable[[], Any]) -> None:
        self._content = content
        self._name = ""

    def renew(self) -> None:
        """Show the present content where the output was displayed."""
        if self._name:
            display(self._content(), display_id=self._name, update=True)  # type: ignore[no-untyped-call]

    def _ipython_display_(self, **_options: Any) -> None:
        self._name = f"live-{id(self)}-{next(_NUMBERS)}"
        display(self._content(), display_id=self._name)  # type: ignore[no-untyped-call]


class Curtain:
    """An output that shows a note first, and in its place something else once it is opened.

    Args:
        content: What it shows in the end: a widget, a figure's picture, a table, text.
        waits_for: Returns what is still missing, in words; empty once it may be shown.
    """

    def __init__(self, content: Any, waits_for: Callable[[], str]) -> None:
        self.content = content
        self._waits_for = waits_for
        self._name = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing is missing any more."""
        return not self._waits_for()

    def renew(self) -> None:
        """Show the content, or what is still missing, where the output was displayed."""
        if self._name:
            self._show(update=True)

    def _ipython_display_(self, **_options: Any) -> None:
        if self.is_open:
            display(self.content)  # type: ignore[no-untyped-call]
            return
        self._name = f"curtain-{id(self)}-{next(_NUMBERS)}"
        self._show(update=False)

    def _show(self, *, update: bool) -> None:
        shown = {"display_id": self._name, "update": update}
        if not self.is_open:
            display(Markdown(f"*{self._waits_for()}*"), **shown)  # type: ignore[no-untyped-call]
        elif hasattr(self.content, "_ipython_display_"):
            # A widget that displays itself would do so in an output of its own.
            made = self.content._repr_mimebundle_()
            data = made[0] if isinstance(made, tuple) else made
            display({**data, "text/html": ""}, raw=True, **shown)  # type: ignore[no-untyped-call]
        elif isinstance(self.content, Image):
            # JupyterLab drops the alternative text of a picture that takes another output's place.
            data, alt = b64encode(self.content.data).decode(), escape(self.content.alt or "")
            picture = HTML(f'<img alt="{alt}" src="data:image/png;base64,{data}">')  # type: ignore[no-untyped-call]
            display(picture, **shown)  # type: ignore[no-untyped-call]
        else:
            display(self.content, **shown)  # type: ignore[no-untyped-call]
        if self.is_open:
            # Shown again with each further answer, a widget would lose what was typed or scrolled in it.
            self._name = ""
