"""One true board compared with one reply: the class of the reply, and every measure of it."""

import math
from typing import Any

from workbench.answers.classification import classify, plain_fen
from workbench.environments.chess.chess960 import chess960_board
from workbench.errors import InvalidFenError
from workbench.long_texts import quoted
from workbench.scoring.affordance_scores import affordance_scores
from workbench.scoring.parameters import MEASURES, ScoringParameters
from workbench.scoring.score_rows import is_state, text_scores


def compare(true_fen: str, reply: str, parameters: ScoringParameters) -> dict[str, Any]:
    """Compare a reply, a FEN or a model's whole answer, with the true board.

    Args:
        true_fen: A FEN that python-chess reads.
        reply: Any text.
        parameters: How to score; the exact method gives all depths up to m, an estimator m alone.

    Returns:
        Values as JSON can hold them, undefined ones None: reply_class, predicted_fen, status,
        reason, depths, precision and recall at these depths (for an estimator also
        precision_standard_error and recall_standard_error), exact_match, levenshtein,
        levenshtein_to_empty, board_accuracy and the rest of the text metrics, and the parameters.

    Raises:
        InvalidFenError: If the true FEN cannot be read, or is of Chess960.
    """
    true = plain_fen(true_fen)
    state = true.state
    if reason := chess960_board(true):
        raise InvalidFenError(
            f"expected a true FEN of standard chess, got {quoted(true_fen)}: {reason}"
        )
    prediction = classify(reply)
    taken = is_state(str(prediction.reply_class), parameters.ill_formed)
    predicted = prediction.fen
    (values,) = affordance_scores(
        [state], [predicted.state if taken else None], parameters, [parameters.seed]
    )
    measured = dict(zip(parameters.measures(), values, strict=True))
    result: dict[str, Any] = {
        "reply_class": str(prediction.reply_class),
        "predicted_fen": prediction.predicted_fen,
        "status": list(prediction.status),
        "reason": prediction.reason,
        "depths": list(parameters.depths()),
        **{
            f"{measure}{suffix}": [measured[f"{measure}_{m}{suffix}"] for m in parameters.depths()]
            for measure in MEASURES
            for suffix in parameters.suffixes()
        },
        **text_scores(true, predicted),
        "depth": parameters.depth,
        "terminal": parameters.terminal,
        "ill_formed_policy": parameters.ill_formed,
        "method": parameters.method,
    }
    return {key: _defined(value) for key, value in result.items()}


def _defined(value: Any) -> Any:
    if isinstance(value, list):
        return [_defined(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
