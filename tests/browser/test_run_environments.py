"""RunBrowser on runs of other environments than chess: pictures or texts of the states, with Python and without."""

from itertools import islice

import nbformat
import pandas as pd
import pytest
from playwright.sync_api import expect

import workbench as wb
from workbench.environments.registry import environment_named, environment_names
from workbench.explore.notebook_export import LivePairs
from workbench.explore.run.run_browser import RunBrowser

from .accessibility import violations
from .lab_page import PHONE, WIDE
from .test_exported_notebook import notebook
from .test_page_without_python import opened
from .widget_alone import set_theme, widget_page
from .widget_pages import overflow

NAMES = [name for name in environment_names() if name != "chess"]


def run_of(name):
    """Two models' replies to three positions, one of which is wrong, and one without a state."""
    environment = environment_named(name)
    rows = []
    for number, episode in enumerate(islice(environment.episodes(5, 0), 3)):
        reply = environment.track(episode.initial, episode.actions, rate=number / 2, seed=number)
        rows.append({"true_state": episode.true, "reply": reply, "model": "one"})
    frame = pd.DataFrame([*rows, *({**row, "model": "other"} for row in rows)])
    frame.loc[0, "reply"] = "I cannot say."
    return RunBrowser(wb.score(frame, name, depth=2))


@pytest.mark.parametrize("name", NAMES)
def test_a_row_opens_with_its_states(browser, name):
    run, environment = run_of(name), environment_named(name)
    noun = environment.state_noun
    with widget_page(browser, [run.table, run.pair], WIDE["width"], WIDE["height"]) as page:
        root = page.locator("[data-role=run-browser]")
        rows = root.locator("[data-role=row]")
        for row in (2, 0):
            rows.nth(row).click()
            true = root.locator("[data-role=opened-true]")
            expect(true.locator("h4")).to_have_text(f"True {noun}")
            expect(true.locator("code")).to_contain_text(
                run.table.opened["true_fen"].split("\n")[0]
            )
            picture = true.locator("[data-role=state-picture]")
            if run.table.opened["true_picture"]:
                expect(picture).to_be_visible()
                assert (
                    picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
                )
            else:
                expect(picture).to_be_hidden()
            predicted = root.locator("[data-role=opened-predicted]")
            expect(predicted).to_contain_text(f"no {noun}" if row == 0 else "differ")
        expect(root.locator("[data-role=error]")).to_have_text("")
        root.locator("[data-role=other]").first.click()
        expect(root.locator("[data-role=beside-boards]")).to_be_visible()
        expect(root.locator("[data-role=all-replies]")).to_be_hidden()
        expect(root.locator("[data-role=distance] option")).to_have_count(1)
        expect(root.locator("[data-role=export][data-file=fen]")).to_be_hidden()
        assert overflow(root) == []
        for theme in ("light", "dark"):
            set_theme(page, theme)
            assert violations(root) == []


@pytest.mark.parametrize("window", [WIDE, PHONE], ids=["wide", "phone"])
def test_an_exported_run_shows_states_as_text(browser, tmp_path, window):
    run = run_of("sokoban")
    path = tmp_path / "run.ipynb"
    nbformat.write(notebook(run), path)
    text, _ = LivePairs().from_filename(str(path))
    path.with_suffix(".html").write_text(text, encoding="utf-8")
    with opened(browser, path.with_suffix(".html").as_uri(), window, blocked=True) as (page, _root):
        root = page.locator("[data-role=run-browser]")
        root.locator("[data-role=row]").nth(2).click()
        for side, state in (("true", "true_state"), ("predicted", "predicted_state")):
            column = root.locator(f"[data-role=opened-{side}]")
            expect(column.locator("h4")).to_have_text(f"{side.capitalize()} map")
            shown = column.locator("code").evaluate("code => code.textContent")
            assert shown == run.table.run.rows[state][2]
            expect(column.locator("[data-role=no-board]")).to_be_hidden()
        root.locator("[data-role=row]").nth(0).click()
        expect(root.locator("[data-role=opened-predicted]")).to_contain_text("no map")
        expect(root.locator("[data-role=error]")).to_have_text("")
        assert violations(root) == []
