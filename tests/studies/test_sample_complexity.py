"""Sample complexity: closed forms, bounds by theory, the search over N, and the figure."""

import math

import chess
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.affordance import exact_profile
from workbench.affordance.estimate import single_runs
from workbench.environments import HomogeneousTree, TableAutomaton
from workbench.environments.synthetic_automata import RandomTree
from workbench.errors import InvalidArgumentError
from workbench.games.synthetic_boards import near_board
from workbench.studies.estimators import sample_complexity
from workbench.studies.estimators.needed_samples import (
    HOMOGENEOUS,
    METHODS,
    RANDOM,
    WEIGHTED,
    derived_samples,
    naive_variance,
    search,
    tree_settings,
)
from workbench.studies.estimators.sample_complexity import growth, summarise
from workbench.studies.outputs import save_study


def values(automaton, depth, method, samples, runs):
    found = single_runs(
        automaton.initial,
        automaton.predicted,
        depth,
        automaton=automaton,
        method=method,
        samples=samples,
        seeds=range(runs),
    )
    return np.array([run.value for run in found])


def derived(setting, method, depth, chance, children):
    return derived_samples(
        setting, method, depth, 0.1, chance=chance, children=children, precision=chance**depth
    )


class TestRandomTree:
    @pytest.mark.parametrize("chance", [0.5, 0.8, 0.95])
    def test_the_mean_over_trees_is_a_power_of_p(self, chance):
        """E[p_m] = p^m, for 600 trees within 4 standard errors, at every depth to 4."""
        profiles = []
        for seed in range(600):
            tree = RandomTree(3, chance, seed)
            profiles.append(
                exact_profile(tree.initial, tree.predicted, 4, automaton=tree).precision
            )
        found = np.array(profiles)
        errors = found.std(axis=0, ddof=1) / math.sqrt(len(found))
        assert (errors > 0).all()
        assert (np.abs(found.mean(axis=0) - chance ** np.arange(1, 5)) < 4 * errors).all()

    @pytest.mark.parametrize(("chance", "expected"), [(0.0, 0.0), (1.0, 1.0)])
    def test_no_child_or_every_child(self, chance, expected):
        tree = RandomTree(4, chance, seed=1)
        assert (
            exact_profile(tree.initial, tree.predicted, 3, automaton=tree).precision
            == (expected,) * 3
        )

    def test_a_seed_is_one_tree(self):
        one, same, other = (RandomTree(40, 0.5, seed) for seed in (1, 1, 2))
        assert one.permitted(one.initial) == same.permitted(same.initial)
        assert one.permitted(one.initial) != other.permitted(other.initial)
        child = one.step(one.initial, one.permitted(one.initial)[0])
        assert one.permitted(child) != one.permitted(one.initial)
        assert one.permitted(one.predicted) == tuple(range(40))

    @pytest.mark.parametrize("arguments", [(0, 0.5, 0), (2, 1.5, 0), (2, -0.1, 0), (2, 0.5, -1)])
    def test_what_is_out_of_range_is_refused(self, arguments):
        with pytest.raises(InvalidArgumentError, match="at least 1 child"):
            RandomTree(*arguments)


class TestTheory:
    @pytest.mark.parametrize("method", WEIGHTED)
    @pytest.mark.parametrize("samples", [1, 3, 20])
    def test_no_variance_on_the_homogeneous_tree(self, method, samples):
        tree = HomogeneousTree(4, 1)
        found = values(tree, 6, method, samples, runs=10)
        np.testing.assert_allclose(found, 0.8**6, rtol=1e-12)

    @pytest.mark.parametrize("method", WEIGHTED)
    def test_but_variance_on_the_random_tree(self, method):
        assert values(RandomTree(8, 0.5, seed=0), 6, method, 4, runs=10).std() > 0.001

    def test_uniform_branching_is_binomial(self):
        """(1 - p^m) / (p^m N), m = 3, N = 50: mean square of 2,000 runs within 4 errors."""
        tree = HomogeneousTree(4, 1)
        square = (values(tree, 3, "branch", 50, runs=2000) / 0.8**3 - 1) ** 2
        expected = (1 - 0.8**3) / (0.8**3 * 50)
        assert abs(square.mean() - expected) < 4 * square.std() / math.sqrt(2000)
        assert derived(HOMOGENEOUS, "branch", 3, 0.8, 5) == pytest.approx(expected * 50 / 0.01)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("shared", "more", "depth", "samples"),
        [(1, 1, 5, 10), (4, 1, 4, 30), (3, 1, 5, 20), (2, 1, 4, 80), (4, 4, 3, 500)],
    )
    def test_the_variance_of_algorithm_1_is_exact(self, shared, more, depth, samples):
        tree, chance = HomogeneousTree(shared, more), shared / (shared + more)
        relative = values(tree, depth, "naive", samples, runs=1000) / chance**depth - 1
        square = relative**2
        expected = naive_variance(samples, depth, chance, shared + more)
        assert abs(square.mean() - expected) < 4 * square.std() / math.sqrt(1000)
        assert abs(relative.mean()) < 4 * math.sqrt(expected / 1000)

    def test_algorithm_1_enumerates_a_small_tree(self):
        assert naive_variance(8**3, 3, 0.5, 8) == pytest.approx(0, abs=1e-12)
        assert naive_variance(8**3 - 1, 3, 0.5, 8) > 1e-6

    def test_algorithm_1_needs_more_than_branching_by_a_factor_without_m(self):
        naive, branch = (derived(HOMOGENEOUS, method, 60, 0.8, 10) for method in METHODS[:2])
        assert naive / branch == pytest.approx((1 - 1 / 10) / (1 - 0.8), rel=0.001)

    @pytest.mark.slow
    def test_algorithm_2_on_the_random_tree(self):
        """Mean square of the error within a third of theory: it is of first order in 1 / N."""
        chance, children, depth = 0.5, 8, 12
        needed = derived(RANDOM, "intermediate", depth, chance, children)
        squares = [
            np.var(found / found.mean())
            for found in (
                values(RandomTree(children, chance, seed), depth, "intermediate", round(needed), 60)
                for seed in range(4)
            )
        ]
        assert np.mean(squares) == pytest.approx(0.01, rel=1 / 3)

    def test_algorithm_2_needs_n_linear_in_m(self):
        few, many = (derived(RANDOM, "intermediate", m, 0.5, 8) for m in (400, 800))
        assert many / few == pytest.approx(2, rel=0.02)
        assert many == pytest.approx(800 * 0.5 / (0.5 * 8 * 0.01), rel=0.02)

    def test_where_no_formula_holds_there_is_none(self):
        assert math.isnan(derived(RANDOM, "stratified", 4, 0.5, 8))
        assert math.isnan(derived(RANDOM, "intermediate", 4, 0.1, 8))


@st.composite
def table_automata(draw):
    states = draw(st.integers(2, 5))
    actions = st.dictionaries(st.integers(0, 4), st.integers(0, states - 1), min_size=1)
    return TableAutomaton({state: draw(actions) for state in range(states)}, initial=0)


def largest_share(automaton, true, predicted):
    """The largest share of shared actions over the joint states reached by shared actions."""
    seen, waiting, largest = set(), [(true, predicted)], 0.0
    while waiting:
        pair = waiting.pop()
        if pair in seen:
            continue
        seen.add(pair)
        of_true, of_predicted = (automaton.permitted(state) for state in pair)
        shared = set(of_true) & set(of_predicted)
        largest = max(largest, len(shared) / len(of_predicted))
        waiting += [tuple(automaton.successor(state, a) for state in pair) for a in shared]
    return largest


@settings(max_examples=200, deadline=None)
@given(table_automata())
def test_p_m_is_at_most_a_power_of_the_largest_acceptance(automaton):
    bound = largest_share(automaton, 0, 1)
    for depth, value in enumerate(exact_profile(0, 1, 5, automaton=automaton).precision, start=1):
        assert value <= bound**depth + 1e-12


class TestSearch:
    def law(self, constant):
        return lambda samples: (constant / math.sqrt(samples), 10.0 * samples)

    @pytest.mark.parametrize("start", [1, 16, 4096])
    def test_finds_what_the_law_says(self, start):
        """An error of 1.5 / sqrt(N) is 0.1 at N = 225, wherever the search begins."""
        found = search(self.law(1.5), 0.1, start=start, cap=4096, allowed=math.inf)
        assert (found.status, found.samples) == ("found", pytest.approx(225))
        assert found.nodes == pytest.approx(2250)

    def test_says_when_the_cap_is_too_low(self):
        found = search(self.law(1.5), 0.1, start=1, cap=128, allowed=math.inf)
        assert (found.status, found.samples, found.nodes) == ("more than", 128, 1280)

    def test_says_when_it_would_cost_too_much(self):
        found = search(self.law(1.5), 0.1, start=1, cap=4096, allowed=700)
        assert (found.status, found.samples) == ("more than", 64)

    def test_says_when_one_is_enough(self):
        found = search(self.law(0.0), 0.1, start=64, cap=4096, allowed=math.inf)
        assert (found.status, found.samples, found.nodes) == ("at most", 1, 10)

    def test_a_dip_before_the_rise_is_passed_over(self):
        def measure(samples):
            return (0.05 if samples == 1 else 1.5 / math.sqrt(samples)), samples

        kept = {"start": 1, "cap": 4096, "allowed": math.inf}
        assert search(measure, 0.1, **kept).status == "at most"
        assert search(measure, 0.1, **kept, confirmed=3).samples == pytest.approx(225)

    def test_runs_without_any_value_are_not_enough(self):
        def measure(samples):
            return (math.inf if samples < 8 else 0.05), samples

        found = search(measure, 0.1, start=1, cap=64, allowed=math.inf)
        assert (found.status, found.samples) == ("found", 8)


class TestPairs:
    @pytest.mark.parametrize("seed", range(5))
    def test_a_near_board_has_one_piece_elsewhere(self, seed):
        before = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
        after = chess.Board(near_board(before.fen(), seed))
        changed = [s for s in chess.SQUARES if before.piece_at(s) != after.piece_at(s)]
        assert len(changed) == 2
        assert {before.piece_at(s) for s in changed} == {after.piece_at(s) for s in changed}
        assert after.is_valid()

    def test_a_board_of_kings_alone_is_refused(self):
        with pytest.raises(InvalidArgumentError, match="8/8/8"):
            near_board("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0)

    def test_trees_have_the_share_asked_for(self):
        for setting in tree_settings((0.5, 0.8, 0.95), 8, 1, (1,), seed=0):
            if setting.name == HOMOGENEOUS:
                assert setting.precision(1) == setting.chance
                assert setting.children >= 8

    @pytest.mark.parametrize("chance", [0.0, 1.0, 0.123])
    def test_a_share_that_no_tree_has_is_refused(self, chance):
        with pytest.raises(InvalidArgumentError, match="fraction"):
            tree_settings((chance,), 8, 1, (1,), seed=0)


@pytest.fixture(scope="module")
def table():
    return sample_complexity.compute(
        chances=(0.8,), tree_depths=(1, 2, 3, 4), trees=1, chess_depths=(1, 2, 3), pairs=1,
        plies=6, exact_depth=2, repeats=64, cap=1024, budget=200_000, budget_compiled=500_000,
    )  # fmt: skip


class TestStudy:
    @pytest.mark.slow
    def test_the_search_meets_the_closed_form_of_branching(self, table):
        """64 runs know N to 18%; four depths within 4 times that."""
        rows = table[(table["method"] == "branch") & (table["setting"] == HOMOGENEOUS)]
        expected = (1 - 0.8 ** rows["depth"]) / (0.8 ** rows["depth"] * 0.01)
        assert list(rows["derived"]) == pytest.approx(list(expected))
        assert (rows["status"] == "found").all()
        assert (np.log(rows["samples"] / expected).abs() < 4 * math.sqrt(2 / 64)).all()

    def test_one_line_is_enough_on_the_homogeneous_tree(self, table):
        rows = table[table["method"].isin(WEIGHTED) & (table["setting"] == HOMOGENEOUS)]
        assert set(rows["status"]) == {"at most"}
        assert (rows["derived"] == 0).all()

    def test_every_row_is_there_and_says_how_it_was_found(self, table):
        assert len(table) == 4 * (5 + 3) + 2 * 3 * 5
        untried = table[table["status"] == "not tried"]
        assert untried[["samples", "nodes"]].isna().all(axis=None)
        assert table.drop(untried.index)[["samples", "nodes"]].notna().all(axis=None)
        short = table[table["status"] == "more than"]
        assert len(short)
        keys = ["setting", "chance", "instance", "method"]
        assert not short.duplicated(keys).any()
        origins = table[table["setting"] == "chess, near"].groupby("depth")["precision_from"]
        assert list(origins.first()) == ["exact", "exact", "long run"]

    def test_the_same_seed_gives_the_same_table(self):
        small = {
            "chances": (0.5,), "tree_depths": (1, 2), "chess_depths": (1, 2), "pairs": 1,
            "plies": 4, "repeats": 4, "budget": 10_000, "budget_compiled": 10_000,
        }  # fmt: skip
        first, again, other = (sample_complexity.compute(**small, seed=s) for s in (3, 3, 4))
        pd.testing.assert_frame_equal(first, again)
        assert not first.equals(other)

    def test_the_median_takes_what_was_not_reached_as_infinite(self):
        rows = pd.DataFrame(
            {
                "setting": "chess, far", "chance": math.nan, "method": "branch",
                "depth": [1, 1, 1, 2, 2, 2], "instance": [0, 1, 2] * 2,
                "status": ["found", "more than", "found", "found", "more than", "not tried"],
                "samples": [8.0, 64.0, 32.0, 8.0, 64.0, math.nan],
                "nodes": [80.0, 640.0, 320.0, 80.0, 640.0, math.nan],
                "derived": math.nan, "precision": 0.25,
            }
        )  # fmt: skip
        first, second = summarise(rows).to_dict("records")
        assert (first["status"], first["samples"], first["reached"]) == ("found", 32.0, 2)
        assert (second["status"], second["samples"], second["reached"]) == ("more than", 64.0, 1)

    def test_growth_of_a_known_law(self):
        depth = np.arange(1, 9)
        rows = pd.DataFrame(
            {
                "setting": RANDOM, "chance": 0.5, "method": "intermediate", "depth": depth,
                "instance": 0, "status": "found", "samples": 3.0 * depth, "nodes": 5.0 * depth**2,
                "derived": 6.0 * depth, "precision": 0.5**depth,
            }
        )  # fmt: skip
        found = growth(rows).iloc[0]
        assert found["samples_power"] == pytest.approx(1)
        assert found["nodes_power"] == pytest.approx(2)
        assert found["rate"] == pytest.approx(math.log(2))
        assert found["derived_ratio"] == pytest.approx(0.5)

    @pytest.mark.slow
    def test_the_figure_names_its_axes(self, table):
        figure = sample_complexity.draw(table, repeats=8)
        assert "1 of each kind; finished games: complete lines" in "\n".join(
            text.get_text() for text in figure.texts
        )
        assert [axes.get_title() for axes in figure.axes[:3]] == [
            "trees, p = 0.8", "chess, near", "chess, far",
        ]  # fmt: skip
        assert figure.axes[0].get_ylabel() == "samples N needed"
        assert figure.axes[3].get_ylabel() == "states generated by one run"
        assert all(axes.get_xlabel() == "depth m (actions)" for axes in figure.axes[3:])
        assert all((axes.get_xscale(), axes.get_yscale()) == ("log", "log") for axes in figure.axes)
        shown = [text.get_text() for text in figure.legends[0].get_texts()]
        assert len(shown) >= len(METHODS) + 2

    @pytest.mark.slow
    def test_each_figure_speaks_of_what_it_draws(self, table):
        parts = sample_complexity.figure_parts(table)
        figures = {name: sample_complexity.draw(part, repeats=8) for name, part in parts.items()}
        titles = {
            name: [axes.get_title() for axes in figure.axes if axes.get_title()]
            for name, figure in figures.items()
        }
        assert titles == {"trees": ["trees, p = 0.8"], "chess": ["chess, near", "chess, far"]}
        notes = {name: figure._supxlabel.get_text() for name, figure in figures.items()}
        assert ["random tree" in notes[name] for name in parts] == [True, False]
        assert ["finished games" in notes[name] for name in parts] == [False, True]
        # As wide as a page at most, so that nothing shrinks in print.
        assert max(figure.get_figwidth() for figure in figures.values()) <= 10

    @pytest.mark.slow
    def test_the_last_digits_of_a_number_do_not_change_the_picture(self, table, tmp_path):
        """They depend on the processor; the palette of the picture spreads one shade over many."""
        pictures = []
        for factor in (1.0, 1 + 1e-13, 1 - 1e-13):
            moved = table.assign(
                **{
                    name: table[name] * factor
                    for name in ("samples", "nodes", "derived", "precision")
                }
            )
            figure = sample_complexity.draw(moved, repeats=8)
            saved = save_study(
                "drawn", figure, moved, tmp_path, parameters={}, seed=0, data="made by hand"
            )
            pictures.append((saved["png"].read_bytes(), saved["svg"].read_bytes()))
        assert len(set(pictures)) == 1

    @pytest.mark.parametrize("change", [{"relative_error": 0}, {"repeats": 1}, {"budget": 0}])
    def test_what_is_out_of_range_is_refused(self, change):
        with pytest.raises(InvalidArgumentError, match=next(iter(change))):
            sample_complexity.compute(**change)
