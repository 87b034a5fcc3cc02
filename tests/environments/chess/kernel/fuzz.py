"""Hold the compiled kernel to python-chess on boards that cannot arise in chess.

Run as a script: ``python tests/environments/chess/kernel/fuzz.py --count 100000 --seed 1``. It prints how many boards,
moves, successors and pairs were compared, and each mismatch on the smallest board that still shows
it; the exit status is 1 if there was any.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import get_args

import chess
import numpy as np
from kernel_boards import boards, change_fen

from workbench.affordance import exact_profile
from workbench.automaton import Engine, Terminal
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.environments.chess.kernel.cache import compiled_module

CHESS = ChessAutomaton()
MOST_SHOWN = 20
Check = Callable[[str], str]


def reference_moves(state: ChessState) -> list[chess.Move]:
    return list(state.board().generate_legal_moves())


def packing_problem(fen: str) -> str:
    """Return what is wrong with the packed row of a FEN, or nothing."""
    state = ChessState.from_board(chess.Board(fen))
    row = kernel.pack_fens([fen])
    if not np.array_equal(row, kernel.pack_states([state])):
        return "pack_fens differs from python-chess"
    if kernel.unpack_state(row[0]) != state:
        return "unpack_state does not give the state back"
    return ""


def moves_problem(fen: str) -> str:
    """Return what is wrong with the move list of a board, or nothing."""
    state = ChessState.from_fen(fen)
    expected, found = reference_moves(state), kernel.legal_moves(state)
    if len(set(expected)) != len(expected):
        return "python-chess generates a move twice"
    if len(set(found)) != len(found):
        return "the kernel generates a move twice"
    missing, added = set(expected) - set(found), set(found) - set(expected)
    if missing or added:
        return f"moves missing {sorted(map(str, missing))}, too many {sorted(map(str, added))}"
    return ""


def successors_problem(fen: str) -> str:
    """Return what is wrong with the successors of a board, or nothing."""
    state = ChessState.from_fen(fen)
    row = kernel.pack_states([state])[0]
    result = np.empty_like(row)
    push = compiled_module("plain_walks").successor_row
    for move in reference_moves(state):
        board = state.board()
        board.push(move)
        code = move.from_square | move.to_square << 6 | (move.promotion or 0) << 12
        push(row, np.uint64(code), result)
        if kernel.unpack_state(result) != ChessState.from_board(board):
            return f"another successor after {move}"
    return ""


def profile_problem(fen: str, other_fen: str) -> str:
    """Return what is wrong with p and r to m = 2, whose first is the share of shared moves."""
    states = ChessState.from_fen(fen), ChessState.from_fen(other_fen)
    for terminal in get_args(Terminal):
        short, plain = (
            exact_profile(*states, 2, automaton=CHESS, terminal=terminal, engine=engine)
            for engine in get_args(Engine)[::-1]
        )
        found, expected = ([each.precision, each.recall] for each in (short, plain))
        if not np.allclose(found, expected, rtol=0, atol=1e-12):
            return f"p and r differ under {terminal}: {found}, expected {expected}"
    return ""


CHECKS: tuple[Check, ...] = (packing_problem, moves_problem, successors_problem)


def shrunk(fen: str, check: Check) -> str:
    """Return a board with as little on it as still shows the problem."""
    while True:
        placement, turn, castling, passant = fen.split()[:4]
        board = chess.Board(fen)
        smaller = [
            f"{placement} {turn} {c} {p} 0 1"
            for c, p in (("-", passant), (castling, "-"))
            if (c, p) != (castling, passant)
        ]
        for square in chess.SquareSet(board.occupied):
            fewer = chess.Board(fen)
            fewer.remove_piece_at(square)
            smaller.append(f"{fewer.board_fen(promoted=True)} {turn} {castling} {passant} 0 1")
        worse = next((candidate for candidate in smaller if check(candidate)), None)
        if worse is None:
            return fen
        fen = worse


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Compare ``count`` boards, and as many pairs; return the numbers and the mismatches."""
    done: Counter[str] = Counter()
    mismatches = []
    rng = random.Random(seed)
    before = chess.STARTING_FEN
    for fen in boards(count, seed):
        done["boards"] += 1
        done["moves and successors"] += sum(1 for _ in chess.Board(fen).generate_legal_moves())
        for check in CHECKS:
            if problem := check(fen):
                small = shrunk(fen, check)
                mismatches.append(f"{problem}: {fen}\n    smallest: {small}: {check(small)}")
        other = before
        if rng.random() < 0.8:
            other = change_fen(rng, chess.Board(fen), rng.choice((1, 1, 2, 3)))
        done["pairs"] += 1
        if problem := profile_problem(fen, other):
            small = shrunk(fen, partial(profile_problem, other_fen=other))
            mismatches.append(f"{problem}: {fen} and {other}\n    smallest: {small} and {other}")
        before = fen
    return done, mismatches


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="boards to compare")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same boards")
    arguments = parser.parse_args()
    start = time.perf_counter()
    done, mismatches = run(arguments.count, arguments.seed)
    for mismatch in mismatches[:MOST_SHOWN]:
        print(mismatch)
    print(
        ", ".join(f"{number} {what}" for what, number in done.items())
        + f", {len(mismatches)} mismatches, {time.perf_counter() - start:.0f} s"
    )
    return int(bool(mismatches))


if __name__ == "__main__":
    sys.exit(main())
