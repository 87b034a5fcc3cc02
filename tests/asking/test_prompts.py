import re

import chess
import pytest

from workbench.errors import InvalidArgumentError, TableError
from workbench.replies.prompts import MOVES_HEADING, PROMPTS, Prompt, prompt_named

MOVETEXT = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"
MOVES = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
class TestEveryPrompt:
    def test_shows_the_moves_once_after_the_last_heading(self, prompt):
        (question, *later) = prompt.questions(MOVETEXT, MOVES, "here")
        shown = question.rpartition(MOVES_HEADING)[2].strip()
        written = {"pgn": MOVETEXT, "san": "e4 e5 Nf3 Nc6 Bb5 a6", "uci": MOVES}
        assert shown == written[prompt.notation]
        assert tuple(later) == prompt.turns[1:]
        assert not any(MOVES_HEADING in turn or "{moves}" in turn for turn in later)

    def test_explains_all_six_fields_and_when_the_en_passant_square_is_named(self, prompt):
        text = prompt.turns[0]
        assert re.findall(r"^([1-6])\. ", text, flags=re.MULTILINE)[:6] == list("123456")
        assert "only if an enemy pawn can legally capture it there" in text

    def test_its_hash_covers_every_turn_and_the_notation(self, prompt):
        assert prompt.described()["sha256"] == prompt.sha256
        for turn in range(len(prompt.turns)):
            turns = list(prompt.turns)
            turns[turn] += "."
            other = Prompt(prompt.name, 1, prompt.notation, tuple(turns), 60)
            assert other.sha256 != prompt.sha256


# A published prompt never changes: another wording is another version.
PUBLISHED = {
    "pgn-direct@1": "9c301a3d44d692aa",
    "uci-direct@1": "345d84bc5ed93f56",
    "san-unnumbered@1": "4202faf89e26dbfa",
    "few-shot@1": "aa940fe928eab723",
    "step-by-step@1": "17ae470fef974e16",
    "board-first@1": "9a2642ec7b11bc85",
    "self-check@1": "c9bfd37ddbc070f3",
}


def test_published_prompts_are_as_they_were():
    assert {f"{p.name}@{p.version}": p.sha256[:16] for p in PROMPTS} == PUBLISHED


def test_the_examples_shown_are_right():
    text = prompt_named("few-shot").turns[0]
    shown = re.findall(rf"{MOVES_HEADING}\n(.+)\nFEN:\n(.+)\n", text)
    assert len(shown) == 3
    for movetext, fen in shown:
        board = chess.Board()
        for move in re.sub(r"\d+\.", "", movetext).split():
            board.push_san(move)
        assert board.fen() == fen
    assert any(fen.split()[3] != "-" for _, fen in shown)
    assert any("O-O" in movetext for movetext, _ in shown)


def test_names_with_and_without_a_version():
    assert prompt_named("pgn-direct") is prompt_named("pgn-direct@1")
    with pytest.raises(InvalidArgumentError, match="'pgn-direct@2'"):
        prompt_named("pgn-direct@2")
    names = [(prompt.name, prompt.version) for prompt in PROMPTS]
    assert len(set(names)) == len(names)


def test_a_position_without_the_moves_is_named():
    with pytest.raises(TableError, match=r"position 'x7': prompt 'uci-direct' .* 'moves'"):
        prompt_named("uci-direct").questions(MOVETEXT, None, "x7")
