"""EstimatorLab in JupyterLab: runs, stops, goes on, and its numbers are the package's."""

import pytest
from playwright.sync_api import expect

from workbench import exact_profile
from workbench.affordance import ESTIMATORS
from workbench.explore.estimator_lab import EstimatorLab
from workbench.explore.explorer_settings import ExplorerSettings

from .accessibility import violations
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


@pytest.fixture
def finished(browser):
    """A page with a lab that is done."""
    lab = EstimatorLab(true_fen=RUY_LOPEZ, predicted_fen=BISHOP_ELSEWHERE, repeats=60)
    with widget_page(browser, [lab], 1366, 768) as page:
        root = page.locator("[data-role=estimator-lab]")
        root.get_by_role("button", name="Start").click()
        expect(root).to_have_attribute("data-state", "done")
        yield root


def test_no_strip_is_a_smudge(finished):
    """Each estimator's runs take most of the width on a scale of their own; on one for all they do not."""
    width = finished.locator("[data-role=strip-chart]").bounding_box()["width"]

    def shares():
        dots = finished.locator("[data-role=strip-dots]").all()
        return [each.bounding_box()["width"] / width for each in dots]

    assert len(shares()) == len(ESTIMATORS)
    assert min(shares()) > 0.4
    line = finished.locator("[data-role=reference-line]")
    box = line.bounding_box()
    assert abs(box["x"] + box["width"] / 2 - 8 - width / 2) < 6
    finished.locator("[data-role=scale]").select_option("shared")
    wait(finished, "[data-method=stratified]", "element.getBoundingClientRect().width > 0")
    finished.page.wait_for_function("document.querySelectorAll('.ws-strip-ends').length === 0")
    assert min(shares()) < 0.1


def test_the_verdict_is_that_of_the_summary(finished):
    summary = EstimatorLab(true_fen=RUY_LOPEZ, predicted_fen=BISHOP_ELSEWHERE, repeats=60).summary()
    distance = (summary["bias"] / summary["standard_error"]).abs()
    worst = summary.loc[distance.idxmax(), "method"]
    said = finished.locator("[data-role=verdict]")
    if distance.max() > 3:
        expect(said).to_contain_text(f"{ESTIMATORS[worst].label} is off by")
    else:
        expect(said).to_contain_text("No mean is off by more than 3 standard errors")
    expect(said).to_contain_text(f"{distance.max():.1f}")


def test_names_are_explained_on_pointing_and_on_focus(finished):
    box = finished.locator("[data-role=method][value=stratified]")
    tip = finished.get_by_role("tooltip").filter(has_text="split evenly")
    expect(tip).to_be_hidden()
    finished.get_by_text("stratified (ours)", exact=True).first.hover()
    expect(tip).to_be_visible()
    finished.page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    box.focus()
    expect(tip).to_be_visible()
    assert box.get_attribute("aria-describedby") == tip.get_attribute("id")
    assert violations(finished) == []


@pytest.mark.parametrize("window", [(1440, 900), (1366, 768), (1024, 768), (390, 844)])
def test_the_first_screen_has_the_verdict_and_the_strips(browser, window):
    lab = EstimatorLab(true_fen=RUY_LOPEZ, predicted_fen=BISHOP_ELSEWHERE, samples=50, repeats=20)
    with widget_page(browser, [lab], *window, touch=window[0] < 500) as page:
        root = page.locator("[data-role=estimator-lab]")
        root.get_by_role("button", name="Start").click()
        expect(root).to_have_attribute("data-state", "done")
        for role in ("verdict", "reference", "strip-chart"):
            box = root.locator(f"[data-role={role}]").bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= window[1], role
        expect(root.locator("[data-role=settings-words]")).to_contain_text("N = 50, 20 runs of 6")
