"""The pairs that recorded replies happen to hold, and consistency beside truth by model; nothing is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from workbench.answers.game_clusters import are_recorded, recorded_games, whole_games
from workbench.consistency import relation_named, relations
from workbench.consistency.calibration import MODEL
from workbench.consistency.measure import measured_pairs, summarize
from workbench.consistency.plan import PlannedPair, question_id
from workbench.consistency.relation import PairQuestion
from workbench.environment import AnyEnvironment
from workbench.environments.registry import environment_of
from workbench.errors import TableError
from workbench.scoring import ScoringParameters
from workbench.tasks import task_named


@dataclass(frozen=True)
class HeldPairs:
    """The pairs that the replies of one model hold.

    Attributes:
        environment: Of the replies.
        model: Its name, and its setting.
        pairs: The pairs.
        answers: As of `workbench.consistency.measure.measured_pairs`.
    """

    environment: AnyEnvironment
    model: tuple[str, str]
    pairs: tuple[PlannedPair, ...]
    answers: Mapping[tuple[Any, str], Mapping[str, Any]]

    def measured(self, parameters: ScoringParameters | None = None) -> pd.DataFrame:
        """Return the pairs with their measures, with the columns `MODEL` before them."""
        table = measured_pairs(self.environment, self.pairs, self.answers, parameters)
        for place, (column, name) in enumerate(zip(MODEL, self.model, strict=True)):
            table.insert(place, column, name)
        return table


def held_pairs(replies: pd.DataFrame, names: Sequence[str] = ()) -> list[HeldPairs]:
    """Return the pairs of each model that a table of replies happens to hold.

    Two positions with the same actions are the same question: its first reply is compared with
    others, and the second is its repetition.

    Args:
        replies: Rows of the PREDICTIONS schema that give states, all of one environment.
        names: Of relations; all if there are none.

    Raises:
        TableError: If there is no pair.
    """
    environment = environment_of(replies, "replies")
    gives_state = replies["task"].map(lambda name: task_named(name).gives_state)
    rows = replies[gives_state & replies["moves"].notna()]
    # Prefixes of one game are not independent, whatever their game_id says.
    games = recorded_games() if are_recorded(rows) else whole_games(rows)
    rows = rows.assign(game_id=rows["position_id"].map(games))
    plans: dict[tuple[str, ...], list[tuple[PairQuestion, int]]] = {}
    held = []
    for _, own in rows.groupby(list(MODEL), sort=False):
        ids = tuple(own["position_id"])
        if ids not in plans:
            plans[ids] = _questions(environment, own)
        questions = plans[ids]
        records: list[dict[Any, Any]] = own.to_dict("records")
        answers: dict[tuple[Any, str], dict[Any, Any]] = {
            (None, question_id(environment, question)): records[place]
            for question, place in questions
        }
        if pairs := _held(environment, questions, records, names):
            model, setting = (str(own[column].iloc[0]) for column in MODEL)
            held.append(HeldPairs(environment, (model, setting), tuple(pairs), answers))
    if not held:
        raise TableError(
            f"replies: expected two positions of one {environment.episode_noun} that are an "
            f"{environment.action_noun} apart, or the same twice, got none in {len(rows)} rows that "
            "give states and have their moves; ask a model instead, by its name"
        )
    return held


def recorded_pairs(
    replies: pd.DataFrame,
    names: Sequence[str] = (),
    parameters: ScoringParameters | None = None,
) -> pd.DataFrame:
    """Return the pairs of `held_pairs` of all models with their measures, in one table.

    Args:
        replies: As of `held_pairs`.
        names: Of relations; all if there are none.
        parameters: As of `workbench.consistency.measure.measured_pairs`.

    Raises:
        TableError: If there is no pair.
    """
    tables = [each.measured(parameters) for each in held_pairs(replies, names)]
    return pd.concat(tables, ignore_index=True)


def _questions(environment: AnyEnvironment, rows: pd.DataFrame) -> list[tuple[PairQuestion, int]]:
    """Return the question of each row and its place, first replies and the first repetitions."""
    repetitions: dict[tuple[str, tuple[str, ...]], int] = {}
    questions = []
    for place, (initial, moves) in enumerate(
        zip(rows["initial_state"], rows["moves"], strict=True)
    ):
        start = initial if isinstance(initial, str) else ""
        actions = tuple(environment.split_moves(environment.plain_moves(moves)))
        repetition = repetitions.get((start, actions), 0)
        repetitions[start, actions] = repetition + 1
        if repetition < 2:
            questions.append((PairQuestion(start, actions, repetition=repetition), place))
    return questions


def _held(
    environment: AnyEnvironment,
    questions: Sequence[tuple[PairQuestion, int]],
    records: Sequence[dict[Any, Any]],
    names: Sequence[str],
) -> list[PlannedPair]:
    of_question = dict(questions)
    pairs = []
    for name in names or relations():
        relation = relation_named(name)
        if relation.reads_words:
            continue
        for pair in relation.held(environment, of_question):
            record = records[of_question[pair.second]]
            pairs.append(
                PlannedPair(
                    relation, pair, record["position_id"], record["game_id"], record["group"]
                )
            )
    return pairs


def by_model(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return consistency and truth of each model and relation, the most consistent first.

    Args:
        pairs: As of `recorded_pairs`.

    Returns:
        As of `workbench.consistency.measure.summarize`, by relation, model and setting.
    """
    table = summarize(pairs, ("relation", *MODEL))
    order = table["relation"].map(list(dict.fromkeys(pairs["relation"])).index)
    return (
        table.assign(_order=order)
        .sort_values(["_order", "consistency"], ascending=[True, False], kind="stable")
        .drop(columns="_order")
        .reset_index(drop=True)
    )
