"""The four widgets where no kernel runs: their last answers are there, numbers included."""

import re

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from workbench.explore import BoardPair
from workbench.explore.estimator_lab import EstimatorLab
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.game_tracker import GameTracker
from workbench.explore.pair.pair_view import pair_view

from .lab_page import save_notebook
from .widget_pages import (
    BISHOP_ELSEWHERE,
    RUN_ROWS,
    RUY_LOPEZ,
    expect_number,
    expect_profile,
    made_by,
    number,
    square,
    wait,
)

MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6"
DEPTH = 3
FOUR = (
    "from workbench.explore import BoardPair, EstimatorLab, GameTracker, RunBrowser\n"
    f"pair = BoardPair({RUY_LOPEZ!r}, {BISHOP_ELSEWHERE!r}, {DEPTH})\npair",
    f"lab = EstimatorLab(pair, depth={DEPTH}, samples=100, repeats=30)\nlab",
    f"{RUN_ROWS}\nbrowser = RunBrowser(scores, predictions)\nbrowser",
    f"tracker = GameTracker.simulated({MOVES!r}, rate=0.2, seed=1)\ntracker",
)
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"


@pytest.fixture(scope="module")
def saved(opened_lab, server):
    """A notebook whose widgets were used and which was saved, and what they showed at the end."""
    path = save_notebook(server.folder, "four", *FOUR)
    with opened_lab.notebook(path) as notebook:
        pair = notebook.widget("board-pair")
        wait(pair, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        board = pair.locator("[data-role=board][data-look=predicted]")
        board.locator("[data-square=a4]").focus()
        opened_lab.page.keyboard.press("Delete")
        fens = (RUY_LOPEZ, BISHOP_ELSEWHERE.replace("B3P3", "4P3"))
        expect_profile(pair, pair_view(*fens, ExplorerSettings(DEPTH)))
        wait(pair, "[data-role=lost]", "element.dataset.state === 'fresh'")
        lab = notebook.widget("estimator-lab")
        lab.get_by_role("button", name="Start").click()
        expect(lab).to_have_attribute("data-state", "done")
        notebook.widget("run-browser").locator("[data-role=row-open]").nth(3).click()
        expect(notebook.widget("run-browser").locator("[data-role=opened-title]")).to_contain_text(
            "spanish-1"
        )
        notebook.widget("game-tracker").get_by_role("button", name="Last position").click()
        # What is saved follows the widgets after a rest.
        opened_lab.page.wait_for_function(
            """number => {
                const stills = document.querySelectorAll(
                    '.jp-NotebookPanel:not(.lm-mod-hidden) [data-still-of]');
                const texts = [...stills].map(e => e.textContent);
                return texts.length === 4 && texts[0].includes(number)
                    && texts[1].includes('stratified') && texts[2].includes('Open: ');
            }""",
            arg=f"{pair_view(*fens, ExplorerSettings(DEPTH))['profile']['recall'][-1]['value']:.4f}",
        )
        stills = opened_lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) [data-still-of]")
        expect(stills).to_have_count(4)
        for still in stills.all():
            expect(still).to_be_hidden()
        opened_lab.page.evaluate(SAVE)
    return server.folder / path, fens


def texts_of(page):
    return [each.inner_text() for each in page.locator("[data-still-of]").all()]


def expect_last_answers(texts, fens):
    """Check the numbers of the four widgets' HTML against the package's own."""
    pair, lab, browser, tracker = texts
    profile = pair_view(*fens, ExplorerSettings(DEPTH))["profile"]
    for name in ("precision", "recall"):
        for entry in profile[name]:
            assert f"{entry['value']:.4f}" in pair
    same = EstimatorLab(
        true_fen=fens[0], predicted_fen=fens[1], depth=DEPTH, samples=100, repeats=30
    )
    assert f"p{DEPTH} = {same.reference().value:.6g}, exact." in lab
    for row in same.summary().to_dict("records"):
        assert f"{row['mean']:.4g}" in lab
    scores = made_by(RUN_ROWS, "scores")
    assert f"{len(scores)} of {len(scores)} rows" in browser
    for value in scores["precision_3"]:
        assert f"{value:.4f}" in browser
    assert "Open: by hand on spanish-1" in browser
    replies = GameTracker.simulated(MOVES, rate=0.2, seed=1).replies
    for value in replies["precision_4"]:
        assert f"{value:.4f}" in tracker
    assert "5... d6" in tracker


@pytest.mark.parametrize("with_state", [True, False], ids=["widget state saved", "not saved"])
def test_exported_html_shows_all_four_without_network(browser, saved, tmp_path, with_state):
    path, fens = saved
    notebook = nbformat.read(path, as_version=4)
    assert "widgets" in notebook.metadata
    if not with_state:
        del notebook.metadata["widgets"]
    exported = tmp_path / "four.html"
    exported.write_text(HTMLExporter().from_notebook_node(notebook)[0])
    context = browser.new_context()
    page = context.new_page()
    # Chromium's rules let no name be resolved; this spares the wait.
    page.route(re.compile("^https?:"), lambda route: route.abort())
    page.goto(exported.as_uri())
    expect(page.locator("[data-still-of]")).to_have_count(4)
    for still in page.locator("[data-still-of]").all():
        expect(still).to_be_visible()
    expect_last_answers(texts_of(page), fens)
    assert (
        page.locator("[data-still-of] img").evaluate_all(
            "images => images.map(image => image.complete && image.naturalWidth > 0)"
        )
        == [True] * 8
    )
    assert page.evaluate("() => window.pwned") is None
    context.close()


def test_saved_notebook_shows_all_four_widgets(lab, saved):
    """The widgets themselves, from their saved state: the new kernel has run nothing."""
    path, fens = saved
    with lab.notebook(path.name, run=False) as notebook:
        pair = notebook.widget("board-pair")
        expect_profile(pair, pair_view(*fens, ExplorerSettings(DEPTH)))
        expect(pair.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
        shown = notebook.widget("estimator-lab")
        same = EstimatorLab(
            true_fen=fens[0], predicted_fen=fens[1], depth=DEPTH, samples=100, repeats=30
        )
        expect_number(shown, "[data-role=reference]", same.reference().value)
        for row in same.summary().to_dict("records"):
            mean = shown.locator(f"tr[data-method={row['method']}] [data-cell=mean]")
            assert number(mean) == pytest.approx(row["mean"], rel=1e-9)
        rows = notebook.widget("run-browser")
        # A cell that JupyterLab has not laid out yet has no height, and its table only what it keeps spare.
        rows.evaluate("element => element.closest('.jp-Cell').scrollIntoView()")
        expect(rows.locator("[data-role=row]")).to_have_count(11)
        expect(rows.locator("[data-role=model]")).to_have_count(2)
        expect(rows.locator("[data-role=scatter]")).to_have_attribute(
            "data-drawn", re.compile("[1-9]")
        )
        expect(rows.locator("[data-role=opened-title]")).to_contain_text("spanish-1")
        tracker = notebook.widget("game-tracker")
        replies = GameTracker.simulated(MOVES, rate=0.2, seed=1).replies
        assert number(tracker.locator("[data-fact=precision]")) == replies["precision_4"].iloc[-1]
        tracker.get_by_role("button", name="First position").click()
        expect(square(tracker, "true", "e2")).to_have_attribute("aria-label", "e2, white pawn")
        assert notebook.execute("print('pair' in globals())") == "False\n"


@pytest.mark.parametrize(
    ("place", "visible"),
    [
        ("Loading widget...", False),
        ("Error displaying widget: model not found", False),
        ("<div>a widget that runs</div>", True),
    ],
)
def test_the_last_answer_hides_what_jupyterlab_says_in_place_of_a_widget(browser, place, visible):
    """The elements are those in which JupyterLab shows a cell with the two outputs."""
    pair = BoardPair(RUY_LOPEZ, BISHOP_ELSEWHERE, DEPTH)
    pair.prepare_still()
    child = (
        '<div class="lm-Panel jp-OutputArea-child"><div class="jp-OutputPrompt"></div>'
        '<div class="lm-Widget jp-OutputArea-output">{}</div></div>'
    )
    page = browser.new_page()
    page.set_content(child.format(place) + child.format(pair._still_bundle()["text/html"]))
    expect(page.locator("[data-still-of]")).to_be_visible()
    assert page.locator(".jp-OutputArea-output").first.is_visible() is visible
    page.close()
