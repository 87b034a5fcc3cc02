"""What numba has no names for: single machine instructions on 64-bit words, and bare addresses.

Compiled functions give places in memory to each other as addresses. An array that is passed on
costs a count of its users, in memory that all threads share; an address costs nothing.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

# Its functions are untyped, as is a type of numba where it is called.
_cgutils: Any = untyped_cgutils
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


def _word_instruction(emit: Callable[[Any, Any, Any], Any]) -> Any:
    """Make a function from word to word out of what emits its one instruction.

    Args:
        emit: Takes the builder, the word and a flag that says: undefined for 0.
    """

    def typed(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0], context.get_constant(types.boolean, True))

        return types.uint64(types.uint64), generate

    return intrinsic(typed)


popcount: Any = _word_instruction(lambda builder, word, flag: builder.ctpop(word))
"""How many bits are set."""

lowest: Any = _word_instruction(lambda builder, word, flag: builder.cttz(word, flag))
"""The index of the lowest set bit; undefined for 0."""

leading_zeros: Any = _word_instruction(lambda builder, word, flag: builder.ctlz(word, flag))
"""How many zeros stand above the highest set bit; undefined for 0."""


def _folded_product(typing_context: Any, a: Any, b: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = arguments[0].type
        wide = type(word)(128)
        first, second = (builder.zext(argument, wide) for argument in arguments)
        product = builder.mul(first, second)
        high = builder.lshr(product, wide(64))
        return builder.trunc(builder.xor(high, product), word)

    return types.uint64(types.uint64, types.uint64), generate


folded_product: Any = intrinsic(_folded_product)
"""The high word of the product of two words, exclusive-or its low word."""


def _signed(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return types.int64(types.uint64), generate


signed: Callable[[Any], int] = cast("Any", intrinsic(_signed))
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
