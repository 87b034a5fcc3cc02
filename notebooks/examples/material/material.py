"""A metric of one's own: how far the predicted balance of material is from the true one."""

import chess

from workbench.metrics import Metric, Pair

VALUES = dict(zip(chess.PIECE_TYPES, (1, 3, 3, 5, 9, 0), strict=True))


class MaterialDifference(Metric):
    """Absolute difference of the balances of material of both boards."""

    name = "material_difference"
    title = "difference in material"
    sentence = "Absolute difference of White's material less Black's between both boards, in pawns."
    unit = "pawns"
    direction = "lower"
    range = (0.0, 2.0 * 64 * 9)
    digits = 0

    def applies(self, environment):
        """Boards of chess have material."""
        return environment.name == "chess"

    def value(self, pair: Pair) -> float:
        """Return the difference in pawns."""
        return float(abs(balance(pair.true.state) - balance(pair.predicted.state)))


def balance(state) -> int:
    """Return White's material less Black's."""
    pieces = state.board().piece_map().values()
    return sum(VALUES[piece.piece_type] * (1 if piece.color else -1) for piece in pieces)
