"""The boards that probes read from hidden states: their scores, and figures by layer and by length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.answers.model_replies import model_replies
from workbench.drawing.appearance import Style, caption, style
from workbench.drawing.score_description import interval_words
from workbench.language_model.board_probe import (
    ITERATIONS,
    VALUES,
    Labels,
    Vectors,
    boards_after,
    boards_to_fit,
    control_labels,
    fen_of_labels,
    fit_probe,
    labels_from_moves,
    moved_pieces,
    squares_between,
    squares_of,
    standing,
    usual_labels,
    usual_pieces,
)
from workbench.language_model.language_model import LanguageModel, load_model
from workbench.language_model.network import first_weights
from workbench.scoring import ScoringParameters, score
from workbench.seeds import derived_seed
from workbench.studies.data import written_states
from workbench.studies.panels import (
    ALL_LENGTHS,
    counts_in_words,
    curve,
    legend_below,
    means_by_game,
    name_panel,
    name_row,
    panels,
)

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
        plies: A row for each ply of the positions, network and layer: model, network (``"untrained"`` or
            empty), layer, position_id, game, group; piece (whether the piece that moved is read from the state
            after it), control (whether the label of the control task is) and selectivity (the difference).
        fit_boards: Boards on which each probe was fitted.
    """

    boards: pd.DataFrame
    plies: pd.DataFrame
    fit_boards: int


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

    The positions to test on are of bundled games. ``games`` games to fit on give ``per_game``
    boards each, at most.
    """
    answers: list[pd.DataFrame] = []
    plies: list[pd.DataFrame] = []
    fit_boards = 0
    games_of_test = [tuple(str(text).split()) for text in positions["moves"]]
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
            control = control_labels(fit.moved, seed)
            for layer in range(fit.vectors.shape[1]):
                vectors = fit.vectors[:, layer]
                states = [of_game[:, layer] for of_game in every]
                probe = fit_probe(vectors, fit.labels, VALUES, iterations=iterations)
                pieces, random_labels = (
                    _read_plies(vectors, labels, states, iterations)
                    for labels in (fit.moved, control[tuple(fit.between.T)])
                )
                assembled = map(labels_from_moves, games_of_test, pieces)
                for reader, labels in (
                    (PROBE, probe.answers(test.vectors[:, layer])),
                    (ASSEMBLED, np.stack(list(assembled))),
                ):
                    answers.append(_answers(positions, labels, name, prefix + reader, layer))
                of_layer = _of_plies(positions, games_of_test, pieces, random_labels, control)
                plies.append(of_layer.assign(model=name, network=prefix.strip(), layer=layer))
        usual = [labels_from_moves(moves, usual_pieces(fit, moves)) for moves in games_of_test]
        for reader, labels in (
            (USUAL, usual_labels(fit, test.plies)),
            (USUAL_MOVED, np.stack(usual)),
        ):
            answers.append(_answers(positions, labels, name, reader, NO_LAYER))
        fit_boards = len(fit.labels)
    rows = pd.concat(answers, ignore_index=True)
    # A reply's identity holds its setting, and has no reader or layer.
    rows["setting"] = rows["reader"] + " " + rows["layer"].astype(str)
    scores = score(rows.drop(columns=["reader", "layer"]), parameters, jobs=jobs)
    boards = pd.concat([scores, rows[["reader", "layer", "moves"]]], axis=1)
    of_plies = pd.concat(plies, ignore_index=True)
    return ProbedBoards(_compared(boards, parameters.depth), of_plies, fit_boards)


def _read_plies(
    vectors: Vectors, labels: Labels, states: Sequence[Vectors], iterations: int
) -> list[list[int]]:
    """Return what a probe of one label reads from the state after each ply of games."""
    probe = fit_probe(vectors, labels[:, None], VALUES, iterations=iterations)
    return [probe.answers(of_game)[:, 0].tolist() for of_game in states]


def _of_plies(
    positions: pd.DataFrame,
    games: Sequence[tuple[str, ...]],
    pieces: Sequence[Sequence[int]],
    random_labels: Sequence[Sequence[int]],
    control: Labels,
) -> pd.DataFrame:
    plies = [len(moves) for moves in games]
    between = np.array([squares_between(move) for moves in games for move in moves])
    piece = np.concatenate([moved_pieces(moves) for moves in games]) == np.concatenate(pieces)
    right = control[tuple(between.T)] == np.concatenate(random_labels)
    table = positions[["position_id", "group"]].assign(game=positions["game_id"])
    table = table.loc[table.index.repeat(plies)].reset_index(drop=True)
    return table.assign(
        piece=piece, control=right, selectivity=piece.astype(np.int8) - right.astype(np.int8)
    )


def _answers(
    positions: pd.DataFrame, labels: Labels, model: str, reader: str, layer: int
) -> pd.DataFrame:
    fens = [fen_of_labels(row) for row in labels]
    table = written_states(positions, fens, [model] * len(fens))
    return table.assign(reader=reader, layer=layer)


def _compared(scores: pd.DataFrame, depth: int) -> pd.DataFrame:
    true = squares_of(scores["true_state"])
    right = true == squares_of(scores["predicted_state"])
    occupied = true > 0
    moved = standing(scores["moves"].tolist()) & occupied
    columns = ["model", "reader", "layer", "position_id", "group", "moves"]
    columns += ["reply_class", "true_state", "predicted_state"]
    return scores[columns].assign(
        game=scores["game_id"], squares=right.mean(axis=1),
        occupied=(right & occupied).sum(axis=1) / occupied.sum(axis=1),
        moved=(right & moved).sum(axis=1) / moved.sum(axis=1), board=right.all(axis=1),
        pieces=(right | ~occupied).all(axis=1), precision=scores[f"precision_{depth}"],
        recall=scores[f"recall_{depth}"],
    )  # fmt: skip


MEASURES: Final[Mapping[str, tuple[str, str]]] = {
    "squares": ("all squares right", "share of squares"),
    "occupied": ("occupied squares right", "share of squares"),
    "moved": ("pieces that moved, right", "share of pieces"),
    "board": ("whole boards right,\nall squares", "share of boards"),
    "pieces": ("whole boards right,\noccupied squares alone", "share of boards"),
    "precision": ("state precision p_{depth}", "mean"),
    "recall": ("state recall r_{depth}", "mean"),
}
"""The title of each measure, and what its vertical axis counts."""

READERS: Final[Mapping[str, tuple[str, Style]]] = {
    STATED: ("the board that the model writes", style(0)),
    PROBE: ("probe of the last state", style(1)),
    UNTRAINED + PROBE: ("probe of the last state, untrained network", style(3)),
    ASSEMBLED: ("assembled: probe of the state after each ply", style(2)),
    UNTRAINED + ASSEMBLED: ("assembled, untrained network", style(4)),
    USUAL_MOVED: ("assembled, no network: what usually moves between two squares", style(5)),
    USUAL: ("what is usual after as many plies", style(7)),
}
"""The names and looks of the readers."""


def compute(probed: ProbedBoards, *, depth: int = 4) -> pd.DataFrame:
    """Compute the mean of every measure for each reader, layer and length of games.

    Returns:
        Columns model, reader, layer, length (full moves, as text; "all" last), measure (of `MEASURES`),
        depth, mean, low, high, count (boards), games and effective (number of
        games).
    """
    by = ["model", "reader", "layer"]
    return means_by_game(probed.boards, by, list(MEASURES)).assign(depth=depth)


def draw_layers(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw the means over all lengths against the layer, a row of panels for each model."""
    depth = table["depth"].iloc[0]
    measures = ("squares", "occupied", "moved", "precision")
    overall = table[table["length"] == ALL_LENGTHS]
    models = list(table["model"].unique())
    figure, grid = panels(len(models), len(measures), 2.8)
    for row, model in enumerate(models):
        of_model = overall[overall["model"] == model]
        last = int(of_model["layer"].max())
        ticks = ["moves", *map(str, range(1, last)), "read"]
        for axes, measure in zip(grid[row * len(measures) :], measures, strict=False):
            of_measure = of_model[of_model["measure"] == measure]
            for reader, (label, look) in READERS.items():
                line = of_measure[of_measure["reader"] == reader].sort_values("layer")
                if line["layer"].iloc[0] == NO_LAYER:
                    mean, low, high = line[["mean", "low", "high"]].iloc[0]
                    axes.axhspan(low, high, color=look.colour, alpha=0.25, linewidth=0)
                    level: dict[str, Any] = {"linestyle": look.line, "linewidth": 1.2}
                    axes.axhline(mean, color=look.colour, label=label, **level)
                else:
                    curve(axes, line, line["layer"], label, look)
            name_panel(axes, MEASURES[measure], depth, "layer of the encoder")
            axes.set_xticks(range(last + 1), ticks, fontsize=8)
            axes.set_ylim(-0.03, 1.03)
        name_row(grid[row * len(measures)], model)
    legend_below(grid[0], 3)
    note += (
        "\nhidden states: the moves' own vectors, after each layer, and the last as the decoder reads "
        f"it; means of {counts_in_words(overall)}; {interval_words(overall)}, and bands"
    )
    caption(figure, "What a linear probe reads, layer by layer", note)
    return figure


def draw_lengths(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw the board that is written and those that probes read, against the length of games.

    The probes are those of the state that the decoder reads.
    """
    depth = table["depth"].iloc[0]
    measures = ("occupied", "board", "pieces", "precision", "recall")
    models = list(table["model"].unique())
    figure, grid = panels(len(models), len(measures), 2.8, 12.5)
    lines = table[table["length"] != ALL_LENGTHS].assign(at=lambda rows: rows["length"].astype(int))
    for row, model in enumerate(models):
        of_model = lines[lines["model"] == model]
        of_readers = of_model[of_model["layer"].isin([NO_LAYER, of_model["layer"].max()])]
        for axes, measure in zip(grid[row * len(measures) :], measures, strict=False):
            of_measure = of_readers[of_readers["measure"] == measure]
            for place, (reader, (label, look)) in enumerate(READERS.items()):
                line = of_measure[of_measure["reader"] == reader].sort_values("at")
                curve(axes, line, line["at"] + 0.4 * (place - 2.5), label, look)
            name_panel(axes, MEASURES[measure], depth, "full moves played")
            axes.set_xticks(sorted(of_measure["at"].unique()))
            axes.set_ylim(-0.03, 1.03)
        name_row(grid[row * len(measures)], model)
    legend_below(grid[0], 3)
    note += f"\nmeans of {counts_in_words(lines)} a point; {interval_words(lines)}"
    caption(figure, "The board that is written, and the board that a probe reads", note)
    return figure
