"""What BoardPair says beside its numbers while the kernel computes, and when it is gone."""

import re

import pytest
from playwright.sync_api import expect

from .lab_page import FIND, save_notebook
from .widget_pages import RUN_ROWS, bring_up, drag, out_of_view, square, wait

PAIR = "from workbench.explore import BoardPair\npair = BoardPair(depth=2)\npair"
JUPYTERLAB_ITSELF = re.compile(r"Canceled future|404 \(Not Found\).*/api/sessions/")
"""What JupyterLab reports on the console when a kernel ends."""
KERNEL = f"async ([path, act]) => {{ {FIND} await panel.sessionContext.session.kernel[act](); }}"


@pytest.fixture
def notebook(lab, server):
    with lab.notebook(save_notebook(server.folder, "kernel_status", PAIR)) as opened:
        yield opened
    lab.errors[:] = [error for error in lab.errors if not JUPYTERLAB_ITSELF.search(error)]


@pytest.fixture
def root(notebook):
    found = notebook.widget("board-pair")
    expect(found.locator("[data-role=numbers]")).to_have_attribute("data-state", "fresh")
    return found


def test_computing_is_said_at_the_numbers_and_only_while_it_lasts(lab, server, notebook, root):
    said = notebook.execute(
        "import os, time\n"
        "import workbench.explore.pair.board_pair as module; whole = module.compare_answer\n"
        "def held(*arguments):\n"
        "    while not os.path.exists('go_on'): time.sleep(0.01)\n"
        "    return whole(*arguments)\n"
        "module.compare_answer = held"
    )
    assert said == ""
    status = root.locator("[data-role=verdict] [data-role=status]")
    bring_up(root)
    drag(lab.page, square(root, "predicted", "e2"), square(root, "predicted", "g3"))
    expect(status).to_have_text("Computing …")
    expect(root.locator("[data-role=verdict]")).to_have_attribute("data-state", "stale")
    assert out_of_view(root, "[data-role=status]", "[data-role=board]") == []
    expect(status).to_contain_text("No answer from the kernel for 5 seconds")
    (server.folder / "go_on").touch()
    expect(root.locator("[data-role=verdict]")).to_have_attribute("data-state", "fresh")
    expect(status).to_have_text("Predicted board: white knight from e2 to g3.")


@pytest.mark.parametrize("act", ["restart", "shutdown"])
def test_a_kernel_that_is_gone_is_said_at_the_numbers(lab, notebook, root, act):
    lab.page.evaluate(KERNEL, [notebook.path, act])
    if act == "shutdown":  # Nothing tells the page: it finds out when it asks.
        drag(lab.page, square(root, "predicted", "e2"), square(root, "predicted", "g3"))
    expect(root.locator("[data-role=verdict] [data-role=status]")).to_have_text(
        re.compile("^The kernel is gone: run the cell again")
    )
    if act == "restart":
        drag(lab.page, square(root, "predicted", "e2"), square(root, "predicted", "g3"))
    expect(square(root, "predicted", "g3")).to_have_attribute("data-piece", "N")
    expect(root.locator("[data-role=verdict]")).to_have_attribute("data-state", "stale")


OTHERS = {
    "estimator-lab": "from workbench.explore import BoardPair, EstimatorLab\n"
    "shown = EstimatorLab(BoardPair(), depth=2, repeats=10_000)\nshown",
    "game-tracker": "from workbench.explore import GameTracker\n"
    "shown = GameTracker.simulated('1. e4 e5 2. Nf3', depth=1)\nshown",
    "run-browser": f"{RUN_ROWS}\nfrom workbench.explore import RunBrowser\n"
    "shown = RunBrowser(scores, predictions)\nshown",
}
OTHERS["guess"] = (
    "from workbench.explore.lesson.lesson_questions import NumberQuestion\n"
    "from workbench.explore.lesson.lesson_record import Lesson\n"
    "Lesson([NumberQuestion('share', 'What share?', 0.5)], []).guess('share')"
)
NUMBERS = {
    "guess": "[data-role=submit]",
    "estimator-lab": "[data-role=reference]",
    "game-tracker": "[data-role=numbers]",
    "run-browser": "[data-role=counts]",
}


@pytest.fixture(scope="module")
def others(opened_lab, server):
    with opened_lab.notebook(save_notebook(server.folder, "others", *OTHERS.values())) as opened:
        yield opened
    opened_lab.errors[:] = [
        error for error in opened_lab.errors if not JUPYTERLAB_ITSELF.search(error)
    ]


def test_a_kernel_that_is_gone_is_said_at_the_numbers_of_all_others(lab, others):
    """Directly above or below them; and a run of the lab is stopped, with its runs kept."""
    others.show()
    running = others.widget("estimator-lab")
    running.get_by_role("button", name="Start").click()
    wait(running, "[data-cell=runs]", "Number(element.dataset.value) > 0")
    for role in OTHERS:
        expect(others.widget(role).locator("[data-role=kernel]")).to_be_hidden()
    lab.page.evaluate(KERNEL, [others.path, "restart"])
    for role, numbers in NUMBERS.items():
        root = others.widget(role)
        note = root.locator("[data-role=kernel]")
        gone = "The kernel is gone: run the cell again."
        if role == "guess":
            gone = "The kernel was restarted or shut down: run all cells again. Stored guesses come back."
        expect(note).to_have_text(gone)
        expect(note).to_be_visible()
        box, beside = note.bounding_box(), root.locator(numbers).bounding_box()
        between = max(box["y"], beside["y"]) - min(
            box["y"] + box["height"], beside["y"] + beside["height"]
        )
        assert between < 40, (role, box, beside)
    expect(running).to_have_attribute("data-state", "stopped")
