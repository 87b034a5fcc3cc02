"""Seeds of the independent parts of a run, derived from one seed and the name of the part."""

import hashlib


def derived_seed(seed: int, *names: object, bits: int = 63) -> int:
    """Return the seed of the part called ``names`` in a run seeded with ``seed``.

    The result depends on the arguments alone: not on the order of the work, the process, or how
    many workers share it.

    Args:
        seed: The seed of the whole run, at least 0.
        names: What distinguishes this part from the others; each is taken by its ``str``.
        bits: From 1 to 256.

    Returns:
        An integer in [0, 2**bits).
    """
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") >> (256 - bits)
