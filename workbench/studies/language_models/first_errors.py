"""After how many moves a bundled model first errs: in attacks, in games of random moves, and in real games."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.consistency.attack import Guide, attack, first_errors
from workbench.consistency.attack_targets import Error
from workbench.drawing.appearance import Style, caption, new_figure, style
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidArgumentError
from workbench.games.game_tables import BUNDLED_NAME, bundled_games
from workbench.language_model.language_model import load_model
from workbench.prediction import ParsedState
from workbench.statistics.kaplan_meier import median_length, share_without_event
from workbench.studies.panels import empty_figure, legend_below, panels

ATTACK: Final = "attacks"
UNGUIDED: Final = "searches by lot"
RANDOM: Final = "random games"
REAL: Final = "real games"

LOOKS: Final[dict[str, Style]] = {
    kind: style(index) for index, kind in enumerate((ATTACK, UNGUIDED, RANDOM, REAL))
}
_GUIDES: Final[dict[str, Guide]] = {ATTACK: "certainty", UNGUIDED: "random"}


def lengths(
    models: Sequence[str],
    *,
    error: Error = "state",
    searches: int = 20,
    budget: int = 8000,
    games: int = 60,
    longest: int = 150,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the lengths until the first error of each model, in four kinds of sequences.

    A search by lot is the control of the attack: it asks as many questions at each depth and goes on with
    lines that are drawn. Real games are bundled ones that the model was not trained on, spread evenly.

    Args:
        models: Names of bundled models, such as ``small``.
        error: As of `workbench.consistency.attack.attack`.
        searches: Of the attack, and of the search by lot.
        budget: Questions of either, for each model.
        games: Random games, and real ones.
        longest: Moves of a game at most.
        seed: At least 0.

    Returns:
        Rows as of `workbench.consistency.attack.Attacks.table`, with model, error and kind; lengths without an
        error are censored.
    """
    parts = []
    for model in models:
        name = f"workbench/{model}"
        unseen = bundled_games()[load_model(model).training_games :]
        places = np.linspace(0, len(unseen) - 1, games).astype(int)
        played = [unseen[place].moves for place in places]
        tables = {
            kind: attack(
                name, error=error, guide=guide, searches=searches, budget=budget, seed=seed
            ).table()
            for kind, guide in _GUIDES.items()
        }
        tables[RANDOM] = first_errors(name, games, error=error, longest=longest, seed=seed)
        tables[REAL] = first_errors(name, played, error=error, longest=longest)
        parts += [
            table.assign(model=model, error=error, kind=kind) for kind, table in tables.items()
        ]
    if not parts:
        raise InvalidArgumentError("models: expected names of bundled models, got none")
    return pd.concat(parts, ignore_index=True)


def compute(rows: pd.DataFrame, *, resamples: int = 2000) -> pd.DataFrame:
    """Compute the median length until the first error, by Kaplan and Meier, with its interval.

    Args:
        rows: As `lengths` returns them.
        resamples: Of searches or games.

    Returns:
        A row for each model, error and kind: median, low and high (infinite where fewer than half err
        within the lengths searched), least (NaN where none errs), count, errors (the others are censored)
        and questions (of searches, shrinking included; two searches may ask the same).
    """
    table = []
    for (model, error, kind), part in rows.groupby(["model", "error", "kind"], sort=False):
        median = median_length(part["shortest_plies"], part["wrong"], resamples=resamples)
        least = part.loc[part["wrong"], "shortest_plies"].min()
        ends = (median.value, median.low, median.high, least, median.count, median.events)
        table.append((model, error, kind, *ends, part["questions"].sum()))
    columns = "model error kind median low high least count errors questions".split()
    return pd.DataFrame(table, columns=columns)


def draw(rows: pd.DataFrame, note: str = "") -> Figure:
    """Draw the share of sequences without an error by their length, a panel for each model."""
    models = list(dict.fromkeys(rows["model"]))
    across = min(2, len(models))
    figure, axes_of = panels(-(-len(models) // across), across, 2.7, 4.8 * across)
    for axes, model in zip(axes_of, models, strict=False):
        of_model = rows[rows["model"] == model]
        for kind, part in of_model.groupby("kind", sort=False):
            look = LOOKS[str(kind)]
            times, shares = share_without_event(part["shortest_plies"], part["wrong"])
            end = max([*times, part["shortest_plies"].max()])
            axes.step(
                [0, *times, end], [1, *shares, *shares[-1:], *[1] * (not len(shares))],
                where="post", color=look.colour, linestyle=look.line, linewidth=1.6, label=kind,
            )  # fmt: skip
        axes.set_title(model, fontsize=9)
        axes.set_xlim(left=0)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel("moves of either side", fontsize=8)
        axes.set_ylabel("share without an error", fontsize=8)
    for axes in axes_of[len(models) :]:
        axes.set_axis_off()
    legend_below(axes_of[0], 4)
    counts = rows.groupby("kind", sort=False)["number"].nunique()
    words = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    noun = "wrong board" if rows["error"].iloc[0] == "state" else "illegal move"
    caption(
        figure,
        f"Moves until the first {noun}",
        f"{_lines(note)}For each model {words}; real games: {BUNDLED_NAME}; searches: what is left after "
        "shrinking; lengths without an error are censored (Kaplan and Meier)",
    )
    return figure


def draw_boards(rows: pd.DataFrame, count: int = 3, note: str = "") -> Figure:
    """Draw the shortest attacks on boards: the true board above, what the model writes below.

    Args:
        rows: As `lengths` returns them, of the error ``state``.
        count: Attacks at most, of as many models as there are in turn.
        note: For the caption.
    """
    shortest = shortest_attacks(rows, count)
    title = "The shortest attacks"
    if shortest.empty:
        return empty_figure(title, "no attack met a wrong board", note)
    environment = environment_named(DEFAULT)
    figure, axes_of = new_figure(len(shortest), 3.4 * len(shortest), 7.6, rows=2)
    true_row, written_row = axes_of[: len(shortest)], axes_of[len(shortest) :]
    columns = (shortest[name] for name in ("model", "shortest", "true", "answer"))
    for model, actions, true_text, answer, above, below in zip(
        *columns, true_row, written_row, strict=True
    ):
        true, written = environment.parse(true_text), environment.parse(answer)
        above.set_title(f"{model}: {environment.movetext(actions)}\ntrue board", fontsize=9)
        environment.draw(above, true.state)
        below.set_title("written board", fontsize=9)
        if written.fault:
            below.set_axis_off()
            below.text(0.5, 0.5, "no board can be read", ha="center", transform=below.transAxes)
            continue
        environment.draw(below, written.state, frozenset(_differences(true, written)))
        below.set_xlabel(environment.caption(written.state, true.state), fontsize=8)
    caption(figure, title, f"{_lines(note)}marked: squares that differ")
    return figure


def _lines(note: str) -> str:
    return f"{note}\n" if note else ""


def _differences(true: ParsedState, written: ParsedState) -> set[str]:
    one, other = (environment_named(DEFAULT).elements(each.state) for each in (true, written))
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


def shortest_attacks(rows: pd.DataFrame, count: int = 3) -> pd.DataFrame:
    """Return the rows of the shortest attacks, each sequence once: the shortest of each model, then the next."""
    wrong = rows[(rows["kind"] == ATTACK) & rows["wrong"]]
    ordered = wrong.sort_values(["shortest_plies", "number"], kind="stable")
    distinct = ordered[~ordered["shortest"].map(tuple).duplicated()]
    turn = distinct.groupby("model", sort=False).cumcount()
    return distinct.loc[turn.sort_values(kind="stable").index].head(count)
