"""Loading and caching of compiled modules, and reports of the progress of compilation."""

import ast
import gc
import hashlib
import importlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Final, Literal, get_args

from platformdirs import user_cache_path

Listener = Callable[[str], None]

BETWEEN_REPORTS: Final = 2.0
"""Seconds between two reports at least, and the first comes only after as many."""

_LISTENERS: Final[list[Listener]] = []
_UNDER_WAY: Final[list["Compilation"]] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Give reports of any compilation to a function until the block ends."""
    _LISTENERS.append(listener)
    try:
        yield
    finally:
        _LISTENERS.remove(listener)


@contextmanager
def compiling(functions: Collection[str], folder: Path) -> Iterator[None]:
    """Report the compilation of functions that happens in the block; of none nothing is reported.

    Args:
        functions: As ``module.function``.
        folder: Where the machine code is kept.
    """
    if not functions:
        yield
        return
    _UNDER_WAY.append(Compilation(functions, folder))
    try:
        yield
    finally:
        _UNDER_WAY.pop().finished()


def count_compiled(function: str) -> None:
    """Count a function, ``module.function``, of the compilation under way, if there is one."""
    if _UNDER_WAY:
        _UNDER_WAY[-1].compiled(function)


class Compilation:
    """The compilation of some functions, which reports to standard error and to listeners.

    Args:
        functions: The functions to compile, as ``module.function``.
        folder: Where the machine code is kept.
        clock: Returns seconds.
    """

    def __init__(
        self,
        functions: Collection[str],
        folder: Path,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._folder = folder
        self._left = set(functions)
        self._total = len(self._left)
        self._clock = clock
        self._began = self._reported = clock()
        _tell(f"Compiling the chess kernel, once: {self._counted(self._total)}.")

    def compiled(self, function: str) -> None:
        """Count a function unless it came from the folder; report if the last report is some time ago."""
        if function not in self._left:
            return
        self._left.remove(function)
        now = self._clock()
        if now - self._reported < BETWEEN_REPORTS or not self._left:
            return
        self._reported = now
        done = self._total - len(self._left)
        _tell(
            f"Compiling the chess kernel, once: {done} of {self._counted(self._total)} after "
            f"{now - self._began:.0f} s."
        )

    @staticmethod
    def _counted(count: int) -> str:
        return f"{count} function{'' if count == 1 else 's'}"

    def finished(self) -> None:
        """Report that all are compiled."""
        _tell(
            f"The chess kernel is compiled, in {self._clock() - self._began:.0f} s; kept in {self._folder}."
        )


def _tell(words: str) -> None:
    print(f"workbench: {words}", file=sys.stderr, flush=True)
    for listener in _LISTENERS:
        listener(words)


CompiledModule = Literal["joint_walk", "particles", "plain_walks", "replays"]

_UNCOMPILED: Final = frozenset({"__init__.py", "kernel_functions.py", "packed_boards.py"})
# What is compiled: the other modules beside this one, and the rules that Python runs too.
_SOURCES: Final = (
    *sorted(path for path in Path(__file__).parent.glob("*.py") if path.name not in _UNCOMPILED),
    Path(__file__).parents[1] / "replay.py",
)
_LOADING: Final = threading.Lock()
_LOADED: Final[dict[str, ModuleType]] = {}


def compiled_module(name: CompiledModule) -> ModuleType:
    """Return a module of compiled functions, loading or compiling it on the first call.

    The call that must compile reports its progress on standard error. Any thread may call.
    """
    if name not in _LOADED:
        with _LOADING:
            if name not in _LOADED:
                _LOADED[name] = _load(name)
    return _LOADED[name]


def compile_all() -> Path:
    """Load or compile every module, and return the folder that keeps the machine code."""
    for name in get_args(CompiledModule):
        compiled_module(name)
    return cache_folder()


def _load(name: CompiledModule) -> ModuleType:
    import numba

    folder = cache_folder()
    # A function takes its folder from this setting when it is decorated. It is put back so that
    # compiled functions of others keep theirs.
    settings = vars(numba.config)
    theirs = settings["CACHE_DIR"]
    settings["CACHE_DIR"] = str(folder)
    # The compiler makes many objects that stay: to look for garbage meanwhile takes a tenth of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        with compiling(missing_functions(name, folder), folder):
            return importlib.import_module(f"{__package__}.{name}")
    finally:
        settings["CACHE_DIR"] = theirs
        if collects:
            gc.enable()


def missing_functions(name: str, folder: Path) -> set[str]:
    """Return the functions, ``module.function``, that a module needs and a folder does not hold."""
    kept = {path.name.partition("-")[0] for path in folder.rglob("*.nbi")}
    missing: set[str] = set()
    seen: set[str] = set()
    names = [name]
    while names:
        module = names.pop()
        source = Path(__file__).with_name(f"{module}.py")
        if module in seen or f"{__package__}.{module}" in sys.modules:
            continue
        seen.add(module)
        tree = ast.parse(source.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and _is_compiled(node):
                missing.add(f"{module}.{node.name}")
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                package, _, imported = node.module.rpartition(".")
                names += [imported] if package == __package__ else []
    return missing - kept


def _is_compiled(function: ast.FunctionDef) -> bool:
    calls = [each for each in function.decorator_list if isinstance(each, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id == "compiled" for call in calls)


@cache
def cache_folder() -> Path:
    """Return the folder that keeps the machine code, made if it was missing.

    It lies in ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache folder, and where that
    cannot be written, in the folder for temporary files.
    """
    import numba

    digest = hashlib.sha256(numba.__version__.encode())
    for source in _SOURCES:
        digest.update(source.read_bytes())
    name = f"kernel-{digest.hexdigest()[:16]}"
    for parent in _candidates():
        folder = parent / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            # Not writable: the next candidate is tried, and the last one always is.
            continue
        if _is_ours(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="world-state-workbench-"))


def _candidates() -> Iterator[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen) / "world-state-workbench"
    yield user_cache_path("world-state-workbench", appauthor=False)
    yield Path(tempfile.gettempdir()) / f"world-state-workbench-{_user()}"


def _user() -> str:
    return str(os.getuid()) if sys.platform != "win32" else os.environ.get("USERNAME", "user")


def _is_ours(folder: Path) -> bool:
    # Machine code is loaded without a check of its origin: a folder of another user, which a
    # shared folder for temporary files might hold, is not trusted.
    return sys.platform == "win32" or folder.stat().st_uid == os.getuid()
