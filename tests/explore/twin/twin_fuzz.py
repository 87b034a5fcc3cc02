"""Hold the JavaScript twin of chess to the compiled kernel on boards that cannot arise in chess.

The kernel is held to python-chess by a fuzz of its own; boards with promoted kings, which it does not
take, are compared with python-chess itself.

Run as a script: ``python tests/explore/twin/twin_fuzz.py --count 100000 --seed 1``. It prints how many
boards, moves with their successors, and pairs were compared, and each mismatch; then how far p and r
of recorded pairs are from those of the compiled kernel, and how long p_4 of near pairs takes. The exit
status is 1 if there was a mismatch.
"""

import argparse
import random
import sys
import time
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import chess
import numba
import numpy as np
import pandas as pd
from twin_process import ask

# isort: split
from kernel_boards import castling_back_ranks, change_fen, passant_squares, scattered

from workbench.affordance import exact_profile
from workbench.answers.recorded_replies import recorded_replies_path
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.environments.chess.kernel.cache import compiled_module

AT_ONCE = 5_000
PAIR_EVERY = 5
PROMOTED_EVERY = 10
ILL_FORMED = (scattered, castling_back_ranks, passant_squares)
DEPTH = 2
MOST_MOVES, WIDTH = 1792, 8
PROMOTED = 6
single = compiled_module("plain_walks")
load, store, address = single.load, single.store, single.address
CLOSE = 1e-9


@numba.njit("void(uint64[::1])")
def cleaned(row):
    """Leave out of a row the rights and the en-passant square that have no effect."""
    store(load(address(row, 0)), row[PROMOTED], row)


def promoted_kings(fen, rng):
    """Return a FEN some of whose kings are promoted, about which python-chess has rules of its own."""
    placement, _, rest = fen.partition(" ")
    signs = [sign + "~" if sign in "Kk" and rng.random() < 0.5 else sign for sign in placement]
    return f"{''.join(signs)} {rest}"


def promoted_king(fen):
    return "K~" in fen or "k~" in fen


def expected_moves(fen):
    """Return what the twin answers to a question about moves.

    Castling rights and en-passant squares without an effect are left out of the successors.
    """
    state = ChessState.from_fen(fen)
    if promoted_king(fen):
        return moves_by_python_chess(state.board())
    row = kernel.pack_states([state])[0]
    codes = np.empty(MOST_MOVES, np.uint16)
    found = np.sort(codes[: int(single.legal_codes(row, codes))])
    after = np.empty((len(found), WIDTH), np.uint64)
    for code, into in zip(found, after, strict=True):
        single.successor_row(row, np.uint64(code), into)
        cleaned(into)
    return [found.tolist(), zlib.crc32(after.tobytes())]


def moves_by_python_chess(board):
    moves = sorted(
        (move.from_square | move.to_square << 6 | (move.promotion or 0) << 12, move.uci())
        for move in board.generate_legal_moves()
    )
    after = []
    for _, uci in moves:
        board.push(chess.Move.from_uci(uci))
        state = ChessState.from_board(board)
        clean = replace(state, castling_rights=int(state.board().clean_castling_rights()))
        if not board.has_pseudo_legal_en_passant():
            clean = replace(clean, en_passant=None)
        after.append(clean)
        board.pop()
    return [[code for code, _ in moves], zlib.crc32(kernel.pack_states(after).tobytes())]


def fuzzed_boards(count, seed):
    """Yield FENs: three kinds of ill-formed boards, boards of real games with things wrong, promoted kings."""
    rng = random.Random(seed)
    real = sorted({true for true, _ in recorded_pairs(None, seed)})
    for index in range(count):
        kind = index % (len(ILL_FORMED) + 1)
        if kind < len(ILL_FORMED):
            fen = ILL_FORMED[kind](rng)
        else:
            fen = change_fen(rng, chess.Board(rng.choice(real)), rng.choice((0, 1, 1, 2, 4, 8)))
        yield promoted_kings(fen, rng) if index % PROMOTED_EVERY == 0 else fen


def run(count, seed):
    """Compare ``count`` boards, some with promoted kings, and pairs of some with a changed board."""
    done, mismatches = Counter(), []
    rng = random.Random(seed)
    fens = []
    for index, fen in enumerate(fuzzed_boards(count, seed), start=1):
        fens.append(fen)
        if len(fens) == AT_ONCE or index == count:
            mismatches += compared(fens, rng, done)
            fens = []
    return done, mismatches


def compared(fens, rng, done):
    """Yield the mismatches of boards, and count what was compared."""
    pairs = [
        (fen, change_fen(rng, chess.Board(fen), rng.choice((1, 1, 2, 3))))
        for fen in fens[1::PAIR_EVERY]
        if not promoted_king(fen)
    ]
    terminals = [rng.choice(("absorb", "drop")) for _ in pairs]
    answers = ask(
        [{"kind": "moves", "fen": fen} for fen in fens]
        + [
            {"kind": "profile", "fens": pair, "depth": DEPTH, "terminal": terminal}
            for pair, terminal in zip(pairs, terminals, strict=True)
        ]
    )
    for fen, answer in zip(fens, answers, strict=False):
        expected = expected_moves(fen)
        done["boards"] += 1
        done["moves and successors"] += len(expected[0])
        if answer != expected:
            # Where the two twins differ, python-chess decides.
            expected = moves_by_python_chess(chess.Board(fen))
            done["boards on which the kernel is wrong"] += answer == expected
        if answer != expected:
            yield f"moves of {fen}: {set(answer[0]) ^ set(expected[0]) or 'successors'}"
    for pair, terminal, answer in zip(pairs, terminals, answers[len(fens) :], strict=True):
        done["pairs"] += 1
        states = [ChessState.from_fen(fen) for fen in pair]
        found = exact_profile(
            *states, DEPTH, automaton=ChessAutomaton(), terminal=terminal, engine="compiled"
        )
        if furthest(answer, found):
            found = exact_profile(
                *states, DEPTH, automaton=ChessAutomaton(), terminal=terminal, engine="reference"
            )
            done["pairs on which the kernel is wrong"] += not furthest(answer, found)
        if far := furthest(answer, found):
            yield f"{terminal} {pair}: {far} from {found}"


def furthest(answer, found):
    """Return the largest difference of a profile from the twin's, 0 if all are close."""
    wanted = np.array([found.precision, found.recall])
    far = float(np.abs(np.array([answer["precision"], answer["recall"]]) - wanted).max())
    return far if far > CLOSE else 0.0


def recorded_pairs(count, seed):
    """Return true boards and those of real models, which differ; None takes all."""
    table = pd.read_parquet(recorded_replies_path())
    table = table[table.reply_class.isin(["valid", "ill_formed"])]
    table = table[table.true_state != table.predicted_state]
    if count is not None:
        table = table.sample(count, random_state=seed)
    return list(zip(table.true_state, table.predicted_state, strict=True))


def recorded_problems(pairs, depth=4):
    """Return where p or r of recorded pairs differs from the compiled kernel's."""
    asked = {"kind": "profile", "depth": depth, "terminal": "absorb"}
    problems = []
    for pair, answer in zip(pairs, ask([{**asked, "fens": pair} for pair in pairs]), strict=True):
        found = exact_profile(
            *map(ChessState.from_fen, pair), depth, automaton=ChessAutomaton(), engine="compiled"
        )
        if far := furthest(answer, found):
            problems.append(f"{pair}: {far} from {found}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="boards to compare")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same boards")
    arguments = parser.parse_args()
    start = time.perf_counter()
    done, mismatches = run(arguments.count, arguments.seed)
    pairs = recorded_pairs(200, arguments.seed)
    mismatches += recorded_problems(pairs)
    for mismatch in mismatches[:20]:
        print(mismatch)
    print(
        ", ".join(f"{number} {what}" for what, number in done.items())
        + f", {len(pairs)} recorded pairs at m = 4, {len(mismatches)} mismatches, "
        f"{time.perf_counter() - start:.0f} s"
    )
    near = near_pairs_of(arguments.seed)
    (times,) = ask([{"kind": "times", "pairs": near, "depth": 4}])
    median, slow = np.percentile(times, [50, 95])
    print(
        f"p_4 and r_4 of {len(near)} near pairs: median {median:.0f} ms, 95% within {slow:.0f} ms"
    )
    return int(bool(mismatches))


def near_pairs_of(seed):
    """Return pairs that differ in one thing, as the benchmarks of the kernel have them."""
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from benchmarks.pairs import near_pairs, positions

    fens, _ = positions(300, seed)
    return [pair for pairs in near_pairs(fens, seed).values() for pair in pairs]


if __name__ == "__main__":
    sys.exit(main())
