"""RunBrowser on screens of all sizes, with mouse, touch and keyboard: boards, search, files, models, scatter."""

from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import workbench as wb
from workbench.explore.run.run_browser import RunBrowser

from .accessibility import violations
from .widget_alone import set_theme, widget_page
from .widget_pages import (
    BISHOP_ELSEWHERE,
    HOSTILE,
    RUN_ROWS,
    RUY_LOPEZ,
    expect_harmless,
    made_by,
    nameless,
    overflow,
    too_faint,
)

SCREENS = [(1440, 900), (1366, 768), (1280, 720), (1024, 768), (390, 844)]
LONG = "x" * 500_000 + "<b>Needle</b>" + "y" * 500_000
MODELS = """
for number, model in enumerate(["o3-2025-04-16", "gpt-4o-2024-08-06", "<i>own</i>"]):
    rows.append(dict(rows[2 + number], position_id="two", model=model))
predictions = pd.DataFrame(rows, columns=PREDICTIONS.names)
scores = score(predictions, ScoringParameters(depth=3))
"""


@pytest.fixture(scope="module")
def tables():
    names = {}
    exec(RUN_ROWS + MODELS, names)
    predictions = names["predictions"]
    predictions.loc[predictions["position_id"] == "spanish-1", "reply"] = LONG
    return names["scores"], predictions


@pytest.fixture
def run(tables):
    return RunBrowser(*tables)


@pytest.fixture
def shown(browser, run):
    with widget_page(browser, [run.table, run.pair], 1366, 768) as page:
        yield ready(page)


def ready(page):
    expect(page.locator("[data-role=run-browser]")).to_have_attribute("data-state", "ready")
    return page.locator("[data-role=run-browser]")


def row_of(tables, position, model=None):
    scores, _ = tables
    found = scores["position_id"].eq(position)
    return int(scores.index[found if model is None else found & scores["model"].eq(model)][0])


def in_view(page, locator):
    """Whether the whole of an element is within the window."""
    box, size = locator.bounding_box(), page.viewport_size
    return (
        box["y"] >= -1
        and box["y"] + box["height"] <= size["height"] + 1
        and box["x"] >= -1
        and box["x"] + box["width"] <= size["width"] + 1
    )


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_opening_a_row_brings_its_boards_into_view(browser, run, tables, width, height):
    touch = width < 500
    with widget_page(browser, [run.table, run.pair], width, height, touch=touch) as page:
        root = ready(page)
        assert overflow(root) == []
        row = root.locator(f"[data-row='{row_of(tables, 'spanish-1')}'] [data-role=row-open]")
        row.tap() if touch else row.click()
        expect(root.locator("[data-role=opened-title]")).to_contain_text("spanish-1")
        boards = root.locator("[data-role=opened] [data-role=board]")
        expect(boards).to_have_count(2)
        for board in boards.all():
            assert in_view(page, board)
        assert boards.first.bounding_box()["width"] >= 150
        beside_table = root.locator("[data-role=opened]").bounding_box()["x"]
        assert (beside_table > width / 3) is not touch
        for theme in ("light", "dark"):
            set_theme(page, theme)
            assert too_faint(root) == []
        following = root.locator("[data-role=next]")
        following.tap() if touch else following.click()
        expect(root.locator("[data-role=opened-title]")).to_contain_text("spanish-2")
        for board in boards.all():
            assert in_view(page, board)
        assert overflow(root) == []
        assert nameless(root) == []
        small = root.evaluate(
            """root => [...root.querySelectorAll('button, input, select, summary')]
                .filter(each => each.checkVisibility() && each.getBoundingClientRect().height < 20)
                .map(each => each.outerHTML.slice(0, 90))"""
        )
        assert [found for found in small if "checkbox" not in found] == []


@pytest.mark.parametrize("width", [1094, 1180, 1280, 1366])
def test_one_models_scores_are_in_view_beside_their_position(browser, tables, width):
    """On a laptop: 1094 and 1180 are what JupyterLab leaves a cell's output of 1280 and 1366 pixels."""
    scores, predictions = tables
    one = scores["model"].eq(scores["model"].iloc[0])
    table = RunBrowser(scores[one].reset_index(drop=True), predictions).table
    with widget_page(browser, [table], width, 720) as page:
        root = ready(page)
        assert overflow(root) == []
        right = root.locator("[data-role=scroller]").evaluate(
            "e => e.getBoundingClientRect().left + e.clientWidth"
        )
        for name in ("position_id", "reply_class", "edit_distance", "precision"):
            heading = root.locator(f"th[data-column={name}]")
            box = heading.bounding_box()
            assert box["x"] + box["width"] <= right + 1, name
            assert heading.locator("button").evaluate("e => e.scrollWidth <= e.clientWidth")
        assert root.locator("th[data-column=model]").count() == 0
        fens = root.locator(".rb-fen")
        root.locator("[data-role=row-open]").first.click()
        expect(root.locator("[data-role=opened-title]")).not_to_be_empty()
        fen = fens.first.text_content()
        assert fen in set(scores["true_state"])
        ranks = fens.first.evaluate("e => e.innerHTML.split('<wbr>')")
        assert [rank for rank in ranks[:-1] if not rank.endswith("/") or "/" in rank[:-1]] == []
        assert len(ranks) == 8


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser, run, tables, theme):
    with widget_page(browser, [run.table], 1366, 768) as page:
        root = ready(page)
        set_theme(page, theme)
        root.locator("[data-role=filters] summary").click()
        root.locator("[data-role=search-replies]").fill("8/8")
        run.table.show_all()
        root.locator("[data-role=clear-filters]").click()
        row = row_of(tables, "two", "gpt-4o-2024-08-06")
        root.locator(f"[data-row='{row}'] [data-role=row-open]").click()
        expect(root.locator("[data-role=all-summary]")).to_contain_text("3 replies")
        root.locator("[data-role=other]").first.click()
        expect(root.locator("[data-role=beside-boards]")).to_be_visible()
        assert violations(root) == []


def test_next_and_previous_step_through_the_rows_shown(shown, tables):
    shown.locator("[data-role=search]").fill("spanish-")
    rows = shown.locator("[data-role=row]")
    expect(rows).to_have_count(9)
    rows.first.locator("button").click()
    place = shown.locator("[data-role=place]")
    title = shown.locator("[data-role=opened-title]")
    previous, following = (shown.locator(f"[data-role={name}]") for name in ("previous", "next"))
    expect(place).to_have_text("1 of 9")
    expect(previous).to_have_attribute("aria-disabled", "true")
    following.focus()
    for number in range(2, 10):
        shown.page.keyboard.press("Enter" if number % 2 else "ArrowRight")
        expect(place).to_have_text(f"{number} of 9")
        expect(title).to_contain_text(f"spanish-{number - 1}")
    # At the end the button keeps the focus and does nothing.
    expect(following).to_have_attribute("aria-disabled", "true")
    shown.page.keyboard.press("Enter")
    expect(following).to_be_focused()
    shown.page.keyboard.press("ArrowLeft")
    expect(place).to_have_text("8 of 9")
    expect(shown.locator("[data-role=row][aria-current=true]")).to_contain_text("spanish-7")

    # In the table the arrow keys move, and the open reply follows.
    rows.nth(7).locator("button").focus()
    shown.page.keyboard.press("ArrowUp")
    expect(title).to_contain_text("spanish-6")
    expect(rows.nth(6).locator("button")).to_be_focused()
    shown.locator("[data-role=search]").fill("spanish-1")
    expect(place).to_have_text("not among the rows shown")
    following.click()
    expect(title).to_contain_text("spanish-1")


def test_arrow_keys_on_a_board_do_not_leave_the_reply(shown, tables):
    shown.locator("[data-role=row-open]").first.click()
    title = shown.locator("[data-role=opened-title]").text_content()
    shown.locator("[data-role=opened-predicted] [data-square=e2]").focus()
    shown.page.keyboard.press("ArrowRight")
    expect(shown.locator("[data-role=opened-predicted] [data-square=f2]")).to_be_focused()
    expect(shown.locator("[data-role=opened-title]")).to_have_text(title)


def test_all_replies_to_a_position_are_counted_on_one_board(shown, tables):
    """One is right, one has the bishop on a4, one has the other side to move."""
    row = row_of(tables, "two", "o3-2025-04-16")
    shown.locator(f"[data-row='{row}'] [data-role=row-open]").click()
    board = shown.locator("[data-role=all-replies]")
    expect(board.locator("[data-role=all-summary]")).to_have_text(
        "3 replies. Each number: the boards that have the square wrong. Most often a4 (1), b5 (1)."
    )
    expect(board.locator("[data-role=wrong-count]")).to_have_text(["1", "1"])
    for square in ("a4", "b5"):
        count = board.locator(f"[data-square={square}] [data-role=wrong-count]")
        expect(count).to_have_text("1")
    board.locator("[data-square=a4]").hover()
    expect(board.locator("[data-role=all-words]")).to_have_text(
        "1 of 3 wrong. a4, empty: white bishop in gpt-4o-2024-08-06."
    )
    board.locator("[data-square=c5]").focus()
    shown.page.keyboard.press("ArrowLeft")
    expect(board.locator("[data-role=all-words]")).to_contain_text("b5, white bishop: empty in")
    shown.locator("[data-role=other]").first.click()
    expect(board).to_be_hidden()


def test_replies_are_searched_and_shown_around_what_was_found(shown, tables):
    search = shown.locator("[data-role=search-replies]")
    search.fill("<B>needle")
    expect(shown.locator("[data-role=row]")).to_have_count(1)
    shown.locator("[data-role=row-open]").click()
    reply = shown.locator("[data-role=opened-reply]")
    expect(reply.locator("mark")).to_have_text("<b>Needle")
    expect(shown.locator("[data-role=opened-length]")).to_have_text(
        "The reply: 1,000,013 characters, characters 499,501 to 501,500 shown"
    )
    assert len(reply.text_content()) == 2002
    # In between no row is found, so that the one row of the next search is not that of the last.
    search.fill("no such text")
    expect(shown.locator("[data-role=nothing]")).to_be_visible()
    search.fill("onerror=")
    expect(shown.locator("[data-role=row]")).to_have_count(1)
    shown.locator("[data-role=row-open]").click()
    expect(reply).to_have_text(HOSTILE)
    expect_harmless(shown.page, shown)


def test_filters_by_wrong_field_and_flag_join_the_others(shown, tables):
    scores, _ = tables
    shown.locator("[data-role=filters] summary").click()
    fields = shown.locator("[data-role=filter-field]")
    side = scores["correct_side_to_move"].eq(False) & scores["levenshtein_to_empty"].eq(False)
    label = fields.locator("label").filter(has_text="side to move")
    expect(label).to_contain_text(str(side.sum()))
    label.locator("input").check()
    expect(shown.locator("[data-role=row]")).to_have_count(int(side.sum()))
    expect(shown.locator("[data-role=filters-chosen]")).to_have_text("(ticked: side to move)")
    shown.locator("[data-role=search]").fill("two")
    expect(shown.locator("[data-role=row]")).to_have_count(1)
    shown.locator("[data-role=clear-filters]").click()
    expect(label.locator("input")).not_to_be_checked()
    expect(shown.locator("[data-role=row]")).to_have_count(len(scores))
    expect(shown.locator("[data-role=filter-class]")).to_contain_text("without a FEN")


@pytest.mark.parametrize("kind", ["csv", "parquet", "fen", "true_fen"])
def test_the_rows_shown_are_downloaded(shown, tables, kind):
    scores, predictions = tables
    shown.locator("[data-role=search]").fill("spanish-")
    expect(shown.locator("[data-role=row]")).to_have_count(9)
    with shown.page.expect_download() as waiting:
        shown.locator(f"[data-role=export][data-file={kind}]").click()
    content = waiting.value.path().read_bytes()
    expect(shown.locator("[data-role=exported]")).to_contain_text("9 rows: selected_")
    chosen = scores["position_id"].str.startswith("spanish")
    if kind == "true_fen":
        assert content.decode().splitlines() == [RUY_LOPEZ]
    elif kind == "fen":
        lines = content.decode().splitlines()
        assert lines == scores["predicted_state"][chosen].dropna().tolist()
        assert BISHOP_ELSEWHERE in lines
    else:
        read = pd.read_csv if kind == "csv" else pd.read_parquet
        found = read(BytesIO(content))
        assert found["reply"].tolist() == predictions["reply"][chosen].tolist()
        np.testing.assert_array_equal(found["precision_3"], scores["precision_3"][chosen])


@pytest.fixture(scope="module")
def many():
    scores = made_by(RUN_ROWS, "scores")
    row = scores[scores["position_id"] == "spanish-1"]
    table = pd.concat([row] * 20_001, ignore_index=True)
    number = np.arange(len(table))
    table["position_id"] = [f"position-{each}" for each in number]
    table["model"] = np.where(number < 19_000, "first", "last")
    table["levenshtein"] = np.where(number < 20_000, number % 20, 30)
    table["precision_3"] = np.where(number < 20_000, 0.5, 0.9)
    return RunBrowser(table)


class TestManyMarks:
    """20,000 rows: columns of equal ones, a single row, and a group that comes last and covers nothing."""

    @pytest.fixture
    def dense(self, browser, many):
        many.table.show_all()
        many.table.opened = {}
        with widget_page(browser, [many.table], 1366, 768) as page:
            root = ready(page)
            expect(root.locator("[data-role=scatter]")).to_have_attribute("data-points", "20001")
            page.wait_for_timeout(200)
            yield root

    def colours(self, root):
        """How many coloured pixels of the canvas are nearer to each model's colour."""
        return root.evaluate(
            """root => {
                const canvas = root.querySelector('[data-role=scatter]');
                const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                const fills = ['first', 'last'].map(name => getComputedStyle(root.querySelector(
                    `[data-role=model][data-model=${name}] .rb-mark > *`)).stroke.match(/[0-9]+/g).map(Number));
                const counts = [0, 0];
                for (let at = 0; at < data.length; at += 4) {
                    const pixel = data.slice(at, at + 3);
                    if (data[at + 3] < 60 || Math.max(...pixel) - Math.min(...pixel) < 40) continue;
                    const far = fills.map(fill => Math.hypot(...fill.map((value, place) => value - pixel[place])));
                    counts[far[0] < far[1] ? 0 : 1] += 1;
                }
                return counts;
            }"""
        )

    def test_every_row_is_drawn(self, dense):
        canvas = dense.locator("[data-role=scatter]")
        expect(canvas).to_have_attribute("data-drawn", "20001")
        expect(dense.locator("[data-role=legend-entry]")).to_have_count(2)
        # 19 of 20 rows are of the first model: it is not covered by the last one.
        first, last = self.colours(dense)
        assert first > last > 0

    def test_only_what_is_drawn_is_in_the_legend(self, dense):
        dense.locator("[data-role=model][data-model=last]").click()
        expect(dense.locator("[data-role=scatter]")).to_have_attribute("data-points", "1001")
        expect(dense.locator("[data-role=legend-entry]")).to_have_text(["last"])

    def test_a_lasso_selects_what_lies_inside(self, dense):
        surface = dense.locator("[data-role=scatter-surface]")
        at = surface.evaluate("(surface, row) => surface.pointAt(row)", 20_000)
        mouse = dense.page.mouse
        mouse.move(at["x"] - 30, at["y"] - 30)
        mouse.down()
        for right, down in ((30, -30), (30, 30), (-30, 30), (-30, -20)):
            mouse.move(at["x"] + right, at["y"] + down, steps=3)
        mouse.up()
        expect(dense.locator("[data-role=row]")).to_have_count(1)
        clear = dense.locator("[data-role=lasso-clear]")
        expect(clear).to_have_text("\u00d7 Lasso: 1 row")
        clear.click()
        expect(dense.locator("[data-role=scatter]")).to_have_attribute("data-points", "20001")
        expect(clear).to_be_hidden()

    def test_zoom_by_button_wheel_and_key(self, dense):
        canvas = dense.locator("[data-role=scatter]")
        surface = dense.locator("[data-role=scatter-surface]")
        whole = dense.locator("[data-role=scatter-whole]")
        drawn = [20001]

        def fewer():
            expect(canvas).not_to_have_attribute("data-drawn", str(drawn[-1]))
            drawn.append(int(canvas.get_attribute("data-drawn")))
            assert drawn[-1] < drawn[-2]

        expect(whole).to_be_disabled()
        for _ in range(2):
            dense.locator("[data-role=zoom-in]").click()
        fewer()
        surface.focus()
        for _ in range(3):
            dense.page.keyboard.press("+")
        fewer()
        box = surface.bounding_box()
        scrolled = dense.page.evaluate("scrollY")
        dense.page.mouse.move(box["x"] + 60, box["y"] + 150)
        for _ in range(4):
            dense.page.mouse.wheel(0, -120)
        fewer()
        assert dense.page.evaluate("scrollY") == scrolled
        whole.click()
        expect(canvas).to_have_attribute("data-drawn", "20001")
        # Without the focus the wheel scrolls the page.
        dense.page.evaluate("document.activeElement.blur()")
        dense.page.mouse.wheel(0, 120)
        dense.page.wait_for_timeout(200)
        expect(canvas).to_have_attribute("data-drawn", "20001")

    def test_two_fingers_zoom_and_one_draws_a_lasso(self, browser, many):
        many.table.show_all()
        many.table.opened = {}
        with widget_page(browser, [many.table], 390, 844, touch=True) as page:
            root = ready(page)
            canvas = root.locator("[data-role=scatter]")
            surface = root.locator("[data-role=scatter-surface]")
            expect(canvas).to_have_attribute("data-drawn", "20001")
            surface.scroll_into_view_if_needed()
            box = surface.bounding_box()
            touch = page.context.new_cdp_session(page)

            def fingers(kind, *places):
                points = [
                    {"x": box["x"] + x, "y": box["y"] + y, "id": number}
                    for number, (x, y) in enumerate(places)
                ]
                touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

            fingers("touchStart", (150, 120))
            fingers("touchStart", (150, 120), (200, 120))
            for apart in range(0, 100, 10):
                fingers("touchMove", (150 - apart, 120), (200 + apart, 120))
            fingers("touchEnd")
            expect(root.locator("[data-role=scatter-whole]")).to_be_enabled()
            expect(canvas).not_to_have_attribute("data-drawn", "20001")
            root.locator("[data-role=scatter-whole]").tap()
            expect(canvas).to_have_attribute("data-drawn", "20001")

            corners = [(60, 20), (120, 20), (180, 20), (180, 200), (60, 200), (60, 40)]
            fingers("touchStart", corners[0])
            for corner in corners[1:]:
                fingers("touchMove", corner)
            fingers("touchEnd")
            expect(root.locator("[data-role=lasso-clear]")).to_be_visible()
            expect(canvas).not_to_have_attribute("data-points", "20001")
            assert len(many.table.lasso) == int(canvas.get_attribute("data-points"))

    def test_a_click_opens_the_rows_under_it_one_by_one(self, dense):
        surface = dense.locator("[data-role=scatter-surface]")
        opened = set()
        for _ in range(3):
            at = surface.evaluate("(surface, row) => surface.pointAt(row)", 20_000 - 17)
            dense.page.mouse.move(at["x"], at["y"])
            label = dense.locator("[data-role=point-label]")
            expect(label).to_contain_text("each click opens the next")
            before = dense.locator("[data-role=opened-title]").text_content()
            dense.page.mouse.click(at["x"], at["y"])
            expect(dense.locator("[data-role=opened-title]")).not_to_have_text(before)
            opened.add(dense.locator("[data-role=opened-title]").text_content())
        assert len(opened) == 3


def tap_or_click(locator, touch):
    locator.tap() if touch else locator.click()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_models_are_sorted_chosen_and_compared(browser, run, tables, width, height):
    scores, _ = tables
    touch = width < 500
    run.table.show_all()
    with widget_page(browser, [run.table], width, height, touch=touch) as page:
        root = ready(page)
        models = root.locator("[data-role=model]")
        expect(models).to_have_count(scores["model"].nunique())
        means = wb.summary(scores, "model", ["precision_3"]).set_index("model")["precision_3"]
        shown = [float(text) for text in root.locator("[data-role=model-mean]").all_text_contents()]
        np.testing.assert_allclose(shown, sorted(means, reverse=True), atol=6e-4)
        head = root.locator("[data-role=models-sort][data-by=name]")
        tap_or_click(head, touch)
        expect(root.locator("th[data-by=name]")).to_have_attribute("aria-sort", "ascending")
        names = [each.get_attribute("data-model") for each in models.all()]
        assert names == sorted(names)

        one, other = "o3-2025-04-16", "gpt-4o-2024-08-06"
        for name in (one, other):
            button = root.locator(f"[data-role=model][data-model='{name}']")
            tap_or_click(button, touch)
            expect(button).to_have_attribute("aria-pressed", "true")
        rows = root.locator("[data-role=row]")
        expect(rows).to_have_count(2)
        pair = root.locator("[data-role=pair-words]")
        expect(pair).to_contain_text("o3 less gpt-4o: p3")
        expect(pair).to_contain_text("on 1 common position")
        difference = means[one] - means[other]
        cells = root.locator("[data-role=row] td:nth-of-type(2)").all_text_contents()
        assert {float(text) for text in cells} == {round(difference, 4)}
        tap_or_click(root.locator("[data-role=pair-sort]"), touch)
        expect(root.locator("th[data-column=difference]")).to_have_attribute(
            "aria-sort", "descending"
        )
        scroller = root.locator("[data-role=scroller]")
        fits = scroller.evaluate("each => each.scrollWidth <= each.clientWidth")
        assert fits or width < 1366
        assert overflow(root) == []
        assert nameless(root) == []
        for theme in ("light", "dark"):
            set_theme(page, theme)
            assert too_faint(root) == []
            assert violations(root) == []
        tap_or_click(root.locator("[data-role=models-all]"), touch)
        expect(root.locator("[data-role=pair]")).to_be_hidden()
        expect(root.locator("th[data-column=difference]")).to_have_count(0)
        expect(rows).to_have_count(len(scores))


def test_models_are_chosen_by_keyboard(shown):
    first = shown.locator("[data-role=model]").first
    first.focus()
    shown.page.keyboard.press("ArrowDown")
    second = shown.locator("[data-role=model]").nth(1)
    expect(second).to_be_focused()
    shown.page.keyboard.press("Space")
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(second).to_be_focused()
    shown.page.keyboard.press("Enter")
    expect(second).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_next_stays_under_the_pointer(browser, run, width, height):
    with widget_page(browser, [run.table], width, height, touch=width < 500) as page:
        root = ready(page)
        root.locator("[data-role=row-open]").first.click()
        expect(root.locator("[data-role=place]")).to_contain_text("1 of")
        page.wait_for_timeout(300)
        following = root.locator("[data-role=next]")
        places = []
        for number in range(2, 9):
            box = following.bounding_box()
            places.append((box["x"], box["y"]))
            page.mouse.click(box["x"] + 20, box["y"] + 10)
            expect(root.locator("[data-role=place]")).to_contain_text(f"{number} of")
        assert len(set(places)) == 1


@pytest.mark.parametrize("width", [1180, 1366])
def test_what_a_row_is_needs_no_sideways_scrolling(browser, run, width):
    """The position, p_m beside it, r_m, edit distance, model and class, with a reply open."""
    with widget_page(browser, [run.table], width, 768) as page:
        root = ready(page)
        heads = root.locator("[data-role=table] thead th")
        names = [each.get_attribute("data-column") for each in heads.all()][:6]
        assert names == [
            "position_id", "precision", "recall", "edit_distance", "model", "reply_class",
        ]  # fmt: skip
        root.locator("[data-role=row-open]").first.click()
        expect(root.locator("[data-role=opened-title]")).to_be_visible()
        scroller = root.locator("[data-role=scroller]").bounding_box()
        for head in heads.all()[:6]:
            box = head.bounding_box()
            assert box["x"] + box["width"] <= scroller["x"] + scroller["width"] + 1
