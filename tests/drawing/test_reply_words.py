"""Every class and every flag has its words, the same on pages and in figures."""

import re

import chess
import pytest

from workbench.drawing.reply_words import (
    CLASS_WORDS,
    FLAG_WORDS,
    class_words,
    field_words,
    status_words,
)
from workbench.environments.chess.state import FIELD_NAMES
from workbench.explore.page.assets import FOLDER
from workbench.prediction import CLASSES


def test_every_flag_of_python_chess_has_words_of_its_own():
    # Flags of racing kings, a variant, are no board's here.
    flags = {flag.name for flag in chess.Status if "RACE" not in str(flag.name)}
    assert set(FLAG_WORDS) == flags
    assert len(set(FLAG_WORDS.values())) == len(flags)
    assert status_words("OPPOSITE_CHECK") == "the side not to move is in check"
    assert status_words("NEW_FLAG") == "NEW_FLAG"


def test_every_class_has_words_without_underscores():
    assert tuple(CLASS_WORDS) == (*CLASSES, "unscored")
    assert class_words("absent") == "without a FEN"
    for words in (*CLASS_WORDS.values(), *FLAG_WORDS.values()):
        assert "_" not in words
        assert not words.isupper()


def test_the_pages_list_is_the_same():
    text = (FOLDER / "page" / "class_words.js").read_text(encoding="utf-8")
    classes, fields = text.split("FIELD_WORDS")
    assert dict(re.findall(r'(\w+): "([^"]*)"', classes)) == dict(CLASS_WORDS)
    assert dict(re.findall(r'(\w+): "([^"]*)"', fields)) == {
        name: field_words(name) for name in FIELD_NAMES
    }


@pytest.mark.parametrize("folder", ["game", "pair", "losses", "board"])
def test_widgets_do_not_write_the_names_of_classes_themselves(folder):
    for file in (FOLDER / folder).glob("*.js"):
        written = re.findall(r'"(?:unreadable|without a FEN)"', file.read_text(encoding="utf-8"))
        assert written == [], file.name
