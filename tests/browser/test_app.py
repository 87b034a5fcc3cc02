"""`workbench app`: pages without code that load, answer and are accessible, and no dead link."""

import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.lesson.exercises import board_after, with_piece_moved, without_piece
from workbench.explore.pair.pair_view import pair_view

from .accessibility import axe_script
from .conftest import REPOSITORY
from .lab_server import LabServer, free_port, running
from .widget_pages import expect_profile, expect_quiet, square

TRUE = board_after(
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O "
    "7. Re1 a6 8. a4 Ba7 9. h3 h6 10. Nbd2 Re8 11. Nf1 Be6"
)
PREDICTED = with_piece_moved(TRUE, "e6", "c8")

PATIENCE = 180_000
"""Milliseconds for a page: its notebook runs before it is shown."""

LOUD = ("warning", "error")
"""What the browser's console shows unless it is told to show more."""

WIDTHS = (390, 1280)
"""Pixels of a phone and of a laptop, beside those of the visitor's page."""


@pytest.fixture(scope="module")
def app(browser):
    with served_app() as server:
        yield server


@contextmanager
def served_app(*options):
    """The app with further options; no kernel may run once the pages are closed."""
    with tempfile.TemporaryDirectory(prefix="workbench-app-test-") as root:
        server = LabServer(f"http://127.0.0.1:{free_port()}/", "", Path(root), status="")
        port = server.url.rstrip("/").rpartition(":")[2]
        command = [
            *(sys.executable, "-m", "workbench", "app", "--no-browser"),
            *("--host", "127.0.0.1", "--port", port, "--ready", "0", *options),
        ]
        with running(command, server, Path(root), REPOSITORY) as process:
            yield server
            expect_no_kernel(psutil.Process(process))


def expect_no_kernel(process):
    """All pages are closed; each has sent the end of its kernel."""
    _, left = psutil.wait_procs(process.children(), timeout=60)
    assert left == []


@pytest.fixture(params=["light", "dark"])
def visitor(request, browser, app):
    """A page of a visitor; fails on an exception, a warning, and what another site is asked for."""
    page = browser.new_context(
        viewport={"width": 1366, "height": 768}, color_scheme=request.param
    ).new_page()
    page.set_default_timeout(PATIENCE)
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type in LOUD else None)
    page.on("response", lambda got: wrong.append(got.url) if got.status >= 400 else None)
    page.on("request", lambda sent: wrong.append(sent.url) if off_site(sent.url, app) else None)
    yield page
    page.goto("about:blank")
    page.context.close()
    assert wrong == []


def off_site(address, app):
    return not address.startswith((app.url, app.url.replace("http", "ws"), "data:", "blob:"))


def violations(page):
    page.evaluate(axe_script())
    return page.evaluate(
        """async () => (await axe.run()).violations.flatMap(rule => rule.nodes.map(node =>
            `${rule.id}: ${rule.help}: ${node.html.slice(0, 160)}`))"""
    )


def widget(page, role):
    """The first widget of a kind, once it has been answered."""
    page.wait_for_selector(
        ".world-state [data-state=fresh], .world-state [data-role=row]", timeout=PATIENCE
    )
    return page.locator(f".world-state[data-role={role}]").first


def expect_quiet_page(page):
    assert violations(page) == []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        expect_no_sideways_scrolling(page)
    stills = page.locator("[data-still-of]")
    assert stills.count() > 0
    for still in stills.all():
        expect(still).to_be_hidden()
    expect(page.locator(".jp-InputArea-editor")).to_have_count(0)


def expect_no_sideways_scrolling(page):
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0


def test_the_landing_page_leads_to_the_pair_which_answers(visitor, app):
    visitor.goto(app.url)
    for width in (*WIDTHS, 1366):
        visitor.set_viewport_size({"width": width, "height": 768})
        expect_no_sideways_scrolling(visitor)
    assert violations(visitor) == []
    addresses = {link.get_attribute("href") for link in visitor.locator("a").all()}
    assert addresses == {"/", "/voila/render/board_pair.ipynb", "/voila/render/run.ipynb"}
    visitor.locator("main").get_by_role("link", name="One pair of boards").click()
    root = widget(visitor, "board-pair")
    expect_profile(root, pair_view(TRUE, PREDICTED, ExplorerSettings(4)))
    square(root, "predicted", "c8").focus()
    visitor.keyboard.press("Delete")
    without = without_piece(PREDICTED, "c8")
    expect_profile(root, pair_view(TRUE, without, ExplorerSettings(4)))
    expect_quiet(root)
    lab = widget(visitor, "estimator-lab")
    lab.locator("[data-role=repeats]").fill("5")
    lab.locator("[data-role=repeats]").press("Enter")
    lab.get_by_role("button", name="Start").click()
    expect(lab).to_have_attribute("data-state", "done", timeout=PATIENCE)
    expect_quiet(lab)
    tracker = widget(visitor, "game-tracker")
    tracker.get_by_role("button", name="First position").click()
    expect(square(tracker, "true", "e2")).to_have_attribute("aria-label", "e2, white pawn")
    expect_quiet_page(visitor)


def test_the_run_answers(visitor, app):
    visitor.goto(f"{app.url}voila/render/run.ipynb")
    root = widget(visitor, "run-browser")
    expect(root.locator("[data-role=counts]")).to_contain_text("3,000 of 3,000 rows")
    row = root.locator("[data-role=row]").nth(2)
    position = row.locator("[data-role=row-open]").inner_text().strip()
    pair = visitor.locator(".world-state[data-role=board-pair]")
    expect(pair).to_be_hidden()
    row.locator("[data-role=row-open]").click()
    expect(pair).to_be_visible()
    expect(root.locator("[data-role=opened-title]")).to_contain_text(position)
    expect(widget(visitor, "board-pair").locator("[data-role=numbers]")).to_have_attribute(
        "data-state", "fresh"
    )
    expect_quiet(root)
    expect_quiet_page(visitor)


def test_a_visitor_who_finds_the_app_full_gets_in_when_a_page_is_closed(browser):
    with served_app("--most-visitors", "1") as server:
        first, second = (browser.new_context().new_page() for _ in range(2))
        address = f"{server.url}voila/render/board_pair.ipynb"
        assert first.goto(address, timeout=PATIENCE).status == 200
        for _ in range(2):
            full = second.goto(address, timeout=PATIENCE)
            assert full.status == 503
            assert full.header_value("Retry-After") == "60"
        expect(second.get_by_role("heading", name="The app is full")).to_be_visible()
        expect(second.locator("main")).to_contain_text("1 page is open")
        for width, height in ((390, 844), (1366, 768)):
            second.set_viewport_size({"width": width, "height": height})
            expect_no_sideways_scrolling(second)
        assert violations(second) == []
        widget(first, "board-pair")
        first.goto("about:blank")
        # The server ends the first page's kernel, which takes a moment.
        status, deadline = 503, time.monotonic() + 60
        while status == 503 and time.monotonic() < deadline:
            second.wait_for_timeout(200)
            with second.expect_navigation(timeout=PATIENCE) as entry:
                second.get_by_role("link", name="Try again").click()
            status = entry.value.status
        assert status == 200
        widget(second, "board-pair")
        for page in (first, second):
            page.goto("about:blank")
            page.context.close()
