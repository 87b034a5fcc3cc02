"""Random numbers of the compiled estimators: a state of four words, and nothing else, decides them.

The generator is xoshiro256++ (Blackman and Vigna, 2019), seeded through splitmix64; bounded
integers are unbiased by Lemire's rejection (2019).
"""

import numpy as np

from workbench.environments.chess.kernel.bitboards import ZERO, Word
from workbench.environments.chess.kernel.compiler import WORDS, Words, compiled, inlined

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@compiled(f"void(uint64,{WORDS})")
def seed_state(seed: Word, state: Words) -> None:
    """Set the state, shape (4,), to that of a seed."""
    for index in range(4):
        seed += _GAMMA
        mixed = (seed ^ (seed >> np.uint64(30))) * _FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
        state[index] = mixed ^ (mixed >> np.uint64(31))


@inlined
def draw(state: Words) -> Word:
    """Return 64 random bits, and move the state on."""
    first, second, third, fourth = state[0], state[1], state[2], state[3]
    total = first + fourth
    result: Word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + first
    third ^= first
    fourth ^= second
    state[1] = second ^ third
    state[0] = first ^ fourth
    state[2] = third ^ (second << np.uint64(17))
    state[3] = (fourth << np.uint64(45)) | (fourth >> np.uint64(19))
    return result


@inlined
def below(state: Words, bound: Word) -> Word:
    """Return a uniform integer in [0, bound), for a bound of at least 1 and below 2**32."""
    product = (draw(state) >> _HALF) * bound
    if product & _LOW < bound:
        threshold = ((_LOW + np.uint64(1)) - bound) % bound
        while product & _LOW < threshold:
            product = (draw(state) >> _HALF) * bound
    return product >> _HALF if bound else ZERO
