"""EstimatorLab in JupyterLab: runs, stops, goes on, and its numbers are the package's."""

import pytest
from playwright.sync_api import expect

from workbench import exact_profile
from workbench.explore.estimator_lab import EstimatorLab
from workbench.explore.explorer_settings import ExplorerSettings

from .widget_alone import widget_page
from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUY_LOPEZ,
    clipped_text,
    expect_number,
    expect_quiet,
    nameless,
    number,
    overflow,
    set_pair,
    too_faint,
    wait,
)


@pytest.fixture
def root(explorer):
    """The notebook's estimator lab, which follows the pair."""
    set_pair(explorer, RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3))
    said = explorer.execute(
        "with lab.hold_sync(): lab.depth, lab.samples, lab.repeats, lab.seed = 4, 100, 40, 0"
    )
    assert said == ""
    widget = explorer.widget("estimator-lab")
    expect(widget.locator("[data-role=samples]")).to_have_value("100")
    widget.locator("[data-role=reset]").click()
    return widget


def test_runs_to_the_end_with_the_numbers_of_the_package(lab, root):
    same = EstimatorLab(
        true_fen=RUY_LOPEZ, predicted_fen=BISHOP_ELSEWHERE, depth=4, samples=100, repeats=40, seed=0
    )
    exact = exact_profile(RUY_LOPEZ, BISHOP_ELSEWHERE, 4)
    root.get_by_role("button", name="Start").click()
    expect(root).to_have_attribute("data-state", "done")
    expect_number(root, "[data-role=reference]", exact.precision[-1])
    for method, row in same.summary().set_index("method").iterrows():
        shown = root.locator(f"tr[data-method={method}]")
        for cell in ("runs", "mean", "standard_deviation", "node_count"):
            value = number(shown.locator(f"[data-cell={cell}]"))
            assert value == pytest.approx(row[cell], rel=1e-9), (method, cell)
    expect_quiet(root)
    assert nameless(root) == []
    for theme in ("light", "dark"):
        lab.set_theme(theme)
        assert too_faint(root) == []
    for width in (1280, 700):
        lab.page.set_viewport_size({"width": width, "height": 900})
        assert overflow(root) == []


def test_reset_runs_are_in_no_saved_notebook(explorer, root):
    root.get_by_role("button", name="Start").click()
    expect(root).to_have_attribute("data-state", "done")
    assert explorer.execute("print('No runs' in lab.still())") == "False\n"
    root.get_by_role("button", name="Reset").click()
    expect(root).to_have_attribute("data-state", "idle")
    assert explorer.execute("print('No runs' in lab.still())") == "True\n"
    expect_quiet(root)


def test_stops_refuses_and_goes_on(root):
    for role, value in (("repeats", "10000"), ("samples", "5000")):
        root.locator(f"[data-role={role}]").fill(value)
        root.locator(f"[data-role={role}]").press("Enter")
    root.get_by_role("button", name="Start").click()
    wait(root, "tr[data-method=branch] [data-cell=runs]", "Number(element.dataset.value) > 0")
    root.get_by_role("button", name="Stop").click()
    expect(root).to_have_attribute("data-state", "stopped")
    stopped = number(root.locator("tr[data-method=branch] [data-cell=runs]"))
    assert 0 < stopped < 10000
    root.locator("[data-role=start]").click()
    wait(
        root,
        "tr[data-method=branch] [data-cell=runs]",
        "Number(element.dataset.value) > value",
        stopped,
    )
    root.get_by_role("button", name="Stop").click()
    root.locator("[data-role=measure]").select_option("recall")
    expect(root).to_have_attribute("data-state", "idle")
    root.locator("[data-role=measure]").select_option("precision")
    root.locator("[data-role=seed]").fill("-3")
    root.locator("[data-role=seed]").press("Tab")
    expect(root.locator("[data-role=error]")).to_contain_text('got "-3"')


@pytest.mark.parametrize("window", [(358, 844), (390, 844), (1366, 768)])
def test_no_text_of_the_chart_is_cut_off(browser, window):
    """The narrowest is what a page of the app leaves on a phone."""
    lab = EstimatorLab(true_fen=RUY_LOPEZ, predicted_fen=BISHOP_ELSEWHERE, samples=100, repeats=10)
    with widget_page(browser, [lab], *window) as page:
        root = page.locator("[data-role=estimator-lab]")
        root.get_by_role("button", name="Start").click()
        expect(root).to_have_attribute("data-state", "done")
        expect(root.locator("[data-role=chart-box]")).to_contain_text("± 2 standard errors")
        assert clipped_text(root) == overflow(root) == []
