"""Which pairs of questions an audit has, and which questions that makes: each is asked once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from workbench.asking.prompts import Prompt
from workbench.automaton import Sink
from workbench.consistency import relation_named, relations
from workbench.consistency.relation import Pair, PairQuestion, Relation, state_after
from workbench.environment import AnyEnvironment
from workbench.environments.registry import environment_of
from workbench.episodes import check_positions
from workbench.errors import InvalidArgumentError, TableError
from workbench.seeds import derived_seed
from workbench.tables.parquet_tables import POSITIONS

AGAIN: Final = "-again"
"""The end of the name of a question that is a repetition."""


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A pair, its relation, and the position of which it is.

    Attributes:
        relation: The relation.
        pair: The two questions.
        position_id: Of the position.
        game_id: Its game, by which intervals are clustered.
        group: Its group of lengths.
    """

    relation: Relation
    pair: Pair
    position_id: str
    game_id: str
    group: int


@dataclass(frozen=True)
class Plan:
    """The pairs of an audit.

    Attributes:
        environment: Of all positions.
        pairs: In the order of the positions, by relation.
        left_out: Why a relation is not asked about at all, by its name.
        without_pair: How many positions have no pair, by relation.
    """

    environment: AnyEnvironment
    pairs: tuple[PlannedPair, ...]
    left_out: Mapping[str, str]
    without_pair: Mapping[str, int]

    def tables(self) -> dict[Prompt | None, pd.DataFrame]:
        """Return the questions of each prompt as rows of a positions table, each question once.

        The prompt of the run is None.
        """
        rows: dict[Prompt | None, dict[str, dict[str, object]]] = {}
        for planned in self.pairs:
            for question in (planned.pair.first, planned.pair.second):
                name = question_id(self.environment, question)
                of_prompt = rows.setdefault(question.prompt, {})
                if name not in of_prompt:
                    of_prompt[name] = _row(self.environment, planned, question, name)
        return {
            prompt: pd.DataFrame(list(named.values()), columns=POSITIONS.names)
            for prompt, named in rows.items()
        }

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return len({
            (question.prompt, question_id(self.environment, question))
            for planned in self.pairs
            for question in (planned.pair.first, planned.pair.second)
        })  # fmt: skip


def plan_pairs(
    positions: pd.DataFrame,
    names: Sequence[str] = (),
    *,
    prompt: Prompt | None = None,
    seed: int = 0,
) -> Plan:
    """Return the pairs of some relations about positions.

    Args:
        positions: Rows of the POSITIONS schema, all of one environment, with their actions.
        names: Of relations; all if there are none. One that the environment or the model cannot have
            is left out with the reason.
        prompt: That of the run; None for a model that reads actions alone.
        seed: Of what is drawn, at least 0; what is drawn for a position depends on it, the relation
            and the position's actions alone.

    Raises:
        InvalidArgumentError: If there is no such relation, or none of those that are named is
            possible.
        TableError: If a position lacks its actions, or has one that is not permitted.
    """
    check_positions(positions)
    environment = environment_of(positions, "positions")
    candidates = [relation_named(name) for name in (names or relations())]
    left_out = {
        each.name: reason for each in candidates if (reason := _reason(each, environment, prompt))
    }
    possible = [each for each in candidates if each.name not in left_out]
    if not possible:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise InvalidArgumentError(f"relations: expected one that can be asked, got {reasons}")
    pairs, without = [], Counter[str]()
    for row in positions.to_dict("records"):
        initial, actions = _episode(environment, row)
        for relation in possible:
            own_seed = derived_seed(seed, relation.name, initial, *actions)
            generator = np.random.default_rng(own_seed)
            pair = relation.pair(environment, initial, actions, prompt, generator)
            if pair is None:
                without[relation.name] += 1
                continue
            pairs.append(
                PlannedPair(relation, pair, row["position_id"], row["game_id"], row["group"])
            )
    return Plan(environment, tuple(pairs), left_out, without)


def _reason(relation: Relation, environment: AnyEnvironment, prompt: Prompt | None) -> str:
    if relation.reads_words and prompt is None:
        return "the model reads actions alone, not the words of a question"
    return relation.reason(environment, prompt)


def _episode(environment: AnyEnvironment, row: Mapping[Any, Any]) -> tuple[str, list[str]]:
    moves, initial, where = row["moves"], row["initial_state"], row["position_id"]
    if not isinstance(moves, str):
        raise TableError(
            f"positions: expected the {environment.action_noun}s of each in the column moves, got "
            f"{moves!r:.40} for {where!r}"
        )
    start = initial if isinstance(initial, str) else ""
    actions = environment.split_moves(environment.plain_moves(moves))
    if isinstance(state_after(environment, PairQuestion(start, tuple(actions))), Sink):
        raise TableError(
            f"positions: expected {environment.action_noun}s that are permitted, got {moves!r:.80} "
            f"for {where!r}"
        )
    return start, actions


def question_id(environment: AnyEnvironment, question: PairQuestion) -> str:
    """Return the name of a question among those of one prompt, from what it is about alone."""
    moves = environment.separator.join(question.actions)
    episode = environment.episode_id(question.initial, moves)
    start = "" if not question.initial else environment.episode_id(question.initial, "")[:6] + "-"
    return f"{episode}-{start}{len(question.actions):03d}{AGAIN if question.repetition else ''}"


def _row(
    environment: AnyEnvironment, planned: PlannedPair, question: PairQuestion, name: str
) -> dict[str, object]:
    initial, actions = question.initial, question.actions
    true = environment.state_text(state_after(environment, question))
    # Chess shows a game as movetext from the usual first position alone.
    movetext = environment.movetext(actions) if environment.shows_start or not initial else None
    if not initial and not environment.shows_start:
        true = environment.episode_texts("", environment.separator.join(question.followed)).state
    return {
        "position_id": name,
        "environment": environment.name,
        "game_id": planned.game_id,
        "source": f"{planned.relation.name} of {planned.position_id}",
        "group": planned.group,
        "ply": len(actions),
        "game_plies": len(actions),
        "initial_state": initial,
        "movetext": movetext,
        "moves": environment.separator.join(actions),
        "true_state": true,
    }
