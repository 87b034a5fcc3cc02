"""An executed notebook exported with `LivePairs`: its pairs of boards work without a kernel."""

import subprocess
import sys

import nbformat
import pytest
from playwright.sync_api import expect

import workbench as wb
from workbench.explore import BoardPair, GameTracker, RunBrowser
from workbench.explore.notebook_export import LivePairs

from .accessibility import violations
from .lab_page import WIDE
from .test_page_without_python import expect_python_values, fens, opened
from .widget_pages import BISHOP_ELSEWHERE, RUY_LOPEZ, drag, overflow, square

HOSTILE = "</body></head><img src=x onerror=alert(1)>"


def notebook(*pairs):
    """A notebook with the last answers of pairs, as Jupyter saves them, and the state of widgets."""
    made = nbformat.v4.new_notebook()
    made.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    made.cells = [nbformat.v4.new_markdown_cell("# Pairs")]
    for pair in pairs:
        pair.prepare_still()
        shown = nbformat.v4.new_output("display_data", pair._still_bundle())
        made.cells.append(nbformat.v4.new_code_cell("pair", outputs=[shown]))
    return made


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    pairs = (
        BoardPair(RUY_LOPEZ, BISHOP_ELSEWHERE, caption=HOSTILE),
        BoardPair(RUY_LOPEZ, RUY_LOPEZ),
        BoardPair(RUY_LOPEZ, None),
    )
    path = tmp_path_factory.mktemp("export") / "pairs.ipynb"
    nbformat.write(notebook(*pairs), path)
    exporter = f"{LivePairs.__module__}.{LivePairs.__name__}"
    command = [sys.executable, "-m", "nbconvert", "--to", exporter, "--log-level=ERROR", str(path)]
    subprocess.run(command, check=True)
    return path.with_suffix(".html").as_uri()


def test_each_pair_opens_and_works(browser, address):
    # The template asks other sites for what draws formulas and plots.
    with opened(browser, address, WIDE, blocked=True) as (page, root):
        links = page.get_by_role("link", name="Open this pair")
        expect(links).to_have_count(2)
        expect(page.locator("#pair-section")).to_be_hidden()
        links.nth(0).click()
        assert fens(root) == [RUY_LOPEZ, BISHOP_ELSEWHERE]
        expect_python_values(root)
        drag(page, square(root, "predicted", "f3"), square(root, "predicted", "h4"))
        expect_python_values(root)
        links.nth(1).click()
        expect(root.locator("[data-role=exact-match]")).to_have_text("yes")
        expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
        assert violations(page.locator("#pair-section")) == []
        assert overflow(root) == []
        assert "widget-state" not in page.content()


def test_a_notebook_without_pairs_has_no_engine():
    page, _ = LivePairs().from_notebook_node(notebook())
    assert "pair-section" not in page


def test_trackers_and_runs_have_their_charts(browser, tmp_path):
    tracker = GameTracker.simulated("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", rate=0.3, seed=2, depth=2)
    replies = tracker.replies.rename(
        columns={"true_fen": "true_state", "predicted_fen": "predicted_state"}
    )
    rows = replies[["true_state", "predicted_state", "reply"]].assign(model="m")
    rows["position_id"] = [f"ply {ply}" for ply in replies["ply"]]
    path = tmp_path / "charts.ipynb"
    nbformat.write(notebook(tracker, RunBrowser(wb.score(rows, depth=2))), path)
    page_text, _ = LivePairs().from_filename(str(path))
    path.with_suffix(".html").write_text(page_text, encoding="utf-8")
    page = browser.new_page(java_script_enabled=False)
    page.route(lambda url: url.startswith("http"), lambda route: route.abort())
    page.goto(path.with_suffix(".html").as_uri())
    for name in ("State precision and edit distance", "Scatter plot of the rows"):
        chart = page.get_by_role("img", name=name)
        expect(chart).to_be_visible()
        assert chart.evaluate("image => image.decode().then(() => image.naturalWidth)") == 560
    page.close()
