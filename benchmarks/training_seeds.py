"""What differs between trainings that differ in their seed alone: the numbers of notebooks 16 and 17 for each.

Run from the repository: ``python -m benchmarks.training_seeds FOLDER... -o data/models/seeds.csv``. Each folder
holds ``small.npz`` and its checkpoints as ``workbench train --size small --seed N -o FOLDER`` writes them.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from workbench.language_model.language_model import load_model
from workbench.scoring import ScoringParameters
from workbench.studies.data import FIVE_GROUPS, Source, positions_of
from workbench.studies.language_models import emergence, patched_boards, probed_boards, selectivity
from workbench.studies.language_models.checkpoint_scores import scores_of_models
from workbench.studies.language_models.training_seeds import COLUMNS

_OF_RISES = ("step", "later")
_OF_PATCHES = ("intended_piece", "other_squares")
_OF_PROBES = ("occupied", "board", "precision", "recall")


def training(folder: Path, scoring: ScoringParameters, per_group: int, jobs: int) -> pd.DataFrame:
    """Return the numbers of notebook 16: means of the finished model, and when each measure rises."""
    names = [str(path) for path in sorted(folder.glob("small*.npz"))]
    steps = {name: float(load_model(name).description["step"]) for name in names}
    finished = max(names, key=lambda name: steps[name])
    with TemporaryDirectory() as tables:
        source = Source(per_group=per_group, replies=finished)
        scores = scores_of_models(tables, names, source, scoring, jobs=jobs)
    means = emergence.compute(scores, {name: int(steps[name]) for name in names})
    means = means[means["model"] == finished].assign(study="finished", value=means["mean"])
    rises = emergence.compute_rises(scores, steps, resamples=1)
    parts = [rises.assign(study=column, value=rises[column]) for column in _OF_RISES]
    return pd.concat([means, *parts]).assign(of="")


def inside(folder: Path, scoring: ScoringParameters, per_group: int, jobs: int) -> pd.DataFrame:
    """Return the numbers of notebook 17: of probes and of patches, in the state that the decoder reads."""
    name = str(folder / "small.npz")
    with TemporaryDirectory() as tables:
        positions = positions_of(
            Source(per_group=per_group, replies=name), FIVE_GROUPS, Path(tables)
        )
    probed = probed_boards.probed_boards(
        [name], positions, scoring, games=500, per_game=8, iterations=20, jobs=jobs
    )
    boards = probed_boards.compute(probed)
    last = boards["layer"].isin([probed_boards.NO_LAYER, boards["layer"].max()])
    boards = boards[last & (boards["length"] == "all") & boards["measure"].isin(_OF_PROBES)]
    selective = selectivity.compute(probed)
    selective = selective[selective["layer"] == selective["layer"].max()]
    patched = patched_boards.patched_boards([name], positions, scoring, games=500, jobs=jobs)
    patches = patched_boards.compute(patched)
    patches = patches[(patches["strength"] == 1) & patches["measure"].isin(_OF_PATCHES)]
    parts = [
        boards.assign(study="probe", of=boards["reader"]),
        selective.assign(study="selectivity", of=selective["network"]),
        patches.assign(
            study="patch", of=patches["patch"] + ", layer " + patches["layer"].astype(str)
        ),
    ]
    table: pd.DataFrame = pd.concat(
        [part.assign(value=part["mean"], length="all") for part in parts]
    )
    return table


def rows(folders: Sequence[Path], per_group: int, jobs: int) -> Iterator[pd.DataFrame]:
    """Yield the numbers of each seed."""
    scoring = ScoringParameters(depth=4)
    for folder in folders:
        seed = load_model(str(folder / "small.npz")).description["seed"]
        for part in (
            training(folder, scoring, per_group, jobs),
            inside(folder, scoring, max(1, 3 * per_group // 10), jobs),
        ):
            yield part.assign(seed=seed)[list(COLUMNS)]


def main() -> None:
    """Write the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folders", type=Path, nargs="+")
    arguments.add_argument("-o", "--out", type=Path, required=True)
    arguments.add_argument("--per-group", type=int, default=200)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    table = pd.concat(rows(given.folders, given.per_group, given.jobs), ignore_index=True)
    table["length"] = table["length"].astype(str)
    table.round({"value": 6}).to_csv(given.out, index=False)


if __name__ == "__main__":
    main()
