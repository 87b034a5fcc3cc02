"""The pure functions of the JavaScript, tested by node itself."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.slow
def test_the_functions_of_the_pages_hold_under_node():
    node = shutil.which("node")
    if node is None:
        reason = "node is not installed: the JavaScript is not tested"
        if os.environ.get("WORKBENCH_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    files = sorted(map(str, HERE.glob("*.test.mjs")))
    assert len(files) >= 4
    done = subprocess.run(
        [node, "--test", *files], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "# fail 0" in done.stdout or "fail 0" in done.stdout
