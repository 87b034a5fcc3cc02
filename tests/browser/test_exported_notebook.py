"""An executed notebook exported with `LivePairs`: its pairs of boards work without a kernel."""

import runpy
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

import workbench as wb
from workbench.answers.recorded_replies import recorded_replies
from workbench.explore import BoardPair, GameTracker, RunBrowser
from workbench.explore.notebook_export import LivePairs
from workbench.explore.pair.pair_html import live_pairs

from .accessibility import violations
from .lab_page import PHONE, WIDE
from .test_page_without_python import expect_python_values, fens, opened
from .test_touch import swipe
from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUY_LOPEZ,
    centre,
    drag,
    number,
    overflow,
    square,
    too_faint,
)

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ((RUY_LOPEZ, BISHOP_ELSEWHERE), (RUY_LOPEZ, RUY_LOPEZ), (RUY_LOPEZ, None))
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
    pairs = [BoardPair(*boards, caption=HOSTILE) for boards in PAIRS]
    pairs[-1].depth = 6
    path = tmp_path_factory.mktemp("export") / "pairs.ipynb"
    nbformat.write(notebook(*pairs), path)
    exporter = f"{LivePairs.__module__}.{LivePairs.__name__}"
    command = [sys.executable, "-m", "nbconvert", "--to", exporter, "--log-level=ERROR", str(path)]
    subprocess.run(command, check=True)
    return path.with_suffix(".html").as_uri()


def test_each_pair_is_live_in_its_place(browser, address):
    # The template asks other sites for what draws formulas and plots.
    with opened(browser, address, WIDE, blocked=True) as (page, root):
        places = page.locator("[data-live-pair]")
        expect(places).to_have_count(3)
        for place, boards in enumerate(PAIRS):
            places.nth(place).scroll_into_view_if_needed()
            pair = root.nth(place)
            assert fens(pair) == [boards[0], boards[1] or ""]
            expect_python_values(pair)
            expect(pair.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
            assert overflow(pair) == []
            expect(places.nth(place)).to_have_attribute("data-twin", "worker")
        expect(root.nth(0).locator("[data-role=caption]")).to_have_text(HOSTILE)
        expect(page.get_by_text("does not run here")).to_have_count(0)
        expect(places.locator("[data-role=lesser-depth]")).to_have_text(
            "The pair was saved with m = 6. This page measures up to m = 4: p6 and r6 need Python."
        )
        expect(places.last.locator("[data-role=depth-value]")).to_have_text("4")
        first = root.nth(0)
        drag(page, square(first, "predicted", "f3"), square(first, "predicted", "h4"))
        expect(square(first, "predicted", "h4")).to_have_attribute("data-piece", "N")
        expect_python_values(first)
        # The others stay as they are.
        assert fens(root.nth(1)) == [RUY_LOPEZ, RUY_LOPEZ]
        # What is stale is pale.
        expect(first.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
        for place in places.all():
            assert violations(place) == []
        assert "widget-state" not in page.content()


def test_without_a_script_the_last_answers_stay(browser, address):
    page = browser.new_page(java_script_enabled=False)
    page.route(lambda url: url.startswith("http"), lambda route: route.abort())
    page.goto(address)
    expect(page.get_by_role("img", name="True board")).to_have_count(3)
    expect(page.get_by_text("does not run here")).to_have_count(3)
    page.close()


def test_a_long_page_wakes_the_pairs_that_come_near(browser, tmp_path):
    made = notebook(*(BoardPair(RUY_LOPEZ, BISHOP_ELSEWHERE) for _ in range(8)))
    nbformat.write(made, tmp_path / "long.ipynb")
    text, _ = LivePairs().from_filename(str(tmp_path / "long.ipynb"))
    assert text.count("const loadTwin") == 1
    path = tmp_path / "long.html"
    path.write_text(text, encoding="utf-8")
    with opened(browser, path.as_uri(), PHONE, touch=True, blocked=True) as (page, root):
        expect(root.first).to_be_visible()
        expect_python_values(root.first)
        assert root.count() < 8
        last = page.locator("[data-live-pair]").last
        last.scroll_into_view_if_needed()
        expect(last).to_have_attribute("data-live-pair", "open")
        expect_python_values(root.last)
        source, target = (square(root.last, "predicted", name) for name in ("f3", "d5"))
        # f3 is below d5; what is above has settled once all that is near is live.
        expect(root.last.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
        source.evaluate("square => square.scrollIntoView({ block: 'center' })")
        swipe(page, centre(source), centre(target), downwards=-20)
        expect(target).to_have_attribute("data-piece", "N")
        expect_python_values(root.last)
        assert overflow(root.last) == []


MOVES = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8"
)


def expect_tracker_values(root, tracker, ply):
    """The boards and numbers are those of Python at a ply."""
    reply = next(each for each in tracker.tracked.replies if each.ply == ply)
    expect(root).to_have_attribute("data-ply", str(ply))
    expect(root.locator("[data-role=true-fen]")).to_have_text(reply.true_fen)
    expect(root.locator("[data-role=predicted-fen]")).to_have_text(reply.predicted_fen)
    shown = root.locator("[data-fact=precision]").get_attribute("data-value")
    assert float(shown) == pytest.approx(reply.precision[tracker.depth - 1], abs=1e-12)


def test_trackers_step_and_a_bundled_model_reads_its_game_again(browser, tmp_path):
    simulated = GameTracker.simulated(MOVES, rate=0.2, seed=1, depth=3)
    written = GameTracker.from_model(MOVES, "tiny")
    chosen = GameTracker.simulated(MOVES, rate=0.2, seed=2)
    chosen.read_with("tiny")
    trackers = (simulated, written, chosen)
    made = notebook(*trackers)
    nbformat.write(made, tmp_path / "games.ipynb")
    text, _ = LivePairs().from_filename(str(tmp_path / "games.ipynb"))
    assert text.count('"weights": "') == 1
    path = tmp_path / "games.html"
    path.write_text(text, encoding="utf-8")
    with opened(browser, path.as_uri(), WIDE, blocked=True) as (page, _):
        roots = page.locator("[data-role=game-tracker]")
        for place, tracker in enumerate(trackers):
            page.locator("[data-live-game]").nth(place).scroll_into_view_if_needed()
            root = roots.nth(place)
            if tracker is not simulated:
                expect(root.locator("[data-role=reader]")).to_have_value("tiny")
                words = root.locator("[data-role=reading]")
                expect(words).to_contain_text("workbench/tiny has read 18 plies")
            root.locator("[data-role=first]").click()
            for _ in range(5):
                root.locator("[data-role=next]").click()
            expect_tracker_values(root, tracker, 5)
            root.locator("[data-role=last]").click()
            expect_tracker_values(root, tracker, 18)
            assert violations(root) == []
            assert overflow(root) == []
        expect(roots.nth(0).locator("[data-role=reader]")).to_be_hidden()
        roots.nth(2).locator("[data-role=reader]").select_option("")
        chosen.read_with("")
        expect_tracker_values(roots.nth(2), chosen, 18)
        expect(page.get_by_text("does not run here")).to_have_count(0)


@pytest.mark.slow
def test_a_board_of_the_site_is_dragged_from_the_disk(browser, tmp_path):
    pytest.importorskip("myst_nb")
    site = runpy.run_path(str(ROOT / "docs" / "site_sources.py"))
    source, html = tmp_path / "source", tmp_path / "html"
    nbformat.write(notebook(BoardPair(RUY_LOPEZ, BISHOP_ELSEWHERE)), tmp_path / "pair.ipynb")
    contents = "# Site\n\n```{toctree}\nnotebooks/pair\n```\n"
    site["write"](source / "index.md", contents)
    site["write"](source / "notebooks" / "pair.ipynb", site["as_shown"](tmp_path / "pair.ipynb"))
    site["write"](source / site["ENGINE"], live_pairs())
    site["write"](source / site["LIVE"] / site["PAIR_PAGE"], "")
    command = [sys.executable, "-m", "sphinx", "-c", str(ROOT / "docs"), "-b", "html", "-q"]
    subprocess.run([*command, str(source), str(html)], check=True)
    assert "load_engine" not in (html / "index.html").read_text(encoding="utf-8")
    context = browser.new_context(viewport=WIDE, offline=True, reduced_motion="reduce")
    page = context.new_page()
    wrong, requests = [], []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto((html / "notebooks" / "pair.html").as_uri())
    root = page.locator("[data-role=board-pair]")
    expect_python_values(root)
    drag(page, square(root, "predicted", "f3"), square(root, "predicted", "h4"))
    expect(square(root, "predicted", "h4")).to_have_attribute("data-piece", "N")
    expect_python_values(root)
    (precision,) = wb.compare(*fens(root)).precision[3:]
    assert number(root.locator("[data-role=verdict-precision]")) == pytest.approx(
        precision, abs=1e-9
    )
    expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        light = str(theme == "light").lower()
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", light)
        assert violations(page.locator("[data-live-pair]")) == []
    context.close()
    assert wrong == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in requests)


def test_a_notebook_without_pairs_has_no_engine():
    page, _ = LivePairs().from_notebook_node(notebook())
    assert "loadTwin" not in page


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


@pytest.mark.parametrize(
    ("window", "theme"), [(WIDE, "light"), (WIDE, "dark"), (PHONE, "dark")], ids=str
)
def test_a_run_is_live_over_a_sample(browser, tmp_path, window, theme):
    rows = recorded_replies(settings=[""]).groupby("model").head(12)
    rows = rows.assign(reply=[f"{HOSTILE} {state} " * 9 for state in rows["predicted_state"]])
    run = RunBrowser(wb.score(rows, depth=2), rows)
    path = tmp_path / "run.ipynb"
    nbformat.write(notebook(run), path)
    text, _ = LivePairs(theme=theme).from_filename(str(path))
    path.with_suffix(".html").write_text(text, encoding="utf-8")
    with opened(browser, path.with_suffix(".html").as_uri(), window, blocked=True) as (page, _root):
        root = page.locator("[data-role=run-browser]")
        expect(root).to_have_attribute("data-state", "ready")
        expect(page.locator("[data-role=run-sample]")).to_contain_text(f"All {len(rows)} replies")
        models = root.locator("[data-role=model]")
        expect(models).to_have_count(rows["model"].nunique())
        name = models.nth(1).get_attribute("data-model")
        models.nth(1).click()
        expect(root.locator("[data-role=counts]")).to_contain_text(f"12 of {len(rows)} rows shown")
        root.locator("[data-role=row]").nth(2).click()
        expect(root.locator("[data-role=opened-title]")).to_contain_text(name)
        expect(root.locator("[data-role=opened-true] [data-square=e1]")).to_be_visible()
        reply = rows["reply"][rows["model"] == name].iloc[2]
        expect(root.locator("[data-role=opened-length]")).to_have_text(
            f"The reply: {len(reply)} characters, the first 300 shown"
        )
        expect(root.locator("[data-role=opened-reply]")).to_have_text(f"{reply[:300]}\u2026")
        expect(page.locator("body")).to_have_attribute(
            "data-jp-theme-light", str(theme == "light").lower()
        )
        assert too_faint(root) == []
        root.locator("[data-role=next]").click()
        expect(root.locator("[data-role=place]")).to_have_text("4 of 12")
        expect(root.locator("[data-role=error]")).to_have_text("")
        for role in ("depth", "distance", "search-replies", "export", "failure-causes"):
            expect(root.locator(f"[data-role={role}]").first).to_be_hidden()
        expect(page.get_by_text("does not run here")).to_have_count(0)
        assert violations(root) == []
