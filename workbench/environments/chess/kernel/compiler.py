"""The compiler of the kernel: numba decorators, lookup tables, machine instructions and addresses; imports numba.

What it relies on beyond the documented parts of numba (`njit` with signatures, `intrinsic`,
`register_jitable`, the file cache), and what another version of numba or llvmlite may therefore break:

- Options of `njit` that are not documented: ``no_cpython_wrapper`` and ``no_cfunc_wrapper`` (no wrappers that
  nobody calls, which take half of the time to compile) and ``forceinline``.
- `numba.core.sigutils.normalize_signature` reads the texts of signatures.
- A compiled function is called by its address: `Dispatcher.overloads` holds its one compilation, of which
  ``library.get_pointer_to_function`` and ``fndesc.llvm_func_name`` give the address;
  `llvmlite.binding.add_symbol` gives the address a name for the whole process, and the linker of LLVM looks
  the name up, also in machine code that was loaded from the cache. So a module must be imported after those
  whose functions it calls, as Python does. Tables are named in the same way, as external constants.
- A function that calls itself finds, under its own name among its globals, a jump to ``builder.function``: to
  the LLVM function that is being built when the call is. This fails if numba puts a call elsewhere.
- Calls are written by ``context.call_conv`` (``get_function_type``, ``call_function``,
  ``return_status_propagate``), the convention between numba's functions, which is internal.
- `numba.core.cgutils`: ``alloca_once``, ``get_or_insert_function``, ``if_unlikely``, ``unpack_tuple``; and
  ``context.make_array`` for the layout of an array.
- `numba.types.CPointer` can be indexed in compiled code, for reading and for writing.
- `intrinsic` looks at the ``__signature__`` of a function, by which one function serves any number of arguments.
- The IR builder of llvmlite: ``ctpop``, ``cttz``, ``ctlz``, integers of 128 bits, and ``gep`` on typed pointers.
- ``numba.config.CACHE_DIR`` is read when a function is decorated (`workbench.environments.chess.kernel.cache`).
- Addresses into an array do not keep it alive: see `address`.

A change of any of these raises an error at loading, or gives wrong numbers, which the test of
`workbench.environments.chess.kernel.kernel_functions.kernel_works` finds: then the reference engine is used. What
it cannot catch is a crash of the process.
"""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Final, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import binding  # type: ignore[import-untyped]
from llvmlite import ir as llvm
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.core import sigutils as untyped_sigutils
from numba.extending import intrinsic, register_jitable
from numpy.typing import NDArray

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
        return cast("Function", result if entry else _called_by_address(result, name))

    return decorate


def inlined(function: Function) -> Function:
    """Put the machine code of a function into each of its callers."""
    return cast("Function", _compile(function, None, forceinline=True, no_cpython_wrapper=True))


also_compiled: Callable[[Function], Function] = register_jitable
"""Lets compiled functions call a function that Python runs as it is."""


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
    (overload,) = dispatcher.overloads.values()
    symbol = f"workbench.{name}"
    binding.add_symbol(
        symbol, overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name)
    )
    return _jump(
        overload.signature.args, overload.signature.return_type,
        lambda builder, kind: _cgutils.get_or_insert_function(builder.module, kind, symbol),
    )  # fmt: skip


def _jump(arguments: Any, result: Any, target: Callable[[Any, Any], Any]) -> Any:
    """Return a function for compiled callers that calls a function, whatever it is then."""

    def typed(typing_context: Any, *argument_types: Any) -> Any:
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
    array = np.ascontiguousarray(words)
    binding.add_symbol(symbol, array.ctypes.data)

    def typed(typing_context: Any, *indices: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, places: Any) -> Any:
            word = context.get_value_type(types.uint64)
            memory = builder.module.globals.get(symbol)
            if memory is None:
                memory = llvm.GlobalVariable(
                    builder.module, llvm.ArrayType(word, array.size), symbol
                )
                memory.global_constant = True
            place = word(0)
            for index, length in zip(places, array.shape, strict=True):
                place = builder.add(builder.mul(place, word(length)), index)
            return builder.load(builder.gep(memory, [word(0), place]))

        return types.uint64(*[types.uint64] * array.ndim), generate

    return _intrinsic_of(typed, array.ndim)


def _intrinsic_of(typed: Any, count: int) -> Any:
    # numba looks for one parameter for each argument.
    names = ["typing_context", *(f"argument_{number}" for number in range(count))]
    parameters = [Parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in names]
    vars(typed)["__signature__"] = Signature(parameters)
    return intrinsic(typed)


# Its functions are untyped, as is a type of numba where it is called.
_pointer: Any = types.CPointer

Words: TypeAlias = NDArray[np.uint64]
Codes: TypeAlias = NDArray[np.uint16]
Values: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int32]

WORDS: Final = "CPointer(uint64)"
CODES: Final = "CPointer(uint16)"
VALUES: Final = "CPointer(float64)"
PLACES: Final = "CPointer(int32)"

MOST_MOVES: Final = 1792
"""More than any board permits: a square is reached by at most 8 knights and one piece from each
of 8 directions, of which at most 3 are pawns that promote in four ways: 64 * 25 = 1600 moves, and
two ways of castling."""


def _instruction(signature: Any, emit: Callable[..., Any]) -> Any:
    """Return a function for compiled callers from what writes its instructions."""

    def typed(typing_context: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, *arguments)

        return signature, generate

    return _intrinsic_of(typed, len(signature.args))


def _folded_product(builder: Any, first: Any, second: Any) -> Any:
    wide = type(first.type)(128)
    product = builder.mul(builder.zext(first, wide), builder.zext(second, wide))
    high = builder.lshr(product, wide(64))
    return builder.trunc(builder.xor(high, product), first.type)


_FLAG: Final = llvm.Constant(llvm.IntType(1), 1)
_OF_WORD: Final = types.uint64(types.uint64)

popcount: Any = _instruction(_OF_WORD, lambda builder, word: builder.ctpop(word))
"""How many bits are set."""

lowest: Any = _instruction(_OF_WORD, lambda builder, word: builder.cttz(word, _FLAG))
"""The index of the lowest set bit; undefined for 0."""

leading_zeros: Any = _instruction(_OF_WORD, lambda builder, word: builder.ctlz(word, _FLAG))
"""How many zeros stand above the highest set bit; undefined for 0."""

folded_product: Any = _instruction(types.uint64(types.uint64, types.uint64), _folded_product)
"""The high word of the product of two words, exclusive-or its low word."""

signed: Callable[[Any], int] = _instruction(types.int64(types.uint64), lambda builder, word: word)
"""A word as a signed integer, with which counts and indices are made."""


def _on_stack(kind: Any, length: int) -> Any:
    def typed(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _cgutils.alloca_once(builder, context.get_data_type(kind), size=length)

        return _pointer(kind)(), generate

    return intrinsic(typed)


state_words: Callable[[], Words] = _on_stack(types.uint64, 4)
"""Make room for the state of random numbers, until the function that asks returns."""

square_words: Callable[[], Words] = _on_stack(types.uint64, 64)
"""Make room for a word for each square, until the function that asks returns."""

move_codes: Callable[[], Codes] = _on_stack(types.uint16, MOST_MOVES)
"""Make room for the codes of all moves of a board, until the function that asks returns."""

move_words: Callable[[], Words] = _on_stack(types.uint64, MOST_MOVES)
"""Make room for a word for each move of a board, until the function that asks returns."""


def _address(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        place = context.cast(builder, arguments[1], signature.args[1], types.intp)
        if isinstance(kind, types.CPointer):
            return builder.gep(arguments[0], [place])
        data = context.make_array(kind)(context, builder, arguments[0])
        for length in _cgutils.unpack_tuple(builder, data.shape)[1:]:
            place = builder.mul(place, length)
        return builder.gep(data.data, [place])

    return _pointer(array.dtype)(array, index), generate


address: Any = intrinsic(_address)
"""The address of an entry, by its first index, of a contiguous array, or so many entries beyond an
address. The array must be an argument of the function that asks, or be used again later, by the next
turn of a loop at least: otherwise its memory may be gone."""
