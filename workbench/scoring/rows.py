"""Predictions to scores: state precision and recall beside the text metrics, a row a prediction.

What comes out depends on the predictions and the parameters alone. `workbench.scoring_run` does the
same over processes, resumable.
"""

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import pandas as pd
import pyarrow as pa

from workbench import text
from workbench.affordance import ESTIMATORS, Terminal, estimate, exact_profile
from workbench.affordance.terminal import check_walk
from workbench.automata import ChessAutomaton, ChessState
from workbench.automaton import SINK, Sink
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.seeds import derived_seed
from workbench.tables import (
    PREDICTIONS,
    as_frame,
)

IllFormedPolicy = Literal["as_is", "sink"]
"""``as_is``: python-chess's move generator on whatever is there. ``sink``: p = r = 0."""

COPIED: Final = (
    "position_id",
    "game_id",
    "source",
    "group",
    "ply",
    "model",
    "sample",
    "true_fen",
    "predicted_fen",
    "reply_class",
    "status",
    "reason",
)


@dataclass(frozen=True, slots=True)
class ScoringParameters:
    """How predictions are scored.

    Attributes:
        depth: m, at least 1.
        terminal: How games that are finished before m moves count.
        ill_formed: What is done with boards that cannot arise in chess.
        method: ``exact``, or the name of an estimator. The exact method gives p_1..p_m and
            r_1..r_m, an estimator p_m and r_m alone, with standard errors.
        samples: N of an estimator, for each batch.
        batches: Independent runs of an estimator.
        seed: Of an estimator; each row's own seed is derived from it and the row's identity.

    Raises:
        InvalidArgumentError: If a value is out of range.
    """

    depth: int = 4
    terminal: Terminal = "absorb"
    ill_formed: IllFormedPolicy = "as_is"
    method: str = "exact"
    samples: int = 500
    batches: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        check_walk(self.depth, self.terminal)
        if self.ill_formed not in get_args(IllFormedPolicy):
            raise InvalidArgumentError(
                f"expected ill_formed of {get_args(IllFormedPolicy)}, got {self.ill_formed!r}"
            )
        if self.method != "exact" and self.method not in ESTIMATORS:
            raise InvalidArgumentError(
                f"expected a method of {['exact', *ESTIMATORS]}, got {self.method!r}"
            )
        if self.samples < 1 or self.batches < 1 or self.seed < 0:
            raise InvalidArgumentError(
                "expected samples and batches of at least 1 and a seed of at least 0, got "
                f"{self.samples!r}, {self.batches!r}, {self.seed!r}"
            )

    def measures(self) -> list[str]:
        """Return the names of the affordance columns that these parameters give."""
        if self.method == "exact":
            depths = range(1, self.depth + 1)
            return [f"{name}_{m}" for name in ("precision", "recall") for m in depths]
        return [
            f"{name}_{self.depth}{suffix}"
            for name in ("precision", "recall")
            for suffix in ("", "_standard_error")
        ]


def scores_schema(parameters: ScoringParameters) -> pa.Schema:
    """Return the columns of a scores table; the affordance columns depend on the parameters."""
    copied = [PREDICTIONS.field(name) for name in COPIED]
    return pa.schema(
        [
            *copied,
            *((name, pa.float64()) for name in parameters.measures()),
            ("exact_match", pa.bool_()),
            ("levenshtein", pa.int32()),
            ("levenshtein_to_empty", pa.bool_()),
            ("exact_match_position", pa.bool_()),
            ("levenshtein_position", pa.int32()),
            ("exact_match_placement", pa.bool_()),
            ("levenshtein_placement", pa.int32()),
            ("board_accuracy", pa.float64()),
            *((f"correct_{name}", pa.bool_()) for name in text.FIELD_NAMES),
            ("terminal", pa.string()),
            ("ill_formed_policy", pa.string()),
            ("method", pa.string()),
            ("unscored", pa.string()),
        ]
    )


def predicted_state(
    predicted_fen: str | None, reply_class: str, ill_formed: IllFormedPolicy
) -> ChessState | Sink:
    """Return the state that a classified reply stands for, or the sink."""
    if predicted_fen is None or reply_class not in ("valid", "ill_formed"):
        return SINK
    if reply_class == "ill_formed" and ill_formed == "sink":
        return SINK
    return ChessState.from_fen(predicted_fen)


def affordance_scores(
    true: ChessState, predicted: ChessState | Sink, parameters: ScoringParameters, seed: int
) -> dict[str, float]:
    """Return precision and recall of one pair of states, under the names of `measures`."""
    automaton, depth, terminal = ChessAutomaton(), parameters.depth, parameters.terminal
    if parameters.method == "exact":
        if true == predicted and terminal == "absorb":
            values = [1.0] * (2 * depth)
        else:
            profile = exact_profile(automaton, true, predicted, depth, terminal)
            values = [*profile.precision, *profile.recall]
    else:
        values = []
        pairs = (("precision", predicted, true), ("recall", true, predicted))
        for measure, walks, accepts in pairs:
            found = estimate(
                automaton,
                walks,
                accepts,
                depth,
                method=parameters.method,
                samples=parameters.samples,
                batches=parameters.batches,
                seed=derived_seed(seed, measure),
                terminal=terminal,
            )
            values += [found.value, found.standard_error]
    return dict(zip(parameters.measures(), values, strict=True))


def text_scores(true_fen: str, predicted_fen: str | None) -> dict[str, Any]:
    """Return the text metrics of one prediction.

    Where there is no FEN at all the distance is the one to the empty text, and the column
    ``levenshtein_to_empty`` says so.
    """
    predicted = predicted_fen or ""
    return {
        "exact_match": text.exact_match(true_fen, predicted),
        "levenshtein": text.levenshtein(true_fen, predicted),
        "levenshtein_to_empty": not predicted,
        "exact_match_position": text.exact_match(true_fen, predicted, "position"),
        "levenshtein_position": text.levenshtein(true_fen, predicted, "position"),
        "exact_match_placement": text.exact_match(true_fen, predicted, "placement"),
        "levenshtein_placement": text.levenshtein(true_fen, predicted, "placement"),
        "board_accuracy": text.board_accuracy(true_fen, predicted),
        **{
            f"correct_{name}": right
            for name, right in text.field_correctness(true_fen, predicted).items()
        },
    }


def score_predictions(predictions: pd.DataFrame, parameters: ScoringParameters) -> pd.DataFrame:
    """Score a table of predictions in this process.

    A row whose true FEN cannot be read stays, with its measures undefined and the reason in
    ``unscored``.

    Args:
        predictions: Rows of the PREDICTIONS schema.
        parameters: How to score.

    Returns:
        As many rows in the same order, with the columns of `scores_schema`.
    """
    rows: list[dict[str, Any]] = []
    for row in predictions[list(COPIED)].to_dict("records"):
        fen = row["predicted_fen"] if isinstance(row["predicted_fen"], str) else None
        scores: dict[str, Any] = dict.fromkeys(parameters.measures(), math.nan)
        unscored = ""
        try:
            true = ChessState.from_fen(row["true_fen"])
            predicted = predicted_state(fen, row["reply_class"], parameters.ill_formed)
            seed = derived_seed(
                parameters.seed, row["position_id"], row["model"], row["sample"], "score"
            )
            scores |= affordance_scores(true, predicted, parameters, seed)
            scores |= text_scores(row["true_fen"], fen)
        except InvalidFenError as error:
            unscored = str(error)
        rows.append(
            {
                **{str(name): value for name, value in row.items()},
                **scores,
                "predicted_fen": fen,
                "terminal": parameters.terminal,
                "ill_formed_policy": parameters.ill_formed,
                "method": parameters.method,
                "unscored": unscored,
            }
        )
    schema = scores_schema(parameters)
    return as_frame(pa.Table.from_pylist(rows, schema=schema))
