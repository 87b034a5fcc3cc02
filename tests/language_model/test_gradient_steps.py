"""Run by `make test-training`, which installs the extra: `make setup` does not."""

import os
import subprocess
import sys
from dataclasses import asdict

import chess
import numpy as np
import pandas as pd
import pytest

from workbench.errors import OutputError, RunMismatchError
from workbench.games.game_tables import bundled_games, encode_moves
from workbench.language_model.language_model import LanguageModel, read_weights
from workbench.language_model.network import Shape, board_logits, encode
from workbench.language_model.training.batches import Batches
from workbench.language_model.training.training_settings import TrainingSettings
from workbench.language_model.vocabulary import write_move

pytest.importorskip("jax", reason="needs the extra train: run `make test-training`")

import jax
import jax.numpy as jnp

from workbench.language_model.training import training_run
from workbench.language_model.training.training_run import Learner, first_weights

SETTINGS = TrainingSettings("tiny", steps=30, learning_rate=4e-3, warm_up=4)


@pytest.fixture(scope="module", autouse=True)
def one_length():
    """Every length is compiled apart, which takes longer than the steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainingSettings, "plies_at", lambda settings, step: 16)
        patch.setattr(training_run, "_LOOKS", 2)
        yield


def trained(out, **options):
    games = bundled_games()
    return training_run.train(SETTINGS, games[:40], games[2000:2060], out, **options)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("models")
    trained(out, branches=True, report=lambda said: None)
    return out


def test_jax_and_numpy_compute_the_same():
    shape = Shape(width=16, heads=4, layers=2, blocks=1)
    weights = first_weights(shape, 3)
    generator = np.random.default_rng(0)
    moves = generator.integers(0, 5, (2, 30, 3)).astype(np.uint8)
    at, tokens = generator.integers(0, 30, (2, 8)), generator.integers(0, 200, (2, 8, 69))
    results = []
    for module in (np, jnp):
        own = {name: module.asarray(value) for name, value in weights.items()}
        encoded = encode(module, own, shape, module.asarray(moves))[-1]
        logits = board_logits(
            module, own, shape, encoded, module.asarray(at), module.asarray(tokens)
        )
        results.append(np.asarray(logits))
    np.testing.assert_allclose(results[0], results[1], atol=2e-4)


def test_the_loss_of_legal_moves_is_their_mean_surprise():
    games = [np.frombuffer(encode_moves(game.moves), "<u2") for game in bundled_games()[:20]]
    batch = Batches(games, legal=True).draw(np.random.default_rng(2), 3, 30)
    shape = Shape(width=16, heads=4, layers=1, blocks=1)
    weights = first_weights(shape, 1)
    encoded = encode(np, weights, shape, batch.moves)[-1]
    losses = np.asarray(
        training_run._legal_losses(weights, jnp.asarray(encoded), asdict(batch.legal))
    )
    model = LanguageModel("none", weights, {"shape": asdict(shape)})
    for game, plies in ((0, 0), (1, 7), (2, 30)):
        line = [write_move(*map(int, move)) for move in batch.moves[game, 1 : plies + 1]]
        board = chess.Board()
        for move in line:
            board.push_uci(move)
        distribution = model.move_distribution(line)
        squares = distribution.sum(axis=-1)
        surprise = -np.mean(
            [np.log(squares[move.from_square, move.to_square]) for move in board.legal_moves]
        )
        start, end, kind = batch.legal.examples[game, plies]
        surprise -= np.log(distribution[start, end, kind] / squares[start, end])
        assert losses[game, plies] == pytest.approx(surprise, rel=1e-4)


def test_muon_learns_legal_moves(monkeypatch):
    settings = TrainingSettings(
        "tiny", steps=40, warm_up=4, moves="legal", optimizer="muon", boards=2
    )
    games = [np.frombuffer(encode_moves(game.moves), "<u2") for game in bundled_games()[:20]]
    learner, batches = Learner(settings), Batches(games, legal=True)
    losses = [learner.step(settings.batch(batches, step), 3e-3) for step in range(settings.steps)]
    first, last = (np.mean(each, axis=0) for each in (losses[:5], losses[-5:]))
    assert (last < 0.85 * first).all()


def test_steps_of_boards_alone_leave_hidden_states_and_moves(tmp_path):
    games = [np.frombuffer(encode_moves(game.moves), "<u2") for game in bundled_games()[:20]]
    settings = TrainingSettings("tiny", steps=10, board_steps=10, learning_rate=4e-3)
    learner, batches = Learner(settings), Batches(games)
    before = {name: np.asarray(value) for name, value in learner.weights.items()}
    for step in range(settings.steps, settings.all_steps):
        rate = settings.rate_at(step)
        learner.step(settings.batch(batches, step), rate, boards_only=True)
    changed = {
        name for name, value in learner.weights.items() if (np.asarray(value) != before[name]).any()
    }
    assert {"output", "decoder.0.cross.query", "write.square"} <= changed
    assert not {name for name in changed if name.startswith(("encode", "move", "leave", "enter"))}
    assert settings.rate_at(10) == 4e-3
    assert settings.rate_at(19) == pytest.approx(4e-4)


def test_the_loss_falls_and_is_written_down(finished):
    log = pd.read_csv(finished / "tiny.csv")
    assert log["step"].tolist() == [15, 30]
    assert log["loss"].iloc[-1] < 0.8 * log["loss"].iloc[0]
    assert {"p_4_10", "exact_100", "move_loss", "learning_rate"} <= set(log)


# The 17th step is of the branch of step 2, the 70th of that of step 15, at which progress is measured.
@pytest.mark.parametrize("stop", [17, 70])
def test_the_same_seed_gives_the_same_weights_also_after_an_interruption(
    finished, tmp_path, monkeypatch, stop
):
    step, taken = training_run._Run._step, []

    def interrupted(run, number, rate):
        taken.append(number)
        if len(taken) == stop:
            raise KeyboardInterrupt
        return step(run, number, rate)

    monkeypatch.setattr(training_run._Run, "_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, branches=True, report=lambda said: None)
    monkeypatch.undo()
    assert (tmp_path / "tiny.unfinished.npz").exists()
    trained(tmp_path, branches=True, report=lambda said: None)
    assert not (tmp_path / "tiny.unfinished.npz").exists()
    names = sorted(path.name for path in finished.iterdir())
    assert names == sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 9
    names.remove("tiny.csv")
    logs = [pd.read_csv(out / "tiny.csv") for out in (finished, tmp_path)]
    pd.testing.assert_frame_equal(*(log.drop(columns="seconds") for log in logs))
    for name in names:
        ours, description = read_weights(finished / name)
        theirs, _ = read_weights(tmp_path / name)
        assert description["games"] == 40
        assert all((ours[key] == theirs[key]).all() for key in ours), name


def test_other_settings_do_not_resume(tmp_path, monkeypatch):
    def stop(run):
        raise KeyboardInterrupt

    monkeypatch.setattr(training_run._Run, "finish", stop)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, report=lambda said: None)
    games = bundled_games()
    with pytest.raises(RunMismatchError, match="--restart"):
        training_run.train(SETTINGS, games[:41], games[2000:2060], tmp_path)


def test_a_finished_training_is_not_repeated_unless_asked(finished, tmp_path, monkeypatch):
    def stop(run, number, rate):
        raise RuntimeError("a step")

    def files():
        return {path.name: path.read_bytes() for path in finished.iterdir()}

    monkeypatch.setattr(training_run._Run, "_step", stop)
    before, said = files(), []
    assert trained(finished, branches=True, report=said.append) == finished / "tiny.npz"
    assert "--restart" in said[0]
    with pytest.raises(RuntimeError, match="a step"):
        trained(finished, branches=True, restart=True)
    games = bundled_games()
    with pytest.raises(RunMismatchError, match="games: found 40, requested 41"):
        training_run.train(SETTINGS, games[:41], games[2000:2060], finished)
    assert files() == before
    (tmp_path / "tiny.npz").write_bytes(before["tiny.npz"])
    assert trained(tmp_path, report=said.append) == tmp_path / "tiny.npz"
    with pytest.raises(RuntimeError, match="a step"):
        trained(tmp_path, branches=True)


def test_weights_name_the_machine_they_were_made_on(finished):
    _, description = read_weights(finished / "tiny.npz")
    made_on = description["made_on"]
    assert made_on["versions"]["jax"] == jax.__version__
    assert made_on["versions"]["numpy"] == np.__version__
    assert made_on["device"] == jax.devices()[0].device_kind
    assert made_on["processor"]


STEPS_ON = """
import hashlib, os, sys
import numpy as np
os.sched_setaffinity(0, set(map(int, sys.argv[1:])))
from workbench.games.game_tables import bundled_games
from workbench.games.game_tables import encode_moves
from workbench.language_model.training.batches import Batches
from workbench.language_model.training.training_run import Learner
from workbench.language_model.training.training_settings import TrainingSettings
games = [np.frombuffer(encode_moves(game.moves), "<u2") for game in bundled_games()[:20]]
learner, batches = Learner(TrainingSettings("tiny")), Batches(games)
for seed in range(3):
    learner.step(batches.draw(np.random.default_rng(seed), 4, 100), 0.004)
print(hashlib.sha256(b"".join(leaf.tobytes() for leaf in learner.state())).hexdigest())
"""


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="needs Linux and two cores",
)
def test_weights_do_not_depend_on_the_number_of_cores():
    cores = sorted(map(str, os.sched_getaffinity(0)))
    hashes = {
        subprocess.run(
            [sys.executable, "-c", STEPS_ON, *some], check=True, capture_output=True, text=True
        ).stdout
        for some in (cores[:1], cores)
    }
    assert len(hashes) == 1


def test_a_game_is_not_both_trained_on_and_held_out(tmp_path):
    games = bundled_games()
    with pytest.raises(OutputError, match="1 among both"):
        training_run.train(SETTINGS, games[:40], games[39:60], tmp_path)
