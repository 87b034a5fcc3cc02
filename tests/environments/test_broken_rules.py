"""Which rule an illegal move of chess breaks, on boards where one sees it."""

import chess
import pytest

from workbench.environments.chess.broken_rules import RULES, broken_rule
from workbench.environments.registry import environment_named

OPEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
CASTLING = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
PINNED = "4k3/4r3/8/8/8/8/1P2N3/4K2R w - - 0 1"
PROMOTING = "8/P6k/8/8/8/8/8/1N2KN2 w - - 0 1"
"""Both knights reach d2."""


@pytest.mark.parametrize(
    ("fen", "move", "rule"),
    [
        (OPEN, "e3e4", "no such piece"),
        (OPEN, "c6d4", "a piece of the other side"),
        (OPEN, "f3f5", "not how the piece there moves"),
        (OPEN, "f3f3", "not how the piece there moves"),
        (OPEN, "f3d2", "an own piece on the square"),
        (OPEN, "a1a3", "path blocked"),
        (OPEN, "d1d2", "an own piece on the square"),
        (OPEN, "e4e5", "a pawn with nothing to capture, or blocked"),
        (OPEN, "e4d5", "a pawn with nothing to capture, or blocked"),
        (OPEN, "e4e6", "not how the piece there moves"),
        (OPEN, "e1g1", "castling not possible"),
        (OPEN, "e1h1", "not how the piece there moves"),
        (CASTLING, "e1h1", "not how the piece there moves"),
        (OPEN, "d2d3q", "promotion missing, or where there is none"),
        (PROMOTING, "a7a8", "promotion missing, or where there is none"),
        (PINNED, "e2c3", "own king in check"),
        (OPEN, "Nf6", "a piece of the other side"),
        (OPEN, "Nd2", "an own piece on the square"),
        (OPEN, "Ng4", "not how the piece there moves"),
        (OPEN, "Ra3", "path blocked"),
        (OPEN, "exd5", "a pawn with nothing to capture, or blocked"),
        (OPEN, "O-O", "castling not possible"),
        (PINNED, "Nc3", "own king in check"),
        (PINNED, "Qd4", "no such piece"),
        (PINNED, "bxc3", "a pawn with nothing to capture, or blocked"),
        (PROMOTING, "a8", "promotion missing, or where there is none"),
        (PROMOTING, "Nd2", "several pieces can"),
        (PROMOTING, "Nfb3", "not how the piece there moves"),
        (OPEN, "anything", "no move"),
    ],
)
def test_rules(fen, move, rule):
    environment = environment_named("chess")
    state = environment.parse_true(fen).state
    assert environment.action_named(state, move) is None
    assert environment.broken_rule(state, move) == rule


@pytest.mark.parametrize("fen", [OPEN, PINNED, PROMOTING, "8/8/8/8/8/8/8/8 w - - 0 1"])
def test_every_pair_of_squares_breaks_a_rule_or_is_legal(fen):
    board = chess.Board(fen)
    legal = {move.uci() for move in board.legal_moves}
    for start in chess.SQUARE_NAMES:
        for end in chess.SQUARE_NAMES:
            assert start + end in legal or broken_rule(board, start + end) in RULES


def test_other_environments_say_that_an_action_is_not_permitted():
    othello = environment_named("othello")
    assert othello.broken_rule(othello.automaton.initial, "a1") == "not permitted"
