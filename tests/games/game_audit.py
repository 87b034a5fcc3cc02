"""Whether games of self-play are what they say: legal, distinct, and ended as named."""

from collections.abc import Callable, Iterable, Iterator

import chess

from workbench.environments.chess.replay import play_moves, uci_moves
from workbench.errors import IllegalMoveError
from workbench.games.game_tables import PlayedGame


def faults_of(games: Iterable[PlayedGame]) -> Iterator[str]:
    """Play every game through python-chess, and report errors."""
    first: dict[tuple[str, ...], int] = {}
    for game in games:
        earlier = first.setdefault(game.moves, game.number)
        if earlier != game.number:
            yield f"game {game.number}: equal to game {earlier}"
        try:
            board = play_moves(game.moves, game=f"game {game.number}")
        except IllegalMoveError as error:
            yield str(error)
            continue
        fault = _contradiction(game, board)
        if fault:
            yield f"game {game.number}: {fault}, FEN {board.fen()!r}"


def _contradiction(game: PlayedGame, board: chess.Board) -> str:
    holds: dict[str, Callable[[], bool]] = {
        "checkmate": board.is_checkmate,
        "stalemate": board.is_stalemate,
        "insufficient_material": board.is_insufficient_material,
        "repetition": lambda: board.is_repetition(3),
        "fifty_moves": lambda: board.halfmove_clock >= 100,
        "resignation": lambda: any(board.generate_legal_moves()),
        "agreed_draw": lambda: any(board.generate_legal_moves()),
    }
    if game.termination not in holds:
        return f"expected a termination of {list(holds)}, got {game.termination!r}"
    if not holds[game.termination]():
        return f"the last board is no {game.termination}"
    if uci_moves(board) != game.moves:
        return "castling is not written as the king's move of two squares"
    lost = "0-1" if board.turn else "1-0"
    expected = lost if game.termination in ("checkmate", "resignation") else "1/2-1/2"
    return "" if game.result == expected else f"expected {expected}, got {game.result!r}"
