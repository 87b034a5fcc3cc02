"""Statistics and errors of a set of played games."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import chess

from workbench.environments.chess.replay import play_moves, uci_moves
from workbench.errors import IllegalMoveError
from workbench.games.compact import PlayedGame


def describe_games(games: Sequence[PlayedGame]) -> str:
    """Return counts of lengths, terminations, results and attempts as tables in Markdown.

    Args:
        games: At least one.
    """
    plies = [len(game.moves) for game in games]
    halves = sorted(plies)
    lengths = Counter(10 * ((number - 1) // 20) for number in plies)
    facts = [
        ("games", f"{len(games):,}"),
        ("half-moves", f"{sum(plies):,}"),
        ("longer than 50 full moves", f"{sum(number > 100 for number in plies):,}"),
        ("shortest, median, longest", f"{halves[0]}, {halves[len(halves) // 2]}, {halves[-1]}"),
        ("different first 5 full moves", f"{len({game.moves[:10] for game in games}):,}"),
        ("different games", f"{len({game.moves for game in games}):,}"),
    ]
    ended = Counter(game.termination for game in games).most_common()
    results = sorted(Counter(game.result for game in games).items())
    attempts = sorted(Counter(min(game.attempt, 10) for game in games).items())
    return "\n\n".join(
        [
            _table("what", "number", facts),
            _table(
                "full moves",
                "games",
                [
                    (f"{low + 1} to {low + 10}", f"{lengths[low]:,}")
                    for low in range(0, max(lengths) + 10, 10)
                ],
            ),
            _table("ended by", "games", [(name, f"{count:,}") for name, count in ended]),
            _table("result", "games", [(name, f"{count:,}") for name, count in results]),
            _table(
                "attempts",
                "games",
                [
                    (f"{number}{' or more' * (number == 10)}", f"{count:,}")
                    for number, count in attempts
                ],
            ),
        ]
    )


def _table(left: str, right: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {left} | {right} |", "| --- | ---: |"]
    return "\n".join([*lines, *(f"| {name} | {value} |" for name, value in rows)])


def faults_of(games: Iterable[PlayedGame]) -> Iterator[str]:
    """Play every game through python-chess, and report errors.

    Yields:
        A sentence for each illegal move, game equal to an earlier one, and result that the last
        board contradicts.
    """
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
