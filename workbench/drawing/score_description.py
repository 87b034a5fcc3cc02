"""A description of a scores table, for the caption of every figure drawn from it."""

from collections.abc import Sequence

import pandas as pd

from workbench.answers.imports.true_states import UNKNOWN_GROUP
from workbench.drawing.labels import NO_NAME, some_of, span
from workbench.drawing.reply_words import class_words, finished_words, ill_formed_words
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_in_table
from workbench.prediction import CLASSES, ReplyClass
from workbench.statistics.grouped import grouped_sums


def environment_of(scores: pd.DataFrame) -> AnyEnvironment:
    """Return the environment of the rows of a scores table; chess if they name none, or several."""
    names: list[object] = []
    if "environment" in scores:
        names = scores["environment"].dropna().unique().tolist()
    return environment_in_table(str(names[0]) if len(names) == 1 else DEFAULT)


def state_words(environment: str = DEFAULT) -> str:
    """Return what a model writes for a state: a FEN in chess, else what a state is called."""
    return "FEN" if environment == DEFAULT else environment_in_table(environment).state_noun


def answer_words(scores: pd.DataFrame) -> str:
    """Return what a model was asked to write: a state, a list or a line of actions, or any of them."""
    environment = environment_of(scores)
    tasks = set(scores["task"].dropna()) if "task" in scores else set()
    if tasks <= {"state"}:
        return state_words(environment.name)
    if tasks == {"legal_mass"}:
        return environment.action_noun
    kind = {"actions": "list", "continuation": "line"}.get(tasks.pop()) if len(tasks) == 1 else None
    return f"{kind} of {environment.action_noun}s" if kind else "usable answer"


def length_words(environment: str = DEFAULT, *, in_bands: bool = False) -> str:
    """Return what the column ``group`` counts in an environment, for the label of an axis."""
    of = environment_in_table(environment)
    nouns = f"{of.action_noun}s"
    words = f"{nouns} of the episode" if of.actions_per_group == 1 else f"full {nouns} played"
    return f"{words} (upper edge of each band)" if in_bands else words


def has_bands(scores: pd.DataFrame) -> bool:
    """Return whether the positions of a group differ in length, so that its number is an upper edge."""
    with_length = scores[_has_length(scores)]
    return bool((with_length.groupby("group")["ply"].nunique() > 1).any())


def episode_words(environment: str = DEFAULT) -> str:
    """Return what episodes are called in an environment, in the plural."""
    return f"{environment_in_table(environment).episode_noun}s"


def interval_words(table: pd.DataFrame, episodes: str = "games", low: str = "low") -> str:
    """Return what the bars of a figure are, over how many episodes, and where there is none.

    ``low`` is the column of their lower ends.
    """
    with_games = table[table["games"] > 0]
    words = f"bars: 95%, by the variance between whole {episodes}"
    if len(with_games):
        words += f" ({span(with_games['games'])}; effectively {span(with_games['effective'], 1)})"
    if without := int(with_games[low].isna().sum()):
        words += (
            f"; {without} of {len(with_games)} without a bar: one of the {episodes} holds nearly all rows, or "
            "they do not vary"
        )
    return words


def scored_rows(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have scores, which every study is about.

    The others are failed calls, which say nothing about a model, and rows whose true FEN cannot be
    read; their column ``unscored`` says why. See `left_out`.
    """
    return scores[scores["unscored"] == ""]


def with_names(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores in which a model without a name is called `NO_NAME`, and no set or setting is null."""
    models = scores["model"]
    named = scores.assign(model=models.where(models.notna() & (models != ""), NO_NAME))
    return named.fillna({name: "" for name in ("set", "setting") if name in named})


def distinct_models(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores in which models' names carry the set and the setting, if there are several."""
    models = scores["model"]
    for name in ("set", "setting"):
        if scores[name].nunique() > 1:
            models = models.where(scores[name] == "", models + ", " + scores[name])
    return scores.assign(model=models)


def with_length(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores with the column ``length``: the group as a whole number, null where it is unknown.

    Rows without a length count in no group but that of all lengths; `reply_count_words` counts them.
    """
    return scores.assign(length=scores["group"].where(_has_length(scores)).astype("Int64"))


def with_length_and_model(scores: pd.DataFrame, *, each_model: bool = False) -> pd.DataFrame:
    """Return scores as of `with_length`, with one name for all models unless each is by itself."""
    named = with_names(with_length(scores))
    if each_model:
        return named
    return named.assign(model=some_of(sorted(named["model"].unique()), "models"))


def _has_length(scores: pd.DataFrame) -> "pd.Series[bool]":
    return scores["group"].notna() & (scores["group"] != UNKNOWN_GROUP)


def left_out(scores: pd.DataFrame) -> dict[str, int]:
    """Count the rows that `scored_rows` leaves out: failed calls, and replies not scored."""
    failed = scores["reply_class"] == ReplyClass.FAILED
    return {
        "failed": int(failed.sum()),
        "unscored": int(((scores["unscored"] != "") & ~failed).sum()),
    }


def reply_count_words(scores: pd.DataFrame) -> str:
    """Return the replies of each class in words, and how many rows every study leaves out."""
    counts = scores["reply_class"].value_counts()
    missing = left_out(scores)
    asked_for = answer_words(scores)
    replies = [
        f"{counts.get(name, 0)} {class_words(name, asked_for)}"
        for name in CLASSES
        if name != ReplyClass.FAILED
    ]
    if missing["unscored"]:
        replies.append(f"{missing['unscored']} {class_words('unscored')}")
    words = ", ".join(replies)
    if failed := missing["failed"]:
        words += f"; {failed} failed {'call' if failed == 1 else 'calls'} left out"
    if nowhere := int((~_has_length(scores)).sum()):
        words += f"; {nowhere} without a length of the game"
    return words


def class_counts(scores: pd.DataFrame, by: Sequence[str] = ("model",)) -> pd.DataFrame:
    """Count the classes of replies of `with_names`; see `class_counts_by`."""
    return class_counts_by(with_names(scores), by)


def class_counts_by(
    scores: pd.DataFrame, by: Sequence[str], total: str | None = None
) -> pd.DataFrame:
    """Count the classes of replies in each group, failed calls among them, and the rows not scored.

    Returns:
        One row per group, with a column a class, ``unscored`` (replies that could not be scored)
        and ``count`` (all rows, failed calls included).
    """
    columns = [*CLASSES, "unscored", "count"]
    classes = {name: (scores["reply_class"] == name).astype(int) for name in CLASSES}
    unscored = (scores["unscored"] != "") & (scores["reply_class"] != ReplyClass.FAILED)
    counted = scores[list(by)].assign(**classes, unscored=unscored.astype(int), count=1)
    return grouped_sums(counted, columns, by, total=total)


def describe_scores(scores: pd.DataFrame, *, every_model: bool = False) -> str:
    """Return the data's description: models, classes of replies, policy, terminal."""
    names = sorted(with_names(scores)["model"].unique())
    models = ", ".join(names) if every_model else some_of(names, "models")
    return f"{models or 'no rows'}; {reply_count_words(scores)}\n{convention_words(scores)}"


def convention_words(scores: pd.DataFrame) -> str:
    """Return how ill-formed states and finished games count, and the environment unless chess."""
    environment = environment_of(scores)
    parts = [
        *([] if environment.name == DEFAULT else [environment.title]),
        ill_formed_words(
            *scores["ill_formed_policy"].unique(), states=f"{environment.state_noun}s"
        ),
        finished_words(*scores["terminal"].unique(), episodes=f"{environment.episode_noun}s"),
    ]
    return "; ".join(parts)
