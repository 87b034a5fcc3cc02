"""Where lines die on two boards: the losses over the joint tree, the costliest moves, and why."""

from dataclasses import replace
from typing import Any, Final

from workbench.automaton import Sink
from workbench.explore.board.explored_chess import CHESS
from workbench.explore.board.reading import no_state_words, read_board, state_of_true
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_causes import board_causes
from workbench.explore.losses.board_rules import board_rules
from workbench.explore.losses.loss_trees import Shown, all_lost, loss_trees

_DEFAULTS: Final = ExplorerSettings()


def lost_mass(
    true_fen: str,
    predicted_fen: str | None,
    settings: ExplorerSettings = _DEFAULTS,
    levels: int = 3,
    smallest_share: float = 0.01,
) -> dict[str, Any]:
    """Spread the lost probability mass over the lines on which it is lost.

    Args:
        true_fen: A FEN that python-chess reads.
        predicted_fen: Another; None or a blank text is no state, with all mass lost at the root.
        settings: How to measure; see `loss_trees`.
        levels: Moves of a line that are distinguished, at least 1.
        smallest_share: Branches with less than this share of all that is lost are merged.

    Returns:
        What `workbench.explore.losses.loss_trees.loss_trees` does, lines in UCI; and ``why``, the
        main causes in words, see `workbench.explore.losses.board_causes`.

    Raises:
        InvalidFenError: If a FEN cannot be read.
        InvalidArgumentError: If ``levels`` or ``smallest_share`` is out of range.
    """
    shown = Shown(levels, smallest_share)
    true, predicted = read_board(true_fen, "true"), read_board(predicted_fen, "predicted")
    state, true_state = predicted.state(settings.ill_formed), state_of_true(true)
    if isinstance(state, Sink) or predicted.board is None or true.board is None:
        return all_lost(no_state_words(predicted), settings.depth)
    rules = board_rules(true_state, state)
    found, values = loss_trees(CHESS, rules, true_state, state, settings, shown)
    limited = replace(settings, depth=found["depth"])
    return {**found, "why": board_causes(true_state, state, values, limited)}
