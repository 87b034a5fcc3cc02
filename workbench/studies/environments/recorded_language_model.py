"""A general language model, recorded in every environment and task, beside its own replies to other positions.

A list can be right by chance, or because it repeats what every question of its kind names. The control
gives each position the reply to another one of the same length: what remains then is due to nothing
that the model read of the position.
"""

from collections.abc import Sequence
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import SMOLLM2, recorded_replies
from workbench.drawing.appearance import caption, figure_of_rows
from workbench.drawing.labels import typeset
from workbench.drawing.quantities import PRECISION
from workbench.drawing.score_description import class_counts_by, interval_words
from workbench.environments.registry import environment_in_table
from workbench.scoring import ScoringParameters, score
from workbench.statistics.grouped import grouped_means
from workbench.statistics.intervals import SHARE
from workbench.studies.environments.errors_by_length import COUNTED
from workbench.studies.environments.precision_by_environment import SIX
from workbench.studies.study_scores import with_games
from workbench.tables.parquet_tables import setting_value

TASKS: Final = ("state", "actions", "continuation")
OWN: Final = "own"
CONTROL: Final = "control"
_ANSWER: Final = (
    "predicted_state",
    "predicted_actions",
    "reply_class",
    "status",
    "reason",
    "reply",
)
_COLUMNS: Final = [
    "environment", "title", "task", "replies", "precision", "precision_low", "precision_high", "recall",
    "recall_low", "recall_high", "count", "games", "effective", *COUNTED, "failed", "unscored",
]  # fmt: skip
_DEFAULT_PROMPT: Final = "default"


def replies_to_others(replies: pd.DataFrame) -> pd.DataFrame:
    """Return the same positions, each with the answer to the next position of its group."""
    parts = []
    for _, part in replies.groupby("group", sort=False):
        others = part.iloc[[*range(1, len(part)), 0]]
        parts.append(part.assign(**{name: others[name].to_numpy() for name in _ANSWER}))
    return pd.concat(parts, ignore_index=True)


def compute(
    parameters: ScoringParameters,
    names: Sequence[str] = SIX,
    tasks: Sequence[str] = TASKS,
    *,
    jobs: int = 1,
) -> pd.DataFrame:
    """Score the recorded replies of SmolLM2, and its replies to other positions.

    Args:
        parameters: The parameters of scoring.
        names: Of environments.
        tasks: Of the tasks.
        jobs: Workers.

    Returns:
        One row for each environment, task and ``replies`` (`OWN` or `CONTROL`): means of p_1 and r_1 with
        95% intervals by the variance between games or episodes, count (scored replies), games, effective
        (number of games), the number of replies in each class, failed and unscored (left out).
    """
    rows = []
    for name in names:
        for task in tasks:
            replies = recorded_replies((SMOLLM2,), environment=name, task=task)
            for kind, table in ((OWN, replies), (CONTROL, replies_to_others(replies))):
                scores = with_games(score(table, parameters, jobs=jobs))
                scores = scores.rename(columns={"precision_1": "precision", "recall_1": "recall"})
                rows.append({
                    "environment": name, "title": environment_in_table(name).title, "task": task,
                    "replies": kind, **_means(scores),
                })  # fmt: skip
    return pd.DataFrame(rows)[_COLUMNS]


def _means(scores: pd.DataFrame) -> dict[str, float]:
    values: dict[str, float] = {}
    for row in grouped_means(scores, ("precision", "recall"), within=SHARE).to_dict("records"):
        column = row["column"]
        values |= {column: row["value"], f"{column}_low": row["low"], f"{column}_high": row["high"]}
        if column == "precision":
            values |= {each: row[each] for each in ("count", "games", "effective")}
    counts = class_counts_by(scores, ["task"]).iloc[0]
    return {**values, **{name: counts[name] for name in (*COUNTED, "failed", "unscored")}}


def draw(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw a panel for each task: p_1 by environment, and that of the control."""
    tasks, titles = list(table["task"].unique()), list(table["title"].unique())
    figure, (panels,) = figure_of_rows([len(tasks)], [0.9 + 0.42 * len(titles)], 9.5)
    for axes, task in zip(panels, tasks, strict=True):
        for kind, offset, colour, marker in (
            (OWN, -0.13, PRECISION.colour, "o"),
            (CONTROL, 0.13, "0.55", "x"),
        ):
            part = table[(table["task"] == task) & (table["replies"] == kind)]
            places = [titles.index(title) + offset for title in part["title"]]
            means = part["precision"]
            axes.errorbar(
                means, places, fmt=marker, color=colour, markersize=5, elinewidth=1.2,
                xerr=[means - part["precision_low"], part["precision_high"] - means],
                label="its replies" if kind == OWN else "its replies to\nother positions (control)",
            )  # fmt: skip
        own = table[(table["task"] == task) & (table["replies"] == OWN)]
        for title, count, valid in zip(own["title"], own["count"], own["valid"], strict=True):
            axes.annotate(
                f"{valid}/{count}", (1, titles.index(title)), (4, 0), fontsize=8, va="center",
                xycoords=("axes fraction", "data"), textcoords="offset points", color="0.35",
            )  # fmt: skip
        axes.set_title(f"Task {task}", fontsize=10)
        axes.set_xlim(-0.03, 1.03)
        axes.set_xlabel(typeset("mean p_1"))
        axes.grid(True, axis="x", linewidth=0.5, alpha=0.5)
    panels[0].set_yticks(range(len(titles)), [f"{each[:1].upper()}{each[1:]}" for each in titles])
    panels[0].set_ylim(len(titles) - 0.5, -0.5)
    panels[-1].legend(loc="center right", fontsize=8)
    caption(
        figure,
        "SmolLM2, a general language model of 135 million parameters, in every environment",
        f"recorded replies, default prompt; beside each row: valid replies of all\n"
        f"{interval_words(table, 'episodes', 'precision_low')}{note}",
    )
    return figure


def prompt_scores(parameters: ScoringParameters, *, jobs: int = 1) -> pd.DataFrame:
    """Return the scores of the boards that SmolLM2 wrote under several prompts, with ``prompt``."""
    replies = recorded_replies((SMOLLM2,), settings=())
    scores = with_games(score(replies, parameters, jobs=jobs))
    prompts = [setting_value(one, "prompt") or _DEFAULT_PROMPT for one in scores["setting"]]
    return scores.assign(prompt=prompts)
