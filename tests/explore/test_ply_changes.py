"""Tests of the sentence about each ply, by boards changed by hand."""

import chess
import pandas as pd
import pytest

from workbench.environments.chess.classification import classify
from workbench.explore.ply_changes import Differences, change_words, differences
from workbench.explore.tracked_game import track_rows
from workbench.scoring import ScoringParameters

NONE = Differences({}, {})


def board(*moves):
    position = chess.Board()
    for move in moves:
        position.push_san(move)
    return position


def changed(position, pieces="", **fields):
    """Return a copy with pieces such as "Nc3" put, "-d5" removed, and fields of the FEN set."""
    other = position.copy(stack=False)
    for each in pieces.split():
        square = chess.parse_square(each[1:])
        if each[0] == "-":
            other.remove_piece_at(square)
        else:
            other.set_piece_at(square, chess.Piece.from_symbol(each[0]))
    for name, value in fields.items():
        setattr(other, name, value)
    return other


SCANDINAVIAN = ("e4", "d5", "Nc3", "Nf6")
CASES = {
    "the captured piece stays": (
        (*SCANDINAVIAN, "Nxd5"), "-c3 pd5", {}, "keeps the pawn on d5",
    ),
    "the piece stays behind": (
        ("e4", "e5", "Nf3"), "Ng1 -f3", {}, "keeps the knight on g1, not on f3",
    ),
    "the piece goes elsewhere": (
        ("e4", "e5", "Nf3"), "-f3 Nh3", {}, "has the knight on h3, not on f3",
    ),
    "another piece stands there": (
        ("e4", "e5", "Nf3"), "Bf3", {}, "has the bishop on f3, not the knight",
    ),
    "the same piece of the other side": (
        ("e4", "e5", "Nf3"), "nf3", {}, "has the black knight on f3, not the white knight",
    ),
    "a piece appears": (
        ("e4", "e5", "Nf3"), "qe4 Pe3", {},
        "has the pawn on e3, not on e4 and has the queen on e4, not the pawn",
    ),
    "a piece is lost": (("e4", "e5", "Nf3"), "-a8", {}, "loses the rook on a8"),
    "the piece that moved is lost": (("e4", "e5", "Nf3"), "-f3", {}, "lacks the knight on f3"),
    "an extra piece": (("e4", "e5", "Nf3"), "Qe3", {}, "adds the queen on e3"),
    "the side": (("e4", "e5", "Nf3"), "", {"turn": True}, "believes that White is to move"),
    "a castling right is lost": (
        ("e4", "e5", "Nf3"), "", {"castling_rights": chess.BB_A1 | chess.BB_A8 | chess.BB_H8},
        "drops White's right to castle kingside",
    ),
    "a castling right stays": (
        ("e4", "e5", "Nf3", "Nc6", "Rg1"), "", {"castling_rights": chess.BB_CORNERS},
        "keeps White's right to castle kingside",
    ),
    "en passant is forgotten": (
        ("e4", "a6", "e5", "d5"), "", {"ep_square": None}, "has no en passant, not on d6",
    ),
    "en passant is made up": (
        ("e4", "a6", "e5", "f5", "a3", "d5"), "", {"ep_square": chess.F6},
        "has en passant on f6, not on d6",
    ),
    "many": (
        ("e4", "e5", "Nf3"), "-a8 -a7 -h7 -h8 Qe3", {},
        "adds the queen on e3, loses the pawn on a7, loses the pawn on h7 and has 2 more changes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_first_difference(name):
    moves, pieces, fields, words = CASES[name]
    true_before, true = board(*moves[:-1]), board(*moves)
    now = differences(true, changed(true, pieces, **fields))
    assert change_words("the model", now, NONE, true_before, true.peek()) == f"the model {words}"


def test_nothing_changes():
    before, true = board("e4", "e5"), board("e4", "e5", "Nf3")
    words = change_words("the model", NONE, NONE, before, true.peek())
    assert words == "nothing changes: the boards agree"
    same = differences(true, changed(true, "-a8", turn=True))
    earlier = differences(before, changed(before, "-a8", turn=False))
    words = change_words("the model", same, earlier, before, true.peek())
    # The side to move is the other one at each ply: the same mistake.
    assert words == "nothing changes: 1 square differs and the side to move is wrong as before"


def test_differences_are_mended():
    before, true = board("e4", "e5"), board("e4", "e5", "Nf3")
    earlier = differences(before, changed(before, "-a8 -h8", turn=False))
    now = differences(true, changed(true, "-a8"))
    assert (
        change_words("the model", now, earlier, before, true.peek())
        == "the model is right again on h8 and about the side to move"
    )
    assert (
        change_words("the model", NONE, earlier, before, true.peek())
        == "the model is right again: the boards agree"
    )


def test_a_piece_that_is_lacking_moves_on():
    before, true = board("e4", "e5", "Nf3", "Nc6"), board("e4", "e5", "Nf3", "Nc6", "Ng5")
    earlier = differences(before, changed(before, "-f3"))
    now = differences(true, changed(true, "-g5"))
    assert (
        change_words("the model", now, earlier, before, true.peek())
        == "the model still lacks the knight, now on g5"
    )


def test_what_the_model_believed_before_is_kept():
    """The bishop on c4 was an error of the reply before: it stays where the model believed it."""
    before, true = board("e4", "e5"), board("e4", "e5", "Bc4")
    earlier = differences(before, changed(before, "-f1 Bd3"))
    now = differences(true, changed(true, "-c4 Bd3"))
    words = change_words("the model", now, earlier, before, None)
    assert words == "the model lacks the bishop on c4 and is right again on f1"


def tracked(moves, replies):
    position, rows = chess.Board(), []
    for ply, (san, reply) in enumerate(zip(moves.split(), replies, strict=True), start=1):
        position.push_san(san)
        text = reply(position) if callable(reply) else reply
        played = " ".join(move.uci() for move in position.move_stack)
        rows.append({"ply": ply, "true_state": position.fen(), "reply": text, "moves": played})
    frame = pd.DataFrame(rows).assign(game_id="game", model="by hand")
    kept = frame[frame["reply"].notna()].reset_index(drop=True)
    classes = pd.DataFrame([classify(text).columns() for text in kept["reply"]])
    return track_rows(kept.join(classes), None, None, None, ScoringParameters(depth=1))


def test_sentences_of_a_game():
    def right(position):
        return position.fen()

    def without(position):
        return changed(position, "-a8").fen()

    game = tracked("e4 e5 Nf3 Nc6 Bc4 Bc5", [right, without, "no idea", "none", None, without])
    assert game.changes() == [
        "1. e4: nothing changes: the boards agree.",
        "1... e5: the model loses the rook on a8 and drops Black's right to castle queenside.",
        "2. Nf3: the model gives no board. No FEN in the reply: no piece placement found.",
        "2... Nc6: the model still gives no board. No FEN in the reply: no piece placement found.",
        "3... Bc5, since ply 4: a board again; the model loses the rook on a8 and drops Black's right "
        "to castle queenside.",
    ]
    assert [reply["change"] for reply in game.page()["replies"]] == game.changes()
    counters = tracked("e4", [lambda position: position.fen().replace("0 1", "7 9")])
    assert counters.changes() == ["1. e4: nothing changes: the boards agree."]


def test_the_simulated_tracker_is_the_subject():
    game = tracked("e4", [lambda position: changed(position, "-a8").fen()])
    assert game.changes()[0].startswith("1. e4: the model loses")
    simulated = type(game)(game.title, True, game.parameters, game.stops, game.replies)
    assert simulated.changes()[0].startswith("1. e4: the tracker loses")
