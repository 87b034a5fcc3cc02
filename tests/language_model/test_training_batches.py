import chess
import numpy as np
import pytest

from workbench.games.game_tables import bundled_games, encode_moves
from workbench.language_model.training.batches import Batches
from workbench.language_model.training.training_settings import TrainingSettings
from workbench.language_model.vocabulary import START, spell, write_move


@pytest.fixture(scope="module")
def batches():
    codes = [np.frombuffer(encode_moves(game.moves), "<u2") for game in bundled_games()[:30]]
    return Batches(codes)


def replayed(moves, plies):
    board = chess.Board()
    for move in moves[1 : plies + 1]:
        parsed = chess.Move.from_uci(write_move(*map(int, move)))
        assert parsed in board.legal_moves
        board.push(parsed)
    return board


def test_boards_are_written_as_python_chess_writes_them(batches):
    batch = batches.draw(np.random.default_rng(5), 12, 90)
    assert (batch.moves[:, 0] == START).all()
    for moves, at, tokens in zip(batch.moves, batch.at, batch.tokens, strict=True):
        for plies, written in zip(at, tokens, strict=True):
            assert spell(written.tolist()) == replayed(moves, plies).fen()


def test_en_passant_squares_are_written_where_a_capture_is_legal(batches):
    generator = np.random.default_rng(0)
    found = 0
    for _ in range(60):
        batch = batches.draw(generator, 4, 60)
        fens = [spell(row.tolist()) for rows in batch.tokens for row in rows]
        found += sum(fen.split()[3] != "-" for fen in fens)
    assert found >= 1


def test_some_games_go_on_at_random_and_others_do_not():
    games = bundled_games()[:30]
    codes = [np.frombuffer(encode_moves(game.moves), "<u2") for game in games]
    known = {game.moves[:40] for game in games}

    def own(share):
        batch = Batches(codes, own_share=share).draw(np.random.default_rng(1), 200, 40)
        lines = [tuple(write_move(*map(int, row)) for row in moves[1:]) for moves in batch.moves]
        return np.mean([line in known for line in lines])

    assert own(1.0) >= 0.9  # A short game goes on at random in any case.
    assert own(0.0) < 0.1
    assert 0.3 < own(0.5) < 0.7


def test_nothing_counts_after_the_end_of_a_game():
    mate = [np.frombuffer(encode_moves(["f2f3", "e7e5", "g2g4", "d8h4"]), "<u2")]
    batch = Batches(mate, own_share=1.0).draw(np.random.default_rng(0), 1, 10)
    assert batch.next_counts.tolist() == [[True] * 4 + [False] * 6]
    assert batch.at.max() <= 4
    assert (batch.moves[0, 5:] == 0).all()


def test_a_step_draws_the_same_batch_whenever_it_is_taken(batches):
    settings = TrainingSettings(steps=100)
    one, other = (settings.batch(batches, 70) for _ in range(2))
    assert (one.moves == other.moves).all()
    assert (one.tokens == other.tokens).all()


def test_the_schedule_ramps_rises_and_falls():
    settings = TrainingSettings(steps=1000, learning_rate=1.0, warm_up=100)
    assert settings.rate_at(0) == pytest.approx(0.01)
    assert settings.rate_at(500) == 1.0
    assert settings.rate_at(999) == pytest.approx(1 / 250)
    lengths = [settings.plies_at(step) for step in range(120)]
    assert lengths == sorted(lengths)
    assert lengths[0] == 8
    assert set(map(settings.plies_at, range(120, 1000))) == {24, 48, 72, 100, 128, 160, 200}
    assert settings.branches() == (42, 83, 167, 250, 375, 500, 750)
    assert settings.longest_plies(1) == 8
    assert settings.longest_plies(120) == max(lengths)
    assert settings.longest_plies(1000) == 200
    assert settings.branch_rate(500, 0) == 1.0
    assert settings.branch_rate(500, settings.branch_steps(500) - 1) == pytest.approx(1 / 50)


def test_legal_moves_are_those_of_python_chess():
    codes = [np.frombuffer(encode_moves(game.moves), "<u2") for game in bundled_games()[:30]]
    batch = Batches(codes, legal=True).draw(np.random.default_rng(3), 6, 80)
    legal = batch.legal
    for game, moves in enumerate(batch.moves):
        # A game can end before its last ply; after it nothing counts.
        length = int(batch.next_counts[game].sum())
        board = chess.Board()
        for ply in range(length + 1):
            if ply:
                board.push_uci(write_move(*map(int, moves[ply])))
            expected = np.zeros((64, 64))
            for move in board.legal_moves:
                expected[move.from_square, move.to_square] += 1 / board.legal_moves.count()
            written = np.zeros((64, 64))
            place = game, ply
            shares = legal.start_shares[place][:, None] * legal.end_shares[place]
            np.add.at(written, legal.starts[place], shares)
            np.testing.assert_allclose(written, expected, atol=1e-6)
            assert legal.counts[place] == any(board.legal_moves)
            if legal.counts[place]:
                example = write_move(*map(int, legal.examples[place]))
                assert chess.Move.from_uci(example) in board.legal_moves
        assert not legal.counts[game, length + 1 :].any()
