"""p_m in four environments: the pairs differ in one thing, and the numbers are those known otherwise."""

import chess
import numpy as np
import pytest

from workbench.affordance import exact_profile
from workbench.environments import ChessState, HomogeneousTree, OthelloState, SokobanAutomaton
from workbench.errors import InvalidArgumentError
from workbench.studies.environments import precision_by_environment
from workbench.studies.environments.state_pairs import SOKOBAN_ROOM, random_state
from workbench.studies.environments.state_pairs import environments as drawn_environments

NAMES = ["chess", "Othello", "Sokoban", "homogeneous tree"]
SMALL = {
    "pairs": 2,
    "moves": 6,
    "depths": 3,
    "exact_depth": 2,
    "exact_depth_narrow": 3,
    "methods": ("branch", "intermediate"),
    "samples": 2000,
    "batches": 2,
    "seed": 5,
}


@pytest.fixture(scope="module")
def table():
    return precision_by_environment.compute(**SMALL)


@pytest.fixture(scope="module")
def drawn():
    return drawn_environments(pairs=8, moves=14, shared=3, predicted_only=1, seed=2)


def differing(one, other):
    assert len(one) == len(other)
    return sum(a != b for a, b in zip(one, other, strict=True))


class TestPairs:
    def test_a_chess_board_lacks_a_piece_or_has_one_elsewhere(self, drawn):
        for index, pair in enumerate(drawn["chess"].pairs):
            true, predicted = pair.true.board(), pair.predicted.board()
            assert predicted.is_valid()
            changed = [s for s in chess.SQUARES if true.piece_at(s) != predicted.piece_at(s)]
            assert len(changed) == 1 + index % 2
            assert len(true.piece_map()) - len(predicted.piece_map()) == 1 - index % 2
            assert true.turn == predicted.turn
            assert true.castling_rights == predicted.castling_rights
            assert chess.square_name(changed[0]) in pair.difference

    def test_an_othello_board_differs_in_one_character(self, drawn):
        for index, pair in enumerate(drawn["Othello"].pairs):
            assert differing(pair.true_text, pair.predicted_text) == 1
            discs = [(s.black | s.white).bit_count() for s in (pair.true, pair.predicted)]
            assert discs[0] - discs[1] == 1 - index % 2
            assert OthelloState.from_text(pair.predicted_text) == pair.predicted

    def test_a_box_stands_one_cell_off(self, drawn):
        automaton = SokobanAutomaton(SOKOBAN_ROOM)
        for pair in drawn["Sokoban"].pairs:
            assert pair.true.player == pair.predicted.player
            ((row, column),) = pair.true.boxes - pair.predicted.boxes
            ((other_row, other_column),) = pair.predicted.boxes - pair.true.boxes
            assert abs(row - other_row) + abs(column - other_column) == 1
            assert automaton.state(pair.predicted_text.replace("/", "\n")) == pair.predicted
            assert pair.predicted.player not in pair.predicted.boxes

    def test_the_first_move_is_drawn_uniformly(self):
        """400 draws among four first moves of Othello, within 4.5 standard errors of 100."""
        automaton = drawn_environments(1, 0, 1, 0, 0)["Othello"].automaton
        states = [random_state(automaton, 1, seed) for seed in range(400)]
        counts = [states.count(state) for state in set(states)]
        assert len(counts) == 4
        assert max(abs(count - 100) for count in counts) < 4.5 * (400 * 0.25 * 0.75) ** 0.5

    def test_a_state_that_is_finished_is_never_drawn(self):
        """A push to the right solves this room, so that a first move is always the step down."""
        corridor = SokobanAutomaton("#@$.#\n# ###")
        ends = {random_state(corridor, 1, seed) for seed in range(20)}
        assert [corridor.text(end) for end in ends] == ["# $.#\n#@###"]

    def test_more_moves_than_a_game_has_are_refused(self):
        """The one move there is solves this room."""
        solved = SokobanAutomaton("#@$.#")
        with pytest.raises(InvalidArgumentError, match="fewer moves"):
            random_state(solved, 1, 0)


class TestCompute:
    def test_every_environment_has_every_row(self, table):
        assert list(table["environment"].unique()) == NAMES
        rows = table.groupby(["environment", "pair", "method"]).size()
        for name in NAMES[:3]:
            exact = SMALL["exact_depth_narrow" if name == "Sokoban" else "exact_depth"]
            for pair in range(2):
                assert dict(rows[name, pair]) == {"branch": 3, "exact": exact, "intermediate": 3}
        assert rows["homogeneous tree", 0, "closed form"] == 3

    def test_exact_values_are_those_of_the_boards_that_are_named(self, table):
        rules = drawn_environments(1, 0, 1, 0, 0)
        readers = {
            "chess": ChessState.from_fen,
            "Othello": OthelloState.from_text,
            "Sokoban": lambda text: rules["Sokoban"].automaton.state(text.replace("/", "\n")),
        }
        exact = table[(table["method"] == "exact") & (table["environment"] != NAMES[3])]
        assert len(exact) == 14
        for row in exact.itertuples():
            read = readers[row.environment]
            true, predicted = read(row.true), read(row.predicted)
            automaton = rules[row.environment].automaton
            profile = exact_profile(automaton, true, predicted, row.depth, engine="reference")
            assert row.value == pytest.approx(profile.precision[-1], abs=1e-12)

    def test_the_tree_is_p_to_the_m(self, table):
        tree = table[table["environment"] == "homogeneous tree"]
        for method in ("exact", "closed form"):
            values = tree.loc[tree["method"] == method, "value"]
            np.testing.assert_allclose(values, [0.8, 0.64, 0.512])

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
        assert len(printed) == len(walks) == 4 + 4 + 6 + 3
        assert (deviation > 0).any()

    def test_the_same_seed_gives_the_same_table(self):
        few = {**SMALL, "samples": 20}
        again, other = (
            precision_by_environment.compute(**{**few, "seed": seed}) for seed in (5, 6)
        )
        assert precision_by_environment.compute(**few).equals(again)
        assert not other.equals(again)

    @pytest.mark.parametrize("wrong", [{"pairs": 0}, {"moves": -1}, {"exact_depth": -1}])
    def test_what_cannot_be_is_refused(self, wrong):
        with pytest.raises(InvalidArgumentError, match=r"pairs=|moves=|exact_depth="):
            precision_by_environment.compute(**{**SMALL, **wrong})


def test_the_summary_is_the_mean_over_pairs(table):
    summary = precision_by_environment.summarise(table).set_index(
        ["environment", "method", "depth"]
    )
    values = table[
        (table["environment"] == "Othello") & (table["method"] == "branch") & (table["depth"] == 2)
    ]
    exact = table[
        (table["environment"] == "Othello") & (table["method"] == "exact") & (table["depth"] == 2)
    ]
    row = summary.loc[("Othello", "branch", 2)]
    one, other = values["value"]
    assert row["mean"] == pytest.approx((one + other) / 2)
    assert (row["low"], row["high"], row["pairs"]) == (min(one, other), max(one, other), 2)
    far, near = values["value"].to_numpy() - exact["value"].to_numpy()
    assert row["deviation"] == pytest.approx(((far**2 + near**2) / 2) ** 0.5)
    assert np.isnan(summary.loc[("Othello", "branch", 3), "deviation"])


def test_the_figure_has_a_panel_for_each_environment(table):
    figure = precision_by_environment.draw(table)
    assert [axes.get_title().split(" (")[0] for axes in figure.axes] == NAMES
    assert {axes.get_xlabel() for axes in figure.axes} == {"depth m (actions)"}
    assert figure.axes[0].get_ylabel() == "state precision p_m"
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert {"exact, mean", "closed form p^m", "uniform branching"} <= set(labels)
    top = figure.axes[0].get_ylim()[1]
    assert top >= table["value"].max()


def test_another_tree_has_another_decay():
    tree = HomogeneousTree(1, 1)
    table = precision_by_environment.compute(
        **{**SMALL, "pairs": 1, "methods": (), "shared": 1, "predicted_only": 1}
    )
    closed = table[table["method"] == "closed form"]
    assert list(closed["value"]) == [tree.precision(m) for m in (1, 2, 3)] == [0.5, 0.25, 0.125]
