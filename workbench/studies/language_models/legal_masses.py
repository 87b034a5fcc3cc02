"""The probability that models give to legal next actions, by length, and the rules that the others break."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pandas as pd

from workbench.answers.game_clusters import whole_games
from workbench.environments.registry import AnyEnvironment, environment_in_table
from workbench.errors import InvalidArgumentError
from workbench.prediction import ACTION_SEPARATOR, READABLE, ReplyClass
from workbench.statistics.grouped import grouped_means, spread
from workbench.statistics.intervals import SHARE
from workbench.tasks.legal_mass import TASK, LegalMass, legal_mass, masses_of

MEASURES: Final = ("legal_mass", "relative", "relative_by_token", "likeliest_legal")
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
