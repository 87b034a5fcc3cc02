"""Answers against each other: agreement of neighbouring boards beside the truth, by hand."""

import re

import chess
import pandas as pd
from prediction_rows import prediction_row

from workbench.reports.chapters import ReportedRun, chapters_of
from workbench.reports.result_sections import own_answers_section
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.tables.parquet_tables import PREDICTIONS

MOVES = ["e2e4", "e7e5", "g1f3", "b8c6"]


def boards():
    board = chess.Board()
    for move in MOVES:
        board.push_uci(move)
        yield board.fen()


def chapter_of(replies, moves=True):
    rows = []
    for model, texts in replies.items():
        for place, (true, text) in enumerate(zip(boards(), texts, strict=True)):
            row = prediction_row(place, true, text)
            played = " ".join(MOVES[: place + 1]) if moves else None
            rows.append({**row, "model": model, "game_id": "one", "moves": played})
    predictions = pd.DataFrame(rows, columns=PREDICTIONS.names)
    scores = score(predictions, ScoringParameters(depth=1))
    (chapter,) = chapters_of(
        [ReportedRun("run", scores.assign(game=scores["game_id"]), predictions)]
    )
    return chapter


def cells(page):
    rows = re.findall(r"<tr>(.*?)</tr>", page)[1:]
    return {
        re.search(r'scope="row">(.*?)</th>', row)[1]: re.findall(r"<td>(.*?)</td>", row)
        for row in rows
    }


def test_agreement_and_truth_by_hand():
    true = list(boards())
    start = chess.STARTING_FEN
    page = own_answers_section(
        chapter_of({"right": true, "start": [start] * 4, "silent": ["No."] * 4}), "c"
    )
    rows = cells(page)
    assert rows["right"][:1] + rows["right"][-2:] == ["3", "100%", "100%"]
    assert rows["right"][1].startswith("1")
    assert rows["right"][2].startswith("1")
    # From the starting board Black's move is not permitted, and after White's it is another board.
    assert rows["start"][3:] == ["0%", "100%"]
    assert rows["silent"][1:] == ["0", "0", "0%", "0%"]
    assert "p₁" in page


def test_without_neighbours_or_moves_it_says_so():
    page = own_answers_section(chapter_of({"one": list(boards())}, moves=False), "c")
    assert "Nothing to compare" in page
    assert "<table>" not in page
