"""Places in memory that compiled functions give to each other as bare addresses.

An array that is passed on costs a count of its users, in memory that all threads share; an address
costs nothing.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

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

WORDS: Final = "CPointer(uint64)"
CODES: Final = "CPointer(uint16)"

MOST_MOVES: Final = 1792
"""More than any board permits: a square is reached by at most 8 knights and one piece from each
of 8 directions, of which at most 3 are pawns that promote in four ways: 64 * 25 = 1600 moves, and
two ways of castling."""


def _on_stack(kind: Any, length: int) -> Any:
    def typed(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _cgutils.alloca_once(builder, context.get_data_type(kind), size=length)

        return _pointer(kind)(), generate

    return intrinsic(typed)


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
        data = context.make_array(kind)(context, builder, arguments[0])
        for length in _cgutils.unpack_tuple(builder, data.shape)[1:]:
            place = builder.mul(place, length)
        return builder.gep(data.data, [place])

    return _pointer(array.dtype)(array, index), generate


address: Any = intrinsic(_address)
"""The address of an entry, by its first index, of a contiguous array. The array must be an argument
of the function that asks, or be used again later, by the next turn of a loop at least: otherwise
its memory may be gone."""
