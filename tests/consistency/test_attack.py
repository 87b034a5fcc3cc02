"""The search for permitted actions after which a model errs: what it meets, what it leaves out, what it costs."""

import chess
import numpy as np
import pandas as pd
import pytest

from workbench.consistency.attack import attack, first_errors
from workbench.consistency.attack_targets import attack_target
from workbench.environments.registry import environment_named, environment_names
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.language_model.language_model import load_model
from workbench.statistics.kaplan_meier import median_length

NAMES = [*environment_names(), "planning:gripper", "sokoban:corridors"]


class Tracker:
    """Writes the true state, except after a line with a planted weakness; counts what it is asked."""

    def __init__(self, environment, weakness=lambda line: False):
        self.environment = environment_named(environment)
        self.weakness = weakness
        self.calls = []

    def __call__(self, lines):
        self.calls.append([line.key for line in lines])
        return [
            "no state" if self.weakness(line) else self.environment.state_text(line.state)
            for line in lines
        ]

    @property
    def asked(self):
        return [key for call in self.calls for key in call]

    def first_action(self, line):
        """The text of the first action that the start of a line permits."""
        automaton = self.environment.automaton
        start = self.environment.read_state(line.initial) if line.initial else automaton.initial
        return self.environment.action_text(automaton.permitted(start)[0])


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_weakness_is_met_and_shrunk_to_the_planted_action(name):
    tracker = Tracker(name)
    tracker.weakness = lambda line: tracker.first_action(line) in line.actions
    met = attack(tracker, name, searches=20, budget=8000, width=1, choices=1, longest=30, seed=1)
    wrong = [each for each in met.searches if each.wrong]
    assert wrong
    assert max(each.plies for each in wrong) > 1
    for each in wrong:
        assert each.plies == len(each.actions)
        assert len(each.shortest) == each.shortest_plies == 1
        assert each.shortest[0] in each.actions
        assert each.minimal
        assert each.answer == "no state"
    assert len(tracker.asked) == len(set(tracker.asked)) == met.questions <= 8000


@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_tracker_is_never_wrong_and_the_budget_is_spent_and_stated(name):
    tracker = Tracker(name)
    met = attack(tracker, name, searches=3, budget=100, seed=2)
    assert not any(each.wrong for each in met.searches)
    assert met.best() == []
    assert len(tracker.asked) == len(set(tracker.asked)) == met.questions <= 100
    # Two searches may have asked the same; no search has more than its share.
    assert [each.questions for each in met.searches] == [34, 33, 33]
    # One call a depth, for all searches.
    assert len(tracker.calls) <= 1 + max(each.plies + 1 for each in met.searches)
    assert met.median().value == np.inf
    assert "0 of 3 searches met a wrong state" in repr(met)
    assert f"{met.questions} questions of at most 100" in repr(met)


def test_a_depth_that_the_budget_does_not_cover_is_not_counted_as_searched():
    # 1 + 16 + 32 + 32 questions make four depths, 0 to 3; a question less makes three.
    for budget, plies in ((81, 3), (80, 2), (49, 2), (1, 0)):
        assert attack(Tracker("chess"), searches=1, budget=budget).searches[0].plies == plies


def test_an_error_that_needs_two_actions_is_shrunk_to_both():
    knights = {"g1f3", "b8c6"}
    tracker = Tracker("chess", lambda line: knights <= set(line.actions))
    met = attack(tracker, searches=6, budget=2400, width=4, choices=8, seed=3)
    wrong = [each for each in met.searches if each.wrong]
    assert max(each.plies for each in wrong) > 3
    for each in wrong:
        # If Black's knight goes first, some move of White is needed before it.
        assert each.shortest in {("g1f3", "b8c6"), (each.shortest[0], "b8c6", "g1f3")}


def test_without_budget_for_shrinking_the_attack_is_not_called_minimal():
    tracker = Tracker("chess", lambda line: len(line.actions) > 4)
    walk = {"searches": 1, "width": 1, "choices": 1}
    whole, cut = (attack(tracker, budget=budget, **walk).searches[0] for budget in (100, 6))
    assert whole.actions == cut.actions == cut.shortest
    assert (len(cut.actions), cut.questions, cut.minimal) == (5, 6, False)
    assert whole.minimal
    assert whole.questions > 6


def test_failed_calls_are_no_errors():
    environment = environment_named("othello")

    def half_of_the_calls(lines):
        return [
            None if place % 2 else environment.state_text(line.state)
            for place, line in enumerate(lines)
        ]

    met = attack(half_of_the_calls, "othello", searches=1, budget=200)
    assert not met.searches[0].wrong
    assert 0 < met.searches[0].failed < 200
    assert f"{met.searches[0].failed} calls failed" in repr(met)
    every = attack(lambda lines: [None] * len(lines), "othello", searches=1, budget=200)
    assert (every.searches[0].failed, every.searches[0].plies) == (1, 0)


@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_a_tracker_that_slips_more_often_is_wrong_sooner(rate):
    met = attack("workbench/simulated", "othello", rate=rate, searches=10, seed=4)
    games = first_errors("workbench/simulated", 30, "othello", rate=rate, longest=40)
    random = median_length(games["plies"], games["wrong"])
    assert sum(each.wrong for each in met.searches) == 10
    # The state after k actions is wrong with probability 1 - (1 - rate)^k: some 8 and 3 plies.
    assert met.median("plies").high < random.value
    assert (random.value > 5) == (rate < 0.1)


@pytest.fixture(scope="module")
def met():
    return attack("workbench/small", searches=4, budget=500)


class TestBundledModels:
    def test_an_attack_is_a_legal_game_after_which_the_model_writes_another_board(self, met):
        assert met.questions <= 500
        assert met.guide == "certainty"
        assert all(each.wrong and each.minimal for each in met.searches)
        for each in met.searches:
            for actions in (each.actions, each.shortest):
                board = chess.Board()
                for move in actions:
                    board.push(board.parse_uci(move))
                (written,) = load_model("small").write_states([actions])
                # Position is right only if pieces, side, rights and a capture en passant are.
                assert written.split()[:4] != board.fen().split()[:4]
            assert each.answer == written
            assert each.true == " ".join(board.fen().split()[:4])

    def test_no_shorter_one_is_left(self, met):
        environment = environment_named("chess")
        for each in met.searches:
            for count in range(len(each.shortest)):
                line = each.shortest[:count]
                (written,) = load_model("small").write_states([line])
                true = environment.parse(
                    environment.state_text(environment.replay("", " ".join(line)))
                )
                assert environment.same_state(true, environment.parse(written))

    def test_the_seed_decides(self, met):
        again = attack("workbench/small", searches=4, budget=500)
        pd.testing.assert_frame_equal(again.table(), met.table())
        other = attack("workbench/small", searches=4, budget=500, seed=1)
        assert other.table()["actions"].tolist() != met.table()["actions"].tolist()

    def test_the_text_of_a_result_names_the_shortest(self, met):
        best = met.best(1)[0]
        assert f"{len(best.shortest)} plies: {' '.join(best.shortest)}" in repr(met)
        assert best.answer in repr(met)
        assert len(best.shortest) == met.table()["shortest_plies"].min()

    def test_a_model_that_names_moves_is_attacked_by_them(self):
        met = attack("workbench/player", error="action", searches=2, budget=200)
        for each in met.searches:
            board = chess.Board()
            for move in each.shortest:
                board.push(board.parse_uci(move))
            if each.wrong:
                named = load_model("player").next_line(each.shortest, 1)[0]
                assert each.answer == named
                assert named not in {move.uci() for move in board.legal_moves}
        target = attack_target("workbench/player", error="action")
        (answer,) = target.answers([attack_line(())])
        listed = load_model("player").next_moves([], 1e-12)
        legal = sum(listed[move.uci()] for move in chess.Board().legal_moves)
        assert answer.certainty == pytest.approx(legal, abs=1e-5)


def attack_line(actions):
    from workbench.consistency.attack_targets import Line

    environment = environment_named("chess")
    return Line("", tuple(actions), environment.replay("", " ".join(actions)))


def test_games_are_asked_about_until_the_first_error():
    game = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6".split()
    tracker = Tracker("chess", lambda line: "f1b5" in line.actions)
    rows = first_errors(tracker, [game, game[:4]])
    assert rows["wrong"].tolist() == [True, False]
    assert rows["plies"].tolist() == [5, 4]
    assert rows["actions"].tolist() == [game[:5], []]
    assert rows["questions"].tolist() == [6, 5]
    # The second game is a part of the first: nothing is asked twice.
    assert len(tracker.asked) == 6
    with pytest.raises(IllegalMoveError, match="game 0, move 2: expected one that is permitted"):
        first_errors(tracker, [["e2e4", "e2e4"]])


def test_random_games_are_seeded():
    tracker = Tracker("chess")
    one, again, other = (first_errors(tracker, 3, longest=5, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, again)
    assert one["plies"].tolist() == other["plies"].tolist() == [5, 5, 5]
    assert len({key for key in tracker.asked if len(key[1]) == 5}) == 6


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"model": "openai/gpt-4o"}, "a hosted model is attacked within a budget of dollars"),
            ({"model": "small"}, "expected workbench/ and the name of a bundled model"),
            ({"model": "workbench/nothing"}, "expected workbench/ and the name of a bundled model"),
            ({"environment": "othello"}, "expected chess, whose games workbench/tiny reads"),
            ({"error": "move"}, "error: expected one of"),
            ({"error": "action"}, "ask player"),
            ({"error": "action", "model": "workbench/simulated"}, "error: expected 'state'"),
            ({"guide": "best"}, "guide: expected one of"),
            ({"guide": "certainty", "model": "workbench/simulated"}, "for bundled models alone"),
            ({"rate": 0.1}, r"workbench/simulated alone, got \['rate'\]"),
            ({"width": 0}, "width: expected an integer of at least 1, got 0"),
            ({"searches": True}, "searches: expected an integer of at least 1, got True"),
            ({"budget": 9}, "budget: expected an integer of at least 10, got 9"),
            ({"seed": -1}, "seed: expected an integer of at least 0"),
        ],
    )
    def test_what_cannot_be_attacked_is_named(self, arguments, words):
        with pytest.raises(InvalidArgumentError, match=words):
            attack(**{"model": "workbench/tiny", **arguments})

    def test_a_function_that_leaves_lines_out(self):
        with pytest.raises(InvalidArgumentError, match="a text for each of 1 lines, got 0"):
            attack(lambda lines: [])
