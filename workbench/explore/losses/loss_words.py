"""Losses of precision and recall in words: the cost of a move or a branch, and the reason."""

import math
from dataclasses import dataclass
from typing import Final, Literal

import chess

from workbench.environments.chess.kernel import unpack_state
from workbench.explore.losses.joint_tree import JointNode, MoveCodes, move_of


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the two measures: from which board its lines are drawn.

    Attributes:
        name: ``precision`` or ``recall``.
        symbol: As in formulas.
        index: Where a `JointNode` has its weight and value of this measure.
        drawn: The board from which lines are drawn, in words.
        other: The board in which they are tried.
    """

    name: Literal["precision", "recall"]
    symbol: Literal["p", "r"]
    index: Literal[0, 1]
    drawn: str
    other: str

    def board(self, node: JointNode) -> chess.Board:
        """Return a node's board from which lines are drawn."""
        return unpack_state(node.true if self.index else node.predicted).board()

    def dying(self, codes: MoveCodes) -> list[int]:
        """Return the moves that are drawn and refused."""
        return codes.only_true if self.index else codes.only_predicted

    def each(self, node: JointNode) -> float:
        """Return the mass of each move of a node with moves found; NaN if there is none."""
        permitted = node.permitted()[self.index]
        return node.weights[self.index] / permitted if permitted else math.nan


MEASURES: Final = (
    Measure("precision", "p", 0, "in the prediction", "on the true board"),
    Measure("recall", "r", 1, "on the true board", "in the prediction"),
)


def percent(share: float) -> str:
    """Return a share in percent: one decimal, or two digits where it is under 1%."""
    if 0 < share < 0.00001:
        return "under 0.001%"
    return f"{100 * share:.2g}%" if 0 < share < 0.01 else f"{100 * share:.1f}%"


def named(board: chess.Board, code: int) -> str:
    """Return a move in SAN, as a board that permits it names it."""
    return board.san(move_of(code))


def finished_words(node: JointNode, measure: Measure) -> str | None:
    """Say that no line continues from a node with moves found because a game is over, or None.

    Lines drawn from a finished game are lost where the other game continues, and with it under the
    convention ``drop``. Where the other game alone is over, each move that is drawn is refused.
    """
    assert node.codes is not None
    if node.codes.shared or measure.dying(node.codes):
        return None
    if node.permitted()[1 - measure.index]:
        return f"the game is over {measure.drawn} but not {measure.other}"
    return "the game is over on both boards, and such lines are dropped"
