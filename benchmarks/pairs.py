"""Positions of real games, and pairs of boards made from them."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import chess
import chess.pgn

from workbench.compression import zstd

GAMES: Final = Path(__file__).parents[2] / "shared" / "data" / "lichess" / "lichess_games.pgn.zst"
CUTS: Final = (5, 16, 27, 38, 50)
"""Full moves after which a game gives a position, as the paper's groups."""

KINDS: Final = ("removed", "moved", "added", "recoloured", "castling changed", "side changed")
"""What makes the boards of a near pair differ."""

Pair = tuple[str, str]


def positions(count: int, seed: int) -> tuple[list[str], str]:
    """Return FENs of positions at the cuts, and where they come from.

    Args:
        count: How many.
        seed: Of their order, and of the random games played where there are no real ones.
    """
    rng = random.Random(seed)
    found: list[str] = []
    source = "games of Lichess, 2017" if GAMES.exists() else "games of random moves"
    for moves in _real_games() if GAMES.exists() else _random_games(rng):
        board = chess.Board()
        for ply, move in enumerate(moves):
            if ply in {2 * cut for cut in CUTS}:
                found.append(board.fen())
            board.push(move)
        if len(found) >= count:
            break
    if len(found) < count:
        raise ValueError(
            f"expected {count} positions, the {source} give {len(found)}; ask for less"
        )
    rng.shuffle(found)
    return found[:count], source


def _real_games() -> Iterator[list[chess.Move]]:
    with zstd.open(GAMES, "rt", encoding="utf-8") as text:
        while (game := chess.pgn.read_game(text)) is not None:
            yield list(game.mainline_moves())


def _random_games(rng: random.Random) -> Iterator[list[chess.Move]]:
    while True:
        board = chess.Board()
        while board.ply() <= 2 * CUTS[-1] and (moves := list(board.generate_legal_moves())):
            board.push(rng.choice(moves))
        yield list(board.move_stack)


def near_pairs(fens: list[str], seed: int) -> dict[str, list[Pair]]:
    """Return for each kind the pairs (true, predicted) that can be made, the kinds in turn."""
    rng = random.Random(seed)
    pairs: dict[str, list[Pair]] = {kind: [] for kind in KINDS}
    turn = 0
    for fen in fens:
        kind = KINDS[turn % len(KINDS)]
        changed = _changed(chess.Board(fen), kind, rng)
        if changed is None:
            # Only castling cannot always be changed; such a position serves the next kind.
            turn += 1
            kind = KINDS[turn % len(KINDS)]
            changed = _changed(chess.Board(fen), kind, rng)
        if changed is not None:
            pairs[kind].append((fen, changed))
        turn += 1
    return pairs


def unrelated_pairs(fens: list[str]) -> list[Pair]:
    """Return pairs of consecutive positions."""
    return list(zip(fens[::2], fens[1::2], strict=False))


def _changed(board: chess.Board, kind: str, rng: random.Random) -> str | None:
    men = list(chess.SquareSet(board.occupied & ~board.kings))
    empty = list(chess.SquareSet(~board.occupied & chess.BB_ALL))
    if kind == "side changed":
        board.turn = not board.turn
    elif kind == "castling changed":
        if not board.castling_rights:
            return None
        board.castling_rights = chess.BB_EMPTY
    elif kind == "added":
        piece = chess.Piece(rng.choice(chess.PIECE_TYPES[:-1]), rng.choice(chess.COLORS))
        board.set_piece_at(rng.choice(empty), piece)
    elif not men:
        return None
    else:
        square = rng.choice(men)
        piece = board.remove_piece_at(square)
        assert piece is not None
        if kind == "moved":
            board.set_piece_at(rng.choice(empty), piece)
        elif kind == "recoloured":
            board.set_piece_at(square, chess.Piece(piece.piece_type, not piece.color))
    return board.fen(en_passant="fen")
