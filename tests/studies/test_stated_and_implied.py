"""Stated states against listed actions: cases worked by hand, and trackers whose kind is known."""

import math

import chess
import pandas as pd
import pytest
from drawn import faults

from workbench.answers.model_replies import simulate
from workbench.environments.registry import environment_named
from workbench.episodes import sample_positions
from workbench.errors import InvalidArgumentError, TableError
from workbench.scoring import ScoringParameters, score_predictions
from workbench.studies.environments import stated_and_implied
from workbench.studies.environments.stated_and_implied import (
    ACTING,
    APART,
    OTHER,
    QUANTITIES,
    WRITTEN,
    Position,
    controls,
    draw,
    simulated_pair,
    verdict,
)
from workbench.studies.panels import ALL_LENGTHS

OTHELLO = environment_named("othello")
# Black may play d3, c4, f5 and e6. With White to move: e3, f4, c5 and d6.
FIRST = OTHELLO.automaton.initial
WHITE_FIRST = type(FIRST)(FIRST.black, FIRST.white, False)


def of(true, stated, *listed):
    return stated_and_implied.quantities(OTHELLO, Position(true, stated, listed))


class TestOnePosition:
    def test_states_that_share_no_action(self):
        found = of(FIRST, WHITE_FIRST, "d3", "c4", "e3", "a1")
        assert found == {
            "legal_on_true": 0.5,
            "legal_on_stated": 0.25,
            "legal_on_both": 0.0,
            "stated_less_true": -0.25,
            "complete_on_true": 0.5,
            "complete_on_stated": 0.25,
            "stated_only_listed": 0.25,
            "true_only_listed": 0.5,
            "stated_less_true_only": -0.25,
            # Of e3 and a1, White to move may play e3.
            "explained": 0.5,
        }

    def test_a_right_state_tells_nothing_of_what_the_model_acts_on(self):
        found = of(FIRST, FIRST, "d3", "D3", "e3")
        assert found["legal_on_true"] == found["legal_on_stated"] == found["legal_on_both"] == 0.5
        assert found["stated_less_true"] == 0
        for name in (
            "stated_only_listed",
            "true_only_listed",
            "stated_less_true_only",
            "explained",
        ):
            assert math.isnan(found[name]), name

    def test_an_empty_list(self):
        found = of(FIRST, WHITE_FIRST)
        for name in ("legal_on_true", "legal_on_stated", "legal_on_both", "complete_on_true"):
            assert found[name] == 0, name
        assert found["stated_only_listed"] == found["true_only_listed"] == 0
        assert math.isnan(found["explained"])

    def test_a_board_without_its_king_permits_one_move_more(self):
        """The queen's move to e1; the king has none on the first position."""
        chess_itself = environment_named("chess")
        true = chess_itself.read_state(chess.STARTING_FEN)
        stated = chess_itself.read_state(chess.STARTING_FEN.replace("RNBQKBNR", "RNBQ1BNR"))
        moves = [move.uci() for move in chess.Board().legal_moves]
        found = stated_and_implied.quantities(
            chess_itself, Position(true, stated, (*moves[1:], "Qe1", "d1e1"))
        )
        # The task counts what is illegal in truth by its text, so that Qe1 and d1e1 are two there.
        assert found["legal_on_true"] == 19 / 21
        assert found["legal_on_stated"] == 1
        assert found["legal_on_both"] == 19 / 20
        assert found["complete_on_stated"] == 20 / 21
        assert found["stated_only_listed"] == found["explained"] == 1
        assert math.isnan(found["true_only_listed"])


def two_tables():
    """Four positions of Othello after 4 moves: states and lists, all of the first position."""
    positions = sample_positions(OTHELLO, [4], 4, 0)
    assert positions["game_id"].nunique() == 4
    both = {
        task: simulate(positions, rate=0, seed=0, task=task, model_name="simulated")
        for task in ("state", "actions")
    }
    first, white = (OTHELLO.state_text(state) for state in (FIRST, WHITE_FIRST))
    stated = both["state"].assign(true_state=first, predicted_state=[white, first, white, white])
    lists = ["e3\na1", "c5\ne3\nd3\nh8", "d3", None]
    listed = both["actions"].assign(true_state=first, predicted_actions=lists)
    listed.loc[3, "reply_class"] = "absent"
    return stated, listed


def overall(table):
    return table[table["length"] == ALL_LENGTHS].set_index("quantity")


def test_what_other_episodes_lists_would_give():
    """Of the others' c5, e3 and h8, illegal in truth, White to move may play c5 and e3."""
    table = stated_and_implied.compute(*two_tables())
    found = overall(table)
    assert found.loc["explained", ["mean", "count"]].tolist() == [0.5, 1]
    assert found.loc["expected", ["mean", "count"]].tolist() == pytest.approx([2 / 3, 1])
    assert found.loc["explained_less_expected", "mean"] == pytest.approx(-1 / 6)
    assert found.loc["legal_on_true", ["mean", "count"]].tolist() == pytest.approx(
        [(0 + 1 / 4 + 1) / 3, 3]
    )
    assert found.loc["stated_only_listed", ["mean", "count"]].tolist() == [(1 / 4 + 0) / 2, 2]
    assert found.loc["true_only_listed", "mean"] == (0 + 1 / 4) / 2
    assert (found["pairs"] == 4).all()
    assert (found["without_list"] == 1).all()
    assert table["length"].unique().tolist() == ["4", ALL_LENGTHS]
    assert table["quantity"].unique().tolist() == list(QUANTITIES)


def test_what_is_left_out_is_counted():
    stated, listed = two_tables()
    stated.loc[0, "reply_class"] = "failed"
    stated.loc[1, ["reply_class", "predicted_state"]] = ["unparseable", "??"]
    listed.loc[2, "reply_class"] = "ill_formed"
    counted = ["failed", "without_state", "without_list", "unpaired"]
    as_is = overall(stated_and_implied.compute(stated, listed))
    sink = overall(stated_and_implied.compute(stated, listed.iloc[:3], ill_formed="sink"))
    assert as_is.loc["legal_on_true", counted].tolist() == [1, 1, 1, 0]
    assert sink.loc["legal_on_true", counted].tolist() == [1, 1, 1, 1]
    assert as_is.loc["legal_on_true", ["mean", "count"]].tolist() == [1, 1]
    assert sink.loc["legal_on_true", "count"] == 0


def test_tables_that_do_not_belong_together_are_refused():
    stated, listed = two_tables()
    with pytest.raises(InvalidArgumentError, match=r"4 states of \['simulated'\] and 0 lists"):
        stated_and_implied.compute(stated, stated)
    with pytest.raises(InvalidArgumentError, match="of which no two have the same position_id"):
        stated_and_implied.compute(stated, listed.assign(model="another"))
    with pytest.raises(InvalidArgumentError, match="two at 4 positions"):
        stated_and_implied.compute(stated, listed.assign(true_state="x"))
    with pytest.raises(TableError, match="each reply once"):
        stated_and_implied.compute(pd.concat([stated, stated]), listed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chess", "othello", "sokoban", "planning", "boxes", "programs"])
def test_trackers_of_known_kinds_are_told_apart(name):
    environment = environment_named(name)
    unit = environment.actions_per_group
    positions = sample_positions(environment, [4 // unit, 16 // unit], 30, 1)
    stated, listed = simulated_pair(positions, rate=0.1, seed=2)
    table = stated_and_implied.compute(stated, listed)
    of_model = {model: overall(part) for model, part in table.groupby("model")}
    acting, apart = of_model[ACTING]["mean"], of_model[APART]["mean"]
    for quantity in ("legal_on_stated", "complete_on_stated", "stated_only_listed", "explained"):
        assert acting[quantity] == 1, quantity
    assert acting["true_only_listed"] == 0
    assert acting["legal_on_true"] == acting["legal_on_both"] < 1
    assert acting["expected"] < 1
    assert apart["stated_only_listed"] < apart["true_only_listed"]
    assert table["length"].unique().tolist() == ["4", "16", ALL_LENGTHS]
    # p_1 and r_1 are those of the scores.
    scores = score_predictions(listed, ScoringParameters(depth=1)).groupby("model")
    for quantity, column in (("legal_on_true", "precision_1"), ("complete_on_true", "recall_1")):
        expected = scores[column].mean()
        assert {model: found["mean"][quantity] for model, found in of_model.items()} == (
            pytest.approx(expected.to_dict())
        )


@pytest.mark.slow
def test_the_controls_write_what_the_model_writes():
    """The lists of one follow the written boards, those of the other know nothing of them."""
    chess_environment = environment_named("chess")
    positions = sample_positions(chess_environment, [8, 20], 30, seed=3)
    stated = simulate(positions, rate=0.06, seed=1, model_name="simulated model")
    states, lists = controls(stated, rate=0.06, seed=9)
    assert set(states["model"]) == {WRITTEN, OTHER}
    for _, part in states.groupby("model"):
        assert part["predicted_state"].tolist() == stated["predicted_state"].tolist()
    table = stated_and_implied.compute(states, lists)
    means = table[table["length"] == ALL_LENGTHS].set_index(["model", "quantity"])["mean"]
    assert means[WRITTEN, "stated_only_listed"] == 1
    assert means[WRITTEN, "true_only_listed"] == 0
    # Slips of its own are seldom those of the written board.
    assert means[OTHER, "stated_less_true_only"] < -0.2


def test_figure_and_verdict():
    positions = sample_positions(OTHELLO, [4, 16], 30, 1)
    table = stated_and_implied.compute(*simulated_pair(positions, rate=0.1, seed=2))
    figure = draw(table, "two simulated trackers")
    assert "simulated" in figure._suptitle.get_text()
    assert "120 pairs of replies" in figure._supxlabel.get_text()
    assert len(figure.axes) == 6
    assert [fault for fault in faults(figure) if "legend" not in fault] == []
    acting, apart = verdict(table).splitlines()
    assert acting.startswith(f"* {ACTING}: it acts on the board that it writes. It lists 100% of")
    assert apart.startswith(f"* {APART}: it does not act on the board that it writes")
    right = stated_and_implied.compute(*simulated_pair(positions, rate=0, seed=2))
    assert "at no position do the two boards" in verdict(right)
