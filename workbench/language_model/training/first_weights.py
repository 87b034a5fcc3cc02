"""The random weights with which training begins."""

import numpy as np
from numpy.typing import NDArray

from workbench.language_model.network import Shape, weight_shapes


def first_weights(shape: Shape, seed: int) -> dict[str, NDArray[np.float32]]:
    """Return the weights with which training begins."""
    generator = np.random.default_rng(seed)
    depth = 2 * (shape.layers + shape.blocks)
    weights = {}
    for name, size in weight_shapes(shape).items():
        if name == "ply":
            values = _waves(*size)
        elif len(size) == 1:
            values = np.ones(size)
        else:
            values = generator.normal(size=size) * _scale(name, size[0], depth)
        weights[name] = values.astype(np.float32)
    return weights


def _scale(name: str, inputs: int, depth: int) -> float:
    if name.endswith((".out", ".narrow")):
        return float((inputs * depth) ** -0.5)
    if name.startswith(("encoder.", "decoder.")):
        return float(inputs**-0.5)
    if name in {"last", "output", "move_from", "move_to", "move_promotion"}:
        return float(0.3 * inputs**-0.5)
    return 0.1 if name == "slot" else 0.5


def _waves(plies: int, width: int) -> NDArray[np.float64]:
    """Sines of periods from 2 to 512 plies: neighbours are alike, and parity is plain."""
    turn = np.arange(plies)[:, None] * np.pi / 2.0 ** np.linspace(0, 8, width // 2)
    return 0.5 * np.concatenate([np.sin(turn + 0.5), np.cos(turn + 0.5)], axis=-1)
