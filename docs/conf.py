"""Settings of the documentation site; `make docs` builds it from what docs/site_sources.py lays out."""

import importlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from workbench import __version__

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "World-State Workbench"
release = __version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.githubpages",
    "mathml",
]
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_html_meta = {
    "description": tomllib.loads(PROJECT.read_text("utf-8"))["project"]["description"]
}
# What docs/site_sources.py has run is shown as it is; widgets by the HTML that stands for them.
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_mime_priority_overrides = [("*", "application/vnd.jupyter.widget-view+json", None)]
nb_merge_streams = True

# In docstrings, `name` in single backticks is a reference.
default_role = "py:obj"
nitpicky = True
# Other packages have sites of their own, which are not fetched.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!workbench\b).*"),
    # Compiled functions, which autodoc does not describe.
    (
        r"py:.*",
        r"workbench\.environments\.chess\.kernel\.(?!kernel_functions|cache)\w+\..*",
    ),
    # Type variables, which have no place of their own.
    (r"py:.*", r"workbench\..*\.(Action|Function|Item|Key|Result|State|StateOfTwin|_State|_T)"),
]
# A word before a colon that several classes have as an attribute.
# Lessons save their record beside what they show; the site shows what they show.
suppress_warnings = ["ref.python", "mystnb.unknown_mime_type"]
autodoc_default_options = {
    "members": True,
    "no-value": True,
}
# Frameworks that `make setup` leaves out.
autodoc_mock_imports = ["jax", "optax", "reasoning_gym", "torch"]
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Class attributes", "attributes")]
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "World-State Workbench"
html_favicon = "../workbench/explore/page/icon.svg"
html_logo = html_favicon
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]
# What hosts of static files look for at the top: the page for what is not there, and the head of a Space.
html_extra_path = ["404.html", "../.huggingface/README.md"]
html_css_files = ["site.css"]
html_sidebars = {"docs/commands": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": html_title, "alt_text": ""},
    "navigation_with_keys": False,
    "show_prev_next": False,
    # It would lie on boards that stand at the end of a phone's screen.
    "back_to_top_button": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_depth": 2,
}


def escape_bars(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Have a bar in a docstring be a bar, as in the size of a set: it is no substitution."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def return_one_text(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Have what is returned be one text: napoleon takes what stands before a colon as a type."""
    for place, line in enumerate(lines[:-1]):
        if line.strip() in ("Returns:", "Yields:"):
            first = lines[place + 1].lstrip()
            lines[place + 1] = lines[place + 1].removesuffix(first) + f": {first}"


def skip_repeated(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of named tuples, which the attributes in the docstring describe."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def named(target: str) -> Any:
    """Return what a dotted name of a module's attribute stands for; None if there is none."""
    module, _, name = target.rpartition(".")
    try:
        # Modules are imported where they are read, which may be another process.
        return getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError:
        return None


def follow_export(app: Sphinx, env: Any, node: Any, contents: Any) -> Any:
    """Resolve a name that a package lends out, such as workbench.affordance.exact_profile."""
    target, domain = node["reftarget"], env.domains["py"]
    lent = named(target) if target.startswith("workbench.") else None
    for known in domain.objects:
        same = known.rpartition(".")[2] == target.rpartition(".")[2]
        if lent is not None and same and known != target and named(known) is lent:
            return domain.resolve_xref(
                env, node["refdoc"], app.builder, "obj", known, node, contents
            )
    return None


def add_live_pages(app: Sphinx, config: Any) -> None:
    """Have pages that need no more than themselves stand at the top of the site, and the engines of boards and games in it once."""
    config.html_extra_path += [str(Path(app.srcdir) / "live")]
    config.html_static_path += [str(Path(app.srcdir) / "engine")]


def load_engine(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Have a page with boards or games load what makes them live once one comes near the window."""
    if re.search("data-live-(pair|game|reader)=", context.get("body", "")):
        app.add_js_file("load_engine.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Connect what is done to docstrings and references; Sphinx calls this."""
    # Before napoleon, whose own lines have bars and colons that mean something.
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
    app.connect("autodoc-process-docstring", return_one_text, priority=100)
    app.connect("autodoc-skip-member", skip_repeated)
    app.connect("missing-reference", follow_export)
    app.connect("config-inited", add_live_pages)
    app.connect("html-page-context", load_engine)
