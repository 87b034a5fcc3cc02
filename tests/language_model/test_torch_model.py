"""The model in PyTorch and in numpy are one: logits, written boards, moves; and its steps are within reach of hooks."""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import (
    LanguageModel,
    load_model,
    model_names,
    side_by_side,
)
from workbench.language_model.network import (
    Shape,
    board_logits,
    encode,
    first_weights,
    move_logits,
    promotion_logits,
    target_logits,
    write_boards,
)
from workbench.language_model.vocabulary import read_moves
from workbench.language_model.weight_folder import write_weight_folder

torch = pytest.importorskip("torch", reason="torch is not part of the workbench")

TOLERANCE = 1e-4
NAMES = [name for name in model_names() if "@" not in name]
ODD = Shape(width=24, heads=3, layers=5, blocks=2)


def loaded(model, folder, **options):
    """The model by the file of its folder, as someone without the workbench loads it."""
    write_weight_folder(model, folder)
    spec = importlib.util.spec_from_file_location(
        "torch_model_of_folder", folder / "torch_model.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load(**options)


def numpy_model(name):
    if name in NAMES:
        return load_model(name)
    weights = {
        each: values.astype(np.float16).astype(np.float32)
        for each, values in first_weights(ODD, 1).items()
    }
    shape = {field: getattr(ODD, field) for field in ("width", "heads", "layers", "blocks")}
    return LanguageModel(name, weights, {"shape": shape})


@pytest.fixture(scope="module", params=[*NAMES, "random"])
def both(request, tmp_path_factory):
    model = numpy_model(request.param)
    return model, loaded(model, tmp_path_factory.mktemp(request.param) / "folder")


@pytest.fixture(scope="module")
def games():
    """The beginnings, 1 to 96 plies long, of 20 games that no bundled model was trained on."""
    last = bundled_games()[-20:]
    return [list(game.moves[: 1 + 5 * index]) for index, game in enumerate(last)]


def test_the_weights_are_the_same_numbers(both):
    model, twin = both
    assert sum(each.numel() for each in twin.parameters()) == model.parameters
    assert twin.config["shape"]["layers"] == model.shape.layers == len(twin.blocks)


def test_moves_are_read_alike(both, games):
    moves, at = side_by_side([read_moves(game) for game in games])
    same, places = both[1].read_moves(games)
    assert (same.numpy() == moves).all()
    assert (places.numpy() == at).all()
    with pytest.raises(ValueError, match=r"ply 2: expected a move in UCI, got 'e9e4'"):
        both[1].read_moves([["e2e4", "e9e4"]])
    with pytest.raises(ValueError, match="at most 200 plies"):
        both[1].read_moves([["e2e4"] * 201])


def test_boards_and_moves_have_the_same_logits_and_the_likeliest_tokens_are_the_same(both, games):
    model, twin = both
    moves, at = side_by_side([read_moves(game) for game in games])
    encoded = encode(np, model.weights, model.shape, moves)[-1]
    tokens = write_boards(model.weights, model.shape, encoded, at)
    logits = board_logits(np, model.weights, model.shape, encoded, at[:, None], tokens[:, None])
    states = encoded[np.arange(len(at)), at]
    squares = np.arange(64)
    leaving = move_logits(np, model.weights, states)
    entering = target_logits(np, model.weights, states[:, None], squares)
    promoting = promotion_logits(
        np, model.weights, states[:, None, None], squares[:, None], squares
    )
    with torch.no_grad():
        result, cache = twin.run_with_cache(*twin.read_moves(games))
    assert (result.tokens.numpy() == tokens).all()
    apart = {
        "encoded": np.abs(cache["hook_encoded"].numpy() - encoded).max(),
        "board": np.abs(result.board_logits.numpy() - logits[:, 0]).max(),
        "leave": np.abs(cache["hook_leave_logits"].numpy() - leaving).max(),
        "enter": np.abs(cache["hook_enter_logits"].numpy() - entering).max(),
        "promotion": np.abs(cache["hook_promotion_logits"].numpy() - promoting).max(),
    }
    print(model.name, {name: f"{value:.1e}" for name, value in apart.items()})
    assert max(apart.values()) < TOLERANCE


def test_texts_and_probabilities_of_moves_are_the_same(both, games):
    model, twin = both
    few = games[:4]
    assert twin.states(few) == model.write_states(few)
    distribution = twin.move_distribution(few)
    assert distribution.sum((1, 2, 3)).numpy() == pytest.approx(np.ones(4), abs=1e-5)
    for game, probabilities in zip(few, distribution, strict=True):
        ours = model.next_moves(game, 0.01)
        assert int((probabilities >= 0.01).sum()) == len(ours)
        for move, probability in ours.items():
            start, end, promotion = read_moves([move])[1].tolist()
            assert float(probabilities[start, end, promotion]) == pytest.approx(
                probability, abs=1e-5
            )


@pytest.mark.parametrize(
    ("precision", "tolerance"), [(torch.float64, 1e-4), (torch.bfloat16, 0.5), (torch.float16, 0.1)]
)
def test_it_computes_in_other_precisions(precision, tolerance, games, tmp_path):
    model = load_model("tiny")
    twin = loaded(model, tmp_path, dtype=precision)
    moves, at = twin.read_moves(games[5:8])
    with torch.no_grad():
        encoded = twin.encode(moves)
        logits = twin.hook_leave_logits(encoded[range(3), at] @ twin.W_leave)
        assert twin(moves, at).board_logits.dtype == precision
    expected = [move_logits(np, model.weights, model.hidden_states(g)[-1, -1]) for g in games[5:8]]
    assert np.abs(logits.double().numpy() - expected).max() < tolerance


def test_every_layer_is_within_reach_by_name(both, games):
    model, twin = both
    game = games[10]
    _, cache = twin.run_with_cache(*twin.read_moves([game]))
    hidden = model.hidden_states(game)
    layers = model.shape.layers
    ours = [cache["blocks.0.hook_resid_pre"]]
    ours += [cache[f"blocks.{layer}.hook_resid_post"] for layer in range(layers)]
    ours.append(cache["hook_encoded"])
    assert np.abs(np.concatenate(ours) - hidden).max() < TOLERANCE
    assert set(cache) == set(twin.hook_points())
    plies = len(game) + 1
    for name in ("blocks.0.attn.hook_pattern", "decoder.0.cross_attn.hook_pattern"):
        pattern = cache[name]
        queries = plies if name.startswith("blocks") else 69
        assert pattern.shape == (1, model.shape.heads, queries, plies)
        assert pattern.sum(-1).numpy() == pytest.approx(1, abs=1e-5)
    # Nothing looks ahead.
    assert cache["blocks.0.attn.hook_pattern"].triu(1).abs().max() == 0


def test_a_hook_changes_what_follows_and_nothing_when_it_is_gone(both, games):
    model, twin = both
    moves, at = twin.read_moves([games[8]])
    tokens = twin(moves).tokens
    before = twin(moves, at, tokens)
    push = torch.randn(model.shape.width, generator=torch.Generator().manual_seed(0))
    seen = []

    def patch(value, point):
        seen.append(point.name)
        changed = value.clone()
        changed[:, -1] += push
        return changed

    name = f"blocks.{model.shape.layers - 1}.hook_resid_post"
    after = twin.run_with_hooks(moves, at, tokens, fwd_hooks=[(name, patch)])
    assert seen == [name]
    assert (after.board_logits - before.board_logits).abs().max() > 0.01
    assert (after.move_log_probabilities - before.move_log_probabilities).abs().max() > 0.01
    assert torch.equal(twin(moves, at, tokens).board_logits, before.board_logits)
    # The same patch in numpy.
    states = encode(np, model.weights, model.shape, moves.numpy())[-2].copy()
    states[:, -1] += push.numpy()
    encoded = encode(np, model.weights, model.shape, None, states, model.shape.layers)[-1]
    expected = board_logits(
        np, model.weights, model.shape, encoded, at.numpy()[:, None], tokens.numpy()[:, None]
    )
    assert np.abs(after.board_logits.detach().numpy() - expected[:, 0]).max() < TOLERANCE
    with pytest.raises(ValueError, match="expected a name of hook_points"):
        twin.run_with_hooks(moves, fwd_hooks=[("blocks.9.hook_none", patch)])


def test_nnsight_reads_and_changes_the_steps(tmp_path):
    nnsight = pytest.importorskip("nnsight")
    twin = loaded(load_model("tiny"), tmp_path)
    moves, at = twin.read_moves([["e2e4", "e7e5", "g1f3"]])
    tokens = twin(moves, at).tokens
    plain, cache = twin.run_with_cache(moves, at, tokens)
    network = nnsight.NNsight(twin)
    with network.trace(moves, at, tokens):
        state = network.blocks[1].hook_resid_post.output.save()
        pattern = network.decoder[0].cross_attn.hook_pattern.output.save()
    assert torch.equal(state, cache["blocks.1.hook_resid_post"])
    assert torch.equal(pattern, cache["decoder.0.cross_attn.hook_pattern"])
    with network.trace(moves, at, tokens):
        network.blocks[1].hook_resid_post.output[:, -1] += 5
        changed = network.hook_board_logits.output.save()
    assert (changed - plain.board_logits).abs().max() > 0.1
    five = [("blocks.1.hook_resid_post", lambda value, _: value + 5 * last_row(value))]
    assert torch.equal(changed, twin.run_with_hooks(moves, at, tokens, fwd_hooks=five).board_logits)


def last_row(vectors):
    """One in the last row, zero elsewhere."""
    return (torch.arange(vectors.shape[1]) == vectors.shape[1] - 1).float()[:, None]


def test_the_folder_needs_no_workbench(tmp_path):
    """In a process that can import neither it nor python-chess."""
    model = load_model("tiny")
    write_weight_folder(model, tmp_path / "tiny")
    code = (
        "import sys; sys.modules.update(workbench=None, chess=None)\n"
        "import json, torch_model\n"
        "model = torch_model.load()\n"
        "print(json.dumps(model.states([['e2e4', 'e7e5'], []])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "tiny",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == model.write_states([["e2e4", "e7e5"], []])


def test_the_package_safetensors_reads_the_file(tmp_path):
    load_file = pytest.importorskip("safetensors.torch").load_file
    twin = loaded(load_model("tiny"), tmp_path)
    state = load_file(tmp_path / "model.safetensors")
    assert state.keys() == twin.state_dict().keys()
    assert all(torch.equal(state[name].float(), each) for name, each in twin.state_dict().items())
