"""What widgets keep for pages without a kernel: when it is renewed, and what it says."""

import asyncio
import re

import chess
import pytest

from workbench.explore.estimator_lab import EstimatorLab
from workbench.explore.game_tracker import GameTracker
from workbench.explore.page import widget_base
from workbench.explore.page.still_html import board, heading, listing, paragraph
from workbench.explore.page.widget_base import IdleTask
from workbench.explore.pair.board_pair import BoardPair

START = chess.STARTING_FEN
HOSTILE = '<img src=x onerror=alert(1)>"&'


def test_work_is_done_once_after_the_last_request():
    done = []
    work = IdleTask(lambda: done.append(1), seconds=0.05)

    async def ask():
        for _ in range(3):
            work.request()
            await asyncio.sleep(0.01)
        assert done == []
        await asyncio.sleep(0.1)

    asyncio.run(ask())
    assert done == [1]


def test_pending_work_is_done_at_the_end_of_a_cell_and_what_follows_from_it_too():
    done = []
    second = IdleTask(lambda: done.append("second"), seconds=60)
    first = IdleTask(lambda: (done.append("first"), second.request()), seconds=60)

    async def cell():
        first.request()
        widget_base._finish()

    asyncio.run(cell())
    assert done == ["first", "second"]
    assert not widget_base._PENDING


def test_without_an_event_loop_work_is_done_at_once():
    done = []
    IdleTask(lambda: done.append(1)).request()
    assert done == [1]


def test_lines_of_a_fen_break_between_ranks_alone():
    html = board("Board", None, START)
    shown = re.search(r"<code[^>]*>(.*)</code>", html)[1]
    assert shown.replace("<wbr>", "") == START
    assert shown.split()[0].split("<wbr>") == [
        *(f"{rank}/" for rank in START.split()[0].split("/")[:-1]), "RNBQKBNR",
    ]  # fmt: skip
    assert board("Board", None, "/" * 1000).count("<wbr>") == 7


def test_texts_are_escaped():
    for html in (
        paragraph(HOSTILE),
        heading(HOSTILE),
        listing([HOSTILE], [[HOSTILE, HOSTILE]]),
        board(HOSTILE, chess.Board(), HOSTILE),
    ):
        assert "<img src=x" not in html
        assert "&lt;img src=x onerror=alert(1)&gt;&quot;&amp;" in html


def test_a_pair_answers_before_the_page_asks_and_follows():
    pair = BoardPair(START, START.replace("RNBQKBNR", "RNBQ1BNR"), depth=2)
    assert pair.answers == {}
    pair.prepare_still()
    # As in the README: one of 21 lines is refused.
    assert "0.9524" in pair.still()
    assert set(pair.answers) == {"compare", "causes", "lost_mass"}
    assert pair.answers["compare"]["question"] == pair.questions()["compare"]
    pair.predicted_fen = START
    assert "0.9524" not in pair.still()
    assert "1.0000" in pair.still()
    pair.depth = 3
    assert pair.answers["compare"]["question"]["depth"] == 3


def test_fens_are_kept_as_the_page_writes_them():
    pair = BoardPair(f"  {START} ", START.replace(" - ", "  – "))
    pair.prepare_still()
    assert pair.true_fen == pair.answers["compare"]["question"]["true_fen"] == START
    view = pair.answers["compare"]["answer"]["view"]
    assert pair.predicted_fen == view["predicted"]["fen"]
    assert pair.kept_answer("compare", pair.questions()["compare"]) is not None


def test_a_fen_that_cannot_be_read_leaves_the_last_answer():
    pair = BoardPair(START, START)
    pair.prepare_still()
    before = pair.still()
    question = {**pair.questions()["compare"], "predicted_fen": "nonsense w"}
    pair.answer(pair, {**question, "kind": "compare", "serial": 1})
    assert pair.still() == before


def test_no_state_no_board():
    pair = BoardPair(START, None, depth=1)
    pair.prepare_still()
    assert "no board" in pair.still()
    assert "0.0000" in pair.still()


def test_a_lab_keeps_the_runs_of_its_settings_alone():
    lab = EstimatorLab(true_fen=START, predicted_fen=START, depth=1, samples=5, repeats=3)
    lab.prepare_still()
    assert "p<sub>1</sub> = 1, exact." in lab.still()
    assert "No runs" in lab.still()
    question = {"run": 1, "settings": lab.questions()["reference"]["settings"], "done": {}}
    lab.answer(lab, {**question, "kind": "more", "serial": 1})
    assert "stratified" in lab.still()
    assert set(lab.answers["runs"]["answer"]) == set(lab.methods)
    lab.samples = 6
    assert "No runs" in lab.still()


def test_a_reset_lab_keeps_no_runs():
    lab = EstimatorLab(true_fen=START, predicted_fen=START, depth=1, samples=5, repeats=3)
    lab.prepare_still()
    settings = lab.questions()["reference"]["settings"]
    more = {"run": 1, "settings": settings, "done": {}, "kind": "more", "serial": 1}
    lab.answer(lab, more)
    before = lab.answers["runs"]["answer"]
    lab.answer(lab, {"kind": "reset", "serial": 2})
    assert "No runs" in lab.still()
    assert set(lab.answers) == {"reference"}
    assert lab.last_error is None
    lab.answer(lab, more)
    after = lab.answers["runs"]["answer"]
    assert after.keys() == before.keys()
    for name, runs in after.items():
        # An answer has as many runs as fit in its time.
        both = min(len(runs["values"]), len(before[name]["values"]))
        assert both > 0
        assert runs["values"][:both] == before[name]["values"][:both]


@pytest.mark.parametrize("ply", [0, 1, 3])
def test_a_tracker_shows_every_score(ply):
    tracker = GameTracker.simulated("1. e4 e5 2. Nf3", rate=0.0, depth=1)
    tracker.ply = ply
    html = tracker.still()
    assert html.count("<td>1.0000</td>") == 2 * len(tracker.replies)
    assert f"<strong>{('start', '1. e4', '', '2. Nf3')[ply]}</strong>" in html
