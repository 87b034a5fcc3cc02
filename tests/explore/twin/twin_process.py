"""The JavaScript twin of chess under node: questions go in as JSON, a line each, and answers come back."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.drawing.reply_words import FLAG_WORDS
from workbench.explore.explorer_settings import ExplorerSettings

SCRIPT = Path(__file__).with_name("twin_process.mjs")
WORDS = {"flag_words": dict(FLAG_WORDS), "exact_budget": ExplorerSettings().exact_budget}

# The boards on which the compiled kernel is tried.
sys.path.insert(0, str(SCRIPT.parents[2] / "environments" / "chess" / "kernel"))


def node():
    """The path of node; without it a test is skipped, or fails where a browser is required."""
    found = shutil.which("node")
    if found is None:
        reason = "node is not installed: the JavaScript is not tested"
        if os.environ.get("WORKBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def ask(questions):
    """Return the answers to questions, in their order."""
    text = "\n".join(map(json.dumps, questions))
    done = subprocess.run(
        [node(), SCRIPT], input=text, capture_output=True, text=True, timeout=3600, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == text.count("\n") + 1
    return answers


def page_question(kind, true_fen, predicted_fen, settings, line=()):
    """Return a question as the page asks it."""
    message = {
        "kind": kind,
        "serial": "a",
        "true_fen": true_fen,
        "predicted_fen": predicted_fen,
        "line": list(line),
        "depth": settings.depth,
        "terminal": settings.terminal,
        "ill_formed": settings.ill_formed,
    }
    return {"kind": "page", "message": message, "words": WORDS}
