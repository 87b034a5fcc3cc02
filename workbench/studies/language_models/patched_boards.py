"""What a model writes and plays after its hidden states are patched: another piece moved, by the state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from workbench.drawing.appearance import Style, caption, style
from workbench.drawing.score_description import interval_words
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.language_model.board_probe import (
    SQUARES,
    VALUES,
    Vectors,
    games_to_fit,
    moved_pieces,
)
from workbench.language_model.language_model import LanguageModel, load_model
from workbench.language_model.patch_sites import (
    EARLIER,
    INTENDED,
    LAG,
    TRUE,
    PatchSite,
    PatchTargets,
    patch_sites,
)
from workbench.language_model.patching import EncodedGames, class_means, encode_games
from workbench.language_model.vocabulary import spell
from workbench.metrics import range_of
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import affordance_scores, is_state
from workbench.seeds import derived_seed
from workbench.statistics.grouped import grouped_means
from workbench.statistics.intervals import DIFFERENCE, comparable
from workbench.studies.panels import (
    counts_in_words,
    curve,
    legend_below,
    name_panel,
    name_row,
    panels,
)

IDENTITY: Final = "identity"
PIECE: Final = "piece"
LAST_STATE: Final = "last state"
WRONG_PLY: Final = "wrong ply"
RANDOM: Final = "random direction"

STRENGTHS: Final[Mapping[str, tuple[float, ...]]] = {
    IDENTITY: (0.0,),
    PIECE: (0.5, 1.0, 2.0, 4.0),
    LAST_STATE: (1.0, 2.0, 4.0),
    WRONG_PLY: (1.0, 2.0),
    RANDOM: (1.0, 2.0),
}
"""By how much each patch is multiplied."""

_GAMES_AT_ONCE: Final = 64
_SLOT_OF: Final = np.arange(SQUARES).reshape(8, 8)[::-1].reshape(-1)
"""The slot in which each square, a1 to h8, is written."""


def patched_boards(
    models: Sequence[str],
    positions: pd.DataFrame,
    parameters: ScoringParameters,
    *,
    games: int,
    seed: int = 0,
    jobs: int = 1,
) -> pd.DataFrame:
    """Patch one state of each position, by layer and strength, and run the rest of the network again.

    The vector of ``piece`` is the mean state after moves of the intended piece less that after moves of
    the piece that moved, of the same colour, in ``games`` games that are neither in the training nor in
    the test. It is added to the state of the ply that moved the piece. ``last state`` adds to the state
    one ply later, the last, the difference of means one ply later. Controls: ``identity`` adds nothing;
    ``wrong ply`` adds the vector to the state of the same side's move before; ``random direction`` adds
    a random vector of the same length to the piece's.

    Returns:
        A row for each site, model, patch, layer and strength: model, patch, layer, strength, position_id,
        game, group; intended_piece and former_piece (whether the intended piece, or the one that moved,
        is written on the piece's square), other_squares (how many of the other 63 are written otherwise
        than without a patch), squares_intended and squares_true (shares of 64 squares written as on the
        intended and on the true board), precision_intended and precision_true (p_m of the written board
        against each), top_intended and top_true (whether the likeliest next move is legal on each),
        mass_intended and mass_true (probability of the moves legal on that board alone; NaN where there
        are none); ``gain_`` and the name of a precision or a mass (the value less that without a patch).
    """
    sites = sorted(patch_sites(positions, seed), key=lambda site: len(site.moves))
    batches = [
        sites[first : first + _GAMES_AT_ONCE] for first in range(0, len(sites), _GAMES_AT_ONCE)
    ]
    if not batches:
        raise InvalidArgumentError(
            f"positions: expected some with a piece to patch, got none in {len(positions)}; see "
            "patch_sites"
        )
    networks = [load_model(name) for name in models]
    fit = games_to_fit(networks, positions["game_id"], games, seed)
    tables: list[pd.DataFrame] = []
    for model in networks:
        means = class_means(model, fit, map(moved_pieces, fit), VALUES, (0, LAG))
        for batch in batches:
            tables += _patched(model, batch, means, seed)
    rows: pd.DataFrame = pd.concat(tables, ignore_index=True)
    for name in (INTENDED, TRUE):
        boards = {site.position_id: getattr(site, name) for site in sites}
        rows[f"precision_{name}"] = _precision(rows, boards, parameters, jobs)
    key = ["model", "layer", "position_id"]
    identity = rows[rows["patch"] == IDENTITY].set_index(key)
    before = identity.loc[pd.MultiIndex.from_frame(rows[key])]
    for column in _GAINS:
        gain = comparable(rows[column]) - comparable(before[column])
        rows[f"gain_{column}"] = gain
    return rows.drop(columns="written_board")


def _patched(
    model: LanguageModel,
    sites: Sequence[PatchSite],
    means: Vectors,
    seed: int,
) -> Iterator[pd.DataFrame]:
    games = encode_games(model, [site.moves for site in sites])
    plies, pieces, others = (
        np.array([getattr(site, name) for site in sites]) for name in ("ply", "piece", "other")
    )
    before = games.boards(games.hidden[-1])
    targets = PatchTargets(sites)
    generator = np.random.default_rng(derived_seed(seed, f"directions {sites[0].position_id}"))
    for layer in range(model.shape.layers + 1):
        vectors, later = (each[layer, others] - each[layer, pieces] for each in means)
        directions = generator.normal(size=vectors.shape)
        sizes = np.linalg.norm(vectors, axis=1) / np.linalg.norm(directions, axis=1)
        patches = {
            IDENTITY: (plies, vectors),
            PIECE: (plies, vectors),
            LAST_STATE: (plies + LAG, later),
            WRONG_PLY: (plies - EARLIER, vectors),
            RANDOM: (plies, (directions * sizes[:, None]).astype(np.float32)),
        }
        for patch, (at, added) in patches.items():
            for strength in STRENGTHS[patch]:
                encoded = games.patched(layer, at, np.float32(strength) * added)
                rows = _measures(games, encoded, before, sites, targets)
                yield rows.assign(model=model.name, patch=patch, layer=layer, strength=strength)


def _measures(
    games: EncodedGames,
    encoded: Vectors,
    before: NDArray[np.int64],
    sites: Sequence[PatchSite],
    targets: PatchTargets,
) -> pd.DataFrame:
    tokens = games.boards(encoded)
    squares = tokens[:, _SLOT_OF]
    each = np.arange(len(sites))
    at = np.array([site.square for site in sites])
    differs = squares != before[:, _SLOT_OF]
    differs[each, at] = False
    columns: dict[str, Any] = {
        "position_id": [site.position_id for site in sites],
        "game": [site.game for site in sites],
        "group": [site.group for site in sites],
        "intended_piece": squares[each, at] == [site.other for site in sites],
        "former_piece": squares[each, at] == [site.piece for site in sites],
        "other_squares": differs.sum(axis=1),
        **{
            f"squares_{name}": (squares == each).mean(axis=1)
            for name, each in targets.squares.items()
        },
        **targets.of_moves(games.next_moves(encoded)),
        "written_board": [spell(row) for row in tokens.tolist()],
    }
    return pd.DataFrame(columns)


def _precision(
    rows: pd.DataFrame,
    boards: Mapping[str, str],
    parameters: ScoringParameters,
    jobs: int,
) -> NDArray[np.float64]:
    """Return p_m of the written boards; patches that write the same board are measured once."""
    environment = environment_named("chess")
    known = {text: environment.classify_state(text) for text in set(rows["written_board"])}
    pairs = list(zip(rows["position_id"].tolist(), rows["written_board"].tolist(), strict=True))
    distinct = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
    true = {site: environment.parse_true(fen).state for site, fen in boards.items()}
    values = affordance_scores(
        environment.automaton,
        [true[site] for site, _ in distinct],
        [
            known[text].parsed.state
            if is_state(known[text].reply_class, parameters.ill_formed)
            else None
            for _, text in distinct
        ],
        parameters,
        [0] * len(distinct),
        workers=jobs,
    )
    of_depth = parameters.measures().index(f"precision_{parameters.depth}")
    return np.array([values[distinct[pair]][of_depth] for pair in pairs])


MEASURES: Final[Mapping[str, tuple[str, str]]] = {
    "intended_piece": ("the intended piece is written", "share of boards"),
    "other_squares": ("other squares that change", "mean number"),
    "precision_intended": ("p_{depth} against the intended board", "mean"),
    "precision_true": ("p_{depth} against the true board", "mean"),
    "top_intended": ("likeliest move is legal\non the intended board", "share of boards"),
    "top_true": ("likeliest move is legal\non the true board", "share of boards"),
    "mass_intended": ("moves legal on the\nintended board alone", "probability"),
    "mass_true": ("moves legal on the\ntrue board alone", "probability"),
}
"""The title of each measure that is drawn, and what its vertical axis counts."""

_OTHERS: Final = ("former_piece", "squares_intended", "squares_true")
_GAINS: Final = ("precision_intended", "precision_true", "mass_intended", "mass_true")
_COUNT: Final = "other_squares"

LINES: Final[Mapping[tuple[str, float], tuple[str, Style]]] = {
    (PIECE, 0.5): ("state of the piece's ply, strength 0.5", style(0)),
    (PIECE, 1.0): ("state of the piece's ply, strength 1", style(1)),
    (PIECE, 2.0): ("state of the piece's ply, strength 2", style(2)),
    (PIECE, 4.0): ("state of the piece's ply, strength 4", style(3)),
    (LAST_STATE, 1.0): ("last state, strength 1", style(4)),
    (LAST_STATE, 4.0): ("last state, strength 4", style(5)),
    (WRONG_PLY, 1.0): ("wrong ply, strength 1", style(6)),
    (RANDOM, 1.0): ("random direction, strength 1", style(7)),
}
"""The patches that are drawn, by name and strength."""


def compute(rows: pd.DataFrame, *, depth: int = 4) -> pd.DataFrame:
    """Compute the mean of every measure for each model, patch, layer and strength.

    Returns:
        Columns model, patch, layer, strength, measure, depth, mean, low, high, count (boards), undefined (boards
        without a value), games and effective (number of games).
    """
    by = ["model", "patch", "layer", "strength"]
    measures = [*MEASURES, *_OTHERS, *(f"gain_{name}" for name in _GAINS)]
    # By model in the order of the rows, which the groups of a table are not in.
    means = [
        grouped_means(of_model, measures, by, within=_range)
        for _, of_model in rows.groupby("model", sort=False)
    ]
    table = pd.concat(means, ignore_index=True).assign(depth=depth)
    table = table.rename(columns={"column": "measure", "value": "mean"})
    columns = ["mean", "low", "high", "count", "undefined", "games", "effective"]
    return table[[*by, "measure", "depth", *columns]]


def _range(column: str) -> tuple[float, float]:
    if column == _COUNT:
        return (0.0, SQUARES - 1)
    return DIFFERENCE if column.startswith("gain") else range_of(column)


def draw_boards(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw what is written against the patched layer, a row of panels for each model."""
    measures = ("intended_piece", "other_squares", "precision_intended", "precision_true")
    return _draw(table, measures, "The board that is written after a state is patched", note)


def draw_moves(table: pd.DataFrame, note: str = "") -> Figure:
    """Draw how the next move changes against the patched layer, a row of panels for each model."""
    measures = ("top_intended", "top_true", "mass_intended", "mass_true")
    return _draw(table, measures, "The next move after a state is patched", note)


def _draw(table: pd.DataFrame, measures: Sequence[str], title: str, note: str) -> Figure:
    depth = table["depth"].iloc[0]
    models = list(table["model"].unique())
    figure, grid = panels(len(models), len(measures), 2.8)
    for row, model in enumerate(models):
        of_model = table[table["model"] == model]
        layers = range(int(of_model["layer"].max()) + 1)
        for axes, measure in zip(grid[row * len(measures) :], measures, strict=False):
            of_measure = of_model[of_model["measure"] == measure]
            before = of_measure[of_measure["patch"] == IDENTITY]["mean"].iloc[0]
            axes.axhline(before, color="0.4", linewidth=1, linestyle=":", label="no patch")
            for place, ((patch, strength), (label, look)) in enumerate(LINES.items()):
                of_patch = of_measure[of_measure["patch"] == patch]
                line = of_patch[of_patch["strength"] == strength].sort_values("layer")
                curve(axes, line, line["layer"] + 0.05 * (place - 3.5), label, look)
            name_panel(axes, MEASURES[measure], depth, "layer that is patched")
            axes.set_xticks(layers, ["moves", *map(str, layers[1:])], fontsize=8)
            if measure.startswith("mass"):
                axes.set_ylim(bottom=0)
            elif measure != _COUNT:
                axes.set_ylim(-0.03, 1.03)
        name_row(grid[row * len(measures)], model)
    legend_below(grid[0], 3)
    drawn = table[table["measure"].isin(measures)]
    note += f"\nmeans of {counts_in_words(drawn)}; {interval_words(drawn)}"
    caption(figure, title, note)
    return figure
