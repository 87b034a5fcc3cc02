"""Why lines die on two boards: the main causes of what precision and recall lose."""

from dataclasses import replace
from typing import Any

from workbench.environments.chess import ChessState
from workbench.explore.board.explored_chess import CHESS
from workbench.explore.depth_profile import exact_depth
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_differences import board_differences, circumstances
from workbench.explore.losses.loss_words import MEASURES
from workbench.explore.losses.main_cause import Values, causes_in_words, main_cause


def board_causes(
    true: ChessState, predicted: ChessState, values: Values, settings: ExplorerSettings
) -> dict[str, Any]:
    """Return the main causes of the losses of two boards in words.

    Args:
        true: The true board.
        predicted: The predicted board.
        values: Their precision and recall at the depth of the settings.
        settings: How to measure. A smaller depth takes the place of theirs where walking the boards
            with a difference mended would take longer than their budget, all of them together.

    Returns:
        As `causes_in_words` does.
    """
    differences = board_differences(true, predicted)
    each = max(settings.exact_budget // max(len(differences), 1), 1)
    depth = settings.depth
    for difference in differences:
        limited = replace(settings, depth=depth, exact_budget=each)
        depth = exact_depth(CHESS, true, difference.mended, limited).depth
    if depth < settings.depth:
        values = _values(true, predicted, depth, settings)
    mended = [
        (difference.words, _values(true, difference.mended, depth, settings))
        for difference in differences
    ]
    around = circumstances(true, predicted, differences)
    causes = [main_cause(measure, values, mended, around) for measure in MEASURES]
    return causes_in_words(depth, values, causes)


def _values(
    true: ChessState, predicted: ChessState, depth: int, settings: ExplorerSettings
) -> Values:
    precision, recall = CHESS.exact_values(true, predicted, depth, settings.terminal)
    return precision[-1], recall[-1]
