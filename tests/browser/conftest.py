"""One JupyterLab and one chromium for all tests of this folder that a process runs.

Fixtures of the package's scope: Playwright's event loop runs in the test's thread, and tests of
other folders in the same process that start one of their own would fail while it does.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .lab_page import PATIENCE, WIDE, chromium, chromium_path, lab_page
from .lab_server import lab_server

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="package")
def browser():
    if chromium_path() is None:
        reason = "no chromium on this machine (Debian and Ubuntu: apt-get install chromium)"
        if os.environ.get("WORKBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(f"WORKBENCH_REQUIRE_BROWSER=1, but there is {reason}")
        pytest.skip(reason)
    expect.set_options(timeout=PATIENCE)
    with chromium() as started:
        yield started


@pytest.fixture(scope="package")
def server(browser):
    with lab_server(REPOSITORY) as running:
        yield running


@pytest.fixture(scope="package")
def opened_lab(browser, server):
    with lab_page(browser, server.url, server.token) as opened:
        yield opened


@pytest.fixture(scope="package")
def opened_explorer(opened_lab):
    with opened_lab.notebook("notebooks/10_explore_board_pair.ipynb") as opened:
        yield opened


@pytest.fixture
def explorer(lab, opened_explorer):
    """Notebook 10, run from top to bottom once for all tests; they set its widgets as they need."""
    opened_explorer.show()
    return opened_explorer


@pytest.fixture
def lab(opened_lab):
    """The page, wide and light; the test fails on a console error or an off-site request."""
    opened_lab.page.set_viewport_size(WIDE)
    opened_lab.set_theme("light")
    yield opened_lab
    errors, off_site = list(opened_lab.errors), list(opened_lab.off_site)
    opened_lab.forget()
    assert errors == []
    assert off_site == []
