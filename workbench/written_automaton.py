"""An automaton whose states and actions can be written, read, and found in a model's reply."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final, Generic

from workbench.automaton import Action, Automaton, State
from workbench.errors import IllegalMoveError, InvalidArgumentError, InvalidBoardError
from workbench.labelled_lines import LabelledLines, plain_lines, plain_signs
from workbench.prediction import ParsedState, Prediction, ReplyClass, StateText
from workbench.reply_parts import (
    LONGEST_READ,
    alternatives,
    is_empty_list,
    list_items,
    state_parts,
    without_examples,
)
from workbench.tables.provenance import text_hash

_QUOTE: Final = 80
_HASH_DIGITS: Final = 16
_ACTIONS_KEPT: Final = 1 << 12
_LABEL: Final = re.compile(r"(\w[\w ]{0,30}?)(\s*[:=]\s?)")
_SIGNS: Final = re.compile(r"\s+")
_DIGIT: Final = re.compile(r"\d")


class WrittenAutomaton(ABC, Generic[State, Action]):
    """States and actions as text, and how replies are read.

    Attributes:
        automaton: The automaton of every state of this environment; subclasses set it.
        name: As it was requested.

    Class attributes:
        state_noun: What a state is called in texts, such as ``board``.
        text_noun: What the text of a state is called, such as ``FEN``.
        action_noun: What an action is called in texts, such as ``move``.
        episode_noun: What ends where nothing is permitted, such as ``game``.
        separator: Between the actions of an episode in tables and prompts.
        item_separator: What separates actions in one line of a reply; actions of one word
            may also be separated by spaces alone.
        remark: What begins a remark behind an action in a reply.
        longest_state: Characters; a longer text is not parsed, and is not a state.
    """

    state_noun: ClassVar[str] = "state"
    text_noun: ClassVar[str] = "state"
    action_noun: ClassVar[str] = "action"
    episode_noun: ClassVar[str] = "episode"
    separator: ClassVar[str] = "\n"
    item_separator: ClassVar[re.Pattern[str]] = re.compile(r"[;,]")
    remark: ClassVar[re.Pattern[str]] = re.compile(r"\s[-–—(]|:(?:\s|$)")
    longest_state: ClassVar[int] = 10_000

    automaton: Automaton[State, Action]

    def __init__(self, name: str, argument: str = "") -> None:
        """Take the requested name, such as ``chess``.

        Args:
            name: With the argument, such as ``planning:gripper``.
            argument: What follows the colon; must be empty, unless a class overrides this.

        Raises:
            InvalidArgumentError: If there is an argument.
        """
        if argument:
            raise InvalidArgumentError(
                f"expected the environment {name.partition(':')[0]} without an argument, "
                f"got {name!r:.{_QUOTE}}"
            )
        self.name: Final = name

    # States and actions as text.

    @abstractmethod
    def state_text(self, state: State) -> str:
        """Return a state as text: the one way in which the environment itself writes it."""

    @abstractmethod
    def read_state(self, text: str) -> State:
        """Return the state that a text describes, in any of the ways it may be written.

        Nothing in the text is ever executed; the time taken is linear in its length.
        """

    @abstractmethod
    def action_text(self, action: Action) -> str:
        """Return an action as text: the one way in which the environment itself writes it."""

    @abstractmethod
    def plain_action(self, text: str) -> str | None:
        """Return an action in plain form, as `action_text` writes it, or None if it is no action.

        Whether any state permits it does not matter: ``a9`` is no square of Othello, ``a1`` is one.
        """

    def action_named(self, state: State, text: str) -> Action | None:
        """Return the action permitted in ``state`` that a text names, or None if there is none."""
        plain = self.plain_action(text)
        return None if plain is None else self._permitted_by_text(state).get(plain)

    @cached_property
    def _permitted_by_text(self) -> Any:
        @lru_cache(_ACTIONS_KEPT)
        def permitted_by_text(state: State) -> dict[str, Action]:
            return {self.action_text(each): each for each in self.automaton.permitted(state)}

        return permitted_by_text

    def parse(self, text: str | None) -> ParsedState:
        """Return a text as one that should be a state; None is the empty text."""
        return StateText(text or "", self._read_short)

    def _read_short(self, text: str) -> State:
        if len(text) > self.longest_state:
            raise InvalidBoardError(
                f"expected a {self.state_noun} of at most {self.longest_state} characters, got "
                f"{len(text)} that begin with {text[:_QUOTE]!r}"
            )
        return self.read_state(text)

    def parse_input(self, text: str) -> ParsedState:
        """Return the true state that a person gives, such as on the command line."""
        return self.parse_true(text)

    def parse_true(self, text: str | None) -> ParsedState:
        """Return a text that was given as a true state; in chess with signs made plain."""
        return self.parse(text)

    # Which states can arise, and the answers in replies.

    def conditions(self, state: State) -> tuple[str, ...]:
        """Return the names of the conditions that a state does not meet, which can arise at all.

        Empty for a state that can arise. The names are in lower case, with underscores.
        """
        return ()

    @property
    def state_labels(self) -> tuple[str, ...]:
        """The labels of the lines in which a state is written, in order; empty if it has none.

        By default the text before the colon, or the equals sign, of each line of the initial
        state's text. Lines with these labels are found in replies however they are set; see
        `workbench.labelled_lines`.
        """
        return tuple(label for label, _ in self._labels_and_signs)

    @cached_property
    def _labels_and_signs(self) -> tuple[tuple[str, str], ...]:
        lines = self.state_text(self.automaton.initial).split("\n")
        pairs = [match.groups() for line in lines if (match := _LABEL.match(line))]
        apart = len({label for label, _ in pairs}) == len(lines) > 1
        return tuple((label, sign) for label, sign in pairs) if apart else ()

    def labelled_text(self, values: Mapping[str, str]) -> str:
        """Return the text of a state whose labelled lines have these values, for `read_state`."""
        signs = dict(self._labels_and_signs)
        sign = next(iter(signs.values()), ": ")
        named = [label for label in self.state_labels if label in values]
        return "\n".join(f"{label}{sign}{values[label]}".rstrip() for label in named)

    @cached_property
    def _labelled_lines(self) -> LabelledLines | None:
        if not self.state_labels:
            return None
        return LabelledLines(
            self.state_labels, self.labelled_text, lambda text: not self.parse(text).fault
        )

    def looks_like_state(self, text: str) -> bool:
        """Return whether a text that cannot be read is an attempt at a state.

        By default a text with at least half of `state_labels`, or with a line that `is_state_line`
        takes; of an environment without either, one that is written with no other signs than the
        initial state, one digit being as good as another, and at least half as long.
        """
        if self._labelled_lines is not None:
            return self._labelled_lines.has_state(text)
        if type(self).is_state_line is not WrittenAutomaton.is_state_line:
            return any(map(self.is_state_line, text.split("\n")))
        signs, own = (
            _SIGNS.sub("", _DIGIT.sub("0", each))
            for each in (text, self.state_text(self.automaton.initial))
        )
        return set(signs) <= set(own) and 2 * len(signs) >= len(own)

    def is_state_line(self, line: str) -> bool:
        """Return whether a line may be one of several that a state is written in.

        By this a state is found between lines of prose. By default a line with one of
        `state_labels`.
        """
        return self._labelled_lines is not None and self._labelled_lines.is_line(line)

    def plain_reply(self, reply: str) -> str:
        """Return a reply in which states stand in lines, labelled as the environment labels them."""
        labelled = self._labelled_lines
        plain = plain_lines(
            plain_signs(reply[-LONGEST_READ:]),
            self.is_state_line,
            labelled.is_label if labelled else lambda _: False,
        )
        return labelled.in_own_form(plain) if labelled else plain

    def classify(self, reply: str) -> Prediction:
        """Find the state that a reply gives as its answer, and classify it.

        It is looked for in the reply in plain form (`plain_reply`), from which states that are
        introduced as examples are left out. Of two different states that are joined by "or" none
        is the answer.
        """
        if not reply.strip():
            return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
        plain = without_examples(self.plain_reply(reply), self.looks_like_state)
        prediction = self.classify_plain(plain)
        if prediction.parsed is not None and not prediction.parsed.fault:
            for pair in alternatives(plain):
                one, other = (self.classify_plain(part).parsed for part in pair)
                if one is None or other is None or one.fault or other.fault:
                    continue
                if one.state != other.state == prediction.parsed.state:
                    return Prediction(
                        ReplyClass.ABSENT, None, reason=f"two {self.state_noun}s joined by or"
                    )
        return prediction

    def classify_plain(self, reply: str) -> Prediction:
        """Find the state that a reply in plain form gives as its answer, and classify it.

        Of the parts of a reply that may be the answer (`workbench.reply_parts.state_parts`) the
        first that can be read is taken, else the first that looks like a state. A single line is no
        ill-formed state where states have several lines: it is a part of one that cannot be read.
        """
        parts = state_parts(reply, self.is_state_line)
        candidates = [part for part in parts if len(part) <= self.longest_state]
        for part in candidates:
            if not self.parse(part).fault:
                answer = self.classify_state(part)
                if answer.reply_class is ReplyClass.VALID or "\n" in part or not self._has_lines:
                    return answer
        for part in candidates:
            if self.looks_like_state(part):
                return self.classify_state(part)
        return Prediction(ReplyClass.ABSENT, None, reason=f"no {self.state_noun} found")

    @cached_property
    def _has_lines(self) -> bool:
        return "\n" in self.state_text(self.automaton.initial)

    def classify_state(self, text: str | None) -> Prediction:
        """Classify a text that was already cut out of a reply as its state."""
        if text is None or not text.strip():
            return Prediction(ReplyClass.ABSENT, None, reason=f"no {self.state_noun} given")
        parsed = self.parse(text)
        if parsed.fault:
            return Prediction(ReplyClass.UNPARSEABLE, text, reason=parsed.fault, parsed=parsed)
        broken = self.conditions(parsed.state)
        kind = ReplyClass.ILL_FORMED if broken else ReplyClass.VALID
        return Prediction(kind, text, status=broken, parsed=parsed)

    def classify_actions(self, reply: str) -> Prediction:
        """Find the actions that a reply lists or plays, in its order, and classify it.

        ``valid`` if each item of the list is an action of the environment; ``ill_formed`` if some
        item is none (it is kept as written, and no state permits it); ``unparseable`` if there is a
        list and no item of it is an action; ``absent`` if there is no list. "None" is an empty list.
        """
        if not reply.strip():
            return Prediction(ReplyClass.ABSENT, None, reason="empty reply")
        nouns = self.action_noun
        items = list_items(
            reply, self.item_separator, self.remark, lambda one: self.plain_action(one) is not None
        )
        if not items and not is_empty_list(reply):
            return Prediction(ReplyClass.ABSENT, None, reason=f"no list of {nouns}s found")
        return self.classify_items(items)

    def classify_items(self, items: Sequence[str]) -> Prediction:
        """Classify actions that were already cut out of a reply, as `classify_actions` does."""
        nouns = self.action_noun
        plain = [self.plain_action(item) for item in items]
        named = tuple(
            item[:_QUOTE] if one is None else one for one, item in zip(plain, items, strict=True)
        )
        other = next((item for one, item in zip(plain, items, strict=True) if one is None), None)
        if other is None:
            return Prediction(ReplyClass.VALID, None, predicted_actions=named)
        if all(one is None for one in plain):
            return Prediction(
                ReplyClass.UNPARSEABLE, None, reason=f"no {nouns} in a list: {other!r:.{_QUOTE}}"
            )
        broken = (f"not_{'an' if nouns[0] in 'aeiou' else 'a'}_{nouns}",)
        return Prediction(ReplyClass.ILL_FORMED, None, status=broken, predicted_actions=named)

    # The actions of an episode.

    def identity(self, state: ParsedState) -> str:
        """Return a text that is the same for every text of the same state."""
        return self.state_text(state.state)

    def agree(self, one: ParsedState, other: ParsedState) -> bool:
        """Return whether two texts that can be read may describe the same state.

        In chess either may lack fields at its end.
        """
        return bool(one.state == other.state)

    def split_moves(self, moves: str) -> list[str]:
        """Return the actions of a table's cell ``moves``, one text each."""
        return [each.strip() for each in moves.split(self.separator) if each.strip()]

    def plain_moves(self, moves: str) -> str:
        """Return actions of a table's cell as the environment writes them; unknown ones unchanged."""
        plain = (self.plain_action(text) or text for text in self.split_moves(moves))
        return self.separator.join(plain)

    def replay(self, initial: str | None, moves: str, where: str = "") -> State:
        """Return the state in which the actions of an episode end."""
        state = self.read_state(initial) if initial else self.automaton.initial
        for place, text in enumerate(self.split_moves(moves), start=1):
            action = self.action_named(state, text)
            if action is None:
                raise IllegalMoveError(
                    f"{where or self.name}, {self.action_noun} {place}: expected one that is "
                    f"permitted there, got {text!r:.{_QUOTE}}"
                )
            state = self.automaton.successor(state, action)
        return state

    def true_text(self, state: ParsedState, text_after: str) -> tuple[str, str]:
        """Return which of two texts of the same true state a table gets, and in what they differ.

        Returns:
            The text, and what in it is otherwise than after the actions though the state is the
            same; empty if nothing is. In chess the clocks may be.
        """
        return text_after, ""

    def actions_before(self, state: ParsedState) -> int | None:
        """Return how many actions led to a state, by its text; None if it does not contain it."""
        return None

    def episode_id(self, initial: str, moves: str) -> str:
        """Return the identity of an episode, 16 hexadecimal digits: the same for the same actions."""
        return text_hash(f"{self.name}\n{initial}\n{moves}")[:_HASH_DIGITS]
