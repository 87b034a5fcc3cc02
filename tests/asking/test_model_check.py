"""A model that cannot be made is refused before anything is written."""

import pytest
from local_run import needs_inspect, run_here

from workbench.asking.model_check import refuse_unusable_model
from workbench.asking.settings import Question
from workbench.errors import AskingError, InvalidArgumentError

pytestmark = needs_inspect

SECRET = "sk-0123456789-never-to-be-shown"


@pytest.mark.parametrize("command", ["ask", "evaluate"])
@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            "workbench/smal",
            "expected workbench/ and one of simulated, smollm2, tiny, small, medium",
        ),
        ("nonsense/x", "'nonsense/x'"),
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("nonsense", "expected provider/name"),
        ("", "expected provider/name"),
    ],
)
def test_nothing_is_written_and_the_right_name_goes_on(
    command, model, said, positions_path, tmp_path, warm_process
):
    out = tmp_path / "run"
    positions = (
        ["--positions", str(positions_path)] if command == "evaluate" else [str(positions_path)]
    )
    code, output = run_here([command, *positions, "--model", model, "-o", str(out), "--yes"])
    assert code == 1
    assert said in output
    assert len(output) < 700
    assert not out.exists()
    if command == "ask" and model == "workbench/smal":
        right = [command, *positions, "--model", "workbench/simulated", "-o", str(out)]
        assert run_here(right)[0] == 0


@pytest.mark.parametrize("command", ["ask", "evaluate"])
def test_a_file_in_place_of_the_folder_is_refused(command, positions_path):
    before = positions_path.read_bytes()
    positions = ["--positions"] if command == "evaluate" else []
    arguments = [command, *positions, str(positions_path), "--model", "workbench/simulated"]
    code, output = run_here([*arguments, "-o", str(positions_path)])
    assert (code, positions_path.read_bytes()) == (1, before)
    assert "expected a folder, new or of an earlier call, got a file; give another name" in output


@pytest.mark.parametrize(
    ("model", "arguments", "said"),
    [
        ("workbench/tiny", {"rate": 0.1}, "least_probability"),
        ("workbench/tiny", {"least_probability": 2}, r"\(0, 1\]"),
        ("workbench/simulated", {"rate": 2}, r"rate in \[0, 1\]"),
        ("openai-api/local/model", {"bogus": 1}, "bogus"),
    ],
)
def test_wrong_arguments_of_the_model_are_refused(model, arguments, said, warm_process):
    with pytest.raises(InvalidArgumentError, match=said):
        refuse_unusable_model(Question(model, model_args=arguments), "http://127.0.0.1:9/v1", None)


@pytest.mark.parametrize("model", ["workbench/tiny", "workbench/small@142", "mockllm/x"])
def test_what_can_be_made_is_accepted(model, warm_process):
    refuse_unusable_model(Question(model), None, None)


def test_a_task_that_a_bundled_model_was_not_trained_for_is_refused():
    question = Question("workbench/small", task="actions")
    with pytest.raises(InvalidArgumentError, match="ask player"):
        refuse_unusable_model(question, None, None)
    refuse_unusable_model(Question("workbench/player", task="actions"), None, None)


def test_a_key_is_not_repeated(warm_process):
    question = Question("openai-api/local/model", model_args={"password": SECRET, "bogus": SECRET})
    with pytest.raises(InvalidArgumentError) as refused:
        refuse_unusable_model(question, "http://127.0.0.1:9/v1", SECRET)
    assert SECRET not in str(refused.value)


def test_a_process_that_fails_is_told(monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(AskingError, match="exit code 1: no output"):
        refuse_unusable_model(Question("mockllm/x"), None, None)


@pytest.mark.slow
def test_the_real_process_says_why():
    with pytest.raises(InvalidArgumentError, match=r"'nonsense/x': .+; nothing was asked"):
        refuse_unusable_model(Question("nonsense/x"), None, None)
