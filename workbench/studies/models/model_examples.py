"""Positions at which edit distance and state precision disagree about two models."""

from itertools import combinations
from typing import Any, Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption
from workbench.drawing.labels import labels, typeset, wrapped
from workbench.drawing.reply_words import status_words
from workbench.drawing.scores_in_words import scored_rows
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_in_table
from workbench.errors import InvalidArgumentError
from workbench.parsed_state import different_elements
from workbench.scoring.parameters import Distance

_COLUMNS: Final = ("model", "fen", "distance", "precision", "recall", "status")


def compute(
    scores: pd.DataFrame,
    ranks: pd.DataFrame,
    *,
    depth: int = 4,
    distance: Distance = "levenshtein",
    count: int = 3,
) -> pd.DataFrame:
    """Choose positions at which one model is nearer in edits and the other in p_m.

    Pairs of models that the two measures rank in opposite orders come first, the farthest moved
    first; then the others. Each pair gives the position with the largest difference of p_m: an
    example that shows most, not one that stands for the rest. Both replies are boards.

    Args:
        scores: `workbench.studies.models.model_scores.Comparison.scores`.
        ranks: `workbench.studies.models.model_ranks.compute`, of which the first ranking counts.
        depth: m.
        distance: Which edit distance.
        count: Positions wanted, at least 1, all different.

    Returns:
        At most ``count`` rows: position_id, ply, true_state, near_* (the model nearer in edits:
        model, fen, distance, precision, recall, status) and precise_* (the one nearer in p_m, the
        same), swapped (whether their ranks are in opposite orders), disagreements (positions at
        which these two disagree in this direction) and both (that both have answered with a board).
    """
    if count < 1:
        raise InvalidArgumentError(f"expected a count of at least 1, got {count!r}")
    first = ranks["ranking"].iloc[0] if len(ranks) else ""
    ranking = ranks[ranks["ranking"] == first].set_index("model")
    boards = scored_rows(scores)
    boards = boards[boards["reply_class"].isin(["valid", "ill_formed"])]
    boards = boards[
        boards["sample"] == boards.groupby(["model", "position_id"])["sample"].transform("min")
    ]
    by_model = {
        model: boards[boards["model"] == model]
        .rename(columns={distance: "distance", "predicted_state": "fen"})
        .rename(columns={f"{name}_{depth}": name for name in ("precision", "recall")})
        for model in ranking.index
    }
    found: list[dict[str, Any]] = []
    for near, precise, swapped in _pairs(ranking):
        chosen = {str(example["position_id"]) for example in found}
        example = _example(by_model[near], by_model[precise], chosen)
        if example is not None:
            found.append({**example, "swapped": swapped})
        if len(found) == count:
            break
    names = [f"{side}_{name}" for side in ("near", "precise") for name in _COLUMNS]
    columns = ["position_id", "ply", "true_state", *names, "swapped", "disagreements", "both"]
    return pd.DataFrame(found, columns=columns)


def _pairs(ranking: pd.DataFrame) -> list[tuple[str, str, bool]]:
    """Return (nearer in edits, nearer in p_m, whether the ranks say so), the farthest moved first."""
    pairs = []
    for one, other in combinations(ranking.index, 2):
        edits = ranking.loc[other, "distance_rank"] - ranking.loc[one, "distance_rank"]
        moves = ranking.loc[one, "precision_rank"] - ranking.loc[other, "precision_rank"]
        swapped = bool(edits * moves > 0)
        near, precise = (other, one) if swapped and edits < 0 else (one, other)
        apart = abs(edits) + abs(moves)
        pairs.append((not swapped, -apart if swapped else apart, near, precise))
    # Every ordinary pair may disagree in both directions; of a swapped pair only one explains.
    return [(near, precise, not level) for level, _, near, precise in sorted(pairs)]


def _example(near: pd.DataFrame, precise: pd.DataFrame, chosen: set[str]) -> dict[str, Any] | None:
    columns = ["position_id", "ply", "true_state", *_COLUMNS]
    both = near[columns].merge(
        precise[columns],
        on=["position_id", "ply", "true_state"],
        suffixes=("_near", "_precise"),
    )
    opposed = both[
        (both["distance_near"] < both["distance_precise"])
        & (both["precision_near"] < both["precision_precise"])
    ]
    open_to_choice = opposed[~opposed["position_id"].isin(chosen)]
    if open_to_choice.empty:
        return None
    gap = open_to_choice["precision_precise"] - open_to_choice["precision_near"]
    best = open_to_choice.assign(gap=gap).sort_values(
        ["gap", "position_id"], ascending=[False, True]
    )
    row = best.iloc[0].to_dict()
    return {
        **{name: row[name] for name in ("position_id", "ply", "true_state")},
        **{
            f"{side}_{name}": row[f"{name}_{side}"]
            for side in ("near", "precise")
            for name in _COLUMNS
        },
        "disagreements": len(opposed),
        "both": len(both),
    }


def draw(
    table: pd.DataFrame,
    note: str = "",
    depth: int = 4,
    whose: str = "",
    environment: str = DEFAULT,
) -> Figure:
    """Draw each example: the true board, the one nearer in edits, the one nearer in p_m.

    Args:
        table: The result of `compute`.
        note: Small print below, such as `Comparison.describe` gives.
        depth: m, for the words.
        whose: What is compared, for the title, such as `Comparison.whose` gives.
        environment: The name of the environment of the states.
    """
    named = environment_in_table(environment)
    steps = "plies" if named.actions_a_group > 1 else f"{named.action_noun}s"
    figure = Figure(figsize=(8.4, 1.1 + 3.5 * max(1, len(table))), layout="constrained")
    title = "Fewer edits but lower precision, two models at the same position"
    if table.empty:
        figure.text(0.5, 0.5, "no position at which the two measures disagree", ha="center")
        caption(figure, title, note, whose)
        return figure
    shown = labels([*table["near_model"], *table["precise_model"]], 36)
    grid = figure.subplots(len(table), 3, squeeze=False)
    for line, row in zip(grid, table.to_dict("records"), strict=True):
        true = named.parsed_true(row["true_state"]).state
        named.draw(line[0], true)
        line[0].set_title(f"true {named.state_noun} after {row['ply']} {steps}", fontsize=8)
        line[0].set_xlabel(
            f"{_words_below(named, true, true, '')}\n"
            f"these two disagree so on {row['disagreements']} of {row['both']} positions;\n"
            f"the means rank them {'in opposite orders' if row['swapped'] else 'alike'}",
            fontsize=7,
        )
        for axes, side in zip(line[1:], ("near", "precise"), strict=True):
            state = named.read_state(str(row[f"{side}_fen"]))
            different = different_elements(named.elements(true), named.elements(state))
            named.draw(axes, state, different)
            edits = row[f"{side}_distance"]
            axes.set_title(
                f"{shown[row[f'{side}_model']]}\n{edits} edit{'' if edits == 1 else 's'}, "
                + typeset(
                    f"p_{depth} = {row[f'{side}_precision']:.2g}, "
                    f"r_{depth} = {row[f'{side}_recall']:.2g}"
                ),
                fontsize=8,
            )
            axes.set_xlabel(
                _words_below(named, state, true, str(row[f"{side}_status"])), fontsize=7
            )
    caption(
        figure,
        title,
        f"{note}\ndashed: squares that differ; of each pair of models the position with the largest "
        f"difference of p_{depth}, an extreme and not a typical one",
        whose,
    )
    return figure


def _words_below(named: AnyEnvironment, state: Any, true: Any, status: str) -> str:
    words = [named.words_beside(state, true), "; ".join(map(status_words, status.split()))]
    return wrapped("\n".join(filter(None, words)), 2.6, 7)
