"""The lessons' questions: values counted by hand, wrong answers told wrong, nothing shown too early."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import chess
import pytest

from workbench.answers.recorded_replies import BASELINE, recorded_replies
from workbench.explore.estimator_lab import EstimatorLab
from workbench.explore.lesson.affordance_questions import START, affordance_lesson, one_error_each
from workbench.explore.lesson.estimator_questions import estimator_lesson, runs_on_tree
from workbench.explore.lesson.lesson_questions import ChoiceQuestion, NumberQuestion, verdict
from workbench.explore.lesson.model_questions import (
    UNSEEN_GAME,
    contradictions,
    end_of_error,
    first_error,
    lesson_scores,
    model_lesson,
    read_game,
    wrong_in_silence,
)
from workbench.scoring import ScoringParameters, score

BOARDS = affordance_lesson()
ESTIMATORS = estimator_lesson()

BY_HAND = {
    # 8 pawns with 2 moves, 2 knights with 2; the queen's step to e1 is the 21st.
    "moves at the start": 20,
    "shared moves": 20,
    "p_1 without a king": Fraction(20, 21),
    "r_1 without a king": 1,
    "a board without a king": "d",
    "one pawn, first move": 1,
    # Kg8 and Kg7 of Kg8, Kg7, Kh7 and h5.
    "v_2": Fraction(2, 4),
    "p_2": Fraction(1, 2),
    # Ka2, Kb1, Kb2 and g6 of these and gxh6.
    "near pawn: p_1": Fraction(4, 5),
    "near pawn: r_1": 1,
    "after a king move": Fraction(2, 5),
    "after g6": Fraction(2, 3),
    "near pawn: p_2": Fraction(28, 75),
    "when it shows": "d",
    "worst by p_4": "e",
    "best by p_4": "c",
    "what p = r = 1 means": "b",
    "grid: p_1": Fraction(2, 3),
    "grid: r_1": 1,
    "grid: p_2": Fraction(7, 12),
    # Published perft of the starting position.
    "lines of four": 197_281,
    "tree: p_2": Fraction(2, 3),
    "Algorithm 1 on the tree": "b",
    "more lines for Algorithm 1": "d",
    "Algorithm 2: a is kept": 1,
    "Algorithm 2: b is kept": Fraction(1, 3),
    "Algorithm 2: mean": Fraction(2, 3),
    "Algorithm 2: standard deviation": Fraction(1, 3),
    "one line: standard deviation": math.sqrt(2) / 3,
    "lines for one percent": 9604,
    "standard error": Fraction(1, 50),
    "lines for a small p": 99_900,
    "museum: visitors": Fraction(17, 30),
    "museum: rooms": Fraction(3, 8),
    "museum: how many to ask": 99,
}


@pytest.mark.parametrize(("name", "value"), BY_HAND.items())
def test_a_value_is_what_counting_by_hand_gives(name, value):
    question = {**BOARDS.questions, **ESTIMATORS.questions}[name]
    expected = value if isinstance(value, str) else pytest.approx(float(value))
    assert question.value == expected
    assert verdict(question, value).status == "right"


@pytest.mark.parametrize("lesson", [BOARDS, ESTIMATORS], ids=["boards", "estimators"])
class TestEveryQuestion:
    def test_tells_right_from_wrong_and_open(self, lesson):
        for question in lesson.questions.values():
            assert verdict(question, question.value).status == "right"
            assert verdict(question, ...).status == "unanswered"
            if isinstance(question, ChoiceQuestion):
                wrong = next(letter for letter in question.letters if letter != question.right)
            else:
                wrong = question.value * 0.9
            found = verdict(question, wrong)
            assert found.status == "wrong"
            assert question.in_words(question.value) not in found.said

    def test_has_something_to_say_of_each_known_mistake(self, lesson):
        for question in lesson.questions.values():
            for wrong, said in getattr(question, "mistakes", {}).items():
                found = verdict(question, wrong)
                assert (found.status, found.said) == ("wrong", f"Not right. {said}")

    def test_each_wrong_letter_of_a_task_has_a_line_of_its_own(self, lesson):
        for name in lesson._verdicts:
            question = lesson.questions[name]
            if isinstance(question, ChoiceQuestion):
                letters = set(question.letters) - set(question.right)
                lines = [verdict(question, letter).said for letter in letters]
                assert len(set(lines)) == len(letters)
                assert all(len(line) > len("Not right. ") + 20 for line in lines)

    def test_shows_no_value_before_the_guess(self, lesson):
        """Neither in the state that a page gets, nor in the HTML of a page without a kernel."""
        for name, widget in lesson._guesses.items():
            question = lesson.questions[name]
            state = {key: value for key, value in widget.get_state().items() if key[0] != "_"}
            assert state["outcome"] == {}
            state.pop("layout")
            shown = json.dumps(state) + widget.still()
            assert question.because
            assert question.because not in shown
            if isinstance(question, NumberQuestion):
                assert question.in_words(question.value) not in shown


@pytest.mark.parametrize(
    "given", ["", "x", "<script>alert(1)</script>", "9" * 10**6, [], {1: 2}, True, math.nan, -1, 2,
              float("inf"), object(), b"a", 3j, 10**400, -(10**5000)],
    ids=lambda given: type(given).__name__,
)  # fmt: skip
def test_what_is_no_answer_is_told_so(given):
    found = verdict(BOARDS.questions["p_2"], given)
    assert found.status == "unreadable"
    assert "expected a number from 0 to 1, got" in found.said
    assert len(found.said) < 200


def test_a_refusal_says_what_is_expected():
    questions = {**BOARDS.questions, **ESTIMATORS.questions}
    for name, given, said in (
        ("p_2", (0, 95), "got (0, 95); write a decimal point, as in 0.95."),
        ("moves at the start", -3, "expected a whole number, 0 or more, got -3."),
        ("lines for a small p", "many", "expected a whole number, 1 or more, got 'many'."),
        ("reading an interval", "e", "expected one letter in quotes, a to d, got 'e'."),
        ("p_2", "", "got ''; write a number, such as 3 / 4, in place of the dots."),
        ("p_2", [], "got []; write a number, such as 3 / 4, in place of the dots."),
        ("p_2", "1/2", "got '1/2'; write the number without quotes, as in 3 / 4."),
        ("p_2", "50%", "write the number without quotes and without %, as in 3 / 4."),
        ("p_2", 50, "got 50; if it is a percentage, write 50 / 100."),
        ("p_2", 1.5, "expected a number from 0 to 1, got 1.5."),
        ("lines for a small p", (99, 900), "got (99, 900); write no comma, as in 12000."),
        ("lines for a small p", 10**400, "got a whole number of more than 300 digits."),
    ):
        assert verdict(questions[name], given).said.endswith(said)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        # 20/21 = 0.95238..., of which 19/20 = 0.95 and 21/22 = 0.9545... are other counts.
        ("p_1 without a king", [20 / 21, 0.952, 0.9524, 0.95238], [19 / 20, 21 / 22, 0.95, 0.953]),
        ("museum: rooms", [3 / 8, 0.375], [0.37, 0.38, 0.374]),
        ("museum: visitors", [17 / 30, 0.567, 0.5667], [0.57, 0.566]),
        ("v_2", [0.5], [0.499, 0.51]),
        # 17/30 · 13/30 / 0.0025 = 98.2.
        ("museum: how many to ask", [99], [98, 98.2222, 100]),
        ("lines for a small p", [99_900, 0.001 * 0.999 / 0.0001**2], [99_800, 100_000, 100_050]),
        ("standard error", [0.02], [0.019, 0.021]),
    ],
)  # fmt: skip
def test_only_correct_rounding_counts_as_right(name, right, wrong):
    question = {**BOARDS.questions, **ESTIMATORS.questions}[name]
    assert {verdict(question, given).status for given in right} == {"right"}
    assert {verdict(question, given).status for given in wrong} == {"wrong"}


def test_a_share_that_is_nearly_right_is_told_so():
    said = verdict(BOARDS.questions["p_1 without a king"], 0.95).said
    assert said == "Not right. It is near: give a fraction, or round to three decimals."
    # 0.38 - 0.375 is a little more than 0.005 in floats; 0.003 is no rounding of 0.0004.
    assert "It is near" in verdict(ESTIMATORS.questions["museum: rooms"], 0.38).said
    assert "variance" in verdict(ESTIMATORS.questions["standard error"], 0.0004).said
    assert "variance" not in verdict(ESTIMATORS.questions["standard error"], 0.003).said
    museum = ESTIMATORS.questions["museum: how many to ask"]
    assert verdict(museum, 98).said == verdict(museum, 98.2222).said
    assert "round up" in verdict(museum, 98).said


def test_what_follows_from_a_wrong_answer_is_told_so():
    """With 3/4 for v_2 p_2 is 1 · 3/4; with 4/5, 1/2 and 2/3 it is 4/5 · (3/2 + 2/3)/4 = 13/30."""
    found = affordance_lesson().check({"v_2": 3 / 4, "p_2": 3 / 4}).found["p_2"]
    assert found.said == "Not right. It follows from your v_2, which is wrong: correct that first."
    # p_2 alone, or not from v_2: the hint, which does not repeat that p_1 is 1.
    for answers in ({"p_2": 3 / 4}, {"v_2": 3 / 4, "p_2": 1 / 4}, {"v_2": "?", "p_2": 3 / 4}):
        said = affordance_lesson().check(answers).found["p_2"].said
        assert said.startswith("Not right. Multiply the shares")
    # The earlier answers count also if they come from another cell.
    lesson = affordance_lesson()
    lesson.check({"near pawn: p_1": 4 / 5, "after a king move": 1 / 2, "after g6": 2 / 3})
    said = lesson.check({"near pawn: p_2": 13 / 30}).found["near pawn: p_2"].said
    assert said == (
        "Not right. It follows from your answers to p_1, after a king move, after g6, but not all "
        "of them are right: correct those first."
    )
    wrong = {"Algorithm 2: a is kept": 1 / 2, "Algorithm 2: b is kept": 1 / 6}
    both = {"Algorithm 2: mean": 1 / 3, "Algorithm 2: standard deviation": 1 / 6}
    found = estimator_lesson().check(wrong | both).found
    assert all("not all of them are right" in found[name].said for name in both)
    # 0.375 · 0.625 / 0.0025 = 93.75.
    rooms = estimator_lesson().check({"museum: visitors": 3 / 8, "museum: how many to ask": 94})
    assert "follows from your visitors" in rooms.found["museum: how many to ask"].said


@pytest.mark.parametrize("given", ["ac", "ca", {"a", "c"}, ["A", "c"], "a, c", "(a) c."])
def test_letters_are_read_in_any_form(given):
    question = ChoiceQuestion("which", "Which?", ("one", "two", "three"), "ac")
    assert verdict(question, given).status == "right"
    assert verdict(question, "a").said == "Not right. Missing: c."
    assert verdict(question, "abc").said == "Not right. Too many: b."
    assert verdict(question, "ab").said == "Not right. Missing: c. Too many: b."
    assert verdict(question, "b").said == "Not right. Missing: a, c. Too many: b."
    reasons = {"b": "Two is even.", "d": "Four too."}
    odd = ChoiceQuestion("odd", "Which?", ("1", "2", "3", "4"), "ac", wrong=reasons)
    assert verdict(odd, "abc").said == "Not right. Too many: b. b: Two is even."
    only = ChoiceQuestion("which", "Which?", ("one", "two"), "b", wrong={"a": "Two are two."})
    assert verdict(only, "a").said == "Not right. Two are two."
    assert verdict(only, "ab").said == "Not right. One letter is right."
    for other in ("d", "", 1, ["a", 2], "a c d"):
        assert verdict(question, other).status == "unreadable"


def test_points_by_distance_of_shares_and_by_ratio_of_counts():
    share = NumberQuestion("share", "?", 0.5, near=0.05)
    assert [share.points(x) for x in (0.5, 0.55, 0.45, 0.56, 0.65, 0.66, 0)] == [
        2,
        2,
        2,
        1,
        1,
        0,
        0,
    ]
    count = NumberQuestion("count", "?", 1000, near=2, low=0, high=math.inf)
    assert [count.points(x) for x in (1000, 2000, 500, 2001, 8000, 125, 8001, 0)] == [
        2, 2, 2, 1, 1, 1, 0, 0,
    ]  # fmt: skip


def test_algorithm_1_on_the_tree_is_right_for_one_line_and_wrong_for_more():
    def mean(samples):
        values = runs_on_tree("naive", samples)
        return sum(values) / len(values)

    # Five standard errors of 1,000 runs that are 0 or 1.
    assert mean(1) == pytest.approx(2 / 3, abs=5 * 0.015)
    assert mean(2) == pytest.approx(1 / 2, abs=5 * 0.015)
    assert set(runs_on_tree("naive", 4)) == set(runs_on_tree("naive", 100)) == {0.5}
    assert set(runs_on_tree("intermediate", 2)) == {2 / 3}


def test_the_spreads_that_lesson_2_names():
    true, predictions = one_error_each()
    near = predictions["the black bishop on e6 is believed on c8"]
    methods = ("naive", "branch", "intermediate")
    given = {"depth": 4, "samples": 500, "repeats": 200, "seed": 0, "methods": methods}
    close = EstimatorLab(true_fen=true, predicted_fen=near, **given)
    summary = close.summary().set_index("method")
    assert round(close.reference().value, 4) == 0.6865
    assert summary["mean"].round(4).tolist() == [0.7020, 0.6869, 0.6873]
    assert summary["standard_deviation"].round(3).tolist() == [0.028, 0.020, 0.024]
    assert round(summary["node_count"]["intermediate"] / summary["node_count"]["branch"]) == 22
    far = EstimatorLab(true_fen=true, predicted_fen=START, **given)
    spread = far.summary().set_index("method")
    assert round(far.reference().value, 5) == 0.00097
    assert spread["standard_deviation"]["intermediate"] == spread["bias"]["intermediate"] == 0
    assert spread["zeros"]["branch"] == 114


@pytest.fixture(scope="module")
def unseen():
    return read_game(UNSEEN_GAME).tracked


@pytest.mark.slow
def test_the_third_lesson_takes_its_values_from_the_scores(unseen):
    """Against the scores themselves: means, shares and the two policies."""
    scores = lesson_scores(every=50)
    lesson = model_lesson(scores, unseen)
    played = scores[scores["set"] == "world_cup"]
    own = played[played["model"] == "o4-mini-2025-04-16"]
    ill_formed = own["reply_class"] == "ill_formed"
    values = {name: question.value for name, question in lesson.questions.items()}
    assert values["boards that cannot arise"] == pytest.approx(ill_formed.mean())
    sink = own["precision_4"].where(~ill_formed, 0).mean()
    assert values["o4-mini under sink"] == pytest.approx(sink)
    mini = played[played["model"] == "o3-mini-2025-01-31"]
    readable = mini[mini["reply_class"].isin(["valid", "ill_formed"])]
    assert values["o3-mini, readable boards"] == pytest.approx(readable["precision_4"].mean())
    baseline = played[played["model"] == "starting_board"]
    assert values["always the starting position"] == pytest.approx(baseline["precision_4"].mean())
    long_games = played[(played["model"] == "gpt-4.1-2025-04-14") & (played["group"] == 50)]
    assert values["gpt-4.1 in long games"] == pytest.approx(long_games["precision_4"].mean())
    assert values["what may be concluded"] == "ac"


def test_the_means_under_sink_that_lesson_3_names():
    """Ill-formed boards alone are scored: under `sink` each mean of 1,000 replies lacks their share."""
    means = {"o3-2025-04-16": (0.971, 0.968), "gemini-2.0-flash-001": (0.331, 0.274)}
    means["o4-mini-2025-04-16"] = (0.386, 0.339)
    replies = recorded_replies(models=list(means))
    scores = score(replies[replies["reply_class"] == "ill_formed"], ScoringParameters(depth=4))
    lost = scores.groupby("model")["precision_4"].sum() / 1000
    for model, (as_is, sink) in means.items():
        # Both means are rounded to three decimals.
        assert as_is - sink == pytest.approx(lost[model], abs=0.0011)


def wrong_squares(reply):
    """The squares on which a reply's board has another piece, or none, by python-chess's own maps."""
    maps = [
        chess.BaseBoard(fen.split()[0]).piece_map() for fen in (reply.true_fen, reply.predicted_fen)
    ]
    squares = sorted({square for one in maps for square in one})
    return [chess.square_name(each) for each in squares if maps[0].get(each) != maps[1].get(each)]


class TestTheGameThatAModelReads:
    def test_is_one_of_the_record(self, unseen):
        moves = " ".join(stop.uci for stop in unseen.stops[1:])
        assert recorded_replies(models=[BASELINE])["moves"].str.startswith(moves).any()

    def test_its_first_error_lasts_as_long_as_the_lesson_says(self, unseen):
        wrong = {reply.ply: wrong_squares(reply) for reply in unseen.replies}
        begins, ends = first_error(unseen), end_of_error(unseen)
        assert next(ply for ply in wrong if wrong[ply]) == begins.value == 16
        right_again = next(ply for ply in wrong if ply > 16 and "g6" not in wrong[ply])
        assert right_again == ends.value == 48
        assert "Count half-moves from the start" in verdict(ends, 32).said
        assert "the number of the move" in verdict(ends, 24).said
        said = {ply: verdict(ends, ply).said for ply in wrong}
        assert said[15] == "Not right. The error begins later."
        assert said[16] == "Not right. There the error begins."
        assert said[47] == "Not right. At this ply the square is wrong."
        assert "not for the first time" in said[49]
        assert "The game has 60 half-moves" in verdict(ends, 61).said
        assert begins.because.startswith(
            "After 8... Bg6 it writes a knight on g6, where a bishop stands"
        )
        assert "for 32 half-moves, until 24... Bf7" in ends.because
        assert "f7" in wrong[51], "instructor's notes"

    def test_most_of_its_wrong_boards_contradict_nothing(self, unseen):
        parted = contradictions(unseen)
        assert parted == [16, 37, 38, 39, 48, 50, 51, 52, 54, 56, 59, 60]
        task = wrong_in_silence(unseen)
        assert task.value == 45 - 12
        assert "So many boards contradict" in verdict(task, 12).said
        assert "So many boards are wrong" in verdict(task, 45).said
        assert "right or wrong" in verdict(task, 48).said

    def test_moving_on_a_true_board_contradicts_nothing(self, unseen):
        true = [replace(reply, predicted_fen=reply.true_fen) for reply in unseen.replies]
        assert contradictions(replace(unseen, replies=tuple(true))) == []

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("game", "model", "first"),
        [
            ("1. a4 h5 2. Ra3 Rh6", "small", (4, ["d4"])),
            ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3", "small", (13, ["b3"])),
            ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3", "medium", None),
            ("1. a4 h5 2. Ra3 Rh6 3. Rh3 Ra6 4. Rf3", "medium", (7, ["f3"])),
        ],
    )  # fmt: skip
    def test_games_of_the_instructors_notes(self, game, model, first):
        tracker = read_game(game)
        tracker.read_with(model)
        wrong = [(reply.ply, wrong_squares(reply)) for reply in tracker.tracked.replies]
        assert next((each for each in wrong if each[1]), None) == first

    @pytest.mark.parametrize("game", ["", "1. e4 e6 2. Qh8", "<script>", "no game" * 10**5])
    def test_what_is_no_game_is_told_so(self, game):
        said = read_game(game).data
        assert said.startswith("This game cannot be read: ")
        assert len(said) < 400


def test_a_page_shows_verdicts_as_text_with_subscripts():
    verdicts = affordance_lesson().check({"p_1 without a king": "<script>", "p_2": 0.5})
    html = verdicts._repr_mimebundle_()["text/html"]
    assert html.startswith("<p>p<sub>1</sub> without a king: This is no answer: expected")
    assert "&lt;script&gt;" in html
    assert html.endswith("<br>p<sub>2</sub>: Right.</p>")
