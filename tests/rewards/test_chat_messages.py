import pytest

import workbench
from workbench.asking.prompts import prompt_named
from workbench.asking.questions import questions_of
from workbench.environments.registry import environment_names
from workbench.errors import InvalidArgumentError
from workbench.rewards import state_rewards
from workbench.rewards.chat_messages import prompt_rows, reply_text


@pytest.mark.parametrize("name", environment_names())
def test_prompts_are_the_questions_of_ask(name):
    rows = prompt_rows(5, name, seed=3)
    positions = workbench.positions(5, name, seed=3)
    questions = questions_of(positions, prompt_named(None, name))
    assert [row["position_id"] for row in rows] == positions["position_id"].tolist()
    for row in rows:
        (message,) = row["prompt"]
        assert (message["content"],) == questions[row["position_id"]]
    true = [row["true_state"] for row in rows]
    assert state_rewards(true, true, [row["environment"] for row in rows]) == [1.0] * 5


def test_a_system_prompt_comes_first(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = 1\nturns = ["Moves: {moves}"]\nsystem = "Play."\n')
    (row,) = prompt_rows(1, prompt=str(path))
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    assert row["prompt"][0]["content"] == "Play."


def test_a_prompt_of_several_turns_is_refused():
    with pytest.raises(InvalidArgumentError, match="single turn, got 'self-check' of 2"):
        prompt_rows(1, prompt="self-check")


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("8/8", "8/8"),
        (None, None),
        ([{"role": "assistant", "content": "8/8"}], "8/8"),
        ([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}], "b"),
        ([{"role": "assistant", "content": [{"type": "text", "text": "8/8"}]}], "8/8"),
        ([{"role": "assistant", "content": None}], None),
        ([{"role": "tool", "content": "x"}], None),
        ([], None),
    ],
)
def test_the_reply_is_what_the_assistant_says_last(completion, text):
    assert reply_text(completion) == text


@pytest.mark.parametrize("completion", [7, [3], [{"content": "x"}]])
def test_anything_else_is_refused(completion):
    with pytest.raises(InvalidArgumentError, match="completion: expected a text, chat messages"):
        reply_text(completion)
