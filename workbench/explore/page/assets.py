"""The JavaScript and CSS of a widget, assembled from the files of the explorer's folders.

anywidget takes one ES module and one style sheet for each widget; the sources stay small files of one
subject each. A file imports by ``import { name } from "./file.js";`` or, from another folder, by
``import { name } from "../folder/file.js";`` and exports by ``export function``, ``export const`` or ``export class``; only a widget's own file has an
``export default``. Within one widget all files share one scope, so top-level names are unique.
"""

import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Final

import chess.svg

from workbench.errors import AssetError

FOLDER: Final = Path(__file__).parents[1]

_IMPORT: Final = re.compile(
    r'^import \{(?P<names>[^}]*)\} from "(?P<file>\.(?:\./[a-z_]+)?/\w+\.js)";[ \t]*\n',
    re.MULTILINE | re.ASCII,
)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function\b|const\b|class\b)", re.MULTILINE)
_EXPORTED: Final = re.compile(
    r"^export (?:async )?(?:function\*?|const|class)\s+([A-Za-z_$][\w$]*)", re.MULTILINE
)
_TOP_LEVEL: Final = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|var|class)\s+([A-Za-z_$][\w$]*)",
    re.MULTILINE,
)
_LEFT_OVER: Final = re.compile(r"^(?:import\b|export\b(?! default\b)).*$", re.MULTILINE)
_DEFAULT: Final = re.compile(r"^export default\b", re.MULTILINE)


def javascript(name: str) -> str:
    """Return one ES module: the file ``name`` with the files it imports inlined before it."""
    parts = _parts(name)
    for file, text in parts.items():
        if file != name and _DEFAULT.search(text):
            raise AssetError(
                f"{file}: expected an `export default` in the widget's own file {name!r} alone; "
                "export this one by name"
            )
    if not _DEFAULT.search(parts[name]):
        raise AssetError(f"{name}: expected an `export default {{ render }}`, found none")
    return _joined(parts)


def script(name: str, offered: str) -> str:
    """Return one script that is no module, whose files share a scope of their own.

    Args:
        name: A file of the explorer without an ``export default``.
        offered: The one of its exports under which the script offers it to others.

    Raises:
        AssetError: As for `javascript`, or if the file does not export this name.
    """
    parts = _parts(name)
    if offered not in _EXPORTED.findall(_source(name)):
        raise AssetError(f"{name}: expected an export of {offered!r}, found none")
    return f"const {offered} = (() => {{\n{_joined(parts)}\nreturn {offered};\n}})();\n"


def stylesheet(*names: str) -> str:
    """Return the shared theme followed by the style sheets ``names``."""
    return "\n".join(f"/* {name} */\n{_source(name)}" for name in ("page/theme.css", *names))


def piece_drawings() -> dict[str, str]:
    """Return python-chess's SVG drawing of each piece, by the piece's FEN letter.

    The drawings have a coordinate system of 45 by 45 units.
    """
    return dict(chess.svg.PIECES)


def top_level_names(text: str) -> list[str]:
    """Return the names that a JavaScript file defines outside of any block, in their order."""
    return _TOP_LEVEL.findall(text)


def _parts(name: str) -> dict[str, str]:
    """Return a file and all that it imports, each after what it needs itself."""
    parts: dict[str, str] = {}
    _inline(name, (), parts)
    _refuse_colliding_names(parts)
    return parts


def _joined(parts: dict[str, str]) -> str:
    """Return the files as one text, without the word that exports."""
    return "\n".join(f"// {file}\n{_EXPORT.sub('', text)}" for file, text in parts.items())


def _inline(name: str, importers: tuple[str, ...], parts: dict[str, str]) -> None:
    """Put a file into ``parts`` after all that it imports."""
    if name in parts:
        return
    if name in importers:
        circle = " -> ".join([*importers[importers.index(name) :], name])
        raise AssetError(f"expected imports without a circle, got {circle}; move what both need")
    text = _source(name)
    for found in _IMPORT.finditer(text):
        file = posixpath.normpath(posixpath.join(posixpath.dirname(name), found["file"]))
        _inline(file, (*importers, name), parts)
        wanted = [word.strip() for word in found["names"].split(",") if word.strip()]
        offered = _EXPORTED.findall(_source(file))
        missing = [word for word in wanted if word not in offered]
        if missing:
            raise AssetError(f"{name}: imports {missing} from {file!r}, which exports {offered}")
    body = _IMPORT.sub("", text)
    left_over = _LEFT_OVER.search(_EXPORT.sub("", body))
    if left_over:
        raise AssetError(
            f"{name}: expected only `import {{ name }} from './file.js';` or `'../folder/file.js'` "
            f"and `export` before function, const or class, got {left_over[0]!r}"
        )
    parts[name] = body


def _refuse_colliding_names(parts: dict[str, str]) -> None:
    """Refuse files of one module that define the same name at their top level."""
    owner: dict[str, str] = {}
    for file, text in parts.items():
        for word in top_level_names(text):
            if word in owner:
                raise AssetError(
                    f"{file}: {word!r} is defined in {owner[word]!r} as well, and all files of a "
                    "widget share one scope; rename one of them"
                )
            owner[word] = file


@cache
def _source(name: str) -> str:
    """Return the text of a file of the explorer, with a line end at its end."""
    path = FOLDER / name
    try:
        return path.read_text(encoding="utf-8").rstrip("\n") + "\n"
    except FileNotFoundError as error:
        raise AssetError(f"expected a file {name!r} in {FOLDER}, found none") from error
