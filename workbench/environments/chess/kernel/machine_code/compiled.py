"""How the functions of the kernel are compiled: two decorators, and where the machine code is kept.

This module alone imports numba, and only the modules of compiled code import this one, so that
``import workbench.environments.chess.kernel`` stays fast.
"""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np
from llvmlite import binding  # type: ignore[import-untyped]
from llvmlite import ir as llvm
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.core import sigutils as untyped_sigutils
from numba.extending import intrinsic, register_jitable
from numpy.typing import NDArray

from workbench.environments.chess.compile_progress import count_compiled

# Their functions are untyped, and the types of `njit` leave out some of its options.
_cgutils: Any = untyped_cgutils
_sigutils: Any = untyped_sigutils
_njit: Any = numba.njit

Function = TypeVar("Function", bound=Callable[..., object])

BOARD: Final = "UniTuple(uint64,10)"
"""The numba type of an unpacked board; its order is documented in board.py."""


def compiled(signature: str, *, entry: bool = False) -> Callable[[Function], Function]:
    """Compile a function for one signature, without the interpreter's lock, kept on disk.

    Args:
        signature: The types of result and arguments as numba writes them.
        entry: Whether Python calls it, and no compiled function does.
    """
    arguments, result_kind = _sigutils.normalize_signature(signature)

    def decorate(function: Function) -> Function:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        if function.__name__ in function.__code__.co_names:
            # It calls itself. numba would infer all its types again at each of these calls.
            function.__globals__[function.__name__] = _jump(
                arguments, result_kind, lambda builder, _: builder.function
            )
        result: Any = _compile(function, signature, cache=True, no_cpython_wrapper=not entry)
        count_compiled(name)
        return cast("Function", result if entry else _called_by_address(result, name))

    return decorate


def inlined(function: Function) -> Function:
    """Put the machine code of a function into each of its callers."""
    return cast("Function", _compile(function, None, forceinline=True, no_cpython_wrapper=True))


def also_compiled(function: Function) -> Function:
    """Let compiled functions call a function that Python runs as it stands."""
    return register_jitable(function)


def _compile(function: Any, signature: str | None, **options: bool) -> Any:
    # Without a signature, for the types with which compiled functions call it. Without wrappers
    # that nobody calls: they would take longer to compile than many a function.
    return _njit(
        signature, nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options
    )(function)  # fmt: skip


def _called_by_address(dispatcher: Any, name: str) -> Any:
    """Return a function for compiled callers that jumps to the one compilation of a dispatcher.

    A dispatcher that is called itself is compiled again into each caller, and with it all that it
    calls: every level of calls would compile everything below it once more.
    """
    (found,) = dispatcher.overloads.values()
    symbol = f"workbench.{name}"
    binding.add_symbol(symbol, found.library.get_pointer_to_function(found.fndesc.llvm_func_name))
    return _jump(
        found.signature.args, found.signature.return_type,
        lambda builder, kind: _cgutils.get_or_insert_function(builder.module, kind, symbol),
    )  # fmt: skip


def _jump(arguments: Any, result: Any, target: Callable[[Any, Any], Any]) -> Any:
    """Return a function for compiled callers that calls a function, whatever it is then.

    Args:
        arguments: Their types.
        result: Its type.
        target: Takes the builder and the type of the function, and returns the function.
    """

    def typed(typing_context: Any, *given: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = context.call_conv.get_function_type(result, arguments)
            status, value = context.call_conv.call_function(
                builder, target(builder, kind), result, arguments, values
            )
            with _cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return result(*arguments), generate

    return _intrinsic_of(typed, len(arguments))


def table(name: str, words: NDArray[np.uint64]) -> Any:
    """Return a function for compiled callers that looks a word up, by its index in each dimension.

    Its machine code reads the memory of the array; numba would copy the array into each caller.

    Args:
        name: Of the table, unlike that of any other.
        words: The table; it must not change.
    """
    symbol = f"workbench.{name}"
    kept = np.ascontiguousarray(words)
    binding.add_symbol(symbol, kept.ctypes.data)

    def typed(typing_context: Any, *indices: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, places: Any) -> Any:
            word = context.get_value_type(types.uint64)
            memory = builder.module.globals.get(symbol)
            if memory is None:
                memory = llvm.GlobalVariable(
                    builder.module, llvm.ArrayType(word, kept.size), symbol
                )
                memory.global_constant = True
            place = word(0)
            for index, length in zip(places, kept.shape, strict=True):
                place = builder.add(builder.mul(place, word(length)), index)
            return builder.load(builder.gep(memory, [word(0), place]))

        return types.uint64(*[types.uint64] * kept.ndim), generate

    return _intrinsic_of(typed, kept.ndim)


def _intrinsic_of(typed: Any, count: int) -> Any:
    # numba looks for one parameter for each argument.
    names = ["typing_context", *(f"argument_{number}" for number in range(count))]
    parameters = [Parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in names]
    vars(typed)["__signature__"] = Signature(parameters)
    return intrinsic(typed)
