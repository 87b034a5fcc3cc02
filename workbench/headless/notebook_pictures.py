"""Embeds the linked pictures of a notebook's text, so that a copy elsewhere shows them."""

import base64
import mimetypes
import re
from functools import partial
from pathlib import Path
from typing import Any, Final

_PICTURE: Final = re.compile(r"(!\[[^\]]*\]\()([^)\s]+)(\))")


def embed_pictures(notebook: Any, folder: Path) -> None:
    """Replace links to picture files by attachments, as JupyterLab makes them.

    A link to what is no picture file stays as it is.

    Args:
        notebook: An nbformat notebook; it is changed.
        folder: Where its links start.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _PICTURE.sub(partial(_attached, cell, folder), cell.source)


def _attached(cell: Any, folder: Path, found: re.Match[str]) -> str:
    before, target, after = found.groups()
    kind = mimetypes.guess_type(target)[0] or ""
    path = folder / target
    if not kind.startswith("image/") or not path.is_file():
        return found[0]
    content = base64.b64encode(path.read_bytes()).decode("ascii")
    cell.setdefault("attachments", {})[path.name] = {kind: content}
    return f"{before}attachment:{path.name}{after}"
