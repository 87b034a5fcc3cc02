"""PGN streams: every game yielded or refused by name, every broken file an error."""

import bz2
import gzip
import io
import re
import time
import tracemalloc
from itertools import islice
from pathlib import Path

import chess
import chess.pgn
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import GameFileError
from workbench.games.movetext import leaves_comment_open, lines_of
from workbench.games.pgn import (
    GAME_CHARACTERS,
    Game,
    RefusedGame,
    scan_games,
    scan_texts,
    split_games,
)
from workbench.games.random_play import random_games
from workbench.games.streams import open_pgn

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "lichess" / "lichess_games.pgn.zst"
COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstandard.compress}
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
        (pgn("1. e4 1-0", SetUp="1"), "custom_start", "without a FEN"),
        (pgn("1. e4 1-0", FEN=chess.STARTING_FEN[:-3] + "4 9"), "custom_start", "4 9"),
        (
            pgn("1. e4 1-0").replace("]", ' ] [SetUp "1"] [FEN "8/8/8 w - -"]'),
            "custom_start",
            "8/8",
        ),
        ('[Event "?"]\n[FEN "4k3/8\n\n1. e4 1-0\n', "broken_header", "FEN"),
        (pgn("1. Nf3 Nf6 2. Nh9 Ng8 3. Ng1 1-0"), "unreadable_moves", "'Nh9' at move 2"),
        (pgn("1. e4 e5 ) 2. Nf3 1-0"), "unreadable_moves", "')'"),
        (pgn("1. Sf3 Sf6 1-0"), "unreadable_moves", "'Sf3' at move 1"),
        (pgn("1. Nf3 Nf6 9. Ng1 Ng8 1-0"), "misnumbered_moves", "number 2 before 'Ng1', got 9"),
        (pgn("<html><body>404 Not Found</body></html>"), "unreadable_moves", "<html>"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, text, reason, detail):
    game = only(write(tmp_path, text))
    refused = game if isinstance(game, RefusedGame) else game.replay()
    assert isinstance(refused, RefusedGame)
    assert refused.reason == reason
    assert detail in refused.detail


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0 1. d4 d5 1/2-1/2",
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n1. d4 d5 1/2-1/2",
        "1. e4 e5 2. Bc4 Nc6\n\n3. Qh5 Nf6 4. Qxf7# 1-0\n\n1. d4 d5 1/2-1/2\n",
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#\n\n1. d4 d5 1/2-1/2\n",
        pgn("1.e4 e5 2.Bc4 Nc6 3.Qh5 Nf6 4.Qxf7#") + pgn("1 d4 d5 1/2-1/2"),
        pgn("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0").rstrip() + "\n" + pgn("1. d4 d5 *"),
        pgn("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# { no end") + pgn("1. d4 d5 *"),
        pgn("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# ( 4. d3 1-0") + pgn("1. d4 d5 *"),
        pgn("1. e4 ; { is no comment\ne5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0") + pgn("1. d4 d5 *"),
        pgn("1. e4 { as in 1. d4 1-0\n\n1. c4 } e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0")
        + pgn("1. d4 d5 *"),
        pgn("1. e4 {\n\n[%clk 1]\n}\n1... e5 2. Bc4 Nc6\n% {\n3. Qh5 Nf6 4. Qxf7# 1-0")
        + pgn("1. d4 d5 *"),
    ],
)
def test_games_are_told_apart_however_they_are_written(tmp_path, text):
    one, other = scan_games(write(tmp_path, text))
    assert one.replay().moves == SCHOLAR_UCI
    assert other.replay().moves == ("d2d4", "d7d5")


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("1. e4 e5", False, False),
        ("1. e4 e5", True, True),
        ("1. e4 {", False, True),
        ("ends } 1. e4", True, False),
        ("ends } 1. e4 { begins", True, True),
        ("{ one } { two { } e5", False, False),
        ("1. e4 ; { no comment in braces", False, False),
        ("1. e4 { a; b", False, True),
        ("% { escaped", False, False),
        ("% { not escaped, inside", True, True),
    ],
)
def test_a_comment_in_braces_is_followed_over_lines(line, before, after):
    assert leaves_comment_open(line + "\n", before) == after


def test_a_game_behind_a_result_is_not_named_after_the_one_before(tmp_path):
    site = "https://lichess.org/abcd1234"
    two = "1. e4 e5 1-0 1. d4 d5 *"
    games = scan_games(write(tmp_path, pgn(two, Site=site) + pgn(two, Site=site, Variant="Atomic")))
    named = [(game.index, game.source, isinstance(game, RefusedGame)) for game in games]
    assert named == [
        (1, "abcd1234", False),
        (2, "games.pgn#2", False),
        (3, "abcd1234", True),
        (4, "games.pgn#4", True),
    ]


def test_headers_without_a_game_are_not_lent_to_the_next(tmp_path):
    empty = '[Event "?"]\n[FEN "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]\n\n\n'
    one, other = scan_games(write(tmp_path, empty + pgn(SCHOLAR)))
    assert (one.index, one.reason) == (1, "custom_start")
    assert other.replay().moves == SCHOLAR_UCI


def test_castling_by_zeros_and_en_passant_in_words(tmp_path):
    text = pgn("1. e4 a6 2. e5 d5 3. exd6 e.p. Nf6 4. Nf3 g6 5. Be2 Bg7 6. 0-0 0-0 7. d4 *")
    game = only(write(tmp_path, text))
    assert game.plies == 13
    assert game.replay().moves[10:12] == ("e1g1", "e8g8")


GAP = st.sampled_from([
    " ", "\n", " { a (comment) 1. a4; with [%clk 0:01:00] } ", " $12 ", " (1. a4 (1. a3 {)} b6) *) ",
    " ; 1. a4 {\n", "\n% { escaped\n", " {\n\n[%eval 0.1]\n} ", " ! ", " +- ",
])  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.tuples(GAP, GAP, GAP), min_size=20, max_size=20))
def test_nothing_between_the_moves_changes_them(seed, gaps):
    (game,) = random_games(1, 40, seed)
    board = chess.Board()
    text = ""
    for number, (first, second, third) in enumerate(gaps, 1):
        sans = [
            board.san_and_push(chess.Move.from_uci(m)) for m in game.moves[2 * number - 2 :][:2]
        ]
        text += f"{number}.{first}{sans[0]}{second}{number}...{sans[1]}{third}"
    (line,) = lines_of(text + " 1-0")
    plain = re.sub("[+#]", "", re.sub(r"\d+\. ", "", chess.Board().variation_san(moves_of(game))))
    assert (line.moves, line.plies, line.has_result, line.reason) == (plain, 40, True, "")


def moves_of(game):
    return [chess.Move.from_uci(move) for move in game.moves]


def test_a_refused_game_does_not_take_others_with_it(tmp_path):
    text = pgn(SCHOLAR) + pgn("1. e4 1-0", Variant="Atomic") + pgn("1. e4 e5 2. Ke3 1-0")
    games = list(scan_games(write(tmp_path, text + pgn(SCHOLAR))))
    assert [isinstance(game, RefusedGame) for game in games] == [False, True, False, False]
    assert games[3].replay().moves == SCHOLAR_UCI


def test_a_start_position_written_out_is_no_custom_start(tmp_path):
    game = only(write(tmp_path, pgn(SCHOLAR, FEN=chess.STARTING_FEN, SetUp="1")))
    assert game.replay().moves == SCHOLAR_UCI


def test_a_text_that_ends_in_mid_game_is_a_game_without_a_result(tmp_path):
    game = only(write(tmp_path, pgn(SCHOLAR)[: -len("Nf6 4. Qxf7# 1-0\n\n")]))
    assert game.plies == 5
    assert not game.has_result


@pytest.mark.parametrize("ending", ["e4 e5 2. Nf3 Nc6 3. O-O-O", "e4 e5 2. Nf3 Nc6 3. B"])
def test_a_word_that_the_end_of_the_file_touches_is_not_taken_for_whole(tmp_path, ending):
    game = only(write(tmp_path, f"1. {ending}"))
    assert game.replay().moves == ("e2e4", "e7e5", "g1f3", "b8c6")


def test_text_cut_at_any_byte_gives_no_wrong_move(tmp_path):
    text = pgn(SCHOLAR, Site="https://lichess.org/abcd1234")
    text += pgn("1. d4 {x} d5 2. Qd3 Qd6 3. Bf4 Bf5 4. Nc3 Nc6 5. O-O-O (5. e3) O-O-O 1/2-1/2")
    true = [game.replay().moves for game in scan_games(write(tmp_path, text))]
    flags = set()
    for size in range(len(text)):
        for index, game in enumerate(scan_games(write(tmp_path, text[:size]))):
            if isinstance(game, RefusedGame):
                assert game.reason in ("no_moves", "broken_header")
                continue
            moves = game.replay().moves
            assert moves == true[index][: len(moves)]
            assert moves == true[index] or not game.has_result
            flags.add(game.has_result)
    assert flags == {True, False}


def test_compressed_files_of_several_frames_read_alike(tmp_path):
    texts = [pgn(SCHOLAR, Site=f"https://lichess.org/game{index}") for index in range(30)]
    plain = write(tmp_path, "".join(texts))
    gz = tmp_path / "games.pgn.gz"
    gz.write_bytes(b"".join(gzip.compress(text.encode()) for text in texts) + bytes(512))
    zst = tmp_path / "games.pgn.zst"
    zst.write_bytes(b"".join(zstandard.compress(text.encode()) for text in texts))
    bz = tmp_path / "games.pgn.bz2"
    bz.write_bytes(b"".join(bz2.compress(text.encode()) for text in texts))
    unnamed = tmp_path / "games"
    unnamed.write_bytes(zst.read_bytes())
    # As pzstd writes it: a skippable frame before each frame.
    skipping = tmp_path / "skipping.pgn.zst"
    frames = [zstandard.compress(text.encode()) for text in texts]
    size = [len(frame).to_bytes(4, "little") for frame in frames]
    header = b"\x50\x2a\x4d\x18\x04\x00\x00\x00"
    skipping.write_bytes(b"".join(header + n + f for n, f in zip(size, frames, strict=True)))
    marked = tmp_path / "marked.pgn"
    marked.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    windows = tmp_path / "windows.pgn"
    windows.write_bytes(plain.read_bytes().replace(b"\n", b"\r\n"))
    wide = tmp_path / "wide.pgn"
    wide.write_bytes(plain.read_text().encode("utf-16"))
    expected = list(scan_games(plain))
    assert len(expected) == 30
    for path in (gz, bz, zst, wide, unnamed, skipping, marked, windows):
        assert list(scan_games(path)) == expected


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.999])
def test_compressed_data_cut_at_any_byte_is_an_error_after_what_was_whole(tmp_path, ending, share):
    text = "".join(
        pgn(" ".join(f"{index}. Nf3 Nf6 {index + 1}. Ng1 Ng8" for index in range(1, 59, 2)) + " *",
            Site=f"https://lichess.org/{seed:08d}")
        for seed in range(400)
    )  # fmt: skip
    data = COMPRESS[ending](text.encode())
    path = tmp_path / f"games.pgn.{ending}"
    path.write_bytes(data[: int(len(data) * share)])
    read = []

    def read_on():
        for game in scan_games(path):
            read.append(game)

    with pytest.raises(GameFileError, match="ends in the middle") as caught:
        read_on()
    assert f"({len(read)} games were read before)" in str(caught.value)
    assert [game.source for game in read] == [f"{seed:08d}" for seed in range(len(read))]
    assert all(game.plies == 116 for game in read)


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_what_stands_behind_whole_data_is_not_left_out(tmp_path, ending):
    path = tmp_path / f"games.pgn.{ending}"
    path.write_bytes(COMPRESS[ending](pgn(SCHOLAR).encode()) + b"no data")
    games = scan_games(path)
    assert next(games).plies == 7
    with pytest.raises(GameFileError, match=r"is broken.*\(1 games were read before\)"):
        next(games)


def test_games_before_the_break_are_yielded(tmp_path):
    whole = zstandard.compress(pgn(SCHOLAR).encode() * 3)
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(whole + zstandard.compress(pgn(SCHOLAR).encode() * 3)[:20])
    games = scan_games(path)
    assert [next(games).plies for _ in range(3)] == [7, 7, 7]
    with pytest.raises(GameFileError, match=r"\(3 games were read before\)"):
        next(games)


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_a_file_that_is_not_what_its_name_says_is_named(tmp_path, ending):
    path = write(tmp_path, pgn(SCHOLAR), f"games.pgn.{ending}")
    with pytest.raises(GameFileError, match=r"games\.pgn.*\[Eve"):
        list(scan_games(path))


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_garbage_behind_the_magic_is_named(tmp_path, ending):
    path = tmp_path / f"games.pgn.{ending}"
    path.write_bytes(COMPRESS[ending](b"")[:4] + bytes(range(256)) * 4)
    with pytest.raises(GameFileError, match="broken"):
        list(scan_games(path))


@pytest.mark.parametrize(
    "data",
    [
        pgn(SCHOLAR).encode("utf-16-le"),
        pgn(SCHOLAR).encode("utf-32"),
        b"PK\x03\x04\x00\x00",
        b"PAR1\x15\x04",
        gzip.compress(bz2.compress(pgn(SCHOLAR).encode())),
        gzip.compress(b"\x00\x01\x02"),
    ],
    ids=["utf-16 without a mark", "utf-32", "zip", "parquet", "bzip2 in gzip", "binary in gzip"],
)
def test_what_is_no_text_is_named(tmp_path, data):
    path = tmp_path / "games.pgn"
    path.write_bytes(data)
    with pytest.raises(GameFileError, match="expected PGN text"):
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


def seconds(text):
    """The least processor time of five scans."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        list(scan_texts(split_games(io.StringIO(text)), "hostile"))
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "{" * size,
        lambda size: "1" * size,
        lambda size: "1. e4 " + "{ ( " * size,
        lambda size: "1. e4 " + "{ ; }{" * size,
        lambda size: "1. e4 " + ";{\n" * size,
        lambda size: "$1 %" * size,
        lambda size: '[Site "' + "://" * size,
        lambda size: '[Site "' + "://" * size + '"]',
        lambda size: "[Event " * size,
        lambda size: '[Event "' * size,
        lambda size: f'[FEN "{"/" * size}"]\n\n' + "* " * size,
        lambda size: f"1. e4 {'x' * 40 * size}" + "\n" * size,
    ],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(text):
    """Four times the length: some 4 times the time where it is linear, 16 where it is quadratic."""
    one, four = (seconds(text(size)) for size in (4000, 16000))
    assert four < 8 * one + 0.002


def test_variations_ten_thousand_deep_and_a_comment_of_megabytes(tmp_path):
    nested = "( 1. d4 " * 10_000 + ")" * 10_000
    game = only(write(tmp_path, pgn(f"1. e4 {nested} {{{'words ' * 500_000}}} e5 1-0")))
    assert (game.moves_written, game.has_result) == ("e4 e5", True)


@pytest.mark.parametrize("ending", ["\n", " ", "\r\n"])
def test_a_game_beyond_the_limit_of_text_is_refused_and_reading_goes_on(tmp_path, ending):
    unit = "a4 a5 b4 { [x] } " * 60 + ending
    movetext = unit * (3 * GAME_CHARACTERS // len(unit)) + "1-0"
    path = tmp_path / "games.pgn"
    path.write_bytes(
        (pgn(SCHOLAR) + pgn(movetext, Site="https://x.org/big") + pgn(SCHOLAR)).encode()
    )
    tracemalloc.start()
    try:
        games = list(scan_games(path))
        assert tracemalloc.get_traced_memory()[1] < 6 * GAME_CHARACTERS
    finally:
        tracemalloc.stop()
    assert [game.index for game in games] == [1, 2, 3]
    assert (games[1].source, games[1].reason) == ("big", "too_long")
    assert "more than 10,000,000 characters" in games[1].detail
    assert games[2].replay().moves == SCHOLAR_UCI


def test_headers_beyond_the_limit_are_refused_too(tmp_path):
    quotes = '\\"' * (GAME_CHARACTERS // 2)
    one, other = scan_games(write(tmp_path, pgn("1. e4 *", FEN=quotes) + pgn(SCHOLAR)))
    assert (one.source, one.reason) == ("games.pgn#1", "too_long")
    assert other.replay().moves == SCHOLAR_UCI


@pytest.mark.parametrize("mark", ["", "{ a comment }"])
def test_a_game_of_more_half_moves_than_chess_allows_is_refused(tmp_path, mark):
    moves = ["Nf3", "Nf6", "Ng1", "Ng8"] * 5000
    longest, longer = (
        pgn(" ".join(f"{mark} {move}" for move in [*moves, *more]) + " *") for more in ([], ["d4"])
    )
    one, two, three = scan_games(write(tmp_path, longest + longer + pgn(SCHOLAR)))
    assert one.plies == 20_000
    assert (two.reason, two.detail) == ("too_long", "more than 20,000 half-moves")
    assert three.replay().moves == SCHOLAR_UCI


def test_a_comment_that_never_ends_leaves_the_moves_before_it():
    (game,) = scan_texts([('[Site "https://lichess.org/abc/"]', "1. e4 e5 { 2. d4 * 1-0")], "x")
    assert (game.moves_written, game.has_result, game.source) == ("e4 e5", False, "abc")


@pytest.mark.skipif(not SHARED.exists(), reason="the shared Lichess games are not here")
def test_real_games_are_those_that_python_chess_reads():
    with open_pgn(SHARED) as stream:
        for game in islice(scan_games(SHARED), 200):
            expected = chess.pgn.read_game(stream)
            moves = tuple(move.uci() for move in expected.mainline_moves())
            assert game.replay() == Game(moves, expected.headers["Site"].rpartition("/")[2])
