"""The tests to run first after a change: ``python tests/quick.py`` prints their paths, for `make quick`.

They are those of the files that differ from the last commit (without any, those that it changed): first the tests that import
a changed module, then the contracts, then all tests of its room. Slow tests are not run, and none begins once the time is over.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = (
    "test_rooms.py", "test_project.py", "front_door/test_door.py", "test_command_reference.py",
)  # fmt: skip
"""What any change can break, in well under a second each."""
CONTRACTS = {
    "affordance": "affordance/test_estimators.py",
    "environments": "environments/test_environment_contract.py",
    "metrics": "metrics/test_metric_contract.py",
    "tasks": "test_episodes.py",
    "answers": "answers/test_import_files.py",
    "notebooks": "headless/test_figure_notebooks.py",
}
"""Of folders whose files have one contract; those that others build on are run after any change."""
BUILT_ON = ("affordance", "environments", "metrics")


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
    contracts, rooms = [], []
    for path in map(Path, changed):
        inside = path.parts[0] == "workbench" and path.suffix == ".py"
        folder = path.parts[1] if inside else path.parts[0]
        contracts += [ROOT / "tests" / CONTRACTS[folder]] if folder in CONTRACTS else []
        if inside:
            module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
            package, _, last = module.rpartition(".")
            uses = re.compile(
                rf"\b{re.escape(module)}\b|\bfrom {re.escape(package)} import [^\n]*\b{last}\b"
            )
            chosen += [test for test, text in texts.items() if uses.search(text)]
            # Of a folder of folders, the tests of the nearest one.
            own = [ROOT.joinpath("tests", *path.parts[1:depth]) for depth in (3, 2)]
            room = next((each for each in own if each.is_dir()), None)
            rooms += [test for test in tests if room in test.parents]
    always = [ROOT / "tests" / name for name in ALWAYS]
    built_on = [ROOT / "tests" / CONTRACTS[name] for name in BUILT_ON]
    chosen = [*chosen, *contracts, *always, *rooms, *built_on]
    return list(dict.fromkeys(path.relative_to(ROOT).as_posix() for path in chosen))


if __name__ == "__main__":
    sys.stdout.write("\n".join(tests_of(changed_files())) + "\n")
