import json
import re

import chess
import pytest

from workbench.asking.prompts import (
    ANSWER_HEADING,
    MOVES_HEADING,
    PROMPTS,
    Prompt,
    prompt_named,
    read_prompt,
)
from workbench.asking.settings import Question
from workbench.errors import InvalidArgumentError, TableError

MOVETEXT = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"
MOVES = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: f"{prompt.name}@{prompt.version}")
class TestEveryPrompt:
    def test_shows_the_moves_once_after_the_last_heading(self, prompt):
        (question, *later) = prompt.questions(MOVETEXT, MOVES, "here")
        shown = question.rpartition(MOVES_HEADING)[2].removesuffix(ANSWER_HEADING).strip()
        written = {"pgn": MOVETEXT, "san": "e4 e5 Nf3 Nc6 Bb5 a6", "uci": MOVES}
        assert shown == written[prompt.notation]
        assert tuple(later) == prompt.turns[1:]
        assert not any(MOVES_HEADING in turn or "{moves}" in turn for turn in later)

    def test_shows_a_game_that_ends_after_a_move_of_white(self, prompt):
        movetext, moves = MOVETEXT.removesuffix(" a6"), MOVES.removesuffix(" a7a6")
        (question, *later) = prompt.questions(movetext, moves, "here")
        shown = question.rpartition(MOVES_HEADING)[2].removesuffix(ANSWER_HEADING).strip()
        written = {"pgn": movetext, "san": "e4 e5 Nf3 Nc6 Bb5", "uci": moves}
        assert shown == written[prompt.notation]
        # But for the moves, both sides are asked about in the same words, and none is named.
        (other, *others) = prompt.questions(MOVETEXT, MOVES, "here")
        last = "a7a6" if prompt.notation == "uci" else "a6"
        before, after = question.rsplit(shown, 1)
        assert other == f"{before}{shown} {last}{after}"
        assert later == others
        assert not re.search(r"(?i)(white|black)('s turn| to (move|play)| is to)", question)

    def test_explains_all_six_fields_and_when_the_en_passant_square_is_named(self, prompt):
        text = prompt.turns[0]
        if prompt.stop:
            # A text to be completed explains by its examples.
            assert re.findall(rf"(?<={ANSWER_HEADING}\n).+ [wb] .+", text)
            return
        assert re.findall(r"^([1-6])\. ", text, flags=re.MULTILINE)[:6] == list("123456")
        assert "only if an enemy pawn can legally capture it there" in text

    def test_its_hash_covers_every_turn_and_the_notation(self, prompt):
        assert prompt.description()["sha256"] == prompt.sha256
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
    "few-shot@2": "8a28d5dd954a9b07",
    "completion@1": "bdc1267d7b038b75",
    "step-by-step@1": "17ae470fef974e16",
    "board-first@1": "9a2642ec7b11bc85",
    "self-check@1": "c9bfd37ddbc070f3",
}


def test_published_prompts_are_as_they_were():
    assert {f"{p.name}@{p.version}": p.sha256[:16] for p in PROMPTS} == PUBLISHED


@pytest.mark.parametrize(
    ("name", "version", "games"), [("few-shot", 1, 3), ("few-shot", 2, 4), ("completion", 1, 4)]
)
def test_the_examples_shown_are_right(name, version, games):
    text = prompt_named(f"{name}@{version}").turns[0]
    shown = re.findall(rf"{MOVES_HEADING}\n(.+)\nFEN:\n(.+)\n", text)
    assert len(shown) == games
    for movetext, fen in shown:
        board = chess.Board()
        for move in re.sub(r"\d+\.", "", movetext).split():
            board.push_san(move)
        assert board.fen() == fen
    assert any(fen.split()[3] != "-" for _, fen in shown)
    assert any("O-O" in movetext for movetext, _ in shown)
    if games == 4:
        assert sorted(fen.split()[1] for _, fen in shown) == ["b", "b", "w", "w"]


def test_names_with_and_without_a_version():
    assert prompt_named("pgn-direct") is prompt_named("pgn-direct@1")
    assert prompt_named("few-shot").version == 2
    with pytest.raises(InvalidArgumentError, match="'pgn-direct@2'"):
        prompt_named("pgn-direct@2")
    names = [(prompt.name, prompt.version) for prompt in PROMPTS]
    assert len(set(names)) == len(names)


def test_a_position_without_the_moves_is_named():
    with pytest.raises(TableError, match=r"position 'x7': prompt 'uci-direct' .* 'moves'"):
        prompt_named("uci-direct").questions(MOVETEXT, None, "x7")


OWN = """\
name = "mine"
version = 3
notation = "san"
system = "You know chess."
turns = [
  '''
After {plies} half-moves it is {side}'s turn.
Moves: {moves}
Reply as {"fen": "..."}, not as {{moves}}.''',
  "Is {side} in check?",
]
"""


class TestPromptFiles:
    def read(self, tmp_path, text):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return read_prompt(path)

    def test_a_whole_file(self, tmp_path):
        prompt = self.read(tmp_path, OWN)
        assert (prompt.name, prompt.version, prompt.notation) == ("mine", 3, "san")
        assert (prompt.system, prompt.reply_tokens) == ("You know chess.", 60)
        assert prompt.questions("1. e4 e5 2. Nf3", None, "here") == (
            "After 3 half-moves it is Black's turn.\nMoves: e4 e5 Nf3\n"
            'Reply as {"fen": "..."}, not as {moves}.',
            "Is Black in check?",
        )
        assert Prompt.from_description(prompt.description()) == prompt
        other = self.read(tmp_path, OWN.replace("You know", "You do not know"))
        assert other.sha256 != prompt.sha256

    def test_what_is_left_out(self, tmp_path):
        prompt = self.read(tmp_path, 'name = "mine"\nversion = 1\nturns = ["{moves}"]')
        assert (prompt.notation, prompt.system, prompt.reply_tokens) == ("pgn", None, 60)
        assert "system" not in prompt.description()

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            (
                "{plies}",
                "{ply}",
                r"line 7: expected a placeholder of .*\{\{ply\}\}.* got '\{ply\}'",
            ),
            ("{moves}\n", "no moves\n", r"line 5: expected the placeholder \{moves\} in the first"),
            ("chess.", "{side}.", r"line 4: expected a system prompt without placeholders"),
            ("version = 3", 'version = "3"', "line 2: expected a version of at least 1, got '3'"),
            ("version = 3", "version = 0", "line 2: expected at least 1, got 0"),
            ("version = 3", "", "expected a version of at least 1 as version, got none"),
            ('"san"', '"fen"', "line 3: expected one of pgn, san, uci, shown, got 'fen'"),
            ('"mine"', '"few-shot"', "line 1: expected a name that no built-in prompt has"),
            ('"mine"', '"my own"', "line 1: expected a name of letters"),
            ("system", "sistem", "line 4: expected one of name, version"),
            ('"Is {side} in check?"', '" "', "line 5: expected turns that are texts and not empty"),
            ('"Is {side} in check?"', "5", "line 5: expected turns that are texts"),
            ("version = 3", "version = ", r"expected TOML in UTF-8, got: .*line 2"),
        ],
    )
    def test_faults_are_named_with_their_line(self, tmp_path, before, after, said):
        assert before in OWN
        with pytest.raises(InvalidArgumentError, match=rf"mine\.toml.*{said}"):
            self.read(tmp_path, OWN.replace(before, after, 1))

    def test_files_that_are_none(self, tmp_path):
        with pytest.raises(InvalidArgumentError, match="readable prompt file"):
            read_prompt(tmp_path / "missing.toml")
        (tmp_path / "latin.toml").write_bytes(b'name = "\xff"')
        with pytest.raises(InvalidArgumentError, match="UTF-8"):
            read_prompt(tmp_path / "latin.toml")


def test_texts_that_end_a_reply_go_with_the_prompt(tmp_path):
    question = Question("hf/local", "completion")
    assert question.generation()["stop_seqs"] == ["\n"]
    assert question.description()["prompt"]["stop"] == ("\n",)
    again = Question.from_description(json.loads(json.dumps(question.request())))
    assert again.full_prompt == question.full_prompt
    plain = Question("hf/local")
    assert plain.generation()["stop_seqs"] is None
    assert "stop" not in plain.description()["prompt"]
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = 1\nturns = ["{moves}"]\nstop = ["\\n\\n"]\n')
    assert read_prompt(path).stop == ("\n\n",)
    path.write_text('name = "mine"\nversion = 1\nturns = ["{moves}"]\nstop = [""]\n')
    with pytest.raises(InvalidArgumentError, match="line 4: expected texts that are not empty"):
        read_prompt(path)
