"""p_m against m in several environments and on a homogeneous tree, and scores of one model in each."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from matplotlib.figure import Figure

from workbench.affordance import ESTIMATORS, Terminal, estimate, exact_profile
from workbench.answers.model_replies import simulate
from workbench.automaton import Automaton
from workbench.drawing.appearance import caption, figure_of_rows, style
from workbench.drawing.labels import some_of, typeset
from workbench.drawing.reply_words import finished_words, ill_formed_words
from workbench.environments import HomogeneousTree
from workbench.environments.registry import (
    AnyEnvironment,
    environment_in_table,
    environment_named,
    environment_of_table,
)
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters, score
from workbench.seeds import derived_seed
from workbench.studies.data import StudyData
from workbench.studies.study_scores import own_scores, with_games

SIX: Final = ("chess", "othello", "sokoban", "planning", "boxes", "programs")
"""The environments of the workbench."""


def conventions(parameters: ScoringParameters) -> str:
    """Return how finished lines and ill-formed states count, for captions."""
    ill_formed = ill_formed_words(parameters.ill_formed, states="states")
    return f"; {ill_formed}; {finished_words(parameters.terminal, episodes='episodes')}"


def simulated_runs(
    parameters: ScoringParameters,
    *,
    names: Sequence[str] = SIX,
    lengths: Sequence[int] = (2, 4, 8, 16, 32),
    per_length: int = 60,
    rate: float = 0.03,
    seed: int = 0,
    jobs: int = 1,
) -> StudyData:
    """Let the simulated tracker write the state at the ends of random episodes, and score it.

    Lengths are in actions: multiples of each environment's ``actions_per_group``; ``per_length``
    episodes have each.

    Returns:
        The variants are by environment, with the columns ``game`` (of the position, or its episode)
        and ``length`` (of the episode, in actions; -1 if it is unknown).
    """
    if not names:
        raise InvalidArgumentError(f"expected names of environments, such as {SIX}, got none")
    scores = {}
    for name in names:
        environment = environment_named(name)
        unit = environment.actions_per_group
        if odd := [length for length in lengths if length % unit]:
            raise InvalidArgumentError(
                f"{name}: expected lengths that are multiples of {unit} actions, got {odd!r}"
            )
        positions = sample_positions(
            environment, [length // unit for length in lengths], per_length, seed
        )
        predictions = simulate(positions, rate=rate, seed=seed)
        scores[name] = _with_lengths(with_games(score(predictions, parameters, jobs=jobs)))
    return StudyData(scores, subject=f"simulated tracker, {rate:g} slips an action")


def own_runs(
    paths: Sequence[str | Path], parameters: ScoringParameters, *, model: str = ""
) -> StudyData:
    """Return the scores of the user's own runs of one model, one table an environment.

    Args:
        paths: Predictions tables, which are scored here, or scores tables, all of one task.
        parameters: The parameters of scoring; scores must have been made with them.
        model: The model; may be empty if all tables are of the same one alone.

    Returns:
        As of `simulated_runs`.

    Raises:
        InvalidArgumentError: If two tables are of one environment, there are several models, or no
            row is of the one asked for.
        RunMismatchError: If scores were made with other parameters.
        TableError: If a table cannot be read, or repeats a reply.
    """
    scores: dict[str, pd.DataFrame] = {}
    for path in map(Path, paths):
        name = environment_of_table(path).name
        if name in scores:
            raise InvalidArgumentError(
                f"{path}: expected one table an environment, got a second one of {name!r}"
            )
        scored = "unscored" in pq.read_schema(path).names
        scores[name] = _with_lengths(own_scores(path, parameters, scored=scored))
    models = {each for table in scores.values() for each in table["model"]}
    if not model and len(models) != 1:
        raise InvalidArgumentError(
            f"expected runs of one model, got {some_of(sorted(models), 'models')}; choose one by "
            "the parameter model"
        )
    of_model = {
        name: table[(table["model"] == model) | (not model)] for name, table in scores.items()
    }
    tasks = {each for table in of_model.values() for each in table["task"]}
    for name, table in of_model.items():
        if table.empty or len(tasks) > 1:
            raise InvalidArgumentError(
                f"{name}: expected replies of {model or 'the model'} to one task, got tasks "
                f"{sorted(tasks)} of {sorted(set(scores[name]['model']))}"
            )
    subject = model or str(next(iter(models)))
    return StudyData(of_model, subject=subject, inputs=tuple(map(Path, paths)))


def _with_lengths(scores: pd.DataFrame) -> pd.DataFrame:
    unit = environment_in_table(scores["environment"].iloc[0]).actions_per_group
    groups = scores["group"].astype("Int64").fillna(-1)
    return scores.assign(length=(groups * unit).where(groups > 0, -1).astype(int))


TREE: Final = "homogeneous tree"
_ATTEMPTS: Final = 100


@dataclass(frozen=True, slots=True)
class Pair:
    """A true and a predicted state, their difference in words, and both as text."""

    true: Any
    predicted: Any
    difference: str
    true_text: str
    predicted_text: str


@dataclass(frozen=True, slots=True)
class PairsOfStates:
    """An automaton and pairs of its states; ``closed_form`` gives p_m where it is known."""

    title: str
    automaton: Automaton[Any, Any]
    pairs: tuple[Pair, ...]
    closed_form: Callable[[int], float] | None = None


def state_pairs(
    names: Sequence[str], pairs: int, moves: int, shared: int, predicted_only: int, seed: int
) -> dict[str, PairsOfStates]:
    """Return pairs of states by the name of their environment; arguments as for `compute`."""
    pairs_of = {}
    for name, environment in ((name, environment_named(name)) for name in names):
        of_environment = tuple(_pairs(environment, pairs, moves, seed))
        pairs_of[name] = PairsOfStates(environment.title, environment.automaton, of_environment)
    tree = HomogeneousTree(shared, predicted_only)
    words = f"{predicted_only} of {shared + predicted_only} actions are not permitted"
    one = Pair(tree.initial, tree.predicted, words, "true tree", "predicted tree")
    return {**pairs_of, TREE: PairsOfStates(TREE, tree, (one,), tree.precision)}


def _pairs(environment: AnyEnvironment, pairs: int, moves: int, seed: int) -> Iterator[Pair]:
    for index, episode in enumerate(islice(environment.episodes(moves, seed), pairs)):
        true = environment.read_state(episode.true)
        predicted = state_after_slip(environment, true, derived_seed(seed, environment.name, index))
        texts = (environment.state_text(each).replace("\n", " / ") for each in (true, predicted))
        yield Pair(true, predicted, difference(environment, true, predicted), *texts)


def state_after_slip(environment: AnyEnvironment, state: Any, seed: int) -> Any:
    """Return another state, after one slip."""
    generator = np.random.default_rng(seed)
    for _ in range(_ATTEMPTS):
        other = environment.slip(state, generator)
        if other != state:
            return other
    raise InvalidArgumentError(
        f"{environment.name}: expected a state that can be written wrongly, got "
        f"{environment.state_text(state)!r:.200}; ask for another number of moves or another seed"
    )


def difference(environment: AnyEnvironment, true: Any, predicted: Any) -> str:
    """Return in words which elements of two states differ."""
    one, other = environment.elements(true), environment.elements(predicted)
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return "; ".join(
        f"{name}: {one.get(name) or 'nothing'}, written {other.get(name) or 'nothing'}"
        for name in names
    )


_COLUMNS: Final = [
    "environment", "title", "pair", "method", "depth", "value", "standard_error", "samples", "batches",
    "node_count", "difference", "true", "predicted",
]  # fmt: skip
_IN_A_ROW: Final = 4


def compute(
    *,
    names: Sequence[str] = SIX,
    pairs: int = 4,
    moves: int = 16,
    depths: int = 6,
    exact_depth: int = 5,
    methods: Sequence[str] = ("branch", "intermediate", "stratified"),
    samples: int = 200,
    batches: int = 8,
    shared: int = 4,
    predicted_only: int = 1,
    terminal: Terminal = "absorb",
    seed: int = 0,
) -> pd.DataFrame:
    """Measure p_1 .. p_m on pairs of every environment.

    Args:
        names: Of environments; the tree is always added.
        pairs: Pairs of states in each environment but the tree, which has one, at least 1.
        moves: Actions drawn uniformly that lead from the initial state to the true one, at least 1.
        depths: Largest m.
        exact_depth: Up to which m the exact value is computed as well, at least 0.
        methods: Names in `workbench.affordance.ESTIMATORS`.
        samples: N of each batch.
        batches: Independent runs of an estimator; the value is their mean.
        shared: Actions that both trees permit at every node.
        predicted_only: Actions that the predicted tree alone permits; p is
            shared / (shared + predicted_only).
        terminal: How a line that is finished before m actions counts.
        seed: Seed of the pairs and of the estimates.

    Returns:
        Columns environment, title, pair (from 0), method (an estimator, ``exact`` or ``closed form``),
        depth (m), value (p_m), standard_error (0 where exact), samples and batches (0 where exact),
        node_count (states generated), difference (in words), true and predicted (as text, rows of
        a map parted by ``/``).
    """
    if min(pairs, moves) < 1 or exact_depth < 0:
        raise InvalidArgumentError(
            "expected at least 1 pair and 1 move and no negative exact depth, got "
            f"pairs={pairs!r}, moves={moves!r}, exact_depth={exact_depth!r}"
        )
    largest_exact = min(exact_depth, depths)

    def measured(
        states: PairsOfStates, pair: Pair, seed: int
    ) -> Iterator[tuple[str, int, float, float, int, int, int]]:
        automaton, true, predicted = states.automaton, pair.true, pair.predicted
        if largest_exact:
            profile = exact_profile(
                true, predicted, largest_exact, automaton=automaton, terminal=terminal
            )
            for depth, value in enumerate(profile.precision, start=1):
                yield "exact", depth, value, 0.0, 0, 0, profile.node_count
        if states.closed_form is not None:
            for depth in range(1, depths + 1):
                yield "closed form", depth, states.closed_form(depth), 0.0, 0, 0, 0
        for method, depth in product(methods, range(1, depths + 1)):
            result = estimate(
                true, predicted, depth, automaton=automaton, method=method, samples=samples,
                batches=batches, seed=derived_seed(seed, method, depth), terminal=terminal,
            )  # fmt: skip
            error, nodes = result.standard_error, result.node_count
            yield method, depth, result.value, error, samples, batches, nodes

    rows = []
    for name, states in state_pairs(names, pairs, moves, shared, predicted_only, seed).items():
        for index, pair in enumerate(states.pairs):
            words = (pair.difference, pair.true_text, pair.predicted_text)
            values = measured(states, pair, derived_seed(seed, name, index))
            rows += [(name, states.title, index, *each, *words) for each in values]
    return pd.DataFrame(rows, columns=_COLUMNS)


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over pairs, and how far each estimator is from the exact values.

    Returns:
        Columns environment, method, depth, mean, low and high (smallest and largest of the pairs),
        pairs, deviation (root mean square over pairs of estimate less exact value) and
        standard_error (root mean square of the estimator's own); deviation is NaN where the exact
        value was not computed.
    """
    keys = ["environment", "pair", "depth"]
    exact = table[table["method"] == "exact"].set_index(keys)["value"].rename("exact")
    joined = table.join(exact, on=keys)
    joined["squared"] = (joined["value"] - joined["exact"]) ** 2
    joined["variance"] = joined["standard_error"] ** 2
    groups = joined.groupby(["environment", "method", "depth"], sort=False)
    summary = groups.agg(
        mean=("value", "mean"),
        low=("value", "min"),
        high=("value", "max"),
        pairs=("value", "count"),
        deviation=("squared", "mean"),
        standard_error=("variance", "mean"),
    ).reset_index()
    roots = ["deviation", "standard_error"]
    summary[roots] = np.sqrt(summary[roots])
    return summary


def draw(table: pd.DataFrame) -> Figure:
    """Draw the mean p_m of each environment in a panel of its own, with the span of its pairs."""
    summary = summarise(table)
    names = list(summary["environment"].unique())
    not_estimated = ("exact", "closed form")
    methods = [method for method in summary["method"].unique() if method not in not_estimated]
    figure, rows_of_panels = figure_of_rows(
        [_IN_A_ROW] * math.ceil(len(names) / _IN_A_ROW),
        [2.9] * math.ceil(len(names) / _IN_A_ROW),
        9.5,
    )
    places = list(chain.from_iterable(rows_of_panels))
    panels = places[: len(names)]
    for empty in places[len(names) :]:
        empty.set_axis_off()
    labelled: dict[str, Any] = {}
    for axes, name in zip(panels, names, strict=True):
        part = summary[summary["environment"] == name].set_index("method")
        single = table[(table["environment"] == name) & (table["method"] == "exact")]
        for _, one in single.groupby("pair"):
            (labelled["exact, one pair"],) = axes.plot(
                one["depth"], one["value"], color="0.65", linewidth=0.7, zorder=1
            )
        for method, label, colour, width, order in (
            ("exact", "exact, mean", "black", 1.6, 3),
            ("closed form", "closed form $p^m$", "0.82", 6, 0),
        ):
            if method in part.index:
                rows = part.loc[[method]]
                (labelled[label],) = axes.plot(
                    rows["depth"], rows["mean"], color=colour, linewidth=width, zorder=order
                )
        for index, method in enumerate(methods):
            rows, look = part.loc[[method]], style(ESTIMATORS[method].look)
            labelled[ESTIMATORS[method].label] = axes.errorbar(
                rows["depth"] + 0.2 * (index - (len(methods) - 1) / 2), rows["mean"],
                yerr=[rows["mean"] - rows["low"], rows["high"] - rows["mean"]], fmt=look.marker,
                markersize=4, color=look.colour, elinewidth=0.8, capsize=1.5, zorder=4,
            )  # fmt: skip
        pairs = part["pairs"].max()
        title = table.loc[table["environment"] == name, "title"].iloc[0]
        title = f"{title[:1].upper()}{title[1:]}"
        axes.set_title(f"{title} ({pairs} pair{'s' if pairs > 1 else ''})", fontsize=9)
        axes.set_xlabel("depth m (actions)", fontsize=9)
        axes.set_xticks(range(1, int(part["depth"].max()) + 1))
    for first in panels[::_IN_A_ROW]:
        first.set_ylabel(typeset("state precision p_m"))
        first.set_ylim(0, 1.02 * max(1.0, summary["high"].max()))
    # On the first axes that are not used, else beside the figure.
    place: dict[str, Any] = {"loc": "outside right upper"}
    if unused := places[len(panels) :]:
        place = {"loc": "center left", "bbox_to_anchor": (0, 0.5)}
        place["bbox_transform"] = unused[0].transAxes
    figure.legend(labelled.values(), labelled.keys(), **place, fontsize=8, frameon=False)
    used = table[table["samples"] > 0]
    note = "marks: mean over pairs; bars: smallest to largest of the pairs"
    if len(used):
        note += f"; estimators: {used['batches'].iloc[0]} batches of N = {used['samples'].iloc[0]}"
    caption(figure, "State precision p_m of states that are wrong by one slip", note)
    return figure
