"""How the functions of the kernel are compiled: two decorators, and where the machine code is kept.

This module alone imports numba, and only the modules of compiled code import this one, so that
``import workbench.environments.chess.kernel`` stays fast.
"""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic, register_jitable

from workbench.environments.chess.compile_progress import count_compiled

# Its functions are untyped.
_cgutils: Any = untyped_cgutils

Function = TypeVar("Function", bound=Callable[..., object])

BOARD: Final = "UniTuple(uint64,10)"
"""The numba type of an unpacked board; its order is documented in board.py."""


def compiled(signature: str, *, entry: bool = False) -> Callable[[Function], Function]:
    """Compile a function for one signature, without the interpreter's lock, kept on disk.

    Args:
        signature: The types of result and arguments as numba writes them.
        entry: Whether Python calls it too; compiled functions that call it then compile it again.
    """

    def decorate(function: Function) -> Function:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        result: Any = numba.njit(signature, cache=True, nogil=True, error_model="numpy")(function)
        count_compiled(name)
        return cast("Function", result if entry else _called_by_address(result, name))

    return decorate


def inlined(function: Function) -> Function:
    """Put the machine code of a function into each of its callers."""
    result: Any = numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
    return cast("Function", result)


def also_compiled(function: Function) -> Function:
    """Let compiled functions call a function that Python runs as it stands."""
    return register_jitable(function)


def _called_by_address(dispatcher: Any, name: str) -> Any:
    """Return a function for compiled callers that jumps to the one compilation of a dispatcher.

    A dispatcher that is called itself is compiled again into each caller, and with it all that it
    calls: every level of calls would compile everything below it once more.
    """
    (found,) = dispatcher.overloads.values()
    symbol = f"workbench.{name}"
    binding.add_symbol(symbol, found.library.get_pointer_to_function(found.fndesc.llvm_func_name))

    def typed(typing_context: Any, *arguments: Any) -> Any:
        signature = found.signature

        def generate(context: Any, builder: Any, given: Any, values: Any) -> Any:
            kind = context.call_conv.get_function_type(signature.return_type, signature.args)
            function = _cgutils.get_or_insert_function(builder.module, kind, symbol)
            status, result = context.call_conv.call_function(
                builder, function, signature.return_type, signature.args, values
            )
            with _cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return signature, generate

    # numba looks for one parameter for each argument.
    names = [
        "typing_context",
        *(f"argument_{number}" for number in range(len(found.signature.args))),
    ]
    parameters = [Parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in names]
    vars(typed)["__signature__"] = Signature(parameters)
    return intrinsic(typed)
