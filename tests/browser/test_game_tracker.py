"""GameTracker in JupyterLab: scrubbing moves both boards, and the numbers are the package's."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from workbench.explore.game_tracker import GameTracker
from workbench.explore.tracked_game import track_simulated
from workbench.scoring import ScoringParameters

from .widget_alone import widget_page
from .widget_pages import clipped_text, expect_quiet, nameless, number, overflow, square, too_faint


@pytest.fixture
def root(explorer):
    return explorer.widget("game-tracker")


@pytest.fixture
def replies(explorer):
    """What the notebook's tracker shows, made here from the same game."""
    moves, rate, seed = eval(explorer.execute("print((movetext, rate, seed))"))
    found = GameTracker.simulated(moves, rate=rate, seed=seed, depth=4).replies
    assert found.precision_4.min() < 1, "the game must have something to see"
    return found.set_index("ply", drop=False)


def expect_ply(root, row):
    expect(root).to_have_attribute("data-ply", str(row.ply))
    for fact, value in (("precision", row.precision_4), ("recall", row.recall_4)):
        assert number(root.locator(f"[data-fact={fact}]")) == pytest.approx(value, rel=1e-12)
    assert number(root.locator("[data-fact=distance]")) == row.distance
    expect(root.locator("[data-role=true-fen]")).to_have_text(row.true_fen)
    expect(root.locator("[data-role=predicted-fen]")).to_have_text(row.predicted_fen)


def test_scrubbing_moves_boards_and_numbers(lab, root, replies):
    scrubber = root.get_by_role("slider", name="Ply")
    scrubber.focus()
    lab.page.keyboard.press("Home")
    lab.page.keyboard.press("ArrowRight")
    for ply in (1, 2, 3):
        expect_ply(root, replies.loc[ply])
        root.get_by_role("button", name="One ply forward").click()
    expect(square(root, "true", "c6")).to_have_attribute("aria-label", "c6, black knight")
    scrubber.fill("9")
    expect_ply(root, replies.loc[9])
    root.get_by_role("button", name="Last position").click()
    expect_ply(root, replies.iloc[-1])
    root.locator("[data-role=move][data-ply='5']").click()
    expect_ply(root, replies.loc[5])
    root.locator("[data-role=moves]").press("ArrowLeft")
    expect_ply(root, replies.loc[4])
    root.locator("[data-role=depth]").select_option("1")
    expect(root.locator("[data-role=numbers]")).to_contain_text("p_1")
    assert number(root.locator("[data-fact=precision]")) == pytest.approx(
        replies.loc[4].precision_1, rel=1e-12
    )
    root.locator("[data-role=depth]").select_option("4")
    expect_quiet(root)


def test_fits_and_can_be_read(lab, root):
    assert nameless(root) == []
    for theme in ("light", "dark"):
        lab.set_theme(theme)
        assert too_faint(root) == []
    for width in (1280, 700):
        lab.page.set_viewport_size({"width": width, "height": 900})
        assert overflow(root) == []


@pytest.mark.parametrize("window", [(358, 844), (390, 844), (1366, 768)])
def test_no_text_of_the_chart_is_cut_off(browser, window):
    """The narrowest is what a page of the app leaves on a phone. Here are replies of every class."""
    moves, parameters = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", ScoringParameters(depth=4)
    tracked = track_simulated(moves, rate=0.2, seed=0, parameters=parameters)
    classes = ["valid", "ill_formed", "unparseable", "absent", "valid", "valid"]
    replies = tuple(
        map(lambda reply, each: replace(reply, reply_class=each), tracked.replies, classes)
    )
    with widget_page(browser, [GameTracker(replace(tracked, replies=replies))], *window) as page:
        root = page.locator("[data-role=game-tracker]")
        box = root.locator("[data-role=chart-box]")
        for words in (
            "state precision p₄, probability", "edit distance, share of the longer FEN",
            "ill-formed", "unreadable", "without a FEN",
        ):  # fmt: skip
            expect(box).to_contain_text(words)
        assert clipped_text(root) == overflow(root) == []


@pytest.mark.parametrize("window", [(1440, 900), (1366, 768), (1024, 768), (390, 844)])
def test_the_first_screen_has_the_answer_and_both_boards(browser, window):
    tracker = GameTracker.simulated("1. e4 d5 2. Nc3 Nf6 3. Nxd5", rate=0.4, seed=6)
    with widget_page(browser, [tracker], *window, touch=window[0] < 500) as page:
        root = page.locator("[data-role=game-tracker]")
        for ply in (1, 5):
            tracker.ply = ply
            page.evaluate("ply => models[0].take({ ply })", ply)
            reply = tracker.game["replies"][ply - 1]
            words = root.locator("[data-role=ply-words]")
            expect(words).to_have_text(f"Ply {ply}, {reply['change']}")
            for part in (
                words, root.locator("[data-fact=precision]"), root.locator("[data-role=ply]"),
                *root.locator("[data-role=board]").all(),
            ):  # fmt: skip
                box = part.bounding_box()
                assert box["y"] >= 0
                assert box["y"] + box["height"] <= window[1]
        assert root.locator("[data-role=details]").get_attribute("open") is None


def test_one_cursor_goes_through_both_charts(browser):
    tracker = GameTracker.simulated("1. e4 d5 2. Nc3 Nf6 3. Nxd5", rate=0.4, seed=6)
    with widget_page(browser, [tracker], 1366, 768) as page:
        root = page.locator("[data-role=game-tracker]")
        root.get_by_role("slider", name="Ply").fill("3")
        cursor = root.locator("[data-role=chart-cursor]")
        expect(cursor).to_have_count(1)
        box = cursor.bounding_box()
        for kind in ("precision", "distance"):
            point = root.locator(f"[data-role={kind}-point][data-ply='3']").bounding_box()
            assert abs(point["x"] + point["width"] / 2 - box["x"] - box["width"] / 2) < 1
            assert box["y"] - 5 <= point["y"] <= box["y"] + box["height"]
        places = [
            root.locator(f"[data-role={kind}-point]").first.bounding_box()["y"]
            for kind in ("precision", "distance")
        ]
        assert places[1] > places[0] + 60
