"""The exceptions of the workbench; each is also a builtin, so that callers can catch either.

A message states what was expected, what came, where, and what to do. Only the
command line turns these into exit codes.
"""

from collections.abc import Sequence


class WorkbenchError(Exception):
    """An error of the workbench, with the reason in its message."""


class InvalidArgumentError(WorkbenchError, ValueError):
    """An argument lies outside its documented range."""


class InvalidFenError(WorkbenchError, ValueError):
    """A text is not a FEN that python-chess reads."""


class InvalidBoardError(WorkbenchError, ValueError):
    """A text describes no state of its environment, such as an Othello board."""


class IllegalMoveError(WorkbenchError, ValueError):
    """A move of a line cannot be read, or not be played where it stands."""


class OtherVariantError(WorkbenchError, ValueError):
    """A game is of a variant whose moves the automaton does not have."""


class GameFileError(WorkbenchError, OSError):
    """A file of games is missing, truncated or not of the type its name states."""


class TableError(WorkbenchError, ValueError):
    """A table lacks a column, holds a value out of range, or was made by another schema."""


class OutputError(WorkbenchError, OSError):
    """An output cannot be written: it is an input or no table of its kind, in use, or out of room."""


class UnfilledGroupError(WorkbenchError, ValueError):
    """A group of positions asks for more games than the source holds."""


class RunMismatchError(WorkbenchError, ValueError):
    """A run folder belongs to other inputs or parameters than those requested."""


class UnknownParameterError(WorkbenchError, KeyError):
    """A notebook has no parameter of this name."""

    def __str__(self) -> str:
        """Return the message itself; ``KeyError`` would show its ``repr``."""
        return str(self.args[0]) if self.args else ""


class NotebookError(WorkbenchError, RuntimeError):
    """A notebook failed while it ran, and the message names the copy; or its file cannot be read."""


class EngineError(WorkbenchError, RuntimeError):
    """A chess engine cannot be started, stops, or gives an unexpected answer."""


class UnsupportedBoardError(WorkbenchError, ValueError):
    """A board that the compiled kernel leaves to the reference: one with a promoted king."""


class AssetError(WorkbenchError, ValueError):
    """The JavaScript or CSS of a widget cannot be put together from its files."""


class ReplyFileError(WorkbenchError, OSError):
    """A file of replies is missing, truncated or not of the type its name states."""


class MissingExtraError(WorkbenchError, ImportError):
    """The request needs packages of an optional extra that is not installed."""


class AskingError(WorkbenchError, RuntimeError):
    """Asking a model stopped before every question was answered; all answers are kept."""


class AskingStoppedError(AskingError):
    """Asking began and stopped before every question was tried.

    Attributes:
        notes: What else the user should know, a line each.
    """

    def __init__(self, message: str, notes: Sequence[str] = ()) -> None:
        """Take the reason and how far asking came, and further lines."""
        super().__init__(message)
        self.notes = list(notes)


class JournalError(WorkbenchError, OSError):
    """The journal of a run cannot be written: nothing more may be asked."""


class CallFailedError(WorkbenchError, RuntimeError):
    """A call of a model failed; the reason is in the message."""

    def __repr__(self) -> str:
        return str(self)


class RemoteFileError(WorkbenchError, OSError):
    """A file on a server is not available, or differs from its published checksum."""


class ChangedRemoteFileError(RemoteFileError):
    """A file on a server has changed since its beginning was read."""


class ClusterError(WorkbenchError, RuntimeError):
    """A cluster cannot be reached, has no workers, or repeatedly lost the same work."""
