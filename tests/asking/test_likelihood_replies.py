"""The task legal_mass asked of text models: a model of characters by hand, and a folder of random weights through Inspect."""

import asyncio
import math

import numpy as np
import pytest
from local_run import needs_inspect

from workbench.asking.own_models import Weighing, episode_question, own_model
from workbench.environments.registry import environment_named
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters
from workbench.scoring.score_rows import score_predictions
from workbench.tasks.legal_mass import TASK, legal_mass, masses_of

CHESS = environment_named("chess")
FOOLS_MATE = "1. f3 e5 2. g4 Qh4#"


class Digits:
    """Draws each of 9 signs with probability 1/16, a new line with 7/16."""

    ends = ("\n",)

    def log_likelihoods(self, messages, candidates):
        assert messages[-1]["role"] == "user"
        return np.array(
            [[math.log(7 / 16) - (len(text) - 1) * math.log(16), len(text)] for text in candidates]
        )


def asked(movetext, environment="chess", task="legal_mass", heading="Moves"):
    options = {"environment": environment, "task": task, "depth": None}
    text = f"Name one.\n\n{heading}:\n{movetext}"
    return episode_question("workbench/x", options, [text], len(text)), [
        {"role": "user", "content": text}
    ]


@pytest.mark.parametrize(("notation", "most"), [("uci", 100), ("", 30), ("san", 40)])
def test_the_mass_of_a_model_of_characters_is_that_by_hand(notation, most):
    reply = Weighing(notation, most).reply(Digits(), *asked("1. e4 e5"))
    prediction = TASK.classify(CHESS, reply.text)
    assert prediction.reply_class == "valid"
    state = CHESS.replay("", "e2e4 e7e5")
    masses = legal_mass(CHESS, state, masses_of(prediction.predicted_actions))
    texts = {
        text
        for move in CHESS.automaton.permitted(state)
        for text in CHESS.spellings(state, move, notation)
    }
    by_hand = sum(7 / 16 / 16 ** len(text) for text in texts)
    assert masses.legal == pytest.approx(by_hand, rel=1e-5)
    # Moves of White that were legal at the first move and are no more, and Black's.
    assert masses.candidates == min(most, masses.candidates) > masses.permitted == 29
    assert 0 < masses.relative < 1


def test_a_finished_game_has_nothing_to_weigh_but_what_was_before():
    reply = Weighing().reply(Digits(), *asked(FOOLS_MATE))
    prediction = TASK.classify(CHESS, reply.text)
    state = CHESS.replay("", "f2f3 e7e5 g2g4 d8h4")
    assert math.isnan(TASK.measures(CHESS, state, prediction.predicted_actions, 1, "absorb")[0][0])


def test_another_environment_and_what_cannot_be_asked():
    othello = environment_named("othello")
    reply = Weighing().reply(Digits(), *asked("", "othello"))
    assert TASK.classify(othello, reply.text).reply_class == "valid"
    for question in (asked("1. e4", task="actions"), asked("1. e4", heading="Game")):
        with pytest.raises(InvalidArgumentError, match="expected the task legal_mass"):
            Weighing().reply(Digits(), *question)
    for options in ({"notation": "long"}, {"candidates": 0}, {"candidates": True}):
        with pytest.raises(InvalidArgumentError, match=next(iter(options))):
            Weighing.from_arguments(options)
    with pytest.raises(InvalidArgumentError, match="expected rate, seed or seconds"):
        own_model("simulated", notation="san")


@needs_inspect
def test_a_folder_of_random_weights_goes_through_the_pipeline(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not part of the workbench")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    from inspect_ai.model import ChatMessageUser, GenerateConfig

    from workbench.asking.inspect_registry import OwnModel

    signs = ["<end>", *map(chr, range(32, 127)), "\n"]
    vocabulary = {sign: number for number, sign in enumerate(signs)}
    plain = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(signs), hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, max_position_embeddings=2048, eos_token_id=0, bos_token_id=None,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path / "weights")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>")
    tokenizer.save_pretrained(tmp_path / "weights")

    from workbench.asking.questions import questions_of
    from workbench.asking.settings import Question
    from workbench.front_door.models import legal_mass as table_of
    from workbench.front_door.models import positions

    rows = positions(2)
    question = Question(f"workbench/{tmp_path / 'weights'}", task="legal_mass")
    model = OwnModel(str(tmp_path / "weights"), notation="uci", candidates=50)
    replies = []
    for (text,) in questions_of(rows, question.full_prompt).values():
        body = {"environment": "chess", "task": "legal_mass", "depth": None}
        output = asyncio.run(
            model.generate(
                [ChatMessageUser(content=text)], [], "none", GenerateConfig(extra_body=body)
            )
        )
        replies.append(output.completion)
    frame = rows.assign(reply=replies, model="tiny", task="legal_mass")
    table = table_of(frame)
    assert (table["candidates"] == 50).all()
    assert table["legal_mass"].between(0, 1e-3).all()
    assert table["relative"].between(0, 1).all()
    from workbench.front_door.frames import predictions_of

    scores = score_predictions(predictions_of(frame), ScoringParameters(depth=1))
    assert scores["precision_1"].tolist() == pytest.approx(table["legal_mass"].tolist())
