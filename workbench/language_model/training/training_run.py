"""A training run: from random weights to files of weights, in a way that can be interrupted and resumed."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from workbench.errors import OutputError, RunMismatchError
from workbench.games.move_codes import encode_moves
from workbench.games.pgn import Game
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.training.batches import Batches
from workbench.language_model.training.gradient_steps import Learner, Losses
from workbench.language_model.training.held_out_accuracy import HeldOutBoards
from workbench.language_model.training.training_settings import TrainingSettings
from workbench.language_model.weight_files import write_weights
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import text_hash

HELD_OUT: Final = 40
"""Games on which progress is measured."""
_LOOKS: Final = 24
"""How often progress is measured."""


def train(
    settings: TrainingSettings,
    games: Sequence[Game],
    held_out: Sequence[Game],
    out: Path,
    *,
    branches: bool = False,
    restart: bool = False,
    progress: bool = False,
    report: Callable[[str], object] = print,
) -> Path:
    """Train a model, or resume an interrupted call, and write its weights.

    What is written: ``<size>.npz``, with ``branches`` a ``<size>@STEP.npz`` for each step in
    `TrainingSettings.branches`, and ``<size>.csv`` with loss and accuracy on the way. While training
    goes on, ``<size>.unfinished.npz`` holds what resuming needs.

    Args:
        settings: Of the run.
        games: To train on.
        held_out: To measure progress on; no game among them is trained on.
        out: A folder, made if it is not there.
        branches: Whether copies on the way are cooled down and written.
        restart: Begin again though there is something to resume.
        progress: Whether to show a progress bar on standard error.
        report: Called with a line about losses and accuracy now and then.

    Returns:
        The file of the weights.

    Raises:
        OutputError: If a game stands among both.
        RunMismatchError: If what there is to resume was begun with other settings or games.
    """
    shared = {game.moves for game in games} & {game.moves for game in held_out}
    if shared:
        raise OutputError(
            f"expected games held out that are not trained on, got {len(shared)} among both; "
            "leave them out of one"
        )
    out.mkdir(parents=True, exist_ok=True)
    run = _Run(settings, games, HeldOutBoards(held_out, HELD_OUT), out, branches, report)
    if run.unfinished.exists() and not restart:
        run.resume()
    with tqdm(
        total=settings.steps,
        initial=run.taken,
        desc=settings.size,
        unit="step",
        disable=not progress,
    ) as bar:
        run.go_on(bar.update)
    return run.finish()


class _Run:
    def __init__(
        self,
        settings: TrainingSettings,
        games: Sequence[Game],
        boards: HeldOutBoards,
        out: Path,
        branches: bool,
        report: Callable[[str], object],
    ) -> None:
        codes = [encode_moves(game.moves) for game in games]
        self._settings = settings
        self._batches = Batches(
            [np.frombuffer(each, "<u2") for each in codes], own_share=settings.own_share
        )
        self._games = {"games": len(games), "games_sha256": text_hash(b"".join(codes).hex())}
        self._boards, self._out, self._report = boards, out, report
        self._branches = settings.branches() if branches else ()
        self._learner = Learner(settings.shape, settings.seed, settings.weight_decay)
        self._rows: list[dict[str, Any]] = []
        self._seconds = 0.0
        self.taken = 0
        self.unfinished = out / f"{settings.size}.unfinished.npz"

    def resume(self) -> None:
        """Go on from what an interrupted run kept."""
        with np.load(self.unfinished) as file:
            kept = json.loads(bytes(file["state"]).decode())
            leaves = [file[f"leaf_{index}"] for index in range(len(file.files) - 1)]
        if kept["description"] != self._description():
            raise RunMismatchError(
                f"{self.unfinished}: expected the settings {self._description()}, got a run begun "
                f"with {kept['description']}; give the same settings, or --restart"
            )
        self.taken, self._seconds, self._rows = kept["taken"], kept["seconds"], kept["rows"]
        self._learner.restore(leaves)

    def go_on(self, update: Callable[[int], object]) -> None:
        """Take the steps that are left."""
        steps = self._settings.steps
        each = max(1, steps // _LOOKS)
        losses: list[Losses] = []
        started = time.monotonic() - self._seconds
        while self.taken < steps:
            rate = self._settings.rate_at(self.taken)
            losses.append(self._step(self.taken, rate))
            self.taken += 1
            update(1)
            self._seconds = time.monotonic() - started
            if self.taken % each == 0 or self.taken == steps:
                self._look(losses, rate)
                losses = []
                self._keep()
            if self.taken in self._branches:
                self._branch()
                self._keep()

    def finish(self) -> Path:
        """Write the weights, and remove what resuming needed."""
        path = self._out / f"{self._settings.size}.npz"
        self._write(path, self.taken, self._settings.steps)
        pd.DataFrame(self._rows).to_csv(path.with_suffix(".csv"), index=False)
        self.unfinished.unlink(missing_ok=True)
        return path

    def _step(self, step: int, rate: float) -> Losses:
        return self._learner.step(self._settings.batch(self._batches, step), rate)

    def _look(self, losses: list[Losses], rate: float) -> None:
        boards, moves = np.mean(losses, axis=0).tolist()
        found = self._boards.accuracy(self._model())
        row = {
            "step": self.taken,
            "learning_rate": rate,
            "plies_read": self._settings.plies_at(self.taken - 1),
            "loss": boards,
            "move_loss": moves,
            "seconds": round(self._seconds, 1),
        }
        for plies, exact, precision in found.itertuples(index=False):
            row |= {f"exact_{plies:.0f}": exact, f"p_4_{plies:.0f}": precision}
        self._rows.append(row)
        self._report(
            f"{self._settings.size}, step {self.taken}: loss {boards:.4f}, next move {moves:.2f}; "
            + ", ".join(
                f"ply {plies:.0f}: {exact:.0%} right, p_4 {precision:.2f}"
                for plies, exact, precision in found.itertuples(index=False)
            )
        )

    def _branch(self) -> None:
        """Cool a copy down, so that checkpoints differ by what was learned and not by the rate."""
        kept, left = self._learner.kept(), self.taken
        steps = self._settings.branch_steps(left)
        for after in range(steps):
            # The games of later steps, which the run itself will read as well.
            self._step(left + after, self._settings.branch_rate(left, after))
        self._write(self._out / f"{self._settings.size}@{left}.npz", left, steps)
        self._learner.restore(kept)

    def _write(self, path: Path, taken: int, cooled: int) -> None:
        description = self._description() | {
            "step": taken,
            "cooled_steps": cooled if taken < self._settings.steps else 0,
            "plies_read": self._settings.plies_at(taken - 1),
        }
        write_weights(path, self._learner.weights, description)

    def _model(self) -> LanguageModel:
        weights = {name: np.asarray(value) for name, value in self._learner.weights.items()}
        return LanguageModel(self._settings.size, weights, self._description())

    def _description(self) -> dict[str, Any]:
        return self._settings.description() | self._games

    def _keep(self) -> None:
        state = {
            "description": self._description(),
            "taken": self.taken,
            "seconds": self._seconds,
            "rows": self._rows,
        }
        leaves = {f"leaf_{index}": leaf for index, leaf in enumerate(self._learner.kept())}
        text = np.frombuffer(json.dumps(state).encode(), np.uint8)
        with replacing(self.unfinished) as path, path.open("wb") as file:
            np.savez(file, state=text, **leaves)  # type: ignore[arg-type]
