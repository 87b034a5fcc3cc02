"""The two recorded sets of positions, World Cup games and random legal games: models and boards compared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MaxNLocator

from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import (
    BASELINE,
    RANDOM_GAMES,
    WORLD_CUP,
    recorded_replies,
    recorded_replies_path,
)
from workbench.automaton import Terminal
from workbench.drawing.appearance import (
    Style,
    caption,
    new_figure,
    plain_axes,
    plain_log_scale,
    style,
)
from workbench.drawing.labels import labels, typeset
from workbench.drawing.quantities import difference_range
from workbench.drawing.score_description import (
    convention_words,
    interval_words,
    scored_rows,
    with_names,
)
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.games.synthetic_boards import one_piece_less, piece_count
from workbench.metrics import range_of
from workbench.prediction import READABLE
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import affordance_scores
from workbench.statistics.grouped import grouped_differences, grouped_means
from workbench.statistics.intervals import SHARE
from workbench.studies.models.model_scores import SIMULATED, Comparison
from workbench.studies.panels import (
    ALL_LENGTHS,
    draw_above,
    draw_bars,
    legend_beside,
    require_columns,
)
from workbench.studies.recorded_models import model_count_words, model_looks
from workbench.studies.study_scores import (
    DefaultReplies,
    StoredTables,
    check_replies,
    own_scores,
    recorded_scores,
    with_games,
)
from workbench.tables.provenance import file_hash

SETS: Final = (WORLD_CUP, RANDOM_GAMES)
SET_NAMES: Final = {WORLD_CUP: "World Cup games", RANDOM_GAMES: "random legal games"}
BAND: Final = 20
"""Half-moves in a band of lengths."""
_LEAST: Final = 1e-4
"""Where the logarithmic axes begin; means below it are counted, not drawn."""


class TwoSets(Comparison):
    """Scores of what answered both sets; ``length`` is the upper edge of a band of `BAND` half-moves."""

    def position_words(self) -> str:
        """Return the number of positions, and of games, of each set."""
        of_sets = [(name, self.scores[self.scores["set"] == name]) for name in SETS]
        sets = " and ".join(
            f"{part['position_id'].nunique()} positions of {part['game'].nunique()} {SET_NAMES[name]}"
            for name, part in of_sets
        )
        return f"{self.source}: {sets}"

    def describe(self) -> str:
        """Return the caption of every figure drawn from these scores."""
        replies, conventions = self.reply_words(), convention_words(self.scores)
        return f"{self.position_words()}; {replies}\n{conventions}"


def scores_of_both_sets(
    tables: str | Path,
    parameters: ScoringParameters,
    *,
    predictions: str = "",
    replies: DefaultReplies = "recorded",
    rates: Sequence[float] = (0.01, 0.03, 0.1),
    seed: int = 0,
    jobs: int = 1,
) -> TwoSets:
    """Return the scores of all models that answered both sets.

    Args:
        tables: The folder that keeps scores.
        parameters: The parameters of scoring.
        predictions: A predictions table with rows of both sets; takes precedence over ``replies``.
        replies: The recorded replies, or those of simulated trackers to the same positions.
        rates: Slips per ply of each simulated tracker, in [0, 1].
        seed: Seed of the simulated trackers.
        jobs: Workers.

    Raises:
        InvalidArgumentError: If no model answered both, or ``replies`` is neither.
        TableError: If a reply is repeated.
    """
    folder = Path(tables)
    check_replies(replies)
    if predictions:
        path = Path(predictions)
        scores = own_scores(path, parameters, tables=folder, jobs=jobs)
        return _both(scores, path.name, path)
    path = recorded_replies_path()
    if replies == "recorded":
        scores = recorded_scores(folder, parameters, sets=SETS, jobs=jobs)
        return _both(scores, "recorded replies (PGN2FEN)", path)
    questions = recorded_replies(SETS, [BASELINE])

    def answers() -> pd.DataFrame:
        tables_of = [simulate(questions, rate=rate, seed=seed) for rate in rates]
        return pd.concat(
            [table.assign(set=questions["set"]) for table in tables_of], ignore_index=True
        )

    made_of = {
        "positions": file_hash(path), "sets": list(SETS), "rates": list(rates), "seed": seed,
    }  # fmt: skip
    scores = StoredTables(folder).scores_of_answers(answers, made_of, parameters, jobs=jobs)
    return _both(with_games(scores, questions), SIMULATED, path)


def _both(scores: pd.DataFrame, source: str, path: Path) -> TwoSets:
    scores = with_names(scores)
    set_up = scores["model"] + (", " + scores["setting"]).where(scores["setting"] != "", "")
    scores = scores.assign(model=set_up)
    answered = [set(scores.loc[scores["set"] == name, "model"]) for name in SETS]
    shared = answered[0] & answered[1]
    if not shared:
        raise InvalidArgumentError(
            f"{path}: expected a model with replies to both sets {SETS}, got "
            f"{sorted(answered[0])} and {sorted(answered[1])}; the column `set` names the set"
        )
    rows = scores[scores["set"].isin(SETS) & scores["model"].isin(shared)]
    edges = ((rows["ply"] - 1).clip(lower=0) // BAND + 1) * BAND
    subject = SIMULATED if source == SIMULATED else model_count_words(shared)
    return TwoSets(rows.assign(length=edges).reset_index(drop=True), source, (path,), subject)


REASONING: Final = ("o3-2025-04-16", "o3-mini-2025-01-31", "gemini-2.5-flash-preview-04-17")
"""Models with replies to both sets that write hidden reasoning before they answer."""

_MEASURES: Final = (
    "precision", "exact_match", "exact_match_position", "levenshtein", "readable", "precision_readable",
    "levenshtein_readable",
)  # fmt: skip
_KINDS: Final = {"reasoning": "reasoning", "other": "no reasoning", "baseline": "baseline"}


def compute(
    scores: pd.DataFrame, *, depth: int = 4, reasoning: Sequence[str] = REASONING
) -> pd.DataFrame:
    """Compare each model's replies to the two sets, at each length of the game and at all.

    Intervals are of 95%, by the variance between games, and of a difference between the games of
    each set; see `workbench.statistics.intervals`.

    ``reasoning`` names the models that reason before they answer.

    Returns:
        One row for each model, length (the upper edge of its band in half-moves; "all" last) and
        measure (precision, which is p_m; exact_match and exact_match_position, shares; levenshtein;
        readable, a share; precision_readable and levenshtein_readable, over readable replies alone):
        kind (reasoning, other or baseline), for each set its mean, named as the set is, with _low,
        _high, _effective (number of games), _replies and _games, and difference (World Cup less random games) with _low,
        _high and _effective; and depth. NaN where a set has no rows; no interval where it has one game only. The
        models are sorted by kind, then by their mean on World Cup games, the best first.
    """
    column = f"precision_{depth}"
    require_columns(scores, [column], hint=", by the exact method")
    rows = scored_rows(scores)
    readable = rows["reply_class"].isin(READABLE)
    rows = rows.assign(
        precision=rows[column],
        readable=readable,
        precision_readable=rows[column].where(readable),
        levenshtein_readable=rows["levenshtein"].where(readable),
    )
    by = ["model", "length"]
    table = grouped_differences(
        rows, _MEASURES, by, between="set", reference=RANDOM_GAMES, within=difference_range,
        total=ALL_LENGTHS,
    )  # fmt: skip
    key = [*by, "column"]
    table = (
        table[[*key, "value", "low", "high", "effective"]].set_index(key).add_prefix("difference_")
    )
    for name in reversed(SETS):
        of_set = rows.assign(**{each: rows[each].where(rows["set"] == name) for each in _MEASURES})
        means = grouped_means(of_set, _MEASURES, by, within=range_of, total=ALL_LENGTHS)
        means = means.rename(columns={"count": "replies"}).set_index(key)
        means = means[["replies", "games", "value", "low", "high", "effective"]]
        table = means.add_prefix(f"{name}_").join(table)
    table = table.rename(columns=lambda each: each.removesuffix("_value")).reset_index()
    table = table.rename(columns={"column": "measure"}).assign(depth=depth)
    names = table["model"]
    kinds = [names == BASELINE, names.isin(reasoning)]
    table["kind"] = np.select(kinds, ["baseline", "reasoning"], "other")
    counts = [f"{name}_{each}" for name in SETS for each in ("replies", "games")]
    ends = [
        f"{name}{end}"
        for name in (*SETS, "difference")
        for end in ("", "_low", "_high", "_effective")
    ]
    return _ordered(table[["kind", *by, "measure", *counts, *ends, "depth"]])


def _ordered(table: pd.DataFrame) -> pd.DataFrame:
    overall = table[(table["measure"] == "precision") & (table["length"] == ALL_LENGTHS)]
    overall = overall.assign(place=overall["kind"].map(list(_KINDS).index))
    best = overall.sort_values(["place", WORLD_CUP], ascending=[True, False], kind="stable")
    places = {model: place for place, model in enumerate(best["model"])}
    return table.sort_values(
        "model", key=lambda names: names.map(places), kind="stable"
    ).reset_index(drop=True)


def draw(table: pd.DataFrame, subject: str, note: str = "") -> Figure:
    """Draw mean p_m by length on both sets, a panel a model, and the differences at all lengths."""
    depth = table["depth"].iloc[0]
    models = list(table["model"].unique())
    looks, titles = model_looks(models), labels(models, 32)
    kinds = dict(zip(table["model"], table["kind"], strict=True))
    columns = min(5, len(models))
    rows = -(-len(models) // columns)
    heights = [0.5 + 2.0 * rows, 1.1 + 0.32 * len(models)]
    figure = Figure(figsize=(11.0, sum(heights) + 0.9), layout="constrained")
    spec = figure.add_gridspec(2, 1, height_ratios=heights)
    upper, lower = figure.add_subfigure(spec[0]), figure.add_subfigure(spec[1])
    grid = upper.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    hidden = 0
    for axes, model in zip(grid.flat, models, strict=False):
        curves = table[(table["model"] == model) & (table["measure"] == "precision")]
        hidden += _draw_curves(axes, curves, looks[model])
        axes.set_title(f"{titles[model]}\n{_KINDS[kinds[model]]}", fontsize=8)
    for axes in grid.flat[len(models) :]:
        axes.set_axis_off()
    plain_log_scale(grid[0, 0])
    grid[0, 0].set_ylim(_LEAST, 1.4)
    upper.supylabel(typeset(f"mean p_{depth} (logarithmic)"), fontsize=9)
    upper.supxlabel(f"half-moves played (upper edge of a band of {BAND})", fontsize=9)
    options: dict[str, Any] = {"color": "0.2", "markersize": 4}
    of_games = grid[0, 0].errorbar([], [], fmt="o-", label=SET_NAMES[WORLD_CUP], **options)
    options |= {"markerfacecolor": "white", "label": SET_NAMES[RANDOM_GAMES]}
    handles = [of_games, grid[0, 0].errorbar([], [], fmt="s--", **options)]
    upper.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    _draw_differences(lower, table, looks, titles)
    below = f"{hidden} means below {_LEAST:g} are not drawn" if hidden else ""
    precision, ends = table[table["measure"] == "precision"], ["games", "effective", "low"]
    of_sets = [precision[[f"{name}_{end}" for end in ends]].set_axis(ends, axis=1) for name in SETS]
    bars = interval_words(pd.concat(of_sets))
    caption(
        figure,
        f"Tracking or recall? {subject} on World Cup games and on random legal games of the same lengths",
        "; ".join(filter(None, [note, bars, below])),
    )
    return figure


def _look(look: Style, name: str) -> Style:
    if name == WORLD_CUP:
        return replace(look, marker="o", line="-", face=look.colour)
    return replace(look, marker="s", line="--", face="white")


def _draw_curves(axes: Axes, curves: pd.DataFrame, look: Style) -> int:
    """Draw one model's means on both sets, and return how many lie below the axis."""
    lines = curves[curves["length"] != ALL_LENGTHS]
    lengths = lines["length"].astype(int)
    hidden = 0
    for name, shift in ((WORLD_CUP, -1.5), (RANDOM_GAMES, 1.5)):
        high = lines[f"{name}_high"].fillna(lines[name])
        rows, of_set = lines.assign(**{f"{name}_high": high}), _look(look, name)
        hidden += draw_above(axes, lengths + shift, rows, name, _LEAST, of_set, size=4, width=1.2)
    axes.set_xticks(lengths)
    axes.tick_params(labelsize=8)
    plain_axes([axes])
    return hidden


def _draw_differences(
    figure: SubFigure, table: pd.DataFrame, looks: Mapping[str, Style], names: Mapping[str, str]
) -> None:
    overall = table[table["length"] == ALL_LENGTHS]
    depth = table["depth"].iloc[0]
    titles = {
        "precision": f"mean p_{depth} over all replies",
        "readable": "share of readable replies",
        "precision_readable": f"mean p_{depth} over readable replies",
        "levenshtein_readable": "edit distance over readable replies",
    }
    panels = figure.subplots(1, len(titles), sharey=True)
    models = list(overall["model"].unique())
    for axes, (measure, title) in zip(panels, titles.items(), strict=True):
        part = overall[overall["measure"] == measure].set_index("model")
        for row, model in enumerate(models):
            draw_bars(
                axes, [row], part.loc[[model]], "difference", looks[model], across=True,
                linestyle="none", markersize=5, capsize=3,
            )  # fmt: skip
        kinds = part.loc[models, "kind"].to_numpy()
        for place in np.flatnonzero(kinds[1:] != kinds[:-1]):
            axes.axhline(place + 0.5, color="0.7", linewidth=0.8)
        axes.axvline(0, color="0.3", linewidth=0.9)
        axes.set_xlabel(typeset(title), fontsize=9)
        axes.tick_params(axis="x", labelsize=8)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        plain_axes([axes], "x")
    panels[0].set_yticks(range(len(models)), [names[model] for model in models], fontsize=8)
    panels[0].set_ylim(len(models) - 0.5, -0.5)
    figure.suptitle("difference at all lengths: World Cup games less random games", fontsize=9)


MEASURES: Final[Mapping[str, tuple[float, float] | None]] = MappingProxyType(
    {"pieces": None, "legal_moves": None, "initial_position": SHARE, "one_piece_less": SHARE}
)
"""What is measured of the boards, and its range."""


def compute_boards(
    scores: pd.DataFrame, *, depth: int = 4, terminal: Terminal = "absorb", seed: int = 0
) -> pd.DataFrame:
    """Describe the true boards of each set, at each length of the game and at all.

    Returns:
        One row for each set, length (upper edge of its band in half-moves; "all" last) and measure:
        pieces and legal_moves (of the true board), initial_position and one_piece_less (p_m where
        the answer is the initial position, or the true board without one piece other than a king,
        drawn uniformly), with positions, games, mean, low and high (95%, by the variance between games), effective
        (number of games) and depth.
    """
    positions = scored_rows(scores).drop_duplicates(["set", "position_id"])
    fens = positions["true_state"].tolist()
    chess = environment_named("chess")
    automaton = chess.automaton
    true = [chess.read_state(fen) for fen in fens]
    parameters = ScoringParameters(depth=depth, terminal=terminal)

    def precisions(predicted: list[Any]) -> list[float]:
        values = affordance_scores(
            automaton, true, predicted, parameters, [0] * len(true), workers=None
        )
        return [value[depth - 1] for value in values]

    positions = positions.assign(
        pieces=[piece_count(fen) for fen in fens],
        legal_moves=[len(automaton.permitted(state)) for state in true],
        initial_position=precisions([automaton.initial] * len(true)),
        one_piece_less=precisions([chess.read_state(one_piece_less(fen, seed)) for fen in fens]),
    )
    positions["set"] = pd.Categorical(positions["set"], SETS, ordered=True)
    by = ["set", "length"]
    table = grouped_means(positions, list(MEASURES), by, within=MEASURES.get, total=ALL_LENGTHS)
    table = table.rename(columns={"column": "measure", "count": "positions", "value": "mean"})
    return table.assign(depth=depth)[
        [*by, "measure", "positions", "games", "effective", "mean", "low", "high", "depth"]
    ]


def draw_boards(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw each measure against the length of the game, one line per set."""
    depth = table["depth"].iloc[0]
    titles = {
        "pieces": "pieces on the board",
        "legal_moves": "legal moves",
        "initial_position": f"p_{depth} of the answer “initial position”",
        "one_piece_less": f"p_{depth} of the true board less one piece",
    }
    figure, panels = new_figure(width=8.0, height=8.4, rows=len(titles))
    for axes, (measure, title) in zip(panels, titles.items(), strict=True):
        lines = table[(table["measure"] == measure) & (table["length"] != ALL_LENGTHS)]
        for index, name in enumerate(SETS):
            line = lines[lines["set"] == name]
            lengths = line["length"].astype(int)
            look, at = style(index), lengths + (index - 0.5)
            draw_bars(
                axes, at, line, "mean", look, linestyle=look.line, capsize=2, label=SET_NAMES[name]
            )
        axes.set_xticks(lengths)
        axes.set_title(typeset(title), fontsize=9)
    if (table.loc[table["measure"] == "initial_position", "mean"] > 0).any():
        panels[list(titles).index("initial_position")].set_yscale("log")
    panels[list(titles).index("one_piece_less")].set_ylim(0, 1)
    legend_beside(panels[0])
    panels[-1].set_xlabel(f"half-moves played (upper edge of a band of {BAND})")
    caption(
        figure,
        "The boards of World Cup games and of random legal games",
        f"{note}; means over positions; {interval_words(table)}",
    )
    return figure
