"""One piece removed from the predicted board: the cost of a one-character edit in p_m and r_m.

The paper's own example is a board without its king, at edit distance 1. Here every kind of piece is
removed in turn, of the side to move and of the other, over many positions.
"""

from dataclasses import replace
from typing import Final, get_args

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.drawing.appearance import caption, new_figure
from workbench.drawing.labels import span, typeset
from workbench.drawing.quantities import QUANTITIES
from workbench.drawing.reply_words import ill_formed_words
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.games.synthetic_boards import PIECE_NAMES, Owner, boards_without, is_check
from workbench.prediction import ReplyClass
from workbench.scoring import IllFormedPolicy, ScoringParameters, score
from workbench.studies.data import written_states
from workbench.studies.panels import legend_beside

_TAKEN_OFF: Final = ["piece", "owner"]
_POLICIES: Final[tuple[IllFormedPolicy, ...]] = get_args(IllFormedPolicy)


def predictions_without(positions: pd.DataFrame, *, count: int, seed: int) -> pd.DataFrame:
    """Return a predictions table of boards with one piece less.

    ``count`` positions are taken, spread evenly over those whose true FEN can be read.

    Returns:
        PREDICTIONS rows, and the columns piece and owner: which piece was removed.
    """
    if count < 1:
        raise InvalidArgumentError(f"expected at least 1 position, got {count!r}")
    chess = environment_named("chess")
    readable = positions[[not chess.parse(str(fen)).fault for fen in positions["true_state"]]]
    if readable.empty:
        raise InvalidArgumentError(
            f"expected positions with a true FEN that can be read, got none among {len(positions)}"
        )
    places = np.unique(np.linspace(0, len(readable) - 1, min(count, len(readable))).astype(int))
    boards = [
        (place, *board)
        for place in places
        for board in boards_without(readable["true_state"].iloc[place], seed)
    ]
    of_positions, pieces, owners, fens = (list(column) for column in zip(*boards, strict=True))
    models = [f"without {piece} ({owner})" for piece, owner in zip(pieces, owners, strict=True)]
    table = written_states(readable.iloc[of_positions], fens, models)
    return table.assign(piece=pieces, owner=owners)


def scores_by_policy(
    predictions: pd.DataFrame, parameters: ScoringParameters, *, jobs: int = 1
) -> dict[str, pd.DataFrame]:
    """Score boards with one piece less under each ill-formed policy.

    Returns:
        For each policy a scores table with the columns piece and owner as well.
    """
    rows = predictions.reset_index(drop=True)
    of_policy = {policy: replace(parameters, ill_formed=policy) for policy in _POLICIES}
    as_is = score(rows, of_policy["as_is"], jobs=jobs).join(rows[_TAKEN_OFF])
    # Boards that can arise have the same scores under either policy.
    differ = rows["reply_class"] == ReplyClass.ILL_FORMED
    ill_formed = rows[differ]
    as_sink = score(ill_formed, of_policy["sink"], jobs=jobs).set_axis(ill_formed.index)
    alike = as_is[~differ].assign(ill_formed_policy="sink")
    sink = pd.concat([alike, as_sink.join(rows[_TAKEN_OFF])]).sort_index()
    return {"as_is": as_is, "sink": sink}


def compute(scores: dict[str, pd.DataFrame], *, depth: int = 4) -> pd.DataFrame:
    """Summarise the scores of boards with one piece less.

    Returns:
        Columns policy, piece, owner, measure, depth, mean, low (5%), high (95% quantile over positions),
        worst (minimum), count.
    """
    rows = []
    for policy, table in scores.items():
        for (piece, owner), part in table.groupby(_TAKEN_OFF, sort=False):
            for measure in ("precision", "recall"):
                values = part[f"{measure}_{depth}"]
                low, high = values.quantile(0.05), values.quantile(0.95)
                statistics = (values.mean(), low, high, values.min(), values.count())
                rows.append((policy, piece, owner, measure, depth, *statistics))
    columns = ["policy", *_TAKEN_OFF, "measure", "depth", "mean", "low", "high", "worst", "count"]
    return pd.DataFrame(rows, columns=columns)


def king_by_check(scores: dict[str, pd.DataFrame], *, depth: int = 4) -> pd.DataFrame:
    """Set apart the positions in which the side to move is in check, for boards without a king.

    Returns:
        Columns policy, owner, in_check, precision, recall (means) and count.
    """
    parts = []
    for policy, table in scores.items():
        kings = table[table["piece"] == "king"]
        in_check = [is_check(fen) for fen in kings["true_state"]]
        parts.append(kings.assign(policy=policy, in_check=in_check))
    grouped = pd.concat(parts).groupby(["policy", "owner", "in_check"], sort=False)
    precision, recall = f"precision_{depth}", f"recall_{depth}"
    return grouped.agg(
        precision=(precision, "mean"), recall=(recall, "mean"), count=(recall, "count")
    ).reset_index()


def draw(table: pd.DataFrame, note: str = "", policy: str = "as_is") -> Figure:
    """Draw mean p_m and r_m for each piece that is missing, of either side."""
    part = table[table["policy"] == policy]
    owners = list(get_args(Owner))
    figure, panels = new_figure(len(owners), width=8.4, height=3.8)
    for axes, owner in zip(panels, owners, strict=True):
        for index, measure in enumerate(("precision", "recall")):
            rows = part[(part["owner"] == owner) & (part["measure"] == measure)]
            rows = rows.set_index("piece").reindex(PIECE_NAMES)
            look = QUANTITIES[measure].look
            axes.bar(
                np.arange(len(PIECE_NAMES)) + (index - 0.5) * 0.38, rows["mean"], width=0.36,
                yerr=[rows["mean"] - rows["low"], rows["high"] - rows["mean"]], color=look.colour,
                edgecolor="0.2", hatch=look.hatch, error_kw={"linewidth": 0.8, "ecolor": "0.2"},
                capsize=2, label=typeset(QUANTITIES[measure].label(part["depth"].iloc[0])),
            )  # fmt: skip
        axes.set_xticks(range(len(PIECE_NAMES)), PIECE_NAMES)
        axes.set_title(f"piece of the {owner}", fontsize=9)
        axes.set_xlabel("piece missing from the predicted board")
    panels[0].set_ylabel("mean over positions")
    panels[0].set_ylim(0, 1.02)
    legend_beside(panels[-1])
    caption(
        figure,
        "One character away: a piece missing from the board",
        f"{note}\n{ill_formed_words(policy)}; {span(part['count'])} positions a bar; "
        "whiskers: 5% to 95% of positions",
    )
    return figure
