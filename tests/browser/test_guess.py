"""Guess: by mouse, keyboard and touch; nothing shown before; and what waits for it in JupyterLab."""

import pytest
from playwright.sync_api import expect

from workbench.explore.lesson.lesson_questions import ChoiceQuestion, NumberQuestion
from workbench.explore.lesson.lesson_record import Lesson

from .accessibility import violations
from .lab_page import PHONE, save_notebook
from .test_kernel_status import JUPYTERLAB_ITSELF, KERNEL
from .widget_alone import set_theme, widget_page
from .widget_pages import nameless, overflow, too_faint

HOSTILE = "<img src=x onerror=window.pwned=1> {{7*7}}"

LESSON = """
from IPython.display import Markdown
from matplotlib.figure import Figure
from workbench.explore import BoardPair
from workbench.explore.lesson.lesson_questions import NumberQuestion
from workbench.explore.lesson.lesson_record import Lesson
from workbench.drawing.appearance import still
questions = [NumberQuestion("share", "How much is it?", 0.25, because="A quarter.")]
lesson = Lesson(questions, []).continued(globals().get("lesson"))
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""


@pytest.fixture
def lesson():
    """A share, a choice and a count."""
    choices = ("none at all", HOSTILE, "as many as there are, and some more " * 4)
    return Lesson(
        [
            NumberQuestion("share", "Which share?", 0.25, because=f"A quarter. {HOSTILE}"),
            ChoiceQuestion("choice", "Which one?", choices, "b", because="It is."),
            NumberQuestion("count", "How many?", 9604, near=1.5, low=1, high=float("inf"), digits=0),
        ],
        [],
    )  # fmt: skip


def widgets(lesson):
    return [lesson.guess(name) for name in ("share", "choice", "count")]


def roots(page):
    found = page.locator("[data-role=guess]")
    expect(found).to_have_count(3)
    return [found.nth(index) for index in range(3)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_before_and_after(browser, lesson, theme):
    with widget_page(browser, widgets(lesson), 1280, 900) as page:
        set_theme(page, theme)
        for guess in ("0.3", "b", "9000"):
            root = roots(page)[("0.3", "b", "9000").index(guess)]
            assert violations(root) == []
            assert nameless(root) == []
            assert too_faint(root) == []
            if guess == "b":
                root.locator("[data-role=choice][value=b]").check()
            else:
                root.locator("[data-role=number]").fill(guess)
            root.locator("[data-role=submit]").click()
            expect(root).to_have_attribute("data-state", "made")
            assert violations(root) == []
            assert too_faint(root) == []
            assert overflow(root) == []


def test_by_keyboard_alone(browser, lesson):
    with widget_page(browser, widgets(lesson), 1280, 900) as page:
        share, choice, count = roots(page)
        press = page.keyboard.press
        assert "0.25" not in page.content()
        share.locator("[data-role=number]").focus()
        press("Enter")
        expect(share.locator("[data-role=error]")).to_have_text("Enter a number from 0 to 1 first.")
        page.keyboard.type("1/4")
        expect(share.locator("[data-role=slider]")).to_have_value("0.25")
        press("Enter")
        outcome = share.locator("[data-role=outcome]")
        expect(outcome).to_be_focused()
        expect(outcome).to_contain_text("You guessed: 0.25. The answer: 0.250. 2 of 2 points.")
        expect(share.locator("[data-role=error]")).to_be_empty()
        expect(choice.locator("[data-role=score]")).to_have_text(
            "Score: 2 of 2 points; 1 of 3 guesses made."
        )
        press("Tab")
        press("Space")
        press("ArrowDown")
        expect(choice.locator("[data-role=choice]").nth(1)).to_be_checked()
        press("Tab")
        press("Enter")
        expect(choice).to_have_attribute("data-state", "made")
        press("Tab")
        page.keyboard.type("20,000")
        press("Tab")
        press("Space")
        expect(count.locator("[data-role=outcome]")).to_contain_text(
            "You guessed: 20,000. The answer: 9,604. 1 of 2"
        )
        expect(share.locator("[data-role=score]")).to_have_attribute("data-points", "5")
        assert page.evaluate("() => window.pwned") is None
        assert page.locator("img").count() == 0
    assert [lesson.guess(name).outcome["guess"] for name in ("share", "choice", "count")] == [
        0.25, "b", 20000,
    ]  # fmt: skip


def test_a_guess_is_still_there_when_it_is_shown_again(browser, lesson):
    for name, given in (("share", 0.3), ("choice", "c"), ("count", 9000)):
        lesson.guess(name).make(given)
    with widget_page(browser, widgets(lesson), 1280, 900) as page:
        share, choice, count = roots(page)
        expect(share.locator("[data-role=number]")).to_have_value("0.3")
        expect(share.locator("[data-role=slider]")).to_have_value("0.3")
        expect(choice.locator("[data-role=choice]").nth(2)).to_be_checked()
        expect(count.locator("[data-role=number]")).to_have_value("9000")


def test_by_finger_on_a_phone(browser, lesson):
    with widget_page(browser, widgets(lesson), PHONE["width"], PHONE["height"], touch=True) as page:
        share, choice, count = roots(page)
        slider = share.locator("[data-role=slider]")
        box = slider.bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
        assert 0.2 < float(share.locator("[data-role=number]").input_value()) < 0.3
        share.locator("[data-role=submit]").tap()
        expect(share).to_have_attribute("data-state", "made")
        choice.get_by_text("none at all").tap()
        choice.locator("[data-role=submit]").tap()
        expect(choice.locator("[data-role=outcome]")).to_have_attribute("data-points", "0")
        for root in (share, choice, count):
            assert overflow(root) == []
        for control in page.locator("button, .ws-choice, [data-role=slider]").all():
            if control.is_visible():
                assert control.bounding_box()["height"] >= 24
    assert lesson.guess("share").made


def test_what_waits_for_a_guess_is_shown_in_its_place(lab, server):
    """A text, a widget and a picture: after Run All nothing, after the guess all, and in the saved cells.

    The summary follows the guess, and a second Run All keeps it.
    """
    path = save_notebook(
        server.folder,
        "a_lesson",
        LESSON,
        'lesson.guess("share")',
        'lesson.after("share", show=Markdown("**revealed**"))',
        'lesson.after("share", show=BoardPair(START, START, depth=1))',
        'lesson.after("share", show=still(Figure(figsize=(2, 1)), "a \\"plain\\" picture"))',
        "lesson.live_summary()",
    )
    with lab.notebook(path) as notebook:
        root = notebook.widget("guess")
        panel = lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        expect(panel.get_by_text("Shown here after 1 guess above.")).to_have_count(3)
        expect(panel.get_by_text("revealed", exact=True)).to_have_count(0)
        expect(panel.get_by_role("cell", name="not guessed")).to_be_visible()
        root.locator("[data-role=number]").fill("0.5")
        root.locator("[data-role=number]").press("Enter")
        expect(root.locator("[data-role=because]")).to_have_text("A quarter.")
        expect(panel.get_by_text("revealed", exact=True)).to_be_visible()
        expect(notebook.widget("board-pair")).to_be_visible()
        expect(panel.get_by_alt_text('a "plain" picture')).to_be_visible()
        expect(panel.get_by_text("Shown here after")).to_have_count(0)
        assert "**revealed**" in str(notebook.cells()[2]["outputs"])
        expect(panel.get_by_role("cell", name="0 of 2 points")).to_be_visible()
        # The HTML for a page without a kernel follows a moment later.
        lab.page.wait_for_function(
            """path => JSON.stringify(
                [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)
                    .content.model.cells.get(1).toJSON().outputs).includes('A quarter.')""",
            arg=path,
        )
        notebook.run_all()
        expect(root.locator("[data-role=because]")).to_have_text("A quarter.")
        expect(panel.get_by_text("revealed", exact=True)).to_be_visible()
        expect(panel.get_by_text("Shown here after")).to_have_count(0)
        expect(panel.get_by_role("cell", name="0 of 2 points")).to_be_visible()


def test_guesses_come_back_after_a_restart_of_the_kernel(lab, server):
    """From the file beside the notebook; and to start over is one line."""
    path = save_notebook(server.folder, "a restart", LESSON, 'lesson.guess("share")')
    with lab.notebook(path) as notebook:
        root = notebook.widget("guess")
        root.locator("[data-role=number]").fill("0.5")
        root.locator("[data-role=submit]").click()
        expect(root).to_have_attribute("data-state", "made")
        lab.page.evaluate(KERNEL, [path, "restart"])
        expect(root.locator("[data-role=kernel]")).to_contain_text("Stored guesses come back.")
        notebook.run_all()
        root = notebook.widget("guess")
        expect(root.locator("[data-role=outcome]")).to_contain_text("You guessed: 0.5.")
        said = "Guesses of an earlier session that are back: 1; to start over, run"
        expect(lab.page.get_by_text(said)).to_be_visible()
        notebook.execute("lesson.start_over()")
        notebook.run_all()
        expect(notebook.widget("guess")).not_to_have_attribute("data-state", "made")
        expect(notebook.widget("guess").locator("[data-role=submit]")).to_be_enabled()
    lab.errors[:] = [error for error in lab.errors if not JUPYTERLAB_ITSELF.search(error)]
