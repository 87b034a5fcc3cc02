"""The metadata of a deposit on Zenodo, against a description of the format of our own."""

import json

import jsonschema
from click.testing import CliRunner

from workbench.cli import main
from workbench.reports.exports import Publication, write_exports
from workbench.reports.exports.zenodo import zenodo_metadata
from workbench.reports.reported_run import read_run

TEXT = {"type": "string", "minLength": 1}
DEPOSIT = {
    "type": "object",
    "required": ["title", "upload_type", "description"],
    "additionalProperties": False,
    "properties": {
        "title": TEXT,
        "upload_type": {"enum": ["dataset", "other", "publication", "software"]},
        "description": TEXT,
        "keywords": {"type": "array", "items": TEXT, "uniqueItems": True},
        "notes": TEXT,
        "access_right": {"enum": ["open", "embargoed", "restricted", "closed"]},
        "license": TEXT,
        "creators": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": False,
                "properties": {"name": TEXT, "affiliation": TEXT, "orcid": TEXT, "gnd": TEXT},
            },
        },
        "related_identifiers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["identifier", "relation"],
                "additionalProperties": False,
                "properties": {
                    "identifier": TEXT,
                    "relation": {
                        "enum": ["cites", "isSupplementTo", "references", "isDerivedFrom"]
                    },
                    "resource_type": TEXT,
                    "scheme": TEXT,
                },
            },
        },
    },
    # An open deposit has a license.
    "dependentRequired": {"access_right": ["license"], "license": ["access_right"]},
}
"""The attributes of a deposit that we use, as https://developers.zenodo.org describes them."""


def checked(metadata):
    jsonschema.Draft202012Validator(DEPOSIT).validate(metadata)
    return metadata


def test_nobody_is_invented_as_an_author(asked_run, tmp_path):
    write_exports([read_run(asked_run(["right"]))], tmp_path / "out")
    found = checked(json.loads((tmp_path / "out" / ".zenodo.json").read_text(encoding="utf-8")))
    assert "creators" not in found
    assert "license" not in found
    assert found["title"] == "World-state evaluation of openai/gpt-x (chess)"
    assert "1 valid" in found["description"]


def test_what_the_publisher_says_is_in_it():
    publication = Publication(("Noether, Emmy",), "A lab", "CC-BY-4.0")
    found = checked(zenodo_metadata("Title", "<b>One\nline\n\nTwo", ["a"], publication, "0.1.0"))
    assert found["creators"] == [{"name": "Noether, Emmy", "affiliation": "A lab"}]
    assert found["license"] == "CC-BY-4.0"
    assert found["description"] == "<p>&lt;b&gt;One<br>line</p><p>Two</p>"


def test_the_command_writes_the_files_and_says_what_is_left_open(asked_run, tmp_path):
    out = tmp_path / "out"
    arguments = ["report", str(asked_run(["right"] * 3)), "-o", str(out), "--jobs", "1"]
    result = CliRunner().invoke(main, [*arguments, "--license", "CC0-1.0"])
    assert result.exit_code == 0, result.output
    for name in (
        "index.html",
        "results.json",
        "instances.jsonl",
        "model_card.md",
        "croissant.json",
    ):
        assert (out / name).is_file()
    assert "before you publish" in result.stderr
    assert "creators: .zenodo.json" in result.stderr
    assert "license:" not in result.stderr
    assert "citeAs" in result.stderr
    assert "datePublished, version" in result.stderr
