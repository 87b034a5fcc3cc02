"""How an answer is written, said below Python's error where a cell uses a name that does not exist."""

from types import TracebackType
from typing import Any, Final

from IPython.core.getipython import get_ipython

LETTERS: Final = frozenset("abcdef")
"""Of the choices of a lesson."""


def explain_unknown_names(shell: Any = None) -> None:
    """Have a notebook add to each NameError of a cell how an answer is written; elsewhere do nothing.

    Args:
        shell: The notebook's; the running one, if None.
    """
    shell = shell or get_ipython()
    if shell is not None:
        shell.set_custom_exc((NameError,), _show)


def advice(name: str) -> str:
    """Return what to do about a name that Python does not know.

    Args:
        name: As it was typed.
    """
    if set(name.lower()) <= LETTERS:
        return f'Letters are written in quotes: "{name}".'
    return (
        'An answer is a number, such as 3 / 4, or letters in quotes, such as "b". '
        f"If {name} is not meant as an answer, run all cells from the top."
    )


def _show(
    shell: Any,
    kind: type[NameError],
    error: NameError,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    last = trace
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    # A name that is missing in a module is no matter of answers.
    if error.name and last is not None and last.tb_frame.f_globals is shell.user_ns:
        error.add_note(advice(error.name))
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
