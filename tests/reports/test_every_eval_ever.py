"""Results in the schema of Every Eval Ever, against the published schema and the headline numbers."""

import json
import math
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

from workbench.answers.model_replies import simulate
from workbench.answers.recorded_replies import recorded_replies
from workbench.asking.prompts import Prompt
from workbench.errors import TableError
from workbench.reports.chapters import ReportedRun, chapters_of, read_run
from workbench.reports.evaluations import json_text, public_question
from workbench.reports.every_eval_ever import Publication, read_results
from workbench.reports.exports import write_exports
from workbench.reports.headline import headline
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score, score_file
from workbench.studies.study_scores import with_games
from workbench.tables.parquet_tables import PREDICTIONS, write_table
from workbench.tables.provenance import file_hash

SCHEMAS = Path(__file__).parent / "every_eval_ever"
HOSTILE = '<script>alert(1)</script> "quoted" | x\n---\n\u2028../..'


def validator(name):
    schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return schema, jsonschema.Draft7Validator(schema)


RESULTS_SCHEMA, RESULTS = validator("eval.schema.json")
INSTANCE_SCHEMA, INSTANCES = validator("instance_level_eval.schema.json")
WITHOUT_SCORE = jsonschema.Draft7Validator(
    {**INSTANCE_SCHEMA, "required": [x for x in INSTANCE_SCHEMA["required"] if x != "evaluation"]}
)


def strict(constant):
    raise AssertionError(f"{constant} is no JSON")


def results_of(folder):
    text = (folder / "results.json").read_text(encoding="utf-8")
    document = json.loads(text, parse_constant=strict)
    RESULTS.validate(document)
    return document


def run_in_memory(predictions, name="a run", **parameters):
    scores = score(predictions, ScoringParameters(**{"depth": 2, **parameters}))
    return ReportedRun(name, with_games(scores, predictions), predictions)


def same(found, expected):
    pd.testing.assert_frame_equal(
        found, expected.reset_index(drop=True), check_dtype=False, check_exact=True
    )


def test_results_read_back_are_the_headline_numbers(asked_run, tmp_path, json_lines):
    run = read_run(
        asked_run(["right"] * 5 + ["8/8", "no board", "7k/8/8/8/8/8/8/K7 w - - 0 1", None])
    )
    out = tmp_path / "out"
    write_exports([run], out)
    document = results_of(out)
    expected = headline(run.scores)
    assert expected["n"].iloc[0] == 8
    assert expected["games"].iloc[0] > 2
    assert expected["lower"].iloc[0] < expected["mean"].iloc[0] < expected["upper"].iloc[0]
    assert expected["failed"].iloc[0] == 1
    same(read_results(out / "results.json"), expected)
    same(read_results(out), expected)

    by_id = {each["evaluation_result_id"]: each for each in document["evaluation_results"]}
    assert len(by_id) == 5
    digest = run.provenance["positions_sha256"]
    name = f"chess.state.{digest[:8]}"
    precision = by_id[f"{name}/precision_2"]
    assert precision["evaluation_name"] == precision["source_data"]["dataset_name"] == name
    assert precision["source_data"]["additional_details"]["positions_sha256"] == digest
    assert precision["metric_config"]["metric_parameters"] == {"m": 2}
    assert precision["score_details"]["score"] == expected["mean"].iloc[0]
    assert by_id[f"{name}/levenshtein"]["metric_config"]["lower_is_better"] is True
    assert document["schema_version"] == RESULTS_SCHEMA["version"]

    lines = json_lines(out / "instances.jsonl")
    (failed,) = json_lines(out / "unscored.jsonl")
    for line in lines:
        INSTANCES.validate(line)
        assert line["evaluation_id"] == document["evaluation_id"]
        assert line["evaluation_result_id"] == f"{name}/precision_2"
    WITHOUT_SCORE.validate(failed)
    assert failed["error"] == "call failed: 503 busy"
    assert failed["output"] == {"raw": []}
    assert len(lines) == 8
    # The file of single replies gives the mean again, because failed calls are not in it.
    assert np.mean([line["evaluation"]["score"] for line in lines]) == expected["mean"].iloc[0]
    assert [line["evaluation"]["is_correct"] for line in lines] == [True] * 5 + [False] * 3
    described = document["detailed_evaluation_results"]
    assert described["total_rows"] == 8
    assert described["checksum"] == file_hash(out / "instances.jsonl")


def test_a_line_has_question_reply_answer_and_provenance(asked_run, tmp_path, json_lines):
    folder = asked_run(["The board is\nrnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1"])
    run = read_run(folder)
    out = tmp_path / "out"
    write_exports([run], out, Publication(organization="A lab", url="https://example.org"))
    (line,) = json_lines(out / "instances.jsonl")
    moves = run.predictions["moves"].iloc[0]
    assert line["input"]["raw"].endswith(f"Moves:\n{moves}")
    assert line["input"]["reference"] == [run.predictions["true_state"].iloc[0]]
    assert line["output"]["raw"] == [run.predictions["reply"].iloc[0]]
    (attribution,) = line["answer_attribution"]
    assert attribution["extracted_value"] == "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1"
    assert line["token_usage"] == {"input_tokens": 300, "output_tokens": 20, "total_tokens": 320}
    assert line["performance"] == {"latency_ms": 500.0}
    assert line["metadata"]["precision_1"] == repr(float(run.scores["precision_1"].iloc[0]))

    document = results_of(out)
    assert document["evaluation_timestamp"] == run.date != ""
    assert int(document["retrieved_timestamp"]) > 1_700_000_000
    assert document["source_metadata"]["source_organization_name"] == "A lab"
    details = document["source_metadata"]["additional_details"]
    assert details["scores_sha256"] == file_hash(folder / "scores.parquet")
    assert details["predictions_sha256"] == file_hash(folder / "predictions.parquet")
    (result, *_) = document["evaluation_results"]
    config = result["generation_config"]
    assert config["generation_args"]["temperature"] == 0.0
    assert config["additional_details"]["seed"] == "3"
    assert config["additional_details"]["prompt_sha256"] == run.question["prompt"]["sha256"]
    scoring = result["metric_config"]["additional_details"]
    assert scoring == {
        "scoring_depth": "2",
        "scoring_ill_formed": "as_is",
        "scoring_method": "exact",
        "scoring_terminal": "absorb",
    }


def test_an_estimator_is_named_with_its_samples(asked_run, tmp_path):
    run = read_run(asked_run(["right", "right"], method="stratified"))
    write_exports([run], tmp_path / "out")
    (result, *_) = results_of(tmp_path / "out")["evaluation_results"]
    scoring = result["metric_config"]["additional_details"]
    assert (scoring["scoring_method"], scoring["scoring_samples"]) == ("stratified", "40")
    assert (scoring["scoring_batches"], scoring["scoring_seed"]) == ("4", "5")


def test_undefined_numbers_are_counted_and_never_zero(asked_run, tmp_path, json_lines):
    run = read_run(asked_run([None, None]))
    out = tmp_path / "out"
    write_exports([run], out)
    document = results_of(out)
    assert document["evaluation_results"] == []
    assert "detailed_evaluation_results" not in document
    found = read_results(out)
    same(found, headline(run.scores))
    assert found["mean"].isna().all()
    assert (found["failed"] == 2).all()
    assert (out / "instances.jsonl").read_bytes() == b""
    assert len(json_lines(out / "unscored.jsonl")) == 2
    # One reply has a mean, and no interval.
    write_exports([read_run(asked_run(["right"], "one"))], out)
    found = read_results(out)
    assert found["mean"].iloc[0] == 1
    assert math.isnan(found["lower"].iloc[0])


@pytest.mark.slow
def test_recorded_replies_of_several_models_sets_and_settings(tmp_path, json_lines):
    models = ("o3-mini-2025-01-31", "gemini-2.5-flash-preview-04-17", "starting_board")
    replies = recorded_replies(sets=(), models=models, settings=("", "thinking=256"))
    some = replies[replies["ply"].isin((9, 10))].groupby(["set", "model", "setting"]).head(12)
    write_table(some, tmp_path / "replies.parquet", PREDICTIONS)
    score_file(
        tmp_path / "replies.parquet", tmp_path / "scores.parquet", ScoringParameters(depth=2)
    )
    run = read_run(tmp_path / "scores.parquet")
    out = tmp_path / "out"
    write_exports([run], out)
    folders = sorted((out / "evaluations").iterdir())
    assert len(folders) == 4
    lines = 0
    for folder in folders:
        document = results_of(folder)
        assert document["retrieved_timestamp"] == "unknown"
        for line in json_lines(folder / "instances.jsonl"):
            INSTANCES.validate(line)
            assert line["model_id"] == document["model_info"]["id"]
            assert line["metadata"]["wording"] == "unknown"
            lines += 1
    assert lines == len(some) == 12 * 7
    expected = headline(run.scores)
    assert (expected["upper"] > expected["lower"]).any()
    same(read_results(out), expected)


def test_a_prompt_of_two_turns_is_a_conversation(asked_run, tmp_path, json_lines):
    system = "You know chess."
    turns = ("Moves: {moves}", "Sure?")
    prompt = Prompt("twice", 1, "uci", turns, 60, system)
    run = read_run(asked_run([["first", "right"], None], prompt=prompt))
    write_exports([run], tmp_path / "out")
    results_of(tmp_path / "out")
    (line,) = json_lines(tmp_path / "out" / "instances.jsonl")
    INSTANCES.validate(line)
    said = [(each["role"], each["content"]) for each in line["messages"]]
    true = run.predictions["true_state"].iloc[0]
    moves = run.predictions["moves"].iloc[0]
    assert said == [
        ("system", system),
        ("user", f"Moves: {moves}"),
        ("assistant", "first"),
        ("user", "Sure?"),
        ("assistant", true),
    ]
    assert line["answer_attribution"][0]["turn_idx"] == 4
    (failed,) = json_lines(tmp_path / "out" / "unscored.jsonl")
    WITHOUT_SCORE.validate(failed)
    assert [each["role"] for each in failed["messages"]] == ["system", "user"]


def test_lists_of_actions_are_correct_if_nothing_is_missing_or_wrong(some_positions, tmp_path):
    told = simulate(some_positions, rate=0.0, seed=0, task="actions")
    told.loc[0, ["reply", "predicted_actions"]] = "e2e4"
    run = run_in_memory(told)
    write_exports([run], tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "instances.jsonl").open(encoding="utf-8")]
    assert [line["evaluation"]["is_correct"] for line in lines] == [False] + [True] * 11
    assert {line["evaluation_result_id"] for line in lines} == {"chess.actions/precision_1"}
    same(read_results(tmp_path), headline(run.scores))


def test_hostile_texts_stay_texts_on_one_line_each(predictions, tmp_path, json_lines):
    reply = "\x00\r\n\u2028\u2029\x85" + "<b>&\ufeff" * 200_000
    rows = predictions.assign(reply=reply, model=HOSTILE, setting=HOSTILE, set=HOSTILE)
    run = run_in_memory(rows, HOSTILE)
    write_exports([run], tmp_path)
    results_of(tmp_path)
    raw = (tmp_path / "instances.jsonl").read_bytes()
    assert raw.isascii()
    lines = json_lines(tmp_path / "instances.jsonl")
    assert len(lines) == 5
    for line in lines:
        INSTANCES.validate(line)
        assert line["output"]["raw"] == [reply]
        assert line["model_id"] == HOSTILE
    same(read_results(tmp_path), headline(run.scores))


def test_lone_surrogates_and_missing_numbers_become_valid_json():
    value = {
        "text": "a\ud800b",
        "none": [math.nan, np.float64("nan"), pd.NA, math.inf, np.int32(3)],
    }
    text = json_text(value)
    assert json.loads(text, parse_constant=strict) == {
        "text": "a\ufffdb",
        "none": [None, None, None, None, 3],
    }
    assert float(json_text(0.1 + 0.2)) == 0.1 + 0.2


def test_the_same_run_gives_the_same_bytes_wherever_it_lies(asked_run, tmp_path):
    folder = asked_run(["right", "8/8", None])
    moved = tmp_path / "elsewhere" / folder.name
    shutil.copytree(folder, moved)
    written = []
    for place, path in enumerate((folder, moved)):
        out = tmp_path / f"out {place}"
        files = write_exports([read_run(path)], out)
        assert all(file.is_file() for file in files)
        written.append({file.relative_to(out): file.read_bytes() for file in files})
    assert written[0] == written[1]
    for content in written[0].values():
        assert str(tmp_path).encode() not in content


def test_keys_and_folders_of_this_machine_are_not_told():
    asked = {
        "model": "vllm/some/model",
        "model_args": {"hf_token": "hf_abcdefgh", "model_path": "/home/someone/weights"},
        "extra_body": {"headers": {"X-Key": "abcdefgh"}, "cache": ["C:\\Users\\one\\cache", "~/x"]},
        "prompt": {"turns": ["/path is part of a text\nof two lines"]},
    }
    shown = public_question(asked)
    text = json_text(shown)
    for secret in ("hf_abcdefgh", "X-Key: abcdefgh", "someone", "Users", "~"):
        assert secret not in text
    assert shown["model_args"]["model_path"] == "weights"
    assert shown["model"] == "vllm/some/model"
    assert shown["prompt"] == asked["prompt"]


def test_runs_are_published_with_the_depth_of_their_chapter(predictions, tmp_path, json_lines):
    shallow = run_in_memory(predictions.assign(model="shallow"), "shallow", depth=1)
    rows = [predictions.assign(model="deep", set=name) for name in ("", "other")]
    named = [part.assign(position_id=part["position_id"] + part["set"]) for part in rows]
    deep = run_in_memory(pd.concat(named, ignore_index=True), "deep")
    write_exports([shallow, deep], tmp_path)
    found = read_results(tmp_path)
    measured = found[found["quantity"].str.startswith("precision")]
    assert list(measured[["model", "set", "quantity"]].itertuples(index=False, name=None)) == [
        ("deep", "", "precision_1"),
        ("shallow", "", "precision_1"),
        ("deep", "other", "precision_2"),
    ]
    depths = {(each.set, each.depth) for each in chapters_of([shallow, deep])}
    assert depths == {("", 1), ("other", 2)}
    (folder,) = (tmp_path / "evaluations").glob("deep-*")
    shown = {line["evaluation_result_id"] for line in json_lines(folder / "instances.jsonl")}
    assert shown == {"chess.state/precision_1", "chess.state.other/precision_2"}


def test_what_is_not_results_is_refused(tmp_path):
    with pytest.raises(TableError, match="found none"):
        read_results(tmp_path)
    path = tmp_path / "results.json"
    for text in ("", "[]", '{"evaluation_results": [{}]}'):
        path.write_text(text)
        with pytest.raises(TableError, match="make them again"):
            read_results(path)


def test_a_run_without_rows_has_no_results(asked_run, predictions, tmp_path):
    path = tmp_path / "predictions.parquet"
    write_table(predictions.iloc[:0], path, PREDICTIONS)
    score_file(path, tmp_path / "scores.parquet", ScoringParameters(depth=1))
    out = tmp_path / "out"
    write_exports([read_run(tmp_path / "scores.parquet")], out)
    assert not (out / "results.json").exists()
