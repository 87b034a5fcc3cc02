"""Pairs of states that differ by one slip, in any environment, and the homogeneous tree."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np

from workbench.automaton import Automaton
from workbench.environments import HomogeneousTree
from workbench.environments.registry import AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed

TREE: Final = "homogeneous tree"
_ATTEMPTS: Final = 100


@dataclass(frozen=True, slots=True)
class Pair:
    """A true and a predicted state, what tells them apart in words, and both as text."""

    true: Any
    predicted: Any
    difference: str
    true_text: str
    predicted_text: str


@dataclass(frozen=True, slots=True)
class PairsOfStates:
    """An automaton and pairs of its states; ``closed_form`` gives p_m where it is known."""

    title: str
    automaton: Automaton[Any, Any]
    pairs: tuple[Pair, ...]
    closed_form: Callable[[int], float] | None = None


def state_pairs(
    names: Sequence[str], pairs: int, moves: int, shared: int, predicted_only: int, seed: int
) -> dict[str, PairsOfStates]:
    """Return pairs of states by the name of their environment; arguments as for `compute`."""
    drawn = {}
    for name in names:
        environment = environment_named(name)
        found = tuple(_pairs(environment, pairs, moves, seed))
        drawn[name] = PairsOfStates(environment.title, environment.automaton, found)
    tree = HomogeneousTree(shared, predicted_only)
    said = f"{predicted_only} of {shared + predicted_only} actions are not permitted"
    one = Pair(tree.initial, tree.predicted, said, "true tree", "predicted tree")
    return {**drawn, TREE: PairsOfStates(TREE, tree, (one,), tree.precision)}


def _pairs(environment: AnyEnvironment, pairs: int, moves: int, seed: int) -> Iterator[Pair]:
    for index, episode in enumerate(islice(environment.episodes(moves, seed), pairs)):
        true = environment.read_state(episode.true)
        predicted = slipped(environment, true, derived_seed(seed, environment.name, index))
        texts = (environment.state_text(each).replace("\n", " / ") for each in (true, predicted))
        yield Pair(true, predicted, difference(environment, true, predicted), *texts)


def slipped(environment: AnyEnvironment, state: Any, seed: int) -> Any:
    """Return another state, after one slip.

    Args:
        environment: Of the state.
        state: The state.
        seed: At least 0.

    Raises:
        InvalidArgumentError: If the state allows no slip.
    """
    generator = np.random.default_rng(seed)
    for _ in range(_ATTEMPTS):
        other = environment.slip(state, generator)
        if other != state:
            return other
    raise InvalidArgumentError(
        f"{environment.name}: expected a state that can be written wrongly, got "
        f"{environment.state_text(state)!r:.200}; ask for another number of moves or another seed"
    )


def difference(environment: AnyEnvironment, true: Any, predicted: Any) -> str:
    """Return in words which elements of two states differ."""
    one, other = environment.elements(true), environment.elements(predicted)
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return "; ".join(
        f"{name}: {one.get(name) or 'nothing'}, written {other.get(name) or 'nothing'}"
        for name in names
    )
