import pytest

from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import affordance_scores

TRUE = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
REPLIES = [TRUE, "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]


@pytest.mark.parametrize("workers", [1, 2, None])
def test_pairs_come_in_order_whatever_the_workers(workers):
    # The king's moves to d1, f1, d2 and f2 are shared; only where the pawn is gone from e2 it has e2 too.
    chosen = [REPLIES[index % 3] for index in range(40)]
    predicted = [*map(ChessState.from_fen, chosen), None]
    true = [ChessState.from_fen(TRUE)] * len(predicted)
    found = affordance_scores(
        ChessAutomaton(),
        true,
        predicted,
        ScoringParameters(depth=1),
        [0] * len(true),
        workers=workers,
    )
    expected = {REPLIES[0]: [1, 1], REPLIES[1]: [4 / 6, 4 / 6], REPLIES[2]: [4 / 5, 4 / 6]}
    assert found == [*(pytest.approx(expected[fen]) for fen in chosen), [0.0, 0.0]]
