"""The provenance of a result: hashes of inputs and code, package versions, the commit."""

import ast
import hashlib
import json
import platform
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from workbench.errors import TableError

PACKAGES: Final = (
    "world-state-workbench", "chess", "numba", "numpy", "pandas", "pyarrow", "rapidfuzz", "scipy",
)  # fmt: skip
_LONGEST: Final = 40
_ROOT: Final = Path(__file__).resolve().parents[1]


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise TableError(f"{path}: expected a readable file, got: {error}") from error


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal; of a lone surrogate, as of a question mark."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def json_hash(value: Any) -> str:
    """Return the SHA-256 of what JSON can hold, in hexadecimal; the order of names has no part in it."""
    return text_hash(json.dumps(value, sort_keys=True))


def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    return dict(_package_versions())


@cache
def _package_versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def find_differences(
    earlier: Mapping[str, Any], current: Mapping[str, Any]
) -> dict[str, tuple[object, object]]:
    """Return the differences of two descriptions: by name, the earlier and the current value."""
    there, here = (_flat(json.loads(json.dumps(dict(one)))) for one in (earlier, current))
    return {
        name: (there.get(name), here.get(name))
        for name in sorted(there.keys() | here.keys())
        if there.get(name) != here.get(name)
    }


def _flat(description: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in description.items():
        if isinstance(value, dict):
            flat |= {f"{name} {inner}": each for inner, each in _flat(value).items()}
        else:
            flat[name] = value
    return flat


def differences_in_words(differences: Mapping[str, tuple[object, object]]) -> str:
    """Return what `find_differences` found in words, each value cut to a readable length."""
    return "; ".join(
        f"{name}: found {_short(there)}, requested {_short(here)}"
        for name, (there, here) in differences.items()
    )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def git_commit() -> str:
    """Return the commit of the workbench's own code, with ``+changes`` if it was edited.

    A checkout asks git, what was built of one has it in a file; elsewhere it is ``unknown``.
    """
    root = _ROOT.parent
    if not (root / ".git").exists():
        file = _ROOT / "commit.txt"
        return file.read_text(encoding="utf-8").strip() if file.exists() else "unknown"

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return commit + ("+changes" if git("status", "--porcelain", "--", "workbench") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


@cache
def code_hash(*modules: str) -> str:
    """Return the SHA-256 of the code of modules, and of all of the workbench that they import.

    It changes when the code does. Comments, docstrings and layout do not count, nor does
    unreachable code.
    """
    reached: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name], imported = _module(name)
            waiting += imported
    digest = hashlib.sha256()
    for name in sorted(reached):
        digest.update(f"{name}\n{reached[name]}".encode())
    return digest.hexdigest()


@cache
def _module(name: str) -> tuple[str, tuple[str, ...]]:
    path = _source(name)
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except OSError as error:
        raise TableError(f"{path}: expected a readable source file, got: {error}") from error
    parts: list[str] = []
    imports: list[ast.Import | ast.ImportFrom | ast.Attribute] = []
    _take_apart(tree, parts, imports)
    code = "".join(f"{part}\n" for part in parts)
    return code, tuple({module for node in imports for module in _imported(name, node)})


def _source(name: str) -> Path:
    path = _ROOT.joinpath(*name.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(name: str, node: ast.Import | ast.ImportFrom | ast.Attribute) -> Iterator[str]:
    """Yield the modules of the workbench that a module imports with a part of its code."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if is_of_workbench(alias.name))
    elif isinstance(node, ast.ImportFrom):
        if node.module and is_of_workbench(node.module):
            # The package itself only re-exports: nothing inside it takes a name from there.
            if node.module != _ROOT.name:
                yield node.module
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (module for module in inner if _source(module).exists())
    elif node.attr == "import_module":
        # Which module is known only when it runs: it may be any of the package.
        folder = _source(name).parent
        package = ".".join(folder.relative_to(_ROOT.parent).parts)
        yield from (f"{package}.{path.stem}" for path in folder.glob("[!_]*.py"))


def is_of_workbench(name: str) -> bool:
    """Return whether a module, named in full, is one of the workbench's own."""
    return name.split(".")[0] == _ROOT.name


def _take_apart(
    node: object, parts: list[str], imports: list[ast.Import | ast.ImportFrom | ast.Attribute]
) -> None:
    """Append a syntax tree as text, without docstrings, and those of its nodes that may import."""
    if isinstance(node, ast.AST):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute):
            imports.append(node)
        parts.append(f"({type(node).__name__}")
        for name in node._fields:
            value = getattr(node, name, None)
            # Empty fields depend on the version of Python; a context follows from the place.
            if value is not None and value != [] and name != "ctx":
                parts.append(name)
                value = _without_docstring(value) if name == "body" else value
                _take_apart(value, parts, imports)
        parts.append(")")
    elif isinstance(node, list):
        for item in node:
            _take_apart(item, parts, imports)
    else:
        parts.append(repr(node))


def _without_docstring(body: Any) -> Any:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body
