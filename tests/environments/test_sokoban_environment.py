"""Rooms of Sokoban as environments: bundled ones and files, maps in replies, which can arise."""

import numpy as np
import pytest

from workbench.environments.registry import environment_named
from workbench.environments.sokoban import ROOMS, SokobanState
from workbench.errors import InvalidArgumentError, InvalidBoardError

ONE_BOX = environment_named("sokoban:one_box")
START = "######\n#    #\n# $  #\n# @ .#\n######"
SOLUTIONS = {
    "one_box": "LURRURD",
    "three_boxes": "UULDRDLDDRUUURURD",
    "corridors": "URRDRUUDLLLLLDLUUDDDDRRRRR",
    "store": "ULURRRURDDDLDLLLLDLLURRRRRLLLLUULURRRRRRURDD",
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_bundled_room_can_be_solved(room):
    environment = environment_named(f"sokoban:{room}")
    end = environment.replay(None, " ".join(SOLUTIONS[room]))
    assert environment.automaton.permitted(end) == ()
    assert end.boxes == environment.automaton.goals
    assert environment.conditions(end) == ()


def test_a_room_of_a_file(tmp_path):
    file = tmp_path / "room.txt"
    file.write_bytes(b"#####\r\n#@$.#\r\n#####\r\n")
    environment = environment_named(f"sokoban:{file}")
    assert environment.state_text(environment.automaton.initial) == "#####\n#@$.#\n#####"
    assert environment.name == "sokoban:#####/#@$.#/#####"


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "one_box"), (b"\xff\xfe", "utf-8"), (b"#@#", "0 goals"), (b"#" * 20_000, "at most")],
)
def test_what_is_no_room_is_refused(tmp_path, content, said):
    file = tmp_path / "room.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InvalidArgumentError, match=said):
        environment_named(f"sokoban:{file}")


@pytest.mark.parametrize(
    "text",
    [
        START,
        START.replace(" ", "-"),
        START.replace(" ", "_"),
        START.replace("\n", "\r\n"),
        START.replace("\n", "  \n"),
        "    " + START.replace("\n", "\n    "),
    ],
)
def test_one_map_in_many_ways(text):
    found = ONE_BOX.classify(text)
    assert found.reply_class == "valid"
    assert found.parsed.state == ONE_BOX.automaton.initial


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (START.replace("@", " "), ("player_missing",)),
        (START.replace("$", " "), ("boxes_lost",)),
        (START.replace("$ ", "$$"), ("boxes_added",)),
        (START.replace(".", " "), ("goals_changed",)),
        (START.replace("#    #", "##   #"), ("walls_changed",)),
        (START.replace("# @ .#", "######"), ("walls_changed", "player_missing")),
        # Dead: from the top row a box is never pushed down again, but it can come there.
        (START.replace("#    #\n# $", "# $  #\n#  "), ()),
    ],
)
def test_a_map_that_cannot_arise_is_ill_formed(text, names):
    found = ONE_BOX.classify(f"Final map:\n```\n{text}\n```")
    assert found.status == names
    assert found.reply_class == ("ill_formed" if names else "valid")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#######\n#@$.# #\n# #####\n#######", ()),
        ("#######\n#$@.# #\n# #####\n#######", ()),
        # No box is pushed down into the nook: the player would stand in the wall above.
        ("#######\n#@ .# #\n#$#####\n#######", ("box_out_of_reach",)),
        ("#######\n# $.#@#\n# #####\n#######", ("player_out_of_reach",)),
    ],
)
def test_what_is_out_of_reach(tmp_path, text, names):
    file = tmp_path / "nook.txt"
    file.write_text("#######\n#@$.# #\n# #####\n#######")
    environment = environment_named(f"sokoban:{file}")
    assert environment.conditions(environment.read_state(text)) == names


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (START.replace("$", "@"), "unparseable"),
        (START.replace("#", "＃"), "unparseable"),
        (START.replace("#", "█"), "unparseable"),
        (START.replace("$", "B"), "unparseable"),
        (START.replace("\n#    #", ""), "unparseable"),
        (START + "\n######", "unparseable"),
        ("...\n***\n...", "absent"),
        ("# A heading\n\nand prose.", "absent"),
    ],
)
def test_what_is_no_map_is_never_guessed(text, kind):
    with pytest.raises(InvalidBoardError):
        ONE_BOX.read_state(text)
    assert ONE_BOX.classify(text).reply_class == kind


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("U", "U"),
        ("up", "U"),
        ("Down", "D"),
        ("l.", "L"),
        ("north", None),
        ("UU", None),
        ("", None),
    ],
)
def test_steps_by_letter_and_word(text, plain):
    assert ONE_BOX.plain_action(text) == plain


def test_elements_name_what_differs_from_the_room():
    state = ONE_BOX.read_state(START.replace("#    #", "##   #").replace(".", "$"))
    assert dict(ONE_BOX.elements(state)) == {
        "row 2 column 2": "wall",
        "row 3 column 3": "box",
        "row 4 column 3": "player",
        "row 4 column 5": "box, no goal",
    }


def test_the_three_slips():
    """After a push to the right: the push forgotten, the player or the box beside its cell."""
    state = ONE_BOX.replay(None, "L U R")
    assert ONE_BOX.state_text(state) == "######\n#    #\n#  @$#\n#   .#\n######".replace(
        "#  @$#", "# @$ #"
    )
    slips = {ONE_BOX.slip(state, np.random.default_rng(seed)) for seed in range(100)}
    player, box = (2, 2), (2, 3)
    forgotten = {SokobanState((2, 1), frozenset({player}))}
    walked = {SokobanState(cell, frozenset({box})) for cell in [(1, 2), (2, 1), (3, 2)]}
    moved = {SokobanState(player, frozenset({cell})) for cell in [(1, 3), (2, 4), (3, 3)]}
    assert slips == forgotten | walked | moved


def test_the_picture_marks_what_is_named():
    picture = ONE_BOX.picture(ONE_BOX.automaton.initial, frozenset({"row 3 column 3"}))
    assert "Sokoban: 0 of 1 boxes on goals; 1 squares marked" in picture
    assert picture.count('class="different"') == 1


def test_boxes_and_the_player_are_put_elsewhere_on_the_picture():
    state = ONE_BOX.read_state(START)
    box, player, free, goal = (
        f"row {row} column {column}" for row, column in ((3, 3), (4, 3), (2, 2), (4, 5))
    )
    assert {each.name for each in ONE_BOX.places(state) if each.movable} == {box, player}
    on_goal = ONE_BOX.edited(state, box, goal)
    assert ONE_BOX.state_text(on_goal) == START.replace("$", " ").replace(".", "*")
    walked = ONE_BOX.edited(state, player, free)
    assert ONE_BOX.state_text(walked) == "######\n#@   #\n# $  #\n#   .#\n######"
    for source, target in ((box, player), (player, box), (free, goal), (player, player)):
        assert ONE_BOX.edited(state, source, target) is None
    two = ONE_BOX.edited(state, free, free)
    assert ONE_BOX.conditions(two) == ("boxes_added",)
    assert ONE_BOX.edited(two, free, free) == state


def test_a_step_is_an_arrow_and_a_push_a_longer_one():
    state = ONE_BOX.read_state(START)
    assert ONE_BOX.action_points(state, "L") == [(100, 140), (60, 140)]
    assert ONE_BOX.action_points(state, "U") == [(100, 140), (100, 60)]
