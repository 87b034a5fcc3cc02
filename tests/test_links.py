"""Every link in the texts of the repository leads to a file that exists, and to a heading in it."""

import json
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
PATTERNS = (
    "*.md",
    "benchmarks/*.md",
    "data/*.md",
    "docs/*.md",
    ".github/*.md",
    ".huggingface/*.md",
    "notebooks/**/*.ipynb",
    "workbench/app/pages/*.ipynb",
)
TEXTS = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))


def markdown(path):
    """The Markdown of a text, or of all the cells of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def tokens(text):
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        yield token
        yield from token.children or ()


def targets(text):
    """The addresses of links and images, those in HTML too."""
    for token in tokens(text):
        yield from (str(token.attrs[name]) for name in ("href", "src") if name in token.attrs)
        if token.type in ("html_inline", "html_block"):
            yield from re.findall(r"""\b(?:href|src)=["']([^"']+)""", token.content)


def anchors(text):
    """The names of headings as code hosts make them: small letters, hyphens for spaces."""
    for before, token in pairwise(tokens(text)):
        if before.type == "heading_open":
            yield re.sub(r"[^\w\- ]", "", token.content.lower()).replace(" ", "-")


def broken(path, text):
    """The relative links of a text, as if it were at a path, that lead nowhere."""
    for target in targets(text):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        file, _, anchor = unquote(target).partition("#")
        there = (path.parent / file).resolve() if file else path
        if (
            not there.exists()
            or not there.is_relative_to(ROOT)
            or (anchor and anchor not in anchors(text if there == path else markdown(there)))
        ):
            yield target


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_link_is_broken(path):
    assert list(broken(path, markdown(path))) == []


def test_links_are_found():
    assert len(TEXTS) > 20
    assert "data/README.md" in set(targets(markdown(ROOT / "README.md")))


@pytest.mark.parametrize(
    "text",
    [
        "[a file](docs/none.md)",
        "![an image](figures/none.png)",
        "[a heading](data/README.md#none)",
        "[a heading here](#none)\n\n# Some",
        '<img src="figures/none.png">',
        "[by name]\n\n[by name]: docs/none.md",
        "[outside](../outside.md)",
    ],
)
def test_what_leads_nowhere_is_found(text):
    assert len(list(broken(ROOT / "README.md", text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[a file](docs/commands.md)",
        "[a heading](docs/commands.md#workbench-games-cut)",
        "[a heading here](#some-words)\n\n## Some `words`",
        "`[code](docs/none.md)`",
        "[another site](https://example.org/none.md#none)",
    ],
)
def test_what_leads_somewhere_is_not(text):
    assert list(broken(ROOT / "README.md", text)) == []
