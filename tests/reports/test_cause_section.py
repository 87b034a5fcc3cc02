"""Why a report's states are wrong: causes by model, and what a cause opens."""

import re

import pandas as pd
import pytest
from prediction_rows import prediction_row

import workbench as wb
from workbench.episodes import EpisodeSample
from workbench.reports import cause_section
from workbench.reports.chapters import ReportedRun, chapters_of
from workbench.reports.evidence import classes_section
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.tables.parquet_tables import PREDICTIONS

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OTHER_SIDE = START.replace(" w ", " b ")
NO_KNIGHT = START.replace("RNBQKBNR", "R1BQKBNR")
CUT_RANK = START.replace("RNBQKBNR", "RNBQKBN")


def table_of(**replies):
    """Replies of models at positions 0, 1, ..., each of a game of its own."""
    rows = [
        {**prediction_row(place, START, reply), "model": model}
        for model, texts in replies.items()
        for place, reply in enumerate(texts)
    ]
    return pd.DataFrame(rows, columns=PREDICTIONS.names)


def chapter_of(predictions, depth=2):
    scores = score(predictions, ScoringParameters(depth=depth))
    named = scores.assign(game=scores["game_id"])
    (chapter,) = chapters_of([ReportedRun("run", named, predictions)])
    return chapter


@pytest.fixture
def chapter():
    return chapter_of(
        table_of(
            often=[START, OTHER_SIDE, OTHER_SIDE, "I cannot say."],
            once=[START, START, CUT_RANK, OTHER_SIDE],
        )
    )


def page_of(chapter):
    return cause_section.cause_section(chapter, cause_section.cause_sample(chapter), "c")


def row_of(page, model):
    """The numbers of a model by the heads of the table."""
    head, *rows = re.findall(r"<tr>.*?</tr>", page.partition("<table>")[2].partition("</table>")[0])
    names = re.findall(r"<th[^>]*>(.*?)</th>", head)
    (row,) = (each for each in rows if f'<th scope="row">{model}</th>' in each)
    cells = [re.sub("<[^>]*>", "", each) for each in re.findall(r"<td>(.*?)</td>", row)]
    return dict(zip(names[1:], cells, strict=True))


def test_the_counts_are_those_of_causes(chapter):
    page = page_of(chapter)
    expected = wb.causes(chapter.scores)
    for model, part in expected.groupby("model"):
        heads = part["cause"].str.partition(":")[0]
        counts = part.groupby(heads)["replies"].sum()
        row = row_of(page, model)
        assert row.pop("replies") == "4"
        assert {name: int(count) for name, count in row.items() if count != "0"} == counts.to_dict()
    assert "8 replies, of which 5 lose something" in page


def test_a_cause_opens_boards_and_replies(chapter):
    page = page_of(chapter)
    parts = dict(re.findall(r'<details id="(c-cause-\d)"><summary>(.*?)</summary>', page))
    (name,) = (each for each, title in parts.items() if title.startswith("side to move: "))
    assert parts[name] == "side to move: 3 replies (often 2, once 1)"
    opened = page.partition(f'id="{name}"')[2].partition('<details id="c-cause')[0]
    # Of both models, at two positions: four boards, marked as elsewhere.
    assert opened.count("<svg") == 4
    assert {"often, position", "once, position"} <= set(re.findall(r"\w+, position", opened))
    assert len(set(re.findall(r"position (game\d+-\d+)", opened))) == 2
    assert "This alone accounts for 100% of what p_2 loses" in opened.replace("₂", "_2")
    assert "I cannot say." in page.partition("no board: 1 reply")[2]
    ids = re.findall(r'id="([^"]*)"', page + classes_section(chapter, "c"))
    assert set(re.findall(r'href="#(c-[^"]*)"', page)) <= set(ids)


def test_the_sample_is_bounded_and_of_the_same_positions(monkeypatch):
    texts = [NO_KNIGHT if place % 3 else START for place in range(12)]
    chapter = chapter_of(table_of(a=texts, b=texts[::-1], few=texts[:2]), depth=1)
    monkeypatch.setattr(cause_section, "MOST_SAMPLED", 5)
    sample = cause_section.cause_sample(chapter)
    assert sample["model"].value_counts().to_dict() == {"a": 5, "b": 5, "few": 2}
    of_model = sample.groupby("model")["position_id"].agg(set)
    assert of_model["a"] == of_model["b"]
    assert of_model["a"] != {f"game{place:03}-002" for place in range(5)}
    again = cause_section.cause_sample(chapter)
    pd.testing.assert_frame_equal(sample, again)
    assert "at most 5 replies of each model" in page_of(chapter)


def test_the_baseline_counts_only_where_it_is_alone():
    alone = table_of(starting_board=[START, OTHER_SIDE])
    assert len(cause_section.cause_sample(chapter_of(alone, depth=1))) == 2
    both = chapter_of(pd.concat([alone, table_of(mine=[START, START])]), depth=1)
    assert set(cause_section.cause_sample(both)["model"]) == {"mine"}


def test_of_other_environments_states_are_pictures_without_links():
    positions = EpisodeSample("boxes", (3,), 3, 0).positions
    answers = positions["true_state"].to_numpy()
    replies = positions.assign(
        task="state", set="", model="mine", setting="", sample=0, reply=answers[::-1],
        predicted_state=answers[::-1], predicted_actions=None, reply_class="valid", status="",
        reason="",
    )  # fmt: skip
    chapter = chapter_of(replies, depth=2)
    page = page_of(chapter)
    assert "a number opens one of them" not in page
    assert "<a " not in page
    assert page.count("<strong>Predicted ") >= 1
