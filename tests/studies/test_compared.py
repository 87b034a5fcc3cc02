"""What is compared: tables put side by side, told apart, and refused where they do not fit."""

import pytest

from workbench.answers.imports.import_result import CALL_FAILED
from workbench.asking.settings import Question
from workbench.drawing.score_description import left_out
from workbench.errors import InvalidArgumentError, TableError
from workbench.scoring import ScoringParameters
from workbench.studies.models.model_scores import (
    Simulation,
    compare_models,
    compare_prompts,
)
from workbench.tables.parquet_tables import PREDICTIONS, setting_value, write_table

DEPTH_ONE = ScoringParameters(depth=1)


@pytest.fixture
def write(tmp_path):
    def writing(frame, name, **provenance):
        path = tmp_path / name
        write_table(frame.astype({"sample": "int32"}), path, PREDICTIONS, provenance)
        return str(path)

    return writing


def test_simulated_trackers_stand_in_and_say_so(tmp_path):
    simulation = Simulation(rates=(0.0, 0.2), per_group=2, samples=2)
    data = compare_models(tmp_path, [], simulation, DEPTH_ONE, replies="simulated")
    counts = data.scores.groupby(["model", "sample"]).size()
    assert counts.to_dict() == {
        (f"simulated-tracker rate={rate}", sample): 10 for rate in ("0", "0.2") for sample in (0, 1)
    }
    right = data.scores[data.scores["model"] == "simulated-tracker rate=0"]
    assert right["exact_match"].all()
    assert data.describe().startswith("simulated trackers on ")
    assert data.subject == "simulated trackers"
    again = compare_models(tmp_path, "", simulation, DEPTH_ONE, replies="simulated")
    assert again.scores.equals(data.scores)


def test_simulated_prompts_are_called_simulated(tmp_path):
    data = compare_prompts(tmp_path, {}, Simulation(rates=(0.0, 0.2), per_group=1), DEPTH_ONE)
    assert data.scores["prompt"].unique().tolist() == [
        "simulated, 0 slips a ply",
        "simulated, 0.2 slips a ply",
    ]
    assert data.subject == "simulated trackers"


def test_several_tables_stand_side_by_side(tmp_path, write, predictions):
    one = write(predictions, "one.parquet")
    other = write(predictions.assign(model="other"), "other.parquet")
    data = compare_models(tmp_path / "tables", [one, other], Simulation(), DEPTH_ONE)
    assert data.scores["model"].value_counts().to_dict() == {"by hand": 6, "other": 6}
    assert data.scores["game"].tolist() == [*predictions["game_id"]] * 2
    assert [path.name for path in data.inputs] == ["one.parquet", "other.parquet"]
    assert "1 unscored" not in data.describe()
    assert "2 not scored" in data.describe()
    alone = compare_models(tmp_path / "tables", one, Simulation(), DEPTH_ONE)
    assert set(alone.scores["model"]) == {"by hand"}


def test_a_model_in_two_tables_is_told_apart_by_the_file(tmp_path, write, predictions):
    paths = [write(predictions, name) for name in ("may.parquet", "june.parquet")]
    data = compare_models(tmp_path / "tables", paths, Simulation(), DEPTH_ONE)
    assert set(data.scores["model"]) == {"by hand (may)", "by hand (june)"}


def test_a_model_in_two_sets_is_told_apart_by_the_set(tmp_path, write, predictions):
    one = write(predictions.assign(set="one"), "one.parquet")
    moved = predictions.assign(set="other", position_id=predictions["position_id"] + "-other")
    other = write(moved.assign(model="another"), "other.parquet")
    data = compare_models(tmp_path / "tables", [one, other], Simulation(), DEPTH_ONE)
    assert set(data.scores["model"]) == {"by hand, one", "another, other"}
    assert set(data.scores["set"]) == {"one", "other"}


def test_the_value_of_a_setting():
    assert setting_value("thinking=1024", "thinking") == "1024"
    assert setting_value("effort=a=b", "effort") == "a=b"
    assert setting_value("", "thinking") == setting_value("effort=low", "thinking") == ""


def test_a_reply_that_stands_twice_is_refused(tmp_path, write, predictions):
    path = write(predictions, "one.parquet")
    with pytest.raises(TableError, match="game000-002"):
        compare_models(tmp_path / "tables", [path, path], Simulation(), DEPTH_ONE)


def test_two_boards_under_one_name_are_refused(tmp_path, write, predictions):
    one = write(predictions, "one.parquet")
    changed = predictions.assign(model="other", true_state="8/8/8/8/8/8/8/K1k5 w - - 0 1")
    other = write(changed, "other.parquet")
    with pytest.raises(TableError, match="use one id for different positions"):
        compare_models(tmp_path / "tables", [one, other], Simulation(), DEPTH_ONE)


def test_a_table_of_answers_says_its_prompt(tmp_path, write, predictions):
    """As `workbench.asking.predictions_table.write_run_predictions` writes it."""
    paths = [
        write(predictions, f"{prompt}.parquet",
              asked=Question(model="workbench/simulated", prompt=prompt).description())
        for prompt in ("few-shot", "pgn-direct")
    ]  # fmt: skip
    data = compare_prompts(tmp_path / "tables", paths, Simulation(), DEPTH_ONE)
    assert data.scores["prompt"].unique().tolist() == ["few-shot@2", "pgn-direct@1"]


def test_a_table_that_does_not_say_its_prompt_needs_a_name(tmp_path, write, predictions):
    path = write(predictions, "one.parquet")
    with pytest.raises(InvalidArgumentError, match="give the prompts by name"):
        compare_prompts(tmp_path / "tables", [path], Simulation(), DEPTH_ONE)
    named = compare_prompts(tmp_path / "tables", {"mine": path}, Simulation(), DEPTH_ONE)
    assert set(named.scores["prompt"]) == {"mine"}


def test_failed_calls_are_no_replies_and_are_counted(tmp_path, write, predictions):
    failed = predictions["reply_class"] == "absent"
    rows = predictions.assign(
        reply_class=predictions["reply_class"].mask(failed, "failed"),
        reason=predictions["reason"].mask(failed, CALL_FAILED + "ConnectionResetError"),
    )
    path = write(rows, "one.parquet")
    data = compare_models(tmp_path / "tables", [path], Simulation(), DEPTH_ONE)
    assert (len(data.scores), left_out(data.scores)) == (6, {"failed": 1, "unscored": 1})
    assert "5 replies, 3 valid" in data.describe()
    assert "0 without a FEN, 1 not scored; 1 failed call left out" in data.describe()


@pytest.mark.parametrize("changes", [{"rates": ()}, {"rates": (0.1, 0.1)}, {"samples": 0}])
def test_a_simulation_of_nothing_is_refused(changes):
    with pytest.raises(InvalidArgumentError, match="expected different rates"):
        Simulation(**changes)
