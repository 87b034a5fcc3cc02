"""A text that should be a FEN, and what it describes: parsed once, where it enters a stage."""

from functools import cached_property

import chess

from workbench.environments.chess.state import ChessState
from workbench.errors import InvalidFenError


class Fen:
    """A text that should be a FEN. It is parsed when it is first asked for what it describes.

    Attributes:
        text: As it was given; empty for no text.
    """

    def __init__(self, text: str) -> None:
        """Take a text, which need not be a FEN."""
        self.text = text

    @cached_property
    def fields(self) -> list[str]:
        """What stands between the spaces: the placement first."""
        return self.text.split()

    @cached_property
    def state(self) -> ChessState:
        """The position.

        Raises:
            InvalidFenError: If python-chess cannot read the text.
        """
        return ChessState.from_fen(self.text)

    @cached_property
    def fault(self) -> str:
        """Why python-chess cannot read the text, in its words; empty if it can."""
        try:
            _ = self.state
        except InvalidFenError as error:
            return str(error.__cause__)
        return ""

    @cached_property
    def board(self) -> chess.Board:
        """The position with its clocks, for python-chess; it is not to be changed.

        Raises:
            InvalidFenError: If python-chess cannot read the text.
        """
        board = self.state.board()
        if len(self.fields) > 4:
            board.halfmove_clock = int(self.fields[4])
        if len(self.fields) > 5:
            board.fullmove_number = max(int(self.fields[5]), 1)
        return board

    @cached_property
    def pieces(self) -> ChessState | None:
        """The pieces of the placement alone; None if python-chess cannot read it."""
        if not self.fault:
            return self.state
        placement = Fen("".join(self.fields[:1]))
        return None if placement.fault else placement.state
