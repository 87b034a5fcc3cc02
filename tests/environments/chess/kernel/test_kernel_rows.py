import chess
import numpy as np
import pytest
from kernel_boards import boards

from workbench.environments.chess import ChessState
from workbench.environments.chess.kernel import kernel_functions as kernel
from workbench.errors import InvalidFenError

PLAIN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

# Of one to six fields, with tabs, with letters of Shredder's notation, with promoted pieces.
OTHER_FORMS = [
    "8/8/8/8/8/8/8/K6k",
    "8/8/8/8/8/8/8/K6k b",
    "8/8/8/8/8/8/8/K6k b -",
    "8/8/8/8/8/8/8/K6k w - a1",
    "8/8/8/8/8/8/8/K6k w - h8 7",
    "  8/8/8/8/8/8/8/K6k\tw  -  -  7  9 ",
    "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w AA - 0 1",
    "rr2k1rr/8/8/8/8/8/8/RR2K1RR w KQkq - 0 1",
    "rr2r1rk/8/8/8/8/8/8/KR4RR w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/4K3 b KKqq - 0 1",
    "Q~6k/8/8/8/8/8/8/K6n~ w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - +5 1_0",
    "4k3/8/8/8/8/8/8/4K3 w - - ٣ 1",
]

NOT_READ = [
    "",
    "8/8/8/8/8/8/8 w - - 0 1",
    "44/8/8/8/8/8/8/K6k w - - 0 1",
    "9/8/8/8/8/8/8/K6k w - - 0 1",
    "ppppppppp/8/8/8/8/8/8/K6k w - - 0 1",
    "7/8/8/8/8/8/8/K6k w - - 0 1",
    "x7/8/8/8/8/8/8/K6k w - - 0 1",
    "8/8/8/8/8/8/8/K6k W - - 0 1",
    "8/8/8/8/8/8/8/K6k w qK - 0 1",
    "8/8/8/8/8/8/8/K6k w KQk-q - 0 1",
    "8/8/8/8/8/8/8/K6k w - i3 0 1",
    "8/8/8/8/8/8/8/K6k w - - -1 1",
    "8/8/8/8/8/8/8/K6k w - - 0.5 1",
    "8/8/8/8/8/8/8/K6k w - - 0 1 1",
    "8/8/8/8/8/8/8/K6k w - - ² 1",
    f"8/8/8/8/8/8/8/K6k w - - 0 {'1' * 5_000}",
]


@pytest.mark.parametrize("fen", [PLAIN, *OTHER_FORMS])
def test_a_fen_is_packed_as_python_chess_reads_it(fen):
    rows = kernel.pack_fens([fen])
    assert rows.shape == (1, 8)
    assert kernel.unpack_state(rows[0]) == ChessState.from_board(chess.Board(fen))


@pytest.mark.slow
def test_random_fens_are_packed_as_python_chess_reads_them():
    fens = list(boards(2_000, seed=30))
    states = [kernel.unpack_state(row) for row in kernel.pack_fens(fens)]
    assert states == [ChessState.from_board(chess.Board(fen)) for fen in fens]


@pytest.mark.parametrize("fen", NOT_READ)
def test_what_python_chess_does_not_read_is_refused_with_its_number(fen):
    with pytest.raises(InvalidFenError, match="number 1, counted from 0") as refused:
        kernel.pack_fens([PLAIN, fen])
    assert isinstance(refused.value.__cause__.__cause__, ValueError)


def test_nothing_packs_to_no_rows():
    assert kernel.pack_fens([]).shape == kernel.pack_states([]).shape == (0, 8)


def test_only_promoted_kings_are_not_supported():
    rows = kernel.pack_fens(["K~7/8/8/8/8/8/8/k6k w - -", "Q~7/8/8/8/8/8/8/k6k w - -", PLAIN])
    assert np.array_equal(kernel.supported(rows), [False, True, True])
