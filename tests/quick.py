"""The tests to run first after a change: ``python tests/quick.py`` prints their paths, for `make quick`.

They are those of the files that differ from the last commit (without any, those that it changed): the tests that import a
changed module, then the contracts of every room. Slow tests are not run, and none once the time is over.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = ("test_rooms.py", "test_project.py", "front_door/test_door.py")
"""What any change can break, in well under a second each."""
CONTRACTS = {
    "affordance": "affordance/test_estimators.py",
    "environments": "environments/test_environment_contract.py",
    "metrics": "metrics/test_metric_contract.py",
}
"""Of rooms that others build on."""


def changed_files():
    """Files that differ from the last commit, or those of the last commit."""
    changed = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return changed or git("diff", "--name-only", "HEAD~1", "HEAD")


def git(*arguments):
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()


def tests_of(changed):
    """The test files for changed files, the nearest first."""
    tests = sorted(
        path for path in (ROOT / "tests").rglob("test_*.py") if "browser" not in path.parts
    )
    texts = {path: path.read_text(encoding="utf-8") for path in tests}
    chosen = [ROOT / name for name in changed if (ROOT / name) in texts]
    for name in changed:
        path = Path(name)
        if path.parts[0] == "workbench" and path.suffix == ".py":
            module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
            package, _, last = module.rpartition(".")
            uses = re.compile(
                rf"\b{re.escape(module)}\b|\bfrom {re.escape(package)} import [^\n]*\b{last}\b"
            )
            chosen += [test for test, text in texts.items() if uses.search(text)]
            room = ROOT / "tests" / path.parts[1]
            chosen += [test for test in tests if room in test.parents]
    chosen += [ROOT / "tests" / name for name in (*ALWAYS, *CONTRACTS.values())]
    return list(dict.fromkeys(path.relative_to(ROOT).as_posix() for path in chosen))


if __name__ == "__main__":
    sys.stdout.write("\n".join(tests_of(changed_files())) + "\n")
