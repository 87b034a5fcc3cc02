"""The options of a question reach the server, and what the calls took reaches the table."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner
from local_run import needs_inspect
from local_server import LocalServer, moves_of

from workbench.asking.costs import Price
from workbench.asking.journal import Failure, Journal
from workbench.asking.predictions_table import run_predictions
from workbench.asking.prompts import Prompt, prompt_named
from workbench.asking.run_folder import RunFolder, open_run, refuse_other_run
from workbench.asking.settings import Question
from workbench.cli import main
from workbench.errors import RunMismatchError
from workbench.tables.parquet_tables import PREDICTIONS, read_provenance, read_table

PROMPT = """
name = "mine"
version = 2
notation = "pgn"
system = "You know chess."
turns = ["After {plies} half-moves.\\nMoves:\\n{moves}", "{side} is to move. Sure?"]
"""


@needs_inspect
def test_a_pilot_with_every_option_and_then_the_whole(
    positions, positions_path, answers, tmp_path, warm_process
):
    (tmp_path / "mine.toml").write_text(PROMPT)
    out = tmp_path / "run"
    command = ["ask", positions_path, "-o", out, "--model", "openai-api/local/model",
               "--prompt-file", tmp_path / "mine.toml", "--samples-per-position", "2",
               "--temperature", "0.5", "--top-p", "0.9", "--seed", "7", "--max-tokens", "900",
               "--reasoning-effort", "high", "--price", "1000", "1000", "--yes",
               "--extra-body", 'chat_template_kwargs={"enable_thinking": false}']  # fmt: skip

    def asked(*more):
        done = CliRunner().invoke(main, [*map(str, command), "--base-url", server.url, *more])
        assert done.exit_code == 0, done.output
        return done.output

    with LocalServer(answers) as server:
        said = asked("--limit", "4")
        # 4 positions, 2 samples, 2 turns of 0.45 dollars each; 80 questions in the whole run.
        assert "8 questions, 0 of them answered" in said
        assert "7.2000 dollars" in said
        assert (
            "forecast for all 80 questions, by 8 answers: 72.00 dollars (95%: 72.00 to 72.00), "
            "64,000 tokens of input, 8,000 tokens of output"
        ) in said
        pilot = read_table(out / "predictions.parquet", PREDICTIONS)
        assert pilot["group"].value_counts().to_dict() == {2: 4, 5: 4}
        assert len(server.requests) == 16
        for body in server.requests:
            assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.5, 0.9, 900)
            assert body["reasoning_effort"] == "high"
            assert body["chat_template_kwargs"] == {"enable_thinking": False}
            assert body["messages"][0] == {"role": "system", "content": "You know chess."}
            plies = len(moves_of(body).replace(".", " ").split()) * 2 // 3
            assert body["messages"][1]["content"].startswith(f"After {plies} half-moves.\n")
        later = [body for body in server.requests if len(body["messages"]) > 2]
        assert {body["messages"][-1]["content"] for body in later} == {"White is to move. Sure?"}
        assert sorted(body["seed"] for body in later) == [7] * 4 + [8] * 4
        said = asked()
        assert "80 questions, 8 of them answered" in said
        assert set(server.asked.values()) == {4}
    table = read_table(out / "predictions.parquet", PREDICTIONS)
    assert len(table) == 80
    assert (table["predicted_state"] == table["true_state"]).all()
    assert [json.loads(said) for said in table["earlier_turns"]] == [
        [fen] for fen in table["true_state"]
    ]
    assert set(table["stop_reason"]) == {"stop"}
    assert set(table["input_tokens"]) == {800}
    assert set(table["output_tokens"]) == {100}
    assert table["reasoning_tokens"].isna().all()
    assert table["dollars"].tolist() == pytest.approx([0.9] * 80)
    assert ((table["seconds"] > 0) & (table["seconds"] < 60)).all()
    shown = read_provenance(out / "predictions.parquet")
    assert shown["asked"]["prompt"]["system"] == "You know chess."
    assert shown["asked"]["seed"] == 7
    assert shown["asked_sha256"] == json.loads((out / "run.json").read_text())["question_sha256"]


class TestTheTable:
    @pytest.fixture
    def run(self, positions, positions_path, tmp_path):
        def opening(prompt="self-check"):
            question = Question("openai-api/local/model", prompt)
            folder = open_run(tmp_path / "run", question, positions, positions_path)
            return folder, Journal(folder.path)

        return opening

    def output(self, text, **usage):
        return {
            "choices": [{"message": {"content": text}, "stop_reason": "max_tokens"}],
            "usage": usage or None,
            "time": 1.5,
        }

    def test_what_every_turn_took_is_summed(self, run, positions):
        folder, journal = run()
        names = positions["position_id"]
        cached = {"input_tokens": 10, "input_tokens_cache_read": 30, "output_tokens": 5}
        for turn, text in enumerate(("first", "second")):
            journal.answered(
                (names[0], 0, turn), self.output(text, **cached, reasoning_tokens=3), 0.25
            )
            journal.answered((names[1], 0, turn), self.output(text, **cached), None)
            # The second turn came without token counts.
            journal.answered(
                (names[2], 0, turn), self.output(text, **({} if turn else cached)), 0.25
            )
        journal.answered((names[3], 0, 0), self.output("only", **cached), 0.25)
        journal.failed((names[3], 0, 1), Failure("gone", permanent=True))
        journal.failed((names[4], 0, 0), Failure("gone", permanent=True))
        table = run_predictions(folder).set_index("position_id")
        columns = ["earlier_turns", "stop_reason", "input_tokens", "output_tokens",
                   "reasoning_tokens", "dollars", "seconds"]  # fmt: skip
        rows = table[columns].astype(object).where(table[columns].notna(), None)
        assert [rows.loc[name].tolist() for name in names[:5]] == [
            ['["first"]', "max_tokens", 80, 10, 6, 0.5, 3.0],
            ['["first"]', "max_tokens", 80, 10, None, None, 3.0],
            ['["first"]', "max_tokens", None, None, None, 0.5, 3.0],
            ['["only"]', None, 40, 5, None, 0.25, 1.5],
            ["[]", None, None, None, None, None, None],
        ]
        # A price that came later counts where none was known.
        priced = run_predictions(folder, Price(1000.0, 2000.0)).set_index("position_id")["dollars"]
        assert priced[names[1]] == pytest.approx(2 * (0.04 + 0.01))
        assert priced[names[0]] == 0.5

    def test_one_turn_has_no_earlier_ones(self, run, positions):
        folder, journal = run("pgn-direct")
        journal.answered((positions["position_id"][0], 0, 0), self.output("said"), None)
        (row,) = run_predictions(folder).to_dict("records")
        assert pd.isna(row["earlier_turns"])
        assert row["reply"] == "said"


class TestFoldersOfBefore:
    """Run folders as the version before wrote them."""

    @pytest.fixture
    def before(self, positions, positions_path, tmp_path):
        def writing(**changes):
            question = Question("openai/gpt-4o", changes.pop("prompt", "pgn-direct"))
            open_run(tmp_path / "run", question, positions, positions_path)
            path = tmp_path / "run" / "run.json"
            description = json.loads(path.read_text())
            del description["question_sha256"]
            description["question"] |= changes
            path.write_text(json.dumps(description))
            return tmp_path / "run"

        return writing

    def test_they_go_on_and_what_they_held_in_clear_is_redacted(
        self, before, positions, positions_path
    ):
        headers = {"default_headers": {"X-Gateway": "secret-of-before"}}
        out = before(model_args=headers)
        assert "secret-of-before" in (out / "run.json").read_text()
        question = Question("openai/gpt-4o", model_args=headers)
        open_run(out, question, positions, positions_path)
        assert "secret-of-before" not in (out / "run.json").read_text()
        assert RunFolder(out).description()["question"] == question.description()

    def test_a_prompt_that_has_another_version_since_is_named(self, before, positions_path):
        out = before(prompt="few-shot@1")
        with pytest.raises(RunMismatchError, match=r"the same again, with the prompt few-shot@1"):
            refuse_other_run(out, Question("openai/gpt-4o", "few-shot"), positions_path)
        refuse_other_run(out, Question("openai/gpt-4o", "few-shot@1"), positions_path)

    def test_an_option_that_it_had_not_is_another_question(self, before, positions_path):
        out = before()
        with pytest.raises(RunMismatchError, match="seed: found None, requested 0"):
            refuse_other_run(out, Question("openai/gpt-4o", seed=0), positions_path)
        own = Prompt("mine", 1, "pgn", prompt_named("pgn-direct").turns, 60)
        with pytest.raises(
            RunMismatchError, match="prompt name: found 'pgn-direct', requested 'mine'"
        ):
            refuse_other_run(out, Question("openai/gpt-4o", own), positions_path)
