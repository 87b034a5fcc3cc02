"""The head of a Markdown file as YAML, which is read before the text."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.reports.exports.json_text import json_value

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_RESERVED: Final = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
"""Words that YAML takes for something else than a text."""


def front_matter(values: Mapping[str, Any]) -> str:
    """Return the head of a Markdown file.

    Args:
        values: Of mappings, lists, texts, numbers and None, as `workbench.reports.exports.json_text` takes
            them. Floats read back exactly; texts stand in quotes, on one line each.
    """
    return "\n".join(["---", *_lines(json_value(values)), "---", ""])


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _entry(f"{_scalar(name)}:", item)
    elif isinstance(value, list) and value:
        for item in value:
            first, *rest = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(value)


def _entry(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        yield name
        yield from (f"  {line}" for line in _lines(value))
    else:
        yield f"{name} {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED
        return value if plain else _quoted(value)
    text = json.dumps(value)
    if isinstance(value, float) and "e" in text and "." not in text:
        # YAML takes 1e-05 for a text.
        return text.replace("e", ".0e")
    return text


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    number = ord(sign)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
