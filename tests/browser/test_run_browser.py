"""RunBrowser in JupyterLab: table and scatter, what opens from them, and rows that hold markup."""

import pytest
from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view

from .lab_page import save_notebook
from .widget_pages import (
    HOSTILE,
    RUN_ROWS,
    expect_harmless,
    expect_profile,
    expect_quiet,
    made_by,
    nameless,
    overflow,
    square,
    too_faint,
)

BROWSER = RUN_ROWS + (
    "from workbench.explore.run.run_browser import RunBrowser\n"
    "browser = RunBrowser(scores, predictions)\n"
    "browser\n"
)
TRACKER = (
    "from workbench.explore.game.game_tracker import GameTracker\n"
    "GameTracker.from_rows(predictions[predictions.game_id == '<b>game</b>'], depth=2)\n"
)


@pytest.fixture(scope="module")
def opened_run(opened_lab, server):
    path = save_notebook(server.folder, "run", BROWSER, TRACKER)
    with opened_lab.notebook(path) as notebook:
        yield notebook


@pytest.fixture
def opened(lab, opened_run):
    opened_run.show()
    return opened_run


@pytest.fixture(scope="module")
def scores():
    return made_by(RUN_ROWS, "scores")


def click_point(lab, root, row):
    surface = root.locator("[data-role=scatter-surface]")
    surface.scroll_into_view_if_needed()
    at = surface.evaluate("(surface, row) => surface.pointAt(row)", row)
    lab.page.mouse.click(at["x"], at["y"])


def test_a_point_of_the_scatter_opens_as_a_pair(lab, opened, scores):
    root = opened.widget("run-browser")
    pair = opened.widget("board-pair")
    drawn = int(scores["levenshtein_to_empty"].eq(False).sum())
    expect(root.locator("canvas[data-role=scatter]")).to_have_attribute("data-points", str(drawn))
    expect(root.locator("[data-role=counts]")).to_contain_text(f"{len(scores)} of {len(scores)}")

    elsewhere = int(scores.index[scores["position_id"] == "spanish-1"][0])
    click_point(lab, root, elsewhere)
    expect(root.locator("[data-role=opened-title]")).to_contain_text("spanish-1")
    expect(pair.locator("[data-role=game-moves]")).to_contain_text("3. Bb5 a6")
    expect(square(pair, "true", "b5")).to_have_attribute("data-piece", "B")
    expect(square(pair, "predicted", "a4")).to_have_attribute("data-piece", "B")
    facts = root.locator("[data-role=opened-facts]")
    expect(facts).to_contain_text(f"{scores['precision_3'][elsewhere]:.4f}")
    code = pair.locator("[data-role=code]").input_value()
    assert scores["predicted_fen"][elsewhere] in code

    hostile = int(scores.index[scores["position_id"] == "<b>game</b>-1"][0])
    click_point(lab, root, hostile)
    expect(root.locator("[data-role=opened-title]")).to_contain_text("<b>game</b>-1")
    expect(pair.locator("[data-role=reply]")).to_have_text(HOSTILE)
    for part in (root, pair):
        expect_harmless(lab.page, part)
        expect_quiet(part)
        assert nameless(part) == []
    for theme in ("light", "dark"):
        lab.set_theme(theme)
        assert too_faint(root) == []
    for width in (1280, 700):
        lab.page.set_viewport_size({"width": width, "height": 900})
        assert overflow(root) == []


def test_sorts_filters_and_opens_by_keyboard(lab, opened, scores):
    root = opened.widget("run-browser")
    pair = opened.widget("board-pair")
    cells = len(opened.cells())
    root.get_by_role("button", name="p_3", exact=True).click()
    expect(root.locator("th[data-column=precision]")).to_have_attribute("aria-sort", "ascending")
    ascending = scores["precision_3"].sort_values(kind="stable", na_position="last").index
    rows = root.locator("[data-role=row]")
    expect(rows.first).to_have_attribute("data-row", str(ascending[0]))
    expect(rows.last).to_have_attribute("data-row", str(ascending[-1]))

    root.locator("[data-role=search]").fill("spanish-2")
    expect(root.locator("[data-role=row]")).to_have_count(1)
    root.locator("[data-role=row-open]").focus()
    lab.page.keyboard.press("Enter")
    expect(root.locator("[data-role=opened-title]")).to_contain_text("spanish-2")
    expect(pair.locator("[data-role=board]")).to_have_count(2)
    root.locator("[data-role=clear-filters]").click()
    expect(root.locator("[data-role=row]")).to_have_count(len(scores))

    # Edit distance counts one letter where the side to move is wrong; no line is left of p.
    root.locator("[data-role=near-far]").click()
    expect(root.locator("[data-role=near-far]")).to_have_attribute("aria-pressed", "true")
    side = scores.index[scores["position_id"] == "spanish-2"][0]
    expect(root.locator(f"[data-role=row][data-row='{side}']")).to_be_visible()
    for key in ("a", "b", "d", "d", "x", "m"):
        lab.page.keyboard.press(key)
    assert len(opened.cells()) == cells
    expect_quiet(root)


def test_a_hostile_reply_stays_text_in_the_game_tracker(lab, opened):
    root = opened.widget("game-tracker")
    root.get_by_role("button", name="Last position").click()
    expect(root.locator("[data-role=reply]")).to_have_text(HOSTILE)
    expect(root.locator("[data-role=title]")).to_contain_text("<b>game</b>")
    expect_harmless(lab.page, root)


def test_the_notebook_of_a_run_opens_a_pair_from_the_scatter(lab):
    with lab.notebook("notebooks/11_explore_run.ipynb") as notebook:
        root, pair = notebook.widget("run-browser"), notebook.widget("board-pair")
        root.locator("[data-role=clear-filters]").click()
        far = int(notebook.execute("print(browser.table.run.rows.edit_distance.argmax())"))
        drawn = notebook.execute("print(browser.table.run.rows.edit_distance.count())").strip()
        expect(root.locator("[data-role=scatter]")).to_have_attribute("data-points", drawn)
        click_point(lab, root, far)
        expect(root.locator(f"[data-role=row][data-row='{far}']")).to_have_attribute(
            "aria-current", "true"
        )
        true_fen, predicted_fen = eval(
            notebook.execute("print((browser.pair.true_fen, browser.pair.predicted_fen))")
        )
        assert (
            notebook.execute(
                f"row = browser.table.run.rows.iloc[{far}]\n"
                "print((row.true_fen, row.predicted_fen) == (browser.pair.true_fen, browser.pair.predicted_fen))"
            )
            == "True\n"
        )
        expect_profile(pair, pair_view(true_fen, predicted_fen, ExplorerSettings(4)))
        expect_quiet(root)
        expect_quiet(pair)
