"""The questions of a table of positions, and their order."""

from collections import Counter

import pandas as pd

from workbench.asking.prompts import Prompt
from workbench.environments.registry import AnyEnvironment, environment_of
from workbench.errors import TableError
from workbench.tables.parquet_tables import POSITIONS
from workbench.tables.provenance import text_hash


def questions_of(positions: pd.DataFrame, prompt: Prompt) -> dict[str, tuple[str, ...]]:
    """Return the user's messages for each position, by ``position_id``, in the table's order.

    Args:
        positions: Rows with the columns of POSITIONS.
        prompt: How to ask.

    Raises:
        TableError: If a column is missing, there is no row, an id is repeated or empty, there are
            several environments, or a position lacks its actions in the prompt's notation.
    """
    missing = [name for name in POSITIONS.names if name not in positions.columns]
    if missing:
        raise TableError(f"positions: expected the columns {POSITIONS.names}, missing: {missing}")
    if positions.empty:
        raise TableError("positions: expected at least one row, got none; cut more games")
    named = positions["position_id"].map(lambda name: isinstance(name, str) and bool(name.strip()))
    if not named.all():
        row = int((~named).to_numpy().argmax())
        raise TableError(f"positions, row {row}: expected a position_id, got none")
    twice = positions["position_id"][positions["position_id"].duplicated()]
    if len(twice):
        raise TableError(f"positions: expected each position_id once, got {twice.iloc[0]!r} again")
    environment = environment_of(positions, "positions")
    columns = ("position_id", "initial_state", "movetext", "moves")
    return {
        name: _messages(environment, prompt, name, initial, movetext, moves)
        for name, initial, movetext, moves in zip(
            *(positions[column] for column in columns), strict=True
        )
    }


def _messages(
    environment: AnyEnvironment,
    prompt: Prompt,
    name: str,
    initial: object,
    movetext: str | None,
    moves: str | None,
) -> tuple[str, ...]:
    if prompt.of_chess_alone:
        actions = []
    else:
        actions = environment.split_moves(moves) if isinstance(moves, str) else []
        if not isinstance(movetext, str) and isinstance(moves, str):
            movetext = environment.shown_moves(actions)
    start = environment.automaton.initial
    shown = initial if isinstance(initial, str) and initial else environment.state_text(start)
    return prompt.questions(movetext, moves, name, shown, len(actions))


def in_asking_order(
    positions: pd.DataFrame, limit: int | None = None, seed: int | None = None
) -> pd.DataFrame:
    """Return positions so that the first N, for every N, are a sample of all groups alike.

    Within a group the order is that of the hashes of the ids: it looks random, has nothing to do
    with the table's order, and is the same every time.

    Args:
        positions: Rows with ``position_id`` and ``group``.
        limit: Only so many of them; all if None.
        seed: Another one gives another order; None gives that in which positions are asked about.
    """
    names, groups = positions["position_id"].tolist(), positions["group"].tolist()
    drawn = names if seed is None else [f"{seed} {name}" for name in names]
    rows = sorted(range(len(names)), key=lambda row: text_hash(drawn[row]))
    taken: Counter[int] = Counter()
    rounds = {}
    for row in rows:
        rounds[row] = taken[groups[row]]
        taken[groups[row]] += 1
    return positions.iloc[sorted(rows, key=rounds.__getitem__)[:limit]]
