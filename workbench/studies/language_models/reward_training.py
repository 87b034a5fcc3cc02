"""Training on a measure: which measures of held-out boards improve, and which pay for it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import Style, caption, new_figure, style
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, F
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidArgumentError
from workbench.installation import RESOURCES
from workbench.prediction import different_elements
from workbench.studies.language_models import training_seeds
from workbench.studies.panels import ALL_LENGTHS, draw_bars, legend_below, panels

COLUMNS: Final = ("reward", "seed", "step", "plies", "measure", "value")
RANDOM: Final = "random"
SUPERVISED: Final = "supervised"
BEFORE: Final = "before"

REWARDS: Final[Mapping[str, str]] = {
    "precision_1": "p_1",
    "precision_4": "p_4",
    "f_4": "F_4",
    "exact_match_position": "exact boards",
    "board_accuracy": "squares",
    "edit_kernel": "edit distance",
    SUPERVISED: "supervised",
    RANDOM: "random numbers",
}
"""What was optimised, in words; the last two are controls."""

MEASURES: Final[Mapping[str, str]] = {
    "precision_4": "p_4",
    "recall_4": "r_4",
    "f_4": "F_4",
    "exact_match_position": "exact boards",
    "board_accuracy": "right squares",
    "levenshtein": "edit distance",
    "legal_moves": "legal moves",
    "pieces": "pieces",
    "ill_formed": "ill-formed boards",
    "valid": "valid boards",
    "precision_1": "p_1",
}
"""What is measured on held-out games, in words."""

_PANELS: Final = ("precision_4", "recall_4", "f_4", "exact_match_position", "levenshtein", "pieces")
_CURVES: Final = ("precision_4", "recall_4", "f_4")


def reward_runs() -> pd.DataFrame:
    """Return the measures along forty trainings of ``small``, five seeds for each reward.

    Returns:
        Columns reward, seed, step, plies, measure and value: means over 100 held-out games after so
        many plies. Rows of reward ``before`` are of the model that all start from. Rows of plies 0 have the
        mean reward of the boards that were drawn in ten steps up to ``step``.
    """
    return pd.read_parquet(RESOURCES / "data" / "models" / "rewards.parquet")[list(COLUMNS)]


def compute(
    runs: pd.DataFrame, plies: Sequence[int] = (), *, against: str = BEFORE
) -> pd.DataFrame:
    """Compute what each reward changes after its last step, by measure, with intervals between seeds.

    Args:
        runs: As of `reward_runs`.
        plies: Lengths over which the mean is taken; by default all.
        against: ``before``, the model from which all start, or the name of a reward, whose training
            with the same seed reads the same positions.

    Returns:
        Columns reward, measure, mean (the change), low, high (95%, Student's t between seeds), least,
        most, seeds.

    Raises:
        InvalidArgumentError: If there are no rows of these plies, or of the reward to compare with.
    """
    boards = runs[runs["plies"] > 0]
    last = boards["step"].max()
    chosen = boards[boards["plies"].isin(plies)] if plies else boards
    key = ["reward", "measure", "seed"]
    means = chosen.groupby(["step", *key], sort=False)["value"].mean().reset_index()
    after = means[(means["step"] == last) & (means["reward"] != against)]
    base = means[means["reward"] == against]
    if against != BEFORE:
        base = base[base["step"] == last]
    if base.empty or after.empty:
        raise InvalidArgumentError(
            f"expected runs of {against!r:.40} and others after plies of {sorted(boards['plies'].unique())}, "
            f"got none after {list(plies)}"
        )
    on = ["measure"] if against == BEFORE else ["measure", "seed"]
    both = after.merge(base[[*on, "value"]], on=on, suffixes=("", "_before"))
    values = both.assign(
        study="change",
        of=both["reward"],
        length=ALL_LENGTHS,
        value=both["value"] - both["value_before"],
    )
    table = training_seeds.compute(values, "change").drop(columns="length")
    return table.rename(columns={"of": "reward"})


def drawn_rewards(runs: pd.DataFrame, steps: int = 30) -> pd.DataFrame:
    """Return the mean reward of the boards that the trainings drew, over their first and last steps.

    Args:
        runs: As of `reward_runs`.
        steps: How many, a multiple of ten.

    Returns:
        By reward: first, last.
    """
    drawn = runs[runs["plies"] == 0]
    first = drawn[drawn["step"] <= steps].groupby("reward")["value"].mean()
    last = drawn[drawn["step"] > drawn["step"].max() - steps].groupby("reward")["value"].mean()
    names = [name for name in REWARDS if name in first.index]
    return pd.DataFrame({"first": first, "last": last}).loc[names]


def reward_examples() -> pd.DataFrame:
    """Return held-out boards whose p_4 rises and whose r_4 falls most in a training on p_4, seed 0.

    Returns:
        Columns reward, seed, plies, true_state, and reply, precision_4 and recall_4, each with the endings
        ``_before`` and ``_after``.
    """
    return pd.read_csv(RESOURCES / "data" / "models" / "reward_examples.csv")


def draw_examples(examples: pd.DataFrame, count: int = 3, note: str = "") -> Figure:
    """Draw boards before and after a training, with the squares that differ from the true board."""
    environment = environment_named(DEFAULT)
    rows = examples.head(count).to_dict("records")
    figure, grid = new_figure(len(rows), 3.4 * len(rows), 7.4, rows=2)
    for place, row in enumerate(rows):
        true = environment.parse(row["true_state"])
        for axes, when in zip(
            (grid[place], grid[place + len(rows)]), ("before", "after"), strict=True
        ):
            written = environment.parse(row[f"reply_{when}"])
            different = different_elements(
                environment.elements(true.state), environment.elements(written.state)
            )
            environment.draw(axes, written.state, different)
            numbers = f"p_4 {row[f'precision_4_{when}']:.2f}, r_4 {row[f'recall_4_{when}']:.2f}"
            axes.set_title(typeset(f"{row['plies']} plies, {when}\n{numbers}"), fontsize=9)
    caption(
        figure, "Boards before and after training on p_4", f"{note}marked: squares that are wrong"
    )
    return figure


def draw(table: pd.DataFrame, note: str = "", against: str = "before the training") -> Figure:
    """Draw the change of each measure by what was optimised."""
    rewards = [name for name in REWARDS if name in set(table["reward"])]
    figure, grid = panels(2, 3, 2.6)
    for number, (axes, measure) in enumerate(zip(grid, _PANELS, strict=True)):
        rows = table[table["measure"] == measure].set_index("reward").reindex(rewards)
        axes.axvline(0, color="0.5", linewidth=0.8)
        for place, name in enumerate(rewards):
            draw_bars(
                axes,
                [place],
                rows.loc[[name]],
                "mean",
                _LOOKS[name],
                across=True,
                linestyle="",
                capsize=2,
            )
        labels = [typeset(REWARDS[name]) for name in rewards] if number % 3 == 0 else []
        axes.set_yticks(range(len(rewards)), labels or [""] * len(rewards), fontsize=9)
        axes.invert_yaxis()
        axes.grid(visible=True, axis="x", alpha=0.3)
        axes.set_title(typeset(MEASURES[measure]), fontsize=10)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("change", fontsize=9)
        if number % 3 == 0:
            axes.set_ylabel("what is optimised", fontsize=9)
    caption(figure, f"What training on a measure changes, against {against}", note)
    return figure


def draw_curves(runs: pd.DataFrame, note: str = "") -> Figure:
    """Draw the measures of held-out boards along the training, a line for each reward."""
    boards = runs[runs["plies"] > 0]
    figure, grid = panels(1, len(_CURVES), 3.2)
    of_seeds = boards.groupby(["reward", "measure", "step", "seed"])["value"].mean()
    means = of_seeds.groupby(["reward", "measure", "step"]).mean()
    present = set(boards["reward"])
    for axes, measure in zip(grid, _CURVES, strict=True):
        for name in REWARDS:
            if name not in present:
                continue
            line = pd.concat([means[BEFORE, measure], means[name, measure]])
            look = _LOOKS[name]
            axes.plot(
                line.index,
                line.to_numpy(),
                color=look.colour,
                marker=look.marker,
                linestyle=look.line,
                markerfacecolor=look.face,
                label=typeset(REWARDS[name]),
            )
        axes.set_title(typeset(MEASURES[measure]), fontsize=10)
        axes.set_xlabel("step of the training on a reward", fontsize=9)
    grid[0].set_ylabel("mean over held-out games and seeds", fontsize=9)
    legend_below(grid[0], 4)
    caption(figure, "Held-out boards along the training", note)
    return figure


_LOOKS: Final[Mapping[str, Style]] = {
    "precision_1": replace(PRECISION.look, marker="v", line=":", face="white"),
    "precision_4": PRECISION.look,
    "f_4": F.look,
    "exact_match_position": style(2),
    "board_accuracy": style(5),
    "edit_kernel": EDIT_DISTANCE.look,
    SUPERVISED: style(4),
    RANDOM: style(7),
}
"""Rewards have the colours of their measures."""


def bundled(runs: pd.DataFrame, every: int = 10) -> pd.DataFrame:
    """Return runs as they are bundled: the model before once, and rewards as means over ten steps."""
    curves, boards = runs[runs["plies"] == 0], runs[runs["plies"] > 0]
    first = boards[boards["step"] == 0].drop_duplicates(["plies", "measure"])
    first = first.assign(reward=BEFORE, seed=0)
    steps = (curves["step"] // every + 1) * every
    means = curves.assign(step=steps).groupby(list(COLUMNS[:-1]), sort=False)["value"].mean()
    parts = [first, boards[boards["step"] > 0], means.reset_index()]
    table: pd.DataFrame = pd.concat(parts, ignore_index=True)[list(COLUMNS)]
    return table
