"""The first wrong turn: lengths, causes, censoring, and the share of a tracker whose rate is known."""

import numpy as np
import pandas as pd
import pytest

from workbench.asking.conversations import prefixes
from workbench.episodes import EpisodeSample
from workbench.errors import InvalidArgumentError
from workbench.games import cut_games, random_games
from workbench.statistics.kaplan_meier import median_length, share_by_cause, share_interval
from workbench.studies.models import first_wrong_turns

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def table_of(**replies):
    """Rows of conversations whose true board is always the first position."""
    classes = {START: "valid", AFTER_E4: "valid", "": "absent", None: "failed"}
    return pd.DataFrame(
        [
            {"position_id": f"{name}+{ply:03d}", "environment": "chess", "game_id": name[0], "model": "m", "sample": 0,
             "ply": ply, "true_state": START, "predicted_state": text or None, "reply_class": classes[text]}
            for name, texts in replies.items() for ply, text in enumerate(texts, start=1)
        ]
    )  # fmt: skip


def test_causes_and_censoring():
    table = table_of(
        a=[START, AFTER_E4, START],
        b=[START, "", START],
        c=[START, START],
        d=[START, None],
        e=[None],
    )
    rows = first_wrong_turns.lengths(table.sample(frac=1, random_state=0))
    ends = rows.set_index("episode")[["turns", "cause"]].sort_index().to_numpy().tolist()
    wrong, unreadable = first_wrong_turns.CAUSES
    assert ends == [[2, wrong], [2, unreadable], [2, ""], [1, ""], [0, ""]]
    (row,) = first_wrong_turns.compute(rows).to_dict("records")
    assert (row["wrong"], row["unreadable"], row["censored"], row["games"]) == (1, 1, 3, 5)
    # Of three at turn 2, two go wrong.
    assert row["median"] == 2
    with pytest.raises(InvalidArgumentError, match="ask with the prompt 'turns'"):
        first_wrong_turns.lengths(table.assign(position_id="x"))


def test_shares_of_causes_sum_to_one():
    generator = np.random.default_rng(3)
    lengths = generator.integers(1, 9, 200)
    causes = generator.choice(["one", "other", ""], 200)
    steps = np.arange(10)
    share, low, high = share_interval(lengths, causes != "", steps, clusters=lengths % 50)
    parts = [share_by_cause(lengths, causes, cause, steps) for cause in ("one", "other")]
    np.testing.assert_allclose(sum(parts) + share, 1)
    assert (low <= share).all()
    assert (share <= high).all()


def test_whole_games_are_resampled():
    lengths, events = [1, 1, 1, 9, 9, 9], [True] * 6
    alone = median_length(lengths, events, resamples=400)
    games = median_length(lengths, events, clusters=["a"] * 3 + ["b"] * 3, resamples=400)
    assert (alone.low, alone.high) == (games.low, games.high) == (1, 9)
    one = median_length(lengths, events, clusters=["a"] * 6)
    assert np.isnan(one.low)
    share = share_interval(lengths, events, [1], clusters=["a"] * 3 + ["b"] * 3, resamples=400)
    assert [float(each[0]) for each in share] == [0.5, 0.0, 1.0]


def test_a_tracker_goes_on_with_its_error_and_single_questions_do_not():
    positions = cut_games(
        random_games(300, 16, seed=1), groups=(5,), per_group=150, seed=1
    ).positions
    turns = first_wrong_turns.own_replies("simulated", positions, rate=0.1)
    single = first_wrong_turns.own_replies("simulated", prefixes(positions), "direct", rate=0.1)
    assert turns["position_id"].tolist() == single["position_id"].tolist()
    rows = [
        first_wrong_turns.lengths(turns), first_wrong_turns.lengths(single, "single questions")
    ]  # fmt: skip
    steps = np.arange(11)
    known, anew = 0.9**steps, 0.9 ** (steps * (steps + 1) / 2)
    for part, expected in zip(rows, (known, anew), strict=True):
        share, *_ = share_interval(
            part["turns"], part["cause"] != "", steps, clusters=part["game_id"]
        )
        # Games that begin with one of the 20 first moves share the slips there.
        error = 4 * np.sqrt(expected * (1 - expected) / 20)
        assert (abs(share - expected) <= error + 1e-12).all()
    wrong_after = turns.assign(wrong=turns["predicted_state"] != turns["true_state"])
    assert wrong_after[wrong_after["ply"] == 10]["wrong"].mean() > 0.5
    figure = first_wrong_turns.draw(pd.concat(rows), rate=0.1)
    assert len(figure.subfigs[0].axes) == 2


@pytest.mark.parametrize("name", ["boxes", "sokoban"])
def test_any_environment(name):
    positions = EpisodeSample(name, (6,), 4).positions
    rows = first_wrong_turns.lengths(
        first_wrong_turns.own_replies("simulated", positions, rate=0.0)
    )
    assert rows["turns"].tolist() == [6] * 4
    assert set(rows["cause"]) == {""}
    assert first_wrong_turns.compute(rows)["median"].tolist() == [np.inf]
