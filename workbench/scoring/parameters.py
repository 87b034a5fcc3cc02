"""The parameters of scoring, and the resulting columns."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from inspect import getsource
from typing import Any, Final, Literal, get_args

import pyarrow as pa

from workbench.affordance import ESTIMATORS
from workbench.affordance.estimate import BATCHES
from workbench.automaton import Engine, Terminal, check_walk, engine_in_use
from workbench.depth_summaries import ERROR
from workbench.environments.registry import DEFAULT, AnyEnvironment, environment_named
from workbench.errors import InvalidArgumentError
from workbench.metrics import PRECISION, RECALL, Metric, own_code, own_metrics, score_metrics
from workbench.tables.parquet_tables import PREDICTIONS
from workbench.tables.provenance import code_hash, is_of_workbench, package_versions, text_hash

IllFormedPolicy = Literal["as_is", "sink"]
"""``as_is``: python-chess's moves on the board as it is. ``sink``: p = r = 0."""

Distance = Literal["levenshtein", "levenshtein_position", "levenshtein_placement"]
"""The columns of a scores table that hold an edit distance."""

MEASURES: Final = (PRECISION.name, RECALL.name)
"""The metrics that walks of the joint tree give; the other columns of affordances follow."""

COPIED: Final = (
    "position_id", "environment", "game_id", "source", "group", "ply", "set", "task", "model", "setting",
    "sample", "true_state", "predicted_state", "predicted_actions", "reply_class", "status", "reason",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """What precision and recall of two boards depend on, besides the boards.

    Attributes:
        depth: m, at least 1.
        terminal: How games that are finished before m moves count.
        ill_formed: What is done with a predicted board that cannot arise in chess.
    """

    depth: int = 4
    terminal: Terminal = "absorb"
    ill_formed: IllFormedPolicy = "as_is"

    def __post_init__(self) -> None:
        check_walk(self.depth, self.terminal)
        if self.ill_formed not in get_args(IllFormedPolicy):
            raise InvalidArgumentError(
                f"expected ill_formed of {get_args(IllFormedPolicy)}, got {self.ill_formed!r}"
            )


@dataclass(frozen=True, slots=True)
class ScoringParameters(ComparisonSettings):
    """How predictions are scored: as `ComparisonSettings` say, and by which method.

    Attributes:
        method: ``exact``, or the name of an estimator. The exact method gives p_1..p_m and
            r_1..r_m, an estimator p_m and r_m alone, with standard errors.
        samples: N of an estimator, for each batch.
        batches: Independent runs of an estimator.
        seed: Seed of an estimator; each row's own seed is derived from it and the row's identity.
        engine: ``reference`` or ``compiled``; by default what ``WORKBENCH_ENGINE`` says, else
            compiled.

    Raises:
        InvalidArgumentError: If a value is out of range.
    """

    method: str = "exact"
    samples: int = 500
    batches: int = BATCHES
    seed: int = 0
    engine: Engine = field(default_factory=engine_in_use)

    def __post_init__(self) -> None:
        # super() without arguments fails in a dataclass with slots before Python 3.14.
        ComparisonSettings.__post_init__(self)
        engine_in_use(self.engine)
        if self.method != "exact" and self.method not in ESTIMATORS:
            raise InvalidArgumentError(
                f"expected a method of {['exact', *ESTIMATORS]}, got {self.method!r}"
            )
        if self.samples < 1 or self.batches < 1 or self.seed < 0:
            raise InvalidArgumentError(
                "expected samples and batches of at least 1 and a seed of at least 0, got "
                f"{self.samples!r}, {self.batches!r}, {self.seed!r}"
            )

    def depths(self) -> range:
        """Return the depths at which there are values: 1 to m, or m alone for an estimator."""
        return range(1 if self.method == "exact" else self.depth, self.depth + 1)

    def measures(self) -> list[str]:
        """Return the names of the columns of p and r that these parameters give."""
        ends = ("",) if self.method == "exact" else ("", ERROR)
        return [f"{name}_{m}{end}" for name in MEASURES for m in self.depths() for end in ends]

    def metrics(self, environment: AnyEnvironment) -> list[Metric]:
        """Return the metrics of a scores table with these parameters, in the order of its columns."""
        return score_metrics(environment, self.depth, exact=self.method == "exact")


def scoring_parameters(depth: int, options: Mapping[str, Any]) -> ScoringParameters:
    """Return parameters of scoring: m, and the others by their names, of which any may be missing."""
    names = [each.name for each in fields(ScoringParameters) if each.name != "depth"]
    if unknown := sorted(options.keys() - set(names)):
        raise InvalidArgumentError(f"expected parameters of {names}, got {unknown}")
    return ScoringParameters(depth, **options)


# Of the predictions only these columns are read and sent to workers.
READ: Final = pa.schema([PREDICTIONS.field(name) for name in (*COPIED, "initial_state", "moves")])


def scoring_code(environment: AnyEnvironment, method: str = "exact") -> dict[str, str]:
    """Return what determines scores besides predictions and parameters: code and packages."""
    versions = package_versions()
    packages = {name: versions[name] for name in ("chess", "numba", "numpy", "rapidfuzz")}
    packages |= own_code(environment)
    used = [environment] if method == "exact" else [environment, ESTIMATORS[method]]
    modules = [type(each).__module__ for each in used]
    ours = filter(is_of_workbench, modules)
    theirs = [each for each in modules if not is_of_workbench(each)]
    packages |= {each: text_hash(getsource(sys.modules[each])) for each in theirs}
    return {"workbench": code_hash("workbench.scoring.score_rows", *ours), **packages}


def scores_schema(
    parameters: ScoringParameters,
    environment: AnyEnvironment | None = None,
    *,
    present: Sequence[str] | None = None,
) -> pa.Schema:
    """Return the columns of a scores table; the metrics depend on parameters and environment.

    Args:
        parameters: How predictions are scored.
        environment: Of the predictions; by default chess.
        present: The columns of a table to read, which may have been made without the metrics that
            other packages register now: those that it lacks are left out.
    """
    of_rows = environment or environment_named(DEFAULT)
    lacking = (
        set() if present is None else {each.column for each in own_metrics(of_rows)} - {*present}
    )
    metrics = [each for each in parameters.metrics(of_rows) if each.column not in lacking]
    return pa.schema(
        [
            *(PREDICTIONS.field(name) for name in COPIED),
            *((each.column, each.type) for each in metrics),
            *of_rows.diagnosis_fields,
            *(
                (name, pa.string())
                for name in ("terminal", "ill_formed_policy", "method", "unscored")
            ),
        ]
    )
