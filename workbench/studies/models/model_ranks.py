"""Models ranked and compared pair by pair, and positions where edit distance and state precision disagree."""

from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, new_figure
from workbench.drawing.labels import labels, room, typeset, wrapped
from workbench.drawing.quantities import difference_range
from workbench.drawing.reply_words import status_words
from workbench.drawing.score_description import episode_words, scored_rows
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_in_table
from workbench.errors import InvalidArgumentError
from workbench.prediction import different_elements
from workbench.scoring.parameters import Distance
from workbench.seeds import derived_seed
from workbench.statistics.intervals import (
    cluster_codes,
    cluster_resamples,
    quantile_ends,
    resampled_means,
)
from workbench.statistics.paired_tests import paired_comparisons
from workbench.studies.panels import empty_figure, require_columns
from workbench.studies.recorded_models import model_count_words, model_looks

MOST_POSITIONS: Final = "models with most positions"
ALL_MODELS: Final = "all models"
_SIDES: Final = ("distance", "precision")
_SIZE: Final = 7.5
_ROOM: Final = 2.35
_INCHES_A_UNIT: Final = 5.8 / 4.2
COLUMNS: Final = (
    "ranking", "model", "distance", "distance_rank", "distance_rank_low", "distance_rank_high",
    "precision", "precision_rank", "precision_rank_low", "precision_rank_high", "moved",
    "positions", "games", "depth",
)  # fmt: skip


def compute(
    scores: pd.DataFrame,
    *,
    depth: int = 4,
    distance: Distance = "levenshtein",
    least_share: float = 0.5,
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Rank models by mean edit distance and by mean p_m, rank 1 the best.

    Intervals of a rank are of 95%: games are resampled, the same for all models, and all models
    ranked again.

    Args:
        scores: `workbench.studies.models.model_scores.Comparison.scores`.
        depth: m.
        distance: Which edit distance.
        least_share: Models that answered less than this share of all positions, in [0, 1], are
            ranked separately: with all others, on the positions that all have answered.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.

    Returns:
        Columns ranking ("models with most positions", and if any was left out "all models"), model,
        distance and precision (means), distance_rank and precision_rank with _low and _high, moved
        (places won by p_m), positions, games, depth. Equal means share the mean of their ranks. A
        ranking of fewer than two models, or of models that share no position, has no rows.
    """
    table = rank_models(
        scores, {"precision": (f"precision_{depth}", -1), "distance": (distance, 1)},
        least_share=least_share, resamples=resamples, seed=seed,
    )  # fmt: skip
    if table.empty:
        return pd.DataFrame(columns=COLUMNS)
    moved = table["distance_rank"] - table["precision_rank"]
    table = table.assign(moved=moved, depth=depth)[list(COLUMNS)]
    parts = [part.sort_values("distance_rank") for _, part in table.groupby("ranking", sort=False)]
    return pd.concat(parts, ignore_index=True)


def rank_models(
    scores: pd.DataFrame,
    measures: Mapping[str, tuple[str, Literal[1, -1]]],
    *,
    least_share: float = 0.5,
    resamples: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Rank models by the mean of each of several measures, as `compute` does by two.

    Args:
        scores: As of `compute`.
        measures: By the name of its columns in the result, a column of the scores and 1 if a lower
            value is better, else -1. Positions count that have the first of them.
        least_share: As of `compute`, as are the others.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.

    Returns:
        Columns ranking, model, positions, games, and for each measure its name (the mean), and its
        name with _rank, _rank_low and _rank_high; models in the order of their names. Empty where
        there is nothing to rank.
    """
    rows = scored_rows(scores)
    columns = [column for column, _ in measures.values()]
    if not {*columns} <= {*rows} or not 0 <= least_share <= 1:
        raise InvalidArgumentError(
            f"expected scores with {columns} and a share in [0, 1], got columns "
            f"{list(rows.columns)} and {least_share!r}"
        )
    # A position that was asked several times counts once, by the mean of its answers.
    means = rows.pivot_table(index="position_id", columns="model", values=columns, aggfunc="mean")
    of_positions = rows.drop_duplicates("position_id").set_index("position_id")["game"]
    answered = means[columns[0]].notna()
    models_of = sorted(rows["model"].unique())
    most = [model for model in models_of if answered[model].mean() >= least_share]
    rankings = {MOST_POSITIONS: most, ALL_MODELS: models_of}
    if len(most) in (0, 1, len(models_of)):
        del rankings[MOST_POSITIONS]
    tables = []
    for ranking, models in rankings.items():
        common = means[answered[models].to_numpy().all(axis=1)]
        if len(models) < 2 or common.empty:
            continue
        codes, games = cluster_codes(of_positions.loc[common.index])
        resample = cluster_resamples(games, resamples, derived_seed(seed, ranking))
        table = pd.DataFrame({"ranking": ranking, "model": models})
        for name, (column, best) in measures.items():
            values = common[column][models].to_numpy(float)
            table[name] = values.mean(axis=0)
            table[f"{name}_rank"] = (best * table[name]).rank()
            ranks = pd.DataFrame(best * resampled_means(values, codes, resample)).rank(axis=1)
            ends = [
                quantile_ends(ranks[place]) if games > 1 else (np.nan, np.nan) for place in ranks
            ]
            table[f"{name}_rank_low"], table[f"{name}_rank_high"] = zip(*ends, strict=True)
        table["positions"], table["games"] = len(common), games
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def draw(
    table: pd.DataFrame,
    note: str = "",
    models: Iterable[str] = (),
    subject: str = "",
    environment: str = DEFAULT,
) -> Figure:
    """Draw each model's rank by edit distance, left, and by p_m, right, joined by a line."""
    title = "Does state precision rank models differently from edit distance?"
    if table.empty:
        words = "no two models have answered the same positions"
        return empty_figure(title, words, note, subject)
    rankings = list(table["ranking"].unique())
    most = int(table.groupby("ranking").size().max())
    names = sorted({*models, *table["model"]})
    titles, looks = labels(names), model_looks(names)
    texts = [_text(row, titles, side) for row in table.to_dict("records") for side in _SIDES]
    beyond = max(0.0, max(room(text, _SIZE) for text in texts) - _ROOM)
    figure, panels = new_figure(
        len(rankings), width=0.6 + (5.8 + 2 * beyond) * len(rankings), height=1.9 + 0.36 * most
    )
    for axes, ranking in zip(panels, rankings, strict=True):
        part = table[table["ranking"] == ranking]
        # Models of equal rank are drawn one below the other, each with the rank that they share.
        places = {
            side: part[f"{side}_rank"].rank(method="first").set_axis(part["model"])
            for side in _SIDES
        }
        for row in part.to_dict("records"):
            ends = tuple(float(places[side][row["model"]]) for side in _SIDES)
            _draw_model(axes, row, ends, titles, looks[row["model"]].colour)
        left_out, counted = len(names) - len(part), model_count_words(part["model"])
        apart = f" ({left_out} with fewer left out)" if left_out else ""
        of_models = {MOST_POSITIONS: f"{counted}{apart}", ALL_MODELS: counted}.get(ranking, ranking)
        axes.set_title(
            f"{of_models}: {part['positions'].iloc[0]} positions of "
            f"{part['games'].iloc[0]} {episode_words(environment)}",
            fontsize=9,
        )
        axes.set_xticks(
            [0, 1], ["edit distance\n(mean)", typeset(f"p_{part['depth'].iloc[0]}\n(mean)")]
        )
        margin = beyond / _INCHES_A_UNIT
        axes.set(xlim=(-1.6 - margin, 2.6 + margin), ylim=(most + 0.6, 0.4), yticks=[])
        axes.grid(visible=False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(axis="x", length=0)
    tied = any(table.duplicated(["ranking", f"{side}_rank"]).any() for side in _SIDES)
    words = (
        f"in brackets: 95% of ranks when {episode_words(environment)} are resampled; thick lines: "
        "models that move"
    )
    words += "; equal means share a rank" if tied else ""
    caption(figure, title, f"{note}\n{words}", subject)
    return figure


def _text(row: Mapping[Hashable, Any], titles: Mapping[str, str], side: str) -> str:
    value = f"{row['distance']:.1f}" if side == "distance" else f"{row['precision']:.2g}"
    low, high = row[f"{side}_rank_low"], row[f"{side}_rank_high"]
    between = "" if np.isnan(low) else f"  [{low:.2g}–{high:.2g}]"
    return f"{titles[row['model']]}  {value}{between}"


def _draw_model(
    axes: Axes,
    row: Mapping[Hashable, Any],
    places: tuple[float, ...],
    titles: Mapping[str, str],
    colour: tuple[float, float, float],
) -> None:
    axes.plot([0, 1], places, color=colour, linewidth=2.8 if row["moved"] else 1.2, zorder=1)
    axes.scatter(
        [0, 1], places, s=150, facecolor="white", edgecolor=colour, linewidth=1.8, zorder=2
    )
    for column, (side, place) in enumerate(zip(_SIDES, places, strict=True)):
        rank = f"{row[f'{side}_rank']:g}"
        axes.text(
            column, place, rank, ha="center", va="center", fontsize=7 if len(rank) < 4 else 5.5,
            zorder=3,
        )  # fmt: skip
        axes.text(
            column + (0.12 if column else -0.12), place, _text(row, titles, side),
            ha="left" if column else "right", va="center", fontsize=_SIZE,
        )  # fmt: skip


def compare_pairs(
    scores: pd.DataFrame, *, measure: str = "precision_4", seed: int = 0
) -> pd.DataFrame:
    """Compare each two models on the positions that both have answered."""
    rows = scored_rows(scores)
    require_columns(rows, [measure])
    return paired_comparisons(rows, measure, within=difference_range(measure), seed=seed)


_COLUMNS: Final = ("model", "fen", "distance", "precision", "recall", "status")


def find_examples(
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

    The first ranking of `compute` counts. ``count`` positions are wanted, all different.

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
    examples: list[dict[str, Any]] = []
    for near, precise, swapped in _pairs(ranking):
        positions = {str(example["position_id"]) for example in examples}
        example = _example(by_model[near], by_model[precise], positions)
        if example is not None:
            examples.append({**example, "swapped": swapped})
        if len(examples) == count:
            break
    names = [f"{side}_{name}" for side in ("near", "precise") for name in _COLUMNS]
    columns = ["position_id", "ply", "true_state", *names, "swapped", "disagreements", "both"]
    return pd.DataFrame(examples, columns=columns)


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


def _example(near: pd.DataFrame, precise: pd.DataFrame, others: set[str]) -> dict[str, Any] | None:
    columns = ["position_id", "ply", "true_state", *_COLUMNS]
    both = near[columns].merge(
        precise[columns], on=["position_id", "ply", "true_state"], suffixes=("_near", "_precise")
    )
    opposed = both[
        (both["distance_near"] < both["distance_precise"])
        & (both["precision_near"] < both["precision_precise"])
    ]
    open_to_choice = opposed[~opposed["position_id"].isin(others)]
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


def draw_examples(
    table: pd.DataFrame,
    note: str = "",
    depth: int = 4,
    subject: str = "",
    environment: str = DEFAULT,
) -> Figure:
    """Draw each example: the true board, the one nearer in edits, the one nearer in p_m."""
    named = environment_in_table(environment)
    steps = "plies" if named.actions_per_group > 1 else f"{named.action_noun}s"
    figure = Figure(figsize=(8.4, 1.1 + 3.5 * max(1, len(table))), layout="constrained")
    title = "Fewer edits but lower precision, two models at the same position"
    if table.empty:
        figure.text(0.5, 0.5, "no position at which the two measures disagree", ha="center")
        caption(figure, title, note, subject)
        return figure
    titles = labels([*table["near_model"], *table["precise_model"]], 36)
    grid = figure.subplots(len(table), 3, squeeze=False)
    for line, row in zip(grid, table.to_dict("records"), strict=True):
        true = named.parse_true(row["true_state"]).state
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
                f"{titles[row[f'{side}_model']]}\n{edits} edit{'' if edits == 1 else 's'}, "
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
        f"{note}\nhatched: squares that differ; of each pair of models the position with the largest "
        f"difference of p_{depth}, an extreme and not a typical one",
        subject,
    )
    return figure


def _words_below(named: AnyEnvironment, state: Any, true: Any, status: str) -> str:
    words = [named.caption(state, true), "; ".join(map(status_words, status.split()))]
    return wrapped("\n".join(filter(None, words)), 2.6, 7)
