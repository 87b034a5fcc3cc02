"""The page that needs no Python: what is in the file, and what may not get into it."""

import base64
import hashlib
import json
import re

import chess
import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.environments.square_picture import BRACKETS, DIFFERENT, HATCH
from workbench.errors import InvalidArgumentError, InvalidFenError
from workbench.explore.page import assets
from workbench.explore.page.assets import FOLDER, icon
from workbench.explore.pair.board_pair import BoardPair
from workbench.explore.pair.pair_html import MOST_BYTES, pair_html
from workbench.explore.pair.pair_widget import SETTINGS

START = chess.STARTING_FEN
HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> ]]>"
SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)


def content(page):
    """The JSON that the page is made of."""
    (text,) = (text for marks, text in SCRIPT.findall(page) if "application/json" in marks)
    return json.loads(text)


def test_the_file_is_small_and_names_no_address():
    page = pair_html(START, "")
    assert len(page.encode()) < MOST_BYTES == 500_000
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", page))
    assert addresses == {"http://www.w3.org/2000/svg", "https://lichess.org/analysis/standard/"}
    # The drawing of the icon is in its address.
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", page.replace(f'href="{icon()}"', ""), flags=re.DOTALL)
    assert not re.search(r"<[^<>]*\b(?:src|href)\s*=|\bimport\b\s*[({\"']|\beval\(|url\(", code)


def test_it_opens_as_board_pair_does():
    state = content(pair_html(START, None, "a caption"))["state"]
    widget = BoardPair(START, None, caption="a caption")
    assert state == {name: getattr(widget, name) for name in state}
    assert set(state) >= {
        *BoardPair.texts,
        *SETTINGS,
        "line",
        "pieces",
        "flipped",
        "reply",
        "moves",
    }


def test_the_browser_runs_the_one_script_and_nothing_else():
    page = pair_html()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    run = [text for marks, text in SCRIPT.findall(page) if "json" not in marks]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run]
    assert len(hashes) == 1
    assert re.search(r"script-src ([^;]*);", policy)[1] == " ".join(
        f"'sha256-{each}'" for each in hashes
    )


def test_a_caption_stays_a_text():
    page = pair_html(START, START, HOSTILE)
    assert content(page)["state"]["caption"] == HOSTILE
    assert page.count("<script") == pair_html(START, START).count("<script") == 2
    assert "<img" not in page
    with pytest.raises(InvalidArgumentError, match="shorten the caption"):
        pair_html(caption="<" * 500_000)


@pytest.mark.parametrize("true", [HOSTILE, "", "<" * 1_000_000, START.replace("KQkq", "HAha")])
def test_a_text_that_is_no_fen_is_refused(true):
    with pytest.raises(InvalidFenError):
        pair_html(true)


def test_a_script_has_a_scope_of_its_own_and_one_name():
    text = assets.script("static_page/page_twin.js", "pairTwin")
    assert re.findall(r"^(?:const|let|var|function|class) (\w+)", text.splitlines()[0]) == [
        "pairTwin"
    ]
    assert not re.search(r"^(?:import|export)\b", text, re.MULTILINE)


def test_the_command_writes_the_page(tmp_path):
    out = tmp_path / "pair.html"

    def run(*arguments):
        return CliRunner().invoke(main, ["page", "-o", str(out), *arguments])

    assert f"bytes written to {out}" in run().output
    assert content(out.read_text(encoding="utf-8"))["state"]["true_fen"] == BoardPair().true_fen
    assert run("--true", START).exit_code == 0
    assert content(out.read_text(encoding="utf-8"))["state"]["predicted_fen"] == START
    assert run("--true", START, "--predicted", "").exit_code == 0
    assert content(out.read_text(encoding="utf-8"))["state"]["predicted_fen"] == ""
    assert "--predicted needs --true" in run("--predicted", START).output
    refused = run("--true", "<script>alert(1)</script>")
    assert refused.exit_code == 1
    assert "the true FEN '<script>alert(1)</script>' cannot be read" in refused.output


def test_a_square_that_differs_has_the_same_mark_on_pages_and_pictures():
    """The shapes of board.js and the colours of the style sheets are those of the pictures."""
    board = (FOLDER / "board/board.js").read_text()
    assert f'"{HATCH}"' in board
    assert f'"{BRACKETS}"' in board
    assert f"--ws-mark: {DIFFERENT};" in (FOLDER / "board/board.css").read_text()
    assert f"--ws-different: {DIFFERENT};" in (FOLDER / "page/theme.css").read_text()
