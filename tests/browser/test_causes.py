"""BoardPair's causes and names of moves on the page: why lines die, in SAN."""

import re

import chess
import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import board_causes, lost_mass

from .widget_pages import BISHOP_ELSEWHERE, RUY_LOPEZ, set_pair

UNSEEN_CHECK = "rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR w KQkq - 1 3"
CHECK = UNSEEN_CHECK.replace("rnbqkbnr", "rnb1kbnr").replace("4PP2", "4PP1q")
SAN = re.compile(r"(O-O(-O)?|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=[QRBN])?)[+#]?")


def test_an_unseen_check_is_the_circumstance_and_the_queen_its_cause(explorer):
    root = set_pair(explorer, CHECK, UNSEEN_CHECK, ExplorerSettings(3))
    expected = board_causes(CHECK, UNSEEN_CHECK, ExplorerSettings(3))
    verdict = root.locator("[data-role=verdict]")
    expect(verdict.locator("[data-role=circumstance]")).to_have_text(expected["circumstances"])
    assert "because the black queen on h4 is predicted on d8" in expected["circumstances"][0]
    cause = verdict.locator("[data-role=cause]")
    expect(cause).to_have_count(1)
    expect(cause).to_contain_text("Queen h4, not d8")
    for name in ("precision", "recall"):
        gain = expected["differences"][0][name] - expected["now"][name]
        assert float(cause.get_attribute(f"data-{name}")) == pytest.approx(gain)


def test_no_cause_is_named_where_nothing_is_lost(explorer):
    root = set_pair(explorer, RUY_LOPEZ, RUY_LOPEZ, ExplorerSettings(3))
    verdict = root.locator("[data-role=verdict]")
    expect(verdict.locator("[data-role=verdict-lost]")).to_have_text("Nothing is lost.")
    expect(verdict.locator("[data-role=cause]")).to_have_count(0)


def test_moves_are_named_in_san_wherever_they_stand(explorer):
    root = set_pair(explorer, RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3))
    expected = lost_mass(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3))
    names = {
        node["words"].partition(":")[0]
        for name in ("precision", "recall")
        for node in expected[name]["children"]
        if node["kind"] in ("lost", "shared")
    }
    assert all(SAN.fullmatch(name) for name in names)
    bars = root.locator("[data-role=loss-bar]")
    expect(bars.first).to_be_visible()
    for name in ("precision", "recall"):
        words = root.locator(f"[data-role=lost-{name}] [data-role=loss-bar]").all_text_contents()
        # Equal losses are one bar, what is small is one bar, and no bar is without words.
        assert 2 < len(words) <= 7
        assert all(words)
        assert sum(1 for text in words if " more move" in text) <= 1
        each = [text.partition(" of ")[0].rpartition(" ")[2] for text in words if "only" in text]
        assert len(set(each)) == len(each)
    assert any(" moves, each " in text for text in bars.all_text_contents())
    # Where a name stands for different moves of the two boards, the squares stand beside it.
    on_true, on_predicted = (
        {board.san(move): move.uci() for move in board.legal_moves}
        for board in map(chess.Board, (RUY_LOPEZ, BISHOP_ELSEWHERE))
    )
    moves = {
        f"{name} ({move})" if other.get(name, move) != move else name
        for one, other in ((on_true, on_predicted), (on_predicted, on_true))
        for name, move in one.items()
    }
    assert any("(" in move for move in moves)
    assert set(root.locator("[data-role=move]").all_text_contents()) == moves
