"""Cutting games into groups: eligibility to the ply, no game twice, order of no account."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import GameFileError, InvalidArgumentError, UnfilledGroupError
from workbench.games.cut import cut_games
from workbench.games.pgn import Game
from workbench.games.random_play import random_games
from workbench.tables import POSITIONS

GAMES = [
    Game(game.moves[: 4 + (index * 7) % 36], game.source)
    for index, game in enumerate(random_games(40, 40, seed=9))
]


def as_pgn(game, result="*"):
    board = chess.Board()
    moves = [chess.Move.from_uci(move) for move in game.moves]
    return f'[Event "?"]\n\n{board.variation_san(moves)} {result}\n\n'


def test_a_game_must_be_longer_than_the_cut():
    moves = GAMES[5].moves
    exact, longer = Game(moves[:20], "exact"), Game(moves[:21], "longer")
    cut = cut_games([longer], groups=(10,), per_group=1, seed=0)
    assert cut.summary.eligible == {10: 1}
    with pytest.raises(UnfilledGroupError, match="10 full moves: 0"):
        cut_games([exact], groups=(10,), per_group=1, seed=0)


def test_a_position_is_what_was_played():
    game = Game(("e2e4", "e7e5", "g1f3", "b8c6", "f1b5"), "by hand")
    (row,) = cut_games([game], groups=(2,), per_group=1, seed=0).positions.to_dict("records")
    assert row == {
        "position_id": f"{game.game_id}-004",
        "game_id": game.game_id,
        "source": "by hand",
        "group": 2,
        "ply": 4,
        "game_plies": 5,
        "movetext": "1. e4 e5 2. Nf3 Nc6",
        "moves": "e2e4 e7e5 g1f3 b8c6",
        "true_fen": "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    }


def test_every_group_is_filled_and_no_game_is_used_twice():
    cut = cut_games(GAMES, groups=(2, 5, 9), per_group=6, seed=3)
    assert list(cut.positions.columns) == POSITIONS.names
    assert cut.positions["group"].value_counts().to_dict() == {2: 6, 5: 6, 9: 6}
    assert cut.positions["game_id"].is_unique
    assert (cut.positions["game_plies"] > cut.positions["ply"]).all()
    assert cut.summary.taken == {2: 6, 5: 6, 9: 6}


def test_long_games_are_left_for_the_group_that_needs_them():
    """Two games run past 9 moves; taking them for the short group would leave the long one empty."""
    long = [game for game in GAMES if game.plies > 18][:2]
    short = [game for game in GAMES if game.plies <= 18][:2]
    for seed in range(10):
        cut = cut_games([*long, *short], groups=(1, 9), per_group=2, seed=seed)
        assert cut.summary.taken == {1: 2, 9: 2}


@settings(max_examples=25, deadline=None)
@given(st.permutations(GAMES), st.integers(0, 5))
def test_the_order_of_the_games_changes_nothing(shuffled, seed):
    settings = {"groups": (2, 6), "per_group": 5, "seed": seed}
    ordered = cut_games(GAMES, **settings).positions
    assert cut_games(shuffled, **settings).positions.equals(ordered)


def test_files_and_games_at_hand_hold_the_same_games(tmp_path):
    halves = []
    for index in range(2):
        halves.append(tmp_path / f"half-{index}.pgn")
        halves[index].write_text("".join(map(as_pgn, GAMES[index::2])))
    settings = {"groups": (2, 6), "per_group": 7, "seed": 1}
    one = cut_games(halves, **settings).positions
    other = cut_games(halves[::-1], **settings).positions
    assert one.drop(columns="source").equals(other.drop(columns="source"))
    assert one["game_id"].isin({game.game_id for game in GAMES}).all()


def test_another_seed_chooses_other_games():
    chosen = [
        set(cut_games(GAMES, groups=(2,), per_group=5, seed=seed).positions["game_id"])
        for seed in range(4)
    ]
    assert len({frozenset(games) for games in chosen}) > 1


def test_the_choice_is_uniform_over_games():
    """A tenth is taken 600 times: each game's count within 4.5 standard errors of 60."""
    games = [Game(game.moves[:6], game.source) for game in random_games(40, 6, seed=2)]
    counts = dict.fromkeys((game.game_id for game in games), 0)
    for seed in range(600):
        for name in cut_games(games, groups=(2,), per_group=4, seed=seed).positions["game_id"]:
            counts[name] += 1
    error = (600 * 0.1 * 0.9) ** 0.5
    assert all(abs(count - 60) < 4.5 * error for count in counts.values())


def test_duplicates_are_counted_and_used_once(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text("".join(as_pgn(game) for game in [*GAMES[:8], *GAMES[:8]]))
    cut = cut_games(path, groups=(1,), per_group=8, seed=0)
    assert cut.summary.duplicates == 8
    assert cut.positions["game_id"].is_unique


def test_a_move_spelled_otherwise_makes_no_other_game(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(
        '[Event "?"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Event "?"]\n\n1. e2e4 e5 2. Ng1f3 Nb8c6 *\n\n'
    )
    cut = cut_games(path, groups=(1,), per_group=2, seed=0, allow_unfilled=True)
    assert cut.summary.duplicates == 1
    assert len(cut.positions) == 1


def test_an_illegal_game_is_counted_and_the_next_takes_its_place(tmp_path):
    path = tmp_path / "games.pgn"
    illegal = '[Event "?"]\n\n1. e4 e5 2. Ke3 d5 3. c3 c6 *\n\n'
    path.write_text("".join(map(as_pgn, GAMES[:4])) + illegal + as_pgn(GAMES[4]))
    cut = cut_games(path, groups=(1,), per_group=5, seed=0)
    assert cut.summary.refused == {"illegal_move": 1}
    assert len(cut.positions) == 5
    assert "games.pgn#5" in cut.summary.describe()


def test_no_more_games_are_held_than_can_be_needed(monkeypatch):
    held = []
    from workbench.games.cut import _Band

    add = _Band.add

    def watched(band, number, game):
        result = add(band, number, game)
        held.append((len(band.kept), len(band._heap), band.capacity))
        return result

    monkeypatch.setattr(_Band, "add", watched)
    cut_games(GAMES * 3, groups=(2, 5), per_group=3, seed=0)
    assert held
    assert all(kept <= capacity and heap <= capacity for kept, heap, capacity in held)


def test_a_group_that_cannot_be_filled_is_named_or_allowed():
    with pytest.raises(UnfilledGroupError, match=r"expected 39 games.*15 full moves: \d+"):
        cut_games(GAMES, groups=(1, 15), per_group=39, seed=0)
    cut = cut_games(GAMES, groups=(1, 15), per_group=39, seed=0, allow_unfilled=True)
    assert cut.summary.taken[15] == cut.summary.eligible[15] < 39
    assert len(cut.positions) == 40


def test_a_file_that_breaks_off_is_an_error_or_counted(tmp_path):
    import zstandard

    path = tmp_path / "games.pgn.zst"
    whole = zstandard.compress("".join(map(as_pgn, GAMES[:20])).encode())
    path.write_bytes(whole + zstandard.compress(as_pgn(GAMES[20]).encode())[:-5])
    with pytest.raises(GameFileError, match=r"games were read of it"):
        cut_games(path, groups=(1,), per_group=5, seed=0)
    cut = cut_games(path, groups=(1,), per_group=5, seed=0, allow_truncated=True)
    assert len(cut.positions) == 5
    assert "broke off" in cut.summary.describe()
    with pytest.raises(GameFileError, match="nowhere"):
        cut_games(tmp_path / "nowhere.pgn", groups=(1,), per_group=1, seed=0, allow_truncated=True)


@pytest.mark.parametrize(
    "bad",
    [{"groups": ()}, {"groups": (3, 3)}, {"groups": (0,)}, {"per_group": 0}, {"seed": -1}],
)
def test_numbers_out_of_range_are_named(bad):
    with pytest.raises(InvalidArgumentError, match=r"expected"):
        cut_games(GAMES, **({"groups": (2,), "per_group": 1, "seed": 0} | bad))


def test_the_ten_groups():
    games = list(random_games(20, 101, seed=4))
    cut = cut_games(games, groups=range(5, 51, 5), per_group=2, seed=0)
    assert list(cut.summary.taken.values()) == [2] * 10
