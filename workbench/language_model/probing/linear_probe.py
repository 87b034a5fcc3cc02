"""A linear probe: multinomial logistic regression from hidden states to labels with several values.

Each label has a weight vector and an intercept for each of its values; the value with the largest sum
is the answer. The penalised likelihood is convex, so the fit does not depend on where it begins.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from workbench.errors import InvalidArgumentError

Vectors = NDArray[np.float32]
Labels = NDArray[np.int64]

PENALTY: Final = 1e-3
ITERATIONS: Final = 30
_NEGLIGIBLE: Final = 1e-6
_MEMORY: Final = 10


@dataclass(frozen=True, slots=True)
class LinearProbe:
    """A fitted probe.

    Attributes:
        weights: Shape (width, labels, values).
        intercepts: Shape (labels, values).
    """

    weights: Vectors
    intercepts: Vectors

    def answers(self, vectors: Vectors) -> Labels:
        """Return the likeliest value of each label.

        Args:
            vectors: Shape (rows, width).

        Returns:
            Shape (rows, labels).
        """
        width = len(self.weights)
        sums = vectors @ self.weights.reshape(width, -1) + self.intercepts.reshape(-1)
        answers: Labels = sums.reshape(len(vectors), *self.intercepts.shape).argmax(axis=-1)
        return answers


def fit_probe(
    vectors: Vectors,
    labels: Labels,
    values: int,
    *,
    penalty: float = PENALTY,
    iterations: int = ITERATIONS,
) -> LinearProbe:
    """Fit a probe by L-BFGS.

    Directions are scaled to variance 1 first, and those that hardly vary are left out.

    Args:
        vectors: Shape (rows, width).
        labels: Shape (rows, labels), each in ``range(values)``.
        values: How many values a label has; a label may use fewer.
        penalty: Of the squared weights on the scaled directions, above 0, beside the mean negative
            log-likelihood.
        iterations: Of L-BFGS, at most.

    Raises:
        InvalidArgumentError: If shapes do not fit, or a number is out of range.
    """
    rows, count = labels.shape
    if len(vectors) != rows or rows < 2:
        raise InvalidArgumentError(
            f"expected as many labels as vectors, at least 2, got {rows} and {len(vectors)}"
        )
    if labels.min() < 0 or labels.max() >= values or not penalty > 0 or iterations < 1:
        raise InvalidArgumentError(
            f"expected labels in range({values}), a penalty above 0 and at least 1 iteration, got "
            f"labels from {labels.min()} to {labels.max()}, {penalty!r} and {iterations!r}"
        )
    centre = vectors.mean(axis=0)
    scaling = _scaling(vectors - centre)
    # With a constant at the end, for the intercepts.
    scaled = np.ones((rows, scaling.shape[1] + 1), np.float32)
    scaled[:, :-1] = (vectors - centre) @ scaling
    # The values of a label are added up and compared: quickest where labels lie side by side.
    places = (np.arange(rows)[:, None] * values + labels) * count + np.arange(count)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(-1, count, values)
        by_value = weights.swapaxes(1, 2).astype(np.float32, order="C")
        sums = (scaled @ by_value.reshape(len(weights), -1)).reshape(rows, values, count)
        sums -= sums.max(axis=1, keepdims=True)
        each = sums.reshape(-1)
        right = each[places].sum(dtype=np.float64)
        np.exp(sums, out=sums)
        totals = sums.sum(axis=1, keepdims=True)
        likelihood = right - np.log(totals).sum(dtype=np.float64)
        sums /= totals
        each[places] -= 1
        gradient = (scaled.T @ sums.reshape(rows, -1)).astype(np.float64) / rows
        gradient = gradient.reshape(-1, values, count).swapaxes(1, 2).reshape(weights.shape)
        kept = weights[:-1]
        gradient[:-1] += penalty * kept
        return -likelihood / rows + penalty / 2 * float((kept**2).sum()), gradient.reshape(-1)

    first = np.zeros((scaled.shape[1], count * values))
    first[-1] = _log_shares(labels, values).reshape(-1)
    found = minimize(
        loss,
        first.reshape(-1),
        args=(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxcor": _MEMORY},
    )
    weights = found.x.reshape(first.shape).astype(np.float32)
    own = scaling @ weights[:-1]
    intercepts = weights[-1] - centre @ own
    return LinearProbe(own.reshape(-1, count, values), intercepts.reshape(count, values))


def _scaling(centred: Vectors) -> Vectors:
    variances, directions = np.linalg.eigh(centred.T.astype(np.float64) @ centred / len(centred))
    kept = variances > _NEGLIGIBLE * max(variances.max(), np.finfo(float).tiny)
    scaling: Vectors = (directions[:, kept] / np.sqrt(variances[kept])).astype(np.float32)
    return scaling


def _log_shares(labels: Labels, values: int) -> NDArray[np.float64]:
    counts = np.stack([np.bincount(label, minlength=values) for label in labels.T])
    shares: NDArray[np.float64] = np.log((counts + 0.5) / (len(labels) + 0.5 * values))
    return shares
