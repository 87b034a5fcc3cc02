"""axe-core finds nothing wrong with the widgets of notebook 10, in the light and in the dark theme."""

import pytest
from playwright.sync_api import expect

from workbench.explore import BoardPair, EstimatorLab, GameTracker, StatePair

from .accessibility import violations
from .widget_alone import widget_page
from .widget_pages import BISHOP_ELSEWHERE, RUY_LOPEZ


def test_axe_finds_what_is_wrong(opened_lab):
    opened_lab.page.evaluate(
        "() => { const faulty = document.createElement('div'); faulty.id = 'faulty';"
        " faulty.append(document.createElement('button')); document.body.append(faulty); }"
    )
    faulty = opened_lab.page.locator("#faulty")
    assert [found.partition(":")[0] for found in violations(faulty)] == ["button-name"]
    faulty.evaluate("faulty => faulty.remove()")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("widget", ["board-pair", "game-tracker", "estimator-lab"])
def test_axe_finds_nothing(lab, explorer, widget, theme):
    lab.set_theme(theme)
    root = explorer.widget(widget)
    if widget == "board-pair":
        expect(root.locator("[data-role=numbers]")).to_have_attribute("data-state", "fresh")
        expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
    elif widget == "estimator-lab" and theme == "light":
        root.locator("[data-role=repeats]").fill("3")
        root.locator("[data-role=repeats]").press("Enter")
        root.get_by_role("button", name="Start").click()
        expect(root).to_have_attribute("data-state", "done")
    assert violations(root) == []


def test_axe_finds_nothing_in_a_page_with_two_widgets_of_each_kind(browser):
    """As a notebook may have them: no two landmarks have the same name."""
    boards = {"true_fen": RUY_LOPEZ, "predicted_fen": BISHOP_ELSEWHERE}
    widgets = [
        made()
        for made in (
            lambda: BoardPair(**boards, depth=2),
            lambda: StatePair.example("boxes"),
            lambda: EstimatorLab(**boards, repeats=2),
            lambda: GameTracker.simulated("1. e4 e5 2. Nf3 Nc6 3. Bb5", rate=0.3, seed=1, depth=2),
        )
        for _ in range(2)
    ]
    with widget_page(browser, widgets, 1280, 900) as page:
        for name in ("numbers", "lost"):
            expect(page.locator(f"[data-role={name}][data-state=fresh]")).to_have_count(4)
        assert violations(page.locator("main")) == []
