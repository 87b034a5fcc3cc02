"""The state that a careful reader takes, in many forms of replies of each environment."""

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from workbench.environments.registry import environment_named
from workbench.installation import RESOURCES

ENTRIES = yaml.safe_load((Path(__file__).parent / "replies.yaml").read_text(encoding="utf-8"))
HANOI = RESOURCES / "notebooks" / "examples" / "hanoi" / "hanoi.py"
SIGN = re.compile(r"@([XW]|j?\d)")
PARTS = re.compile(r"[^.]+\.|\([^()]*\)")


@cache
def environment_of(name):
    if name != "hanoi":
        return environment_named(name)
    specification = importlib.util.spec_from_file_location("hanoi", HANOI)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.environment("hanoi", "")


def signs(entry):
    """Return the text behind each sign of the file."""
    state = entry["right"]
    texts = {"X": state, "W": entry["other"]}
    lines = state.split("\n") if "\n" in state else PARTS.findall(state)
    for number, line in enumerate(lines, start=1):
        texts |= {str(number): line, f"j{number}": line.replace(" ", "")}
    return texts


def cases():
    for name, entry in ENTRIES.items():
        texts = signs(entry)
        for number, one in enumerate(entry["replies"], start=1):
            assert set(one) <= {"kind", "reply", "answer", "later"}, one
            reply = SIGN.sub(lambda sign, texts=texts: texts[sign[1]], one["reply"])
            yield pytest.param(
                name, reply, one.get("answer", "X"), id=f"{name} {number} {one['kind']}"
            )


@pytest.mark.parametrize(("name", "reply", "answer"), list(cases()))
def test_the_state_that_a_careful_reader_takes(name, reply, answer):
    environment, entry = environment_of(name), ENTRIES[name]
    prediction = environment.classify(reply)
    if answer in ("absent", "unparseable", "ill_formed"):
        assert prediction.reply_class == answer, (reply, prediction)
        return
    state = environment.read_state({"X": entry["right"], "W": entry["other"]}[answer])
    assert prediction.reply_class == "valid", (reply, prediction)
    assert prediction.parsed.state == state
    again = environment.classify_state(prediction.predicted_state)
    assert again.parsed.state == state, "the stored text must be readable again"


def test_the_corpus_has_the_forms_that_it_is_for():
    assert sum(len(entry["replies"]) for entry in ENTRIES.values()) >= 100
    for entry in ENTRIES.values():
        kinds = {one["kind"] for one in entry["replies"]}
        assert {"bullets", "json", "one line", "reordered", "full width"} <= kinds
        assert {"two states", "example"} <= kinds
