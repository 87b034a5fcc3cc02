"""Models ranked by edit distance and by state precision.

Ranks are taken over positions that every ranked model has answered: otherwise a model that was asked
about short games alone would lead.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, model_style, new_figure
from workbench.drawing.labels import labels, room, typeset
from workbench.drawing.scores_in_words import counted_models, episode_words, scored_rows
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.scoring.parameters import Distance
from workbench.seeds import derived_seed
from workbench.statistics.intervals import (
    cluster_codes,
    drawn_clusters,
    quantile_ends,
    resampled_means,
)

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
            ranked apart: with all others, on the positions that all have answered.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.

    Returns:
        Columns ranking ("models with most positions", and if any was left out "all models"), model,
        distance and precision (means), distance_rank and precision_rank with _low and _high, moved
        (places won by p_m), positions, games, depth. Equal means share the mean of their ranks. A
        ranking of fewer than two models, or of models that share no position, has no rows.

    Raises:
        InvalidArgumentError: If the measure is missing, or the share out of range.
    """
    table = ranked(
        scores,
        {"precision": (f"precision_{depth}", -1), "distance": (distance, 1)},
        least_share=least_share,
        resamples=resamples,
        seed=seed,
    )
    if table.empty:
        return pd.DataFrame(columns=COLUMNS)
    moved = table["distance_rank"] - table["precision_rank"]
    table = table.assign(moved=moved, depth=depth)[list(COLUMNS)]
    parts = [part.sort_values("distance_rank") for _, part in table.groupby("ranking", sort=False)]
    return pd.concat(parts, ignore_index=True)


def ranked(
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

    Raises:
        InvalidArgumentError: If a column is missing, or the share out of range.
    """
    kept = scored_rows(scores)
    columns = [column for column, _ in measures.values()]
    if not {*columns} <= {*kept} or not 0 <= least_share <= 1:
        raise InvalidArgumentError(
            f"expected scores with {columns} and a share in [0, 1], got columns "
            f"{list(kept.columns)} and {least_share!r}"
        )
    # A position that was asked several times counts once, by the mean of its answers.
    means = kept.pivot_table(index="position_id", columns="model", values=columns, aggfunc="mean")
    of_positions = kept.drop_duplicates("position_id").set_index("position_id")["game"]
    answered = means[columns[0]].notna()
    models_of = sorted(kept["model"].unique())
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
        drawn = drawn_clusters(games, resamples, derived_seed(seed, ranking))
        table = pd.DataFrame({"ranking": ranking, "model": models})
        for name, (column, best) in measures.items():
            values = common[column][models].to_numpy(float)
            table[name] = values.mean(axis=0)
            table[f"{name}_rank"] = (best * table[name]).rank()
            ranks = pd.DataFrame(best * resampled_means(values, codes, drawn)).rank(axis=1)
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
    whose: str = "",
    environment: str = DEFAULT,
) -> Figure:
    """Draw each model's rank by edit distance, left, and by p_m, right, joined by a line.

    Args:
        table: The result of `compute`.
        note: Small print below the axes, such as `Comparison.describe` gives.
        models: All that are compared, so that each has the colour that it has in other figures even
            if some are not ranked.
        whose: What is compared, for the title, such as `Comparison.whose` gives.
        environment: The name of the environment, for the words.
    """
    title = "Does state precision rank models differently from edit distance?"
    if table.empty:
        figure, (axes,) = new_figure(height=2.4)
        words = "no two models have answered the same positions"
        axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        caption(figure, title, note, whose)
        return figure
    rankings = list(table["ranking"].unique())
    most = int(table.groupby("ranking").size().max())
    names = sorted({*models, *table["model"]})
    shown, looks = labels(names), model_style(names)
    texts = [_text(row, shown, side) for row in table.to_dict("records") for side in _SIDES]
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
            _draw_model(axes, row, ends, shown, looks[row["model"]].colour)
        left_out, counted = len(names) - len(part), counted_models(part["model"])
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
    caption(figure, title, f"{note}\n{words}", whose)
    return figure


def _text(row: Mapping[Hashable, Any], shown: Mapping[str, str], side: str) -> str:
    value = f"{row['distance']:.1f}" if side == "distance" else f"{row['precision']:.2g}"
    low, high = row[f"{side}_rank_low"], row[f"{side}_rank_high"]
    between = "" if np.isnan(low) else f"  [{low:.2g}–{high:.2g}]"
    return f"{shown[row['model']]}  {value}{between}"


def _draw_model(
    axes: Axes,
    row: Mapping[Hashable, Any],
    places: tuple[float, ...],
    shown: Mapping[str, str],
    colour: tuple[float, float, float],
) -> None:
    axes.plot([0, 1], places, color=colour, linewidth=2.8 if row["moved"] else 1.2, zorder=1)
    axes.scatter(
        [0, 1], places, s=150, facecolor="white", edgecolor=colour, linewidth=1.8, zorder=2
    )
    for column, (side, place) in enumerate(zip(_SIDES, places, strict=True)):
        rank = f"{row[f'{side}_rank']:g}"
        axes.text(
            column,
            place,
            rank,
            ha="center",
            va="center",
            fontsize=7 if len(rank) < 4 else 5.5,
            zorder=3,
        )
        axes.text(
            column + (0.12 if column else -0.12),
            place,
            _text(row, shown, side),
            ha="left" if column else "right",
            va="center",
            fontsize=_SIZE,
        )
