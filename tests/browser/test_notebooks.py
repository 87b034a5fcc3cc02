"""The explorers' notebooks as a new user meets them: opened, run from top to bottom, read."""

from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view

from .widget_pages import expect_profile, expect_quiet


def pictures(notebook):
    """Return for each code cell whether its outputs have a widget, and whether a picture."""
    for cell in notebook.cells():
        kinds = {kind for output in cell.get("outputs", []) for kind in output.get("data", {})}
        yield "application/vnd.jupyter.widget-view+json" in kinds, "image/png" in kinds


def expect_stills(notebook):
    """Check that every cell with a widget is followed by one with a static picture."""
    found = list(pictures(notebook))
    widgets = [index for index, (widget, _) in enumerate(found) if widget]
    assert widgets
    for index in widgets:
        assert found[index + 1][1], f"no picture after cell {index} of {notebook.path}"


def expect_pair(notebook, root, name):
    """Check that a pair shows the numbers of the boards that its kernel holds."""
    boards = eval(notebook.execute(f"print({name}.boards())"))
    expect_profile(root, pair_view(*boards, ExplorerSettings(4)))
    expect_quiet(root)


def test_start_here(lab):
    with lab.notebook("notebooks/00_start_here.ipynb") as notebook:
        expect_stills(notebook)
        expect_pair(notebook, notebook.widget("board-pair"), "pair")


def test_explore_board_pair(explorer):
    expect_stills(explorer)
    panel = explorer.lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    expect(panel.locator(".world-state")).to_have_count(4)
    expect_pair(explorer, panel.locator("[data-role=board-pair]").nth(1), "kingless")
