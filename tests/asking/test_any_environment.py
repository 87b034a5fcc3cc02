"""Asking about any environment and task: prompts, replies, tables and scores, without a process."""

import asyncio
import json
import math
import time

import pytest
from local_run import needs_inspect

from workbench.asking.journal import Journal
from workbench.asking.predictions_table import extract_again, run_provenance, write_run_predictions
from workbench.asking.prompts import Prompt, prompt_named, prompts_of
from workbench.asking.questions import questions_of
from workbench.asking.run_folder import open_run
from workbench.asking.settings import Question
from workbench.environments.registry import environment_named, environment_names
from workbench.episodes import EpisodeSample
from workbench.errors import InvalidArgumentError
from workbench.prediction import CLASSES
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import score_predictions
from workbench.tables.parquet_tables import PREDICTIONS, read_table
from workbench.tasks import task_named, task_names

NAMES = [*environment_names(), "planning:gripper", "boxes:7x3"]
MODEL = "workbench/simulated"
LOOK_ALIKES = str.maketrans("aeoxOXpc", "\u0430\u0435\u043e\u0445\u041e\u0425\u0440\u0441")

every_environment = pytest.mark.parametrize("name", NAMES)
every_task = pytest.mark.parametrize("task", task_names())


class TestOneQuestion:
    """The hashes, and the replies, are those of the version that knew chess boards alone."""

    @pytest.mark.parametrize(
        ("options", "sha256"),
        [
            ({}, "8d62ec44b1ac8d199699de49c77ff3007a68da7bf4ae3b3ded6073696b92f627"),
            (
                {"prompt": "few-shot@1", "samples_per_position": 3, "temperature": 0.5,
                 "max_tokens": 100, "model_args": {"organization": "us"}, "top_p": 0.9, "seed": 7},
                "bcaa525747bb588014a4dada834cdae56c3e6e50f7749ae51ceb1f10a7f87ebd",
            ),
        ],
    )  # fmt: skip
    def test_a_question_about_chess_boards_is_that_of_before(self, options, sha256):
        question = Question("openai/gpt-4o", **options)
        assert question.sha256 == sha256
        assert not {"environment", "task", "depth"} & question.description().keys()

    def test_environment_task_and_depth_make_another_question(self):
        questions = [
            Question(MODEL, "direct", environment=environment, task=task, depth=depth)
            for environment in ("chess", "boxes", "boxes:7x3")
            for task, depth in (("state", None), ("actions", None), ("continuation", 2))
        ]
        assert len({question.sha256 for question in questions}) == len(questions)
        for question in questions:
            described = json.loads(json.dumps(question.description()))
            assert Question.from_description(described).sha256 == question.sha256
        default = Question(MODEL, environment="boxes", task="continuation")
        assert default.description()["depth"] == 4
        assert default.sha256 == Question(MODEL, environment="boxes", task="continuation", depth=4).sha256  # fmt: skip

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"environment": "nowhere"}, "environment: expected one of boxes, chess"),
            ({"task": "nothing"}, "task: expected one of state, actions, continuation"),
            ({"depth": 3}, "depth: the task state takes none"),
            ({"task": "continuation", "depth": 0}, "depth: expected at least 1"),
            ({"environment": "boxes", "prompt": "few-shot"}, "expected one of direct@1, .* for boxes"),
            ({"task": "actions", "prompt": "pgn-direct"}, "expected one of direct@1, .* for chess"),
            (
                {"environment": "boxes", "prompt": Prompt("own", 1, "pgn", ("{moves}",), 9)},
                'write notation = "shown"',
            ),
            (
                {"environment": "boxes", "prompt": Prompt("own", 1, "shown", ("{moves} {side}",), 9)},
                "no {side}",
            ),
        ],
    )  # fmt: skip
    def test_what_does_not_go_together_is_refused(self, options, said):
        with pytest.raises(InvalidArgumentError, match=said):
            Question(MODEL, **options)

    @needs_inspect
    def test_replies_about_chess_boards_are_those_of_before(self):
        from inspect_ai.model import ChatMessageUser, GenerateConfig

        from workbench.asking.inspect_registry import OwnModel

        model = OwnModel("simulated", rate=0.2, seed=5)
        said = [ChatMessageUser(content="Moves:\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6")]
        replies = [
            asyncio.run(model.generate(said, [], "none", GenerateConfig(seed=seed))).completion
            for seed in range(3)
        ]
        assert replies == [
            "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/4N3/PPPP1PPP/RNBQK2R w KQkq - 0 4",
            "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4",
            "r1bqkbnr/1ppp1ppp/p1n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w kq - 0 4",
        ]


@every_environment
@every_task
class TestEveryPrompt:
    def test_it_tells_the_rules_and_the_episode(self, name, task):
        environment, positions = environment_named(name), EpisodeSample(name, (3,), 4).positions
        prompt = prompt_named("direct", name, task)
        assert prompt in prompts_of(name, task)
        for row in positions.to_dict("records"):
            (text,) = questions_of(positions, prompt)[row["position_id"]]
            assert text.startswith(environment.rules)
            assert text.endswith(f":\n{row['movetext']}")
            assert not {"{moves}", "{initial}"} & set(text.split())
            initial = row["initial_state"] or environment.state_text(environment.automaton.initial)
            assert (f"Start:\n{initial}\n\n" in text) == environment.shows_start
            # Hints at the answer would be worse than none.
            assert row["true_state"] not in text or row["true_state"] == initial
        wanted = environment.state_format if task == "state" else environment.action_format
        assert wanted in text
        assert task_named(task).takes_depth == ("4 further" in text)

    def test_a_prompt_file_may_show_the_first_state(self, name, task):
        positions = EpisodeSample(name, (3,), 1).positions
        prompt = Prompt("own", 1, "shown", ("{plies} from\n{initial}\nby\n{moves}", "Sure?"), 9)
        assert Question(MODEL, prompt, environment=name, task=task).full_prompt is prompt
        ((first, second),) = questions_of(positions, prompt).values()
        environment, (row,) = environment_named(name), positions.to_dict("records")
        initial = row["initial_state"] or environment.state_text(environment.automaton.initial)
        length = 3 * environment.actions_per_group
        assert first == f"{length} from\n{initial}\nby\n{row['movetext']}"
        assert second == "Sure?"


def answered(folder, name, task, replies):
    """Return the folder of a run whose journal has these replies to as many positions."""
    sample = EpisodeSample(name, (3, 6), (len(replies) + 1) // 2, seed=1)
    question = Question(MODEL, environment=name, task=task)
    run = open_run(folder, question, sample.positions, sample)
    journal = Journal(run.path)
    for position_id, reply in zip(sample.positions["position_id"], replies, strict=False):
        message = {"message": {"content": reply}, "stop_reason": "stop"}
        journal.answered((position_id, 0, 0), {"choices": [message]}, None)
    journal.close()
    return run


@needs_inspect
@every_environment
@every_task
class TestEveryPairOfEnvironmentAndTask:
    @pytest.mark.slow
    def test_a_tracker_without_slips_is_right(self, name, task, tmp_path):
        from inspect_ai.model import ChatMessageUser, GenerateConfig

        from workbench.asking.inspect_registry import OwnModel
        from workbench.asking.own_models import question_options

        question = Question(MODEL, environment=name, task=task)
        positions = EpisodeSample(name, (3, 6), 4, seed=1).positions
        config = GenerateConfig(seed=1, extra_body=question_options(question))
        model = OwnModel("simulated", rate=0.0)
        replies = [
            asyncio.run(
                model.generate([ChatMessageUser(content=text)], [], "none", config)
            ).completion
            for (text,) in questions_of(positions, question.full_prompt).values()
        ]
        folder = answered(tmp_path / "run", name, task, replies)
        predictions = write_run_predictions(folder)
        assert predictions["position_id"].tolist() == positions["position_id"].tolist()
        assert set(predictions["reply_class"]) == {"valid"}
        assert set(predictions["task"]) == {task}
        assert set(predictions["environment"]) == {name}
        scores = score_predictions(predictions, ScoringParameters(depth=2))
        assert (scores["unscored"] == "").all()
        assert (scores["precision_1"] == 1).all()
        deeper = scores["precision_2" if task_named(task).takes_depth else "recall_1"]
        assert (deeper.isna() | (deeper == 1)).all()
        provenance = run_provenance(folder)
        assert provenance["extractor_version"] == environment_named(name).reader_version
        assert extract_again(folder.path).changed_answers == 0

    @pytest.mark.slow
    def test_hostile_replies_become_rows(self, name, task, tmp_path):
        environment, marker = environment_named(name), tmp_path / "harm"
        state = environment.state_text(environment.automaton.initial)
        action = environment.action_text(environment.automaton.permitted(environment.automaton.initial)[0])  # fmt: skip
        replies = [
            "",
            "\0\ud800\u202e\u200b" * 40,
            state.translate(LOOK_ALIKES),
            action.translate(LOOK_ALIKES),
            (state + "\n\n") * (1_000_000 // (len(state) + 2)),
            (action + "\n") * (1_000_000 // (len(action) + 1)),
            "x = " + "[" * 500_000 + "]" * 500_000,
            f"__import__('pathlib').Path({str(marker)!r}).touch()",
            f"x = __import__('pathlib').Path({str(marker)!r}).touch()\ny = 1\nitems = []\nd = {{}}",
            "<script>document.title = 1</script><img src=x onerror=alert(1)>",
        ]
        folder = answered(tmp_path / "run", name, task, replies)
        began = time.process_time()
        predictions = write_run_predictions(folder)
        assert time.process_time() - began < 20
        assert len(predictions) == len(replies)
        assert set(predictions["reply_class"]) <= set(CLASSES) - {"failed"}
        assert predictions["reply_class"].iloc[[0, 1, 9]].tolist() == ["absent"] * 3
        read = read_table(folder.predictions, PREDICTIONS)
        scores = score_predictions(read, ScoringParameters(depth=2))
        assert (scores["unscored"] == "").all()
        assert scores["precision_1"].between(0, 1).all()
        assert not marker.exists()


def test_a_depth_is_said_and_asked_for(tmp_path):
    task = task_named("continuation")
    (turn,) = prompt_named("direct", "chess", "continuation", 2).turns
    assert "Continue with 2 further moves:" in turn
    (turn,) = prompt_named("direct", "chess", "continuation", 1).turns
    assert "Continue with 1 further move:" in turn
    assert math.isclose(task.depth_or_default(None), 4)


def test_sampled_positions_are_recorded_and_the_same_each_time():
    one, other = EpisodeSample("boxes", (2, 3), 5, 7), EpisodeSample("boxes", (2, 3), 5, 7)
    assert one.sha256 == other.sha256 != EpisodeSample("boxes", (2, 3), 5, 8).sha256
    assert one.provenance()["episodes"] == {
        "environment": "boxes", "groups": (2, 3), "per_group": 5, "seed": 7,
    }  # fmt: skip
