"""Pairs of states in chess, Othello and Sokoban that differ in one thing, and the homogeneous tree.

The predicted state is the true one with a piece, a disc or a box missing or written elsewhere: the
equivalent of one wrong character in a written board.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import chess
import numpy as np

from workbench.automaton import Action, Automaton, State
from workbench.environments import (
    ChessAutomaton,
    ChessState,
    HomogeneousTree,
    OthelloAutomaton,
    OthelloState,
    SokobanAutomaton,
    SokobanState,
)
from workbench.environments.othello import square_name
from workbench.environments.sokoban import STEPS
from workbench.errors import InvalidArgumentError
from workbench.seeds import derived_seed

_ATTEMPTS: Final = 1000

SOKOBAN_ROOM: Final = """
#######
#  .  #
# $ $ #
#. @ .#
#  $  #
#######
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A true and a predicted state, what tells them apart in words, and both as text."""

    true: Any
    predicted: Any
    difference: str
    true_text: str
    predicted_text: str


@dataclass(frozen=True, slots=True)
class Environment:
    """An automaton and pairs of its states; ``closed_form`` gives p_m where it is known."""

    automaton: Automaton[Any, Any]
    pairs: tuple[Pair, ...]
    closed_form: Callable[[int], float] | None = None


def environments(
    pairs: int, moves: int, shared: int, predicted_only: int, seed: int
) -> dict[str, Environment]:
    """Return the environments by name, each with its pairs; arguments as for `compute`."""
    rules, othello, sokoban = ChessAutomaton(), OthelloAutomaton(), SokobanAutomaton(SOKOBAN_ROOM)
    tree = HomogeneousTree(shared, predicted_only)
    drawn = {
        "chess": Environment(
            rules,
            tuple(
                _chess_pair(random_state(rules, moves, one), index, one)
                for index, one in _seeds("chess", pairs, seed)
            ),
        ),
        "Othello": Environment(
            othello,
            tuple(
                _othello_pair(random_state(othello, moves, one), index, one)
                for index, one in _seeds("Othello", pairs, seed)
            ),
        ),
        "Sokoban": Environment(
            sokoban,
            tuple(
                _sokoban_pair(sokoban, random_state(sokoban, moves, one), one)
                for _, one in _seeds("Sokoban", pairs, seed)
            ),
        ),
    }
    said = f"{shared} of {shared + predicted_only} actions accepted"
    trees = Pair(tree.initial, tree.predicted, said, "true tree", "predicted tree")
    return {**drawn, "homogeneous tree": Environment(tree, (trees,), tree.precision)}


def random_state(automaton: Automaton[State, Action], moves: int, seed: int) -> State:
    """Return the state after ``moves`` actions, each drawn uniformly from those permitted.

    A run that is finished sooner, or after just as many, is drawn again, so that the state returned
    permits an action.

    Args:
        automaton: The environment.
        moves: At least 0.
        seed: At least 0; the same seed gives the same state.

    Raises:
        InvalidArgumentError: If every one of many runs was finished too soon.
    """
    for attempt in range(_ATTEMPTS):
        generator = np.random.default_rng(derived_seed(seed, "random state", attempt))
        state = automaton.initial
        actions = automaton.permitted(state)
        for _ in range(moves):
            if not actions:
                break
            state = automaton.successor(state, actions[int(generator.integers(len(actions)))])
            actions = automaton.permitted(state)
        if actions:
            return state
    raise InvalidArgumentError(
        f"expected a state after {moves!r} random actions of {type(automaton).__name__}, but each of "
        f"{_ATTEMPTS} runs was finished by then; ask for fewer moves"
    )


def _seeds(name: str, pairs: int, seed: int) -> Iterator[tuple[int, int]]:
    for index in range(pairs):
        yield index, derived_seed(seed, "pair", name, index)


def _chess_pair(state: ChessState, index: int, seed: int) -> Pair:
    """Take a piece off, or in every second pair set it on an empty square; kings stay.

    Of all such changes one is drawn that leaves a well-formed board.
    """
    before = state.board()
    origins = [s for s, piece in before.piece_map().items() if piece.piece_type != chess.KING]
    empty = [square for square in chess.SQUARES if before.piece_at(square) is None]
    choices = [
        (origin, target) for origin in origins for target in (empty if index % 2 else [None])
    ]
    generator = np.random.default_rng(derived_seed(seed, "change"))
    for place in generator.permutation(len(choices)):
        origin, target = choices[place]
        after = before.copy()
        piece = after.remove_piece_at(origin)
        if target is not None:
            after.set_piece_at(target, piece)
        if not after.is_valid():
            continue
        written = "missing" if target is None else f"written on {chess.square_name(target)}"
        kind = chess.piece_name(before.piece_map()[origin].piece_type)
        said = f"{kind} {chess.square_name(origin)} {written}"
        predicted = ChessState.from_board(after)
        return Pair(state, predicted, said, state.fen(), predicted.fen())
    raise InvalidArgumentError(
        f"expected a chess position in which a piece can be written wrongly, got {state.fen()!r}; "
        "ask for fewer moves or another seed"
    )


def _othello_pair(state: OthelloState, index: int, seed: int) -> Pair:
    """Take a disc off, or in every second pair write it in the other colour."""
    generator = np.random.default_rng(derived_seed(seed, "change"))
    discs = [square for square in range(64) if (state.black | state.white) >> square & 1]
    square = discs[int(generator.integers(len(discs)))]
    bit = 1 << square
    if index % 2:
        predicted = OthelloState(state.black ^ bit, state.white ^ bit, state.black_to_move)
        said = f"disc {square_name(square)} in the other colour"
    else:
        predicted = OthelloState(state.black & ~bit, state.white & ~bit, state.black_to_move)
        said = f"disc {square_name(square)} missing"
    return Pair(state, predicted, said, state.text(), predicted.text())


def _sokoban_pair(automaton: SokobanAutomaton, state: SokobanState, seed: int) -> Pair:
    """Write a box on a free cell beside its own."""
    generator = np.random.default_rng(derived_seed(seed, "change"))
    free = automaton.floor - state.boxes - {state.player}
    choices = [
        (box, beside)
        for box in sorted(state.boxes)
        for down, right in STEPS.values()
        if (beside := (box[0] + down, box[1] + right)) in free
    ]
    if not choices:
        raise InvalidArgumentError(
            f"expected a box with a free cell beside it, got {automaton.text(state)!r}; "
            "ask for another number of moves or another seed"
        )
    box, beside = choices[int(generator.integers(len(choices)))]
    predicted = SokobanState(state.player, state.boxes - {box} | {beside})
    texts = (automaton.text(each).replace("\n", "/") for each in (state, predicted))
    return Pair(state, predicted, f"box at {box} written at {beside}", *texts)
