import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

import workbench
from workbench.cli import main
from workbench.environments.registry import environment_names
from workbench.errors import InvalidArgumentError
from workbench.rewards.hub_folder import write_hub_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "states"
    result = CliRunner().invoke(main, ["datasets", "-o", str(folder), "--positions", "10"])
    assert result.exit_code == 0, result.output
    return folder


def test_the_card_names_every_file(folder):
    head = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    paths = [each["path"] for config in head["configs"] for each in config["data_files"]]
    assert sorted(paths) == sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet")
    )
    assert "Permission is hereby granted" in (folder / "REPLIES.md").read_text()


def test_the_files_are_tables_of_the_workbench(folder):
    chess = workbench.positions(10)
    read = pd.read_parquet(folder / "positions" / "chess.parquet")
    assert read["position_id"].tolist() == chess["position_id"].tolist()
    scores = workbench.score(pd.read_parquet(folder / "replies" / "world_cup.parquet").head(20))
    assert len(scores) == 20


def test_a_folder_that_holds_something_is_left_alone(folder):
    with pytest.raises(InvalidArgumentError, match="new or empty folder"):
        write_hub_folder(folder)


def test_the_library_opens_it_offline(folder, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets", reason="needs the library datasets")
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    assert datasets.get_dataset_config_names(str(folder)) == ["positions", "replies"]
    cache = str(tmp_path)
    replies = datasets.load_dataset(str(folder), "replies", cache_dir=cache)
    assert {name: len(rows) for name, rows in replies.items()} == {
        name: len(workbench.recorded_replies(name, settings=()))
        for name in ("world_cup", "random_games")
    }
    positions = datasets.load_dataset(str(folder), "positions", cache_dir=cache)
    assert list(positions) == list(environment_names())
    for name, rows in positions.items():
        expected = workbench.positions(10, name)
        assert rows["true_state"][:] == expected["true_state"].tolist()
        assert set(rows["environment"]) == set(expected["environment"])
