"""The outputs of a study: PNG and SVG, the numbers drawn, and their provenance."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from workbench.drawing.labels import FILE_DOTS_AN_INCH
from workbench.tables.output_files import check_output
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import file_hash, git_commit, package_versions

if TYPE_CHECKING:
    from IPython import display

_COLOURS: Final = 256


@dataclass(frozen=True)
class Outputs:
    """The folder of a notebook's figures, and what is recorded beside each of them.

    Attributes:
        out: The folder; it is made if it is missing.
        parameters: What the figures were computed with.
        seed: What the random draws came from.
        data: In words, what games and replies are shown, such as "simulated tracker".
        inputs: Files that were read.

    Example:
        >>> outputs = Outputs("figures", {"depth": 4}, seed=0, data="my replies")
        >>> outputs.save("mean_precision", figure, table)  # doctest: +SKIP
    """

    out: str | Path
    parameters: Mapping[str, Any]
    seed: int
    data: str
    inputs: Iterable[str | Path] = ()

    def save(
        self, name: str, figure: Figure, table: pd.DataFrame, **changes: Any
    ) -> "display.Image":
        """Write the files of `save_study`, and return the picture for the cell to show."""
        # Here, for it takes long.
        from IPython import display

        saved = save_study(name, figure, table, **vars(replace(self, **changes)))
        picture: display.Image = display.Image(saved["png"])  # type: ignore[no-untyped-call]
        return picture


def save_study(
    name: str,
    figure: Figure,
    table: pd.DataFrame,
    out: str | Path,
    *,
    parameters: Mapping[str, Any],
    seed: int,
    inputs: Iterable[str | Path] = (),
    data: str,
) -> dict[str, Path]:
    """Write ``NAME.png``, ``NAME.svg``, ``NAME.csv`` and ``NAME.json`` into a folder.

    The JSON holds the parameters, the seed, what data was drawn, SHA-256 of the input files,
    package versions and the commit. Each file is written beside and renamed.
    """
    folder = Path(out)
    paths = {ending: folder / f"{name}.{ending}" for ending in ("png", "svg", "csv", "json")}
    read = [Path(path) for path in inputs]
    for path in paths.values():
        check_output(path, read)
    with mpl.rc_context({"svg.hashsalt": name}):
        with replacing(paths["png"]) as beside:
            figure.savefig(beside, dpi=FILE_DOTS_AN_INCH, metadata={"Software": None})
            # Lines and text need no more, and the file is a third as large.
            with Image.open(beside) as picture:
                picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(
                    beside, optimize=True
                )
        with replacing(paths["svg"]) as beside:
            figure.savefig(beside, metadata={"Date": None, "Creator": None})
    with replacing(paths["csv"]) as beside:
        table.to_csv(beside, index=False)
    sidecar = {
        "figure": name,
        "data": data,
        "parameters": dict(parameters),
        "seed": seed,
        "inputs": {path.name: file_hash(path) for path in read},
        "versions": package_versions(),
        "git_commit": git_commit(),
    }
    with replacing(paths["json"]) as beside:
        beside.write_text(json.dumps(sidecar, indent=2, sort_keys=True, default=str) + "\n")
    return paths
