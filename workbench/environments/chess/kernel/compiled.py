"""How the functions of the kernel are compiled: one decorator, and where the machine code is kept.

This module alone imports numba, and only the modules of compiled code import this one, so that
``import workbench.environments.chess.kernel`` stays fast.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numba

from workbench.environments.chess.compile_progress import count_compiled

Function = TypeVar("Function", bound=Callable[..., object])

BOARD: Final = "UniTuple(uint64,10)"
"""The numba type of an unpacked board; its order is documented in board.py."""


def compiled(signature: str, *, inline: bool = False) -> Callable[[Function], Function]:
    """Compile a function for one signature, without the interpreter's lock, kept on disk.

    Args:
        signature: The types of result and arguments as numba writes them.
        inline: Whether machine code of the function is put into each of its callers.
    """

    def decorate(function: Function) -> Function:
        result: Any = numba.njit(
            signature,
            cache=True,
            nogil=True,
            error_model="numpy",
            forceinline=inline,
        )(function)
        count_compiled(f"{function.__module__.rpartition('.')[2]}.{function.__name__}")
        return cast("Function", result)

    return decorate
