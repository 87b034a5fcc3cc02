import json
from pathlib import Path

import pandas as pd
import pytest

import workbench
from workbench.answers.imports import format_of, import_harness_samples
from workbench.rewards.chat_messages import prompt_rows
from workbench.rewards.harness_task import process_results

FOLDER = Path(workbench.__file__).parent / "rewards"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NO_KING = START.replace("QKB", "Q1B")
METRICS = ["f_4", "precision_4", "recall_4", "exact_match"]


def document(true=START, environment="chess"):
    return {"true_state": true, "environment": environment}


def test_results_are_the_scores_of_the_reply():
    assert process_results(document(), [START]) == dict.fromkeys([*METRICS, "readable"], 1.0)
    assert process_results(document(), ["No."]) == dict.fromkeys([*METRICS, "readable"], 0.0)
    scores = process_results(document(), [NO_KING])
    assert scores["readable"] == 1
    assert 0 < scores["f_4"] < 1


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["chess", "othello", "boxes"])
def test_a_log_comes_back_with_the_same_scores(tmp_path, environment):
    """The harness asks a model that writes the boards of other positions, right ones, and none."""
    lm_eval = pytest.importorskip("lm_eval", reason="needs the extra lm-eval")
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    rows = prompt_rows(10, environment)
    questions = [row["prompt"][0]["content"] for row in rows]
    states = [row["true_state"] for row in rows]
    replies = [states[0], f"It is:\n\n{states[1]}", "", "none", *states[5:], states[4]]

    class Model(LM):
        def generate_until(self, requests, disable_tqdm=False):
            return [replies[questions.index(request.args[0])] for request in requests]

        def loglikelihood(self, requests):
            raise AssertionError("the task only generates")

        loglikelihood_rolling = loglikelihood

    tracker = EvaluationTracker(output_path=str(tmp_path))
    results = lm_eval.simple_evaluate(
        model=Model(),
        tasks=["state_reconstruction"],
        task_manager=TaskManager(
            include_path=str(FOLDER),
            include_defaults=False,
            metadata={"positions": 10, "environment": environment},
        ),
        evaluation_tracker=tracker,
        log_samples=True,
    )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples("state_reconstruction", samples["state_reconstruction"])

    (path,) = tmp_path.rglob("samples_*.jsonl")
    assert format_of(path) == "lm-eval"
    columns = {"environment": "doc.environment", "position_id": "doc.position_id"}
    imported = import_harness_samples([path], columns=columns)
    assert not imported.refusals
    scores = workbench.score(imported.predictions)
    assert scores["position_id"].tolist() == [row["position_id"] for row in rows]
    logged = pd.DataFrame([json.loads(line) for line in path.read_text().splitlines()])
    for name in METRICS:
        values = scores[name].astype(float)
        assert logged[name].tolist() == pytest.approx(values.tolist(), abs=1e-12)
        mean = results["results"]["state_reconstruction"][f"{name},none"]
        assert mean == pytest.approx(values.mean(), abs=1e-12)
    assert 0 < scores["f_4"].mean() < 1
