"""The boards that probes read from hidden states, beside those that the model writes, with scores.

Readers answer at the same positions. The model itself (``stated``). A linear probe of the state after
the last ply, which answers all squares and the other labels (``probe``). A linear probe of the state
after *each* ply, which says what piece that ply moved; the board is assembled from its answers and
the moves (``assembled``). Both probes of a network of the same shape with random weights. The same assembly
without any network, of the pieces that usually move between the same squares (``usual moved``). And what
is usual after as many plies (``usual``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.answers.answered_positions import predictions_table
from workbench.answers.model_replies import model_replies
from workbench.environments.registry import environment_named
from workbench.language_model.bundled_models import load_model
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.probing.board_labels import (
    VALUES,
    Labels,
    assembled_labels,
    labelled_fen,
    squares_of,
    standing,
)
from workbench.language_model.probing.hidden_boards import (
    HiddenBoards,
    boards_after,
    boards_to_fit,
    usual_labels,
    usual_moved,
)
from workbench.language_model.probing.linear_probe import ITERATIONS, Vectors, fit_probe
from workbench.language_model.training.first_weights import first_weights
from workbench.scoring import ScoringParameters, score
from workbench.seeds import derived_seed

STATED: Final = "stated"
PROBE: Final = "probe"
ASSEMBLED: Final = "assembled"
USUAL: Final = "usual"
USUAL_MOVED: Final = "usual moved"
UNTRAINED: Final = "untrained "
"""Before the names of the two probes where the network has random weights."""
NO_LAYER: Final = -1


@dataclass(frozen=True, slots=True)
class ProbedBoards:
    """What the readers found.

    Attributes:
        boards: A row for each position, reader and layer: model, reader, layer (`NO_LAYER` where there
            is none), position_id, game, group, moves, reply_class, true_state, predicted_state; shares
            of squares that are right: squares (of all), occupied (of those with a piece in truth) and
            moved (of those where a move put a piece that still stands there); board and pieces
            (whether all squares are right, and all that are occupied in truth); precision and recall.
        fitted: Boards on which each probe was fitted.
    """

    boards: pd.DataFrame
    fitted: int


def probed_boards(
    models: Sequence[str],
    positions: pd.DataFrame,
    parameters: ScoringParameters,
    *,
    games: int,
    per_game: int,
    iterations: int = ITERATIONS,
    seed: int = 0,
    jobs: int = 1,
) -> ProbedBoards:
    """Fit probes on games that no test position is from, and let all readers answer.

    Args:
        models: Names of bundled models.
        positions: To test on: rows of the POSITIONS schema, of bundled games.
        parameters: The parameters of scoring.
        games: Games to fit probes on.
        per_game: Boards of each, at most.
        iterations: Of the fit, at most.
        seed: Seed of the games and plies to fit on, and of the untrained weights.
        jobs: Workers.
    """
    answers: list[pd.DataFrame] = []
    fitted = 0
    for name in models:
        model = load_model(name)
        random = first_weights(model.shape, derived_seed(seed, "untrained"))
        untrained = LanguageModel(f"untrained {name}", random, model.description)
        stated = model_replies(positions, name, jobs=jobs)
        answers.append(stated.assign(model=name, reader=STATED, layer=NO_LAYER))
        for prefix, network in (("", model), (UNTRAINED, untrained)):
            fit = boards_to_fit(
                network, positions["game_id"], games=games, per_game=per_game, seed=seed
            )
            test, every = boards_after(network, positions)
            for layer in range(fit.vectors.shape[1]):
                for reader, labels in (
                    (PROBE, _probed(fit, test, layer, iterations)),
                    (ASSEMBLED, _assembled(fit, every, positions["moves"], layer, iterations)),
                ):
                    answers.append(_answers(positions, labels, name, prefix + reader, layer))
        games_of_test = [text.split() for text in positions["moves"]]
        usual = [assembled_labels(moves, usual_moved(fit, moves)) for moves in games_of_test]
        for reader, labels in (
            (USUAL, usual_labels(fit, test.plies)),
            (USUAL_MOVED, np.stack(usual)),
        ):
            answers.append(_answers(positions, labels, name, reader, NO_LAYER))
        fitted = len(fit.labels)
    asked = pd.concat(answers, ignore_index=True)
    # A reply's identity holds its setting, and has no reader or layer.
    asked["setting"] = asked["reader"] + " " + asked["layer"].astype(str)
    scores = score(asked.drop(columns=["reader", "layer"]), parameters, jobs=jobs)
    boards = pd.concat([scores, asked[["reader", "layer", "moves"]]], axis=1)
    return ProbedBoards(_compared(boards, parameters.depth), fitted)


def _probed(fit: HiddenBoards, test: HiddenBoards, layer: int, iterations: int) -> Labels:
    probe = fit_probe(fit.vectors[:, layer], fit.labels, VALUES, iterations=iterations)
    return probe.answers(test.vectors[:, layer])


def _assembled(
    fit: HiddenBoards,
    every: Sequence[Vectors],
    moves: "pd.Series[str]",
    layer: int,
    iterations: int,
) -> Labels:
    probe = fit_probe(fit.vectors[:, layer], fit.moved[:, None], VALUES, iterations=iterations)
    return np.stack(
        [
            assembled_labels(text.split(), probe.answers(states[:, layer])[:, 0].tolist())
            for text, states in zip(moves, every, strict=True)
        ]
    )


def _answers(
    positions: pd.DataFrame, labels: Labels, model: str, reader: str, layer: int
) -> pd.DataFrame:
    environment = environment_named("chess")
    replies: list[dict[str, Any]] = []
    for row in labels:
        fen = labelled_fen(row)
        prediction = environment.classify_state(fen)
        assert prediction is not None
        replies.append({"task": "state", "reply": fen, "model": model} | prediction.columns())
    return predictions_table(positions, replies).assign(reader=reader, layer=layer)


def _compared(scores: pd.DataFrame, depth: int) -> pd.DataFrame:
    true = squares_of(scores["true_state"])
    right = true == squares_of(scores["predicted_state"])
    occupied = true > 0
    moved = standing(scores["moves"].tolist()) & occupied
    kept = ["model", "reader", "layer", "position_id", "group", "moves"]
    kept += ["reply_class", "true_state", "predicted_state"]
    return scores[kept].assign(
        game=scores["game_id"],
        squares=right.mean(axis=1),
        occupied=(right & occupied).sum(axis=1) / occupied.sum(axis=1),
        moved=(right & moved).sum(axis=1) / moved.sum(axis=1),
        board=right.all(axis=1),
        pieces=(right | ~occupied).all(axis=1),
        precision=scores[f"precision_{depth}"],
        recall=scores[f"recall_{depth}"],
    )
