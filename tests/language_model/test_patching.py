"""Patches: zeros change nothing, later plies change no earlier state, and effects worked out by hand."""

from dataclasses import asdict

import numpy as np
import pytest

from workbench.errors import InvalidArgumentError
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.network import Shape, weight_shapes
from workbench.language_model.patching import class_means, encode_games
from workbench.language_model.vocabulary import SLOTS, TOKENS, read_moves, write_move

GAMES = [
    [],
    ["d2d4", "d7d5", "c2c4", "e7e6"],
    "h2h4 a7a5 h4h5 g7g5 h5g6 a5a4 b2b4 a4b3 g6h7 e8e7 h7g8q".split(),
]
LAST = [0, 4, 11]


def network(shape, weights):
    return LanguageModel("by hand", weights, {"shape": asdict(shape)})


@pytest.fixture(params=range(3))
def random_model(request):
    generator = np.random.default_rng(request.param)
    shape = Shape(width=16, heads=2, layers=2, blocks=2)
    return network(
        shape,
        {
            name: generator.normal(size=size, scale=size[0] ** -0.5).astype(np.float32)
            for name, size in weight_shapes(shape).items()
        },
    )


@pytest.fixture
def hand_made():
    """One layer, whose only head adds the mean of all states so far, normalised, to each state.

    A move from e2 is (1, 0), one from e7 (0, 1), all others are nothing. Both heads read the two numbers:
    a state of which the first is larger writes P on all squares and leaves a1, else k and h8.
    """
    shape = Shape(width=2, heads=1, layers=1, blocks=1)
    weights = {name: np.zeros(size, np.float32) for name, size in weight_shapes(shape).items()}
    for name in ("encoder.0.self.norm", "encoder.0.self.out", "encoded", "written", "last"):
        weights[name] = np.eye(2, dtype=np.float32) if weights[name].ndim == 2 else np.ones(2, "f")
    weights["encoder.0.self.key_value"][:, 2:] = np.eye(2)
    for axis, square in enumerate((12, 52)):
        weights["leave.square"][square, axis] = 1
    for axis, (token, square) in enumerate((("P", 0), ("k", 63))):
        weights["output"][axis, TOKENS.index(token)] = 1
        weights["move_from"][axis, square] = 9
    return network(shape, weights)


def test_zeros_change_nothing(random_model):
    games = encode_games(random_model, GAMES)
    zeros = np.zeros((len(GAMES), 16), np.float32)
    for layer in range(3):
        for plies in (np.array(LAST), np.zeros(3, int)):
            assert (games.patched(layer, plies, zeros) == games.hidden[-1]).all()
    assert (games.last == LAST).all()


def test_a_patch_changes_no_earlier_state(random_model):
    games = encode_games(random_model, GAMES[1:])
    for layer in range(3):
        patched = games.patched(layer, np.array([2, 7]), np.ones((2, 16), np.float32))
        changed = (patched != games.hidden[-1]).any(axis=-1)
        # After the last layer no later state looks at the patched one.
        until = slice(None) if layer < 2 else slice(1)
        for of_game, ply, last in zip(changed, (2, 7), LAST[1:], strict=True):
            assert not of_game[:ply].any()
            assert of_game[ply : last + 1][until].all()
            assert layer < 2 or not of_game[ply + 1 :].any()


def test_a_patch_of_the_last_state_changes_what_is_written(hand_made):
    games = encode_games(hand_made, [["e2e4"], ["e7e5"]])
    before = games.hidden[-1]
    assert (games.boards(before) == [[TOKENS.index("P")], [TOKENS.index("k")]]).all()
    assert games.next_moves(before).likeliest()[:, 0].tolist() == [0, 63]
    turn = np.array([[-4.0, 4.0], [4.0, -4.0]], np.float32)
    for layer in range(2):
        patched = games.patched(layer, games.last, turn)
        tokens = games.boards(patched)
        assert tokens.shape == (2, SLOTS)
        assert (tokens == [[TOKENS.index("k")], [TOKENS.index("P")]]).all()
        assert games.next_moves(patched).likeliest()[:, 0].tolist() == [63, 0]


def test_later_states_attend_to_a_patched_one_until_the_last_layer(hand_made):
    games = encode_games(hand_made, [["e2e4", "a7a6"]])
    # Start and a7a6 are nothing, so that the mean of three normalised states has a third of e2e4's.
    root = 2**0.5
    assert games.hidden[1][0] == pytest.approx(
        np.array([[0, 0], [1 + root / 2, 0], [root / 3, 0]]), abs=1e-5
    )
    turn, first = np.array([[-1.0, 1.0]], np.float32), np.array([1])
    patched = games.patched(0, first, turn)
    assert patched[0, 2] == pytest.approx([0, root], abs=1e-4)
    assert (games.boards(patched) == TOKENS.index("k")).all()
    late = games.patched(1, first, turn)
    assert (late[0, 2] == games.hidden[-1][0, 2]).all()
    assert (games.boards(late) == TOKENS.index("P")).all()


def test_next_moves_are_those_of_the_model(random_model):
    games = encode_games(random_model, GAMES)
    after = games.next_moves(games.hidden[-1])
    for row, moves in enumerate(GAMES):
        every = random_model.next_moves(moves, 1e-12)
        assert write_move(*after.likeliest()[row].tolist()) == next(iter(every))
        some = [*every][:300:7]
        read = np.concatenate([read_moves([move])[1:] for move in some]).astype(int)
        shares = after.probabilities(np.full(len(some), row), read)
        assert shares == pytest.approx([every[move] for move in some], rel=1e-3)


def test_class_means_by_hand(hand_made):
    games, labels = [["e2e4", "e7e5"], ["a2a3", "e7e6"]], [np.array([2, 0]), np.array([2, 0])]
    means, later = class_means(hand_made, games, labels, 4, (0, 1))
    assert means.shape == (3, 4, 2)
    assert means[0, [0, 2]].tolist() == [[0, 1], [0.5, 0]]
    assert np.isnan(means[:, [1, 3]]).all()
    # A ply after the first ply of each game comes e7.
    assert later[0, 2].tolist() == [0, 1]
    assert np.isnan(later[:, [0, 1, 3]]).all()


@pytest.mark.parametrize(("layer", "plies"), [(3, [0, 4]), (-1, [0, 4]), (1, [0, 5]), (1, [0])])
def test_layers_and_plies_that_do_not_exist_are_refused(random_model, layer, plies):
    games = encode_games(random_model, GAMES[:2])
    with pytest.raises(InvalidArgumentError, match=r"^(layer|plies): expected"):
        games.patched(layer, np.array(plies), np.zeros((2, 16), np.float32))
