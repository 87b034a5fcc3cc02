"""The page where a language model reads a game, opened from the disk with the network off."""

import json

import chess
import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import board_causes
from workbench.explore.pair.pair_view import pair_view
from workbench.explore.reader.reader_html import live_reader, reader_html
from workbench.language_model.language_model import load_model

from .accessibility import violations
from .lab_page import PATIENCE, PHONE, WIDE
from .test_page_without_python import opened as opened_pair
from .test_touch import swipe
from .widget_pages import centre, drag, overflow, square

TRACED = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
SCHOLARS_MATE = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "believer.html"
    path.write_text(reader_html(["tiny", "small@142"]), encoding="utf-8")
    return path.as_uri()


def opened(browser, address, window, **more):
    return opened_pair(browser, address, window, **more)


def expect_reply(page, model, moves):
    """The board and its numbers are those of Python."""
    root = page.locator("[data-role=game-tracker]")
    expect(root).to_have_attribute("data-ply", str(len(moves)))
    expect(page.locator("[data-role=verdict]")).to_be_visible(timeout=PATIENCE)
    (text,) = load_model(model).write_states([moves])
    expect(root.locator("[data-role=predicted-fen]")).to_have_text(text)
    said = page.locator("[data-role=next-move]")
    if load_model(model).names_moves:
        (move, probability), *_ = load_model(model).next_moves(moves).items()
        expect(said).to_contain_text(f"{move}, probability {probability:.2f}, legal on ")
    else:
        expect(said).to_be_empty()
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    expect(root.locator("[data-role=true-fen]")).to_have_text(board.fen())
    view = pair_view(board.fen(), text, ExplorerSettings(4))
    for name in ("precision", "recall"):
        shown = float(page.locator(f"[data-role=verdict-{name}]").get_attribute("data-value"))
        assert shown == pytest.approx(view["profile"][name][-1]["value"], abs=1e-12)
    assert root.locator("[data-look=predicted] [data-different]").count() == len(view["different"])


def test_a_game_is_played_by_clicks_drags_and_keys(browser, address):
    with opened(browser, address, WIDE) as (page, _):
        root = page.locator("[data-role=game-tracker]")
        expect(page.locator("#reader")).to_have_attribute("data-twin", "worker")
        page.locator("[data-role=new-game]").click()
        expect(page.locator("[data-role=page-status]")).to_contain_text("make the first move")
        square(root, "true", "e2").click()
        expect(root.locator("[data-look=true] [data-target]")).to_have_count(2)
        square(root, "true", "e4").click()
        expect_reply(page, "tiny", SCHOLARS_MATE[:1])
        drag(page, square(root, "true", "e7"), square(root, "true", "e5"))
        expect_reply(page, "tiny", SCHOLARS_MATE[:2])
        square(root, "true", "f1").focus()
        page.keyboard.press("Enter")
        for key in ("ArrowLeft",) * 3 + ("ArrowUp",) * 3:
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect_reply(page, "tiny", SCHOLARS_MATE[:3])
        expect(root.locator("[aria-live=polite]")).to_contain_text("Ply 3, 2. Bc4: ")
        drag(page, square(root, "true", "a7"), square(root, "true", "a1"))
        expect(page.locator("[data-role=page-status]")).to_have_text(
            "From a7 to a1 is no legal move."
        )
        expect(root).to_have_attribute("data-ply", "3")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert violations(page.locator("html")) == []
        assert overflow(root) == []


def test_a_pasted_game_is_read_and_its_link_opens_it_again(browser, address):
    with opened(browser, address, WIDE) as (page, _):
        page.locator("[data-role=paste] summary").click()
        page.locator("[data-role=paste-text]").fill("1. e4 e5 2. Qxh7")
        page.locator("[data-role=paste-read]").click()
        expect(page.locator("[data-role=page-error]")).to_contain_text(
            "ply 3: expected a legal move"
        )
        page.locator("[data-role=paste-text]").fill(" ".join(SCHOLARS_MATE))
        page.locator("[data-role=paste-read]").click()
        expect(page.locator("[data-role=page-error]")).to_be_empty()
        page.locator("[data-role=last]").click()
        expect_reply(page, "tiny", SCHOLARS_MATE)
        page.locator("[data-role=model-choice]").select_option("small@142")
        expect_reply(page, "small@142", SCHOLARS_MATE)
        expect(page.locator("#reader")).to_have_attribute("data-read", "8")
        link = page.url.partition("#")[2]
    with opened(browser, address, WIDE) as (page, _):
        page.evaluate("link => { location.hash = link; }", link)
        expect_reply(page, "small@142", SCHOLARS_MATE)
        page.evaluate("location.hash = 'moves=<img src=x>'")
        expect(page.locator("[data-role=page-error]")).to_contain_text("cannot be read")


def test_training_is_a_slider_and_certainty_is_drawn(browser, tmp_path):
    path = tmp_path / "training.html"
    path.write_text(reader_html(["small"], checkpoints=True), encoding="utf-8")
    with opened(browser, path.as_uri(), WIDE) as (page, _):
        page.evaluate("link => { location.hash = link; }", f"ply=7&moves={'-'.join(SCHOLARS_MATE)}")
        expect_reply(page, "small", SCHOLARS_MATE)
        page.locator("[data-role=step]").focus()
        page.keyboard.press("Home")
        expect(page.locator("[data-role=step-words]")).to_have_text("step 142")
        expect_reply(page, "small@142", SCHOLARS_MATE)
        pieces = page.locator("[data-look=predicted] .ws-piece")
        strengths = "all => all.map(one => Number(one.getAttribute('opacity')))"
        assert set(pieces.evaluate_all(strengths)) == {1}
        page.locator("[data-role=show-certainty]").check()
        assert min(pieces.evaluate_all(strengths)) < 0.8
        expect(page.locator("[data-role=certainty-words]")).to_contain_text("Least certain")
        assert violations(page.locator("html")) == []


def test_a_class_guesses_before_it_sees(browser, address):
    with opened(browser, address, WIDE) as (page, _):
        root = page.locator("[data-role=game-tracker]")
        expect(page.locator("[data-role=verdict]")).to_be_visible(timeout=PATIENCE)
        example = page.locator("[data-role=example]")
        expect(example).to_be_hidden()
        page.get_by_text("What is p4?").click()
        expect(example).to_contain_text("of 100 such lines")
        page.locator("[data-role=guess-mode]").check()
        expect(root.locator("[data-role=no-board]")).to_have_text(
            "Guess first: this board is hidden."
        )
        expect(root.locator("[data-role=precision-point]")).to_have_count(0)
        assert violations(page.locator("html")) == []
        page.locator("[data-role=guess-square]").fill("i9")
        page.locator("[data-role=guess-reveal]").click()
        words = page.locator("[data-role=guess-words]")
        expect(words).to_contain_text("Expected a square")
        page.locator("[data-role=guess-square]").fill("a1")
        page.keyboard.press("Enter")
        expect(words).to_contain_text("First wrong at ply", timeout=PATIENCE)
        ply = int(root.get_attribute("data-ply"))
        assert f"ply {ply}," in words.text_content()
        assert root.locator("[data-look=predicted] [data-different]").count() > 0
        page.locator("[data-role=previous]").click()
        expect(root.locator("[data-look=predicted] [data-different]")).to_have_count(0)
        expect(words).to_have_attribute("data-guesses", "1")
        page.locator("[data-role=game-choice]").select_option("1")
        expect(root.locator("[data-role=no-board]")).to_be_visible()


def test_a_finger_promotes_on_a_phone_that_has_no_workers(browser, address):
    moves = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6".split()
    with opened(browser, address, PHONE, touch=True, before="delete window.Worker") as (page, _):
        root = page.locator("[data-role=game-tracker]")
        expect(page.locator("#reader")).to_have_attribute("data-twin", "page")
        page.evaluate("link => { location.hash = link; }", f"ply=8&moves={'-'.join(moves)}")
        expect_reply(page, "tiny", moves)
        source, target = square(root, "true", "b7"), square(root, "true", "a8")
        target.scroll_into_view_if_needed()
        swipe(page, centre(source), centre(target))
        knight = page.locator("[data-role=promotion] [data-piece=N]")
        expect(knight).to_be_in_viewport()
        # A browser takes no tap while the page still scrolls to the choice.
        page.wait_for_timeout(600)
        knight.tap()
        expect_reply(page, "tiny", [*moves, "b7a8n"])
        assert violations(page.locator("html")) == []
        assert overflow(root) == []


def test_a_model_that_names_moves_says_which(browser, tmp_path):
    path = tmp_path / "player.html"
    path.write_text(reader_html(["player"]), encoding="utf-8")
    with opened(browser, path.as_uri(), WIDE) as (page, _):
        page.evaluate(
            "link => { location.hash = link; }", f"ply=2&moves={'-'.join(SCHOLARS_MATE[:2])}"
        )
        expect_reply(page, "player", SCHOLARS_MATE[:2])


def test_a_part_of_another_page_waits_until_it_is_near(browser, tmp_path):
    path = tmp_path / "index.html"
    path.write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=width=device-width>"
        "<title>Site</title><main><h1>Site</h1><div style='height:3000px'></div>"
        f"<div data-live-reader='{{}}'></div></main><script>{live_reader('tiny', 'own.html')}</script>",
        encoding="utf-8",
    )
    with opened(browser, path.as_uri(), PHONE, touch=True) as (page, _):
        place = page.locator("[data-live-reader]")
        page.wait_for_timeout(300)
        expect(place).to_have_attribute("data-live-reader", "{}")
        place.scroll_into_view_if_needed()
        expect(page.locator("[data-role=verdict]")).to_be_visible(timeout=PATIENCE)
        page.locator("[data-role=next]").tap()
        # The address is the other page's.
        assert page.url == path.as_uri()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("[data-role=copy-link]").tap()
        expect(page.locator("[data-role=page-status]")).to_contain_text("The link is copied")
        link = page.evaluate("navigator.clipboard.readText()")
        assert link.startswith(path.with_name("own.html").as_uri() + "#model=tiny&ply=")
        assert violations(page.locator("html")) == []


def longest_task(trace, address):
    """Milliseconds of processor time of the longest task of a page's main thread."""
    events = json.loads(trace)["traceEvents"]
    committed = [each for each in events if each["name"] == "FrameCommittedInBrowser"]
    data = [each["args"]["data"] for each in committed]
    (process,) = {each["processId"] for each in data if each["url"] == address}
    names = [each for each in events if each["name"] == "thread_name" and each["pid"] == process]
    (main,) = (each["tid"] for each in names if each["args"]["name"] == "CrRendererMain")
    tasks = [each for each in events if each["name"] == "RunTask" and each["pid"] == process]
    return max(each.get("tdur", 0) for each in tasks if each["tid"] == main) / 1000


def test_the_link_is_copied_or_selected(browser, address):
    refused = "navigator.clipboard.writeText = async () => { throw new DOMException('no'); }"
    for before in ("", refused):
        with opened(browser, address, PHONE, touch=True, before=before) as (page, _):
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            page.locator("[data-role=next]").tap()
            page.locator("[data-role=copy-link]").tap()
            status, field = (page.locator(f"[data-role={x}]") for x in ("page-status", "link-text"))
            if before:
                expect(status).to_contain_text("the link is selected")
                expect(field).to_be_focused()
                link = page.evaluate("document.getSelection().toString()")
            else:
                expect(status).to_contain_text("The link is copied")
                expect(field).to_be_hidden()
                link = page.evaluate("navigator.clipboard.readText()")
            assert link == page.url
            assert "&ply=11&" in link
            assert link.startswith(address)
            assert violations(page.locator("html")) == []


def test_what_an_error_costs_is_seen_by_correcting_it(browser, address):
    with opened(browser, address, WIDE) as (page, _):
        root = page.locator("[data-role=game-tracker]")
        causes, undo = (page.locator(f"[data-role={x}]") for x in ("causes", "undo-correction"))
        value = page.locator("[data-role=verdict-precision]")
        for _ in range(20):
            page.locator("[data-role=next]").click()
        expect(root.locator("[data-look=predicted] [data-different]")).not_to_have_count(0)
        expect(causes).to_have_attribute("data-state", "fresh")
        fens = [root.locator(f"[data-role={x}-fen]") for x in ("true", "predicted")]
        true, own = (fen.text_content() for fen in fens)
        expected = board_causes(true, own, ExplorerSettings(4))
        chips = page.locator("[data-role=cause]")
        labels = chips.evaluate_all("all => all.map(one => one.dataset.label)")
        assert labels == [each["label"] for each in expected["differences"]]
        before = float(value.get_attribute("data-value"))
        chips.first.click()
        expect(undo).to_be_visible()
        expect(root.locator("[data-role=predicted-fen]")).not_to_have_text(own)
        expect(page.locator("[data-role=ply-words]")).to_contain_text("corrected here")
        after = float(value.get_attribute("data-value"))
        assert after == pytest.approx(expected["differences"][0]["precision"], abs=1e-12)
        assert after != before
        expect(causes).to_have_attribute("data-state", "fresh")
        assert violations(page.locator("html")) == []
        undo.click()
        expect(root.locator("[data-role=predicted-fen]")).to_have_text(own)
        expect(undo).to_be_hidden()
        expect(causes).to_have_attribute("data-state", "fresh")
        chips.first.click()
        expect(undo).to_be_visible()
        for way in ("next", "previous"):
            page.locator(f"[data-role={way}]").click()
        expect(root.locator("[data-role=predicted-fen]")).to_have_text(own)
        expect(undo).to_be_hidden()


def test_a_game_of_the_training_is_named_so(browser, tmp_path):
    path = tmp_path / "two.html"
    path.write_text(reader_html(["player", "tiny"]), encoding="utf-8")
    with opened(browser, path.as_uri(), WIDE) as (page, _):
        notes = page.locator("[data-role=notes]")
        expect(notes).to_have_text("workbench/player was trained on this game.")
        page.locator("[data-role=model-choice]").select_option("tiny")
        expect(notes).to_be_hidden()
        page.locator("[data-role=model-choice]").select_option("player")
        expect(notes).to_be_visible()
        page.locator("[data-role=game-choice]").select_option("3")
        expect(notes).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize(("window", "touch"), [(WIDE, False), (PHONE, True)])
def test_the_page_moves_while_it_starts_and_while_the_model_reads(browser, tmp_path, window, touch):
    path = tmp_path / "small.html"
    path.write_text(reader_html(["small"]), encoding="utf-8")
    page = browser.new_page(viewport=window, has_touch=touch, is_mobile=touch, offline=True)
    try:
        browser.start_tracing(page=page, categories=TRACED)
        page.goto(path.as_uri())
        title = page.locator("[data-role=title]")
        expect(title).to_contain_text("has written all 118 boards", timeout=PATIENCE)
        trace = browser.stop_tracing()
    finally:
        page.close()
    # A busy machine makes tasks wait: their own time is of the processor.
    longest = longest_task(trace, path.as_uri())
    print(f"longest task {longest:.0f} ms")
    # Over 100 ms one notices; a slower machine has as many tasks.
    assert 0 < longest < 60
