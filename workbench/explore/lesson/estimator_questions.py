"""The questions of the second lesson: what an estimator's mean is, how it scatters, what it costs."""

import math
from collections.abc import Hashable
from typing import Final

from workbench.affordance import exact_profile
from workbench.affordance.estimate import single_runs
from workbench.affordance.estimators.contract import Run
from workbench.environments.chess import ChessState
from workbench.environments.chess.kernel.kernel_functions import line_count
from workbench.environments.synthetic_automata import TableAutomaton
from workbench.explore.lesson.affordance_questions import START
from workbench.explore.lesson.lesson_questions import (
    ChoiceQuestion,
    Following,
    Question,
    count_question,
    share_question,
)
from workbench.explore.lesson.lesson_record import Lesson

CONFIDENCE: Final = 1.96
"""Standard errors on either side of a 95% interval."""

_ROOT: Final = "The standard error is a root: square both sides before you solve for N."

_ROUNDING: Final = 0.01
"""By which a computed count may miss a whole number."""

MUSEUM_ROOMS: Final = (1, 2, 5)
"""Rooms behind each of the three doors of the transfer task; one room of each has a painting."""


def small_tree() -> TableAutomaton:
    """Return two states, ``T`` and ``S``, whose lines of two actions can be counted by hand.

    ``T`` permits a and b, then x after a, and x, y or z after b. ``S`` permits the same but for x
    and z after b.
    """
    end: dict[Hashable, Hashable] = {}
    return TableAutomaton(
        {
            "T": {"a": "T after a", "b": "T after b"},
            "T after a": {"x": "end"},
            "T after b": {"x": "end", "y": "end", "z": "end"},
            "S": {"a": "S after a", "b": "S after b"},
            "S after a": {"x": "end"},
            "S after b": {"y": "end"},
            "end": end,
        },
        "S",
    )


def runs_on_tree(method: str, samples: int, runs: int = 1000, seed: int = 0) -> list[float]:
    """Return the values of single runs of an estimator of p_2 on the small tree."""
    results: list[Run] = single_runs(
        "S", "T", 2, automaton=small_tree(), method=method, samples=samples,
        seeds=range(seed, seed + runs),
    )  # fmt: skip
    return [run.value for run in results]


def estimator_lesson() -> Lesson:
    """Return the second lesson, with every value computed."""
    return Lesson(_guesses(), [*_tree(), *_second_algorithm(), *_numbers(), *_transfer()])


def _guesses() -> list[Question]:
    lines = line_count(ChessState.from_fen(START), 4)
    return [
        count_question(
            "lines of four",
            "How many lines of 4 half-moves are there from the starting position?",
            lines,
            because=(
                f"{lines:,}: 20 moves, 20 replies, then a few more at each step. At m = 8 there are 84,998,978,956. "
                "Nobody walks all of them: p_m is estimated from a sample."
            ),
        ),
        ChoiceQuestion(
            "Algorithm 1 on the tree",
            "Algorithm 1 estimates p_2 on the small tree with N = 100, many times. What are its values?",
            (
                "p_2 each time",
                "1/2 each time",
                "around p_2, a little more or less",
                "around 1/2, a little more or less",
            ),
            "b",
            because=(
                "The tree has only 4 lines, so with N = 100 nothing is thinned and nothing is random. Algorithm 1 keeps all 4 "
                "lines, finds that S accepts 2 of them, and answers 2/4. That is no bad luck: it counts every line once, but "
                "uniform branching reaches a-x three times as often as each line through b."
            ),
        ),
        ChoiceQuestion(
            "more lines for Algorithm 1",
            "Does a larger N bring Algorithm 1 nearer to p_2 on this tree?",
            (
                "yes: its bias shrinks as N grows",
                "yes, but slowly",
                "no: its mean is 1/2 for every N",
                "no: its mean is right for N = 1 and wrong from N = 2 on",
            ),
            "d",
            because=(
                "With N = 1 one line is kept at each step, drawn uniformly from its parent's actions. That is uniform branching, and the mean "
                "is 2/3. From N = 2 on both a and b are kept, their 4 lines are thinned as equals, and the mean is 1/2. More "
                "lines make Algorithm 1 more certain of the wrong value."
            ),
        ),
        ChoiceQuestion(
            "spread, near boards",
            "Two boards that differ by a bishop, m = 4, N = 500. How does the spread of Algorithm 2 compare with that of 500 independent lines?",
            ("ten times smaller", "about the same", "ten times larger"),
            "b",
            because=(
                "Near boards share almost all lines, so Algorithm 2 has to throw most of them away, and it draws among lines of "
                "unequal weight as if they were equal. Over 200 runs its standard deviation is 0.024, that of independent lines 0.020, and it "
                "generates 22 times as many states."
            ),
        ),
        ChoiceQuestion(
            "spread, far boards",
            "Now the prediction is the starting position, p_4 is about 0.001, and again N = 500. What is the standard deviation of Algorithm 2?",
            ("0", "about 0.001, as large as p_4", "about 0.1, far larger than p_4"),
            "a",
            because=(
                "The two boards share so few lines that at most 500 are left at each step. Nothing is thinned, nothing is random: Algorithm 2 walks the "
                "whole joint tree. Of independent lines most runs find none that is accepted and answer 0."
            ),
        ),
        count_question(
            "lines for one percent",
            "p_m is about 0.5. How many independent lines make the 95% interval ±0.01?",
            _needed(0.5, 0.01 / CONFIDENCE),
            because=(
                "The standard error √(p(1 − p)/N) must be 0.01/1.96, so N = 0.25 · (1.96/0.01)² = 9,604. For an interval half as "
                "wide it takes four times as many."
            ),
        ),
    ]  # fmt: skip


def _tree() -> list[Question]:
    profile = exact_profile("S", "T", 2, automaton=small_tree())
    p_2 = profile.precision[1]
    naive = runs_on_tree("naive", 100, runs=1)[0]
    return [
        share_question("tree: p_2", "What is p_2?", p_2,
               {naive: "That counts each line once. A line through b has only a share of 1/2 · 1/3.",
                1 / 3: "That is the share of replies that are accepted after b.",
                1 / 6: "That is the line b-y alone. S accepts another line."},
               "Multiply along each line: 1/2 for the first step, then 1 over the number of actions."),
    ]  # fmt: skip


def _second_algorithm() -> list[Question]:
    low, high = sorted(set(runs_on_tree("intermediate", 1, runs=100)))
    names = ("Algorithm 2: a is kept", "Algorithm 2: b is kept")
    # Either comes up with probability 1/2.
    mean, deviation = (low + high) / 2, (high - low) / 2
    p_2 = exact_profile("S", "T", 2, automaton=small_tree()).precision[1]
    return [
        share_question("Algorithm 2: a is kept", "What is the estimate if a is kept?", high,
               {0.5: "After thinning from 2 lines to 1 the weight is doubled."},
               "Weight 1/2, times 2 for the thinning, times 1 for the only action after a."),
        share_question("Algorithm 2: b is kept", "And if b is kept?", low,
               {1 / 6: "After thinning from 2 lines to 1 the weight is doubled.",
                1.0: "One of the three actions after b is accepted.",
                2 / 3: "Before the thinning b has weight 1/2, not 1: the first step chose one of two actions."},
               "Weight 1/2, times 2 for the thinning, times 1/3 for y."),
        share_question("Algorithm 2: mean", "What is the mean of the two?", mean, {}, "Both are equally probable: add them and divide by 2.",
               because="It is p_2: Algorithm 2 is unbiased.", follows=Following(names, lambda one, other: (one + other) / 2)),
        share_question("Algorithm 2: standard deviation", "What is the standard deviation of a run?", deviation,
               {deviation**2: "That is the variance; take the root.",
                2 * deviation: "That is how far the two values are apart. How far is each from the mean?",
                math.sqrt(2) * deviation: "That divides by n − 1, as for a sample. These two values are all there are, each with probability 1/2."},
               "Both values are equally far from the mean: how far?",
               follows=Following(names, lambda one, other: abs(one - other) / 2)),
        share_question("one line: standard deviation", "And the standard deviation of one independent line?",
               math.sqrt(p_2 * (1 - p_2)),
               {p_2 * (1 - p_2): "That is the variance; take the root.", p_2: "That is the mean of one line.",
                deviation: "That is the standard deviation of Algorithm 2. A line is worth 1 or 0."},
               "One line is accepted (1) with probability p = 2/3, or not (0): √(p(1 − p))."),
    ]  # fmt: skip


def _numbers() -> list[Question]:
    error = math.sqrt(0.2 * 0.8 / 400)
    needed = _needed(0.001, 0.1 * 0.001)
    return [
        share_question("standard error", "80 of 400 lines are accepted. What is the standard error of the estimate?", error,
               {0.2: "That is the estimate itself.", 0.2 * 0.8: "Divide by N and take the root.", error**2: "That is the variance; take the root.",
                math.sqrt(0.2 * 0.8): "That is the standard deviation of one line. Divide by the root of N.",
                math.sqrt(0.2 * 0.8 / 80): "N is all 400 lines, not the 80 that are accepted.",
                CONFIDENCE * error: "That is half of the 95% interval: 1.96 standard errors."},
               "√(p(1 − p)/N) with p = 80/400."),
        count_question("lines for a small p", "p_m is 0.001. How many lines make the standard error a tenth of p_m?", needed,
               mistakes={100_000: "That leaves out the factor 1 − p = 0.999.", 10: _ROOT,
                         needed * CONFIDENCE**2: "That makes 1.96 standard errors a tenth of p_m. One is asked for."},
               hint="Solve √(p(1 − p)/N) = p/10 for N.", within=_ROUNDING),
        ChoiceQuestion(
            "reading an interval",
            "An estimate has the 95% interval 0.65 to 0.73. What does that mean?",
            (
                "95% of all lines have a precision between 0.65 and 0.73.",
                "95% of further runs fall between 0.65 and 0.73.",
                "The procedure makes intervals of which 95% contain p_m.",
                "p_m changes from run to run, and is in the interval 95% of the time.",
            ),
            "c",
            because="p_m is a fixed number; the interval is random. Notebook 07_estimators measures how often intervals contain it.",
            wrong={
                "a": "A line is accepted or not; the interval is about p_m, the share of all lines.",
                "b": "Further runs scatter around p_m, not around this run, and each has an interval of its own.",
                "d": "p_m is a fixed number, computed from two boards. What changes from run to run?",
            },
        ),
    ]  # fmt: skip


def _transfer() -> list[Question]:
    visitors = sum(1 / rooms for rooms in MUSEUM_ROOMS) / len(MUSEUM_ROOMS)
    rooms_behind = sum(MUSEUM_ROOMS)
    rooms = len(MUSEUM_ROOMS) / rooms_behind
    samples = _needed(visitors, 0.05)
    up = "Visitors come whole: round up, or the error is a little above 0.05."
    return [
        share_question("museum: visitors", "What share of the visitors sees a painting?", visitors,
               {rooms: "That is the share of the rooms. Visitors choose a door first."},
               "A third of the visitors takes each door, and spreads over the rooms behind it."),
        share_question("museum: rooms", "What share of the rooms has a painting?", rooms,
               {visitors: "That is the share of the visitors.",
                1 / rooms_behind: "That is one room of all. How many have a painting?"},
               "Divide the rooms with a painting by all rooms."),
        count_question("museum: how many to ask", "How many visitors make the standard error at most 0.05?", samples,
               mistakes={
                   samples - 1: up,
                   visitors * (1 - visitors) / 0.05**2: up,
                   _needed(rooms, 0.05): "That is with p the share of the rooms. It is visitors that you ask.",
                   _needed(0.5, 0.05): "That is with p = 1/2. Take the share of the visitors.",
                   _needed(visitors, 0.05 / CONFIDENCE): "That makes 1.96 standard errors 0.05. One is asked for.",
               },
               follows=Following(("museum: visitors",), lambda p: _needed(p, 0.05)),
               hint="Solve √(p(1 − p)/N) = 0.05 for N, with p the share of the visitors.", within=_ROUNDING),
    ]  # fmt: skip


def _needed(p: float, standard_error: float) -> int:
    """Return how many independent draws of probability ``p`` have at most this standard error."""
    # 1e-9: what rounding makes of a whole number is no further draw.
    return math.ceil(p * (1 - p) / standard_error**2 - 1e-9)
