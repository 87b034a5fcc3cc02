"""Boards that the network in JavaScript writes under node, beside numpy's.

Run from the repository: ``python -m benchmarks.network_twin [--games 1000] [--model small] [--hands]``. For each
model it prints the boards, the largest difference of logits, every tie, and milliseconds a board.
"""

import argparse
import base64
import json
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import chess
import numpy as np

from workbench.explore.reader.model_content import model_content
from workbench.games.game_tables import bundled_games
from workbench.language_model.hands import PIECE, PIECES, SQUARE, hands_of
from workbench.language_model.language_model import TRAINING_GAMES, LanguageModel, load_model
from workbench.language_model.network import board_logits, write_boards
from workbench.language_model.patching import encode_games
from workbench.language_model.vocabulary import MOST_PLIES, SLOTS, SQUARES, TOKENS, read_moves

SCRIPT: Final = Path(__file__).with_name("network_process.mjs")
TIE: Final = 1e-3
"""Two tokens whose logits are nearer than this may be taken for each other."""


class Node:
    """A process of node that reads games with one model, question by question."""

    def __init__(self, model: LanguageModel) -> None:
        """Start it; node must be on the path."""
        node = shutil.which("node")
        if node is None:
            raise FileNotFoundError("expected node on the path, found none; install Node.js")
        self._process = subprocess.Popen(
            [node, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._write(model_content(model))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)

    def ask(self, kind: str, moves: Sequence[str], plies: Iterable[int], **more: object) -> Any:
        """Return the answer about a game of moves in UCI."""
        rows = read_moves(moves)[1:].tolist()
        self._write({"kind": kind, "moves": rows, "plies": list(plies), **more})
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def _write(self, question: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()


@dataclass(slots=True)
class Comparison:
    """What the boards of both have in common.

    Attributes:
        boards: How many were compared.
        ties: (game, ply, slot, gap) where another token is written, and by how much numpy prefers its own.
        difference: The largest difference of logits, given the tokens that node wrote.
        milliseconds: Processor time of each board under node.
    """

    boards: int = 0
    ties: list[tuple[int, int, int, float]] = field(default_factory=list)
    difference: float = 0.0
    milliseconds: list[float] = field(default_factory=list)


def held_out_games(count: int, most: int = MOST_PLIES) -> list[Sequence[str]]:
    """Return the first bundled games that no model was trained on and that have at most so many plies."""
    held_out = bundled_games()[TRAINING_GAMES:]
    return [game.moves for game in held_out if len(game.moves) <= most][:count]


def hand_in(moves: Sequence[str], number: int) -> dict[str, Any]:
    """Return a hand for a game, as hand_places.js has it: any piece is replaced, or moved."""
    generator = np.random.default_rng(number)
    ply = int(generator.integers(1, len(moves) + 1))
    entered = moves[ply - 1][2:4]
    former, other = generator.choice(list(PIECES), 2).tolist()
    if number % 2:
        other, to = former, chess.square_name(int(generator.integers(SQUARES)))
    else:
        to = entered
    return {"ply": ply, "square": entered, "to": to, "former": former, "other": other}


def _encoded(model: LanguageModel, moves: Sequence[str], hand: dict[str, Any] | None) -> Any:
    games = encode_games(model, [moves])
    if hand is None:
        return games.hidden[-1]
    if hand["square"] != hand["to"]:
        measured = hands_of(model)[SQUARE]
        rows = [chess.parse_square(hand[name]) for name in ("square", "to")]
    else:
        measured = hands_of(model)[PIECE]
        rows = [PIECES.index(hand[name]) for name in ("former", "other")]
    vectors = measured.vectors(rows[:1], rows[1:])
    return games.patched(measured.layer, np.array([hand["ply"]]), vectors)


def compare(name: str, games: Iterable[Sequence[str]], *, hands: bool = False) -> Comparison:
    """Compare the boards after every ply of games, moves in UCI, with numpy's; ``hands``: with a hand in each."""
    model, result = load_model(name), Comparison()
    with Node(model) as node:
        for number, moves in enumerate(games):
            at = np.arange(len(moves) + 1)
            hand = hand_in(moves, number) if hands else None
            answer = node.ask("boards", moves, at.tolist(), hand=hand)
            tokens = np.array(answer["tokens"])
            logits = np.frombuffer(base64.b64decode(answer["logits"]), "<f4")
            logits = logits.reshape(len(tokens), SLOTS, len(TOKENS))
            encoded = _encoded(model, moves, hand)
            repeated = np.repeat(encoded, len(at), axis=0)
            expected = write_boards(model.weights, model.shape, repeated, at)
            own = board_logits(np, model.weights, model.shape, encoded, at[None], tokens[None])[0]
            result.difference = max(result.difference, float(np.abs(own - logits).max()))
            for ply in np.flatnonzero((tokens != expected).any(axis=1)).tolist():
                slot = int(np.flatnonzero(tokens[ply] != expected[ply])[0])
                row = own[ply, slot]
                gap = float(row[expected[ply, slot]] - row[tokens[ply, slot]])
                result.ties.append((number, ply, slot, gap))
            result.boards += len(tokens)
            result.milliseconds += answer["milliseconds"]
    return result


def main() -> None:
    """Print a comparison for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--model", action="append")
    parser.add_argument("--hands", action="store_true", help="with a hand inside in each game")
    options = parser.parse_args()
    for name in options.model or ("tiny", "small"):
        result = compare(name, held_out_games(options.games), hands=options.hands)
        median, most = np.median(result.milliseconds), max(result.milliseconds)
        print(
            f"{name}: {result.boards:,} boards, largest difference of logits {result.difference:.2g}, "
            f"{median:.1f} ms a board (median), at most {most:.0f}; {len(result.ties)} ties: {result.ties}",
            flush=True,
        )


if __name__ == "__main__":
    main()
