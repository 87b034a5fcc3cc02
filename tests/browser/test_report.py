"""The page of a report in the browser: what opens, fits, and can be read by all."""

import pytest
from playwright.sync_api import expect

from workbench.reports.chapters import ReportedRun
from workbench.reports.report_page import write_report
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.studies.study_scores import with_games

from .accessibility import violations
from .lab_page import PATIENCE, PHONE, WIDE

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>$x$"


@pytest.fixture
def address(tmp_path, predictions):
    named = predictions.assign(model=HOSTILE)
    scores = score(named, ScoringParameters(depth=2))
    run = ReportedRun("a run", with_games(scores, named), named)
    return write_report([run], tmp_path, resamples=50)[0].as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_fits_and_opens_its_pairs(browser, address, scheme):
    context = browser.new_context(
        viewport=WIDE, color_scheme=scheme, offline=True, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    wrong, asked = [], []
    try:
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        assert violations(page.locator("html")) == []
        expect(page.locator("#pair-section")).to_be_hidden()
        folded = page.locator("details pre").first
        expect(folded).to_be_hidden()
        page.emulate_media(media="print")
        expect(folded).to_be_hidden()
        expect(page.get_by_text("Headline numbers, means over replies")).to_be_visible()
        page.emulate_media(media="screen")
        page.get_by_label("Print what is folded below").check()
        page.emulate_media(media="print")
        expect(page.get_by_text("The lowest")).to_be_visible()
        page.emulate_media(media="screen")
        for each in page.locator("details > summary").all():
            if each.is_visible():
                each.click()
        assert violations(page.locator("html")) == []
        number = page.locator("[data-measure=precision][data-depth='1']")
        before = number.inner_text()
        square = page.locator("#example [data-look=predicted] [data-square=e2]").last
        square.focus()
        square.press("Delete")
        expect(number).not_to_have_text(before)
        page.get_by_label("Measure").select_option(label="edit distance")
        expect(page.locator(".forest").first).to_have_attribute("data-quantity", "edit-distance")
        page.get_by_role("link", name="Open this pair").first.click()
        shown = page.locator("[data-role=board-pair]")
        expect(shown.locator("[data-role=numbers]")).to_have_attribute("data-state", "fresh")
        assert shown.locator("[data-role=fen]").first.input_value().startswith("rnbqkbnr/pppp")
        page.evaluate("location.hash = 'true=<b>&predicted=8/8'")
        expect(page.locator("#pair-refusal")).to_contain_text("names no pair of boards")
        expect(shown).to_have_count(0)
        page.set_viewport_size(PHONE)
        wider = "document.documentElement.scrollWidth - innerWidth"
        assert page.evaluate(wider) <= 0
    finally:
        context.close()
    assert wrong == []
    assert {url.partition("#")[0] for url in asked if not url.startswith(("blob:", "data:"))} == {
        address
    }


LEVELS = """() => [...document.querySelectorAll('.forest tr[data-model]')].map((row) => {
  const name = document.createRange();
  name.selectNodeContents(row.cells[0]);
  const middle = ({ top, bottom }) => (top + bottom) / 2;
  return middle(row.querySelector('circle').getBoundingClientRect()) - middle(name.getClientRects()[0]);
})"""
GAPS = """() => {
  const texts = [...document.querySelectorAll('.forest:not([hidden]) [data-role=axis] text')];
  const places = texts.map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0);
  return places.slice(1).map(({ left }, place) => left - places[place].right);
}"""


@pytest.mark.parametrize("window", [WIDE, PHONE])
def test_marks_are_level_with_their_rows_and_labels_apart(browser, address, window):
    page = browser.new_page(viewport=window)
    page.set_default_timeout(PATIENCE)
    try:
        page.goto(address)
        expect(page.locator("[data-switch=measure]").first).to_be_visible()
        levels = page.evaluate(LEVELS)
        assert levels
        assert max(map(abs, levels)) <= 1
        gaps = page.evaluate(GAPS)
        assert len(gaps) >= 2
        assert min(gaps) >= 8
    finally:
        page.close()


def test_a_cause_opens_its_boards(browser, address):
    page = browser.new_page(viewport=WIDE)
    page.set_default_timeout(PATIENCE)
    try:
        page.goto(address)
        page.get_by_text("Why the boards are wrong").click()
        causes = page.locator("#chapter-1-causes")
        cause = causes.locator("details[id^=chapter-1-cause-]", has=page.locator(".pair")).first
        cause.locator("summary").first.click()
        expect(cause.get_by_role("img", name="True board")).to_be_visible()
        causes.locator("td a[href^='#true=']").last.click()
        shown = page.locator("[data-role=board-pair]")
        expect(shown.locator("[data-role=numbers]")).to_have_attribute("data-state", "fresh")
    finally:
        page.close()
