import runpy
from pathlib import Path

import pytest

import workbench
from workbench.errors import InvalidArgumentError
from workbench.rewards import state_rewards
from workbench.rewards.chat_messages import reply_text
from workbench.rewards.trl_reward import trl_dataset, trl_reward

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NO_KNIGHT = START.replace("RNBQ", "R1BQ")
EXAMPLE = Path(__file__).resolve().parents[2] / "notebooks/examples/grpo/grpo.py"


def test_texts_and_chat_messages_have_the_same_rewards():
    reward = trl_reward()
    replies = [START, NO_KNIGHT, "No."]
    messages = [[{"role": "assistant", "content": reply}] for reply in replies]
    expected = state_rewards(replies, [START] * 3)
    assert reward(completions=replies, true_state=[START] * 3, prompts=[""] * 3) == expected
    assert reward(completions=messages, true_state=[START] * 3) == expected
    assert expected[0] == 1 > expected[1] > expected[2] == 0


def test_a_call_that_failed_has_none():
    assert trl_reward()([None, "No."], [START] * 2) == [None, 0.0]


def test_a_column_names_the_environments():
    (row,) = workbench.positions(1, "othello").to_dict("records")
    states = [START, row["true_state"]]
    assert trl_reward()(states, states, environment=["chess", "othello"]) == [1.0, 1.0]
    assert trl_reward(environment="othello")(states[1:], states[1:]) == [1.0]


def test_the_measure_and_its_options_are_those_of_rewards():
    reward = trl_reward("exact_match", depth=2, class_rewards={"absent": -1.0}, ill_formed="as_is")
    assert reward.__name__ == "exact_match"
    assert trl_reward(depth=2).__name__ == "f_2"
    assert reward(["none", NO_KNIGHT, START], [START] * 3) == [-1.0, 0.0, 1.0]
    with pytest.raises(InvalidArgumentError, match="measure"):
        trl_reward("accuracy")([START], [START])


def test_the_dataset_has_prompts_and_true_states():
    pytest.importorskip("datasets", reason="needs the extra trl")
    rows = trl_dataset(5, prompt="uci-direct")
    assert rows.column_names == ["prompt", "true_state", "environment", "position_id", "group"]
    assert rows["true_state"][:] == workbench.positions(5)["true_state"].tolist()


@pytest.mark.slow
def test_the_example_trains_two_steps(tmp_path, monkeypatch):
    pytest.importorskip("trl", reason="needs the extra trl")
    monkeypatch.chdir(tmp_path)
    trainer = runpy.run_path(str(EXAMPLE))["trainer"]
    assert trainer.state.global_step == 2
    logged = [row for row in trainer.state.log_history if "rewards/f_4/mean" in row]
    assert [row["rewards/exact_match/mean"] for row in logged] == [0, 0]


@pytest.mark.slow
def test_a_trainer_rewards_what_its_model_writes(tmp_path, monkeypatch):
    """A reply of this model is the true board or nothing."""
    trl = pytest.importorskip("trl", reason="needs the extra trl")
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(EXAMPLE))
    rows = trl_dataset(1)
    board = rows[0]["true_state"]
    letters = names["models"].WordLevel({"<end>": 0, board: 1}, unk_token="<end>")
    tokenizer = names["PreTrainedTokenizerFast"](
        tokenizer_object=names["Tokenizer"](letters),
        eos_token="<end>",
        pad_token="<end>",
        chat_template=names["tokenizer"].chat_template,
    )
    sizes = {**names["sizes"], **names["heads"], "vocab_size": 2}
    calls, reward = [], trl_reward()

    def f_4(completions, **columns):
        calls.append((completions, columns["true_state"], reward(completions, **columns)))
        return calls[-1][-1]

    settings = names["settings"]
    settings.max_completion_length = 1
    torch.manual_seed(0)
    trainer = trl.GRPOTrainer(
        model=names["Qwen2ForCausalLM"](names["Qwen2Config"](**sizes, pad_token_id=0)),
        processing_class=tokenizer,
        args=settings,
        reward_funcs=f_4,
        train_dataset=rows,
    )
    trainer.train()
    assert len(calls) == 2
    for completions, true, rewards in calls:
        texts = [reply_text(completion) for completion in completions]
        assert rewards == state_rewards(texts, true)
        assert true == [board] * 4
    assert {*calls[0][-1], *calls[1][-1]} == {0.0, 1.0}
    logged = [row["rewards/f_4/mean"] for row in trainer.state.log_history if "loss" in row]
    assert [float(value) for value in logged] == [sum(rewards) / 4 for _, _, rewards in calls]
