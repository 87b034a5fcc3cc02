"""Formulas as MathML, which browsers draw themselves: the site loads no script from the network."""

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def mathml(node: nodes.Element, *, block: bool) -> str:
    """Return a formula as MathML; one that cannot be read is a warning, and is shown as it is."""
    formula = node.astext()
    # The converter knows dots by the other of their two names, and fractions with braces.
    known = re.sub(r"\\frac(\d)(\d)", r"\\frac{\1}{\2}", formula.replace(r"\dots", r"\ldots"))
    try:
        return tex2mathml(known, as_block=block)
    except MathError as error:
        LOGGER.warning("formula %r: %s", formula, error, location=node)
        return f"<code>{escape(formula)}</code>"


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line of text."""
    writer.body.append(mathml(node, block=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula as a paragraph."""
    writer.body.append(f"<p>{mathml(node, block=True)}</p>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer; Sphinx calls this."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
