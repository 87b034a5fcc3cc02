"""The example of the notebook 14_your_own_environment: installed by pip, it keeps the whole contract."""

import os
import re
import subprocess
import sys
from pathlib import Path

from workbench.resources import RESOURCES

CONTRACT = sorted(Path(__file__).parent.glob("test_environment_contract*.py"))


def test_the_example_is_found_once_installed_and_keeps_the_contract(tmp_path):
    installed = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    example = RESOURCES / "notebooks" / "examples" / "hanoi"
    subprocess.run(
        [*install, "--no-build-isolation", "--target", installed, example], check=True, timeout=600
    )
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *CONTRACT, "-k", "hanoi"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=RESOURCES,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", tested.stdout)[1]) > 50
