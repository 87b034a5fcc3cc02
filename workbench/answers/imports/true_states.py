"""The true state of a row: from its text, its actions or both, which must agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from workbench.answers.imports.import_result import (
    Refusal,
    RefusedRowError,
    Remark,
    RemarkReason,
    refused_as,
)
from workbench.environments.registry import AnyEnvironment
from workbench.errors import IllegalMoveError, OtherVariantError, WorkbenchError
from workbench.games.pgn import moves_of_movetext
from workbench.prediction import ParsedState

PLIES_A_GROUP: Final = 20
"""Actions in a band of lengths; a group is named by its upper edge, in chess in full moves."""

UNKNOWN_GROUP: Final = 0
"""The group of a position after an unknown number of actions."""

_EXCERPT: Final = 100


@dataclass(frozen=True, slots=True)
class PlayedLine:
    """Actions from an initial state, empty for the shared one, and the state they reach."""

    initial: str
    moves: str
    movetext: str
    game_id: str
    ply: int
    reached: str


@dataclass(frozen=True, slots=True)
class TrueState:
    """A row's true state, its actions if known, and remarks on cells that differ."""

    parsed: ParsedState
    line: PlayedLine | None
    ply: int | None
    remarks: tuple[Remark, ...]


def true_state(
    environment: AnyEnvironment, state_text: str | None, line: PlayedLine | None, ply: int | None
) -> TrueState:
    """Return the true state that a text and actions give together."""
    noun = environment.text_noun
    if state_text is None and line is None:
        raise RefusedRowError(
            Refusal.NO_TRUE_BOARD,
            "true_state",
            f"expected a {noun}, or moves, or movetext, got neither",
        )
    parsed = None if state_text is None else parse_true(environment, state_text)
    if parsed is not None and parsed.fault:
        fault = environment.classify_state(parsed.text).reason
        sentence = f"expected a {noun}, got {parsed.text!r:.{_EXCERPT}}: {fault:.{_EXCERPT}}"
        raise RefusedRowError(Refusal.NO_TRUE_BOARD, "true_state", sentence)
    if line is None:
        assert parsed is not None
        count = environment.actions_before(parsed) if ply is None else ply
        return TrueState(parsed, None, count, ())
    remarks = []
    if ply not in (None, line.ply):
        plies = f"{ply}, but the moves given are {line.ply}"
        remarks.append(Remark(RemarkReason.OTHER_PLY, "ply", plies))
    reached = parse_true(environment, line.reached)
    if parsed is None:
        return TrueState(reached, line, line.ply, tuple(remarks))
    if not agree(environment, state_text or "", line.reached):
        raise RefusedRowError(
            Refusal.CONTRADICTION,
            "true_state",
            f"{parsed.text!r:.{_EXCERPT}}, but its {environment.action_noun}s lead to {line.reached!r}",
        )
    text, other = environment.true_text(parsed, line.reached)
    if other:
        remarks.append(Remark(RemarkReason.OTHER_CLOCKS, "true_state", other))
    state = parsed if text == parsed.text else reached
    return TrueState(state, line, line.ply, tuple(remarks))


def band_of(environment: AnyEnvironment, ply: int | None) -> int:
    """Return the upper edge, in the unit of groups, of the band of 20 actions that a ply is in."""
    if ply is None:
        return UNKNOWN_GROUP
    return max(1, -(-ply // PLIES_A_GROUP)) * PLIES_A_GROUP // environment.actions_per_group


@lru_cache(maxsize=1 << 16)
def parse_true(environment: AnyEnvironment, text: str) -> ParsedState:
    """Return a text as a true state; cached, because many rows have the same."""
    return environment.parse_true(text)


@lru_cache(maxsize=1 << 16)
def identity_of(environment: AnyEnvironment, text: str) -> str:
    """Return what makes two texts of true states the same state."""
    return environment.identity(parse_true(environment, text))


@lru_cache(maxsize=1 << 16)
def agree(environment: AnyEnvironment, one: str, other: str) -> bool:
    """Return whether two texts that can be read may be of the same true state."""
    return environment.agree(parse_true(environment, one), parse_true(environment, other))


@lru_cache(maxsize=1 << 16)
def line_of_moves(environment: AnyEnvironment, initial: str, moves: str) -> PlayedLine:
    """Play actions, in any notation that the environment reads."""
    with refused_as(Refusal.ILLEGAL_MOVES, "moves", IllegalMoveError):
        line = environment.episode_texts(initial, moves)
    plain = environment.separator.join(line.actions)
    identity = environment.episode_id(initial, plain)
    return PlayedLine(initial, plain, line.movetext, identity, len(line.actions), line.state)


@lru_cache(maxsize=1 << 16)
def line_of_movetext(environment: AnyEnvironment, movetext: str) -> PlayedLine | None:
    """Play the main line of PGN movetext, with or without headers."""
    with (
        refused_as(Refusal.CHESS960, "", OtherVariantError),
        refused_as(Refusal.ILLEGAL_MOVES, "movetext", IllegalMoveError),
    ):
        moves = moves_of_movetext(movetext)
    if moves is None:
        return None
    return line_of_moves(environment, "", environment.separator.join(moves))


def row_line(environment: AnyEnvironment, values: Mapping[str, Any]) -> PlayedLine | None:
    """Return the line of a row's ``moves`` and ``movetext``, of which either may be missing."""
    moves, movetext = values.get("moves"), values.get("movetext")
    line = written = None
    if moves is not None:
        line = line_of_moves(environment, initial_text(environment, values), str(moves))
    if movetext is not None and environment.movetext_format == "pgn":
        written = line_of_movetext(environment, str(movetext))
    if line is not None and written is not None and line.moves != written.moves:
        raise RefusedRowError(
            Refusal.CONTRADICTION,
            "moves",
            f"{line.moves!r:.{_EXCERPT}}, but its movetext is {movetext!r:.{_EXCERPT}}",
        )
    return line or written


def initial_text(environment: AnyEnvironment, values: Mapping[str, Any]) -> str:
    """Return the initial state from which a row's actions are taken; empty for the shared one."""
    text = values.get("initial_state")
    noun = environment.text_noun
    if text is None:
        if environment.has_fixed_start:
            return ""
        sentence = f"expected the {noun} in which the {environment.action_noun}s begin, got none"
        raise RefusedRowError(Refusal.NO_TRUE_BOARD, "initial_state", sentence)
    try:
        parsed = parse_true(environment, str(text))
        state = parsed.state
    except WorkbenchError as error:
        sentence = f"expected a {noun}, got {text!r:.{_EXCERPT}}: {error!s:.{_EXCERPT}}"
        raise RefusedRowError(Refusal.NO_TRUE_BOARD, "initial_state", sentence) from error
    if not environment.has_fixed_start:
        return environment.state_text(state)
    start = parse_true(environment, environment.state_text(environment.automaton.initial))
    if not environment.agree(parsed, start):
        raise RefusedRowError(
            Refusal.ILLEGAL_MOVES,
            "initial_state",
            f"expected {start.text!r:.{_EXCERPT}}, in which every episode begins, got {text!r:.{_EXCERPT}}",
        )
    return ""
