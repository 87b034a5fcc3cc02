"""Engine self-play, weakened to look less computed: one game, many games on several processes, and statistics of the result."""

import asyncio
import math
import random
import shutil
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import asynccontextmanager, closing
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import chess
import chess.engine
from tqdm.auto import tqdm

from workbench.errors import EngineError, InvalidArgumentError
from workbench.games.game_tables import GAMES, PlayedGame, games_frame, read_games
from workbench.seeds import derived_seed
from workbench.tables.table_parts import table_in_parts
from workbench.worker_processes import end_with_parent

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
    """Play one game; it depends on the engine's version, the settings and its number alone."""
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
        candidates = await _lines(engine, board, level.nodes, lines, (number, attempt))
        best = max(score for _, score in candidates)
        hopeless[side] = hopeless[side] + 1 if best < -settings.resign_centipawns else 0
        even = even + 1 if abs(best) <= settings.draw_centipawns else 0
        ending = ""
        if board.ply() >= patience:
            if hopeless[side] >= settings.resign_turns:
                ending = "resignation"
            elif even >= settings.draw_plies:
                ending = "agreed_draw"
        if not ending:
            board.push(sample_move(candidates, best, temperature, draws.random()))
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
    candidates = [
        (answer["pv"][0], answer["score"].pov(board.turn).score(mate_score=MATE_SCORE))
        for answer in answers
        if answer.get("pv") and "score" in answer
    ]
    if not candidates:
        raise EngineError(
            f"expected the engine to name a move within {nodes} nodes, got {answers!r}, "
            f"FEN {board.fen()!r}; use the engine version that the data card names"
        )
    queened = {
        (move.from_square, move.to_square)
        for move, _ in candidates
        if move.promotion == chess.QUEEN
    }
    # People hardly ever promote to a rook or a bishop where a queen is among the lines.
    return [
        (move, score)
        for move, score in candidates
        if move.promotion not in (chess.ROOK, chess.BISHOP)
        or (move.from_square, move.to_square) not in queened
    ]


def sample_move(
    candidates: Sequence[tuple[chess.Move, int]], best: int, temperature: float, draw: float
) -> chess.Move:
    """Return the move that a draw falls on; a move's chance grows as exp(score / temperature)."""
    weights = [math.exp((score - best) / temperature) for _, score in candidates]
    left = draw * sum(weights)
    for (move, _), weight in zip(candidates, weights, strict=True):
        left -= weight
        if left < 0:
            return move
    return candidates[-1][0]


def _ending(board: chess.Board) -> str:
    if not any(board.generate_legal_moves()):
        return "checkmate" if board.is_check() else "stalemate"
    if board.is_insufficient_material():
        return "insufficient_material"
    if board.halfmove_clock >= 100:
        return "fifty_moves"
    return "repetition" if board.is_repetition(3) else ""


PART_GAMES: Final = 50


def play_games(
    out: Path,
    number: int,
    settings: SelfPlaySettings,
    *,
    engine: str = "stockfish",
    jobs: int = 1,
    restart: bool = False,
    progress: bool = False,
    report: Callable[[str], object] = warnings.warn,
) -> list[PlayedGame]:
    """Play games 0 to ``number`` - 1 into a table, or resume an interrupted call."""
    _check(number, settings, jobs)
    command = _command(engine)
    name = engine_name(command)
    of_parts = {
        "stage": "games",
        "engine": name,
        "settings": asdict(settings),
        "play": {
            "engine_options": ENGINE_OPTIONS,
            "levels": [asdict(level) for level in LEVELS],
            "mate_score": MATE_SCORE,
            "opening_lines": OPENING_LINES,
            "opening_temperature": OPENING_TEMPERATURE,
        },
    }
    spans = [(start, min(start + PART_GAMES, number)) for start in range(0, number, PART_GAMES)]
    with table_in_parts(
        out,
        "games",
        GAMES,
        {**of_parts, "games": number},
        of_parts=of_parts,
        restart=restart,
        report=report,
    ) as parts:
        if not parts.finished:
            missing = parts.missing(spans)
            initial = number - sum(behind - first for first, behind in missing)
            played = _play_parts(missing, command, name, settings, jobs)
            with (
                tqdm(
                    total=number,
                    initial=initial,
                    unit=" games",
                    desc="playing",
                    disable=not progress,
                ) as bar,
                closing(played),
            ):
                for span, games in played:
                    parts.write(span, games_frame(games))
                    bar.update(len(games))
            parts.join(spans)
        return read_games(out)


def _check(number: int, settings: SelfPlaySettings, jobs: int) -> None:
    if number < 1 or jobs < 1:
        raise InvalidArgumentError(
            f"expected at least 1 game and 1 job, got {number!r} and {jobs!r}"
        )
    if settings.seed < 0 or settings.short_every < 1 or not 0 <= settings.long_plies <= 160:
        raise InvalidArgumentError(
            f"expected seed >= 0, short_every >= 1 and long_plies from 0 to 160, got {settings!r}"
        )


def _command(engine: str) -> str:
    # Debian keeps games in a folder that the search path of a service often leaves out.
    for name in (engine, str(Path("/usr/games") / engine)):
        path = shutil.which(name)
        if path:
            return path
    raise EngineError(
        f"expected a UCI engine, found no command {engine!r}; install Stockfish "
        "(Debian: apt install stockfish), or name its path"
    )


@asynccontextmanager
async def _engine(command: str) -> AsyncIterator[chess.engine.UciProtocol]:
    """Start an engine, and always end its process."""
    transport = None
    try:
        try:
            transport, engine = await chess.engine.popen_uci(command)
            await engine.configure(ENGINE_OPTIONS)
        except (chess.engine.EngineError, OSError) as error:
            raise EngineError(
                f"{command}: expected a UCI engine with the options {ENGINE_OPTIONS}, got: "
                f"{error!r}; name another engine"
            ) from error
        yield engine
        await engine.quit()
    finally:
        if transport is not None:
            transport.close()


def engine_name(command: str) -> str:
    """Return the name and version that an engine gives itself."""

    async def ask() -> str:
        async with _engine(command) as engine:
            return _name_of(engine)

    return asyncio.run(ask())


def _name_of(engine: chess.engine.UciProtocol) -> str:
    return engine.id.get("name", "unnamed engine")


def _play_parts(
    spans: list[tuple[int, int]], command: str, name: str, settings: SelfPlaySettings, jobs: int
) -> Generator[tuple[tuple[int, int], list[PlayedGame]], None, None]:
    if jobs == 1 or len(spans) < 2:
        for span in spans:
            yield span, _play_part(span, command, name, settings)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=end_with_parent) as pool:
        futures = {pool.submit(_play_part, span, command, name, settings): span for span in spans}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _play_part(
    span: tuple[int, int], command: str, name: str, settings: SelfPlaySettings
) -> list[PlayedGame]:
    async def play() -> list[PlayedGame]:
        async with _engine(command) as engine:
            if _name_of(engine) != name:
                raise EngineError(
                    f"{command}: expected {name!r} to the end, got {_name_of(engine)!r}; it was "
                    "replaced meanwhile: play the games again with restart"
                )
            return [await play_game(engine, number, settings) for number in range(*span)]

    return asyncio.run(play())


def describe_games(games: Sequence[PlayedGame]) -> str:
    """Return counts of lengths, terminations, results and attempts as tables in Markdown."""
    plies = [len(game.moves) for game in games]
    halves = sorted(plies)
    lengths = Counter(10 * ((number - 1) // 20) for number in plies)
    facts: list[tuple[str, int | str]] = [
        ("games", len(games)),
        ("half-moves", sum(plies)),
        ("longer than 50 full moves", sum(number > 100 for number in plies)),
        ("shortest, median, longest", f"{halves[0]}, {halves[len(halves) // 2]}, {halves[-1]}"),
        ("different first 5 full moves", len({game.moves[:10] for game in games})),
        ("different games", len({game.moves for game in games})),
    ]
    attempts = sorted(Counter(min(game.attempt, 10) for game in games).items())
    bands = range(0, max(lengths) + 10, 10)
    tables: list[tuple[str, str, Iterable[tuple[str, int | str]]]] = [
        ("what", "number", facts),
        ("full moves", "games", [(f"{low + 1} to {low + 10}", lengths[low]) for low in bands]),
        ("ended by", "games", Counter(game.termination for game in games).most_common()),
        ("result", "games", sorted(Counter(game.result for game in games).items())),
        ("attempts", "games", [(f"{n}{' or more' * (n == 10)}", count) for n, count in attempts]),
    ]
    return "\n\n".join(_table(*table) for table in tables)


def _table(left: str, right: str, rows: Iterable[tuple[str, int | str]]) -> str:
    lines = [f"| {left} | {right} |", "| --- | ---: |"]
    for name, value in rows:
        lines.append(f"| {name} | {value if isinstance(value, str) else f'{value:,}'} |")
    return "\n".join(lines)
