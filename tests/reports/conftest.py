"""Runs that were asked, answered and scored, without a model and without Inspect."""

import json

import pytest

from workbench.answers.recorded_replies import BASELINE, recorded_replies
from workbench.asking.journal import Failure, Journal
from workbench.asking.predictions_table import write_run_predictions
from workbench.asking.run_folder import open_run
from workbench.asking.settings import Question
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score_file
from workbench.tables.parquet_tables import POSITIONS, write_table


def inspect_output(text):
    """A reply as Inspect's output holds it."""
    return {
        "choices": [{"message": {"content": text}, "stop_reason": "stop"}],
        "usage": {"input_tokens": 300, "output_tokens": 20, "total_tokens": 320},
        "time": 0.5,
    }


@pytest.fixture
def some_positions():
    """Twelve positions of different World Cup games, after 30 and 31 half-moves."""
    recorded = recorded_replies(models=(BASELINE,))
    chosen = recorded[recorded["ply"].isin((30, 31))].head(12)
    return chosen[POSITIONS.names].reset_index(drop=True)


@pytest.fixture
def asked_run(tmp_path, some_positions):
    """A function that makes the folder of a scored run.

    A reply is a text, a list of texts where the prompt has several turns, or None if the call failed;
    ``right`` stands for the true board.
    """

    def made(replies, name="a run", *, prompt="uci-direct", depth=2, method="exact", **options):
        source = tmp_path / "positions.parquet"
        positions = some_positions.head(len(replies))
        write_table(positions, source, POSITIONS)
        question = Question("openai/gpt-x", prompt=prompt, temperature=0.0, seed=3, **options)
        folder = open_run(tmp_path / name, question, positions, source)
        journal = Journal(folder.path)
        rows = zip(positions["position_id"], positions["true_state"], replies, strict=True)
        for position, true, reply in rows:
            if reply is None:
                journal.failed((position, 0, 0), Failure("503 busy", permanent=True))
                continue
            for turn, text in enumerate([reply] if isinstance(reply, str) else reply):
                said = true if text == "right" else text
                journal.answered((position, 0, turn), inspect_output(said), 0.001)
        journal.close()
        write_run_predictions(folder)
        score_file(
            folder.predictions,
            folder.path / "scores.parquet",
            ScoringParameters(depth=depth, method=method, samples=40, batches=4, seed=5),
        )
        return folder.path

    return made


@pytest.fixture
def json_lines():
    """A function that reads a file of one JSON object per line, as any program splits lines."""

    def read(path):
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    return read
