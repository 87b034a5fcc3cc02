"""The JavaScript and CSS of a widget, assembled from the files of the explorer's folders.

anywidget takes one ES module and one style sheet for each widget; the sources stay small files of one
subject each. A file imports by ``import { name } from "./file.js";`` or, from another folder, by
``import { name } from "../folder/file.js";`` and exports by ``export function``, ``export const`` or ``export class``; only a widget's own file has an
``export default``. Within one widget all files share one scope, so top-level names are unique. A test
checks all of this for the explorer's files.
"""

import base64
import json
import posixpath
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any, Final

import chess.svg

from workbench.errors import AssetError

FOLDER: Final = Path(__file__).parents[1]

_IMPORT: Final = re.compile(
    r'^import \{(?P<names>[^}]*)\} from "(?P<file>\.(?:\./[a-z_]+)?/\w+\.js)";[ \t]*\n',
    re.MULTILINE | re.ASCII,
)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function\b|const\b|class\b)", re.MULTILINE)


def javascript(name: str) -> str:
    """Return the file ``name`` with the files it imports inlined before it, each once."""
    parts: dict[str, str] = {}
    _inline(name, parts)
    return "\n".join(f"// {file}\n{_EXPORT.sub('', text)}" for file, text in parts.items())


def script(name: str, offered: str) -> str:
    """Return one script that is no module, whose files share a scope of their own.

    ``offered`` is the export of the file under which the script offers it to others.
    """
    return f"const {offered} = (() => {{\n{javascript(name)}\nreturn {offered};\n}})();\n"


def stylesheet(*names: str) -> str:
    """Return the shared theme followed by the style sheets ``names``."""
    return "\n".join(f"/* {name} */\n{_source(name)}" for name in ("page/theme.css", *names))


def icon() -> str:
    """Return the address of the project's icon, with the drawing in it, for a link of a page's head."""
    drawing = base64.b64encode(_source("page/icon.svg").encode()).decode()
    return f"data:image/svg+xml;base64,{drawing}"


def piece_drawings() -> dict[str, str]:
    """Return python-chess's SVG drawing of each piece, by the piece's FEN letter.

    The drawings have a coordinate system of 45 by 45 units.
    """
    return dict(chess.svg.PIECES)


def packed(content: Any) -> str:
    """Return JSON in a form that is short in a page: deflated, and in base64."""
    return base64.b64encode(zlib.compress(json.dumps(content).encode(), 9)).decode()


def _inline(name: str, parts: dict[str, str]) -> None:
    """Put a file into ``parts`` after all that it imports."""
    if name in parts:
        return
    text = _source(name)
    for match in _IMPORT.finditer(text):
        file = posixpath.normpath(posixpath.join(posixpath.dirname(name), match["file"]))
        _inline(file, parts)
    parts[name] = _IMPORT.sub("", text)


@cache
def _source(name: str) -> str:
    """Return the text of a file of the explorer, with a line end at its end."""
    path = FOLDER / name
    try:
        return path.read_text(encoding="utf-8").rstrip("\n") + "\n"
    except FileNotFoundError as error:
        raise AssetError(f"expected a file {name!r} in {FOLDER}, found none") from error
