"""The board that a careful reader takes, in many forms of replies, each in several games."""

from collections.abc import Iterable

import pytest
from reply_corpus import CorpusReply, corpus

from workbench.environments.chess.classification import classify, classify_fen
from workbench.prediction import ReplyClass

NO_BOARD = {"absent": ReplyClass.ABSENT, "unparseable": ReplyClass.UNPARSEABLE}


def by_form(file: str) -> Iterable[tuple[str, list[CorpusReply]]]:
    forms: dict[str, list[CorpusReply]] = {}
    for reply in corpus(file):
        forms.setdefault(reply.name.partition(",")[0], []).append(reply)
    return forms.items()


FORMS = [
    pytest.param(replies, id=f"{file} {name}")
    for file in ("replies", "replies_held_out")
    for name, replies in by_form(f"{file}.yaml")
]


@pytest.mark.parametrize("replies", FORMS)
def test_the_board_that_a_careful_reader_takes(replies: list[CorpusReply]) -> None:
    for reply in replies:
        found = classify(reply.text)
        if reply.answer in NO_BOARD:
            assert found.reply_class is NO_BOARD[reply.answer], (reply.text, found)
        else:
            assert found.predicted_state == reply.answer, (reply.text, found)
            assert found.reply_class is classify_fen(reply.answer).reply_class


def test_the_corpus_is_as_large_as_it_says() -> None:
    kinds = {replies.values[0][0].kind for replies in FORMS}
    assert len(FORMS) >= 680
    assert len(kinds) >= 25


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ("@X", "the whole reply"),
        ("Final FEN: @W\nWait. FEN: @X", "corrected"),
        ("Draft: @W\nFinal: @X", "the only one offered"),
        ("Final: @X\nFEN: @W", "the one called final"),
        ("Option A: @W\nOption B: @X\nI choose option B.", "the chosen option"),
        ("It is @X or @W.", "two boards joined by or"),
        ("We get @W\nWe get @X", "several boards, none of them singled out"),
        ("FEN: @W (40 %)\nFEN: @X (60 %)", "the highest confidence"),
        ("FEN: @W (50 %)\nFEN: @X (50 %)", "options of the same confidence"),
        ("I get @X and @W. The former is right.", "the chosen option"),
        ("<think>\nSo the FEN is @X", "where the reasoning breaks off"),
        ("<think>\nThe FEN may be @X", "boards in the reasoning alone, none of them final"),
        ("The board is not @X.", "no board but one that is rejected"),
    ],
)
def test_a_prediction_names_the_rule_that_decided(reply: str, rule: str) -> None:
    draft = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    right = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"
    assert classify(reply.replace("@W", draft).replace("@X", right)).rule == rule
