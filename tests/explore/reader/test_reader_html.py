"""The page where a language model reads a game: what is in the file, and what is not."""

import json
import re

import pytest
from click.testing import CliRunner

from workbench.cli import main
from workbench.errors import InvalidArgumentError
from workbench.explore.page.assets import javascript
from workbench.explore.reader.reader_html import reader_content, reader_html
from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import PLAYER_GAMES, TRAINING_GAMES

SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)
TOP_LEVEL = r"^(?:export )?(?:async )?(?:function\*?|const|let|var|class)\s+([A-Za-z_$][\w$]*)"


def test_the_page_of_small_takes_less_than_its_limit():
    assert len(reader_html(["small"]).encode()) < 1_200_000


def test_checkpoints_stand_in_the_order_of_training():
    assert len(reader_html(["small"], checkpoints=True).encode()) < 6_000_000
    content = reader_content(["small"], checkpoints=True)
    numbers = [each["step"] for each in content["steps"]]
    assert numbers == sorted(numbers)
    assert content["steps"][-1]["name"] == content["models"][0]["name"] == "small"
    assert len(content["models"]) == len(numbers) == 7
    for models in (["tiny"], ["small", "tiny"]):
        with pytest.raises(InvalidArgumentError, match="one model that has some"):
            reader_html(models, checkpoints=True)


def test_games_have_their_numbers_among_the_bundled_ones():
    content = reader_content(["player", "small@142"])
    assert content["training_games"] == {"player": PLAYER_GAMES, "small@142": TRAINING_GAMES}
    for game in content["games"]:
        moves = game["moves"].split()
        beginnings = [tuple(each.moves[: len(moves)]) for each in bundled_games()]
        numbers = [number for number, each in enumerate(beginnings) if each == tuple(moves)]
        assert numbers == ([] if game["number"] is None else [game["number"]])


def test_the_file_names_no_address_and_runs_one_script():
    page = reader_html(["tiny"])
    assert set(re.findall(r"https?://[^\s\"'`)]+", page)) == {"http://www.w3.org/2000/svg"}
    assert [("json" in marks) for marks, _ in SCRIPT.findall(page)] == [True, False]
    (text,) = (text for marks, text in SCRIPT.findall(page) if "json" in marks)
    assert json.loads(text) == reader_content(["tiny"])


@pytest.mark.parametrize("name", ["reader/model_twin.js", "reader/reader_page.js"])
def test_names_are_unique_in_each_scope(name):
    words = re.findall(TOP_LEVEL, javascript(name), re.MULTILINE)
    assert len(words) == len(set(words))


@pytest.mark.parametrize("models", [[], ["tiny", "tiny"], ["huge"]])
def test_models_that_are_none_are_refused(models):
    with pytest.raises(InvalidArgumentError, match="model"):
        reader_html(models)


def test_the_command_writes_the_page(tmp_path):
    out = tmp_path / "believer.html"

    def run(*arguments):
        return CliRunner().invoke(main, ["page", "-o", str(out), *arguments])

    assert f"bytes written to {out}" in run("--model", "tiny").output
    assert out.read_text(encoding="utf-8") == reader_html(["tiny"])
    assert "another page" in run("--model", "tiny", "--caption", "x").output
    assert "--checkpoints needs --model" in run("--checkpoints").output
    assert "got 'huge'" in run("--model", "tiny,huge").output
