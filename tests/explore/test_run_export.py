"""The rows shown as files: their content, and that no file is replaced."""

from io import BytesIO

import pandas as pd
import pytest

from workbench.errors import InvalidArgumentError
from workbench.explore.run.run_browser import RunBrowser
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score

HOSTILE = 'say "no", then\n=cmd|calc\r<script>alert(1)</script>\x00 ü'


@pytest.fixture
def scores(predictions):
    return score(predictions, ScoringParameters(depth=2))


@pytest.fixture
def browser(scores, predictions):
    predictions.loc[1, "reply"] = HOSTILE
    return RunBrowser(scores, predictions)


def test_csv_has_the_rows_shown_in_their_order_with_whole_replies(browser, scores, tmp_path):
    browser.table.classes = ["valid"]
    browser.table.sort_by = "precision"
    path = browser.export(tmp_path / "rows.csv")
    assert path == tmp_path / "rows.csv"
    found = pd.read_csv(path, keep_default_na=False, lineterminator="\n")
    assert list(found.columns) == [*scores.columns, "reply"]
    assert list(found["position_id"]) == list(scores["position_id"][[1, 0]])
    assert found["precision_2"].tolist() == scores["precision_2"][[1, 0]].tolist()
    assert found["reply"][0] == HOSTILE


def test_parquet_keeps_every_value_and_opens_again(browser, scores, predictions, tmp_path):
    path = browser.export(tmp_path / "rows.parquet")
    found = pd.read_parquet(path)
    pd.testing.assert_frame_equal(found[list(scores.columns)], scores, check_dtype=False)
    assert found["reply"].tolist() == predictions["reply"].tolist()
    assert RunBrowser(found).shown["precision"].equals(browser.shown["precision"])


def test_fens_are_one_on_a_line(browser, scores, tmp_path):
    predicted = browser.export(tmp_path / "predicted.fen").read_text(encoding="utf-8")
    # Right, one ply off, a king short, and one whose true FEN cannot be read.
    assert predicted.splitlines() == scores["predicted_state"][[0, 1, 2, 5]].tolist()
    true = browser.export(tmp_path / "true.fen", "true_fen").read_text(encoding="utf-8")
    assert true.splitlines() == [scores["true_state"][0], "no board"]


def test_nothing_is_replaced_and_unknown_kinds_are_refused(browser, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("mine")
    with pytest.raises(InvalidArgumentError, match=r"without a file, got '.*rows\.csv'"):
        browser.export(path)
    assert path.read_text() == "mine"
    with pytest.raises(InvalidArgumentError, match="'xlsx'"):
        browser.export(tmp_path / "rows.xlsx")
    assert not (tmp_path / "rows.xlsx").exists()


def test_the_page_gets_the_file_beside_the_message(browser):
    sent = []
    browser.table.send = lambda content, buffers=None: sent.append((content, buffers))
    browser.table.classes = ["valid"]
    browser.table.answer(None, {"kind": "export", "serial": "s", "file": "parquet"})
    ((said, (content,)),) = sent
    assert said == {"kind": "export", "serial": "s", "file": "parquet", "rows": 2}
    assert len(pd.read_parquet(BytesIO(content))) == 2
    browser.table.answer(None, {"kind": "export", "serial": "s", "file": "exe"})
    assert "'exe'" in sent[-1][0]["message"]
