"""One contract for every environment: texts, episodes, slips, measures, p_m and r_m.

Files beside this one hold it to replies: `test_environment_contract_replies.py` and
`test_environment_contract_hostile.py`.
"""

from fractions import Fraction
from itertools import islice
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from contract_cases import LENGTHS, NAMES, PROSE, episodes, states

from workbench.affordance import exact_profile
from workbench.automaton import SINK
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.metrics import pair_values, score_metrics

MOST_SEQUENCES = 3000


def test_the_environments_of_the_workbench_are_found():
    assert {"othello", "sokoban", "boxes"} <= set(NAMES)


def test_what_a_model_is_told_is_written(environment):
    for told in (environment.rules, environment.state_format, environment.action_format):
        assert len(told) > 20
        assert told == told.strip()
    assert environment.title


def test_an_argument_of_no_use_is_refused(environment):
    with pytest.raises(InvalidArgumentError):
        environment_named(f"{environment.name.partition(':')[0]}:../no\x00such thing")


# Episodes.


def test_episodes_are_seeded_and_lead_to_the_true_state(environment):
    for length in LENGTHS:
        drawn = list(islice(environment.episodes(length, seed=5), 3))
        assert drawn == list(islice(environment.episodes(length, seed=5), 3))
        for episode in drawn:
            assert len(episode.actions) == length
            moves = environment.separator.join(episode.actions)
            assert environment.split_moves(moves) == list(episode.actions)
            end = environment.replay(episode.initial, moves)
            assert end == environment.read_state(episode.true)
            assert environment.automaton.permitted(end)
    others = list(islice(environment.episodes(LENGTHS[-1], seed=6), 3))
    assert [each.actions for each in others] != [each.actions for each in drawn]


def test_the_start_of_an_episode_is_a_state_unless_all_share_it(environment):
    for episode in episodes(environment.name):
        assert (episode.initial == "") is environment.has_fixed_start
        start = environment.read_state(episode.initial) if episode.initial else None
        start = environment.automaton.initial if start is None else start
        assert environment.conditions(start) == ()


# Texts of states and actions.


def test_states_come_back_from_their_texts(environment):
    for pair in states(environment.name):
        for state in pair:
            text = environment.state_text(state)
            assert environment.read_state(text) == state
            assert environment.state_text(environment.read_state(text)) == text
            assert len(text) <= environment.longest_state


def test_a_state_in_another_letter_case_is_told_from_a_wrong_one(environment):
    for true, slip in states(environment.name):
        text = environment.state_text(true)
        parsed = environment.parse_true(text)
        assert environment.with_true_case(parsed, environment.parse(text)) is None
        swapped = text.swapcase()
        if swapped != text:
            mended = environment.with_true_case(parsed, environment.parse(swapped))
            assert mended is not None
            # Of a FEN the pieces alone: its other fields stay as they are written.
            assert mended.split()[0] == text.split()[0]
            assert mended.casefold() == text.casefold()
        other = environment.state_text(slip)
        if other.casefold().split()[0] != text.casefold().split()[0]:
            assert environment.with_true_case(parsed, environment.parse(other)) is None
        assert environment.with_true_case(parsed, environment.parse(None)) is None


def test_permitted_actions_are_found_by_their_texts_and_no_others(environment):
    automaton = environment.automaton
    texts = {
        environment.action_text(action)
        for pair in states(environment.name)
        for state in pair
        for action in automaton.permitted(state)
    }
    assert all(environment.plain_action(text) == text for text in texts)
    for pair in states(environment.name):
        for state in pair:
            permitted = {environment.action_text(each): each for each in automaton.permitted(state)}
            assert len(permitted) == len(automaton.permitted(state))
            for text in texts:
                assert environment.action_named(state, text) == permitted.get(text)
            assert environment.action_named(state, PROSE) is None


# The simulated tracker.


def test_a_tracker_that_never_slips_is_right(environment):
    for episode in episodes(environment.name):
        tracked = environment.track(episode.initial, episode.actions, rate=0, seed=1)
        assert environment.read_state(tracked) == environment.read_state(episode.true)


def test_a_tracker_that_always_slips_is_wrong_after_one_action(environment):
    for seed, episode in enumerate(islice(environment.episodes(1, seed=8), 10)):
        tracked = environment.track(episode.initial, episode.actions, rate=1, seed=seed)
        again = environment.track(episode.initial, episode.actions, rate=1, seed=seed)
        assert tracked == again
        assert tracked != episode.true
        assert environment.classify(tracked).reply_class in ("valid", "ill_formed")


def test_a_tracker_that_always_slips_is_mostly_wrong_after_many(environment):
    wrong = [
        environment.track(each.initial, each.actions, rate=1, seed=seed) != each.true
        for seed, each in enumerate(islice(environment.episodes(LENGTHS[-1], seed=8), 10))
    ]
    assert sum(wrong) > 5


# Measures.


def measured(environment, true, predicted, moves):
    parsed = environment.parse(predicted)
    reply_class = environment.classify_state(predicted).reply_class
    return {
        **pair_values(environment, environment.parse(true), parsed),
        **environment.diagnosis(moves, parsed, reply_class),
    }


def test_measures_have_the_names_and_types_that_are_said(environment):
    fields = [
        *(
            (each.column, each.type)
            for each in score_metrics(environment, 1)
            if each.needs == "texts"
        ),
        *environment.diagnosis_fields,
    ]
    for episode, (_, slipped) in zip(
        episodes(environment.name), states(environment.name), strict=True
    ):
        moves = environment.separator.join(episode.actions)
        for predicted in (episode.true, environment.state_text(slipped), PROSE, None):
            for known in (moves, None):
                row = measured(environment, episode.true, predicted, known)
                assert set(row) == {name for name, _ in fields}
                assert len(row) == len(fields)
                for name, kind in fields:
                    pa.array([row[name]], kind)
    assert {"exact_match", "levenshtein", "levenshtein_to_empty"} <= {name for name, _ in fields}


def test_a_state_is_like_itself_alone(environment):
    for state, slipped in states(environment.name):
        text, wrong = environment.state_text(state), environment.state_text(slipped)
        same = pair_values(environment, environment.parse(text), environment.parse(text))
        assert (same["exact_match"], same["levenshtein"]) == (True, 0)
        assert same["levenshtein_to_empty"] is False
        assert same.get("element_accuracy", 1.0) == 1.0
        other = pair_values(environment, environment.parse(text), environment.parse(wrong))
        assert other["exact_match"] is (slipped == state)
        assert (other["levenshtein"] > 0) is (slipped != state)
        assert (other.get("element_accuracy", 0.0) < 1.0) is (slipped != state)
        none = pair_values(environment, environment.parse(text), environment.parse(None))
        assert none["levenshtein_to_empty"] is True
        assert none["exact_match"] is False
        assert none["levenshtein"] > 0
        assert environment.variant_fault(environment.parse(text), None, []) == ""


# p_m and r_m.


def sequences(automaton, state, depth):
    """Every sequence that a state accepts down to a depth, its probability, and if it is finished."""
    level = [((), Fraction(1))]
    for length in range(depth + 1):
        following = []
        for word, probability in level:
            actions = automaton.actions(automaton.run(state, word))
            yield word, probability, not actions
            if length < depth:
                following += [((*word, each), probability / len(actions)) for each in actions]
        level = following


def enumerated(automaton, true, predicted, depth, terminal):
    """p_m from its definition."""
    total = Fraction(0)
    for word, probability, finished in sequences(automaton, predicted, depth):
        end = automaton.run(true, word)
        whole = len(word) == depth
        ended = finished and terminal == "absorb" and end is not SINK and not automaton.actions(end)
        total += probability * (end is not SINK if whole else ended)
    return float(total)


def affordable(automaton, *roots):
    """The largest depth of at most 3 to which sequences are few."""
    depth, width = 1, max(len(automaton.permitted(root)) for root in roots)
    while depth < 3 and width ** (depth + 1) <= MOST_SEQUENCES:
        depth += 1
    return depth


@pytest.mark.slow
@pytest.mark.parametrize("terminal", ["absorb", "drop"])
def test_precision_and_recall_by_enumeration(environment, terminal):
    automaton = environment.automaton
    for true, slipped in states(environment.name)[::3]:
        depth = affordable(automaton, true, slipped)
        profile = exact_profile(true, slipped, depth, automaton=automaton, terminal=terminal)
        for m in range(1, depth + 1):
            p = enumerated(automaton, true, slipped, m, terminal)
            r = enumerated(automaton, slipped, true, m, terminal)
            assert profile.precision[m - 1] == pytest.approx(p, abs=1e-12)
            assert profile.recall[m - 1] == pytest.approx(r, abs=1e-12)


def test_a_state_has_precision_and_recall_one_with_itself(environment):
    for state, _ in states(environment.name)[::3]:
        depth = affordable(environment.automaton, state)
        profile = exact_profile(state, state, depth, automaton=environment.automaton)
        assert profile.precision == pytest.approx([1.0] * depth, abs=1e-12)
        assert profile.recall == pytest.approx([1.0] * depth, abs=1e-12)


# For explorers.


def test_a_picture_is_svg_without_code_and_shows_what_is_marked(environment):
    for state, slipped in states(environment.name):
        elements = environment.elements(state), environment.elements(slipped)
        assert all(elements)
        differ = frozenset(dict(set(elements[0].items()) ^ set(elements[1].items())))
        assert bool(differ) is (slipped != state)
        plain = environment.picture(slipped)
        if plain is None:
            continue
        marked = environment.picture(slipped, differ)
        assert (marked != plain) is bool(differ)
        for picture in (plain, marked):
            parts = [part.tag.rpartition("}")[2] for part in ElementTree.fromstring(picture).iter()]
            assert parts[0] == "svg"
            assert "script" not in parts
            assert "title" in parts or "aria-label" in picture


# Pictures that can be edited.


def some_states(environment):
    """Right states and wrong ones."""
    return [state for pair in states(environment.name)[:4] for state in pair]


def test_places_lie_on_the_picture_and_have_names_of_their_own(environment):
    for state in some_states(environment):
        places = environment.places(state)
        picture = environment.picture(state)
        assert picture is not None or not places
        if not places:
            continue
        left, top, width, height = map(
            float, ElementTree.fromstring(picture).get("viewBox").split()
        )
        assert len({place.name for place in places}) == len(places)
        for place in places:
            assert left <= place.left < place.left + place.width <= left + width
            assert top <= place.top < place.top + place.height <= top + height


def test_an_edit_gives_another_state_that_can_be_written_and_read(environment):
    edits = 0
    for state in some_states(environment):
        places = environment.places(state)
        for source in places[:: max(1, len(places) // 12)]:
            for target in [source, *places[:: max(1, len(places) // 9)]]:
                edited = environment.edited(state, source.name, target.name)
                if edited is None:
                    continue
                edits += 1
                assert edited != state
                assert environment.read_state(environment.state_text(edited)) == edited
                assert environment.conditions(edited) is not None
                assert source == target or source.movable
                # What was put there can be taken back, and then all is as before.
                if source != target:
                    back = next(
                        (
                            each.name
                            for each in environment.places(edited)
                            if each.name.partition(" in ")[0] == source.name.partition(" in ")[0]
                            and each.movable
                            and each not in places
                        ),
                        target.name,
                    )
                    assert environment.edited(edited, back, source.name) == state
    assert bool(edits) is any(environment.places(state) for state in some_states(environment))


def test_permitted_actions_are_on_the_picture_or_nowhere(environment):
    for state in some_states(environment):
        picture = environment.picture(state)
        for action in environment.automaton.permitted(state):
            points = environment.action_points(state, action)
            assert len(points) <= 2
            if points:
                box = ElementTree.fromstring(picture).get("viewBox")
                left, top, width, height = map(float, box.split())
                assert all(left < x < left + width and top < y < top + height for x, y in points)
