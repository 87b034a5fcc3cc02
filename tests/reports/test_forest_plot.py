"""The forest plot of a report: its numbers, what is ranked together, and its files."""

import re

import pandas as pd
import pytest

import workbench as wb
from workbench.drawing.score_description import scored_rows
from workbench.errors import OutputError
from workbench.prediction import READABLE
from workbench.reports import paper_files
from workbench.reports.chapters import ReportedRun, chapters_of
from workbench.reports.exports import write_exports
from workbench.reports.forest_plot import forest, forest_numbers, ranked_families
from workbench.reports.page_parts import interval_texts, subscripts
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.studies.study_scores import with_games


@pytest.fixture
def chapter(predictions):
    few = predictions.head(3).assign(model="few")
    table = pd.concat([predictions, predictions.assign(model="second"), few], ignore_index=True)
    scores = score(table, ScoringParameters(depth=2))
    (made,) = chapters_of([ReportedRun("run", with_games(scores, table), table)])
    return made


def test_the_numbers_are_those_of_the_summary(chapter):
    numbers = forest_numbers(chapter)
    own = numbers[(numbers["positions"] == "own") & (numbers["length"] == "all")]
    columns = ["precision_2", "recall_2", "f_2", "levenshtein"]
    summary = wb.summary(chapter.scores, "model", metrics=columns).set_index("model")
    for row in own[own["column"].isin(columns)].to_dict("records"):
        expected = [
            summary.loc[row["model"], f"{row['column']}{end}"] for end in ("", "_low", "_high")
        ]
        assert [row["value"], row["low"], row["high"]] == pytest.approx(expected, nan_ok=True)
    shares = own[own["column"] == "exact_match"].set_index("model")["value"]
    exact = wb.summary(chapter.scores, "model", metrics=["exact_match"]).set_index("model")
    assert shares.to_dict() == pytest.approx(exact["exact_match"].to_dict())
    readable = own[own["column"] == "readable"].set_index("model")["value"]
    # Of scored replies: of those by hand one is not scored.
    counts = scored_rows(chapter.scores).groupby("model")["reply_class"]
    expected = counts.agg(lambda classes: classes.isin(READABLE).mean()).to_dict()
    assert readable.to_dict() == pytest.approx(expected)
    page, data = forest(chapter, numbers)
    text = data["values"][0][0][0][0]
    first = own[(own["column"] == "precision_2") & (own["model"] == "by hand")].iloc[0]
    assert text.split("|")[:3] == list(interval_texts(first["value"], first["low"], first["high"]))
    assert f"<strong>{text.split('|')[0]}</strong>" in page


def test_models_of_other_positions_are_ranked_apart(chapter):
    families = ranked_families(chapter)
    assert [sorted(each.models) for each in families] == [["by hand", "second"], ["few"]]
    page, data = forest(chapter, forest_numbers(chapter))
    assert page.count("<tbody") == 2
    assert "on the 3 positions that all models here have answered" in data["common"][0]
    counts = {text.split("|")[3] for text in data["values"][1][0][0]}
    assert len(counts) == 1


def test_digits_follow_the_uncertainty():
    assert interval_texts(0.97123, 0.9551, 0.9812) == ("0.971", "0.955", "0.981")
    assert interval_texts(12.3456, 2.1, 22.9) == ("12", "2", "23")
    assert interval_texts(0.5, float("nan"), float("nan")) == ("0.500", "", "")
    assert subscripts("p_4 and r_m, not gp_4 or a/p_4") == "p₄ and rₘ, not gp_4 or a/p_4"


def test_files_for_a_paper(chapter, tmp_path):
    paths = paper_files.write_paper_files([(chapter, forest_numbers(chapter))], tmp_path)
    assert (tmp_path / "figures" / "forest.svg") in paths
    assert (tmp_path / "figures" / "forest.pdf").read_bytes().startswith(b"%PDF")
    table = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert table.count("toprule") == table.count("bottomrule") == 1
    lines = [line for line in table.splitlines() if re.match("by hand|second|few|model", line)]
    assert len({line.count("&") for line in lines}) == 1


def test_files_for_a_paper_of_an_earlier_report_do_not_stay(chapter, tmp_path):
    numbers = forest_numbers(chapter)
    paper_files.write_paper_files([(chapter, numbers), (chapter, numbers)], tmp_path)
    mine = tmp_path / "figures" / "forest-mine.svg"
    mine.write_text("<svg/>")
    printed = tmp_path / "report.pdf"
    printed.write_bytes(b"%PDF" + b"." * (2 << 20) + b"\n%%EOF" + paper_files.PDF_MARK)
    write_exports([ReportedRun("run", chapter.scores, chapter.predictions)], tmp_path)
    assert not printed.exists()
    assert [each.name for each in mine.parent.iterdir()] == [mine.name]


def test_without_chromium_the_error_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(paper_files.shutil, "which", lambda name: None)
    with pytest.raises(OutputError, match=r"expected one of chromium.*install chromium"):
        paper_files.chromium()
