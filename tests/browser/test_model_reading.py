"""A bundled language model reads the game of a tracker while the page watches."""

import time

import pytest
from playwright.sync_api import expect

from workbench.explore import game_tracker
from workbench.explore.game_tracker import GameTracker, ModelReading

from .accessibility import violations
from .widget_alone import set_theme, widget_page
from .widget_pages import expect_quiet, nameless, number, overflow, too_faint

MOVES = (
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. a4 Ba7 9. h3 h6 "
    "10. Nbd2 Re8 11. Nf1 Be6"
)


@pytest.fixture(scope="module")
def expected():
    return GameTracker.from_model(MOVES, "tiny", depth=2).replies.set_index("ply", drop=False)


@pytest.fixture
def tracker(monkeypatch):
    # So short that the page gets a move at a time.
    monkeypatch.setattr(game_tracker, "_READING_SECONDS", 0.0)
    return GameTracker.simulated(MOVES, rate=0.08, seed=0, depth=2)


def expect_read(root, expected, ply):
    root.get_by_role("slider", name="Ply").fill(str(ply))
    row = expected.loc[ply]
    assert number(root.locator("[data-fact=precision]")) == pytest.approx(row.precision_2)
    expect(root.locator("[data-role=predicted-fen]")).to_have_text(row.predicted_fen)


def test_a_model_reads_the_whole_game_by_keyboard(browser, tracker, expected):
    with widget_page(browser, [tracker], 1280, 900) as page:
        root = page.locator("[data-role=game-tracker]")
        given = root.locator("[data-role=predicted-fen]").text_content()
        choice = root.locator("[data-role=reader]")
        choice.focus()
        page.keyboard.press("ArrowDown")
        expect(root.locator("[data-role=title]")).to_have_text("workbench/tiny")
        # Moves are read one after the other: those of later plies are not there yet.
        seen = set()
        while (shown := root.locator("[data-role=precision-point]").count()) < len(expected):
            seen.add(shown)
            time.sleep(0.01)
        assert len(seen) > 1
        expect(root.locator("[role=status]", has_text="has read 22 plies")).to_have_count(1)
        expect(root.locator("[data-role=simulated]")).to_be_hidden()
        for ply in (1, 9, 22):
            expect_read(root, expected, ply)
        assert tracker.reader == "tiny"
        assert tracker.replies["predicted_fen"].tolist() == expected["predicted_fen"].tolist()
        choice.focus()
        page.keyboard.press("ArrowUp")
        expect(root.locator("[data-role=simulated]")).to_be_visible()
        root.get_by_role("slider", name="Ply").fill(str(tracker.replies["ply"].iloc[-1]))
        assert tracker.reader == ""
        assert given
        expect_quiet(root)


def test_another_choice_stops_the_first(browser, tracker, expected):
    with widget_page(browser, [tracker], 1280, 900) as page:
        root = page.locator("[data-role=game-tracker]")
        choice = root.locator("[data-role=reader]")
        choice.select_option("small")
        expect(root.locator("[data-role=read-plies]")).to_be_visible()
        choice.select_option("tiny")
        expect(root.locator("[data-role=reading]")).to_contain_text("workbench/tiny has read")
        assert len(tracker._readings["small"].tracked.replies) < len(expected)
        expect_read(root, expected, 22)
        tracker.read_with("small")
        assert tracker.reader == "small"


def test_moves_that_are_not_read_yet_say_so(browser, tracker, monkeypatch):
    read_on, released = ModelReading.read_on, []

    def held(reading, seconds):
        is_held = len(reading.tracked.replies) == 3 and not released
        return () if is_held else read_on(reading, seconds)

    monkeypatch.setattr(ModelReading, "read_on", held)
    with widget_page(browser, [tracker], 1280, 900) as page:
        root = page.locator("[data-role=game-tracker]")
        root.locator("[data-role=reader]").select_option("tiny")
        expect(root.locator("[data-role=precision-point]")).to_have_count(3)
        root.get_by_role("button", name="Last position").click()
        missing = root.locator("[data-role=no-board]")
        expect(missing).to_have_text("The model has not read this move yet.")
        released.append(True)
        expect(root.locator("[data-role=reading]")).to_contain_text("has read 22 plies")
        expect(missing).to_be_hidden()


def test_a_model_that_cannot_be_loaded_is_told(browser, tracker, monkeypatch):
    def broken(name):
        raise OSError(f"no file of {name}")

    with widget_page(browser, [tracker], 1280, 900) as page:
        root = page.locator("[data-role=game-tracker]")
        monkeypatch.setattr("workbench.explore.game_tracker.load_model", broken)
        root.locator("[data-role=reader]").select_option("tiny")
        expect(root.locator("[data-role=error]")).to_contain_text("no file of tiny")
        expect(root.locator("[data-role=reader]")).to_have_value("")
        expect(root.locator("[data-role=simulated]")).to_be_visible()


def test_it_fits_and_can_be_read_on_a_telephone(browser, tracker):
    with widget_page(browser, [tracker], 390, 800, touch=True) as page:
        root = page.locator("[data-role=game-tracker]")
        root.locator("[data-role=reader]").select_option("tiny")
        expect(root.locator("[data-role=read-plies]")).to_be_visible()
        assert violations(root) == []
        expect(root.locator("[data-role=reading]")).to_contain_text("has read 22 plies")
        assert nameless(root) == []
        assert overflow(root) == []
        for theme in ("light", "dark"):
            set_theme(page, theme)
            assert too_faint(root) == []
            assert violations(root) == []
