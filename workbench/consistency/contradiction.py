"""The smallest contradiction of a pair: the shortest prefix at which its two stories part."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from workbench.consistency.audit import Answer, compared
from workbench.consistency.measure import depth_of
from workbench.consistency.plan import Plan, PlannedPair, question_id
from workbench.consistency.recorded import HeldPairs
from workbench.environment import AnyEnvironment
from workbench.scoring import ScoringParameters


@dataclass(frozen=True)
class Contradiction:
    """Two answers that cannot both be right, after as few actions as possible.

    Attributes:
        environment: The environment.
        relation: The name of the relation.
        model: Who answered; empty if that is unknown.
        position_id: Of the pair in which it was found.
        ply: Actions of the first question here.
        whole: Actions of the first question of that pair.
        change: How the second question differs from the first.
        actions: Of the first question here.
        first: The first answer as compared: moved on by the action, or mapped; where it does not
            permit that action, as written before it.
        second: The second answer, mapped back.
        permitted: Whether the first answer permits the action that follows.
        consistency: Half p_m, half r_m of the two.
        depth: m.
    """

    environment: AnyEnvironment
    relation: str
    model: str
    position_id: str
    ply: int
    whole: int
    change: str
    actions: tuple[str, ...]
    first: str
    second: str
    permitted: bool
    consistency: float
    depth: int

    @property
    def caption(self) -> str:
        """What stands above both states in an explorer, which calls the first one true."""
        return f"Two answers, of which the first stands as true. {self}"

    def __str__(self) -> str:
        """Return what contradicts what, in a sentence."""
        state, action = self.environment.state_noun, self.environment.action_noun
        after = f"after {self.ply} {action}{'s' if self.ply != 1 else ''}"
        if not self.permitted:
            return (
                f"{self.relation}: the {state} written {after} does not permit what follows "
                f"({self.change})"
            )
        return (
            f"{self.relation}: {after} ({self.change}) the two {state}s agree to "
            f"{self.consistency:.2f}, half precision and half recall at m = {self.depth}"
        )


def contradicts(pairs: pd.DataFrame) -> "pd.Series[bool]":
    """Return which pairs are contradictions: both answers can be read, and differ."""
    return (pairs["readable"] == 1) & (pairs["equal"] == 0)


def prefix_plan(plan: Plan, pairs: Sequence[PlannedPair]) -> Plan:
    """Return the plan of all shorter pairs with the same change, and the pairs themselves."""
    cuts = [
        replace(planned, pair=cut)
        for planned in pairs
        for length in range(1, len(planned.pair.first.actions) + 1)
        if (cut := planned.pair.cut(length)) is not None
    ]
    return replace(plan, pairs=tuple(cuts), left_out={}, without_pair={})


def smallest_contradictions(
    plan: Plan,
    pairs: pd.DataFrame,
    answer: Answer,
    parameters: ScoringParameters | None = None,
    *,
    limit: int | None = None,
    model: str = "",
) -> list[Contradiction]:
    """Return the smallest contradiction of each pair that is one, the earliest first.

    Args:
        plan: Of the pairs.
        pairs: As of `workbench.consistency.measure.measured_pairs`, in the plan's order.
        answer: Who answers the questions about prefixes, as `prefix_plan` lists them.
        parameters: As of the pairs.
        limit: The most pairs to look at, at least 1, the shortest ones first; None for all.
        model: The name of the model.
    """
    failing = failing_pairs(plan, pairs, limit)
    if not failing:
        return []
    prefixes = prefix_plan(plan, failing)
    table = compared(prefixes, answer(prefixes.tables()), parameters)
    return _earliest(prefixes.environment, prefixes.pairs, table, failing, model)


def failing_pairs(
    plan: Plan, pairs: pd.DataFrame, limit: int | None = None
) -> tuple[PlannedPair, ...]:
    """Return the pairs of a plan that are contradictions, the shortest first."""
    places = pairs.index[contradicts(pairs)].tolist()
    places.sort(key=lambda place: len(plan.pairs[place].pair.first.actions))
    return tuple(plan.pairs[place] for place in places[:limit])


def held_contradictions(
    held: HeldPairs, pairs: pd.DataFrame, parameters: ScoringParameters | None = None
) -> list[Contradiction]:
    """Return the smallest contradictions of recorded pairs, among the prefixes that are recorded.

    Args:
        held: The pairs of one model.
        pairs: As of `HeldPairs.measured`.
        parameters: As of the pairs.
    """
    plan = Plan(held.environment, held.pairs, {}, {})
    failing = failing_pairs(plan, pairs)
    cuts = tuple(
        planned
        for planned in prefix_plan(plan, failing).pairs
        if all(
            (side.prompt, question_id(held.environment, side)) in held.answers
            for side in (planned.pair.first, planned.pair.second)
        )
    )
    if not cuts:
        return []
    table = replace(held, pairs=cuts).measured(parameters)
    return _earliest(held.environment, cuts, table, failing, held.model[0])


def _earliest(
    environment: AnyEnvironment,
    cuts: Sequence[PlannedPair],
    table: pd.DataFrame,
    failing: Sequence[PlannedPair],
    model: str,
) -> list[Contradiction]:
    """Return the first contradiction among the cuts of each failing pair."""
    depth = depth_of(table)
    whole = {(each.position_id, each.relation.name): each.pair for each in failing}
    smallest: dict[tuple[str, str], Contradiction] = {}
    for place in table.index[contradicts(table)]:
        planned, row = cuts[place], table.loc[place]
        key = planned.position_id, planned.relation.name
        if key in smallest and smallest[key].ply <= row["ply"]:
            continue
        smallest[key] = Contradiction(
            environment, planned.relation.name, model, planned.position_id, int(row["ply"]),
            len(whole[key].first.actions), row["change"], planned.pair.first.followed,
            row["first_state"] if row["permitted"] else row["first_predicted"],
            row["second_state"], bool(row["permitted"]), float(row["consistency"]), depth,
        )  # fmt: skip
    return sorted(smallest.values(), key=lambda each: (each.ply, each.position_id))
