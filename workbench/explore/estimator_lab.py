"""EstimatorLab: repeated runs of the estimators on one pair of boards, against the exact value."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
import traitlets

from workbench.affordance import ESTIMATORS
from workbench.affordance.estimate import Measure
from workbench.affordance.estimators.contract import Estimator
from workbench.automaton import Terminal
from workbench.errors import InvalidArgumentError
from workbench.explore.page.assets import javascript, stylesheet
from workbench.explore.page.still_html import heading, listing, paragraph
from workbench.explore.page.widget_base import WidgetBase
from workbench.explore.run_batches import (
    DEEPEST,
    MOST_REPEATS,
    MOST_SAMPLES,
    Batch,
    Reference,
    RunSettings,
    all_runs,
    next_batches,
    reference,
    summarise,
    summarise_runs,
)
from workbench.scoring.parameters import IllFormedPolicy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from workbench.explore.pair.board_pair import BoardPair


def lab_still(
    settings: RunSettings,
    aim: Mapping[str, Any] | None,
    summaries: Sequence[Mapping[str, Any]],
) -> str:
    """Return the value aimed at and the summary of the runs as HTML."""
    name = f"{'r' if settings.measure == 'recall' else 'p'}_{settings.depth}"
    if aim is None:
        words = f"{name} was not computed for these boards."
    elif not aim["runnable"]:
        words = f"{name} is 0: {aim['reason']}."
    elif aim["exact"]:
        words = f"{name} = {aim['value']:.6g}, exact."
    else:
        interval = f"{aim['low']:.5g} to {aim['high']:.5g}"
        words = f"{name} = {aim['value']:.5g}, 95% interval {interval}."
    parts = [
        heading(
            f"Estimators of {name}, N = {settings.samples} lines per run, seed {settings.seed}"
        ),
        paragraph(f"True board: {settings.true_fen or 'none'}"),
        paragraph(f"Predicted board: {settings.predicted_fen or 'none'}"),
        paragraph(words),
    ]
    if not summaries:
        return "".join([*parts, paragraph("No runs with these settings.")])
    columns = ("Estimator", "Runs", "Mean", "Bias", "Standard error", "Standard deviation of a run")
    measures = ("mean", "bias", "standard_error", "standard_deviation")
    rows = [
        (
            ESTIMATORS[row["method"]].label,
            row["runs"],
            *("undefined" if pd.isna(row[name]) else f"{row[name]:.4g}" for name in measures),
        )
        for row in summaries
    ]
    return "".join([*parts, listing(columns, rows)])


_EXPLANATIONS: Final = {
    "naive": (
        "Lines grow by all moves, and N of them are kept at each step, all with the same chance, although "
        "uniform branching weighs them. Its mean is another number, however large N."
    ),
    "branch": (
        "N lines are drawn move by move on one board; the estimate is the share of them that the other "
        "board accepts. Its mean is the value."
    ),
    "intermediate": (
        "Lines that both boards accept carry weights. Where there are more than N, N are kept, all with "
        "the same chance, and their weights grow by its inverse. Its mean is the value."
    ),
    "intermediate-mass": (
        "As by count, but thinning leaves the sum of the weights as it is: runs vary less, and the mean "
        "is slightly another number."
    ),
    "intermediate-resampled": (
        "As Algorithm 2, but a line is kept with a chance in proportion to its weight. Its mean is the value."
    ),
    "stratified": (
        "N particles are split evenly over the moves that both boards permit, at every position; the last "
        "move is summed exactly. Its mean is the value."
    ),
}
"""What each estimator of the workbench does, in words; others have the docstrings of their classes."""


def _explanation(name: str, estimator: Estimator) -> str:
    return _EXPLANATIONS.get(name) or (getdoc(type(estimator)) or "").partition("\n")[0]


_FOLLOWED: Final = ("true_fen", "predicted_fen", "line", "terminal", "ill_formed")
"""The traits of a board pair that decide what a lab runs."""


class EstimatorLab(WidgetBase):
    """Distributions of single runs of the estimators, drawn and summarised while they run.

    The page requests small batches one at a time, so that it can stop at any time; Python keeps
    the runs of the present settings, and sends their summary with each batch. The same seed gives
    the same runs on any page and from `runs`.

    Attributes:
        true_fen: The true board S.
        predicted_fen: The predicted board T; blank if there is none.
        terminal: How finished games count.
        ill_formed: What is done with a predicted board that cannot arise in chess.
        depth: m.
        samples: N of each run.
        repeats: Independent runs of each estimator.
        seed: Seed of the runs.
        measure: ``precision`` or ``recall``.
        methods: The estimators that run.
        choices: All estimators: name, label, whether their mean is the value itself, and what they do.
        limits: The largest values that depth, samples and repeats may take.
    """

    _esm = javascript("lab/estimator_lab.js")
    _css = stylesheet("lab/estimator_lab.css")

    true_fen = traitlets.Unicode().tag(sync=True)
    predicted_fen = traitlets.Unicode().tag(sync=True)
    terminal = traitlets.Unicode("absorb").tag(sync=True)
    ill_formed = traitlets.Unicode("as_is").tag(sync=True)
    depth = traitlets.Int(4).tag(sync=True)
    samples = traitlets.Int(500).tag(sync=True)
    repeats = traitlets.Int(1000).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    measure = traitlets.Unicode("precision").tag(sync=True)
    methods = traitlets.List(traitlets.Unicode()).tag(sync=True)
    choices = traitlets.List(traitlets.Dict()).tag(sync=True)
    limits = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        pair: "BoardPair | None" = None,
        *,
        true_fen: str | None = None,
        predicted_fen: str | None = None,
        depth: int = 4,
        terminal: Terminal | None = None,
        ill_formed: IllFormedPolicy | None = None,
        samples: int = 500,
        repeats: int = 1000,
        seed: int = 0,
        measure: Measure = "precision",
        methods: Sequence[str] = tuple(ESTIMATORS),
    ) -> None:
        """Make a lab for two boards.

        Args:
            pair: A board pair; the lab follows the boards that it shows, and its conventions.
            true_fen: The true board, instead of a pair.
            predicted_fen: The predicted board, instead of a pair.
            depth: m, 1 to 20.
            terminal: How games that are finished before m moves count, beside two FENs; by default
                ``absorb``. A pair has its own.
            ill_formed: What is done with a predicted board that cannot arise in chess, beside two
                FENs; by default ``as_is``.
            samples: N of each run, 1 to 100,000.
            repeats: Independent runs of each estimator, 1 to 10,000.
            seed: Seed of the runs, at least 0.
            measure: ``precision`` or ``recall``.
            methods: Names in `workbench.affordance.ESTIMATORS`.

        Raises:
            InvalidArgumentError: If there are neither a pair nor two FENs, or both, or a value is
                out of range.
            InvalidFenError: If a FEN cannot be read.
        """
        boards = {"true_fen": true_fen, "predicted_fen": predicted_fen}
        conventions = {"terminal": terminal, "ill_formed": ill_formed}
        own = {name: value for name, value in (boards | conventions).items() if value is not None}
        if pair is not None and own:
            raise InvalidArgumentError(f"expected a board pair or two FENs, got a pair and {own}")
        if pair is None and None in boards.values():
            raise InvalidArgumentError(
                f"expected a board pair, or true_fen= and predicted_fen=, got {boards}"
            )
        settings = RunSettings(
            **(own if pair is None else _boards_and_conventions(pair)),
            depth=depth, samples=samples, repeats=repeats, seed=seed, measure=measure,
            methods=tuple(methods),
        )  # fmt: skip
        settings.states()
        super().__init__(
            **{**asdict(settings), "methods": list(methods)},
            choices=[
                {
                    "name": name,
                    "label": each.label,
                    "unbiased": each.unbiased,
                    "explanation": _explanation(name, each),
                }
                for name, each in ESTIMATORS.items()
            ],
            limits={"depth": DEEPEST, "samples": MOST_SAMPLES, "repeats": MOST_REPEATS},
        )
        if pair is not None:
            pair.observe(lambda _change: self._follow(pair), list(_FOLLOWED))
        self._referred: tuple[RunSettings, Reference] | None = None
        self._runs: dict[str, Batch] = {}
        self._summaries: dict[str, dict[str, Any]] = {}
        self.register("reference", self._answer_reference, kept=True)
        self.register("more", self._answer_more)
        self.register("reset", self._forget_runs)

    def settings(self) -> RunSettings:
        """Return what the page runs now.

        Raises:
            InvalidArgumentError: If a trait is out of range.
        """
        values = {each.name: getattr(self, each.name) for each in fields(RunSettings)}
        return RunSettings.from_page(values)

    def reference(self) -> Reference:
        """Return the reference: the exact value if that is fast, else an estimate with its band."""
        return reference(self.settings())

    def runs(self) -> pd.DataFrame:
        """Return the runs that the page ends up with; see `run_batches.all_runs`."""
        return all_runs(self.settings())

    def summary(self) -> pd.DataFrame:
        """Return the numbers of the page's table; see `run_batches.summarise_runs`."""
        settings = self.settings()
        return summarise_runs(
            all_runs(settings), reference(settings), settings.samples, settings.methods
        )

    def figure(self) -> "Figure":
        """Return a static picture of all runs."""
        from workbench.explore.pictures import estimator_figure

        settings = self.settings()
        return estimator_figure(settings, all_runs(settings), reference(settings))

    def questions(self) -> dict[str, dict[str, Any]]:
        """Return what the page asks before it runs anything."""
        return {"reference": {"settings": asdict(self.settings())}}

    def still(self) -> str:
        """Return the value aimed at and the summary of the last runs as HTML."""
        settings = self.settings()
        aim = self.kept_answer("reference", self.questions()["reference"])
        runs = self.kept_answer("runs", _decisive(settings)) or {}
        return lab_still(settings, aim, [run["summary"] for run in runs.values()])

    def _follow(self, pair: "BoardPair") -> None:
        # All in one message: the page must not run one pair's board against another's.
        with self.hold_sync():
            for name, value in _boards_and_conventions(pair).items():
                setattr(self, name, value)

    def _answer_reference(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        return asdict(self._reference_of(RunSettings.from_page(message["settings"])))

    def _answer_more(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        settings = RunSettings.from_page(message["settings"])
        aim = self._reference_of(settings)
        answers = {}
        for method, batch in next_batches(settings, message["done"]).items():
            runs = self._runs.get(method, Batch((), (), 0.0)).continued(batch)
            self._runs[method] = runs
            summary = summarise(runs.values, runs.node_counts, aim, settings.samples, method)
            summary["milliseconds"] = runs.milliseconds / len(runs.values)
            answers[method] = {"first": batch.first, "values": batch.values, "summary": summary}
            self._summaries[method] = {"values": runs.values, "summary": summary}
        self.keep("runs", _decisive(settings), {**self._summaries})
        return {"run": message["run"], "batches": answers}

    def _reference_of(self, settings: RunSettings) -> Reference:
        """Return the reference, computed once; runs of other settings are forgotten."""
        decisive = replace(settings, repeats=1, methods=())
        if self._referred is None or self._referred[0] != decisive:
            self._referred = (decisive, reference(settings))
            self._runs, self._summaries = {}, {}
        return self._referred[1]

    def _forget_runs(self, _message: Mapping[str, Any]) -> Mapping[str, Any]:
        self._runs, self._summaries = {}, {}
        self.forget("runs")
        return {}


def _boards_and_conventions(pair: "BoardPair") -> dict[str, Any]:
    """Return the boards that a pair shows, after its line of moves, and its conventions."""
    true_fen, predicted_fen = pair.boards()
    return {
        "true_fen": true_fen,
        "predicted_fen": predicted_fen,
        "terminal": pair.terminal,
        "ill_formed": pair.ill_formed,
    }


def _decisive(settings: RunSettings) -> dict[str, Any]:
    """Return the settings that determine a run's value, as the page names them."""
    values = asdict(settings)
    return {name: values[name] for name in values if name not in ("repeats", "methods")}
