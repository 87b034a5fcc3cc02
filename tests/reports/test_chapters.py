"""Runs that meet in a chapter: their positions, games, names, and families of comparisons."""

from dataclasses import replace

import chess
import numpy as np
import pandas as pd
import pytest

from workbench.errors import RunMismatchError
from workbench.games.pgn import game_id_of
from workbench.reports.chapters import ReportedRun, chapters_of
from workbench.reports.headline import headline_section
from workbench.reports.model_comparison import (
    BESIDE,
    OWN,
    SETTINGS,
    UNLIKE,
    WITH_BESIDE,
    compare,
    comparison_section,
    rankings,
)
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.statistics.paired_tests import holm
from workbench.studies.study_scores import with_games

KNIGHT_OUT = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
LINE = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"]


def run_of(predictions, name):
    scores = score(predictions, ScoringParameters(depth=1))
    return ReportedRun(name, with_games(scores, predictions), predictions)


def prefixes(predictions, lengths, model):
    """Rows at prefixes of one game that name no game, as PGNs that end at the position."""
    rows = predictions[predictions["reply_class"] == "valid"].head(1)
    rows = pd.concat([rows] * len(lengths), ignore_index=True)
    moves = [" ".join(LINE[:length]) for length in lengths]
    return rows.assign(
        position_id=[f"after {length}" for length in lengths],
        game_id=[game_id_of(line.split()) for line in moves],
        moves=moves, model=model,
    )  # fmt: skip


def test_games_are_those_of_all_runs_and_positions_are_paired_by_id(predictions):
    """Each run alone names the game by its own longest line."""
    one = run_of(prefixes(predictions, [2, 4, 6], "one"), "first")
    other = run_of(prefixes(predictions, [2, 4, 8], "other"), "second")
    assert set(one.scores["game"]).isdisjoint(other.scores["game"])
    (chapter,) = chapters_of([one, other])
    assert chapter.scores["game"].unique().tolist() == [game_id_of(LINE)]
    (pair,) = compare(chapter).own.to_dict("records")
    assert (pair["positions"], pair["games"]) == (2, 1)
    # A run without predictions keeps the games that it names; common positions have one game.
    (chapter,) = chapters_of([replace(one, predictions=None), other])
    assert chapter.scores.groupby("position_id")["game"].nunique().eq(1).all()
    assert compare(chapter).own["positions"].tolist() == [2]


def test_one_id_of_several_true_states_is_refused_by_name(predictions):
    first = predictions[predictions["reply_class"] == "valid"].head(2)
    states = [chess.STARTING_FEN, KNIGHT_OUT]
    first = first.assign(position_id=["1", "2"], true_state=states, predicted_state=states)
    other = first.assign(model="other", position_id=["2", "1"])
    with pytest.raises(RunMismatchError, match="expected one true state") as refused:
        chapters_of([run_of(first, "mine"), run_of(other, "theirs")])
    assert "position '1'" in str(refused.value)
    assert "in mine" in str(refused.value)
    assert "in theirs" in str(refused.value)
    assert "2 such positions" in str(refused.value)


@pytest.mark.parametrize("name", ["set", "setting"])
def test_null_sets_and_settings_are_empty_ones(predictions, name):
    run = run_of(predictions, "run")
    missing = replace(run, scores=run.scores.assign(**{name: None}))
    (chapter,) = chapters_of([missing])
    assert len(chapter.scores) == len(run.scores)
    assert chapter.models == ["by hand"]
    assert len(chapter.predictions) == len(run.predictions)
    if name == "setting":
        both = pd.concat([missing.scores, run.scores.assign(setting="high")])
        (chapter,) = chapters_of([ReportedRun("run", both)])
        assert chapter.models == ["by hand", "by hand, high"]
        assert "by hand, high" in headline_section(chapter)


def table_of(**models):
    """Scores p_1 of models by position; None where the call failed."""
    rows = [
        {"position_id": position, "game": position, "model": model, "asked": model, "set": "",
         "setting": "", "environment": "chess", "task": "state", "precision_1": value,
         "recall_1": value, "exact_match": False, "levenshtein": 1.0, "group": 5, "ply": 10,
         "levenshtein_to_empty": False, "reply_class": "valid" if value is not None else "failed",
         "unscored": "" if value is not None else "failed", "terminal": "absorb",
         "ill_formed_policy": "as_is", "method": "exact", "true_state": position, "sample": 0,
         "predicted_state": position}
        for model, values in models.items()
        for position, value in values.items()
    ]  # fmt: skip
    return pd.DataFrame(rows).astype({"precision_1": float, "recall_1": float})


def chapter_of(**models):
    (chapter,) = chapters_of([ReportedRun("run", table_of(**models))])
    return chapter


def test_means_of_other_positions_are_warned_of_though_they_are_as_many():
    same = chapter_of(a={"p": 1.0, "q": 0.0}, b={"p": 0.5, "q": 0.5})
    assert "not comparable" not in headline_section(same)
    # The later call failed: asked alike, and not alike in the mean.
    failed = chapter_of(a={"p": 1.0, "q": 0.0}, b={"p": 0.5, "q": None})
    text = headline_section(failed)
    assert "not comparable" in text
    assert "share no position" not in text
    apart = chapter_of(a={"p": 1.0, "q": 0.0}, b={"r": 0.5, "s": 0.5}, c={"p": 0.0, "r": 0.0})
    text = headline_section(apart)
    assert "not comparable" in text
    assert "These share no position and are not compared: a and b." in text
    many = chapter_of(**{name: {name: 1.0} for name in "abcd"})
    assert "b and c; and 1 other pair." not in headline_section(many)
    assert "; and 1 other pair." in headline_section(many)


@pytest.mark.slow
def test_what_stands_beside_changes_nothing_about_a_run_s_own_models():
    values = np.random.default_rng(0).random((5, 10))
    positions = [f"p{place}" for place in range(10)]

    def answers(shift, row=0):
        return dict(zip(positions, values[row] / 2 + shift, strict=True))

    alone = chapter_of(a=answers(0.5), b=answers(0.25), c=answers(0.0))
    beside = table_of(**{f"known {row}": answers(0.1, row) for row in range(1, 5)})
    both = replace(alone, references=beside)
    found, of_own = compare(both), compare(alone).own
    assert found.every["family"].value_counts().to_dict() == {OWN: 3, WITH_BESIDE: 12, BESIDE: 6}
    own = found.own[found.own["family"] == OWN].reset_index(drop=True)
    pd.testing.assert_frame_equal(own, of_own)
    # Ten games of one sign: 2 of 1,024 changes, and three pairs.
    assert own["holm"].tolist() == pytest.approx([3 * 2 / 1024] * 3)
    page = comparison_section(both, found, "c", resamples=5).replace("&#x27;", "'")
    families = "3 pairs of the runs' models and for 12 pairs of a run's model and one beside"
    assert f"Holm's correction for {families}, each family by itself." in page
    assert f"Holm's correction for {families} and for 6 pairs of the models beside, each" in page
    # 12 * 2 / 1024 < 5% < 30 * 2 / 1024.
    assert "cannot separate" not in page
    more = table_of(**{f"known {row}": answers(row / 100, 1) for row in range(10)})
    crowded = replace(alone, references=more)
    page = comparison_section(crowded, compare(crowded), "c", resamples=5).replace("&#x27;", "'")
    assert "3 of 3 pairs of the runs' models are separated at 5% after Holm's correction." in page
    assert (
        "With 10 games no p-value is below 0.002, and the correction multiplies the least by 30: the "
        "test cannot separate any pair of a run's model and one beside."
    ) in page


@pytest.mark.slow
def test_families_and_ranks_are_of_models_that_were_asked_alike():
    """Three models at 12 positions, one of them in two settings at 6, and one model at 8."""
    values = np.random.default_rng(2).random((6, 12))

    def answers(row, count):
        return {f"p{place:02}": values[row, place] for place in range(count)}

    table = table_of(a=answers(0, 12), b=answers(1, 12), c=answers(2, 12), d=answers(3, 8))
    fast, slow = (
        table_of(c=answers(row, 6)).assign(setting=name) for row, name in ((4, "fast"), (5, "slow"))
    )
    (chapter,) = chapters_of([ReportedRun("run", pd.concat([table, fast, slow]))])
    every = compare(chapter).every
    assert every["family"].value_counts().to_dict() == {
        OWN: 3, SETTINGS.format("c"): 3, OWN + UNLIKE: 9
    }  # fmt: skip
    for _, part in every.groupby("family"):
        assert part["holm"].tolist() == holm(part["p_value"].tolist())
    main = every[every["family"] == OWN]
    assert {*main["model"], *main["other"]} == {"a", "b", "c"}
    ranked = dict(rankings(chapter.all_scores()))
    assert ranked == {
        "3 models asked about the same 12 positions": ["a", "b", "c"],
        "2 settings of c at the same 6 positions": ["c, fast", "c, slow"],
    }
    page = comparison_section(chapter, compare(chapter), "c", resamples=5)
    assert "Not ranked, for no other model was asked about the same positions: d." in page
    assert "an interval can exclude zero where the test does not separate" in page
    captions = [part.partition("<")[0] for part in page.split("<caption>")[1:]]
    assert captions[0].startswith("Ranks of 3 models asked about the same 12 positions")
    assert captions[1].startswith("Ranks of 2 settings of c at the same 6 positions")


def test_a_call_that_failed_and_one_setting_part_no_models():
    """Models asked about the same positions, each in one setting, are a family and are ranked."""
    table = table_of(a={"p": 1.0, "q": 0.0, "r": 0.5}, b={"p": 0.5, "q": 0.25, "r": None})
    table = table.assign(setting=table["model"].map({"a": "high", "b": ""}))
    (chapter,) = chapters_of([ReportedRun("run", table)])
    assert compare(chapter).every["family"].tolist() == [OWN]
    ((name, models),) = rankings(chapter.all_scores())
    assert name == "2 models asked about the same 3 positions"
    assert len(models) == 2
