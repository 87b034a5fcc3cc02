"""Replies of the bundled language models to tables, without Inspect."""

import pandas as pd
import pytest
from click.testing import CliRunner

from workbench.answers.model_replies import model_replies
from workbench.cli import main
from workbench.environments.registry import environment_named
from workbench.episodes import EpisodeSample
from workbench.errors import InvalidArgumentError, TableError
from workbench.games import cut_games, random_games
from workbench.language_model.language_model import load_model, weights_path
from workbench.language_model.written_replies import ReplySettings, refusal_reply, write_replies
from workbench.tables.parquet_tables import (
    POSITIONS,
    PREDICTIONS,
    read_provenance,
    read_table,
    write_table,
)
from workbench.tables.provenance import file_hash
from workbench.tasks import task_named, task_names

SLOTS = 69


@pytest.fixture(scope="module")
def positions():
    games = random_games(12, 40, seed=3)
    return cut_games(games, groups=(2, 9), per_group=6, seed=0, allow_unfilled=True).positions


def run(*arguments, code=0):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done.output


def test_the_command_writes_a_table_with_its_provenance(positions, tmp_path):
    asked, out = tmp_path / "positions.parquet", tmp_path / "predictions.parquet"
    write_table(positions, asked, POSITIONS)
    said = run("replies", "model", asked, "--model", "tiny", "-o", out, "--jobs", 1)
    assert f"12 predictions written to {out}" in said
    table = read_table(out, PREDICTIONS)
    assert table["position_id"].tolist() == positions["position_id"].tolist()
    assert set(table["model"]) == {"workbench/tiny"}
    model = load_model("tiny")
    assert table["reply"].tolist() == model.write_states([m.split() for m in positions["moves"]])
    assert (table["input_tokens"] == 1 + positions["ply"]).all()
    assert set(table["output_tokens"]) == {SLOTS}
    made = read_provenance(out)
    assert made["positions_sha256"] == file_hash(asked)
    assert made["language_model"] == {
        "model": "workbench/tiny",
        "weights_sha256": file_hash(weights_path("tiny")),
        "task": "state",
        "depth": 4,
        "temperature": 0.0,
        "least_probability": 0.005,
        "seed": 0,
        "samples": 1,
    }
    # The same bytes whatever the number of processes and the order of the rows.
    other = tmp_path / "other.parquet"
    run("replies", "model", asked, "--model", "tiny", "-o", other, "--jobs", 2)
    assert other.read_bytes() == out.read_bytes()
    turned = model_replies(positions[::-1], "tiny")
    assert turned["reply"].tolist()[::-1] == table["reply"].tolist()


@pytest.mark.parametrize("task", ["actions", "continuation"])
def test_the_other_tasks(positions, task):
    model = load_model("player")
    drawn = {} if task == "actions" else {"temperature": 1.0}
    settings = ReplySettings(task, 3, least_probability=0.05, **drawn)
    samples = 2 if drawn else 1
    table = model_replies(positions, "player", settings, seed=7, samples=samples)
    assert table["sample"].tolist() == list(range(samples)) * len(positions)
    assert table["position_id"].tolist() == list(positions["position_id"].repeat(samples))
    assert set(table["task"]) == {task}
    assert set(table["reply_class"]) == {"valid"}
    for row in table.to_dict("records"):
        moves = row["moves"].split()
        named = [move for move in row["predicted_actions"].split("\n") if move]
        if task == "actions":
            assert row["reply"] == ("\n".join(named) or "none")
            assert named == list(model.next_moves(moves, 0.05))
        else:
            assert len(named) == row["output_tokens"] == 3
            (own,) = write_replies(model, [moves], settings, [7 + row["sample"]])
            assert own.text == row["reply"]
    if samples == 2:
        assert (table["reply"][::2].to_numpy() != table["reply"][1::2].to_numpy()).any()


def test_what_cannot_be_read_is_absent_in_every_task(positions):
    few = positions.head(5).copy()
    few["moves"] = [
        None,
        "e2e4 Nf3",
        " ".join(["g1f3 g8f6 f3g1 f6g8"] * 51),
        "x" * 10**6,
        "<script>alert(1)</script>",
    ]
    for task in task_names():
        table = model_replies(few, "player", ReplySettings(task))
        assert table["reply_class"].tolist() == ["absent"] * 5, task
        assert table["output_tokens"].tolist() == [0] * 5
        assert table["reply"][2] == (
            "The language model cannot reply: it reads at most 200 plies, and these are 204."
        )
        assert table["reply"].str.len().max() < 120


@pytest.mark.parametrize("name", ["chess", "othello", "sokoban", "planning", "boxes", "programs"])
def test_a_refusal_is_absent_in_every_environment(name):
    environment = environment_named(name)
    for task in task_names():
        reply = refusal_reply("it reads games of chess alone").text
        assert task_named(task).classify(environment, reply).reply_class == "absent"


def test_no_moves_and_illegal_moves_are_answered(positions):
    few = positions.head(2).assign(moves=["", "a1h8 a1h8 e4e4"])
    table = model_replies(few, "tiny")
    assert table["output_tokens"].tolist() == [SLOTS] * 2
    assert table["input_tokens"].tolist() == [1, 4]
    assert table["reply"].str.count("/").tolist() == [7, 7]


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"model": "huge"}, "tiny, small, medium"),
            ({"seed": -1}, "seed: expected at least 0"),
            ({"jobs": 0}, "jobs: expected at least 1"),
            ({"samples": 2}, "give a temperature"),
        ],
    )
    def test_arguments_out_of_range(self, positions, changes, said):
        with pytest.raises(InvalidArgumentError, match=said):
            model_replies(positions, **{"model": "tiny", **changes})

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"task": "poem"}, "task: expected one of state, actions, continuation"),
            ({"depth": 0}, "depth"),
            ({"temperature": float("nan")}, "temperature"),
            ({"least_probability": 0}, "least_probability"),
        ],
    )
    def test_settings_out_of_range(self, changes, said):
        with pytest.raises(InvalidArgumentError, match=said):
            ReplySettings(**changes)

    def test_other_environments_and_broken_tables(self, positions):
        with pytest.raises(InvalidArgumentError, match="'boxes'"):
            model_replies(EpisodeSample("boxes", (3,), 2).positions, "tiny")
        with pytest.raises(TableError, match="each position_id once"):
            model_replies(pd.concat([positions, positions]), "tiny")
        with pytest.raises(TableError, match="missing: "):
            model_replies(positions.drop(columns="moves"), "tiny")

    def test_an_empty_table(self, positions):
        assert model_replies(positions.head(0), "tiny").columns.tolist() == PREDICTIONS.names


@pytest.mark.parametrize("task", ["actions", "continuation"])
def test_models_of_boards_refuse_to_name_moves(positions, task):
    with pytest.raises(InvalidArgumentError, match="ask player"):
        model_replies(positions, "tiny", ReplySettings(task))


def test_weights_of_ones_own_reply_as_the_bundled_ones(positions, tmp_path):
    mine = tmp_path / "mine.npz"
    mine.write_bytes(weights_path("tiny").read_bytes())
    few = positions.head(3)
    own, bundled = (model_replies(few, name) for name in (str(mine), "tiny"))
    assert own["reply"].tolist() == bundled["reply"].tolist()
    assert set(own["model"]) == {"workbench/mine.npz"}
    with pytest.raises(TableError, match="expected the weights"):
        model_replies(few, str(tmp_path / "none.npz"))
