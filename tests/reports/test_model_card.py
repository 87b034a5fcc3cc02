"""The fragment of a model card, as a reader of YAML sees it."""

import math
from dataclasses import replace

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import t as student

from workbench.reports.chapters import ReportedRun, chapter_depths, read_run
from workbench.reports.evaluations import evaluations_of, json_value
from workbench.reports.every_eval_ever import Publication
from workbench.reports.exports import front_matter, model_card, write_exports
from workbench.reports.headline import headline
from workbench.reports.report_page import provenance_section
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.studies.study_scores import with_games

TEXT = {"type": "string", "minLength": 1}
MODEL_INDEX = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["name", "results"],
        "additionalProperties": False,
        "properties": {
            "name": TEXT,
            "results": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["task", "dataset", "metrics"],
                    "additionalProperties": False,
                    "properties": {
                        "task": {
                            "type": "object",
                            "required": ["type"],
                            "additionalProperties": False,
                            "properties": {"type": TEXT, "name": TEXT},
                        },
                        "dataset": {
                            "type": "object",
                            "required": ["type", "name"],
                            "additionalProperties": False,
                            "properties": {
                                "type": TEXT,
                                "name": TEXT,
                                "config": TEXT,
                                "split": TEXT,
                                "revision": TEXT,
                                "args": {"type": "object"},
                            },
                        },
                        "metrics": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": ["type", "value"],
                                "additionalProperties": False,
                                "properties": {
                                    "type": TEXT,
                                    "value": {"type": "number"},
                                    "name": TEXT,
                                    "config": TEXT,
                                    "args": {"type": "object"},
                                    "verified": {"type": "boolean"},
                                },
                            },
                        },
                        "source": {
                            "type": "object",
                            "required": ["url"],
                            "additionalProperties": False,
                            "properties": {"name": TEXT, "url": TEXT},
                        },
                    },
                },
            },
        },
    },
}
"""The format as https://github.com/huggingface/hub-docs, modelcard.md, describes it."""


def head_and_text(card):
    start, head, text = card.split("---\n", 2)
    assert start == ""
    return yaml.safe_load(head), text


def test_the_card_has_the_headline_numbers_unrounded(asked_run, tmp_path):
    run = read_run(asked_run(["right", "right", "8/8", "no board", None]))
    write_exports([run], tmp_path / "out", Publication(url="https://example.org"))
    head, text = head_and_text((tmp_path / "out" / "model_card.md").read_text(encoding="utf-8"))
    jsonschema.validate(head["model-index"], MODEL_INDEX)
    (model,) = head["model-index"]
    assert model["name"] == "gpt-x"
    (result,) = model["results"]
    assert result["source"]["url"] == "https://example.org"
    assert result["dataset"]["args"]["terminal"] == "absorb"
    digest = run.provenance["positions_sha256"]
    assert result["dataset"]["args"]["positions_sha256"] == digest
    assert result["dataset"]["type"] == f"chess.state.{digest[:8]}"
    expected = headline(run.scores).set_index("quantity")
    found = {each["type"]: each for each in result["metrics"]}
    assert list(found) == list(expected.index)
    for name, metric in found.items():
        row = expected.loc[name]
        assert metric["value"] == row["mean"]
        for argument, value in metric["args"].items():
            assert value == row[argument]
    # Two of four replies, each of a game of its own: t with 3 degrees on the scale of the logit.
    error = math.sqrt(0.25 / 3)
    half = float(student.ppf(0.975, 3)) * error / 0.25
    low, high = (float(expit(each)) for each in (-half, half))
    cell = f"| state |  | exact match | 0.5 | {low:.4g} to {high:.4g} | 4 | 4 |"
    assert cell in text, text
    assert "1 failed call left out" in text
    assert run.question["prompt"]["sha256"] in text


def test_a_prompt_that_is_described_in_part(asked_run, tmp_path):
    run = read_run(asked_run(["right"]))
    for kept in (["name", "notation", "turns"], ["version"]):
        prompt = {name: run.question["prompt"][name] for name in kept}
        told = replace(run, question={**run.question, "prompt": prompt})
        write_exports([told], tmp_path / "out")
        _, text = head_and_text((tmp_path / "out" / "model_card.md").read_text(encoding="utf-8"))
        name, version = prompt.get("name", "unknown"), prompt.get("version", "unknown")
        assert f"- Prompt: {name}@{version}, SHA-256 unknown" in text
        assert f"Prompt {name}@{version}, SHA-256 unknown" in provenance_section([told])


def test_undefined_numbers_are_in_the_text_alone(asked_run, tmp_path):
    run = read_run(asked_run([None]))
    write_exports([run], tmp_path / "out")
    head, text = head_and_text((tmp_path / "out" / "model_card.md").read_text(encoding="utf-8"))
    assert head["model-index"] == [{"name": "gpt-x", "results": []}]
    assert text.count("| undefined |") == 5
    assert "nan" not in text.lower()


def test_names_with_markup_stay_names(predictions):
    hostile = "---\n<script>alert(1)</script> | `x` *y* [z](javascript:1)\n# Heading\u2028\x00"
    rows = predictions.assign(model=hostile, setting=hostile, set=hostile)
    scores = with_games(score(rows, ScoringParameters(depth=1)), rows)
    run = ReportedRun("run", scores, rows)
    (evaluation,) = evaluations_of(run, chapter_depths([run]))
    head, text = head_and_text(model_card(evaluation, Publication()))
    jsonschema.validate(head["model-index"], MODEL_INDEX)
    assert head["model-index"][0]["name"] == hostile.rpartition("/")[2]
    assert hostile in head["model-index"][0]["results"][0]["dataset"]["name"]
    assert "<script" not in text
    assert "\n# " not in text
    lines = [line for line in text.splitlines() if line.startswith("| state")]
    assert {line.replace("\\|", "").count("|") for line in lines} == {8}


@pytest.mark.parametrize(
    "value",
    [1e-05, 1e22, 0.1, -3.0, 5e-324, 7, "yes", "NULL", "12", "1e3", "~", "", "a: b", True, None],
)
def test_scalars_read_back_exactly(value):
    found, _ = head_and_text(front_matter({"key": value, "list": [value, {"a": value}]}))
    assert found == {"key": value, "list": [value, {"a": value}]}
    assert type(found["key"]) is type(value)


@settings(max_examples=40)
@given(st.recursive(
    st.text() | st.booleans() | st.none() | st.integers() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
))  # fmt: skip
def test_every_value_reads_back(value):
    found = yaml.safe_load(front_matter({"key": value}).split("\n", 1)[1].rpartition("---\n")[0])
    expected = json_value({"key": value})
    assert found == expected
    assert not isinstance(value, float) or math.isinf(value) or found["key"] == value
