"""Boards written token by token are those of the whole network at once."""

from dataclasses import asdict

import chess
import numpy as np
import pytest

from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.language_model.language_model import LanguageModel
from workbench.language_model.network import (
    Shape,
    board_logits,
    encode,
    pick_tokens,
    weight_shapes,
    write_boards,
)
from workbench.language_model.vocabulary import (
    MOST_PLIES,
    NUMBER,
    PASSANT,
    SLOTS,
    TOKENS,
    read_moves,
    spell,
)

SHAPE = Shape(width=16, heads=2, layers=2, blocks=2)
GAMES = [
    "",
    "e2e4",
    "d2d4 d7d5 c2c4 e7e6",
    "h2h4 a7a5 h4h5 g7g5 h5g6 a5a4 b2b4 a4b3 g6h7 e8e7 h7g8q",
]


def weights_of(seed, shape=SHAPE):
    generator = np.random.default_rng(seed)
    return {
        name: generator.normal(size=size, scale=1 if len(size) == 1 else size[0] ** -0.5).astype(
            np.float32
        )
        for name, size in weight_shapes(shape).items()
    }


def model_of(seed):
    return LanguageModel("random", weights_of(seed), {"shape": asdict(SHAPE)})


def padded(games):
    read = [read_moves(moves.split()) for moves in games]
    rows = np.zeros((len(read), max(map(len, read)), 3), np.uint8)
    for row, moves in zip(rows, read, strict=True):
        row[: len(moves)] = moves
    return rows, np.array([len(moves) - 1 for moves in read])


@pytest.mark.parametrize("seed", range(3))
def test_each_token_is_the_likeliest_given_those_before(seed):
    weights = weights_of(seed)
    moves, at = padded(GAMES)
    encoded = encode(np, weights, SHAPE, moves)[-1]
    tokens = write_boards(weights, SHAPE, encoded, at)
    # Teacher forced: all slots at once, each given the tokens that were written before it.
    logits = board_logits(np, weights, SHAPE, encoded, at[:, None], tokens[:, None])[:, 0]
    assert logits.shape == (len(GAMES), SLOTS, len(TOKENS))
    assert (tokens == logits.argmax(axis=-1)).all()
    assert len(set(map(tuple, tokens))) > 1


def test_the_certainty_of_a_board_is_the_product_of_its_tokens_but_the_clocks():
    model = model_of(1)
    written = model.write_certain_states([moves.split() for moves in GAMES])
    assert [text for text, _ in written] == model.write_states([moves.split() for moves in GAMES])
    moves, at = padded(GAMES)
    encoded = encode(np, model.weights, SHAPE, moves)[-1]
    tokens = write_boards(model.weights, SHAPE, encoded, at)
    logits = board_logits(np, model.weights, SHAPE, encoded, at[:, None], tokens[:, None])[:, 0]
    logits = logits.astype(np.float64)
    logits -= np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    each = np.take_along_axis(logits, tokens[..., None], axis=-1)[..., 0]
    certainties = np.log([certainty for _, certainty in written])
    np.testing.assert_allclose(certainties, each[:, :-2].sum(axis=1), atol=1e-3)


def test_a_drawn_board_follows_the_same_logits():
    weights = weights_of(0)
    moves, at = padded(GAMES)
    encoded = encode(np, weights, SHAPE, moves)[-1]
    draws = np.random.default_rng(1).random((len(GAMES), SLOTS))
    tokens = write_boards(weights, SHAPE, encoded, at, 0.7, draws)
    logits = board_logits(np, weights, SHAPE, encoded, at[:, None], tokens[:, None])[:, 0]
    for slot in range(SLOTS):
        expected = pick_tokens(logits[:, slot], 0.7, draws[:, slot])
        assert (tokens[:, slot] == expected).all()
    assert (tokens != write_boards(weights, SHAPE, encoded, at)).any()


def test_tokens_are_drawn_with_their_probabilities():
    logits = np.log(np.array([0.5, 0.3, 0.2]))
    draws = np.array([0.0, 0.499, 0.501, 0.799, 0.801, 1 - 2**-53])
    rows = np.tile(logits, (len(draws), 1))
    assert pick_tokens(rows, 1.0, draws).tolist() == [0, 0, 1, 1, 2, 2]
    # Probabilities to the power of 1 / temperature: 25, 9 and 4 of 38.
    assert pick_tokens(rows, 0.5, np.array([0.65, 0.66, 0.89, 0.9, 0, 0])).tolist()[:4] == [
        0, 1, 1, 2,
    ]  # fmt: skip
    assert pick_tokens(rows, 0.0, draws).tolist() == [0] * 6


def test_a_board_depends_on_its_own_game_alone():
    model = model_of(4)
    games = [moves.split() for moves in GAMES]
    together = model.write_states(games)
    assert together == [model.write_states([moves])[0] for moves in games]
    seeds = [5, 6, 7, 8]
    drawn = model.write_states(games, temperature=1.0, seeds=seeds)
    assert drawn == model.write_states(games[::-1], temperature=1.0, seeds=seeds[::-1])[::-1]
    assert drawn != model.write_states(games, temperature=1.0, seeds=[9, 10, 11, 12])


def test_later_moves_change_nothing_before_them():
    model = model_of(5)
    moves = GAMES[3].split()
    whole = model.hidden_states(moves)
    np.testing.assert_allclose(model.hidden_states(moves[:4]), whole[:, :5], atol=1e-5)


def tokens_of(board):
    """The tokens of a position, from python-chess."""
    squares = [board.piece_at(chess.square(file, rank)) for rank in range(7, -1, -1)
               for file in range(8)]  # fmt: skip
    _, *fields = board.fen().split()
    side, castling, passant, *numbers = fields
    found = [TOKENS.index(piece.symbol()) if piece else 0 for piece in squares]
    found += [TOKENS.index(side, 13), TOKENS.index(castling, 15), TOKENS.index(passant, PASSANT)]
    return found + [NUMBER + int(number) for number in numbers]


def test_the_tokens_of_a_position_spell_its_fen():
    generator = np.random.default_rng(0)
    board, seen = chess.Board(), 0
    for _ in range(400):
        legal = list(board.legal_moves)
        if not legal or max(board.fullmove_number, board.halfmove_clock) > 149:
            board = chess.Board()
            continue
        board.push(legal[generator.integers(len(legal))])
        assert spell(tokens_of(board)) == board.fen()
        seen += board.fen().split()[3] != "-"
    assert seen > 0


def test_misplaced_tokens_are_written_as_they_are():
    tokens = tokens_of(chess.Board())
    tokens[3] = TOKENS.index("KQkq")
    tokens[20] = TOKENS.index("w")
    tokens[64] = 0
    assert spell(tokens) == "rnbKQkqkbnr/pppppppp/4w3/8/8/8/PPPPPPPP/RNBQKBNR 1 KQkq - 0 1"


class TestOddInput:
    @pytest.mark.parametrize(
        "move", ["", "e2", "e2e9", "e2e4k", "E2E4", "Nf3", "<script>", "x" * 10**6]
    )
    def test_what_is_no_move_is_refused_in_few_words(self, move):
        with pytest.raises(IllegalMoveError, match="ply 2: expected a move in UCI") as refused:
            model_of(0).write_states([["e2e4", move]])
        assert len(str(refused.value)) < 100

    def test_a_million_moves_are_too_many(self):
        with pytest.raises(IllegalMoveError, match="at most 200 plies, got 1000000"):
            model_of(0).next_moves(["e2e4"] * 10**6)

    def test_illegal_moves_are_read_like_any(self):
        model = model_of(0)
        impossible = ["a1h8q", "a1h8q", "e4e4"]
        (text,) = model.write_states([impossible])
        assert text.count("/") == 7
        assert len(model.next_line(impossible, 3)) == 3

    def test_a_line_ends_where_no_more_can_be_read(self):
        model = model_of(0)
        moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 50
        assert len(moves) == MOST_PLIES
        assert len(model.next_line(moves, 4)) == 1
        assert len(model.next_line(moves[:-2], 4)) == 3

    @pytest.mark.parametrize("temperature", [-1, float("nan"), float("inf")])
    def test_temperatures_out_of_range(self, temperature):
        with pytest.raises(InvalidArgumentError, match="temperature"):
            model_of(0).write_states([[]], temperature=temperature, seeds=[0])


def test_likely_moves_are_products_of_their_parts():
    model, moves = model_of(6), GAMES[2].split()
    every = model.next_moves(moves, 1e-12)
    # 64 squares to leave, 64 to enter and 5 promotions, promotions that are none included.
    assert len(every) == 64 * 64 * 5
    assert sum(every.values()) == pytest.approx(1, abs=1e-4)
    values = list(every.values())
    assert values == sorted(values, reverse=True)
    few = model.next_moves(moves, 0.01)
    assert list(few) == [move for move, value in every.items() if value >= 0.01]


@pytest.mark.slow
def test_a_line_is_drawn_by_its_seed():
    model, moves = model_of(7), GAMES[2].split()
    assert model.next_line(moves, 4) == model.next_line(moves, 4, seed=9)
    lines = [model.next_line(moves, 4, temperature=1.0, seed=seed) for seed in (1, 1, 2)]
    assert lines[0] == lines[1] != lines[2]
    # The first moves of many lines have the probabilities that `next_moves` gives.
    every = model.next_moves(moves, 1e-12)
    leaves = {}
    for move, value in every.items():
        leaves[move[:2]] = leaves.get(move[:2], 0) + value
    square, expected = max(leaves.items(), key=lambda item: item[1])
    drawn = [model.next_line(moves, 1, temperature=1.0, seed=seed)[0][:2] for seed in range(1000)]
    assert drawn.count(square) / 1000 == pytest.approx(expected, abs=4 * (expected / 1000) ** 0.5)
