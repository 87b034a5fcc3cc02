"""The bundled language models behind Inspect."""

import asyncio
import subprocess
import sys
import threading
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner
from local_run import needs_inspect

from workbench.answers.imports.inspect_logs import prediction_of
from workbench.answers.model_replies import model_replies
from workbench.asking.own_models import BundledModel, episode_question, question_options
from workbench.asking.prompts import PROMPTS
from workbench.asking.questions import questions_of
from workbench.asking.settings import Question
from workbench.cli import main
from workbench.environments.registry import environment_named
from workbench.episodes import EpisodeSample
from workbench.errors import InvalidArgumentError
from workbench.language_model.written_replies import ReplySettings, WrittenReply
from workbench.tasks import task_named, task_names

MODEL = "workbench/small"


def replies(question, positions, temperature=0.0, seed=0, **model_args):
    model = BundledModel(question.model.partition("/")[2], **model_args)
    return [
        model.reply(
            episode_question(question.model, question_options(question), [text], len(text)),
            temperature,
            seed,
        )
        for (text, *_) in questions_of(positions, question.full_prompt).values()
    ]


@pytest.mark.parametrize("task", task_names())
def test_replies_are_those_of_the_command(positions, task):
    name = "small" if task == "state" else "player"
    question = Question(f"workbench/{name}", task=task)
    few = positions.head(6)
    temperature = 0.8 if task == "state" else 0.0
    table = model_replies(few, name, ReplySettings(task, temperature=temperature), seed=4)
    said = replies(question, few, temperature, seed=4)
    assert [each.text for each in said] == table["reply"].tolist()
    assert [each.input_tokens for each in said] == table["input_tokens"].tolist()
    assert [each.output_tokens for each in said] == table["output_tokens"].tolist()


def test_a_reply_has_one_class_on_both_paths(positions):
    # An early checkpoint, and much chance: most of its tokens are misplaced.
    hot = ReplySettings(temperature=2.0)
    table = model_replies(positions, "small@142", hot, seed=1, samples=3)
    chess, state = environment_named("chess"), task_named("state")
    read = [prediction_of(reply, "", chess, state) for reply in table["reply"]]
    assert [each.columns() for each in read] == table[list(read[0].columns())].to_dict("records")
    whole = [chess.classify_state(reply).columns() for reply in table["reply"]]
    assert [each.columns() for each in read] == whole
    assert set(table["reply_class"]) == {"unparseable"}


def test_it_follows_every_prompt(positions):
    few = positions.head(2)
    expected = [each.text for each in replies(Question(MODEL), few)]
    for prompt in PROMPTS:
        assert [each.text for each in replies(Question(MODEL, prompt), few)] == expected


def test_the_list_of_moves_takes_a_probability(positions):
    question, few = Question("workbench/player", task="actions"), positions.head(2)
    many = [each.text.split() for each in replies(question, few, least_probability=0.001)]
    some = [each.text.split() for each in replies(question, few, least_probability=0.03)]
    for long, short in zip(many, some, strict=True):
        assert long[: len(short)] == short
        assert len(long) > len(short) > 1
    assert [each.text for each in replies(question, few, least_probability=1.0)] == ["none"] * 2


@pytest.mark.parametrize("name", ["othello", "boxes"])
@pytest.mark.parametrize("task", task_names())
def test_another_environment_gets_no_answer(name, task):
    question = Question(MODEL, environment=name, task=task)
    positions = EpisodeSample(name, (3,), 1).positions
    (said,) = replies(question, positions)
    assert said.text == "The language model cannot reply: it reads games of chess alone."
    found = task_named(task).classify(question.asked_environment, said.text)
    assert found.reply_class == "absent"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hello.", 'a line "Moves:"'),
        ("Moves:\n1. e4 e5 2. Ke3", "illegal"),
        ("Moves:\n" + "spam " * 200_000, "illegal"),
        ("Moves:\n<script>alert(1)</script>", "illegal"),
        ("Moves:\n" + "g1f3 g8f6 f3g1 f6g8 " * 51, "at most 200 plies, and these are 204"),
    ],
)
def test_what_it_cannot_read_gets_no_answer(text, said):
    for task in task_names():
        question = Question(MODEL, task=task)
        episode = episode_question(MODEL, question_options(question), [text], len(text))
        reply = BundledModel("player").reply(episode, 0.0, 0)
        assert said in reply.text
        assert len(reply.text) < 150
        found = question.asked_task.classify(question.asked_environment, reply.text)
        assert found.reply_class == "absent"


def test_arguments_out_of_range():
    for arguments, said in (
        ({"name": "huge"}, "tiny, small, medium"),
        ({"name": "tiny", "rate": 1}, "rate"),
        ({"name": "tiny", "least_probability": 2}, "least_probability"),
    ):
        with pytest.raises(InvalidArgumentError, match=said):
            BundledModel(**arguments)


@needs_inspect
class TestBehindInspect:
    def test_it_replies_in_a_thread_of_its_own(self):
        from inspect_ai.model import ChatMessageUser, GenerateConfig

        from workbench.asking.inspect_registry import OwnModel

        model = OwnModel("tiny")
        threads = []

        def slow(episode, temperature, seed):
            threads.append((threading.current_thread(), temperature, seed))
            both.wait(timeout=30)
            return WrittenReply("a", 2, 3)

        async def two_calls():
            said = [ChatMessageUser(content="Moves:\n")]
            config = GenerateConfig(temperature=0.5, seed=7)
            calls = [model.generate(said, [], "none", config) for _ in range(2)]
            return await asyncio.gather(*calls)

        # Each call waits for the other: on one thread neither would end.
        both = threading.Barrier(2)
        model._own = SimpleNamespace(seconds=0, reply=slow)
        outputs = asyncio.run(two_calls())
        assert len({thread for thread, *_ in threads} | {threading.main_thread()}) == 3
        assert {tuple(each) for _, *each in threads} == {(0.5, 7)}
        assert [output.usage.total_tokens for output in outputs] == [5, 5]

    def test_an_unknown_model_is_told_the_known_ones(self):
        from workbench.asking.inspect_registry import OwnModel

        with pytest.raises(InvalidArgumentError, match="simulated, smollm2, tiny, small, medium"):
            OwnModel("huge")

    @pytest.mark.slow
    def test_a_run_from_the_command_line(self, positions_path, positions, tmp_path):
        out = tmp_path / "run"
        arguments = ["ask", positions_path, "--model", MODEL, "-o", out, "--limit", 8, "--seed", 3,
                     "--temperature", 0.5]  # fmt: skip
        done = CliRunner().invoke(main, [str(each) for each in arguments])
        assert done.exit_code == 0, done.output
        table = pd.read_parquet(out / "predictions.parquet")
        asked = positions[positions["position_id"].isin(table["position_id"])]
        expected = model_replies(asked, "small", ReplySettings(temperature=0.5), seed=3)
        columns = ["position_id", "model", "sample", "reply", "reply_class", "input_tokens",
                   "output_tokens"]  # fmt: skip
        pd.testing.assert_frame_equal(
            table[columns].sort_values("position_id", ignore_index=True),
            expected[columns].sort_values("position_id", ignore_index=True),
            check_dtype=False,
        )

    @pytest.mark.slow
    def test_inspects_own_command_finds_it(self, tmp_path):
        command = [sys.executable, "-m", "inspect_ai", "eval", "workbench/state_reconstruction",
                   "--model", "workbench/player", "--limit", "3", "--display", "none",
                   "-T", "task=actions", "-M", "least_probability=0.2",
                   "--log-dir", str(tmp_path)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        from inspect_ai.log import read_eval_log

        log = read_eval_log(str(next(tmp_path.glob("*.eval"))))
        assert log.status == "success"
        assert all(len(sample.output.completion.split()) <= 5 for sample in log.samples)
        usage = log.stats.model_usage["workbench/player"]
        assert usage.output_tokens == sum(len(s.output.completion.split()) for s in log.samples)
