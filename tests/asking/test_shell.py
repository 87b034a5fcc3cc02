"""What works from the shell, with the extra and without it."""

import asyncio
import json
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

import pandas as pd
import pytest
from click.testing import CliRunner
from local_run import needs_inspect

from workbench.answers.imports import import_inspect_logs
from workbench.answers.model_replies import simulate
from workbench.asking.predictions_table import run_predictions
from workbench.asking.run_folder import RunFolder
from workbench.cli import main
from workbench.environments.registry import environment_named
from workbench.installation import install_hint
from workbench.prediction import ReplyClass
from workbench.scoring import ScoringParameters, score_predictions
from workbench.tables.parquet_tables import PREDICTIONS


def run(*arguments, code=0, **options):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments], **options)
    assert done.exit_code == code, done.output
    return done.output


@needs_inspect
class TestWithTheExtra:
    @pytest.mark.slow
    def test_a_dry_run_from_the_estimate_to_scores(self, positions_path, positions, tmp_path):
        out = tmp_path / "run"
        arguments = ["ask", positions_path, "--model", "workbench/simulated", "-o", out,
                     "-M", "rate=0", "--price", "2", "4"]  # fmt: skip
        refused = run(*arguments, code=1, input="n\n")
        assert "40 questions, 0 of them answered" in refused
        assert "40 calls to make" in refused
        assert "dollars" in refused
        assert "nothing was asked" in refused
        said = run(*arguments, input="y\n")
        assert "40 valid" in said
        assert f"40 predictions written to {out / 'predictions.parquet'}" in said
        table = pd.read_parquet(out / "predictions.parquet")
        assert (table["predicted_state"] == positions["true_state"].to_numpy()).all()
        again = run_predictions(RunFolder(out))
        pd.testing.assert_frame_equal(again, table, check_dtype=False)
        scores = tmp_path / "scores.parquet"
        run("score", out / "predictions.parquet", "-o", scores, "--depth", 1, "--jobs", 1)
        assert (pd.read_parquet(scores)["precision_1"] == 1).all()
        imported = tmp_path / "imported.parquet"
        (log,) = (out / "logs").glob("*.eval")
        run("replies", "import", log, "--positions", positions_path, "-o", imported)
        frame = pd.read_parquet(imported)
        # A log knows no dollars, and of several turns the last reply alone.
        columns = PREDICTIONS.names[: PREDICTIONS.names.index("earlier_turns")]
        pd.testing.assert_frame_equal(
            frame.sort_values("position_id", ignore_index=True)[columns],
            table.sort_values("position_id", ignore_index=True)[columns],
            check_dtype=False,
        )

    @pytest.mark.slow
    def test_inspect_finds_the_task_and_the_model(self, tmp_path, monkeypatch):
        if not any(point.name == "workbench" for point in entry_points(group="inspect_ai")):
            pytest.skip("the entry point is not installed: install the project again")
        monkeypatch.chdir(tmp_path)
        command = [sys.executable, "-m", "inspect_ai", "eval", "workbench/state_reconstruction",
                   "--model", "workbench/simulated", "--limit", "20", "--display", "none",
                   "-T", "prompt=self-check", "-M", "rate=0.05", "--log-dir", str(tmp_path)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        from inspect_ai.log import read_eval_log

        path = next(tmp_path.glob("*.eval"))
        log = read_eval_log(str(path))
        assert log.status == "success"
        assert len(log.samples) == 20
        # Question and check, each with its reply.
        assert {len(sample.messages) for sample in log.samples} == {4}
        # The workbench reads and scores the same replies by itself.
        predictions = import_inspect_logs([path]).predictions
        scores = score_predictions(predictions, ScoringParameters())
        assert len(scores) == 20
        columns = {"p_4": "precision_4", "r_4": "recall_4", "exact_match": "exact_match"}
        found = {score.name: score for score in log.results.scores}
        assert found.keys() == columns.keys()
        for name, column in columns.items():
            values = scores[column].astype(float)
            assert 0 < values.mean() < 1
            metrics = {key: metric.value for key, metric in found[name].metrics.items()}
            # Every game gives one position, so that clusters by game change nothing.
            expected = {"mean": values.mean(), "stderr": values.sem()}
            assert metrics == pytest.approx(expected)
            assert (found[name].scored_samples, found[name].unscored_samples) == (20, 0)


@needs_inspect
class TestTheSimulatedModel:
    def test_moves_in_every_notation(self):
        def moves_in_uci(text):
            return " ".join(environment_named("chess").movetext_actions(text))

        uci = "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6 g1f3 b8c6 f1e2 g8f6 e1g1"
        assert moves_in_uci(uci) == uci
        san = "e4 a6 e5 d5 exd6 exd6 Nf3 Nc6 Be2 Nf6 O-O"
        assert moves_in_uci(san) == uci
        numbered = "1. e4 a6 2. e5 d5 3.exd6 exd6 4. Nf3 Nc6 5. Be2 Nf6 6. O-O"
        assert moves_in_uci(numbered) == uci
        assert moves_in_uci("") == ""
        with pytest.raises(ValueError, match="Ke3"):
            moves_in_uci("1. e4 e5 2. Ke3")

    def test_it_follows_every_prompt_with_either_side_to_move(self):
        from inspect_ai.model import ChatMessageUser, GenerateConfig

        from workbench.asking.inspect_registry import OwnModel
        from workbench.asking.prompts import PROMPTS

        moves = "e2e4 e7e5 g1f3"
        ends = {
            3: (
                "1. e4 e5 2. Nf3",
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
            ),
            2: ("1. e4 e5", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"),
        }
        model = OwnModel("simulated", rate=0.0)
        for prompt in PROMPTS:
            for plies, (movetext, fen) in ends.items():
                played = " ".join(moves.split()[:plies])
                said = [ChatMessageUser(content=prompt.questions(movetext, played, "here")[0])]
                output = asyncio.run(model.generate(said, [], "none", GenerateConfig()))
                assert (prompt.name, output.completion) == (prompt.name, fen)

    def test_a_slip_rate_of_one_in_three_loses_track_and_none_does_not(self, positions):
        # The provider wraps this very tracker; here it is held to both ends of its rate.
        right = simulate(positions, rate=0.0, seed=0)
        assert (right["predicted_state"] == right["true_state"]).all()
        wrong = simulate(positions, rate=0.34, seed=0)
        assert (wrong["predicted_state"] != wrong["true_state"]).mean() > 0.5
        assert set(wrong["reply_class"]) <= set(ReplyClass)


BLOCKED = """
import sys
sys.modules.update(inspect_ai=None, openai=None)
import importlib, pkgutil
import workbench
inside = {"inspect_process", "inspect_registry", "inspect_task", "inspect_scorers",
          "registered_names", "session", "inspect_provider"}
for module in pkgutil.walk_packages(workbench.__path__, "workbench."):
    own = module.name.startswith("workbench.asking.")
    skipped = own and module.name.rpartition(".")[2] in inside
    # Training and reasoning-gym have extras of their own, PyTorch none. Compiled modules would be compiled anew: they have their
    # own place for machine code.
    others = (".explore", ".training.", ".torch_model", ".reasoning_gym_states", ".kernel.", "__main__")
    if not skipped and not any(other in module.name for other in others):
        importlib.import_module(module.name)
from workbench.environments.chess.kernel.cache import compile_all
compile_all()
from workbench.cli import main
main(sys.argv[1:], prog_name="workbench")
"""


class TestWithoutTheExtra:
    def blocked(self, *arguments):
        command = [sys.executable, "-c", textwrap.dedent(BLOCKED), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    @pytest.mark.slow
    def test_everything_else_can_be_imported_and_run(self, positions_path, tmp_path):
        out = tmp_path / "predictions.parquet"
        done = self.blocked("replies", "simulate", positions_path, "-o", out)
        assert done.returncode == 0, done.stderr
        assert len(pd.read_parquet(out)) == 40

    def test_asking_says_what_to_install(self, positions_path, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "inspect_ai", None)
        said = run("ask", positions_path, "--model", "workbench/simulated", "-o", tmp_path / "r",
                   "--yes", code=1)  # fmt: skip
        assert install_hint("ask") in said
        assert not (tmp_path / "r").exists()


class TestTheCommandLine:
    def test_prompts_are_listed_and_shown_whole(self, tmp_path):
        from workbench.asking.prompts import PROMPTS

        said = run("prompts")
        assert all(f"{prompt.name}@{prompt.version} " in said for prompt in PROMPTS)
        shown = run("prompts", "self-check")
        assert all(turn in shown for turn in PROMPTS[-1].turns)
        assert "expected one of pgn-direct@1" in run("prompts", "nothing", code=1)
        (tmp_path / "mine.toml").write_text(
            'name = "mine"\nversion = 1\nsystem = "Play."\nturns = ["From {moves}", "Sure?"]'
        )
        assert run("prompts", tmp_path / "mine.toml") == (
            "--- system\nPlay.\n--- turn 1\nFrom {moves}\n--- turn 2\nSure?\n"
        )

    @needs_inspect
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--model", "gpt-4o"], "provider/name"),
            (["--model", "openai/x", "--base-url", "http://a:b@c/v1"], "without credentials"),
            (["--model", "openai/x", "--budget", "1"], "expected a price"),
            (["--model", "openai/x", "-M", "api_key=sk-1"], "written to the logs"),
            (["--model", "openai/x", "--prompt", "nothing"], "expected one of"),
        ],
    )
    def test_refusals_before_anything_is_written(self, positions_path, tmp_path, options, said):
        out = tmp_path / "run"
        assert said in run("ask", positions_path, "-o", out, "--yes", *options, code=1)
        assert not out.exists()

    def test_a_model_argument_needs_a_name(self, positions_path, tmp_path):
        arguments = ["ask", positions_path, "-o", tmp_path / "r", "--model", "a/b", "-M", "rate"]
        assert "NAME=VALUE" in run(*arguments, code=2)

    @needs_inspect
    def test_a_table_of_prices(self, positions_path, tmp_path):
        prices = tmp_path / "prices.json"
        prices.write_text(json.dumps({"workbench/simulated": {"input": 0, "output": 1000}}))
        said = run("ask", positions_path, "-o", tmp_path / "r", "--model", "workbench/simulated",
                   "--prices", prices, code=1, input="n\n")  # fmt: skip
        assert "about 2.40 dollars" in said
