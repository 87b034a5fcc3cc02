"""The published prompts, which ask for the board after the moves of a game of chess.

A published prompt never changes: another wording is another version. The wordings are ours; the
paper (arXiv 2508.19851) asks directly, from PGN to FEN, as ``pgn-direct``.
"""

from typing import Final

from workbench.asking.prompts.written_prompt import Prompt

ENVIRONMENT: Final = "chess"
TASK: Final = "state"

MOVES_HEADING: Final = "Moves:"
"""The line before the moves."""

_FEN: Final = """\
A FEN has six fields, separated by single spaces:
1. The pieces: the ranks from 8 down to 1, separated by "/", each from file a to file h. White's \
pieces are P N B R Q K, Black's p n b r q k; a digit from 1 to 8 stands for that many empty squares.
2. The side to move: w or b.
3. The castling rights that are left, in the order KQkq, or "-" if none is. A right is lost when the \
king or that rook moves, or that rook is captured, and not because castling is impossible just now.
4. The en passant square: the square that a pawn has just passed over by a double step, and only if \
an enemy pawn can legally capture it there on the next move; otherwise "-".
5. The number of half-moves since the last capture or pawn move.
6. The number of the full move: 1 at the start, and one more after each move by Black."""

_FIRST: Final = "A game of chess began from the usual first position."
_ONLY: Final = "Reply with the FEN alone, on one line."
_BLOCK: Final = f"{MOVES_HEADING}\n{{moves}}"


def _direct(said: str) -> str:
    return (
        f"{_FIRST} {said} Write the position after the last move as a FEN.\n\n{_FEN}\n\n"
        f"{_ONLY}\n\n{_BLOCK}"
    )


_AS_PGN: Final = "Its moves so far are given in PGN."
_PROMPT_PGN_DIRECT: Final = _direct(_AS_PGN)

PROMPTS: Final = (
    Prompt("pgn-direct", 1, "pgn", (_PROMPT_PGN_DIRECT,), 60),
    Prompt(
        "uci-direct",
        1,
        "uci",
        (
            _direct(
                "Its moves so far are given in UCI: each names the square that the piece leaves "
                "and the one it goes to, then the piece that a pawn becomes; castling is written "
                "as the king's move."
            ),
        ),
        60,
    ),
    Prompt(
        "san-unnumbered",
        1,
        "san",
        (
            _direct(
                "Its moves so far are given in standard algebraic notation without move numbers, "
                "White's and Black's in turn."
            ),
        ),
        60,
    ),
    Prompt(
        "few-shot",
        1,
        "pgn",
        (
            f"{_FIRST} {_AS_PGN} Write the position after the last move as a FEN.\n\n{_FEN}\n\n"
            f"{_ONLY} Three examples:\n\n"
            f"{MOVES_HEADING}\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6\n"
            "FEN:\nr1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4\n\n"
            f"{MOVES_HEADING}\n1. e4 Nf6 2. e5 d5\n"
            "FEN:\nrnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3\n\n"
            f"{MOVES_HEADING}\n1. d4 d5 2. c4 dxc4 3. Nf3 Nf6 4. e3 e6 5. Bxc4 c5 6. O-O\n"
            "FEN:\nrnbqkb1r/pp3ppp/4pn2/2p5/2BP4/4PN2/PP3PPP/RNBQ1RK1 b kq - 1 6\n\n"
            f"Now the game:\n\n{_BLOCK}",
        ),
        60,
    ),
    # As often with White as with Black to move, and games that nobody plays: those of version 1 are
    # openings, so that with odd plies one could be the very position that is asked about.
    Prompt(
        "few-shot",
        2,
        "pgn",
        (
            f"{_FIRST} {_AS_PGN} Write the position after the last move as a FEN.\n\n{_FEN}\n\n"
            f"{_ONLY} Four examples:\n\n"
            f"{MOVES_HEADING}\n1. h4 a5 2. h5 g5\n"
            "FEN:\nrnbqkbnr/1ppppp1p/8/p5pP/8/8/PPPPPPP1/RNBQKBNR w KQkq g6 0 3\n\n"
            f"{MOVES_HEADING}\n1. Nh3 b6 2. g3 Ba6 3. Bg2 Bb7 4. O-O\n"
            "FEN:\nrn1qkbnr/pbpppppp/1p6/8/8/6PN/PPPPPPBP/RNBQ1RK1 b kq - 4 4\n\n"
            f"{MOVES_HEADING}\n1. a4 h5 2. a5 Rh6 3. a6 bxa6 4. Rxa6\n"
            "FEN:\nrnbqkbn1/p1ppppp1/R6r/7p/8/8/1PPPPPPP/1NBQKBNR b Kq - 0 4\n\n"
            f"{MOVES_HEADING}\n1. f3 Nc6 2. Kf2 Nb8\n"
            "FEN:\nrnbqkbnr/pppppppp/8/8/8/5P2/PPPPPKPP/RNBQ1BNR w kq - 3 3\n\n"
            f"Now the game:\n\n{_BLOCK}",
        ),
        60,
    ),
    Prompt(
        "step-by-step",
        1,
        "pgn",
        (
            f"{_FIRST} {_AS_PGN} Find the position after the last move.\n\n"
            "Go through the game move by move and say after each what stands where that was not "
            "there before, what was captured, and which castling rights were lost. Then write the "
            f'position as a FEN on a line of its own that begins with "Final FEN:".\n\n{_FEN}\n\n'
            f"{_BLOCK}",
        ),
        2000,
    ),
    Prompt(
        "board-first",
        1,
        "pgn",
        (
            f"{_FIRST} {_AS_PGN} Find the position after the last move.\n\n"
            "First draw the board: eight lines, rank 8 at the top and rank 1 at the bottom, each "
            "with eight signs from file a to file h, separated by spaces, with the letters of the "
            'FEN for the pieces and "." for an empty square. Then write the same position as a FEN '
            f'on a line of its own that begins with "Final FEN:".\n\n{_FEN}\n\n{_BLOCK}',
        ),
        260,
    ),
    Prompt(
        "self-check",
        1,
        "pgn",
        (
            _PROMPT_PGN_DIRECT,
            "Check your answer: play the game through once more, compare every rank, the side to "
            "move, the castling rights, the en passant square and both numbers, and correct what is "
            'wrong. End with the FEN, corrected or not, on a line of its own that begins with "Final '
            'FEN:".',
        ),
        900,
    ),
)
"""Every prompt in every version."""
