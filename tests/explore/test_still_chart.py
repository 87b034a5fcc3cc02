"""Tests of the charts of pages without a kernel: marks where the values are, and in the stills of the widgets."""

import base64
import math
import re
from xml.etree import ElementTree

import pytest
from test_tracked_game import rows

import workbench as wb
from workbench.explore import GameTracker, RunBrowser
from workbench.explore.game_tracker import tracker_chart
from workbench.explore.page.still_chart import Axis, Panel, axis_around, still_chart

SVG = "{http://www.w3.org/2000/svg}"


def circles(svg):
    return [
        tuple(float(each.get(name)) for name in ("cx", "cy", "fill-opacity"))
        for each in ElementTree.fromstring(svg).iter(f"{SVG}circle")
    ]


def test_marks_lie_where_the_values_are():
    panel = Panel(Axis("<p>", 0, 1), [(0, 0), (10, 1), (5, 0.5)], "#000000")
    svg = still_chart("a & b", [panel], Axis("x", 0, 10), width=300, height=122)
    # From left to right 52 to 280, from the foot 122 up to 22.
    assert [each[:2] for each in circles(svg)] == [(52, 122), (166, 72), (280, 22)]
    assert "a &amp; b" in svg
    assert "&lt;p&gt;" in svg


def test_points_on_one_pixel_are_drawn_once_and_darker():
    panel = Panel(Axis("y", 0, 1), [(1, 0.5)] * 99 + [(2, 0.5)], "#000000")
    (_, _, many), (_, _, one) = circles(
        still_chart("n", [panel], Axis("x", 0, 2), width=300, height=100)
    )
    assert many == 1
    assert one < 0.5


def test_what_is_undefined_is_a_gap():
    values = [(1, 0.1), (2, math.nan), (3, 0.2), (4, 0.3)]
    panel = Panel(Axis("y", 0, 1), values, "#000000", joined=True)
    svg = still_chart("n", [panel], Axis("x", 1, 4), width=300, height=100, cursor=2)
    (line,) = ElementTree.fromstring(svg).iter(f"{SVG}path")
    assert re.sub(r"[\d.,]", "", line.get("d")) == "MML"
    assert len(circles(svg)) == 3
    assert 'stroke-dasharray="2 3"' in svg


@pytest.mark.parametrize(
    ("values", "ends", "axis"),
    [
        ([3, math.nan, 5], (0, math.inf), (0, 5)),
        ([0.2], (0, 1), (0, 1)),
        ([], (-math.inf, math.inf), (0, 1)),
        ([7, 7], (-math.inf, math.inf), (7, 7)),
    ],
)
def test_an_axis_holds_all_values_and_its_range(values, ends, axis):
    made = axis_around("x", values, ends)
    assert (made.low, made.high) == axis
    assert made.low in made.ticks()


def drawings(html):
    codes = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", html)
    return [base64.b64decode(code).decode() for code in codes]


def test_the_still_of_a_tracker_has_its_charts_and_the_sentence():
    tracker = GameTracker.from_rows(rows(), depth=2)
    chart = tracker_chart(tracker.tracked, tracker.ply, 2)
    assert chart in drawings(tracker.still())
    # Four values of p, three edit distances: the fourth reply has no FEN.
    assert len(circles(chart)) == 7
    assert "edit distance / longer FEN" in chart
    assert "state precision p_2" in chart
    assert tracker.game["replies"][1]["change"] in tracker.still()


def test_the_still_of_a_run_has_its_scatter_plot_with_the_present_axes():
    frame = rows().assign(position_id=["a", "b", "c", "d"])
    browser = RunBrowser(wb.score(frame, depth=2))
    browser.prepare_still()
    (chart,) = drawings(browser.still())
    shown = browser.shown
    defined = shown.dropna(subset=["edit_distance", "precision"])
    assert len(circles(chart)) == len(
        {
            (x, round(y, 2))
            for x, y in zip(defined["edit_distance"], defined["precision"], strict=True)
        }
    )
    assert "of 4 rows" in chart
    browser.table.x_axis = "recall"
    (other,) = drawings(browser.still())
    assert "p_2 by r_2 of 4 rows" in other
    assert other != chart
