"""One name and one colour for each quantity, on pages and in figures, that everyone can tell apart."""

import re
from itertools import combinations

import numpy as np
import pytest

from workbench.drawing.quantities import EDIT_DISTANCE, PRECISION, QUANTITIES, RECALL, F
from workbench.explore.page.assets import FOLDER

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISIONS = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
GROUNDS = {"light": "#ffffff", "dark": "#1b1b1d"}


def linear(colour):
    channels = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
         [0.0193339, 0.1191920, 0.9503041]]
    ) @ np.clip(rgb, 0, 1)  # fmt: skip
    scaled = xyz / np.array([0.95047, 1.0, 1.08883])
    x, y, z = np.where(scaled > 216 / 24389, np.cbrt(scaled), (24389 / 27 * scaled + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def luminance(colour):
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))


def colours(theme):
    return [
        quantity.colour if theme == "light" else quantity.dark_colour
        for quantity in [*QUANTITIES.values(), F]
    ]


def test_the_measure_of_difference_is_right():
    """CIE76 of black and white is 100, and red is L* 53.2, a* 80.1, b* 67.2."""
    assert np.linalg.norm(lab(linear("#ffffff")) - lab(linear("#000000"))) == pytest.approx(
        100, abs=0.1
    )
    assert lab(linear("#ff0000")) == pytest.approx([53.2, 80.1, 67.2], abs=0.1)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", GROUNDS)
def test_colours_stay_apart_whatever_the_vision(theme, vision):
    seen = [lab(np.array(VISIONS[vision]) @ linear(colour)) for colour in colours(theme)]
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(one - other) > 25


@pytest.mark.parametrize("theme", GROUNDS)
def test_colours_stand_out_from_the_ground_and_can_be_text(theme):
    for colour in colours(theme):
        high, low = sorted((luminance(colour), luminance(GROUNDS[theme])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_without_colour_line_marker_and_hatch_tell_them_apart():
    for name in ("line", "marker", "hatch"):
        found = [getattr(quantity.look, name) for quantity in [*QUANTITIES.values(), F]]
        assert len(set(found)) == len(found)


@pytest.mark.parametrize("theme", GROUNDS)
def test_the_page_has_the_same_colours(theme):
    text = (FOLDER / "page" / "theme.css").read_text(encoding="utf-8")
    light, dark = re.findall(r"\{\n(  --ws-background:.*?)\n\}", text, re.DOTALL)
    variables = dict(re.findall(r"(--ws-[a-z-]+): ([^;]+);", light))
    if theme == "dark":
        variables |= dict(re.findall(r"(--ws-[a-z-]+): ([^;]+);", dark))

    def value(name):
        found = variables[name]
        return value(found[4:-1]) if found.startswith("var(") else found

    names = ["--ws-precision", "--ws-recall", "--ws-edit-distance"]
    assert [value(name) for name in names] == colours(theme)[: len(names)]


def test_the_page_has_the_same_names_and_symbols():
    text = (FOLDER / "page" / "quantities.js").read_text(encoding="utf-8")
    found = re.findall(r'(\w+): \{ name: "([^"]*)", symbol: "([^"]*)"', text)
    assert found == [(key, each.name, each.symbol) for key, each in QUANTITIES.items()]


def test_labels():
    assert PRECISION.label(4) == "state precision p_4"
    assert RECALL.label("m") == "state recall r_m"
    assert EDIT_DISTANCE.label() == "edit distance"


def test_nothing_else_gives_a_quantity_a_colour_or_a_name():
    """No style sheet of a widget takes a board's colour for a quantity; nobody reads Levenshtein."""
    for file in FOLDER.rglob("*.css"):
        for line in file.read_text(encoding="utf-8").splitlines():
            if re.search(r"precision|recall|distance", line) and "--ws-" in line:
                assert "var(--ws-true)" not in line.replace("--ws-recall: var(--ws-true)", "")
                assert "var(--ws-predicted)" not in line.replace(
                    "--ws-precision: var(--ws-predicted)", ""
                )
    for file in FOLDER.rglob("*.js"):
        assert '"Levenshtein"' not in file.read_text(encoding="utf-8")
