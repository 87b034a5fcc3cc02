"""Many games of self-play on several processes, in a way that can be interrupted and resumed.

Finished parts are stored beside the future table. The result does not depend on workers, parts or
interruptions.
"""

import asyncio
import shutil
import warnings
from collections.abc import AsyncIterator, Callable, Generator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import asynccontextmanager, closing
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import chess.engine
from tqdm.auto import tqdm

from workbench.errors import EngineError, InvalidArgumentError
from workbench.games.compact import GAMES, PlayedGame, games_frame, read_games
from workbench.games.selfplay import (
    ENGINE_OPTIONS,
    LEVELS,
    MATE_SCORE,
    OPENING_LINES,
    OPENING_TEMPERATURE,
    SelfPlaySettings,
    play_game,
)
from workbench.tables.parts import making_in_parts
from workbench.worker_processes import end_with_parent

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
    """Play games 0 to ``number`` - 1 into a table, or resume an interrupted call.

    Args:
        out: The table to write. Finished parts lie in ``<out>.parts`` until it is whole.
        number: Games, at least 1.
        settings: Of the set.
        engine: A UCI engine: a path, or a command that the shell would find.
        jobs: Processes, each with an engine of its own, at least 1.
        restart: Play all games again, with any settings; an earlier table is replaced once the new
            one is complete.
        progress: Whether to show a progress bar on standard error.
        report: Called with messages about parts that are played again because they are broken.

    Raises:
        EngineError: If the engine cannot be started, stops, or answers otherwise than it should.
        InvalidArgumentError: If a number is out of range.
        OutputError: If ``out`` is no table of games, another process plays into it, or it cannot be
            written; finished parts are kept.
        RunMismatchError: If ``out`` or its parts hold other games.
    """
    _check(number, settings, jobs)
    command = _command(engine)
    name = engine_name(command)
    of_parts = {
        "stage": "games",
        "engine": name,
        "settings": asdict(settings),
        "play": _how_played(),
    }
    spans = [(start, min(start + PART_GAMES, number)) for start in range(0, number, PART_GAMES)]
    with making_in_parts(
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
            done = number - sum(behind - first for first, behind in missing)
            played = _play_parts(missing, command, name, settings, jobs)
            with (
                tqdm(
                    total=number, initial=done, unit=" games", desc="playing", disable=not progress
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
        found = shutil.which(name)
        if found:
            return found
    raise EngineError(
        f"expected a UCI engine, found no command {engine!r}; install Stockfish "
        "(Debian: apt install stockfish), or name its path"
    )


def _how_played() -> dict[str, Any]:
    return {
        "engine_options": ENGINE_OPTIONS,
        "levels": [asdict(level) for level in LEVELS],
        "mate_score": MATE_SCORE,
        "opening_lines": OPENING_LINES,
        "opening_temperature": OPENING_TEMPERATURE,
    }


@asynccontextmanager
async def _engine(command: str) -> AsyncIterator[chess.engine.UciProtocol]:
    """Start an engine, and always end its process."""
    try:
        transport, engine = await chess.engine.popen_uci(command)
    except (chess.engine.EngineError, OSError) as error:
        raise _no_engine(command, error) from error
    try:
        try:
            await engine.configure(ENGINE_OPTIONS)
        except chess.engine.EngineError as error:
            raise _no_engine(command, error) from error
        yield engine
        await engine.quit()
    finally:
        transport.close()


def _no_engine(command: str, error: Exception) -> EngineError:
    return EngineError(
        f"{command}: expected a UCI engine with the options {ENGINE_OPTIONS}, got: {error!r}; "
        "name another engine"
    )


def engine_name(command: str) -> str:
    """Return the name and version that an engine gives itself.

    Raises:
        EngineError: If it is no UCI engine.
    """

    async def ask() -> str:
        async with _engine(command) as engine:
            return _name_of(engine)

    return asyncio.run(ask())


def _name_of(engine: chess.engine.UciProtocol) -> str:
    return engine.id.get("name", "unnamed engine")


def _play_parts(
    spans: list[tuple[int, int]],
    command: str,
    name: str,
    settings: SelfPlaySettings,
    jobs: int,
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
    return asyncio.run(_play_span(span, command, name, settings))


async def _play_span(
    span: tuple[int, int], command: str, name: str, settings: SelfPlaySettings
) -> list[PlayedGame]:
    async with _engine(command) as engine:
        if _name_of(engine) != name:
            raise EngineError(
                f"{command}: expected {name!r} to the end, got {_name_of(engine)!r}; it was "
                "replaced meanwhile: play the games again with restart"
            )
        return [await play_game(engine, number, settings) for number in range(*span)]
