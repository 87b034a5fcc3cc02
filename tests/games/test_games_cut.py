"""Cutting games into groups: eligibility to the ply, no game twice, order of no account."""

import io
import itertools
import re

import chess
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.compression import zstd
from workbench.errors import GameFileError, InvalidArgumentError, UnfilledGroupError
from workbench.games.cut import cut_games
from workbench.games.pgn import Game, scan_games, scan_texts, split_games
from workbench.games.selection import bands_for, fair_counts, number_of
from workbench.games.synthetic_boards import random_games
from workbench.tables.parquet_tables import POSITIONS, read_table, write_table

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
        "environment": "chess",
        "initial_state": "",
        "movetext": "1. e4 e5 2. Nf3 Nc6",
        "moves": "e2e4 e7e5 g1f3 b8c6",
        "true_state": "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
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


@pytest.mark.slow
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
    assert cut.summary.taken == {1: 1}
    assert len(cut.positions) == 1


def test_a_copy_spelled_otherwise_takes_no_place_from_others(tmp_path):
    path = tmp_path / "games.pgn"
    spellings = ["1. e4 e5 2. Nf3 *", "1. e2e4 e5 2. Nf3 *", "1. e4 e7e5 2. Ng1f3 *"]
    others = ["1. d4 d5 2. c4 *", "1. c4 c5 2. d4 *"]
    path.write_text("".join(f'[Event "?"]\n\n{text}\n\n' for text in spellings + others))
    for seed in range(5):
        cut = cut_games(path, groups=(1,), per_group=3, seed=seed)
        assert cut.summary.taken == {1: 3}
        assert cut.positions["game_id"].is_unique


def test_an_illegal_game_is_counted_and_the_next_takes_its_place(tmp_path):
    path = tmp_path / "games.pgn"
    illegal = '[Event "?"]\n\n1. e4 e5 2. Ke3 d5 3. c3 c6 *\n\n'
    path.write_text("".join(map(as_pgn, GAMES[:4])) + illegal + as_pgn(GAMES[4]))
    cut = cut_games(path, groups=(1,), per_group=5, seed=0)
    assert cut.summary.refused == {"illegal_move": 1}
    assert len(cut.positions) == 5
    assert "games.pgn#5" in cut.summary.describe()


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100), st.integers(0, 12))
def test_the_choice_does_not_depend_on_the_reserve(tmp_path_factory, seed, reserve):
    """Illegal games of every number: with too small a reserve the files are read again."""
    path = tmp_path_factory.mktemp("reserve") / "games.pgn"
    bad = [f"1. {file}4 Ke{rank} 2. a3 a6 3. a4 *" for file in "abcdefgh" for rank in (3, 4, 5)]
    texts = [as_pgn(game) for game in GAMES] + [f'[Event "?"]\n\n{t}\n\n' for t in bad]
    path.write_text("".join(texts))
    settings = {"groups": (1, 2, 6), "per_group": 9, "seed": seed}
    ample = cut_games(path, reserve=1000, **settings)
    tight = cut_games(path, reserve=reserve, **settings)
    assert ample.summary.passes == 1
    assert tight.positions.equals(ample.positions)
    assert tight.summary.refused == ample.summary.refused
    assert set(ample.summary.taken.values()) == {9}


def illegal_games(path, count):
    squares = [f"{file}{rank}" for file in "abcdefgh" for rank in "45678"]
    bad = [f'[Event "?"]\n\n1. Q{one} Q{two} 2. a3 *\n\n' for one in squares for two in squares]
    path.write_text("".join(bad[:count]) + "".join(map(as_pgn, GAMES)))


def test_files_are_read_again_where_the_reserve_is_used_up(tmp_path):
    path = tmp_path / "games.pgn"
    illegal_games(path, 1000)
    settings = {"groups": (1,), "per_group": 40, "seed": 0}
    cut = cut_games([path], reserve=0, **settings)
    assert cut.summary.passes > 1
    assert cut.summary.taken == {1: 40}
    assert cut.summary.read == 1040
    assert cut.summary.refused == cut_games(path, reserve=2000, **settings).summary.refused
    with pytest.raises(InvalidArgumentError, match="reserve of 0 were refused"):
        cut_games(scan_games(path), reserve=0, **settings)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 14), st.lists(st.integers(1, 18), min_size=1, max_size=4, unique=True))
def test_the_groups_are_filled_whenever_that_is_possible(per_group, cuts):
    """By Hall: each set of the longest groups has as many games as it needs, and no other case."""
    possible = all(
        sum(game.plies > 2 * cut for game in GAMES) >= per_group * sum(c >= cut for c in cuts)
        for cut in cuts
    )
    cut = cut_games(GAMES, groups=cuts, per_group=per_group, seed=1, allow_unfilled=True)
    assert (set(cut.summary.taken.values()) == {per_group}) == possible


def test_the_choice_is_the_lowest_numbers_left(tmp_path):
    """Against the definition, with every game sorted: longest group first."""
    path = tmp_path / "games.pgn"
    path.write_text("".join(map(as_pgn, GAMES)))
    left = sorted(scan_games(path), key=lambda game: number_of(game, 7))
    expected = {}
    for group in (9, 5, 2):
        chosen = [game for game in left if game.plies > 2 * group][:5]
        left = [game for game in left if game not in chosen]
        expected[group] = {game.source for game in chosen}
    cut = cut_games(path, groups=(2, 5, 9), per_group=5, seed=7, reserve=0)
    found = cut.positions.groupby("group")["source"].agg(set).to_dict()
    assert found == expected


def test_no_more_games_are_held_than_can_be_needed():
    bands = bands_for((2, 5), games=3, reserve=1)
    assert [bands[cut].capacity for cut in (2, 5)] == [4, 7]
    for game in GAMES * 2:
        bands[2].offer(number_of(game, 0), game)
        assert len(bands[2]) <= 4
        assert len(bands[2]._highest_first) == len(bands[2])
    numbers = sorted(number_of(game, 0) for game in GAMES)
    assert sorted(number for number, _ in bands[2].games()) == numbers[:4]
    assert bands[2].horizon == numbers[4]
    assert bands[2].further_copies() == 4


def test_copies_in_any_order_give_the_same_row():
    copies = [Game(GAMES[5].moves, name) for name in ("b", "a", "c")]
    for order in (copies, copies[::-1]):
        cut = cut_games([*order, *GAMES[6:9]], groups=(2,), per_group=4, seed=0)
        assert cut.summary.duplicates == 2
        assert {"a"} == set(cut.positions["source"]) - {game.source for game in GAMES}


def test_a_cut_with_no_rows_is_still_a_table(tmp_path):
    cut = cut_games([], groups=(2,), per_group=1, seed=0, allow_unfilled=True)
    write_table(cut.positions, tmp_path / "empty.parquet", POSITIONS)
    assert list(read_table(tmp_path / "empty.parquet", POSITIONS).columns) == POSITIONS.names


def test_movetext_is_what_python_chess_writes():
    cut = cut_games(GAMES, groups=(2, 6), per_group=8, seed=0)
    for row in cut.positions.itertuples():
        board = chess.Board()
        moves = [chess.Move.from_uci(move) for move in row.moves.split()]
        assert row.movetext == board.variation_san(moves)
        for move in moves:
            board.push(move)
        assert row.true_state == board.fen()
        assert len(moves) == row.ply == 2 * row.group


def test_a_compressed_file_fills_the_five_groups(tmp_path):
    """Two games of each length on either side of each cut: 5, 16, 27, 38 and 50 full moves."""
    lengths = [cut + more for cut in (10, 32, 54, 76, 100) for more in (0, 1)] * 2
    games = [
        Game(game.moves[:length], game.source)
        for game, length in zip(random_games(20, 101, seed=2), lengths, strict=True)
    ]
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(zstandard.compress("".join(map(as_pgn, games)).encode()))
    cut = cut_games(path, per_group=2, seed=0)
    assert cut.summary.read == 20
    assert cut.summary.eligible == {5: 18, 16: 14, 27: 10, 38: 6, 50: 2}
    assert cut.summary.taken == {5: 2, 16: 2, 27: 2, 38: 2, 50: 2}
    assert cut.positions["game_id"].is_unique


def test_a_group_that_cannot_be_filled_is_named_or_allowed():
    with pytest.raises(UnfilledGroupError, match=r"expected 39 games.*15 full moves: \d+"):
        cut_games(GAMES, groups=(1, 15), per_group=39, seed=0)
    cut = cut_games(GAMES, groups=(1, 15), per_group=39, seed=0, allow_unfilled=True)
    assert cut.summary.taken[15] == cut.summary.eligible[15] < 39
    assert len(cut.positions) == 40
    cut = cut_games(GAMES, groups=(1, 4), per_group=39, seed=0, allow_unfilled=True)
    assert cut.summary.taken == {1: 20, 4: 20}


FEW = GAMES[:18]


def with_illegal_games_and_copies():
    """`FEW` as scanned, a copy of each in another spelling, and eight illegal games."""
    illegal = [f"1. {file}4 Ke5 2. a3 a6 3. a4 a5 4. b3 b6 5. b4 *" for file in "abcdefgh"]
    copies = [re.sub(r"1\. (N?)(\w+)", longer, as_pgn(game), count=1) for game in FEW]
    texts = [*map(as_pgn, FEW), *copies, *(f'[Event "?"]\n\n{text}\n\n' for text in illegal)]
    return list(scan_texts(split_games(io.StringIO("".join(texts))), "games"))


def longer(first):
    """The same first move with the square it leaves."""
    (move,) = (
        move for move in chess.Board().legal_moves if chess.Board().san(move) == first[0][3:]
    )
    return f"1. {first[1]}{chess.square_name(move.from_square)}{chess.square_name(move.to_square)}"


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True),
    st.sampled_from(["white", "black", "both"]),
)
def test_max_is_the_most_that_all_groups_can_have(groups, side):
    """By Hall, as above; illegal games and copies in other spellings only the choice finds."""
    games = with_illegal_games_and_copies()
    less = {"white": [0], "black": [1], "both": [0, 1]}[side]
    plies = [2 * group - each for group in groups for each in less]
    most = len(less) * min(
        sum(game.plies > ply for game in FEW) // sum(each >= ply for each in plies) for ply in plies
    )
    settings = {"groups": groups, "seed": 3, "side_to_move": side}
    found = cut_games(games, per_group="max", **settings)
    assert found.per_group == most > 0
    assert set(found.summary.taken.values()) == {most}
    assert found.positions.equals(cut_games(games, per_group=most, **settings).positions)
    with pytest.raises(UnfilledGroupError, match=rf"--per-group {most}, or --per-group max"):
        cut_games(games, per_group=most + len(less), **settings)


def test_max_names_a_group_that_no_game_is_long_enough_for():
    with pytest.raises(
        UnfilledGroupError, match=r"got for 30 full moves: 0;.*leave out the groups"
    ):
        cut_games(GAMES, groups=(2, 30), per_group="max", seed=0)
    with pytest.raises(InvalidArgumentError, match="allow_unfilled"):
        cut_games(GAMES, groups=(2,), per_group="max", seed=0, allow_unfilled=True)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 5))
def test_few_games_are_shared_out_fairly(longest_for, most):
    """Against every way to share them out: no group can be given more without a smaller one's loss."""
    eligible = {cut: sum(longest_for[cut:]) for cut in range(len(longest_for))}

    def possible(counts):
        return (
            all(sum(counts[cut:]) <= number for cut, number in eligible.items())
            and max(counts) <= most
        )

    ways = filter(possible, itertools.product(range(most + 1), repeat=len(longest_for)))
    fairest = max(sorted(way) for way in ways)
    found = fair_counts(eligible, most)
    assert possible([found[cut] for cut in eligible])
    assert sorted(found.values()) == fairest


def test_a_file_that_breaks_off_is_an_error_or_counted(tmp_path):
    path = tmp_path / "games.pgn.zst"
    whole = zstd.compress("".join(map(as_pgn, GAMES[:20])).encode())
    path.write_bytes(whole + zstd.compress(as_pgn(GAMES[20]).encode())[:-5])
    with pytest.raises(GameFileError, match=r"\(\d+ games were read before\)"):
        cut_games(path, groups=(1,), per_group=5, seed=0)
    cut = cut_games(path, groups=(1,), per_group=5, seed=0, allow_truncated=True)
    assert len(cut.positions) == 5
    assert "broke off" in cut.summary.describe()
    with pytest.raises(GameFileError, match="nowhere"):
        cut_games(tmp_path / "nowhere.pgn", groups=(1,), per_group=1, seed=0, allow_truncated=True)


@pytest.mark.parametrize(
    "bad",
    [
        {"groups": ()},
        {"groups": (3, 3)},
        {"groups": (0,)},
        {"per_group": 0},
        {"seed": -1},
        {"reserve": -1},
    ],
)
def test_numbers_out_of_range_are_named(bad):
    with pytest.raises(InvalidArgumentError, match=r"expected"):
        cut_games(GAMES, **({"groups": (2,), "per_group": 1, "seed": 0} | bad))


def test_the_ten_groups():
    games = list(random_games(20, 101, seed=4))
    cut = cut_games(games, groups=range(5, 51, 5), per_group=2, seed=0)
    assert list(cut.summary.taken.values()) == [2] * 10
