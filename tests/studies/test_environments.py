"""p_m of pairs that differ by one slip: the numbers are those known otherwise."""

import numpy as np
import pytest

from workbench.affordance import exact_profile
from workbench.environments import HomogeneousTree
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.studies.environments import precision_by_environment
from workbench.studies.environments.precision_by_environment import (
    SIX,
    TREE,
    difference,
    state_after_slip,
    state_pairs,
)

NAMES = [*SIX, TREE]
SMALL = {
    "pairs": 2,
    "moves": 6,
    "depths": 3,
    "exact_depth": 2,
    "methods": ("branch", "intermediate"),
    "samples": 2000,
    "batches": 2,
    "seed": 5,
}


@pytest.fixture(scope="module")
def table():
    return precision_by_environment.compute(**SMALL)


class TestPairs:
    def test_each_is_a_state_of_an_episode_and_another_after_a_slip(self):
        drawn = state_pairs(SIX, 3, 5, 3, 1, 2)
        assert list(drawn) == NAMES
        for name in SIX:
            environment = environment_named(name)
            assert len(drawn[name].pairs) == 3
            for pair in drawn[name].pairs:
                assert pair.true != pair.predicted
                assert environment.automaton.permitted(pair.true)
                changed = {each.split(": ")[0] for each in pair.difference.split("; ")}
                one, other = map(environment.elements, (pair.true, pair.predicted))
                assert changed == {
                    each for each in {**one, **other} if one.get(each) != other.get(each)
                }

    def test_a_difference_in_words(self):
        othello = environment_named("othello")
        true = othello.automaton.initial
        other = type(true)(true.black ^ 1, true.white, true.black_to_move)
        assert difference(othello, true, other) == "a1: nothing, written black"

    def test_a_state_that_allows_no_slip_is_refused(self):
        class Sure(type(environment_named("othello"))):
            def slip(self, state, generator):
                return state

        sure = Sure("sure")
        with pytest.raises(InvalidArgumentError, match="sure: expected a state that can be"):
            state_after_slip(sure, sure.automaton.initial, 0)


class TestCompute:
    @pytest.mark.slow
    def test_every_environment_has_every_row(self, table):
        assert list(table["environment"].unique()) == NAMES
        rows = table.groupby(["environment", "pair", "method"]).size()
        for name in SIX:
            for pair in range(2):
                assert dict(rows[name, pair]) == {"branch": 3, "exact": 2, "intermediate": 3}
        assert rows[TREE, 0, "closed form"] == 3

    def test_exact_values_are_those_of_the_states_that_are_named(self, table):
        exact = table[(table["method"] == "exact") & (table["environment"] != TREE)]
        assert len(exact) == 6 * 2 * 2
        for row in exact.itertuples():
            environment = environment_named(row.environment)
            texts = (text.replace(" / ", "\n") for text in (row.true, row.predicted))
            true, predicted = map(environment.read_state, texts)
            profile = exact_profile(
                true, predicted, row.depth, automaton=environment.automaton, engine="reference"
            )
            assert row.value == pytest.approx(profile.precision[-1], abs=1e-12)

    def test_the_tree_is_p_to_the_m(self, table):
        tree = table[table["environment"] == "homogeneous tree"]
        for method in ("exact", "closed form"):
            values = tree.loc[tree["method"] == method, "value"]
            np.testing.assert_allclose(values, [0.8, 0.64, 0.512][: len(values)])
            assert len(values) >= 2

    def test_the_estimators_meet_the_exact_values(self, table):
        """Fewer than N lines are there to be kept, so that Algorithm 2 thins none and is exact."""
        keys = ["environment", "pair", "depth"]
        exact = table[table["method"] == "exact"].set_index(keys)["value"].rename("exact")
        found = table[table["samples"] > 0].join(exact, on=keys).dropna(subset="exact")
        printed = found[found["method"] == "intermediate"]
        np.testing.assert_allclose(printed["value"], printed["exact"], rtol=1e-9)
        walks = found[found["method"] == "branch"]
        deviation = np.sqrt(walks["exact"] * (1 - walks["exact"]) / (2 * 2000))
        assert ((walks["value"] - walks["exact"]).abs() <= 4.5 * deviation + 1e-9).all()
        assert len(printed) == len(walks) == 6 * 2 * 2 + 2
        assert (deviation > 0).any()

    def test_the_same_seed_gives_the_same_table(self):
        few = {**SMALL, "samples": 20}
        again, other = (
            precision_by_environment.compute(**{**few, "seed": seed}) for seed in (5, 6)
        )
        assert precision_by_environment.compute(**few).equals(again)
        assert not other.equals(again)

    @pytest.mark.parametrize("wrong", [{"pairs": 0}, {"moves": 0}, {"exact_depth": -1}])
    def test_what_cannot_be_is_refused(self, wrong):
        with pytest.raises(InvalidArgumentError, match=r"pairs=|moves=|exact_depth="):
            precision_by_environment.compute(**{**SMALL, **wrong})


def test_the_summary_is_the_mean_over_pairs(table):
    summary = precision_by_environment.summarise(table).set_index(
        ["environment", "method", "depth"]
    )
    values = table[
        (table["environment"] == "othello") & (table["method"] == "branch") & (table["depth"] == 2)
    ]
    exact = table[
        (table["environment"] == "othello") & (table["method"] == "exact") & (table["depth"] == 2)
    ]
    row = summary.loc[("othello", "branch", 2)]
    one, other = values["value"]
    assert row["mean"] == pytest.approx((one + other) / 2)
    assert (row["low"], row["high"], row["pairs"]) == (min(one, other), max(one, other), 2)
    far, near = values["value"].to_numpy() - exact["value"].to_numpy()
    assert row["deviation"] == pytest.approx(((far**2 + near**2) / 2) ** 0.5)
    assert np.isnan(summary.loc[("othello", "branch", 3), "deviation"])


@pytest.mark.slow
def test_the_figure_has_a_panel_for_each_environment(table):
    figure = precision_by_environment.draw(table)
    drawn = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title().split(" (")[0].lower() for axes in drawn] == NAMES
    assert {axes.get_xlabel() for axes in drawn} == {"depth m (actions)"}
    assert figure.axes[0].get_ylabel() == "state precision $p_{m}$"
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert {"exact, mean", "closed form $p^m$", "uniform branching"} <= set(labels)
    top = figure.axes[0].get_ylim()[1]
    assert top >= table["value"].max()


def test_another_tree_has_another_decay():
    tree = HomogeneousTree(1, 1)
    table = precision_by_environment.compute(
        **{**SMALL, "names": (), "pairs": 1, "methods": (), "shared": 1, "predicted_only": 1}
    )
    closed = table[table["method"] == "closed form"]
    assert list(closed["value"]) == [tree.precision(m) for m in (1, 2, 3)] == [0.5, 0.25, 0.125]
