"""The probability that models give to legal next actions, by length, and the rules that the others break."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from workbench.answers.game_clusters import whole_games
from workbench.answers.model_replies import predictions_table
from workbench.drawing.appearance import caption, new_figure, style
from workbench.drawing.labels import labels
from workbench.drawing.score_description import interval_words, length_words
from workbench.environments.registry import (
    AnyEnvironment,
    environment_in_table,
    environment_of,
)
from workbench.errors import InvalidArgumentError
from workbench.prediction import ACTION_SEPARATOR, READABLE, ReplyClass
from workbench.statistics.grouped import grouped_means, spread
from workbench.statistics.intervals import SHARE
from workbench.studies.language_models.next_moves import BY_PLY, controls
from workbench.studies.panels import draw_bars
from workbench.tasks.legal_mass import (
    TASK,
    LegalMass,
    Mass,
    candidate_texts,
    legal_mass,
    mass_lines,
    masses_of,
)

MEASURES: Final = ("legal_mass", "relative", "relative_by_token", "likeliest_legal")
UNIFORM: Final = "control: uniform over candidates"

_MOST_RULES: Final = 5
_COLUMNS: Final = (
    "likeliest", "likeliest_mass", "likeliest_legal", "permitted", "candidates",
)  # fmt: skip


class _Answer(NamedTuple):
    """A row of replies, its environment and true state, and what its probabilities say."""

    row: Any
    environment: AnyEnvironment
    true: Any
    masses: LegalMass

    def rule(self, text: str) -> str:
        """Return the rule that an action breaks."""
        return self.environment.broken_rule(self.true, text)


def _answers(replies: pd.DataFrame) -> Iterator[_Answer]:
    """Yield the replies to the task; failed calls are left out."""
    rows = replies[(replies["task"] == TASK.name) & (replies["reply_class"] != ReplyClass.FAILED)]
    if rows.empty:
        raise InvalidArgumentError(
            f"expected replies to the task {TASK.name}, got {len(replies)} replies to "
            f"{sorted(replies['task'].unique())}; ask with the task {TASK.name}"
        )
    for row in rows.itertuples():
        environment = environment_in_table(str(row.environment))
        listed = row.predicted_actions if row.reply_class in READABLE else None
        masses = masses_of(str(listed).split(ACTION_SEPARATOR) if listed else ())
        true = environment.parse_true(str(row.true_state)).state
        yield _Answer(row, environment, true, legal_mass(environment, true, masses))


def by_position(replies: pd.DataFrame) -> pd.DataFrame:
    """Return what each reply's probabilities of next actions say.

    Args:
        replies: A predictions table; the task ``legal_mass`` counts alone.

    Returns:
        A row for each reply that is no failed call: model, position_id, game, group, ply; legal_mass,
        relative, relative_by_token, likeliest, likeliest_mass, likeliest_legal, permitted and
        candidates as of `workbench.tasks.legal_mass.LegalMass`; wrong, the likeliest action that is not
        permitted, wrong_mass, and rule, which it breaks. NaN where undefined.

    Raises:
        InvalidArgumentError: If there is no reply to the task.
    """
    games = whole_games(replies)
    rows = []
    for answer in _answers(replies):
        row, masses = answer.row, answer.masses
        wrong = next(iter(masses.wrong), "")
        rows.append(
            {
                **{name: getattr(row, name) for name in ("model", "position_id")},
                "game": games[row.position_id],
                **{name: getattr(row, name) for name in ("group", "ply")},
                "legal_mass": masses.legal,
                **{name: getattr(masses, name) for name in (*MEASURES[1:3], *_COLUMNS)},
                "wrong": wrong,
                "wrong_mass": masses.wrong.get(wrong, math.nan),
                "rule": answer.rule(wrong) if wrong else "",
            }
        )
    return pd.DataFrame(rows)


def by_rule(replies: pd.DataFrame) -> pd.DataFrame:
    """Return the probability on actions that break each rule, by model and length.

    Args:
        replies: As of `by_position`.

    Returns:
        A row for each model, length and rule, the largest mass first: model, group, rule, mass (mean
        over the positions), share (of the mass on all actions that are not permitted), example (the
        likeliest) and positions.
    """
    positions = Counter[tuple[Any, ...]]()
    masses = defaultdict[tuple[Any, ...], float](float)
    examples: dict[tuple[Any, ...], tuple[float, str]] = {}
    for answer in _answers(replies):
        group = (answer.row.model, answer.row.group)
        positions[group] += 1
        for text, mass in answer.masses.wrong.items():
            key = (*group, answer.rule(text))
            masses[key] += mass
            examples[key] = max(examples.get(key, (-1.0, "")), (mass, text))
    by = ["model", "group"]
    rows = [
        (*key, mass / positions[key[:2]], examples[key][1], positions[key[:2]])
        for key, mass in masses.items()
    ]
    table = pd.DataFrame(rows, columns=[*by, "rule", "mass", "example", "positions"])
    table.insert(4, "share", table["mass"] / table.groupby(by)["mass"].transform("sum"))
    return table.sort_values([*by, "mass"], ascending=[True, True, False], ignore_index=True)


def by_length(table: pd.DataFrame) -> pd.DataFrame:
    """Return the means of `MEASURES` by model and length, with 95% intervals over whole games.

    Args:
        table: As of `by_position`.

    Returns:
        A row for each model and length: model, group; for each measure its mean, ``_low`` and ``_high``;
        count (positions where legal_mass is defined), games, effective (number of games) and undefined
        (positions where no action is permitted).
    """
    by = ["model", "group"]
    means = grouped_means(table, list(MEASURES), by, within=SHARE)
    undefined = means[means["column"] == MEASURES[0]].set_index(by)["undefined"]
    wide = spread(means, by, counted=MEASURES[0])
    return wide.merge(undefined.reset_index(), on=by)


def control_replies(positions: pd.DataFrame) -> pd.DataFrame:
    """Return the replies of two models that know nothing of the state.

    One weighs all candidates alike (`workbench.tasks.legal_mass.candidate_texts`), the other lists what is
    often permitted after as many actions (`workbench.studies.language_models.next_moves.controls`).

    Args:
        positions: A positions table of one environment whose episodes begin in one state.
    """
    environment = environment_of(positions, "positions")
    often = controls(positions)[BY_PLY]
    tables = []
    for model in (UNIFORM, BY_PLY):
        replies: list[dict[str, Any]] = []
        for moves in positions["moves"]:
            actions = environment.split_moves(moves)
            texts = (
                candidate_texts(environment, "", actions) if model == UNIFORM else often(actions)
            )
            reply = mass_lines({text: Mass(1 / len(texts)) for text in texts})
            columns = TASK.classify(environment, reply).columns()
            replies.append({"task": TASK.name, "model": model, "reply": reply, **columns})
        tables.append(predictions_table(positions, replies))
    return pd.concat(tables, ignore_index=True)


def draw(lengths: pd.DataFrame, rules: pd.DataFrame, subject: str, environment: str) -> Figure:
    """Draw legal mass and the legality of the likeliest action by length, and the rules that one model breaks.

    Args:
        lengths: As of `by_length`.
        rules: As of `by_rule`, of one model.
        subject: What was asked.
        environment: Its name.
    """
    models = list(lengths["model"].unique())
    names = labels(models, 60)
    figure, panels = new_figure(3, width=10.5, height=4.3)
    groups = sorted(lengths["group"].unique())
    for axes, measure, title in zip(
        panels,
        ("legal_mass", "likeliest_legal"),
        ("Probability on legal actions", "The likeliest action is legal"),
        strict=False,
    ):
        for place, model in enumerate(models):
            part = lengths[lengths["model"] == model]
            at = part["group"] + 0.4 * (place - (len(models) - 1) / 2)
            draw_bars(
                axes, at, part, measure, style(place), label=names[model], markersize=4, capsize=2,
                linestyle=style(place).line, linewidth=1.2, elinewidth=0.8,
            )  # fmt: skip
        axes.set_title(title, fontsize=9)
    whole = rules.groupby("rule")["mass"].sum().sort_values(ascending=False)
    likely = list(whole.index[:_MOST_RULES])
    shortened = rules.assign(rule=rules["rule"].where(rules["rule"].isin(likely), "other rules"))
    wide = shortened.pivot_table(
        index="group", columns="rule", values="mass", aggfunc="sum"
    ).fillna(0.0)
    bottom = wide.iloc[:, 0] * 0.0
    width = 0.6 * min((b - a for a, b in itertools.pairwise(groups)), default=1)
    for place, rule in enumerate([*likely, *({"other rules"} & set(wide))]):
        look = style(place + 3)
        panels[2].bar(
            wide.index, wide[rule], width, bottom=bottom, label=rule, color=look.colour, hatch=look.hatch,
            edgecolor="white", linewidth=0.4,
        )  # fmt: skip
        bottom += wide[rule]
    model = str(rules["model"].iloc[0])
    panels[2].set_title(f"Illegal actions of {model}:\nprobability by the rule broken", fontsize=9)
    for axes in panels:
        axes.set_xticks(groups, [str(group) for group in groups], fontsize=8)
        axes.set_xlabel(length_words(environment), fontsize=8)
        axes.set_ylim(-0.03, 1.03)
    panels[0].set_ylabel("probability, or share of positions", fontsize=8)
    for axes, columns in ((panels[0], 1), (panels[2], 1)):
        axes.legend(
            fontsize=7,
            frameon=False,
            ncols=columns,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.16),
        )
    caption(
        figure,
        "Probability on legal actions, and the rules that the rest breaks",
        f"{lengths['count'].sum() // len(models):,} positions a model; {interval_words(lengths, 'games', 'legal_mass_low')}",
        subject,
    )
    return figure
