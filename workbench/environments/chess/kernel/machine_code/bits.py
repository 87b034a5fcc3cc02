"""Single machine instructions on 64-bit words, which numba has no names for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from workbench.environments.chess.kernel.machine_code.compiled import inlined


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


@inlined
def signed(word: np.uint64) -> int:
    """Return a word as a signed integer, with which counts and indices are made."""
    return int(np.int64(word))
