"""What the moves that a model takes to be next say about its state: legality, compression and distinction."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

import pandas as pd
from matplotlib.figure import Figure

from workbench.affordance.boundary import BoundaryMeasure, other_orders
from workbench.answers.game_clusters import whole_games
from workbench.automaton import Automaton
from workbench.drawing.appearance import caption, figure_of_rows, style
from workbench.drawing.labels import labels
from workbench.drawing.quantities import PRECISION, RECALL
from workbench.drawing.score_description import interval_words
from workbench.environments.registry import AnyEnvironment, environment_of
from workbench.errors import InvalidArgumentError
from workbench.language_model.language_model import LEAST_PROBABILITY, LanguageModel
from workbench.statistics.intervals import SHARE
from workbench.studies.panels import (
    ALL_LENGTHS,
    curve,
    log_lengths,
    means_by_game,
)
from workbench.tasks.legal_mass import Mass, legal_mass

NextMoves: TypeAlias = Callable[[Sequence[str]], Mapping[str, float]]
"""Of the moves so far, as the environment writes them, the probability of each next move."""

QUANTITIES: Final = (
    "likeliest_legal", "legal_mass", "listed_legal", "legal_listed", "equal", "agreement",
    "boundary_recall", "boundary_precision",
)  # fmt: skip
LEGAL: Final = "control: lists the legal moves"
BY_PLY: Final = "control: lists what is often legal at this ply"

_SMALLEST: Final = 1e-7

_PANELS: Final = (
    (
        "Legal moves",
        (
            ("likeliest_legal", "likeliest move is legal", style(7)),
            ("legal_mass", "probability on legal moves", style(5)),
            ("listed_legal", "listed moves that are legal ($p_1$)", PRECISION.look),
        ),
    ),
    (
        "Compression: another order of the\nmoves that leads to the same board",
        (("agreement", "moves in both lists", style(2)), ("equal", "lists are equal", style(6))),
    ),
    (
        "Distinction: another board after\nas many moves",
        (
            ("boundary_recall", "true differences that it makes", RECALL.look),
            ("boundary_precision", "its differences that are true", PRECISION.look),
        ),
    ),
)


class _Texts(Automaton[Any, str]):
    """An environment whose actions are their texts; every model and measure goes through the same states."""

    def __init__(self, environment: AnyEnvironment) -> None:
        self.environment = environment
        self._automaton = environment.automaton
        self._by_text = lru_cache(maxsize=1 << 15)(
            lambda state: {
                environment.action_text(action): action
                for action in environment.automaton.permitted(state)
            }
        )

    @property
    def initial(self) -> Any:
        return self._automaton.initial

    def permitted(self, state: Any) -> tuple[str, ...]:
        return tuple(self._by_text(state))

    def successor(self, state: Any, action: str) -> Any:
        return self._automaton.successor(state, self._by_text(state)[action])


def controls(positions: pd.DataFrame) -> dict[str, NextMoves]:
    """Return a model that has the state, and one that knows nothing of the game but its length.

    The second lists each move that is legal at half of the positions of this length, or the one that
    is legal most often. The positions are of one environment whose episodes begin in one state.
    """
    environment = environment_of(positions, "positions")
    automaton = _Texts(environment)

    def permitted(moves: Sequence[str]) -> tuple[str, ...]:
        return automaton.actions(automaton.run(automaton.initial, moves))

    permitted_at: dict[int, Counter[str]] = {}
    counts = Counter[int]()
    for text in positions["moves"]:
        moves = environment.split_moves(text)
        counts[len(moves)] += 1
        permitted_at.setdefault(len(moves), Counter()).update(permitted(moves))

    def often(moves: Sequence[str]) -> dict[str, float]:
        length = min(permitted_at, key=lambda each: abs(each - len(moves)))
        listed = [move for move, n in permitted_at[length].items() if 2 * n >= counts[length]]
        return _uniform(listed or [permitted_at[length].most_common(1)[0][0]])

    return {LEGAL: lambda moves: _uniform(permitted(moves)), BY_PLY: often}


def next_moves_of(model: LanguageModel) -> NextMoves:
    """Return the next moves of a bundled model, all but those of a probability below 1e-7."""
    return lambda moves: model.next_moves(moves, _SMALLEST)


def _uniform(moves: Sequence[str]) -> dict[str, float]:
    return {move: 1 / len(moves) for move in moves}


def compute(
    models: Mapping[str, NextMoves],
    positions: pd.DataFrame,
    *,
    least_probability: float = LEAST_PROBABILITY,
) -> pd.DataFrame:
    """Compare what models take to be next with the legal moves, and with itself after other orders of the moves.

    A position is compared with another order of its own moves that leads to the same state
    (compression), the one whose change is latest, and with the next position of the same length
    (distinction). Both look one move ahead, at the list of the moves of at least
    ``least_probability``. Source of the two: Vafa et al. (arXiv 2406.03689, section 2.3).

    Args:
        models: By name; `next_moves_of` gives a bundled one.
        positions: A positions table of one environment whose episodes begin in one state.
        least_probability: Of a listed move, in (0, 1].

    Returns:
        Columns model, length (full moves, as text; "all" last), measure (of `QUANTITIES`), mean, low,
        high, count (positions where it is defined), games and effective (number of games).

    Raises:
        InvalidArgumentError: If there is no position, or the episodes begin in different states.
    """
    if positions.empty or not models:
        raise InvalidArgumentError("expected at least one model and one position, got none")
    games = positions["position_id"].map(whole_games(positions))
    environment = environment_of(positions, "positions")
    if not environment.has_fixed_start:
        raise InvalidArgumentError(
            f"environment: expected one whose episodes begin in one state, got {environment.name!r:.80}"
        )
    automaton = _Texts(environment)
    rows = []
    for group, part in positions.groupby("group", sort=True):
        lines = [tuple(environment.split_moves(moves)) for moves in part["moves"]]
        orders = [next(other_orders(automaton, automaton.initial, line), None) for line in lines]
        for name, next_moves in models.items():
            for place, line in enumerate(lines):
                # Of the same side to move where there is one, and never of the same state.
                other = lines[(place + 1) % len(lines)]
                values = _values(
                    automaton, next_moves, line, orders[place], other, least_probability
                )
                rows.append({"model": name, "group": group, "place": part.index[place], **values})
    table = pd.DataFrame(rows).assign(game=lambda each: each["place"].map(games))
    return means_by_game(table, ["model"], QUANTITIES, lambda name: SHARE)


def _values(
    automaton: _Texts,
    next_moves: NextMoves,
    line: tuple[str, ...],
    order: tuple[str, ...] | None,
    other: tuple[str, ...],
    least: float,
) -> dict[str, float]:
    def listed(moves: tuple[str, ...]) -> list[str]:
        return [move for move, share in next_moves(moves).items() if share >= least]

    measure = BoundaryMeasure(automaton, listed)
    state = automaton.run(automaton.initial, line)
    legal, named = set(automaton.actions(state)), set(listed(line))
    masses = {move: Mass(share) for move, share in next_moves(line).items()}
    of_masses = legal_mass(automaton.environment, state, masses)
    values = {
        "likeliest_legal": of_masses.likeliest_legal,
        "legal_mass": of_masses.legal,
        "listed_legal": len(named & legal) / len(named) if named else math.nan,
        "legal_listed": len(named & legal) / len(legal) if legal else math.nan,
    } | dict.fromkeys(QUANTITIES[4:], math.nan)
    if order is not None:
        compression = measure.compression(line, order)
        values |= {"equal": float(compression.equal), "agreement": compression.agreement}
    if state != automaton.run(automaton.initial, other):
        distinction = measure.distinction(line, other)
        values["boundary_recall"] = distinction.recall
        values["boundary_precision"] = distinction.precision
    return values


def draw(table: pd.DataFrame, subject: str) -> Figure:
    """Draw a row of three panels for each model, against the length of the game."""
    models = list(table["model"].unique())
    figure, rows = figure_of_rows([3] * len(models), [3.1] * len(models), 10.5)
    names = labels(models, 70)
    numbers = table[table["length"] != ALL_LENGTHS]
    numbers = numbers.assign(at=numbers["length"].astype(int))
    lengths = sorted(numbers["at"].unique())
    for row, model in zip(rows, models, strict=True):
        part = numbers[numbers["model"] == model]
        for axes, (title, lines) in zip(row, _PANELS, strict=True):
            for place, (measure, label, look) in enumerate(lines):
                line = part[(part["measure"] == measure) & (part["count"] > 0)].sort_values("at")
                curve(axes, line, line["at"] * 1.06 ** (place - 1), label, look, 4)
            axes.set_title(title, fontsize=9)
            log_lengths(axes, lengths)
            axes.set_xlabel("full moves", fontsize=8)
            axes.set_ylim(-0.04, 1.04)
            axes.legend(
                fontsize=7, frameon=False, ncols=1, loc="upper center", bbox_to_anchor=(0.5, -0.22)
            )
        row[0].set_ylabel(names[model].replace(": ", ":\n") + "\nshare", fontsize=8)
    counts = table[(table["length"] == ALL_LENGTHS) & (table["model"] == models[0])]
    by_measure = counts.set_index("measure")["count"]
    caption(
        figure,
        f"The next moves of a model, and what they say about its state: {subject}",
        f"{by_measure['legal_mass']:,} positions, {by_measure['agreement']:,} with another order that leads "
        f"to the same board\n{interval_words(table, 'games')}",
    )
    return figure
