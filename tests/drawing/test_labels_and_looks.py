"""Names and looks: short enough, told apart, the same in every figure."""

import math
from itertools import combinations

import pytest
import seaborn as sns
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from workbench.answers.recorded_replies import BASELINE, recorded_replies
from workbench.drawing.appearance import COLOURS, caption, style
from workbench.drawing.labels import (
    FILE_DOTS_AN_INCH,
    LONGEST,
    STILL_DOTS_AN_INCH,
    labels,
    room,
    some_of,
    typeset,
    wrapped,
)
from workbench.long_texts import shortened
from workbench.studies.recorded_models import RECORDED_LOOKS, model_looks

ODD = (
    "_hidden", "cost $5 and $10", "50%_off", "<script>alert(1)</script>", "模型一", "模型二", "Модель",
    "two\nlines", "$x^2$", r"\frac{1}", "عربي", "🙂", "", "^_{}", r"\$a", " a ", "#",
)  # fmt: skip


def test_colours_are_those_of_seaborn_for_the_colour_blind():
    assert list(COLOURS) == sns.color_palette("colorblind")


class TestLabels:
    def test_short_names_stand_as_they_are(self):
        assert labels(["gpt-4o", "o3"]) == {"gpt-4o": "gpt-4o", "o3": "o3"}

    def test_long_names_lose_their_middle(self):
        name = "organisation/" + "x" * 100 + "-step-900"
        assert shortened(name, LONGEST) == name[:19] + "…" + name[-20:]
        assert labels([name]) == {name: shortened(name, LONGEST)}

    @pytest.mark.parametrize("longest", [24, 28, 40])
    def test_different_names_are_written_differently(self, longest):
        names = [f"{'a' * 50}{number:03d}{'b' * 60}" for number in range(120)]
        names += ["a" * 120, "a" * 121, "x\ny", r"x\ny", "", "no name", *ODD]
        written = labels(names, longest)
        assert len(set(written.values())) == len(set(names))
        assert max(len(text.replace(r"\$", "$")) for text in written.values()) <= longest + 1

    def test_what_matplotlib_would_take_for_something_else_is_literal(self):
        found = labels(["$a$", "_b", "模"])
        assert found == {"$a$": r"\$a\$", "_b": " _b", "模": r"\u6a21"}

    def test_digits_after_arabic_keep_their_order(self):
        assert labels(["عربي"])["عربي"] == "\u200eعربي\u200e"

    def test_names_in_words(self):
        assert some_of(["a", "b"], "models") == "a, b"
        assert some_of("abcdef", "models") == "6 models (a, b, c and 3 more)"
        assert some_of([], "models") == ""

    @pytest.mark.parametrize("size", [7, 8, 11])
    def test_the_room_is_enough_in_a_file_and_in_a_notebook(self, size):
        """Where characters are whole dots wide, a line can be longer than its outlines are."""
        text = some_of(
            [f"{n:02d}-{'a_very_long_file_name_' * 5}.parquet" for n in range(9)], "tables"
        )
        for dots in (FILE_DOTS_AN_INCH, STILL_DOTS_AN_INCH):
            figure = Figure(dpi=dots)
            drawn = figure.text(0, 0, text, fontsize=size)
            width = drawn.get_window_extent(FigureCanvasAgg(figure).get_renderer()).width
            assert width / dots <= room(text, size)

    def test_lines_are_as_wide_as_there_is_room(self):
        text = "a note of many words, " * 20 + "x" * 300 + "\nand a second line"
        lines = wrapped(text, 3.0, 7).split("\n")
        assert all(room(line, 7) <= 3.0 for line in lines)
        assert lines[-1] == "and a second line"
        assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")


def test_symbols_are_typeset_and_names_are_not():
    assert typeset("mean p_4 (r_m: recall), m = 4") == "mean $p_{4}$ ($r_{m}$: recall), m = 4"
    for name in ("map_4", "p_4.parquet", "run/p_4", "p_4-chat", "p_long", r"\$p_4\$"):
        assert typeset(name) == name
    figure = Figure(figsize=(6, 4))
    caption(figure, "State precision p_4", "cost $5, p_10")
    assert figure.get_suptitle() == "State precision $p_{4}$"
    assert figure._supxlabel.get_text() == r"cost \$5, $p_{10}$"


def test_looks_do_not_run_out():
    """Without colour the first 64 differ, with it the first 320; and any number has one."""
    looks = [style(index) for index in range(320)]
    plain = {(look.marker, look.line, look.face == "white") for look in looks[:64]}
    assert len(plain) == 64
    whole = {(look.colour, look.marker, look.line, look.face == "white") for look in looks}
    assert len(whole) == 320
    assert style(10_000).marker in {look.marker for look in looks}


class TestModelLooks:
    def test_every_recorded_model_has_one_and_the_baseline_is_grey(self):
        assert set(RECORDED_LOOKS) == set(recorded_replies(sets=(), settings=())["model"])
        assert len(set(RECORDED_LOOKS[BASELINE].colour)) == 1

    def test_recorded_models_are_told_apart_by_points_alone(self):
        points = {(look.marker, look.face == "white") for look in RECORDED_LOOKS.values()}
        assert len(points) == 18
        assert len({look.hatch for look in RECORDED_LOOKS.values()}) == 18

    def test_no_two_colours_are_near(self):
        """In CIE L*a*b* (D65), where a distance of 2.3 can just be seen, at least 20."""
        colours = [lab(look.colour) for look in RECORDED_LOOKS.values()]
        distances = [math.dist(one, other) for one, other in combinations(colours, 2)]
        assert min(distances) > 20

    def test_a_look_does_not_depend_on_what_else_is_drawn(self):
        assert model_looks(["o3-2025-04-16", "mine"])["o3-2025-04-16"].marker == "o"
        looks = model_looks([*RECORDED_LOOKS, *(f"m{number:04d}" for number in range(20)), "m0000"])
        assert len(looks) == 38
        assert {name: looks[name] for name in RECORDED_LOOKS} == dict(RECORDED_LOOKS)
        assert (
            len({(look.marker, look.line, look.face == "white") for look in looks.values()}) == 38
        )


def lab(colour):
    """CIE L*a*b* of red, green and blue in sRGB (IEC 61966-2-1, white D65)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    matrix = (
        (0.4124, 0.3576, 0.1805, 0.9505), (0.2126, 0.7152, 0.0722, 1.0), (0.0193, 0.1192, 0.9505, 1.089),
    )  # fmt: skip
    shares = [sum(k * c for k, c in zip(row, linear, strict=False)) / row[3] for row in matrix]
    x, y, z = (s ** (1 / 3) if s > 216 / 24389 else (24389 / 27 * s + 16) / 116 for s in shares)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_lab_of_known_colours():
    assert lab((1, 1, 1)) == pytest.approx((100, 0, 0), abs=0.05)
    assert lab((1, 0, 0)) == pytest.approx((53.24, 80.09, 67.20), abs=0.05)
