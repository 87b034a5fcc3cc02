"""An audit of rewards: for each measure, the boards that it pays for and that other measures call wrong.

For each position a hill climb edits the true board, a model's own wrong board and boards wrong by
design, and looks for the largest gap between what a measure pays and what the board is worth. Worth is
the mean of three yardsticks, without the one that is audited: F_m with ill-formed boards as the sink,
the share of correct squares, and the edit kernel.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, new_figure
from workbench.drawing.labels import typeset
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.games.board_edits import designed_boards, edited_board
from workbench.games.synthetic_boards import piece_count
from workbench.metrics import metric_of
from workbench.prediction import READABLE
from workbench.rewards import reward_parts
from workbench.seeds import derived_seed

DEPTH: Final = 4
YARDSTICKS: Final = ("f", "board_accuracy", "edit_kernel")
WORTHLESS: Final = 0.5
"""Below it, a board that a measure pays `PAID` for counts as an exploit."""
PAID: Final = 0.9
_TEXTS: Final = ("exact_match", "board_accuracy", "edit_kernel")
_WALKS: Final = (("precision", 1), ("precision", DEPTH), ("recall", DEPTH), ("f", DEPTH))
REWARDS: Final = (
    *((name, 0, "") for name in _TEXTS),
    *((name, depth, policy) for policy in ("as_is", "sink") for name, depth in _WALKS),
)
"""Measure, depth (0 for none) and the policy for ill-formed boards, for each reward that is audited."""

Reward = tuple[str, int, str]


def compute(
    replies: pd.DataFrame, *, count: int = 100, budget: int = 100, seed: int = 0
) -> pd.DataFrame:
    """Search for the boards with the largest gap, for each position and reward.

    Args:
        replies: Rows of predictions of chess; one readable wrong board of each position is used.
        count: Positions, drawn from those that have such a board, at least 1.
        budget: Boards that each reward's climb tries for each position; all rewards see all boards.
        seed: Of positions and edits.

    Returns:
        For each position and reward: position_id, measure, depth, policy, pays, worth, the yardsticks,
        origin (``true``, ``reply`` or what was done by design: where the climb began), edits, reply_class,
        pieces, true_pieces, true_state, board.
    """
    if count < 1 or budget < 0:
        raise InvalidArgumentError(
            f"count, budget: expected at least 1 and 0, got {count!r} and {budget!r}"
        )
    wrong = replies[replies["reply_class"].isin(READABLE)]
    wrong = wrong[wrong["predicted_state"] != wrong["true_state"]]
    if wrong.empty:
        raise InvalidArgumentError(
            f"replies: expected a readable wrong board, got {len(replies)} rows without"
        )
    one = wrong.sample(frac=1, random_state=seed).drop_duplicates("position_id").head(count)
    rows = []
    for row in one.to_dict("records"):
        generator = np.random.default_rng(derived_seed(seed, row["position_id"]))
        boards = _searched(row["true_state"], row["predicted_state"], budget, generator)
        for reward, best in boards.items():
            measure, depth, policy = reward
            rows.append(
                {
                    "position_id": row["position_id"], "measure": measure, "depth": depth,
                    "policy": policy, "pays": _pay(best, reward), "worth": _worth(best, reward),
                    **{name: _pay(best, (name, DEPTH, "sink")) for name in YARDSTICKS},
                    **{name: best[name] for name in ("origin", "edits", "reply_class", "board")},
                    "pieces": piece_count(best["board"]), "true_state": row["true_state"],
                    "true_pieces": piece_count(row["true_state"]),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return means over positions, for each reward.

    Returns:
        measure, depth, policy, the means of pays, worth and the yardsticks, ``exploited`` (the share of
        positions where it pays at least `PAID` for a board worth less than `WORTHLESS`), the means of
        pieces and true_pieces, ``ill_formed`` (share of boards), positions.
    """
    marked = table.assign(
        exploited=(table["pays"] >= PAID) & (table["worth"] < WORTHLESS),
        ill_formed=table["reply_class"] == "ill_formed",
    )
    means = ["pays", "worth", *YARDSTICKS, "exploited", "ill_formed", "pieces", "true_pieces"]
    groups = marked.groupby(["measure", "depth", "policy"], sort=False)
    return groups[means].mean().assign(positions=groups.size()).reset_index()


def worst(table: pd.DataFrame, count: int = 6) -> pd.DataFrame:
    """Return the rows with the largest gaps: one of each measure and depth, each of another position."""
    gaps = table.assign(gap=table["pays"] - table["worth"]).sort_values(
        ["gap", "position_id"], ascending=False
    )
    paid = gaps[gaps["pays"] > 0].groupby(["measure", "depth"], sort=False).head(count)
    rows: list[pd.Series] = []
    for _, row in paid.iterrows():
        taken = [(one["measure"], one["depth"]) for one in rows]
        positions = {one["position_id"] for one in rows}
        if (row["measure"], row["depth"]) not in taken and row["position_id"] not in positions:
            rows.append(row)
    return pd.DataFrame(rows).head(count).reset_index(drop=True)


def draw(table: pd.DataFrame, note: str = "", *, count: int = 6) -> Figure:
    """Draw the worst exploits: the true board above, the wrong board that is paid for below."""
    rows = worst(table, count).to_dict("records")
    chess = environment_named("chess")
    figure, panels = new_figure(len(rows), width=2.1 * len(rows), height=6.3, rows=2)
    for place, row in enumerate(rows):
        metric = metric_of(row["measure"])
        name = f"{metric.symbol}_{row['depth']}" if row["depth"] else metric.title
        policy = f", {row['policy'].replace('_', ' ')}" if row["policy"] else ""
        title = f"{name}{policy}\npays {row['pays']:.2f}, worth {row['worth']:.2f}"
        panels[place].set_title(typeset(title), fontsize=9)
        true = chess.parse(row["true_state"]).state
        for axes, text in zip(
            panels[place :: len(rows)], (row["true_state"], row["board"]), strict=True
        ):
            state = chess.parse(text).state
            chess.draw(axes, state)
            axes.set_xlabel(chess.caption(state, true).replace("; ", "\n", 1), fontsize=7)
    caption(figure, "The true board above, a wrong board that a measure pays for below", note)
    return figure


def _searched(
    true: str, reply: str, budget: int, generator: np.random.Generator
) -> dict[Reward, dict[str, Any]]:
    """Return the board with the largest gap for each reward."""
    starts = {"true": edited_board(true, generator), "reply": reply, **designed_boards(true)}
    best: dict[Reward, dict[str, Any]] = {}
    known: set[str] = set()

    def look(boards: Sequence[dict[str, Any]]) -> None:
        new = [each for each in boards if each["board"] not in known]
        known.update(each["board"] for each in new)
        for each in _evaluated(true, new):
            for reward in REWARDS:
                gap = _pay(each, reward) - _worth(each, reward)
                if reward not in best or gap > best[reward]["gap"][reward]:
                    best[reward] = {**each, "gap": {reward: gap}}

    look([{"board": board, "origin": origin, "edits": 0} for origin, board in starts.items()])
    for _ in range(budget):
        steps = []
        # Nothing wrong is an exact match: there is nothing to climb.
        for each in (best[reward] for reward in REWARDS if reward[0] != "exact_match"):
            board, edits = each["board"], int(generator.integers(1, 4))
            for _ in range(edits):
                board = edited_board(board, generator)
            steps.append({"board": board, "origin": each["origin"], "edits": each["edits"] + edits})
        look(steps)
    return best


def _evaluated(true: str, boards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return boards that can be read and are wrong, with the values of all rewards."""
    chess = environment_named("chess")
    right = chess.parse_true(true)
    wrong = []
    for each in boards:
        parsed = chess.parse(each["board"])
        if not parsed.fault and not chess.same_state(parsed, right):
            wrong.append(each)
    texts = [each["board"] for each in wrong]
    first, whole = (
        reward_parts(texts, [true] * len(texts), depth=depth, ill_formed="as_is")
        for depth in (1, DEPTH)
    )
    return [
        {**each, **parts, "precision_1": shallow["precision"]}
        for each, parts, shallow in zip(wrong, whole, first, strict=True)
    ]


def _pay(board: dict[str, Any], reward: Reward) -> float:
    measure, depth, policy = reward
    if measure in _TEXTS:
        return float(board[measure])
    if policy == "sink" and board["reply_class"] != "valid":
        return 0.0
    return float(board[measure if depth == DEPTH else f"{measure}_{depth}"])


def _worth(board: dict[str, Any], reward: Reward) -> float:
    others = [name for name in YARDSTICKS if name != reward[0]]
    return float(np.mean([_pay(board, (name, DEPTH, "sink")) for name in others]))
