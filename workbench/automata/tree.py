"""The homogeneous tree of the paper's section 3, where p_m and r_m are known in closed form."""

from dataclasses import dataclass

from workbench.automaton import Automaton
from workbench.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class TreeState:
    """A node of one of the two trees; ``true`` says which, and every node of a tree is alike."""

    true: bool


class HomogeneousTree(Automaton[TreeState, int]):
    """Two infinite trees in which the same share of children is common at every node.

    The predicted tree permits the actions ``0 .. shared - 1`` and ``predicted_only`` more; the true
    tree the same shared ones and ``true_only`` others. Hence p_m = p^m and r_m = r^m with
    p = shared / (shared + predicted_only) and r = shared / (shared + true_only), exactly.

    Args:
        shared: Actions common to both trees at every node, at least 0.
        predicted_only: Actions of the predicted tree alone, at least 0.
        true_only: Actions of the true tree alone, at least 0.

    Raises:
        InvalidArgumentError: If a count is negative, or one of the trees would have no action.

    Source: arXiv 2508.19851, section 3 (each child is accepted with probability p).
    """

    def __init__(self, shared: int, predicted_only: int, true_only: int = 0) -> None:
        if (
            min(shared, predicted_only, true_only) < 0
            or shared + min(predicted_only, true_only) < 1
        ):
            raise InvalidArgumentError(
                "expected counts of at least 0 and at least one action in each tree, got "
                f"shared={shared!r}, predicted_only={predicted_only!r}, true_only={true_only!r}"
            )
        self._shared = tuple(range(shared))
        self._predicted = tuple(range(shared + predicted_only))
        self._true = self._shared + tuple(
            range(shared + predicted_only, shared + predicted_only + true_only)
        )

    @property
    def initial(self) -> TreeState:
        """The root of the true tree."""
        return TreeState(true=True)

    @property
    def predicted(self) -> TreeState:
        """The root of the predicted tree."""
        return TreeState(true=False)

    def permitted(self, state: TreeState) -> tuple[int, ...]:
        """Return the actions of the tree that ``state`` belongs to."""
        return self._true if state.true else self._predicted

    def successor(self, state: TreeState, action: int) -> TreeState:
        """Return the child, which is like its parent."""
        return state

    def precision(self, depth: int) -> float:
        """Return p_m for m = ``depth`` in closed form."""
        return float((len(self._shared) / len(self._predicted)) ** depth)

    def recall(self, depth: int) -> float:
        """Return r_m for m = ``depth`` in closed form."""
        return float((len(self._shared) / len(self._true)) ** depth)
