"""axe-core finds nothing wrong with the widgets, in the light and in the dark theme."""

import pytest
from playwright.sync_api import expect

from .accessibility import violations
from .lab_page import save_notebook
from .widget_pages import RUN_ROWS


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


@pytest.fixture(scope="module")
def opened_run(opened_lab, server):
    path = save_notebook(
        server.folder,
        "accessible",
        f"from workbench.explore import RunBrowser\n{RUN_ROWS}\n"
        "browser = RunBrowser(scores, predictions)\nbrowser",
    )
    with opened_lab.notebook(path) as notebook:
        yield notebook


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_a_run_with_an_open_row(lab, opened_run, theme):
    opened_run.show()
    lab.set_theme(theme)
    root = opened_run.widget("run-browser")
    root.locator("[data-role=row-open]").nth(3).click()
    expect(root.locator("[data-role=opened-title]")).to_contain_text("spanish-1")
    assert violations(root) == []
