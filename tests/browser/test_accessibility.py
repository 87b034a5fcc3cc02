"""axe-core finds nothing wrong with the widgets of notebook 10, in the light and in the dark theme."""

import pytest
from playwright.sync_api import expect

from .accessibility import violations


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
