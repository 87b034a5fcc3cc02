"""The description of tables in Croissant, against a description of its required parts of our own.

Not by MLCommons' own reader, ``mlcroissant``: one of the packages that it needs is published as source
alone, so that it is not among those of the extra ``dev``.
"""

import json

import jsonschema
import pyarrow.parquet as pq
import pytest

from workbench.environments.registry import environment_named, environment_names
from workbench.reports.exports import Publication, write_exports
from workbench.reports.exports.column_descriptions import column_description
from workbench.reports.exports.croissant import citation, croissant
from workbench.reports.reported_run import read_run
from workbench.scoring import ScoringParameters
from workbench.scoring.parameters import scores_schema
from workbench.tables.parquet_tables import PREDICTIONS
from workbench.tables.provenance import file_hash

TEXT = {"type": "string", "minLength": 1}
REFERENCE = {
    "type": "object",
    "required": ["@id"],
    "additionalProperties": False,
    "properties": {"@id": TEXT},
}


def part(kind, required, **properties):
    return {
        "type": "object",
        "required": ["@type", "@id", "name", *required],
        "additionalProperties": False,
        "properties": {"@type": {"const": kind}, "@id": TEXT, "name": TEXT, **properties},
    }


DATASET = {
    "type": "object",
    "required": [
        "@context",
        "@type",
        "conformsTo",
        "name",
        "description",
        "distribution",
        "recordSet",
    ],
    "additionalProperties": False,
    "properties": {
        "@context": {
            "type": "object",
            "required": ["@vocab", "cr", "dct", "sc", "conformsTo", "recordSet", "field", "source"],
            "properties": {
                "@vocab": {"const": "https://schema.org/"},
                "sc": {"const": "https://schema.org/"},
                "cr": {"const": "http://mlcommons.org/croissant/"},
                "dct": {"const": "http://purl.org/dc/terms/"},
            },
        },
        "@type": {"const": "sc:Dataset"},
        "conformsTo": {"const": "http://mlcommons.org/croissant/1.0"},
        "name": TEXT,
        "description": TEXT,
        "license": {"type": "string", "format": "uri"},
        "url": {"type": "string", "format": "uri"},
        "dateCreated": TEXT,
        "citeAs": {"type": "string", "pattern": "^@misc{[^{}]+,"},
        "creator": {"type": "array", "minItems": 1},
        "publisher": {"type": "object"},
        "distribution": {
            "type": "array",
            "items": part(
                "cr:FileObject",
                ["contentUrl", "encodingFormat", "sha256"],
                contentUrl={"type": "string", "pattern": "^[^/.][^:]*$"},
                contentSize={"type": "string", "pattern": "^[0-9]+ B$"},
                encodingFormat={"const": "application/x-parquet"},
                sha256={"type": "string", "pattern": "^[0-9a-f]{64}$"},
            ),
        },
        "recordSet": {
            "type": "array",
            "items": part(
                "cr:RecordSet",
                ["field"],
                key={"type": "array", "items": REFERENCE},
                field={
                    "type": "array",
                    "minItems": 1,
                    "items": part(
                        "cr:Field",
                        ["description", "dataType", "source"],
                        description=TEXT,
                        dataType={"enum": ["sc:Text", "sc:Integer", "sc:Float", "sc:Boolean"]},
                        source={
                            "type": "object",
                            "required": ["fileObject", "extract"],
                            "additionalProperties": False,
                            "properties": {
                                "fileObject": REFERENCE,
                                "extract": {
                                    "type": "object",
                                    "required": ["column"],
                                    "properties": {"column": TEXT},
                                },
                            },
                        },
                    ),
                },
            ),
        },
    },
}
"""The parts that the Croissant Format Specification 1.0 requires of tables, and those that we add."""

PUBLICATION = Publication(("Noether, Emmy",), "A lab", "CC-BY-4.0", "https://example.org/run")


@pytest.fixture
def published(asked_run, tmp_path):
    """The folder of a report of one run, with a failed call in it."""
    run = read_run(asked_run(["right", "8/8", None, "no board"]))
    write_exports([run], tmp_path / "out")
    return tmp_path / "out"


def checked(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(DATASET).validate(document)
    files = [each["@id"] for each in document["distribution"]]
    fields = [field for records in document["recordSet"] for field in records["field"]]
    identifiers = files + [each["@id"] for each in (*document["recordSet"], *fields)]
    assert len(identifiers) == len(set(identifiers))
    assert {field["source"]["fileObject"]["@id"] for field in fields} == set(files)
    for records in document["recordSet"]:
        assert {each["@id"] for each in records["key"]} <= {
            each["@id"] for each in records["field"]
        }
    return document


def test_files_have_their_size_and_hash(published):
    document = checked(published / "croissant.json")
    assert len(document["distribution"]) == 2
    for each in document["distribution"]:
        path = published / each["contentUrl"]
        assert each["sha256"] == file_hash(path)
        assert each["contentSize"] == f"{path.stat().st_size} B"
    for name, records in zip(("scores", "predictions"), document["recordSet"], strict=True):
        schema = pq.read_schema(published / "tables" / f"{name}.parquet")
        assert [field["name"] for field in records["field"]] == schema.names
        kinds = {field["name"]: field["dataType"] for field in records["field"]}
        assert kinds["sample"] == "sc:Integer"
        assert kinds["position_id"] == "sc:Text"
    assert kinds["dollars"] == "sc:Float"


def test_what_the_publisher_says_is_in_it(published, tmp_path):
    tables = [published / "tables" / "scores.parquet"]
    document = croissant(
        tables, published, "A title", "Words", PUBLICATION, "2026-01-02T03:04:05+00:00"
    )
    assert document["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert document["creator"] == [{"@type": "sc:Person", "name": "Noether, Emmy"}]
    assert document["citeAs"] == (
        "@misc{world-state-evaluation,\n  author = {Noether, Emmy},\n  title = {{A title}},\n"
        "  publisher = {A lab},\n  url = {https://example.org/run}\n}"
    )
    path = published / "told.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert checked(path)["url"] == "https://example.org/run"


def test_a_citation_has_balanced_braces_and_no_markup_of_a_name():
    entry = citation("a_b}\n{50% \\end", Publication(("{Some} Lab", "Noether, Emmy"), url="u}{"))
    assert r"title = {{a\_b\} \{50\% \textbackslash{}end}}" in entry
    assert r"author = {{\{Some\} Lab} and Noether, Emmy}" in entry
    plain = entry.replace("\\{", "").replace("\\}", "")
    assert plain.count("{") == plain.count("}")
    assert "url = {u%7D%7B}" in entry
    assert "publisher" not in entry


def test_tables_that_lie_in_the_folder_are_not_copied(asked_run):
    folder = asked_run(["right"])
    write_exports([read_run(folder)], folder)
    assert not (folder / "tables").exists()
    document = checked(folder / "croissant.json")
    assert [each["@id"] for each in document["distribution"]] == [
        "scores.parquet",
        "predictions.parquet",
    ]


def test_every_column_of_every_environment_is_described():
    estimated = ScoringParameters(method="stratified")
    names = set(PREDICTIONS.names) | {"true_fen"}
    for environment in environment_names():
        named = "planning:gripper" if environment == "planning" else environment
        for parameters in (ScoringParameters(), estimated):
            names |= set(scores_schema(parameters, environment_named(named)).names)
    assert [name for name in sorted(names) if not column_description(name)] == []
    assert column_description("precision_3").startswith("p and r")
    assert column_description("no_such_column") == ""
