"""PGN streams: every game yielded or refused by name, every broken file an error."""

import gzip
from pathlib import Path

import chess
import pytest
import zstandard

from workbench.errors import GameFileError
from workbench.games.pgn import Game, RefusedGame, scan_games
from workbench.games.random_play import random_games

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "lichess" / "lichess_games.pgn.zst"
SCHOLAR = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"
SCHOLAR_UCI = ("e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7")


def pgn(movetext, **headers):
    lines = [f'[{name} "{value}"]' for name, value in {"Event": "?", **headers}.items()]
    return "\n".join(lines) + f"\n\n{movetext}\n\n"


def write(folder, text, name="games.pgn"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def only(path):
    (game,) = scan_games(path)
    return game


def test_moves_come_out_of_comments_variations_and_marks(tmp_path):
    movetext = (
        "1. e4! { [%clk 0:01:00] a comment (with 1. d4) } e5 $1 (1... c5 2. Nf3 (2. c3 d5) 2... d6) "
        "2. Bc4 ; the rest of a line 2... d6\n2... Nc6?? 3. Qh5?! Nf6 4. Qxf7# 1-0"
    )
    game = only(write(tmp_path, pgn(movetext)))
    assert game.plies == 7
    assert game.has_result
    assert game.replay().moves == SCHOLAR_UCI


def test_the_same_moves_are_the_same_game_wherever_they_stand(tmp_path):
    text = pgn(SCHOLAR, Site="https://lichess.org/abcd1234") + pgn("1. d4 d5 1/2-1/2")
    one, other = scan_games(write(tmp_path, text))
    assert one.source == "abcd1234"
    assert other.source == "games.pgn#2"
    assert one.replay().game_id == Game(SCHOLAR_UCI, "elsewhere").game_id
    assert one.replay().game_id != other.replay().game_id


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        (pgn("1. e4 e5 2. Ke3 1-0"), "illegal_move", "Ke3"),
        (pgn("1. e4 -- 2. e5 1-0"), "illegal_move", "null move"),
        (pgn("1. e4 1-0", Variant="Atomic"), "variant", "Atomic"),
        (pgn("1. e4 1-0", Variant="Nonsense"), "variant", "Nonsense"),
        (pgn("1. Kd2 1-0", FEN="4k3/8/8/8/8/8/8/4K3 w - - 0 1", SetUp="1"), "custom_start", "4k3"),
        (pgn("1. e4 1-0", FEN="broken", SetUp="1"), "custom_start", "broken"),
        (pgn("1-0", Result="1-0"), "no_moves", "1-0"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, text, reason, detail):
    game = only(write(tmp_path, text))
    refused = game if isinstance(game, RefusedGame) else game.replay()
    assert isinstance(refused, RefusedGame)
    assert refused.reason == reason
    assert detail in refused.detail


def test_a_refused_game_does_not_take_others_with_it(tmp_path):
    text = pgn(SCHOLAR) + pgn("1. e4 1-0", Variant="Atomic") + pgn("1. e4 e5 2. Ke3 1-0")
    games = list(scan_games(write(tmp_path, text + pgn(SCHOLAR))))
    assert [isinstance(game, RefusedGame) for game in games] == [False, True, False, False]
    assert games[3].replay().moves == SCHOLAR_UCI


def test_a_start_position_written_out_is_no_custom_start(tmp_path):
    game = only(write(tmp_path, pgn(SCHOLAR, FEN=chess.STARTING_FEN, SetUp="1")))
    assert game.replay().moves == SCHOLAR_UCI


def test_a_text_that_ends_in_mid_game_is_a_game_without_a_result(tmp_path):
    game = only(write(tmp_path, pgn(SCHOLAR)[: -len(" Nf6 4. Qxf7# 1-0\n\n")]))
    assert game.plies == 5
    assert not game.has_result


def test_compressed_files_of_several_frames_read_alike(tmp_path):
    texts = [pgn(SCHOLAR, Site=f"https://lichess.org/game{index}") for index in range(30)]
    plain = write(tmp_path, "".join(texts))
    gz = tmp_path / "games.pgn.gz"
    gz.write_bytes(b"".join(gzip.compress(text.encode()) for text in texts))
    zst = tmp_path / "games.pgn.zst"
    zst.write_bytes(b"".join(zstandard.compress(text.encode()) for text in texts))
    unnamed = tmp_path / "games"
    unnamed.write_bytes(zst.read_bytes())
    expected = list(scan_games(plain))
    assert len(expected) == 30
    for path in (gz, zst, unnamed):
        assert list(scan_games(path)) == expected


@pytest.mark.parametrize("ending", ["gz", "zst"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.999])
def test_compressed_data_cut_at_any_byte_is_an_error_after_what_was_whole(tmp_path, ending, share):
    text = "".join(
        pgn(" ".join(f"{index}. Nf3 Nf6 {index}. Ng1 Ng8" for index in range(1, 30)) + " *",
            Site=f"https://lichess.org/{seed:08d}")
        for seed in range(400)
    )  # fmt: skip
    compress = gzip.compress if ending == "gz" else zstandard.compress
    data = compress(text.encode())
    path = tmp_path / f"games.pgn.{ending}"
    path.write_bytes(data[: int(len(data) * share)])
    read = []
    with pytest.raises(GameFileError, match="ends in the middle"):
        read.extend(scan_games(path))
    for game in scan_games_until_broken(path):
        assert game.source.isdigit()


def scan_games_until_broken(path):
    games = scan_games(path)
    while True:
        try:
            yield next(games)
        except (GameFileError, StopIteration):
            return


def test_games_before_the_break_are_yielded(tmp_path):
    whole = zstandard.compress(pgn(SCHOLAR).encode() * 3)
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(whole + zstandard.compress(pgn(SCHOLAR).encode() * 3)[:20])
    assert len(list(scan_games_until_broken(path))) >= 2


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_file_that_is_not_what_its_name_says_is_named(tmp_path, ending):
    path = write(tmp_path, pgn(SCHOLAR), f"games.pgn.{ending}")
    with pytest.raises(GameFileError, match=r"games\.pgn.*\[Eve"):
        list(scan_games(path))


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_garbage_behind_the_magic_is_named(tmp_path, ending):
    magic = b"\x1f\x8b\x08\x00" if ending == "gz" else b"\x28\xb5\x2f\xfd"
    path = tmp_path / f"games.pgn.{ending}"
    path.write_bytes(magic + bytes(range(256)) * 4)
    with pytest.raises(GameFileError, match="broken"):
        list(scan_games(path))


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(GameFileError, match=r"nowhere\.pgn"):
        list(scan_games(tmp_path / "nowhere.pgn"))
    with pytest.raises(GameFileError, match=str(tmp_path)):
        list(scan_games(tmp_path))


def test_no_games_are_no_error(tmp_path):
    assert list(scan_games(write(tmp_path, ""))) == []
    assert list(scan_games(write(tmp_path, "\n\n\n"))) == []


def test_bytes_that_are_no_text_lose_no_game(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_bytes(pgn(SCHOLAR, White="M\u00fcller").encode("latin-1") + pgn(SCHOLAR).encode())
    assert [game.replay().moves for game in scan_games(path)] == [SCHOLAR_UCI] * 2


def test_nothing_is_printed_or_logged(tmp_path, caplog, capfd):
    only(write(tmp_path, pgn("1. e4 e5 2. Ke3 1-0"))).replay()
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


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


@pytest.mark.skipif(not SHARED.exists(), reason="the shared Lichess games are not here")
def test_real_games_replay_to_their_own_end():
    for game, _ in zip(scan_games(SHARED), range(200), strict=False):
        replayed = game.replay()
        assert isinstance(replayed, Game)
        assert replayed.plies == game.plies
