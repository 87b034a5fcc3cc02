"""Compression and distinction, on automata small enough to enumerate by hand."""

import math
from itertools import product

import pytest

from workbench.affordance.boundary import BoundaryMeasure, ListedAutomaton, boundary, other_orders
from workbench.automaton import Automaton
from workbench.errors import InvalidArgumentError


class Corridor(Automaton[int, str]):
    """Cells 0 to 3; left and right, but not through the ends."""

    initial = 0

    def permitted(self, state):
        return tuple(name for name in "LR" if 0 <= state + (1 if name == "R" else -1) <= 3)

    def successor(self, state, action):
        return state + (1 if action == "R" else -1)


class Coins(Automaton[frozenset, str]):
    """Two coins, each of which can be taken once."""

    initial = frozenset()

    def permitted(self, state):
        return tuple(name for name in "ab" if name not in state)

    def successor(self, state, action):
        return state | {action}


def perfect(automaton):
    return lambda actions: automaton.permitted(automaton.run(automaton.initial, actions))


def everything(_actions):
    return "LR"


def last_action(actions):
    """A model that remembers one action: after R it lists both, else R alone."""
    return "LR" if actions and actions[-1] == "R" else "R"


def test_the_boundary_of_a_corridor_by_hand():
    corridor = Corridor()
    # Cell 2 accepts L L and refuses R R; cell 1 accepts R R and refuses L L.
    assert boundary(corridor, 2, 1, 1) == ()
    assert boundary(corridor, 2, 1, 2) == (("L", "L"),)
    assert boundary(corridor, 1, 2, 2) == (("R", "R"),)
    assert boundary(corridor, 0, 3, 1) == (("R",),)
    assert boundary(corridor, 2, 2, 3) == ()


def test_the_boundary_is_what_enumeration_gives():
    corridor = Corridor()
    for one, other, depth in product(range(4), range(4), (1, 2, 3)):
        expected = {
            sequence
            for length in range(1, depth + 1)
            for sequence in product("LR", repeat=length)
            if corridor.accepts(one, sequence)
            and not corridor.accepts(other, sequence)
            and corridor.accepts(other, sequence[:-1])
        }
        assert set(boundary(corridor, one, other, depth)) == expected


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_perfect_model_compresses_and_distinguishes(depth):
    corridor = Corridor()
    measure = BoundaryMeasure(corridor, perfect(corridor), depth=depth)
    same = measure.compression("RRL", "RLR")
    assert same.equal
    assert same.agreement == 1
    apart = measure.distinction("RR", "")
    assert (apart.recall, apart.precision) == (1, 1)


def test_a_model_that_lists_everything_compresses_and_does_not_distinguish():
    measure = BoundaryMeasure(Corridor(), everything, depth=2)
    assert measure.compression("RRL", "RLR").equal
    apart = measure.distinction("RR", "")
    # Cell 2 accepts L, cell 0 does not; R L and R R are accepted by both, so that they are none.
    assert (apart.recall, apart.true_count, apart.model_count) == (0, 1, 0)
    assert math.isnan(apart.precision)


def test_a_model_of_the_last_action_by_hand():
    measure = BoundaryMeasure(Corridor(), last_action, depth=1)
    # Both lead to cell 1; after L it lists R, after R both: they share R, and L is in one list.
    same = measure.compression("RRL", "RLR")
    assert not same.equal
    assert same.agreement == 1 / 2
    # Cell 3 against cell 2: cell 2 accepts R, cell 3 does not; the model lists R after both and L
    # after R alone, which both cells accept.
    apart = measure.distinction("RRRL", "RRR")
    assert (apart.recall, apart.true_count, apart.model_count) == (0, 1, 0)
    other = measure.distinction("RRR", "RRRL")
    assert (other.true_count, other.model_count, other.precision) == (0, 1, 0)
    assert math.isnan(other.recall)


def test_coins_in_another_order():
    coins = Coins()
    assert list(other_orders(coins, coins.initial, "ab")) == [("b", "a")]
    measure = BoundaryMeasure(coins, perfect(coins), depth=2)
    assert measure.compression("ab", "ba").equal
    # A model that forgets the first of two coins lists it again.
    forgetful = BoundaryMeasure(coins, lambda actions: set("ab") - set(actions[-1:]), depth=1)
    assert forgetful.compression("ab", "ba").agreement == 0
    apart = forgetful.distinction("a", "b")
    assert (apart.recall, apart.precision) == (1, 1)


def test_other_orders_of_a_corridor_are_what_enumeration_gives():
    corridor = Corridor()
    for length in (2, 3, 4):
        for actions in product("LR", repeat=length):
            if not corridor.accepts(0, actions):
                continue
            swaps = {
                (*actions[:i], actions[j], *actions[i + 1 : j], actions[i], *actions[j + 1 :])
                for i in range(length)
                for j in range(i + 1, length)
                if actions[i] != actions[j]
            }
            expected = {each for each in swaps if corridor.accepts(0, each)}
            assert set(other_orders(corridor, 0, actions)) == expected


def test_listed_actions_are_counted_once_and_asked_once():
    calls = []

    def lister(actions):
        calls.append(actions)
        return ["L", "L", "R"]

    listed = ListedAutomaton(lister)
    assert listed.permitted(("R",)) == ("L", "R")
    assert listed.permitted(("R",)) == ("L", "R")
    assert calls == [("R",)]


def test_pairs_that_do_not_fit_are_refused():
    measure = BoundaryMeasure(Corridor(), everything)
    with pytest.raises(InvalidArgumentError, match="lead to two; `distinction`"):
        measure.compression("R", "RR")
    with pytest.raises(InvalidArgumentError, match="lead to one; `compression`"):
        measure.distinction("RRL", "RLR")
    with pytest.raises(InvalidArgumentError, match="permitted actions, got 'L'"):
        measure.distinction("L", "R")
