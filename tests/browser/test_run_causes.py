"""Why replies of a run fail, on the page: causes counted while the page is used, and a click that shows their rows."""

import pytest
from playwright.sync_api import expect

import workbench as wb
from workbench.explore.run import run_browser
from workbench.explore.run.run_browser import RunBrowser

from .accessibility import violations
from .widget_alone import set_theme, widget_page
from .widget_pages import overflow

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BLACK = START.replace(" w ", " b ")
REPLIES = [
    *[("one", START)] * 2, *[("one", BLACK)] * 3, ("one", "No."), *[("other", BLACK)] * 2, ("other", START),
]  # fmt: skip


@pytest.fixture
def run():
    rows = [{"fen": START, "reply": reply, "model": model} for model, reply in REPLIES]
    return RunBrowser(wb.score(rows, depth=2))


def counts(page):
    return {
        button.get_attribute("value"): button.locator("span").last.inner_text()
        for button in page.locator("[data-role=failure-cause]").all()
    }


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_causes_follow_the_filters_and_a_click_shows_their_rows(browser, run, size):
    with widget_page(browser, [run.table, run.pair], *size) as page:
        expect(page.locator("[data-role=run-browser]")).to_have_attribute("data-state", "ready")
        # Few wrong boards are counted at once.
        expect(page.locator("[data-role=causes-words]")).to_have_text(
            "Why: main causes of 9 replies"
        )
        expect(page.locator("[data-role=causes-begin]")).to_be_hidden()
        assert counts(page) == {"side to move": "5", "nothing lost": "3", "no board": "1"}
        page.locator("[data-role=failure-cause][value='side to move']").press("Enter")
        expect(page.locator("[data-role=counts]")).to_contain_text("5 of 9")
        assert run.table.causes == ["side to move"]
        expect(page.locator("[data-role=failure-cause][value='side to move']")).to_have_attribute(
            "aria-pressed", "true"
        )
        if size[0] < 1000:
            heights = page.locator("[data-role=counts]").bounding_box()["y"]
            page.locator("[data-role=drawer] > summary").press("Enter")
            # The drawer lies over the page.
            assert page.locator("[data-role=counts]").bounding_box()["y"] == heights
        page.locator("[data-role=filters] > summary").press("Enter")
        boxes = page.locator("[data-role=filter-model]")
        expect(boxes.locator("[data-role=facet-count]")).to_have_text(["3", "2"])
        boxes.locator("input").first.press("Space")
        expect(page.locator("[data-role=causes-words]")).to_have_text(
            "Why: main causes of 6 replies"
        )
        assert counts(page) == {"side to move": "3", "nothing lost": "2", "no board": "1"}
        browser_root = page.locator("[data-role=run-browser]")
        assert overflow(browser_root) == []
        for theme in ("light", "dark"):
            set_theme(page, theme)
            assert violations(browser_root) == []
        chips = page.locator("[data-role=chip]")
        expect(chips.locator("span:first-child")).to_have_text(
            ["Model: one", "Cause: side to move"]
        )
        chips.first.press("Enter")
        expect(chips).to_have_count(1)
        assert run.table.models == []
        page.locator("[data-role=clear-filters]").press("Enter")
        expect(page.locator("[data-role=counts]")).to_contain_text("9 of 9")
        expect(chips).to_have_count(0)
        assert run.table.causes == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_button_begins_to_count_what_takes_long(browser, run, monkeypatch, theme):
    monkeypatch.setattr(run_browser, "_PAIRS_AT_ONCE", {True: 0, False: 0})
    with widget_page(browser, [run.table, run.pair], 1366, 768) as page:
        set_theme(page, theme)
        words = page.locator("[data-role=causes-words]")
        expect(words).to_have_text(
            "1 different wrong answer in 9 replies: counting its cause takes a while."
        )
        expect(page.locator("[data-role=failure-cause]")).to_have_count(0)
        assert violations(page.locator("[data-role=failure-causes]")) == []
        page.locator("[data-role=causes-begin]").press("Enter")
        expect(words).to_have_text("Why: main causes of 9 replies")
        assert counts(page) == {"side to move": "5", "nothing lost": "3", "no board": "1"}


def test_the_question_where_edit_distance_says_near_begins_with_the_causes(browser, run):
    with widget_page(browser, [run.table, run.pair], 1366, 768) as page:
        page.locator("[data-role=near-far]").press("Enter")
        expect(page.locator("[data-role=causes-words]")).to_contain_text("Why: main causes")
