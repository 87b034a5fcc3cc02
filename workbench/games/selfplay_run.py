"""Many games of self-play, over processes, so that it can be stopped at any moment and taken up.

Finished parts lie beside the table to be. What comes out does not depend on workers, parts or
interruptions.
"""

import asyncio
import hashlib
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import asynccontextmanager
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import chess.engine
from tqdm.auto import tqdm

from workbench.errors import EngineError, InvalidArgumentError, RunMismatchError, TableError
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
from workbench.tables import read_provenance, write_table
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
) -> list[PlayedGame]:
    """Play games 0 to ``number`` - 1 into a table, or go on where an earlier call was stopped.

    Args:
        out: The table to write. Finished parts lie in a folder beside it until it is whole, for
            each engine version and settings another.
        number: Games, at least 1.
        settings: Of the set.
        engine: A UCI engine: a path, or a command that the shell would find.
        jobs: Processes, each with an engine of its own, at least 1.
        restart: Throw earlier work at ``out`` for this engine and these settings away.
        progress: Whether to show a progress bar on standard error.

    Raises:
        EngineError: If the engine cannot be started, stops, or answers otherwise than it should.
        InvalidArgumentError: If a number is out of range.
        RunMismatchError: If ``out`` holds other games.
    """
    _check(number, settings, jobs)
    command = _command(engine)
    provenance = {
        "stage": "games",
        "games": number,
        "engine": engine_name(command),
        "settings": json.loads(json.dumps(asdict(settings))),
        "play": _how_played(),
    }
    of_every_part = {key: value for key, value in provenance.items() if key != "games"}
    digest = hashlib.sha256(json.dumps(of_every_part, sort_keys=True).encode()).hexdigest()[:12]
    parts = out.with_name(f"{out.name}.parts-{digest}")
    if restart:
        shutil.rmtree(parts, ignore_errors=True)
        out.unlink(missing_ok=True)
    if out.exists():
        found = read_provenance(out)
        if any(found.get(key) != value for key, value in provenance.items()):
            raise RunMismatchError(
                f"{out} holds other games: there {found!r}, asked {provenance!r}; "
                "write elsewhere, or ask for a restart to throw them away"
            )
        return read_games(out)
    paths = {
        (start, min(start + PART_GAMES, number)): parts
        / f"games-{start:06d}-{min(start + PART_GAMES, number) - 1:06d}.parquet"
        for start in range(0, number, PART_GAMES)
    }
    missing = [span for span, path in paths.items() if not path.exists()]
    with tqdm(
        total=number,
        initial=number - sum(end - start for start, end in missing),
        unit=" games",
        desc="playing",
        disable=not progress,
    ) as bar:
        for span, played in _play_parts(missing, command, provenance["engine"], settings, jobs):
            write_table(games_frame(played), paths[span], GAMES, of_every_part)
            bar.update(len(played))
    games = [game for path in paths.values() for game in read_games(path)]
    if [game.number for game in games] != list(range(number)):
        raise TableError(
            f"{parts}: expected games 0 to {number - 1}, got {len(games)}; a part was changed from "
            "outside: play them again with restart"
        )
    write_table(games_frame(games), out, GAMES, provenance)
    shutil.rmtree(parts)
    return games


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
    """Start an engine, and end its process whatever comes."""
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
) -> Iterator[tuple[tuple[int, int], list[PlayedGame]]]:
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
