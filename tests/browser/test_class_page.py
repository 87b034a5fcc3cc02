"""The page of a class: axe, both themes, a desktop's window and a phone's."""

import pytest

from workbench.front_door.class_answers import class_answers, class_page
from workbench.headless.class_lessons import write_lessons

from .accessibility import violations
from .lab_page import PHONE, WIDE


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    write_lessons(folder / "copies")
    (folder / "copies" / ("a long name " * 15 + ".ipynb")).write_text("{")
    page = folder / "answers.html"
    page.write_text(class_page(*class_answers(folder / "copies")), encoding="utf-8")
    return page.as_uri()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("window", [WIDE, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_and_only_tables_scroll_sideways(browser, address, theme, window):
    context = browser.new_context(viewport=window, color_scheme=theme)
    page = context.new_page()
    page.goto(address)
    for summary in page.locator("summary").all():
        summary.press("Enter")
    assert page.locator("details[open]").count() == 3
    assert violations(page.locator("html")) == []
    assert page.evaluate("document.documentElement.scrollWidth") == window["width"]
    context.close()
