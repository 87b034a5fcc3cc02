"""Files of games: compressed, of several frames, broken, and no PGN at all."""

import bz2
import gzip

import pytest
from pgn_texts import SCHOLAR, pgn, write

from workbench.compression import zstd
from workbench.errors import GameFileError
from workbench.games.pgn import scan_games

COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstd.compress}


def test_compressed_files_of_several_frames_read_alike(tmp_path):
    texts = [pgn(SCHOLAR, Site=f"https://lichess.org/game{index}") for index in range(30)]
    plain = write(tmp_path, "".join(texts))
    gz = tmp_path / "games.pgn.gz"
    gz.write_bytes(b"".join(gzip.compress(text.encode()) for text in texts) + bytes(512))
    zst = tmp_path / "games.pgn.zst"
    zst.write_bytes(b"".join(zstd.compress(text.encode()) for text in texts))
    bz = tmp_path / "games.pgn.bz2"
    bz.write_bytes(b"".join(bz2.compress(text.encode()) for text in texts))
    unnamed = tmp_path / "games"
    unnamed.write_bytes(zst.read_bytes())
    # As pzstd writes it: a skippable frame before each frame.
    skipping = tmp_path / "skipping.pgn.zst"
    frames = [zstd.compress(text.encode()) for text in texts]
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
    whole = zstd.compress(pgn(SCHOLAR).encode() * 3)
    path = tmp_path / "games.pgn.zst"
    path.write_bytes(whole + zstd.compress(pgn(SCHOLAR).encode() * 3)[:20])
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
