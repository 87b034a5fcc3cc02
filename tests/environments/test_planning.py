"""Planning problems: Blocksworld worked out by hand, closed forms and enumeration."""

from fractions import Fraction
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from processor_time import least_seconds
from pyperplan.grounding import ground
from pyperplan.pddl.parser import Parser

from workbench.affordance import exact_profile
from workbench.environments import planning
from workbench.environments.planning import PROBLEMS
from workbench.environments.registry import environment_named
from workbench.errors import IllegalMoveError

TOWERS = "(on a b) (on b c) (on d e) (on-table c) (on-table e) (clear a) (clear d) (arm-empty)"
D_DOWN = TOWERS.replace("(on d e)", "(on-table d) (clear e)")


@pytest.fixture(scope="module")
def blocks():
    return environment_named("planning")


@pytest.fixture(scope="module", params=[f"planning:{name}" for name in PROBLEMS])
def bundled(request):
    return environment_named(request.param)


def every_state(environment):
    automaton = environment.automaton
    found, waiting = {automaton.initial}, [automaton.initial]
    while waiting:
        state = waiting.pop()
        for action in automaton.permitted(state):
            after = automaton.successor(state, action)
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def by_enumeration(automaton, true, predicted, depth):
    """p_1 .. p_m by definition: every sequence of the predicted state, tried on the true one."""
    total = [Fraction(0)] * depth

    def walk(sequence, state, share):
        if sequence:
            if not automaton.accepts(true, sequence):
                return
            total[len(sequence) - 1] += share
        permitted = automaton.permitted(state)
        if len(sequence) < depth:
            assert permitted
            for action in permitted:
                after = automaton.successor(state, action)
                walk([*sequence, action], after, share / len(permitted))

    walk([], predicted, Fraction(1))
    return [float(each) for each in total]


class TestBlocksworld:
    @pytest.mark.parametrize(
        ("text", "permitted"),
        [
            (TOWERS, ["(unstack a b)", "(unstack d e)"]),
            (D_DOWN, ["(pick-up d)", "(pick-up e)", "(unstack a b)"]),
            # The arm holds a: it goes onto the table or onto a clear block.
            (
                "(holding a) (on b c) (on-table c) (clear b) (on d e) (on-table e) (clear d)",
                ["(put-down a)", "(stack a b)", "(stack a d)"],
            ),
            # Ill-formed: a is held and also stands on b, and is clear; the arm is empty too.
            (
                "(holding a) (on a b) (clear a) (arm-empty)",
                ["(put-down a)", "(stack a a)", "(unstack a b)"],
            ),
            ("no facts", []),
        ],
    )
    def test_permits_what_its_rules_permit(self, blocks, text, permitted):
        assert sorted(blocks.automaton.permitted(blocks.read_state(text))) == permitted

    @pytest.mark.parametrize(
        ("before", "action", "after"),
        [
            (
                TOWERS,
                "(unstack a b)",
                "(holding a) (clear b) (on b c) (on d e) (on-table c) (on-table e) (clear d)",
            ),
            (
                "(holding a) (clear b) (on-table b)",
                "(stack a b)",
                "(on a b) (on-table b) (clear a) (arm-empty)",
            ),
            ("(holding a)", "(put-down a)", "(on-table a) (clear a) (arm-empty)"),
            ("(on-table a) (clear a) (arm-empty)", "(pick-up a)", "(holding a)"),
        ],
    )
    def test_changes_what_its_rules_change(self, blocks, before, action, after):
        state = blocks.automaton.successor(blocks.read_state(before), action)
        assert state == blocks.read_state(after)

    def test_p_and_r_of_a_wrong_tower_worked_out_by_hand(self, blocks):
        """True: d on e. Predicted: d on the table.

        One of three actions, (unstack a b), is permitted in both, and one of two of the true ones.
        Then a may go onto the table, b or d in both, and in the predicted state onto e too.
        """
        true, predicted = blocks.read_state(TOWERS), blocks.read_state(D_DOWN)
        profile = exact_profile(true, predicted, 2, automaton=blocks.automaton)
        assert profile.precision == pytest.approx((1 / 3, 1 / 3 * 3 / 4))
        assert profile.recall == pytest.approx((1 / 2, 1 / 2))

    def test_six_actions_take_milliseconds(self, blocks):
        true, predicted = blocks.read_state(TOWERS), blocks.read_state(D_DOWN)
        profile = exact_profile(true, predicted, 6, automaton=blocks.automaton)
        call = partial(exact_profile, true, predicted, 6, automaton=blocks.automaton)
        assert least_seconds(call, 0.5) < 0.5
        assert profile.precision == pytest.approx(
            by_enumeration(blocks.automaton, true, predicted, 6)
        )
        assert profile.recall == pytest.approx(by_enumeration(blocks.automaton, predicted, true, 6))

    def test_every_arrangement_of_five_blocks_can_arise(self, blocks):
        """Sets of lists of 5 blocks, 501 (OEIS A000262), and 5 held blocks with 73 of 4."""
        states = every_state(blocks)
        assert len(states) == 501 + 5 * 73
        assert all(blocks.conditions(state) == () for state in states)

    def test_operators_agree_with_rules_written_again(self, blocks):
        names = "abcde"
        for state in every_state(blocks):
            clear = {x for x in names if f"(clear {x})" in state}
            held = [x for x in names if f"(holding {x})" in state]
            if held:
                expected = {f"(put-down {held[0]})"} | {f"(stack {held[0]} {x})" for x in clear}
            else:
                expected = {f"(pick-up {x})" for x in clear if f"(on-table {x})" in state}
                expected |= {
                    f"(unstack {x} {y})" for x in clear for y in names if f"(on {x} {y})" in state
                }
            assert set(blocks.automaton.permitted(state)) == expected


class TestConditions:
    @pytest.mark.parametrize(
        ("text", "unmet"),
        [
            (TOWERS, ()),
            (D_DOWN, ()),
            (TOWERS.replace("(arm-empty)", ""), ("missing_fact",)),
            (f"{TOWERS} (holding c)", ("exclusive_facts",)),
            (TOWERS.replace("(on a b)", "(on a a)"), ("impossible_fact", "missing_fact")),
            # a on b on c on a: no two of these exclude each other, and each set has its fact.
            (
                "(on a b) (on b c) (on c a) (on d e) (on-table e) (clear d) (arm-empty)",
                ("unreachable",),
            ),
        ],
    )
    def test_of_blocksworld(self, blocks, text, unmet):
        assert blocks.conditions(blocks.read_state(text)) == unmet

    @pytest.mark.parametrize(
        ("fact", "unmet"),
        [
            ("(road north-office south-office)", ("false_fact", "impossible_fact")),
            ("(at jet north-office)", ("impossible_fact", "exclusive_facts")),
            ("(at book north-office)", ("wrong_type", "impossible_fact")),
            ("(inside book jet)", ("exclusive_facts",)),
        ],
    )
    def test_name_facts_that_no_journey_makes_true(self, fact, unmet):
        logistics = environment_named("planning:logistics")
        initial = logistics.state_text(logistics.automaton.initial)
        found = logistics.conditions(logistics.read_state(f"{initial} {fact}"))
        assert set(found) <= set(unmet)
        assert found[0] == unmet[0]

    def test_are_necessary(self, bundled):
        """Each by itself holds in every state that can arise."""
        conditions = bundled._conditions
        states = every_state(bundled)
        assert conditions.states == states
        assert conditions.together.keys() == frozenset().union(*states)
        together = {pair for state in states for pair in permutations(state, 2)}
        apart = [
            frozenset(pair) for pair in permutations(conditions.together, 2) if pair not in together
        ]
        assert all("exclusive_facts" in conditions.unmet(pair) for pair in apart)


@pytest.mark.parametrize(
    ("name", "states"),
    [
        # Three rooms; four balls in rooms, of which at most two are in the two grippers.
        ("gripper", 3 * (3**4 + 4 * 2 * 3**3 + 4 * 3 * 3**2)),
        # Three vehicles between two places each; three parcels in four places or three vehicles.
        ("logistics", 2**3 * 7**3),
    ],
)
def test_the_number_of_states_is_as_counted(name, states):
    assert len(every_state(environment_named(f"planning:{name}"))) == states


def pyperplan_task(name):
    """A bundled problem as another planner reads and grounds it, with every operator."""
    folder = Path(planning.__file__).parent / "problems"
    parser = Parser(str(folder / f"{name}_domain.pddl"), str(folder / f"{name}_problem.pddl"))
    return ground(
        parser.parse_problem(parser.parse_domain()),
        remove_statics_from_initial_state=False,
        remove_irrelevant_operators=False,
    )


@pytest.mark.parametrize("name", PROBLEMS)
def test_actions_and_their_effects_are_those_of_pyperplan(name):
    automaton = environment_named(f"planning:{name}").automaton
    task = pyperplan_task(name)
    changed = set().union(*(each.add_effects | each.del_effects for each in task.operators))
    always = task.initial_state - changed
    assert automaton.initial == task.initial_state - always
    generator, state = np.random.default_rng(1), automaton.initial
    for _ in range(100):
        applicable = {each.name: each for each in task.operators if each.applicable(state | always)}
        assert set(automaton.permitted(state)) == set(applicable)
        after = {action: automaton.successor(state, action) for action in applicable}
        for action, operator in applicable.items():
            assert after[action] | always == operator.apply(state | always)
        state = after[str(generator.choice(sorted(after)))]


class TestEveryBundledProblem:
    def test_p_and_r_are_those_of_enumeration(self, bundled):
        generator = np.random.default_rng(5)
        automaton = bundled.automaton
        true = bundled.read_state(next(bundled.episodes(12, seed=4)).true)
        for _ in range(4):
            predicted = bundled.slip(true, generator)
            assert predicted != true
            profile = exact_profile(true, predicted, 3, automaton=automaton)
            assert profile.precision == pytest.approx(by_enumeration(automaton, true, predicted, 3))
            assert profile.recall == pytest.approx(by_enumeration(automaton, predicted, true, 3))

    def test_states_and_actions_come_back_from_their_text(self, bundled):
        episode = next(bundled.episodes(15, seed=1))
        state = bundled.automaton.initial
        for text in episode.actions:
            assert bundled.read_state(bundled.state_text(state)) == state
            assert bundled.plain_action(text) == text
            state = bundled.automaton.successor(state, bundled.action_named(state, text))
        assert bundled.state_text(state) == episode.true
        assert bundled.replay(None, bundled.separator.join(episode.actions)) == state

    def test_a_prompt_names_every_action_predicate_and_object(self, bundled):
        task = bundled.task
        for name in (*(each.name for each in task.schemas), *task.predicates):
            assert f"({name}" in bundled.rules
        assert all(name in bundled.rules for name in task.objects)

    def test_facts_that_never_change_are_no_part_of_a_state(self, bundled):
        text = bundled.state_text(bundled.automaton.initial)
        with_them = " ".join([text, *bundled.task.constant_facts])
        assert bundled.read_state(with_them) == bundled.automaton.initial
        assert all(fact in bundled.rules for fact in bundled.task.constant_facts)

    def test_slips_are_of_four_kinds_and_repeatable(self, bundled):
        state = bundled.read_state(next(bundled.episodes(9, seed=2)).true)
        slipped = [bundled.slip(state, np.random.default_rng(seed)) for seed in range(60)]
        assert slipped == [bundled.slip(state, np.random.default_rng(seed)) for seed in range(60)]
        kept = [each for each in slipped if each > state]
        missing = [each for each in slipped if each < state]
        other = [each for each in slipped if len(each) == len(state) and each != state]
        assert kept
        assert missing
        assert any(len(each - state) == 1 for each in other)
        assert any(len(each - state) > 1 for each in other)
        assert len(kept) + len(missing) + len(other) == 60


def test_rules_in_words(blocks):
    assert (
        "(stack ?block ?onto), with ?block and ?onto of type block, needs (holding ?block) and "
        "(clear ?onto); (on ?block ?onto), (clear ?block) and (arm-empty) become true, and "
        "(clear ?onto) and (holding ?block) become false."
    ) in blocks.rules


def test_an_action_that_is_not_permitted_names_its_place(blocks):
    with pytest.raises(IllegalMoveError, match=r"action 2: .*\(unstack d e\)"):
        blocks.replay(None, "(unstack a b)\n(unstack d e)")


def test_the_picture_shows_each_place_of_a_block_and_marks_differences(blocks):
    state = blocks.read_state("(on a b) (on a c) (on-table b) (on-table c) (on d e) (clear a)")
    picture = blocks.picture(state, frozenset({"(on a c)", "(holding d)"}))
    assert picture.count(">a</text>") == 2
    # e is below d, and nothing says where it is.
    assert picture.count('stroke-dasharray="2 3"') == 1
    assert picture.count('class="different"') == 1
    assert "not: (holding d)" in picture
    assert environment_named("planning:gripper").picture(frozenset()) is None
