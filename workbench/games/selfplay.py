"""One game of engine self-play, weakened to look less computed.

The engine searches few nodes and names a few lines; the move is drawn among them, the better ones
more often. Game i depends on the seed, on i and on the engine's version alone: the engine has one
thread and no clock, and forgets everything before each game. Its own handicaps are of no use
here, since they draw by the time of day.
"""

import asyncio
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import chess
import chess.engine

from workbench.errors import EngineError
from workbench.games.compact import PlayedGame
from workbench.seeds import derived_seed

# One takes a fraction of a second: after so long the engine hangs.
ATTEMPT_SECONDS: Final = 600
MATE_SCORE: Final = 3000
OPENING_LINES: Final = 6
OPENING_TEMPERATURE: Final = 60.0
ENGINE_OPTIONS: Final = {"Threads": 1, "Hash": 1}
_INFO: Final = chess.engine.INFO_SCORE | chess.engine.INFO_PV


@dataclass(frozen=True, slots=True)
class Level:
    """How strong a side is.

    Attributes:
        nodes: That the engine searches for a move.
        lines: Moves among which one is drawn.
        temperature: In centipawns: a move worse by as much is drawn 1/e times as often.
    """

    nodes: int
    lines: int
    temperature: float


LEVELS: Final = (
    Level(25, 5, 90.0),
    Level(50, 5, 65.0),
    Level(100, 5, 45.0),
    Level(200, 4, 35.0),
    Level(400, 4, 25.0),
)
"""The levels of play, from the weakest to the strongest."""


@dataclass(frozen=True, slots=True)
class SelfPlaySettings:
    """What the games of a set have in common.

    Attributes:
        seed: At least 0.
        short_every: One game in this many, at least 1, is kept at any length; the others are
            played again, with other draws, until they are longer than ``long_plies``.
        long_plies: Half-moves; at most 160.
        resign_centipawns: A side whose best move is worse than minus this ...
        resign_turns: ... at so many of its turns in a row resigns.
        draw_centipawns: Sides whose best moves are worth at most this, either way, ...
        draw_plies: ... for so many half-moves agree on a draw.
        attempts: To play a long game, at most.
    """

    seed: int = 0
    short_every: int = 8
    long_plies: int = 100
    resign_centipawns: int = 600
    resign_turns: int = 3
    draw_centipawns: int = 30
    draw_plies: int = 8
    attempts: int = 200


async def play_game(
    engine: chess.engine.Protocol, number: int, settings: SelfPlaySettings
) -> PlayedGame:
    """Play one game; it depends on the engine's version, the settings and its number alone.

    Args:
        engine: Configured with `ENGINE_OPTIONS`.
        number: At least 0.
        settings: Of the set.

    Raises:
        EngineError: If the engine stops or hangs, names no move, or every attempt is too short.
    """
    for attempt in range(1, settings.attempts + 1):
        try:
            async with asyncio.timeout(ATTEMPT_SECONDS):
                game = await _attempt(engine, number, attempt, settings)
        except (chess.engine.EngineError, TimeoutError) as error:
            raise EngineError(
                f"game {number}, attempt {attempt}: the engine failed: {error!r}; the same command "
                "resumes from the last complete part"
            ) from error
        if number % settings.short_every == 0 or len(game.moves) > settings.long_plies:
            return game
    raise EngineError(
        f"game {number}: expected one of {settings.attempts} attempts to be longer than "
        f"{settings.long_plies} half-moves; allow more attempts, or shorter games"
    )


async def _attempt(
    engine: chess.engine.Protocol, number: int, attempt: int, settings: SelfPlaySettings
) -> PlayedGame:
    draws = random.Random(derived_seed(settings.seed, "Stockfish self-play", number, attempt))
    white = int(draws.random() * len(LEVELS))
    # Sides alike in strength half of the time, and one level apart else.
    black = min(len(LEVELS) - 1, max(0, white + (-1, 0, 0, 1)[int(draws.random() * 4)]))
    opening = 8 + int(draws.random() * 9)
    # Before this half-move there is no resignation or agreed draw.
    if number % settings.short_every == 0:
        patience = 20 + int(draws.random() * 81)
    else:
        patience = settings.long_plies + 1 + int(draws.random() * 60)
    board = chess.Board()
    hopeless = [0, 0]
    even = 0
    while True:
        side = board.ply() % 2
        level = LEVELS[(white, black)[side]]
        lines, temperature = level.lines, level.temperature
        if board.ply() < opening:
            lines, temperature = OPENING_LINES, max(temperature, OPENING_TEMPERATURE)
        found = await _lines(engine, board, level.nodes, lines, (number, attempt))
        best = max(score for _, score in found)
        hopeless[side] = hopeless[side] + 1 if best < -settings.resign_centipawns else 0
        even = even + 1 if abs(best) <= settings.draw_centipawns else 0
        ending = ""
        if board.ply() >= patience:
            if hopeless[side] >= settings.resign_turns:
                ending = "resignation"
            elif even >= settings.draw_plies:
                ending = "agreed_draw"
        if not ending:
            board.push(drawn_move(found, best, temperature, draws.random()))
            ending = _ending(board)
        if ending:
            won = ending in ("checkmate", "resignation")
            result = ("0-1" if board.turn else "1-0") if won else "1/2-1/2"
            moves = tuple(move.uci() for move in board.move_stack)
            return PlayedGame(number, attempt, white, black, result, ending, moves)


async def _lines(
    engine: chess.engine.Protocol, board: chess.Board, nodes: int, lines: int, game: object
) -> list[tuple[chess.Move, int]]:
    limit = chess.engine.Limit(nodes=nodes)
    answers = await engine.analyse(board, limit, multipv=lines, game=game, info=_INFO)
    found = [
        (answer["pv"][0], answer["score"].pov(board.turn).score(mate_score=MATE_SCORE))
        for answer in answers
        if answer.get("pv") and "score" in answer
    ]
    if not found:
        raise EngineError(
            f"expected the engine to name a move within {nodes} nodes, got {answers!r}, "
            f"FEN {board.fen()!r}; use the engine version that the data card names"
        )
    queened = {
        (move.from_square, move.to_square) for move, _ in found if move.promotion == chess.QUEEN
    }
    # People hardly ever promote to a rook or a bishop where a queen is among the lines.
    return [
        (move, score)
        for move, score in found
        if move.promotion not in (chess.ROOK, chess.BISHOP)
        or (move.from_square, move.to_square) not in queened
    ]


def drawn_move(
    found: Sequence[tuple[chess.Move, int]], best: int, temperature: float, draw: float
) -> chess.Move:
    """Return the move that a draw falls on; a move's chance grows as exp(score / temperature).

    Args:
        found: Moves and their scores in centipawns, at least one.
        best: The highest of the scores.
        temperature: In centipawns, above 0.
        draw: In [0, 1).
    """
    weights = [math.exp((score - best) / temperature) for _, score in found]
    left = draw * sum(weights)
    for (move, _), weight in zip(found, weights, strict=True):
        left -= weight
        if left < 0:
            return move
    return found[-1][0]


def _ending(board: chess.Board) -> str:
    if not any(board.generate_legal_moves()):
        return "checkmate" if board.is_check() else "stalemate"
    if board.is_insufficient_material():
        return "insufficient_material"
    if board.halfmove_clock >= 100:
        return "fifty_moves"
    return "repetition" if board.is_repetition(3) else ""
