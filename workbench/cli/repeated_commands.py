"""What a command says that can be repeated, when a file could not be written."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from workbench.errors import NotebookError, OutputError

GOES_ON: Final = "what is finished is kept, and the same command goes on"


@contextmanager
def repeatable(out: Path) -> Iterator[None]:
    """Name the file that could not be written, and say that the same command goes on.

    Args:
        out: The folder that the command writes into; it is named where the system names no file.

    Raises:
        OutputError: Instead of an error of the system.
        NotebookError: If notebooks failed, with the same advice.
    """
    from workbench.tables.output_files import room_advice

    try:
        yield
    except ConnectionError:
        raise
    except OSError as error:
        place = Path(error.filename or out)
        cannot = "written" if place.absolute().is_relative_to(out.absolute()) else "read or written"
        reason = f"{error.strerror or error}{room_advice(error)}"
        raise OutputError(f"{place} cannot be {cannot}: {reason}; {GOES_ON}") from error
    except NotebookError as error:
        raise NotebookError(f"{error}\n{GOES_ON}") from error
