"""The page that needs no Python, opened from the disk with the network off."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_html import pair_html
from workbench.explore.pair.pair_view import pair_view

from .accessibility import violations
from .lab_page import PATIENCE, PHONE, WIDE
from .test_touch import swipe
from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUY_LOPEZ,
    centre,
    drag,
    overflow,
    square,
)

CAPTION = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "pair.html"
    path.write_text(pair_html(RUY_LOPEZ, BISHOP_ELSEWHERE, CAPTION), encoding="utf-8")
    return path.as_uri()


@contextmanager
def opened(browser, address, window, *, touch=False, before="", blocked=False):
    """The page and its pair; an error on it, or a request for anything but the file, fails the test.

    With ``blocked`` requests to other sites are expected, and get no answer.
    """
    context = browser.new_context(
        viewport=window,
        has_touch=touch,
        is_mobile=touch,
        color_scheme="light",
        # What becomes fresh has its full contrast at once.
        reduced_motion="reduce",
        offline=True,
    )
    context.set_default_timeout(PATIENCE)
    wrong, asked = [], []
    try:
        page = context.new_page()
        page.add_init_script(before)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        if blocked:
            page.route(re.compile("^https?:"), lambda route: route.fulfill(body=""))
        page.goto(address)
        yield page, page.locator("[data-role=board-pair]")
    finally:
        context.close()
    assert wrong == []
    own = [url for url in asked if not url.startswith(("blob:", "data:"))]
    assert [url for url in own if not blocked or url.startswith("file:")] == [address]


def fens(root):
    return [
        root.locator(f"[data-role=side-{look}] [data-role=fen]").input_value()
        for look in ("true", "predicted")
    ]


def expect_python_values(root):
    """The numbers are those of the kernel for the boards that are shown, but for rounding."""
    expect(root.locator("[data-role=numbers]")).to_have_attribute("data-state", "fresh")
    view = pair_view(*fens(root), ExplorerSettings(4))
    for name in ("precision", "recall"):
        cells = root.locator(f"[data-role=profile-row] [data-role={name}]")
        shown = cells.evaluate_all("cells => cells.map(cell => Number(cell.dataset.value))")
        expected = [entry["value"] for entry in view["profile"][name]]
        assert shown == pytest.approx(expected, abs=1e-12)
    distance = re.compile(rf"^{view['text']['levenshtein']}\b")
    expect(root.locator("[data-role=levenshtein]")).to_have_text(distance)


def test_the_pair_works_on_a_wide_page_in_both_themes(browser, address):
    with opened(browser, address, WIDE) as (page, root):
        expect(root.locator("[data-role=caption]")).to_have_text(CAPTION)
        expect(page.locator("#pair")).to_have_attribute("data-twin", "worker")
        expect_python_values(root)
        drag(page, square(root, "predicted", "f3"), square(root, "predicted", "h4"))
        expect(square(root, "predicted", "h4")).to_have_attribute("data-piece", "N")
        expect_python_values(root)
        typed = root.locator("[data-role=side-predicted] [data-role=fen]")
        typed.fill("no FEN <b>")
        typed.press("Enter")
        expect(root).to_contain_text("there is 1 rank; a board has 8")
        typed.fill(RUY_LOPEZ)
        typed.press("Enter")
        expect(root.locator("[data-role=exact-match]")).to_have_text("yes")
        root.locator("[data-role=moves-shared] [data-uci=e1g1]").click()
        expect(root.locator("[data-role=line-move]")).to_have_text("4. O-O")
        root.press("Shift+ArrowLeft")
        expect(root.locator("[data-role=line-move]")).to_have_count(0)
        expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert violations(page.locator("html")) == []
        assert overflow(root) == []


def test_a_finger_drags_on_a_phone_that_has_no_workers(browser, address):
    """Some browsers refuse a worker to a page opened from a file: then the page computes by itself."""
    with opened(browser, address, PHONE, touch=True, before="delete window.Worker") as (page, root):
        expect(page.locator("#pair")).to_have_attribute("data-twin", "page")
        expect_python_values(root)
        source, target = square(root, "predicted", "f3"), square(root, "predicted", "d5")
        target.scroll_into_view_if_needed()
        before = root.locator("[data-role=verdict-precision]").get_attribute("data-value")
        swipe(page, centre(source), centre(target), downwards=-20)
        expect(target).to_have_attribute("data-piece", "N")
        expect_python_values(root)
        assert root.locator("[data-role=verdict-precision]").get_attribute("data-value") != before
        expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
        assert violations(page.locator("html")) == []
        assert overflow(root) == []


def test_the_address_follows_the_boards_and_opens_them_again(browser, address):
    typed = "8/8/8/8/8/8/8/K1k5 w - - 0 1"
    with opened(browser, address, WIDE) as (page, root):
        expect_python_values(root)
        assert page.url == address
        field = root.locator("[data-role=side-predicted] [data-role=fen]")
        links = []
        for text in (typed, ""):
            before = page.url
            field.fill(text)
            field.press("Enter")
            page.wait_for_function("url => location.href !== url", arg=before)
            links.append(page.url.partition("#")[2])
        for link, text in zip(links, (typed, ""), strict=True):
            page.evaluate("link => { location.hash = link; }", link)
            expect(field).to_have_value(text)
            assert fens(root) == [RUY_LOPEZ, text]
        page.evaluate("location.hash = 'true=<img src=x onerror=alert(1)>&predicted=8'")
        refusal = page.locator("#pair-refusal")
        expect(refusal).to_contain_text("names no pair of boards")
        expect(field).to_have_value(BISHOP_ELSEWHERE)
        page.go_back()
        expect(refusal).to_be_empty()
        expect(field).to_have_value("")


def test_a_dark_page_is_printed_on_white_without_its_tools(browser, address):
    with opened(browser, address, WIDE) as (page, root):
        page.emulate_media(color_scheme="dark")
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
        expect(page.locator("body")).to_have_css("color", "rgb(240, 240, 240)")
        page.emulate_media(color_scheme="dark", media="print")
        expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "true")
        expect(page.locator("body")).to_have_css("color", "rgb(27, 27, 27)")
        expect(root.locator("[data-role=tray]")).to_be_hidden()
        expect(root.locator("[data-role=board]").first).to_be_visible()
