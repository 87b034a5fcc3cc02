"""Attack: a search for permitted actions after which a model goes wrong soonest, and what of them is needed.

Balogh and Jelasity (arXiv 2602.05903) falsify a sequence model by an adversary that plays permitted moves
so that the model's next one becomes illegal. Here the error is in the state that a model writes
(or in the action that it names), the adversary is a beam search, and what it finds is shrunk.

A search starts with no action. At each depth it extends every line of its beam by a few permitted actions,
drawn by its seed, asks the model about all of them in one call, and stops if an answer is wrong. Else the
lines that the guide puts first are the next beam. Several searches differ in what they draw, so that
there is a distribution of lengths rather than one. Before the first error every written state is the
true one, and gives no direction; what a bundled model's own probabilities say does.

Then runs of actions, or any two (in a game of two players one alone changes sides), are left out as long
as the rest is permitted and the model still errs, after Zeller and Hildebrandt (2002), Simplifying and
isolating failure-inducing input, doi:10.1109/32.988498.
"""

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, combinations, islice
from operator import itemgetter
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from workbench.consistency.attack_targets import (
    Answer,
    Error,
    Key,
    Line,
    StateWriter,
    Target,
    attack_target,
)
from workbench.environments.registry import DEFAULT
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.statistics.kaplan_meier import MedianLength, median_length

Guide = Literal["certainty", "change", "random"]
"""``certainty``: lines first after which the model is least certain of its answer. ``change``: lines whose
last action changes most elements of the state. ``random``: by lot, the control of both."""

_CALL: Final = 32
"""Shorter lines of one search that are asked about at once."""
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Attack:
    """One search, or one game.

    Attributes:
        number: Of the search, from 0.
        initial: The text of the start; empty for the one that every episode shares.
        wrong: Whether an error was met; if not, the search is censored.
        plies: Actions until the first error, or the last depth that was searched in full without one.
        actions: Those until the first error; none of a censored search.
        shortest: What is left of them after shrinking; the model errs after these, too.
        minimal: Whether the model is known to be right after all that is permitted of ``shortest`` without
            a run of actions, or without two of them; so after each of its prefixes.
        true: The text of the true state after ``shortest``.
        answer: The model's answer there.
        questions: Lines that this search asked about; two searches may ask about the same.
        failed: Calls among them that failed; they count neither as wrong nor as right.
    """

    number: int
    initial: str
    wrong: bool
    plies: int
    actions: tuple[str, ...]
    shortest: tuple[str, ...]
    minimal: bool
    true: str
    answer: str
    questions: int
    failed: int

    @property
    def shortest_plies(self) -> int:
        """Actions of ``shortest``, or those searched of a censored search."""
        return len(self.shortest) if self.wrong else self.plies


@dataclass(frozen=True, slots=True)
class Attacks:
    """All searches of one attack; see `attack`.

    Attributes:
        model: Its name.
        environment: Its name.
        error: ``state`` or ``action``.
        guide: How lines were chosen.
        seed: Of the searches.
        budget: Questions at most.
        questions: Questions asked, each line once.
        seconds: Time taken.
        searches: In the order of their numbers.
    """

    model: str
    environment: str
    error: Error
    guide: Guide
    seed: int
    budget: int
    questions: int
    seconds: float
    searches: tuple[Attack, ...]

    def table(self) -> pd.DataFrame:
        """Return the searches as rows: the fields of `Attack`, actions as lists, and ``shortest_plies``."""
        return _frame(self.searches)

    def median(self, column: str = "shortest_plies") -> MedianLength:
        """Return the median of ``shortest_plies`` or ``plies``; its interval resamples searches."""
        return median_length(
            [getattr(each, column) for each in self.searches],
            [each.wrong for each in self.searches],
        )

    def best(self, count: int = _SHOWN) -> list[Attack]:
        """Return the attacks with the fewest actions after shrinking, each sequence once."""
        distinct = {(each.initial, each.shortest): each for each in reversed(self.searches)}
        wrong = [each for each in distinct.values() if each.wrong]
        return sorted(wrong, key=lambda each: (len(each.shortest), each.number))[:count]

    def __repr__(self) -> str:
        wrong = sum(each.wrong for each in self.searches)
        failed = sum(each.failed for each in self.searches)
        lines = [
            f"{self.model}, {self.environment}: {wrong} of {len(self.searches)} searches met a wrong "
            f"{self.error}; guide: {self.guide}, seed {self.seed}",
            f"median plies to the first: {self.median('plies')}; after shrinking: {self.median()}",
            f"{self.questions:,} questions of at most {self.budget:,}, {self.seconds:.1f} s"
            + (f"; {failed} calls failed" if failed else ""),
        ]
        for each in self.best():
            lines += [
                f"{len(each.shortest):>3} plies: {' '.join(each.shortest)}",
                f"    true:   {each.true}",
                f"    answer: {each.answer}",
            ]
        return "\n".join(lines)


def attack(
    model: str | StateWriter | Target,
    environment: str = DEFAULT,
    *,
    error: Error = "state",
    guide: Guide | None = None,
    searches: int = 10,
    budget: int = 2000,
    width: int = 2,
    choices: int = 16,
    longest: int = 100,
    seed: int = 0,
    **model_args: Any,
) -> Attacks:
    """Search for the shortest permitted actions after which a model errs, and shrink what is met.

    The result depends on the arguments alone. All searches go on side by side, and the model is called
    once for each depth of all of them.

    Args:
        model: ``workbench/small`` or another bundled model; ``workbench/simulated``; or a function from
            `workbench.consistency.attack_targets.Line` objects to the states that a model writes after
            their ``actions`` (None for a failed call), by which any other model can be asked.
        environment: Its name.
        error: ``state``, or ``action`` for the first illegal move of a model that names moves.
        guide: As `Guide`; by default ``certainty`` for a bundled model, else ``change``.
        searches: At least 1.
        budget: Questions at most, shrinking included; each search has an equal share.
        width: Lines that a search goes on with at each depth, at least 1; 1 is a greedy search.
        choices: Permitted actions, drawn by the seed, that each of them is extended by, at least 1.
        longest: Actions at most.
        seed: At least 0.
        **model_args: ``rate`` and ``seed`` of the simulated tracker.

    Returns:
        The searches; those without an error are censored, not counted as long.

    Raises:
        InvalidArgumentError: If a value is out of range, or the model cannot be attacked by name.

    Example:
        >>> from workbench.consistency.attack import attack
        >>> met = attack("workbench/tiny", searches=2, budget=200)
        >>> met.questions <= 200, met.best(1)[0].wrong
        (True, True)
    """
    target = attack_target(model, environment, error, **model_args)
    named = guide or ("certainty" if target.certain else "change")
    if named not in get_args(Guide) or (named == "certainty" and not target.certain):
        raise InvalidArgumentError(
            f"guide: expected one of {get_args(Guide)}, 'certainty' for bundled models alone, got "
            f"{guide!r:.80} for {target.name}"
        )
    for name, value in {"width": width, "choices": choices, "longest": longest}.items():
        _check_least(name, value, 1)
    _check_least("seed", seed, 0)
    _check_least("searches", searches, 1)
    _check_least("budget", budget, searches)
    shares = [budget // searches + (number < budget % searches) for number in range(searches)]
    depth = min(longest, target.longest)
    begun = time.monotonic()
    met, questions = _side_by_side(
        target,
        [
            _Search(target, number, share, named, width, choices, depth, seed)
            for number, share in enumerate(shares)
        ],
    )
    return Attacks(
        target.name, target.environment.name, target.error, named, seed, budget, questions,
        time.monotonic() - begun, tuple(met),
    )  # fmt: skip


def first_errors(
    model: str | StateWriter | Target,
    games: int | Iterable[Sequence[str]],
    environment: str = DEFAULT,
    *,
    error: Error = "state",
    longest: int = 100,
    seed: int = 0,
    **model_args: Any,
) -> pd.DataFrame:
    """Return after how many actions a model first errs in games, for comparison with `attack`.

    The model is asked after each action until it errs, or until the game ends, which censors it.

    Args:
        model: As of `attack`.
        games: The actions of each from the shared start; or how many games of uniformly drawn actions.
        environment: As of `attack`.
        error: As of `attack`.
        longest: Actions at most.
        seed: Of drawn games, at least 0.
        **model_args: As of `attack`.

    Returns:
        A row for each game, with the columns of `Attacks.table`; nothing is shrunk.

    Raises:
        IllegalMoveError: If an action of a game is not permitted.
    """
    target = attack_target(model, environment, error, **model_args)
    _check_least("longest", longest, 1)
    depth = min(longest, target.longest)
    if isinstance(games, int):
        _check_least("games", games, 1)
        walks = [
            _Search(target, number, depth + 1, "random", 1, 1, depth, seed, shrinks=False)
            for number in range(games)
        ]
    else:
        walks = [
            _Search(
                target, number, depth + 1, "random", 1, 1, depth, seed, tuple(game), shrinks=False
            )
            for number, game in enumerate(games)
        ]
    return _frame(_side_by_side(target, walks)[0])


def _check_least(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidArgumentError(
            f"{name}: expected an integer of at least {least}, got {value!r}"
        )


def _frame(searches: Sequence[Attack]) -> pd.DataFrame:
    rows = [
        asdict(each)
        | {"actions": list(each.actions), "shortest": list(each.shortest)}
        | {"shortest_plies": each.shortest_plies}
        for each in searches
    ]
    return pd.DataFrame(rows)


_Asking: TypeAlias = Generator[list[Line], list[Answer], None]
_Searching: TypeAlias = Generator[list[Line], list[Answer], Attack]


def _side_by_side(target: Target, searches: Sequence["_Search"]) -> tuple[list[Attack], int]:
    """Run searches, with one call a depth for all of them; return how many lines were asked about."""
    answers: dict[Key, Answer] = {}
    runs = [search.run() for search in searches]
    waiting = {number: next(run) for number, run in enumerate(runs)}
    attacks: dict[int, Attack] = {}
    while waiting:
        lines = {line.key: line for batch in waiting.values() for line in batch}
        new = [line for key, line in lines.items() if key not in answers]
        if new:
            answers.update(zip((line.key for line in new), target.answers(new), strict=True))
        for number, batch in list(waiting.items()):
            try:
                waiting[number] = runs[number].send([answers[line.key] for line in batch])
            except StopIteration as end:
                attacks[number] = end.value
                del waiting[number]
    return [attacks[number] for number in range(len(searches))], len(answers)


@dataclass(slots=True)
class _Search:
    target: Target
    number: int
    share: int
    guide: Guide
    width: int
    choices: int
    longest: int
    seed: int
    game: tuple[str, ...] | None = None
    shrinks: bool = True
    answers: dict[Key, Answer] = field(default_factory=dict)
    generator: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        name = self.target.environment.name
        self.generator = np.random.default_rng(derived_seed(self.seed, "attack", name, self.number))

    def run(self) -> _Searching:
        """Yield the lines to ask about, and return what is met."""
        environment = self.target.environment
        state = environment.start(self.generator)
        start = self.start("" if environment.has_fixed_start else environment.state_text(state))
        lines, searched = [start], 0
        while lines:
            yield from self.ask(lines)
            answered = self.in_order([line for line in lines if self.text(line) is not None])
            wrong = self.first_wrong(answered)
            if wrong is not None:
                return (yield from self.shrunk(wrong))
            if not answered or any(line.key not in self.answers for line in lines):
                # The budget ended within this depth, or every call failed.
                break
            searched = len(lines[0].actions)
            lines = [] if searched == self.longest else self.extended(answered[: self.width])
        return self.attack(start, searched)

    def ask(self, lines: Iterable[Line]) -> _Asking:
        """Ask about the lines that were not asked about, the first ones if the share ends."""
        new = {line.key: line for line in lines if line.key not in self.answers}
        batch = list(islice(new.values(), self.share - len(self.answers)))
        if batch:
            received = yield batch
            self.answers.update(zip((line.key for line in batch), received, strict=True))

    def text(self, line: Line) -> str | None:
        """Return the answer to a line; None if there is none."""
        answer = self.answers.get(line.key)
        return None if answer is None else answer.text

    def first_wrong(self, lines: Iterable[Line]) -> Line | None:
        """Return the first line with a wrong answer."""
        for line in lines:
            text = self.text(line)
            if text is not None and self.target.is_wrong(line, text):
                return line
        return None

    def in_order(self, lines: Sequence[Line]) -> list[Line]:
        """Return lines as the guide puts them, equal ones by lot."""
        lots = self.generator.permutation(len(lines)).tolist()
        ranks = [(self.rank(line), lot) for line, lot in zip(lines, lots, strict=True)]
        return [line for _, line in sorted(zip(ranks, lines, strict=True), key=itemgetter(0))]

    def rank(self, line: Line) -> float:
        """Return the guide's number for a line, low for what comes first."""
        if self.guide == "certainty":
            return self.answers[line.key].certainty
        if self.guide == "change" and line.before is not None:
            one, other = map(self.target.environment.elements, (line.before, line.state))
            return -float(len(set(one.items()) ^ set(other.items())))
        return 0.0

    def extended(self, beam: Iterable[Line]) -> list[Line]:
        """Return lines with one more action: of a game its next, else some that are permitted."""
        automaton = self.target.environment.automaton
        longer = []
        for line in beam:
            if self.game is None:
                permitted = automaton.permitted(line.state)
                places = self.generator.permutation(len(permitted))[: self.choices]
                longer += [self.after(line, permitted[place]) for place in places]
            elif len(line.actions) < len(self.game):
                longer.append(self.named(line, self.game[len(line.actions)]))
        return longer

    def after(self, line: Line, action: Any) -> Line:
        """Return a line with one more action."""
        environment = self.target.environment
        state = environment.automaton.successor(line.state, action)
        actions = (*line.actions, environment.action_text(action))
        return Line(line.initial, actions, state, line.state)

    def named(self, line: Line, text: str) -> Line:
        """Return a line with one more action, by its text."""
        environment = self.target.environment
        action = environment.action_named(line.state, text)
        if action is None:
            raise IllegalMoveError(
                f"game {self.number}, {environment.action_noun} {len(line.actions) + 1}: expected one "
                f"that is permitted there, got {text!r:.80}"
            )
        return self.after(line, action)

    def shrunk(self, wrong: Line) -> _Searching:
        """Leave out actions as long as the model errs, and return the attack."""
        shortest, minimal = wrong, not self.shrinks
        while self.shrinks and not minimal:
            shorter = self.shorter(shortest)
            while batch := list(islice(shorter, _CALL)):
                yield from self.ask(batch)
                better = self.first_wrong(batch)
                if better is not None:
                    shortest = better
                    break
                if any(line.key not in self.answers for line in batch):
                    return self.attack(wrong, len(wrong.actions), shortest, minimal=False)
            else:
                minimal = True
        return self.attack(wrong, len(wrong.actions), shortest, minimal=self.shrinks)

    def shorter(self, line: Line) -> Iterator[Line]:
        """Yield what is permitted of a line without a run of actions, the longest first, or without two."""
        count = len(line.actions)
        path = [self.start(line.initial)]
        for text in line.actions:
            path.append(self.named(path[-1], text))
        sizes = range(count, 0, -1)
        runs = (range(at, at + size) for size in sizes for at in range(count - size, -1, -1))
        for left_out in chain(runs, combinations(range(count), 2)):
            shorter = self.without(line, path, left_out)
            if shorter is not None:
                yield shorter

    def without(self, line: Line, path: Sequence[Line], left_out: Sequence[int]) -> Line | None:
        """Return a line, of which the path has the beginnings, without some actions, if permitted."""
        shorter = path[left_out[0]]
        for place in range(left_out[0] + 1, len(line.actions)):
            if place not in left_out:
                action = self.target.environment.action_named(shorter.state, line.actions[place])
                if action is None:
                    return None
                shorter = self.after(shorter, action)
        return shorter

    def start(self, initial: str) -> Line:
        """Return the line without actions."""
        environment = self.target.environment
        state = environment.read_state(initial) if initial else environment.automaton.initial
        return Line(initial, (), state)

    def true_text(self, line: Line) -> str:
        """Return the true state, written as texts of the same state are compared."""
        environment = self.target.environment
        return environment.identity(environment.parse_true(environment.state_text(line.state)))

    def attack(
        self, line: Line, plies: int, shortest: Line | None = None, *, minimal: bool = False
    ) -> Attack:
        """Return what was met after a line; without a shortest one, nothing."""
        wrong = shortest is not None
        failed = sum(answer.text is None for answer in self.answers.values())
        return Attack(
            self.number, line.initial, wrong, plies,
            line.actions if wrong else (),
            shortest.actions if shortest else (),
            minimal,
            self.true_text(shortest) if shortest else "",
            (self.text(shortest) or "") if shortest else "",
            len(self.answers), failed,
        )  # fmt: skip
