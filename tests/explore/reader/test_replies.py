"""The page of a language model scores written boards as GameTracker does."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks.network_twin import held_out_games
from workbench.explore.game_tracker import track_model
from workbench.explore.reader.reader_html import reader_content
from workbench.language_model.vocabulary import SLOTS, TOKENS, spell
from workbench.scoring import ScoringParameters

SCRIPT = Path(__file__).with_name("reply_process.mjs")
EQUAL = (
    "ply", "true_fen", "predicted_fen", "on_board", "reply", "reply_class", "levenshtein", "longer",
    "exact_match", "game_over",
)  # fmt: skip


def in_node(**question):
    """What the page makes of written texts."""
    node = shutil.which("node")
    if node is None and os.environ.get("WORKBENCH_REQUIRE_BROWSER") != "1":
        pytest.skip("node is not installed: the JavaScript is not tested")
    content = reader_content(["tiny"])
    text = json.dumps({**question, "depth": content["depth"], "words": content["words"]})
    done = subprocess.run(
        [node, SCRIPT], input=text, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def test_tokens_that_are_out_of_place_are_spelled_alike():
    rows = np.random.default_rng(0).integers(0, len(TOKENS), (200, SLOTS))
    rows[:100, :64] *= rows[:100, :64] < 13
    answer = in_node(moves="", texts=[], tokens=rows.tolist())
    assert answer["spelled"] == [spell(row) for row in rows.tolist()]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["small", "small@142"])
def test_replies_along_games_have_the_scores_of_python(model):
    compared = classes = 0
    for moves in held_out_games(3):
        tracked = track_model(" ".join(moves), model, ScoringParameters(depth=4))
        answer = in_node(
            moves=" ".join(moves), texts=[each.reply for each in tracked.replies], tokens=[]
        )
        assert answer["fens"] == [stop.fen for stop in tracked.stops]
        for reply, own in zip(tracked.replies, answer["replies"], strict=True):
            assert {name: own[name] for name in EQUAL} == {
                name: getattr(reply, name) for name in EQUAL
            }
            assert sorted(own["different"]) == sorted(reply.different)
            assert sorted(own["wrong_fields"]) == sorted(reply.wrong_fields)
            for name in ("precision", "recall"):
                assert own[name] == pytest.approx(list(getattr(reply, name)), abs=1e-12)
            compared += 1
            classes += not reply.on_board or reply.reply_class != "valid"
    assert compared > 200
    assert classes > 20
