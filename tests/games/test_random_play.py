"""Games of random legal moves."""

import chess

from workbench.games.synthetic_boards import random_games


def test_random_games_are_legal_independent_and_as_long_as_asked():
    games = list(random_games(6, 60, seed=1))
    assert [game.plies for game in games] == [60] * 6
    assert len({game.game_id for game in games}) == 6
    assert games[:3] == list(random_games(3, 60, seed=1))
    assert games != list(random_games(6, 60, seed=2))
    for game in games:
        board = chess.Board()
        for move in game.moves:
            assert chess.Move.from_uci(move) in board.legal_moves
            board.push_uci(move)


def test_random_games_that_end_early_are_left_out():
    """At 300 plies about one game in three has ended; the numbers in the sources show which."""
    games = list(random_games(12, 300, seed=0))
    assert len(games) == 12
    numbers = [int(game.source.partition("#")[2]) for game in games]
    assert numbers == sorted(numbers)
    assert numbers[-1] > 11
