"""Every policy has its words, the same on pages and in figures, and no caption shows a policy's name."""

import re
from typing import get_args

import pandas as pd

from workbench.automaton import Terminal
from workbench.drawing.reply_words import (
    FINISHED_WORDS,
    ILL_FORMED_WORDS,
    finished_words,
    ill_formed_words,
)
from workbench.drawing.score_description import convention_words
from workbench.explore.page.assets import FOLDER
from workbench.scoring.parameters import IllFormedPolicy


def test_every_policy_has_words():
    assert tuple(ILL_FORMED_WORDS) == get_args(IllFormedPolicy)
    assert tuple(FINISHED_WORDS) == get_args(Terminal)
    assert ill_formed_words("as_is") == "ill-formed boards: as they are"
    assert ill_formed_words("sink", "as_is", states="maps") == (
        "ill-formed maps: as they are, no state (p = r = 0)"
    )
    assert finished_words("drop", episodes="episodes") == "finished episodes: left out"
    assert finished_words("another") == "finished games: another"


def test_the_pages_words_are_the_same():
    text = (FOLDER / "page" / "policy_words.js").read_text(encoding="utf-8")
    ill_formed, finished = text.split("FINISHED_WORDS")
    assert dict(re.findall(r'(\w+): "([^"]*)"', ill_formed)) == dict(ILL_FORMED_WORDS)
    assert dict(re.findall(r'(\w+): "([^"]*)"', finished)) == dict(FINISHED_WORDS)


def test_captions_call_states_and_episodes_as_their_environment_does():
    rows = pd.DataFrame({"ill_formed_policy": ["as_is"], "terminal": ["absorb"]})
    assert (
        convention_words(rows) == "ill-formed boards: as they are; finished games: complete lines"
    )
    for name, words in (
        ("othello", "Othello; ill-formed boards: as they are; finished games: complete lines"),
        ("sokoban", "Sokoban; ill-formed maps: as they are; finished episodes: complete lines"),
    ):
        assert convention_words(rows.assign(environment=name)) == words
