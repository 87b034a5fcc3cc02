"""The interface of an environment: everything that the pipeline needs to know about one.

An environment is an automaton with texts: how its states and actions are written and read, how they
are found in a reply, which states can arise, how two texts of states compare, how episodes are
drawn, the texts of prompts, and the slips of a simulated tracker. The pipeline knows environments
by this interface alone. Most methods have a default that follows from the few abstract ones.

Source: arXiv 2508.19851, sections 3 and 5: the measures need the automaton alone.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np
import pyarrow as pa

from workbench.automaton import Action, State
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.prediction import ParsedState, element_accuracy
from workbench.seeds import derived_seed
from workbench.written_automaton import WrittenAutomaton

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ATTEMPTS: Final = 1000
_QUOTE: Final = 80


@dataclass(frozen=True, slots=True)
class Episode:
    """A start and the actions taken from it.

    Attributes:
        initial: The text of the initial state; empty for the start that every episode shares.
        actions: The actions, as the environment writes them.
        true: The text of the state after them.
    """

    initial: str
    actions: tuple[str, ...]
    true: str


@dataclass(frozen=True, slots=True)
class EpisodeTexts:
    """The actions of an episode as text, and the state after them.

    Attributes:
        actions: As the environment writes them.
        movetext: As a model is shown them.
        state: The text of the state after them.
    """

    actions: tuple[str, ...]
    movetext: str
    state: str


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle on the picture of a state, in the units of the drawing.

    Attributes:
        name: Unique on the picture; of a place that is an element, the element's.
        left: Of its upper left corner.
        top: Likewise.
        width: Its extent.
        height: Likewise.
        movable: Whether something stands there that can be put elsewhere.
    """

    name: str
    left: float
    top: float
    width: float
    height: float
    movable: bool


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A map of states and actions that keeps what is permitted, and where it leads.

    Attributes:
        name: What it does, in a few words.
        exchanges_sides: Whether the sides of a game change places by it.
        state: From a state to its image.
        back: From the image to the state.
        action: From the text of an action to that of its image.
    """

    name: str
    exchanges_sides: bool
    state: Callable[[Any], Any]
    back: Callable[[Any], Any]
    action: Callable[[str], str]


Points: TypeAlias = Sequence[tuple[float, float]]
"""Points of a drawing, from left and top."""


class Environment(WrittenAutomaton[State, Action]):
    """Everything that the pipeline needs to know about an environment; see the module.

    A module in `workbench.environments` offers its environment as ``environment``, a class or a
    function; another package by an entry point of the group ``workbench.environments``. Both take
    the requested name, such as ``planning:gripper``, and the argument behind its colon, empty where
    there is none.

    Class attributes:
        title: The name in figures and tables of results, such as ``Othello``.
        summary: What it is, in a few words, for the list of environments; without one, the list
            has the first line of the class's docstring.
        argument: What may follow the colon of its name, for that list; empty if nothing.
        rules: The description of the environment in prompts: what there is, and which actions are
            permitted and what they do. One paragraph.
        state_format: How a model is to write a state. One paragraph.
        action_format: How a model is to write an action. One sentence.
        actions_per_group: Actions per unit of the column ``group``: two where a group counts full
            moves, else one.
        sides: How many sides act in turn: 2 in a game of two, else 1.
        shows_start: Whether a question shows the initial state.
        reader_version: Increased whenever the same reply may be read as another answer.
        movetext_format: ``pgn`` where the column ``movetext`` is PGN that can be read, else empty.
        text_variants: Which texts of a state are compared: the whole, ``full``, and choices of it.
        text_fields: Names of the fields that a text of a state has, if it has any.
        accuracy_column: What the share of a state's elements that are right is called.
        diagnosis_fields: The columns of a scores table that `diagnosis` gives, in their order.
    """

    title: ClassVar[str]
    summary: ClassVar[str] = ""
    argument: ClassVar[str] = ""
    rules: str
    state_format: str
    action_format: str
    actions_per_group: ClassVar[int] = 1
    sides: ClassVar[int] = 1
    shows_start: ClassVar[bool] = True
    reader_version: ClassVar[int] = 3
    movetext_format: ClassVar[str] = ""
    text_variants: ClassVar[tuple[str, ...]] = ("full",)
    text_fields: ClassVar[tuple[str, ...]] = ()
    accuracy_column: ClassVar[str] = "element_accuracy"
    diagnosis_fields: ClassVar[tuple[tuple[str, pa.DataType], ...]] = ()

    # Two texts of states compared.

    @abstractmethod
    def elements(self, state: State) -> Mapping[str, str]:
        """Return the elements of a state by name: what is on each square, in each box, ...

        An element that a state lacks is missing. The share of elements that are right, and the
        differences that the explorer marks, are between these.
        """

    def compared_texts(
        self, true: ParsedState, predicted: ParsedState
    ) -> Mapping[str, tuple[str, str]]:
        """Return the true and the predicted text as they are compared, for each of `text_variants`.

        A text that can be read is compared as the environment itself writes it.

        Args:
            true: Readable.
            predicted: Any text.
        """
        readable = not predicted.fault
        text = self.state_text(predicted.state) if readable else predicted.text
        return {"full": (self.state_text(true.state), text[: self.longest_state])}

    def correct_fields(self, true: ParsedState, predicted: ParsedState) -> Mapping[str, bool]:
        """Return whether each of `text_fields` is right; texts without fields have none."""
        return {}

    def accuracy(self, true: ParsedState, predicted: ParsedState) -> float:
        """Return the share of elements that are right; NaN for a text that cannot be read.

        Args:
            true: Readable.
            predicted: Any text.
        """
        if predicted.fault:
            return math.nan
        return element_accuracy(self.elements(true.state), self.elements(predicted.state))

    def diagnosis(
        self, moves: str | None, predicted: ParsedState, reply_class: str
    ) -> dict[str, Any]:
        """Return the diagnosis of a wrong prediction from the actions, by `diagnosis_fields`.

        Args:
            moves: The actions of the episode, joined by `separator`, or None if they are unknown.
            predicted: The prediction.
            reply_class: Its class.

        Raises:
            IllegalMoveError: If the actions are none of the environment's.
        """
        return {}

    def variant_fault(self, true: ParsedState, moves: object, names: Iterable[object]) -> str:
        """Return why a row is of another environment, though its texts can be read; else nothing.

        Args:
            true: The true state.
            moves: The actions, if known.
            names: Names of the row's file, position and so on, if known.
        """
        return ""

    def same_state(self, one: ParsedState, other: ParsedState) -> bool:
        """Return whether two texts that can be read describe the same state."""
        return bool(one.state == other.state)

    def with_true_case(self, true: ParsedState, predicted: ParsedState) -> str | None:
        """Return a prediction in the letter case of the true state, if that is all that differs.

        By this a study separates slips of notation from wrong states.

        Args:
            true: Readable.
            predicted: Any text.

        Returns:
            None if more than the letter case differs, or nothing.
        """
        text = self.state_text(true.state)
        differs = predicted.text != text and predicted.text.casefold() == text.casefold()
        return text if differs else None

    # Episodes.

    def start(self, generator: np.random.Generator) -> State:
        """Return the initial state of an episode; the automaton's own, unless overridden."""
        return self.automaton.initial

    @property
    def has_fixed_start(self) -> bool:
        """Whether every episode has the same start, so that tables need not carry it."""
        return type(self).start is Environment.start

    def movetext(self, actions: Sequence[str]) -> str:
        """Return actions as a model is shown them; by default as in tables."""
        return self.separator.join(actions)

    def movetext_actions(self, text: str) -> list[str]:
        """Return the actions that a model is shown, as the environment writes them.

        Args:
            text: As `movetext` writes it.

        Raises:
            IllegalMoveError: If something in it is no action.
        """
        actions = self.split_moves(text)
        plain = [self.plain_action(each) for each in actions]
        if None in plain:
            other = actions[plain.index(None)]
            raise IllegalMoveError(
                f"{self.name}: expected {self.action_noun}s, got {other!r:.{_QUOTE}}"
            )
        return [each for each in plain if each is not None]

    def episode_texts(self, initial: str, moves: str) -> EpisodeTexts:
        """Return the actions of an episode in all the forms that tables have.

        Args:
            initial: The text of the initial state; empty for the shared start.
            moves: In any of the ways they may be written, joined by `separator`.

        Raises:
            IllegalMoveError: If an action is not permitted where it stands.
        """
        reached = self.state_text(self.replay(initial, moves))
        plain = self.plain_moves(moves)
        actions = tuple(self.split_moves(plain))
        return EpisodeTexts(actions, self.movetext(actions), reached)

    def prefixes(self, initial: str, actions: Sequence[str]) -> Iterator[EpisodeTexts]:
        """Yield the prefixes of an episode: the first action, the first two, and so on to all of them.

        Args:
            initial: As of `episode_texts`.
            actions: As `action_text` writes them.

        Raises:
            IllegalMoveError: If an action is not permitted where it stands.
        """
        state = self.read_state(initial) if initial else self.automaton.initial
        for place, text in enumerate(actions, start=1):
            action = self.action_named(state, text)
            if action is None:
                raise IllegalMoveError(
                    f"{self.name}, {self.action_noun} {place}: expected one that is permitted there, got "
                    f"{text!r:.{_QUOTE}}"
                )
            state = self.automaton.successor(state, action)
            before = tuple(actions[:place])
            yield EpisodeTexts(before, self.movetext(before), self.state_text(state))

    def episodes(self, length: int, seed: int) -> Iterator[Episode]:
        """Yield episodes without end, each action drawn uniformly from those permitted.

        An episode that is finished before, or with its last action, is drawn again, so that the
        state at its end permits an action.

        Args:
            length: Actions of each, at least 1.
            seed: At least 0; episode k depends on name, length, seed and k alone.

        Raises:
            InvalidArgumentError: If every one of many runs was finished too soon.
        """
        automaton, number = self.automaton, 0
        while True:
            for attempt in range(_ATTEMPTS):
                generator = np.random.default_rng(
                    derived_seed(seed, self.name, "episode", length, number, attempt)
                )
                state = start = self.start(generator)
                actions: list[Action] = []
                permitted = automaton.permitted(state)
                while permitted and len(actions) < length:
                    actions.append(permitted[int(generator.integers(len(permitted)))])
                    state = automaton.successor(state, actions[-1])
                    permitted = automaton.permitted(state)
                if permitted and len(actions) == length:
                    break
            else:
                raise InvalidArgumentError(
                    f"{self.name}: expected episodes of {length!r} {self.action_noun}s, but each of "
                    f"{_ATTEMPTS} runs was finished by then; ask for shorter ones"
                )
            number += 1
            yield Episode(
                "" if self.has_fixed_start else self.state_text(start),
                tuple(self.action_text(action) for action in actions),
                self.state_text(state),
            )

    def symmetries(self, initial: State, generator: np.random.Generator) -> Sequence[Symmetry]:
        """Return symmetries of the automaton besides the identity; by default none.

        Args:
            initial: The state in which an episode starts.
            generator: For a choice among many, such as renamings.
        """
        return ()

    # A simulated tracker.

    @abstractmethod
    def slip(self, state: State, generator: np.random.Generator) -> State:
        """Return a state after one mistake of a kind that trackers of this environment make.

        The state itself is returned where it allows no such mistake.
        """

    def track(
        self,
        initial: str | None,
        actions: Sequence[str],
        *,
        rate: float,
        seed: int | Sequence[int],
        where: str = "",
    ) -> str:
        """Return the text of the state that a simulated tracker believes after actions.

        An action that the believed state does not permit changes nothing. After each action the
        tracker slips with probability ``rate``.

        Args:
            initial: The text of the initial state; None or empty for the shared start.
            actions: As the environment writes them.
            rate: In [0, 1].
            seed: At least 0; or one for each action, so that the slips at the first actions do not depend on
                those that follow.
            where: What to call the episode in a message.
        """
        check_tracker(rate, *(seed if isinstance(seed, Sequence) else [seed]))
        state = self.read_state(initial) if initial else self.automaton.initial
        generators = (
            map(np.random.default_rng, seed)
            if isinstance(seed, Sequence)
            else repeat(np.random.default_rng(seed))
        )
        for text, generator in zip(actions, generators, strict=False):
            action = self.action_named(state, text)
            if action is not None:
                state = self.automaton.successor(state, action)
            if generator.random() < rate:
                state = self.slip(state, generator)
        return self.state_text(state)

    # For probabilities of next actions.

    def spellings(self, state: State, action: Action, notation: str = "") -> Sequence[str]:
        """Return the texts of a permitted action that a model may write; all are read as this action.

        Args:
            state: Which permits the action.
            action: The action.
            notation: Empty for that of `action_text`; in chess also ``san``.

        Raises:
            InvalidArgumentError: If the environment has no such notation.
        """
        if notation:
            raise InvalidArgumentError(
                f"notation: expected none for {self.name}, which has one alone, got {notation!r:.80}"
            )
        return (self.action_text(action),)

    def broken_rule(self, state: State, text: str) -> str:
        """Return which rule forbids an action, in a few words; by default that it is not permitted.

        Args:
            state: Which does not permit it.
            text: The action, in any of the ways it may be written.
        """
        return "not permitted"

    # For explorers and figures.

    def mended(self, state: State, true: State, name: str) -> State | None:
        """Return a state with one element as in the true state, and all else as it is.

        By this the explorer finds the most expensive mistake.

        Args:
            state: With an element that is wrong.
            true: The true state.
            name: The element, as in `elements`. What cannot be mended apart from others, such as
                one end of a piece's way, may be mended together with them.

        Returns:
            None if this element cannot be mended by itself, or the environment does not define how.
        """
        return None

    def picture(self, state: State, marked: frozenset[str] = frozenset()) -> str | None:
        """Return an SVG drawing of a state, or None if the environment has none.

        Args:
            state: The state.
            marked: Names of elements to mark, as differences.
        """
        return None

    def places(self, state: State) -> Sequence[Place]:
        """Return where the picture of a state can be edited; by default nowhere.

        Args:
            state: As it is drawn.
        """
        return ()

    def edited(self, state: State, source: str, target: str) -> State | None:
        """Return a state with what stands on one place of its picture put on another.

        Args:
            state: As it is drawn.
            source: The name of one of `places`.
            target: Another; or the same, for what comes next there, such as a disc of the other colour.

        Returns:
            A state that can be written and read, well-formed or not; None if it cannot be put there.
        """
        return None

    def action_points(self, state: State, action: Action) -> Points:
        """Return where the picture of a state shows a permitted action; by default nowhere.

        Args:
            state: As it is drawn.
            action: Permitted there.

        Returns:
            One point for a dot, two for an arrow from the first to the second, none for neither.
        """
        return ()

    def draw(self, axes: "Axes", state: State, marked: frozenset[str] = frozenset()) -> None:
        """Draw a state on the axes of a figure; by default its text.

        Args:
            axes: Empty.
            state: The state.
            marked: As of `picture`.
        """
        axes.set_axis_off()
        axes.text(
            0, 1, self.state_text(state), transform=axes.transAxes, va="top", family="monospace",
            fontsize=7, parse_math=False,
        )  # fmt: skip

    def caption(self, state: State, true: State) -> str:
        """Return in words what `draw` does not show of a state, and what of it is wrong.

        Args:
            state: As it is drawn.
            true: What is right.
        """
        return ""


AnyEnvironment: TypeAlias = Environment[Any, Any]


def check_tracker(rate: float, *seeds: int) -> None:
    """Check the arguments of a simulated tracker.

    Args:
        rate: Probability of a slip at each action, in [0, 1].
        seeds: At least 0.

    Raises:
        InvalidArgumentError: If one is out of range.
    """
    if not 0 <= rate <= 1:
        raise InvalidArgumentError(f"rate: expected a number in [0, 1], got {rate!r}")
    if min(seeds, default=0) < 0:
        raise InvalidArgumentError(f"seed: expected an integer of at least 0, got {min(seeds)!r}")
