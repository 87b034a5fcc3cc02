"""State precision and edit distance by the length of the episode, for one model in several environments.

A text of ten variables and one of sixty-four squares cannot differ by equally many characters, so
distances are given for 100 characters of the true text as well.
"""

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, figure_of_rows, style
from workbench.drawing.labels import span, typeset
from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, RECALL
from workbench.drawing.reply_words import class_words
from workbench.drawing.score_description import class_counts_by, interval_words, scored_rows
from workbench.environments.registry import environment_in_table
from workbench.prediction import CLASSES, ReplyClass
from workbench.statistics.grouped import grouped_means
from workbench.statistics.intervals import SHARE
from workbench.studies.panels import curve, legend_beside, log_lengths, require_columns

COUNTED: Final = tuple(name for name in CLASSES if name != ReplyClass.FAILED)
_MEASURES: Final = ("precision", "recall", "exact_match", "edit_distance", "edit_share")
_COLUMNS: Final = [
    "environment", "title", "task", "length", "measure", "depth", "mean", "low", "high", "count", "games",
    "effective", *COUNTED, "failed", "unscored",
]  # fmt: skip


def compute(scores: Mapping[str, pd.DataFrame], *, depth: int = 4) -> pd.DataFrame:
    """Compute the means of p_m, r_m, exact match and edit distance at each length.

    Intervals are of 95%, by the variance between games or episodes.

    Returns:
        Columns environment, title, task, length (actions), measure (precision, recall, exact_match,
        edit_distance in characters, edit_share in characters for 100 of the true text; those that the
        task defines), depth (the largest at most ``depth`` at which it defines p_m), mean,
        low, high, count (scored replies), games, effective (number of games), the number of these replies in each class, failed
        (calls, left out) and unscored (replies, left out). Rows without a length are in none.
    """
    tables = []
    for name, table in scores.items():
        require_columns(table, [f"precision_{depth}", f"recall_{depth}"], name)
        with_length = table[table["length"] > 0]
        rows = scored_rows(with_length)
        # A list of actions has a p_1 alone.
        depths = (m for m in range(depth, 0, -1) if rows[f"precision_{m}"].notna().any())
        deepest = next(depths, depth)
        measured = rows.assign(
            precision=rows[f"precision_{deepest}"],
            recall=rows[f"recall_{deepest}"],
            edit_distance=rows["levenshtein"],
            edit_share=100 * rows["levenshtein"].astype(float) / rows["true_state"].str.len(),
        )
        shares = dict.fromkeys(("precision", "recall", "exact_match"), SHARE)
        means = grouped_means(measured, _MEASURES, "length", within=shares.get)
        means = means[means["count"] > 0].rename(columns={"column": "measure", "value": "mean"})
        counts = class_counts_by(rows, ["length"])[["length", *COUNTED]]
        missing = class_counts_by(with_length, ["length"])[["length", "failed", "unscored"]]
        table = means.merge(counts, on="length").merge(missing, on="length")
        tasks = table["length"].map(with_length.groupby("length")["task"].first().astype(str))
        title = environment_in_table(name).title
        tables.append(table.assign(environment=name, title=title, task=tasks, depth=deepest))
    return pd.concat(tables, ignore_index=True)[_COLUMNS]


def draw(table: pd.DataFrame, subject: str, note: str = "") -> Figure:
    """Draw one column of panels an environment: above p_m, r_m and exact match, below the distance.

    What the task does not define is not drawn: a list of actions has no distance.
    """
    names = list(table["environment"].unique())
    depth = table["depth"].iloc[0]
    above = {
        "precision": (typeset(PRECISION.label(depth)), PRECISION.look),
        "recall": (typeset(RECALL.label(depth)), RECALL.look),
        "exact_match": ("exact match", style(2)),
    }
    measures = set(table["measure"])
    above = {measure: look for measure, look in above.items() if measure in measures}
    heights = [2.7, 2.2] if "edit_share" in measures else [2.7]
    figure, rows = figure_of_rows(
        [len(names)] * len(heights), heights, max(5.0, 1.4 + 1.75 * len(names))
    )
    upper = rows[0]
    for place, name in enumerate(names):
        column = [row[place] for row in rows]
        top, bottom = column[0], column[-1]
        part = table[table["environment"] == name]
        for number, (measure, (label, look)) in enumerate(above.items()):
            line = part[part["measure"] == measure].sort_values("length")
            curve(top, line, line["length"] * 1.07 ** (number - 1), label, look, 4)
        if "edit_share" in measures:
            line = part[part["measure"] == "edit_share"].sort_values("length")
            curve(bottom, line, line["length"], EDIT_DISTANCE.name, EDIT_DISTANCE.look, 4)
        lengths = sorted(part["length"].unique())
        for axes in column:
            log_lengths(axes, lengths)
        title = part["title"].iloc[0]
        top.set_title(f"{title[:1].upper()}{title[1:]} (n = {span(part['count'])})", fontsize=9)
        bottom.set_xlabel("actions", fontsize=9)
    upper[0].set_ylim(-0.03, 1.05)
    upper[0].set_ylabel("mean over episodes")
    if "edit_share" in measures:
        rows[1][0].set_ylabel("edits per 100\ncharacters of the true text")
        rows[1][0].set_ylim(bottom=0)
    legend_beside(upper[-1])
    several = f", one model in {len(names)} environments" if len(names) > 1 else ""
    tasks = sorted(set(table["task"]))
    topic = f"Precision in the task {' and '.join(tasks)}"
    topic = "State precision and edit distance" if tasks == ["state"] else topic
    caption(
        figure,
        f"{topic} by the length of the episode{several}: {subject}",
        f"{class_count_words(table)}{note}\n{interval_words(table, 'episodes')}; n: replies of each length",
    )
    return figure


def class_count_words(table: pd.DataFrame) -> str:
    """Return the classes of all replies in words, and how many were left out."""
    once = table[table["measure"] == "precision"]
    words = [f"{once[each].sum()} {class_words(each, 'state')}" for each in COUNTED]
    words += [f"{once[each].sum()} {each} (left out)" for each in ("failed", "unscored")]
    return ", ".join(words)
