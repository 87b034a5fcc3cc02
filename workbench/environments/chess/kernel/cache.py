"""Loading and caching of compiled modules, and reports of their compilation."""

import gc
import hashlib
import importlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Final, Literal, get_args

from platformdirs import user_cache_path

Listener = Callable[[str], None]

_LISTENERS: Final[list[Listener]] = []


@contextmanager
def compilation_listener(listener: Listener) -> Iterator[None]:
    """Give reports of any compilation to a function until the block ends."""
    _LISTENERS.append(listener)
    try:
        yield
    finally:
        _LISTENERS.remove(listener)


@contextmanager
def compiling(name: str, folder: Path) -> Iterator[None]:
    """Report the compilation of a module in the block, unless a folder holds its machine code."""
    mark = folder / f"{name}.{sys.implementation.cache_tag}"
    if mark.exists():
        yield
        return
    began = perf_counter()
    _tell(f"Compiling the chess kernel, once: {name}.")
    yield
    mark.touch()
    _tell(f"The chess kernel is compiled, in {perf_counter() - began:.0f} s; kept in {folder}.")


def _tell(words: str) -> None:
    print(f"workbench: {words}", file=sys.stderr, flush=True)
    for listener in _LISTENERS:
        listener(words)


CompiledModule = Literal["joint_walk", "particles", "plain_walks"]

_UNCOMPILED: Final = frozenset({"__init__.py", "kernel_functions.py"})
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
        with compiling(name, folder):
            return importlib.import_module(f"{__package__}.{name}")
    finally:
        settings["CACHE_DIR"] = theirs
        if collects:
            gc.enable()


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
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder:
        yield Path(folder) / "world-state-workbench"
    yield user_cache_path("world-state-workbench", appauthor=False)
    user = os.getuid() if sys.platform != "win32" else os.environ.get("USERNAME", "user")
    yield Path(tempfile.gettempdir()) / f"world-state-workbench-{user}"


def _is_ours(folder: Path) -> bool:
    # Machine code is loaded without a check of its origin: a folder of another user, which a
    # shared folder for temporary files might hold, is not trusted.
    return sys.platform == "win32" or folder.stat().st_uid == os.getuid()
