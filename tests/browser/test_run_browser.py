"""RunBrowser in JupyterLab: table and scatter, what opens from them, and rows that hold markup."""

import re

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

RUN = (
    RUN_ROWS
    + """
models = [("<i>right</i>", 0, ""), ("elsewhere", 1, "thinking=64"), ("silent", 8, "")]
for model, number, setting in models:
    rows.append(dict(rows[2 + number], position_id="two", model=model, setting=setting))
predictions = pd.DataFrame(rows, columns=PREDICTIONS.names)
scores = score(predictions, ScoringParameters(depth=3))
"""
)
BROWSER = RUN + (
    "from workbench.explore.run.run_browser import RunBrowser\n"
    "browser = RunBrowser(scores, predictions)\n"
    "browser\n"
)
TRACKER = (
    "from workbench.explore.game_tracker import GameTracker\n"
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
    return made_by(RUN, "scores")


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
    assert scores["predicted_state"][elsewhere] in code

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


def test_two_models_replies_to_one_position_stand_side_by_side(lab, opened, scores):
    """A right reply and one whose bishop is elsewhere, on the screen of a small laptop."""
    lab.page.set_viewport_size({"width": 1366, "height": 768})
    root = opened.widget("run-browser")
    row, other = (
        int(scores.index[scores["position_id"].eq("two") & scores["model"].eq(model)][0])
        for model in ("<i>right</i>", "elsewhere")
    )
    root.locator("[data-role=search]").fill("two")
    expect(root.locator("[data-role=row]")).to_have_count(3)
    root.locator(f"[data-role=row][data-row='{row}']").click()
    beside = root.locator("[data-role=beside]")
    expect(beside.locator("[data-role=beside-title]")).to_have_text(
        "2 other replies to this position"
    )
    expect(beside.locator("[data-role=beside-boards]")).to_be_hidden()
    line = beside.get_by_role("row").filter(has_text="elsewhere")
    for name in ("precision_3", "recall_3"):
        expect(line).to_contain_text(f"{scores[name][other]:.4f}")

    line.get_by_role("button").focus()
    lab.page.keyboard.press("Enter")
    expect(line.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    shown = beside.locator("[data-role=beside-other]")
    for part, name, piece in (("true", "b5", "B"), ("opened", "b5", "B"), ("other", "a4", "B")):
        cell = beside.locator(f"[data-role=beside-{part}] [data-square={name}]")
        expect(cell).to_have_attribute("data-piece", piece)
    for name in ("a4", "b5"):
        cell = shown.locator(f"[data-square={name}]")
        expect(cell).to_have_attribute("data-different", "")
    expect(beside.locator("[data-role=beside-opened] [data-different]")).to_have_count(0)
    expect(shown).to_contain_text(f"p3 {scores['precision_3'][other]:.4f}")
    beside.scroll_into_view_if_needed()
    assert beside.bounding_box()["height"] < 560
    assert overflow(root) == []
    assert nameless(root) == []
    for theme in ("light", "dark"):
        lab.set_theme(theme)
        assert too_faint(root) == []

    beside.get_by_role("button", name="silent").click()
    expect(shown.locator("[data-role=no-board]")).to_have_text("No board.")
    expect(shown.locator("[data-role=board]")).to_be_hidden()
    beside.get_by_role("button", name="elsewhere").click()
    root.locator("[data-role=beside-open]").click()
    expect(root.locator("[data-role=opened-title]")).to_contain_text(
        "elsewhere, thinking=64 on two"
    )
    expect(beside.locator("[data-role=beside-boards]")).to_be_hidden()
    expect(square(opened.widget("board-pair"), "predicted", "a4")).to_have_attribute(
        "data-piece", "B"
    )
    expect_harmless(lab.page, root)
    expect_quiet(root)
    root.locator("[data-role=clear-filters]").click()


def test_sets_and_settings_are_filtered_with_their_counts(lab, opened, scores):
    root = opened.widget("run-browser")
    root.locator("[data-role=clear-filters]").click()
    expect(root.locator("[data-role=filter-set]")).to_be_hidden()
    setting = root.locator("[data-role=filter-setting]")
    root.locator("[data-role=filters] summary").click()
    expect(setting).to_contain_text("default")
    thinking = setting.get_by_label("thinking=64")
    expect(setting.locator("label").filter(has_text="thinking=64")).to_contain_text("1")
    thinking.check()
    expect(root.locator("[data-role=row]")).to_have_count(1)
    expect(root.locator("th[data-column=setting]")).to_be_visible()
    expect(root.locator("th[data-column=set]")).to_have_count(0)
    root.locator("[data-role=clear-filters]").click()
    expect(root.locator("[data-role=row]")).to_have_count(len(scores))


def test_any_metric_is_an_axis_and_has_a_range(lab, opened, scores):
    root = opened.widget("run-browser")
    counts, axis = root.locator("[data-role=counts]"), root.locator("[data-role=y-axis]")
    axis.select_option("recall")
    canvas = root.locator("canvas[data-role=scatter]")
    expect(canvas).to_have_attribute("aria-label", re.compile("edit distance against r_3"))
    root.locator("[data-role=precision-low]").fill("0.5")
    high = int((scores["recall_3"] >= 0.5).sum())
    expect(counts).to_contain_text(f"{high} of {len(scores)} rows shown")
    axis.select_option("precision")
    further = root.locator("[data-role=further-ranges]")
    expect(further).to_have_text("Further ranges: r₃ 0.5 to any")
    expect(counts).to_contain_text(f"{high} of {len(scores)} rows shown")
    root.locator("[data-role=clear-filters]").click()
    expect(counts).to_contain_text(f"{len(scores)} of {len(scores)} rows shown")
    expect(further).to_be_hidden()


def test_sorts_filters_and_opens_by_keyboard(lab, opened, scores):
    root = opened.widget("run-browser")
    pair = opened.widget("board-pair")
    cells = len(opened.cells())
    root.locator("[data-role=sort][data-column=precision]").click()
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
                "print((row.true_state, row.predicted_state) == (browser.pair.true_fen, browser.pair.predicted_fen))"
            )
            == "True\n"
        )
        expect_profile(pair, pair_view(true_fen, predicted_fen, ExplorerSettings(4)))
        expect_quiet(root)
        expect_quiet(pair)
