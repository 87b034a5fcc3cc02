"""The still picture of a pair: what is on it, and that it can be saved."""

import io

import chess
import matplotlib.colors
import pytest
from matplotlib.patches import FancyArrowPatch

from workbench.errors import InvalidFenError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view
from workbench.explore.pictures import pair_figure

TRUE = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4"
PREDICTED = TRUE.replace("5Q2", "7Q")


def arrows(axes):
    return [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]


def marked_squares(axes):
    """Return the squares with the mark of what differs: lines in their corners, and hatching."""
    lines = [line.mean(axis=0) for part in axes.collections for line in part.get_segments()]
    return {chess.square_name(chess.square(int(x), int(y))) for x, y in lines}


@pytest.mark.slow
def test_pieces_marks_arrows_and_the_chart_are_those_of_the_pair():
    figure = pair_figure(TRUE, PREDICTED)
    of_true, of_predicted, chart = figure.axes
    view = pair_view(TRUE, PREDICTED)
    for axes, moves in ((of_true, "only_true"), (of_predicted, "only_predicted")):
        assert len(axes.texts) == chess.popcount(chess.Board(TRUE).occupied)
        assert marked_squares(axes) == set(view["different"]) == {"f3", "h3"}
        ends = {(move["from"], move["to"]) for move in view["moves"][moves]}
        assert len(arrows(axes)) == len(ends) == 18
    heights = [container.lines[0].get_ydata().tolist() for container in chart.containers]
    assert heights == [
        [entry["value"] for entry in view["profile"][name]] for name in ("precision", "recall")
    ]
    figure.savefig(io.BytesIO(), format="png", dpi=40)


def test_the_chart_does_not_rest_on_colour_alone():
    _, _, chart = pair_figure(TRUE, PREDICTED).axes
    looks = {
        (each.lines[0].get_marker(), each.lines[0].get_linestyle()) for each in chart.containers
    }
    assert len(looks) == 2
    of_true = pair_figure(TRUE, PREDICTED).axes[0]
    inks = {matplotlib.colors.to_hex(text.get_color()) for text in of_true.texts}
    assert len(inks) == 2


def test_one_arrow_for_the_four_promotions_of_a_pawn():
    true, predicted = "8/P6k/8/8/8/8/8/K7 w - - 0 1", "1n6/8/7k/8/8/8/8/K7 w - - 0 1"
    assert len(arrows(pair_figure(true, predicted).axes[0])) == 1


@pytest.mark.slow
def test_no_predicted_board_and_a_bad_one():
    figure = pair_figure(TRUE, None)
    assert [text.get_text() for text in figure.axes[1].texts] == ["no board"]
    figure.savefig(io.BytesIO(), format="svg")
    with pytest.raises(InvalidFenError, match="the predicted FEN"):
        pair_figure(TRUE, "nothing w")


@pytest.mark.slow
def test_estimates_have_error_bars_that_can_be_drawn():
    figure = pair_figure(TRUE, PREDICTED, ExplorerSettings(depth=5, exact_budget=60))
    figure.savefig(io.BytesIO(), format="png", dpi=40)
    assert "estimated" in figure.get_supxlabel()
