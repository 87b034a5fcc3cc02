"""The package as it is installed: what the wheel holds, conda's list given to pip, the hints."""

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import Distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from workbench.headless.notebook_runs import figure_notebooks
from workbench.installation import RESOURCES, install_hint, requirement, resources_folder

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The wheel of this checkout, built without a network and unpacked as pip unpacks it."""
    builders = pytest.importorskip("hatchling.builders.wheel")
    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = builders.WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


class TestTheWheel:
    def test_holds_the_files_that_the_code_reads(self, unpacked):
        for pattern in (
            "notebooks/*.ipynb",
            "notebooks/lessons/*.ipynb",
            "data/*.parquet",
            "data/README.md",
            "data/REPLIES.md",
            "data/models/*.json",
            "data/models/*.npz",
        ):
            paths = sorted(ROOT.glob(pattern))
            assert paths
            for path in paths:
                held = unpacked / "workbench" / "bundled" / path.relative_to(ROOT)
                assert held.read_bytes() == path.read_bytes()
        for path in (ROOT / "workbench").rglob("*"):
            if path.suffix in (".py", ".js", ".css", ".typed", ".pddl", ".html", ".j2", ".ipynb"):
                assert (unpacked / path.relative_to(ROOT)).is_file()

    def test_the_links_of_its_notebooks_lead_to_files(self, unpacked):
        folder = unpacked / "workbench" / "bundled" / "notebooks"
        targets = {
            target
            for path in folder.glob("*.ipynb")
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if cell["cell_type"] == "markdown"
            for target in re.findall(r"\]\(([^)#\s]+)\)", "".join(cell["source"]))
            if "://" not in target
        }
        assert targets
        assert [target for target in sorted(targets) if not (folder / target).is_file()] == []

    @pytest.mark.slow
    def test_finds_its_notebooks_games_and_widgets_without_a_checkout(self, unpacked, tmp_path):
        code = (
            "import json, workbench\n"
            "from workbench.answers.recorded_replies import recorded_replies_path\n"
            "from workbench.games.game_tables import bundled_games_path\n"
            "from workbench.explore.page.assets import javascript\n"
            "from workbench.tables.provenance import git_commit\n"
            "from workbench.headless.notebook_runs import figure_notebooks\n"
            "javascript('pair/board_pair.js')\n"
            "print(json.dumps([workbench.__file__, str(bundled_games_path()),\n"
            "                  str(recorded_replies_path()), git_commit(),\n"
            "                  [path.stem for path in figure_notebooks()]]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(unpacked)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        package, games, replies, commit, notebooks = json.loads(done.stdout)
        assert Path(package).is_relative_to(unpacked)
        assert Path(games).is_relative_to(unpacked)
        assert Path(replies).is_relative_to(unpacked)
        assert commit == "unknown"
        assert notebooks == [path.stem for path in figure_notebooks()]


def test_resources_lie_beside_the_package_in_a_checkout_and_inside_it_in_a_wheel(tmp_path):
    package = tmp_path / "workbench"
    package.mkdir()
    assert resources_folder(package) == tmp_path
    (package / "bundled").mkdir()
    assert resources_folder(package) == package / "bundled"
    assert RESOURCES == ROOT


@pytest.mark.slow
def test_pip_takes_the_list_that_conda_gives_it(tmp_path):
    """conda writes the entries of the pip section, a line each, into a requirements file."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (section,) = (entry["pip"] for entry in environment if isinstance(entry, dict))
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("\n".join(section))
    offline = ["--dry-run", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *offline, "--requirement", str(requirements)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Would install world-state-workbench" in done.stdout


class TestInstallHint:
    CHECKOUT = "file:///home/a%20b/checkout"

    def installed(self, folder, origin):
        (folder / "METADATA").write_text("Name: world-state-workbench\nVersion: 0.1.0\n")
        if origin is not None:
            (folder / "direct_url.json").write_text(json.dumps(origin))
        return Distribution.at(folder)

    @pytest.mark.parametrize(
        ("origin", "expected"),
        [
            (None, "world-state-workbench[ask]"),
            ({"url": CHECKOUT, "dir_info": {}}, "/home/a b/checkout[ask]"),
            (
                {"url": "file:///dist/w-0.1.0-py3-none-any.whl", "archive_info": {}},
                "world-state-workbench[ask] @ file:///dist/w-0.1.0-py3-none-any.whl",
            ),
            (
                {
                    "url": "https://example.org/w.git",
                    "vcs_info": {"vcs": "git", "commit_id": "4f2a"},
                },
                "world-state-workbench[ask] @ git+https://example.org/w.git@4f2a",
            ),
        ],
        ids=["by name", "folder", "wheel", "repository"],
    )
    def test_names_what_was_installed(self, tmp_path, origin, expected):
        assert requirement("ask", tmp_path, self.installed(tmp_path, origin)) == [expected]

    def test_without_metadata_the_name_is_all_there_is(self, tmp_path):
        assert requirement("ask", tmp_path, None) == ["world-state-workbench[ask]"]

    def test_a_checkout_is_named_even_if_another_copy_is_installed(self):
        words = shlex.split(install_hint("cluster"))
        assert words == [
            sys.executable, "-m", "pip", "install", "--editable", f"{ROOT}[cluster]",
        ]  # fmt: skip

    def test_no_other_place_composes_one(self):
        """The package is on no index that its users are known to have: its bare name is no hint."""
        for path in [*(ROOT / "workbench").rglob("*.py"), ROOT / "README.md"]:
            if path.name != "installation.py":
                text = path.read_text(encoding="utf-8")
                assert "world-state-workbench[" not in text, path
                assert path.name == "README.md" or "pip install" not in text, path
