"""A training run: gradient steps with jax, held-out accuracy, and files of weights; it can be interrupted and resumed."""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd
from llvmlite import binding  # type: ignore[import-untyped]
from numpy.typing import NDArray
from tqdm.auto import tqdm

from workbench.environments.chess.kernel.kernel_functions import (
    Words,
    joint_profiles,
    pack_fens,
    supported,
)
from workbench.environments.chess.replay import play_moves
from workbench.errors import InvalidFenError, OutputError, RunMismatchError
from workbench.games.game_tables import encode_moves
from workbench.games.pgn import Game
from workbench.language_model.language_model import LanguageModel, read_weights, write_weights
from workbench.language_model.network import (
    SOFTMAX,
    Weights,
    board_logits,
    encode,
    first_weights,
    move_logits,
    promotion_logits,
    target_logits,
)
from workbench.language_model.training.batches import Batch, Batches
from workbench.language_model.training.training_settings import TrainingSettings
from workbench.language_model.vocabulary import SLOTS
from workbench.tables.parquet_tables import replacing
from workbench.tables.provenance import differences_in_words, find_differences, text_hash

_PACKAGES: Final = ("jax", "jaxlib", "numpy", "optax")
_VECTORS: Final = ("amx", "avx", "fma", "neon", "sve")


def training_machine() -> dict[str, Any]:
    """Return the device, the processor's kind and vector instructions, and versions, as JSON."""
    features = binding.get_host_cpu_features()
    return {
        "device": jax.devices()[0].device_kind,
        "processor": binding.get_host_cpu_name(),
        "instructions": sorted(
            name for name, there in features.items() if there and name.startswith(_VECTORS)
        ),
        "versions": {name: metadata.version(name) for name in _PACKAGES},
    }


# XLA shares loops among as many threads as there are cores, and their number changes the rounding.
# The bundled weights were made with two. Read when jax first computes, so it is set before.
os.environ.setdefault("PJRT_NPROC", "2")


SOFTMAX[jnp] = jax.nn.softmax

_COUNTER_WEIGHT: Final = 3.0
"""Of half-move clock and move number, which are two of 69 tokens and hard to learn."""
_LARGEST_GRADIENT: Final = 1.0
_SECOND_MOMENT: Final = 0.98
_MUON_RATE: Final = 2.0
"""The learning rate of orthogonal updates, as a multiple of the one of AdamW."""
_MUON_SIZE: Final = 0.2
"""The root mean square of an orthogonal update, as of AdamW's (arXiv 2502.16982)."""
_WRITING: Final = ("decoder.", "last", "output", "slot", "token", "write.", "written")
"""The weights that only boards are written with."""
_ONE_THREAD: Final = {"xla_cpu_multi_thread_eigen": False}
"""Products of matrices, as for the bundled weights: several threads add up in another order."""


class Losses(NamedTuple):
    """Mean cross-entropy in nats: of a token of a board, and of a next move."""

    boards: float
    moves: float


class Learner:
    """Weights and the state of the optimiser; a step changes both."""

    def __init__(self, settings: TrainingSettings) -> None:
        self._settings = settings
        self.weights: Any = jax.tree.map(jnp.asarray, first_weights(settings.shape, settings.seed))
        self._optimizer = _optimizer(settings, self.weights)
        self._moments = self._optimizer.init(self.weights)
        self._step, self._board_step = (
            jax.jit(partial(self._stepped, only), compiler_options=_ONE_THREAD)
            for only in (False, True)
        )

    def step(self, batch: Batch, rate: float, *, boards_only: bool = False) -> Losses:
        """Take one step, and return the losses before it.

        With ``boards_only`` the weights stay from which the hidden states and the next moves come.
        """
        step = self._board_step if boards_only else self._step
        self.weights, self._moments, losses = step(
            self.weights,
            self._moments,
            jnp.float32(rate),
            batch.moves,
            batch.at,
            batch.tokens,
            batch.next_counts,
            None if batch.legal is None else asdict(batch.legal),
        )
        return Losses(*map(float, losses))

    def state(self) -> list[NDArray[Any]]:
        """Return everything that a resumed training needs."""
        return [np.asarray(leaf) for leaf in jax.tree.leaves((self.weights, self._moments))]

    def restore(self, state: list[NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        structure = jax.tree.structure((self.weights, self._moments))
        self.weights, self._moments = jax.tree.unflatten(structure, map(jnp.asarray, state))

    def _stepped(
        self, boards_only: bool, weights: Any, moments: Any, rate: Any, *batch: Any
    ) -> Any:
        gradient = jax.grad(_loss, has_aux=True)
        direction, losses = gradient(weights, self._settings, *batch)
        updates, moments = self._optimizer.update(direction, moments, weights)
        moved = {
            name: value
            if boards_only and not name.startswith(_WRITING)
            else value - rate * updates[name]
            for name, value in weights.items()
        }
        return moved, moments, losses


def _optimizer(settings: TrainingSettings, weights: Weights) -> Any:
    def matrices(values: Any) -> Any:
        return jax.tree.map(lambda value: value.ndim > 1, values)

    adamw = (
        optax.scale_by_adam(b2=_SECOND_MOMENT),
        optax.add_decayed_weights(settings.weight_decay, matrices),
    )
    if settings.optimizer == "adamw":
        return optax.chain(optax.clip_by_global_norm(_LARGEST_GRADIENT), *adamw)
    # Its updates are to be added, those of AdamW here to be taken away.
    muon = optax.contrib.muon(
        -_MUON_RATE, weight_decay=settings.weight_decay, consistent_rms=_MUON_SIZE
    )
    layers = {
        name: "muon" if name.startswith(("encoder.", "decoder.")) and value.ndim > 1 else "adamw"
        for name, value in weights.items()
    }
    return optax.multi_transform({"muon": muon, "adamw": optax.chain(*adamw)}, layers)


def _loss(
    weights: Weights,
    settings: TrainingSettings,
    moves: Any,
    at: Any,
    tokens: Any,
    counts: Any,
    legal: Mapping[str, Any] | None,
) -> tuple[Any, tuple[Any, Any]]:
    shape = settings.shape
    encoded = encode(jnp, weights, shape, moves)[-1]
    by_token = _cross_entropy(board_logits(jnp, weights, shape, encoded, at, tokens), tokens)
    token_weights = np.ones(SLOTS, np.float32)
    token_weights[-2:] = _COUNTER_WEIGHT
    if legal is None:
        by_move = _played_losses(weights, encoded[:, :-1], moves[:, 1:].astype(jnp.int32))
    else:
        by_move, counts = _legal_losses(weights, encoded, legal), legal["counts"]
    of_moves = (by_move * counts).sum() / jnp.maximum(counts.sum(), 1)
    total = (by_token * token_weights).mean() + settings.move_weight * of_moves
    return total, (by_token.mean(), of_moves)


def _cross_entropy(logits: Any, labels: Any) -> Any:
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels)


def _played_losses(weights: Weights, encoded: Any, following: Any) -> Any:
    start, end, promotion = following[..., 0], following[..., 1], following[..., 2]
    return (
        _cross_entropy(move_logits(jnp, weights, encoded), start)
        + _cross_entropy(target_logits(jnp, weights, encoded, start), end)
        + _cross_entropy(promotion_logits(jnp, weights, encoded, start, end), promotion)
    )


def _legal_losses(weights: Weights, encoded: Any, legal: Mapping[str, Any]) -> Any:
    """Return the cross-entropy against the uniform distribution over legal moves.

    Promotions are learned from one move drawn of each.
    """
    starts, shares = legal["starts"], legal["start_shares"]
    leaving = jax.nn.log_softmax(move_logits(jnp, weights, encoded))
    of_starts = (jnp.take_along_axis(leaving, starts, axis=-1) * shares).sum(-1)
    entering = jax.nn.log_softmax(target_logits(jnp, weights, encoded[..., None, :], starts))
    of_ends = ((entering * legal["end_shares"]).sum(-1) * shares).sum(-1)
    start, end, promotion = (legal["examples"][..., column] for column in range(3))
    return (
        _cross_entropy(promotion_logits(jnp, weights, encoded, start, end), promotion)
        - of_starts
        - of_ends
    )


PLIES: Final = (10, 32, 54, 76, 100)
"""5, 16, 27, 38 and 50 full moves, as in the paper."""
_DEPTH: Final = 4


class HeldOutBoards:
    """Boards after fixed numbers of plies of some games."""

    def __init__(self, games: Sequence[Game], count: int) -> None:
        long = [game.moves for game in games if len(game.moves) >= PLIES[-1]][:count]
        self._lines = [list(moves[:plies]) for plies in PLIES for moves in long]
        self._true = [play_moves(line).fen() for line in self._lines]
        self._count = len(long)

    def accuracy(self, model: LanguageModel) -> pd.DataFrame:
        """Return, by ply, the share of boards that are wholly right, and the mean p_4.

        A board is right if placement, side to move, castling rights and en-passant square are.
        A text that is no FEN counts as 0.
        """
        texts = model.write_states(self._lines)
        exact = [
            text.split(" ")[:4] == true.split(" ")[:4]
            for text, true in zip(texts, self._true, strict=True)
        ]
        precision = np.zeros(len(texts))
        for index, (text, true) in enumerate(zip(texts, self._true, strict=True)):
            rows = _rows(text)
            if rows is not None:
                scores = joint_profiles(pack_fens([true]), rows, _DEPTH, workers=1)
                precision[index] = scores.precision[0, -1]
        frame = pd.DataFrame(
            {"plies": np.repeat(PLIES, self._count), "exact": exact, "p_4": precision}
        )
        return frame.groupby("plies", as_index=False).mean()


def _rows(text: str) -> Words | None:
    try:
        rows = pack_fens([text])
    except InvalidFenError:
        return None
    return rows if supported(rows).all() else None


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
    """Train a model and write its weights; resume an interrupted call, and do nothing after a finished one.

    What is written: ``<size>.npz``, with ``branches`` a ``<size>@STEP.npz`` for each step in
    `TrainingSettings.branches`, and ``<size>.csv`` with loss and accuracy on the way. While training
    goes on, ``<size>.unfinished.npz`` holds what resuming needs. Each file is written beside and renamed.

    Args:
        settings: Of the run.
        games: To train on.
        held_out: To measure progress on; no game among them is trained on.
        out: A folder, made if it is not there.
        branches: Whether copies on the way are cooled down and written.
        restart: Train again, though ``out`` holds an interrupted or a finished training of this size.
        progress: Whether to show a progress bar on standard error.
        report: Called with a line about losses and accuracy now and then.

    Returns:
        The file of the weights.

    Raises:
        OutputError: If a game stands among both.
        RunMismatchError: If ``out`` holds a training of this size with other settings or games.
    """
    shared = {game.moves for game in games} & {game.moves for game in held_out}
    if shared:
        raise OutputError(
            f"expected games held out that are not trained on, got {len(shared)} among both; "
            "leave them out of one"
        )
    out.mkdir(parents=True, exist_ok=True)
    run = _Run(settings, games, HeldOutBoards(held_out, HELD_OUT), out, branches, report)
    if restart:
        run.unfinished.unlink(missing_ok=True)
    elif run.unfinished.exists():
        run.resume()
    elif run.is_finished():
        report(f"{settings.size}: {run.path} is finished already; --restart trains it again")
        return run.path
    with tqdm(
        total=settings.all_steps,
        initial=run.steps_done,
        desc=settings.size,
        unit="step",
        disable=not progress,
    ) as bar:
        run.take_steps(bar.update)
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
            [np.frombuffer(each, "<u2") for each in codes],
            own_share=settings.own_share,
            legal=settings.moves == "legal",
        )
        self._games = {"games": len(games), "games_sha256": text_hash(b"".join(codes).hex())}
        self._boards, self._report = boards, report
        self._branches = settings.branches() if branches else ()
        self._learner = Learner(settings)
        self._rows: list[dict[str, Any]] = []
        self._losses: list[Losses] = []
        self._seconds = 0.0
        self.steps_done = 0
        self.path = out / f"{settings.size}.npz"
        self.unfinished = out / f"{settings.size}.unfinished.npz"

    def is_finished(self) -> bool:
        """Return whether the weights are there, with those of all branches."""
        paths = [self.path, *map(self._branch_path, self._branches)]
        there = [path for path in paths if path.exists()]
        for path in there:
            self._check(path, read_weights(path)[1])
        return there == paths

    def resume(self) -> None:
        """Take over the state that an interrupted run left."""
        with np.load(self.unfinished) as file:
            state = json.loads(bytes(file["state"]).decode())
            leaves = [file[f"leaf_{index}"] for index in range(len(file.files) - 1)]
        self._check(self.unfinished, state["description"])
        self.steps_done, self._seconds, self._rows = state["taken"], state["seconds"], state["rows"]
        self._losses = [Losses(*losses) for losses in state["losses"]]
        self._learner.restore(leaves)

    def take_steps(self, update: Callable[[int], object]) -> None:
        """Take the steps that remain."""
        steps = self._settings.all_steps
        each = max(1, steps // _LOOKS)
        started = time.monotonic() - self._seconds
        while self.steps_done < steps:
            rate = self._settings.rate_at(self.steps_done)
            self._losses.append(self._step(self.steps_done, rate))
            self.steps_done += 1
            update(1)
            branching = self.steps_done in self._branches
            looking = self.steps_done % each == 0 or self.steps_done == steps
            if branching:
                self._branch()
            self._seconds = time.monotonic() - started
            if looking:
                self._look(rate)
            # Only now: what is interrupted before this is done again.
            if branching or looking:
                self._keep()

    def finish(self) -> Path:
        """Write the weights, and remove what resuming needed."""
        with replacing(self.path.with_suffix(".csv")) as path:
            pd.DataFrame(self._rows).to_csv(path, index=False)
        self._write(self.path, self.steps_done, 0)
        self.unfinished.unlink(missing_ok=True)
        return self.path

    def _step(self, step: int, rate: float) -> Losses:
        batch = self._settings.batch(self._batches, step)
        return self._learner.step(batch, rate, boards_only=self._settings.is_boards_only(step))

    def _look(self, rate: float) -> None:
        boards, moves = np.mean(self._losses, axis=0).tolist()
        self._losses = []
        accuracy = self._boards.accuracy(self._model())
        row = {
            "step": self.steps_done,
            "learning_rate": rate,
            "plies_read": self._settings.plies_at(self.steps_done - 1),
            "loss": boards,
            "move_loss": moves,
            "seconds": round(self._seconds, 1),
        }
        for plies, exact, precision in accuracy.itertuples(index=False):
            row |= {f"exact_{plies:.0f}": exact, f"p_4_{plies:.0f}": precision}
        self._rows.append(row)
        self._report(
            f"{self._settings.size}, step {self.steps_done}: loss {boards:.4f}, next move {moves:.2f}; "
            + ", ".join(
                f"ply {plies:.0f}: {exact:.0%} right, p_4 {precision:.2f}"
                for plies, exact, precision in accuracy.itertuples(index=False)
            )
        )

    def _branch(self) -> None:
        """Cool a copy down, so that checkpoints differ by training, not by the learning rate."""
        state, step = self._learner.state(), self.steps_done
        steps = self._settings.branch_steps(step)
        for after in range(steps):
            # The games of later steps, which the run itself will read as well.
            self._step(step + after, self._settings.branch_rate(step, after))
        self._write(self._branch_path(step), step, steps)
        self._learner.restore(state)

    def _branch_path(self, step: int) -> Path:
        return self.path.with_name(f"{self._settings.size}@{step}.npz")

    def _write(self, path: Path, step: int, cooled_steps: int) -> None:
        description = {
            **self._description(),
            "step": step,
            "cooled_steps": cooled_steps,
            "made_on": training_machine(),
        }
        with replacing(path) as beside:
            write_weights(beside, self._learner.weights, description)

    def _check(self, path: Path, other: Mapping[str, Any]) -> None:
        own = self._description()
        differences = find_differences({name: other.get(name) for name in own}, own)
        if differences:
            raise RunMismatchError(
                f"{path}: expected a training with the same settings and games, got one with others "
                f"({differences_in_words(differences)}); give the same, another folder, or --restart"
            )

    def _model(self) -> LanguageModel:
        weights = {name: np.asarray(value) for name, value in self._learner.weights.items()}
        return LanguageModel(self._settings.size, weights, self._description())

    def _description(self) -> dict[str, Any]:
        return self._settings.description() | self._games

    def _keep(self) -> None:
        state = {
            "description": self._description(),
            "taken": self.steps_done,
            "seconds": self._seconds,
            "rows": self._rows,
            "losses": self._losses,
        }
        leaves = {f"leaf_{index}": leaf for index, leaf in enumerate(self._learner.state())}
        text = np.frombuffer(json.dumps(state).encode(), np.uint8)
        with replacing(self.unfinished) as path, path.open("wb") as file:
            np.savez(file, state=text, **leaves)  # type: ignore[arg-type]
