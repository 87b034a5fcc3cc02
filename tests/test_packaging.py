"""The package as it is installed: what the wheel holds, conda's list given to pip, the hints."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
from email import message_from_bytes
from importlib.metadata import Distribution
from pathlib import Path
from runpy import run_path
from zipfile import ZipFile

import pytest
import yaml

import workbench
from workbench.cli.group import version_in_words
from workbench.headless.notebook_runs import figure_notebooks
from workbench.installation import RESOURCES, install_hint, requirement, resources_folder
from workbench.tables.provenance import git_commit

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 15_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout, built without a network."""
    builders = pytest.importorskip("hatchling.builders.wheel")
    folder = str(tmp_path_factory.mktemp("wheel"))
    (path,) = builders.WheelBuilder(str(ROOT)).build(directory=folder, versions=["standard"])
    return Path(path)


@pytest.fixture(scope="module")
def unpacked(wheel):
    """The wheel as pip unpacks it."""
    with ZipFile(wheel) as archive:
        archive.extractall(wheel.parent / "unpacked")
    return wheel.parent / "unpacked"


class TestTheWheel:
    def test_is_small_enough_for_a_slow_line(self, wheel):
        assert wheel.stat().st_size < MOST_BYTES

    def test_names_the_commit_that_it_was_built_from(self, unpacked):
        file = unpacked / "workbench" / "commit.txt"
        commit = git_commit()
        assert (file.read_text().strip() if file.exists() else "unknown") == commit

    def test_holds_the_files_that_the_code_reads(self, unpacked):
        for pattern in (
            "notebooks/*.ipynb",
            "notebooks/lessons/*.ipynb",
            "data/*.parquet",
            "data/smollm2/*.parquet",
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
        assert commit == git_commit()
        assert notebooks == [path.stem for path in figure_notebooks()]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    builders = pytest.importorskip("hatchling.builders.sdist")
    folder = tmp_path_factory.mktemp("sources")
    (path,) = builders.SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    return folder / Path(path).name.removesuffix(".tar.gz")


class TestTheSourceDistribution:
    def test_holds_what_the_tests_and_the_documents_need(self, sources):
        if not (ROOT / ".git").exists():
            pytest.skip("no checkout: git does not say which files belong to it")
        listed = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=True
        ).stdout
        files = [name for name in listed.split("\0") if name and (ROOT / name).exists()]
        assert len(files) > 500
        assert [name for name in files if not (sources / name).exists()] == []

    def test_a_wheel_of_it_names_the_same_commit(self, sources, tmp_path, unpacked):
        builders = pytest.importorskip("hatchling.builders.wheel")
        (path,) = builders.WheelBuilder(str(sources)).build(
            directory=str(tmp_path), versions=["standard"]
        )
        with ZipFile(path) as archive:
            again = {name: archive.read(name) for name in archive.namelist()}
        assert {name for name in again if "dist-info" not in name} == {
            path.relative_to(unpacked).as_posix()
            for path in unpacked.rglob("*")
            if path.is_file() and ".dist-info" not in str(path)
        }
        file = unpacked / "workbench" / "commit.txt"
        assert again.get("workbench/commit.txt") == (file.read_bytes() if file.exists() else None)


class TestTheDescription:
    SOURCE = "https://example.org/workbench"

    @pytest.fixture
    def description(self):
        pytest.importorskip("hatchling")
        return run_path(str(ROOT / ".packaging" / "hatch_hooks.py"))["description"]

    def test_of_an_index_has_no_link_that_leads_nowhere(self, unpacked):
        (metadata,) = unpacked.glob("*.dist-info/METADATA")
        text = message_from_bytes(metadata.read_bytes()).get_payload()
        assert text.strip().startswith("# World-State Workbench")
        assert "## What it measures" in text
        targets = re.findall(r"\]\(([^)]*)\)|(?:src|href)=\"([^\"]*)\"", text)
        assert [target for target in targets if not "".join(target).startswith("https://")] == []
        assert "[](" not in text

    def test_leads_to_the_repository_once_it_has_an_address(self, description):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        linked = description(text, self.SOURCE)
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (ROOT / target).exists()
            kind = "raw" if target.endswith(".png") else "blob"
            assert f"]({self.SOURCE}/{kind}/HEAD/{target})" in linked
        assert re.findall(r"\]\((?!https?:)[^)]*\)", linked) == []

    @pytest.mark.parametrize(
        ("text", "without", "linked"),
        [
            ("See [a](b.md).", "See a.", "See [a](https://s.org/blob/HEAD/b.md)."),
            ("[a](https://b.org/c)", "[a](https://b.org/c)", "[a](https://b.org/c)"),
            ("A\n\n![p](q.png)\n\n*Of\np.*\n\nB", "A\n\nB", "A\n\n![p](https://s.org/raw/HEAD/q.png)\n\n*Of\np.*\n\nB"),
            ("[![p](q.png)](r.md)\n\nB", "B", "[![p](https://s.org/raw/HEAD/q.png)](https://s.org/blob/HEAD/r.md)\n\nB"),
            ('<img src="q.svg">\n# A', "# A", "# A"),
        ],
        ids=["link", "address", "figure with caption", "figure as link", "tag"],
    )  # fmt: skip
    def test_changes_relative_links_alone(self, description, text, without, linked):
        assert description(text, None) == without
        assert description(text, "https://s.org") == linked


class TestVersion:
    def test_is_the_same_everywhere(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
        assert project["version"] == citation["version"] == workbench.__version__
        assert re.search(
            rf"^## {re.escape(workbench.__version__)} - \d{{4}}-\d\d-\d\d$",
            (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
            re.MULTILINE,
        )

    def test_records_of_the_project_agree(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        code = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
        deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
        authors = [author["name"] for author in project["authors"]]
        for record, names in [(citation, "authors"), (code, "author"), (deposit, "creators")]:
            assert [author["name"] for author in record[names]] == authors
            assert record["keywords"] == project["keywords"]
            assert (
                record["license"].removeprefix("https://spdx.org/licenses/") == project["license"]
            )
            # The host of deposits takes the version from the tag.
            assert record.get("version", project["version"]) == project["version"]
        assert citation["title"] == code["name"] == deposit["title"]
        assert citation["abstract"] == code["description"] == deposit["description"]
        (paper,) = citation["references"]
        (number,) = paper["identifiers"]
        assert code["referencePublication"]["name"] == paper["title"]
        assert code["referencePublication"]["identifier"] == number["value"]
        assert deposit["related_identifiers"][0]["identifier"] == number["value"]

    def test_the_forms_of_issues_ask_for_the_version_and_the_check(self):
        forms = {
            path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["body"]
            for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml")
        }
        assert len(forms) == 3
        for name, fields in forms.items():
            texts = {field["id"]: field["attributes"].get("description", "") for field in fields}
            assert "workbench --version" in texts["version"]
            assert name == "3_wish" or "check" in texts

    @pytest.mark.parametrize(
        ("commit", "expected"),
        [
            ("unknown", "1.2"),
            ("0123456789abcdef", "1.2 (commit 0123456789ab)"),
            ("0123456789abcdef+changes", "1.2 (commit 0123456789ab, with changes)"),
        ],
    )
    def test_has_the_commit_if_it_is_known(self, monkeypatch, commit, expected):
        monkeypatch.setattr("workbench.cli.group.__version__", "1.2")
        monkeypatch.setattr("workbench.tables.provenance.git_commit", lambda: commit)
        assert version_in_words() == expected

    def test_command_prints_it(self):
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "--version"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == f"workbench {version_in_words()}\n"

    def test_code_that_is_in_no_repository_has_no_commit(self, tmp_path):
        shutil.copytree(
            ROOT / "workbench",
            tmp_path / "workbench",
            ignore=shutil.ignore_patterns("__pycache__", "commit.txt"),
        )
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "--version"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == f"workbench {workbench.__version__}\n"


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
