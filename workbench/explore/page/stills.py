"""A figure as a static picture in a notebook, and in a file if requested."""

from io import BytesIO
from pathlib import Path

from IPython.display import Image
from matplotlib.figure import Figure

from workbench.drawing.labels import STILL_DOTS_AN_INCH
from workbench.tables.parquet_tables import replacing


def still(figure: Figure, alt: str, name: str = "", out: str | Path = "") -> Image:
    """Return a figure as a PNG for notebooks and exports, with alternative text.

    Args:
        figure: A figure; pyplot need not know it.
        alt: Alternative text for the picture.
        name: The stem of the PNG file that is written as well.
        out: The folder for it; none is written if it is empty.
    """
    written = BytesIO()
    figure.savefig(written, format="png", dpi=STILL_DOTS_AN_INCH, metadata={"Software": None})
    picture = written.getvalue()
    if out:
        with replacing(Path(out) / f"{name}.png") as beside:
            beside.write_bytes(picture)
    return Image(data=picture, format="png", alt=alt)  # type: ignore[no-untyped-call]
