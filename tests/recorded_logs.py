"""A small folder in the form of the PGN2FEN benchmark: games, replies and answers made by hand."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess

# White, Black and the moves; the first two of the cup part at the fourth half-move.
GAMES = {
    "Cup": [
        ("Ada", "Ben", "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O f6 d4 exd4"),
        ("Cleo", "Dan", "e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4 d4 d5 Bd3 Bd6"),
        ("Eve", "Finn", "d4 d5 c4 c6 cxd5 cxd5 Nc3 Nf6 Bf4 Nc6 e3 a6"),
    ],
    "randomised": [
        ("Gil", "Hal", "a4 h5 Ra3 Rh6 Rb3 Ra6 Rxb7 Rxa4 Rxc7 Qxc7"),
        ("Ida", "Jon", "g4 f5 gxf5 g6 fxg6 Nf6 gxh7 Nh5 Nc3 Rxh7"),
    ],
}
PLIES = {"Cup": (1, 2, 3, 6, 9, 12), "randomised": (1, 2, 6, 10)}

# What was said, what the benchmark cut out of it, and the class and text of what it answers. The
# signs are the boards of `boards_at`. A position a line, in the order of `positions`.
BASELINE = [("{start}", "{start}", "valid", "{start}")] * 18
TALKER = [
    ("{fen}", "{fen}", "valid", "{fen}"),
    ("FEN: {fen}", "{fen}", "valid", "{fen}"),
    ("```\n{fen}\n```", "{fen}", "valid", "{fen}"),
    ("{before}", "{before}", "valid", "{before}"),
    ("The position is **{fen}**.", "{fen}**.", "valid", "{fen}"),
    ("After these moves:\n\n```fen\n{queenless}\n```\n", "{queenless}", "valid", "{queenless}"),
    ("We start at {start}.\nThe final FEN is {fen}", "{start}", "valid", "{fen}"),
    ("{fen}", "{first_letter_lost}", "valid", "{fen}"),
    ("I cannot follow this game.", None, "absent", None),
    ("{queenless}", "{queenless}", "valid", "{queenless}"),
    ("`{kingless}`", "{kingless}", "ill_formed", "{kingless}"),
    ("{rank_lost}", "{rank_lost}", "unparseable", "{rank_lost}"),
    ("{before}", "{before}", "valid", "{before}"),
    ("White has castled, and Black is a pawn down.", None, "absent", None),
    ("{queenless}\n\nWait, the queen is there. FEN: {fen}", None, "valid", "{fen}"),
    ("FEN: `{placement}`", None, "unparseable", "{placement}"),
    ("{kingless}", "{kingless}", "ill_formed", "{kingless}"),
    ("", None, "absent", None),
]
TALKER_RANDOMISED = [
    ("{fen}", "{fen}", "valid", "{fen}"),
    ("{before}", "{before}", "valid", "{before}"),
    ("FEN: {fen}", "{fen}", "valid", "{fen}"),
    ("{start}", "{start}", "valid", "{start}"),
    ("{queenless}", "{queenless}", "valid", "{queenless}"),
    ("{kingless}", "{kingless}", "ill_formed", "{kingless}"),
    ("No idea.", None, "absent", None),
    ("{before}", "{before}", "valid", "{before}"),
]
# The same model at two settings, with five replies alike; at the first six positions.
THINK_0 = [*TALKER[:5], ("?", None, "absent", None)]
THINK_256 = [*TALKER[:5], ("{start}", "{start}", "valid", "{start}")]

LOGS = {
    "baseline_starting_board_standard": ("baseline", "Cup", BASELINE),
    "maker_talker": ("talker", "Cup", TALKER),
    "maker_talker_randomised": ("talker", "randomised", TALKER_RANDOMISED),
    "maker_talker_think0": ("talker", "Cup", THINK_0),
    "maker_talker_think256": ("talker", "Cup", THINK_256),
}


@dataclass(frozen=True)
class Position:
    """A file of the benchmark: the first half-moves of a game."""

    stem: str
    game: int
    moves: list[str]


@dataclass(frozen=True)
class RecordedReply:
    """A line of a log, and what a careful reader finds in it."""

    said: str
    cut: str | None
    reply_class: str
    answer: str | None


def positions(games: str) -> list[Position]:
    """Return the positions of a set, shortest first."""
    return [
        Position(f"halfmoves{plies:04d}_{game + 1:03d}", game, moves.split()[:plies])
        for plies in PLIES[games]
        for game, (_, _, moves) in enumerate(GAMES[games])
    ]


def boards_at(moves: list[str]) -> dict[str, str]:
    """Return what each sign stands for after these moves."""
    board = chess.Board()
    before = board.fen()
    for move in moves:
        before = board.fen()
        board.push_san(move)
    bare = {chess.KING: board.copy(), chess.QUEEN: board.copy()}
    for piece, without in bare.items():
        (square,) = board.pieces(piece, piece == chess.KING)
        without.remove_piece_at(square)
    placement, fields = board.fen().split(" ", 1)
    return {
        "start": chess.STARTING_FEN,
        "fen": board.fen(),
        "before": before,
        "kingless": bare[chess.KING].fen(),
        "queenless": bare[chess.QUEEN].fen(),
        "placement": placement,
        "first_letter_lost": board.fen()[1:],
        "rank_lost": f"{placement.rpartition('/')[0]} {fields}",
    }


def replies(log: str) -> Iterator[tuple[Position, RecordedReply]]:
    """Yield the lines of a log, each with its position."""
    _, games, said = LOGS[log]
    for position, texts in zip(positions(games), said, strict=False):
        signs = boards_at(position.moves)
        yield position, RecordedReply(*(text and text.format(**signs) for text in texts))


def write_logs(folder: Path) -> None:
    """Write ``data/*/truncated/*.pgn`` and ``model_logs/*.jsonl`` below a folder."""
    for games in GAMES:
        pgns = folder / "data" / games / "truncated"
        pgns.mkdir(parents=True)
        for position in positions(games):
            white, black, _ = GAMES[games][position.game]
            board = chess.Board()
            moves = [board.push_san(move) for move in position.moves]
            line = chess.Board().variation_san(moves)
            tags = f'[Event "{games}"]\n[White "{white}"]\n[Black "{black}"]\n[Result "*"]\n\n'
            (pgns / f"{position.stem}.pgn").write_text(f"{tags}{line} *\n")
    (folder / "model_logs").mkdir()
    for log, (model, games, _) in LOGS.items():
        lines = [
            {
                "game_info": {
                    "datetime": "2025-01-01 00:00:00.000000",
                    "input_pgn_file": f"data/{games}/truncated/{position.stem}.pgn",
                    "input_fen": boards_at(position.moves)["fen"],
                    "number_of_halfmoves": len(position.moves),
                },
                "llm_info": {
                    "provider": "maker",
                    "model": model,
                    "llm_raw_text": reply.said,
                    "llm_fen": reply.cut,
                },
            }
            for position, reply in replies(log)
        ]
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / "model_logs" / f"{log}.jsonl").write_text(text)
