"""BoardPair in JupyterLab: by mouse and by text, and its numbers are the package's."""

import pytest
from playwright.sync_api import expect

from workbench.explore.board_reading import explain
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import lost_mass
from workbench.explore.pair.pair_view import pair_view, replay

from .widget_pages import (
    BISHOP_ELSEWHERE,
    HOSTILE,
    RUY_LOPEZ,
    START,
    drag,
    expect_harmless,
    expect_number,
    expect_profile,
    expect_quiet,
    nameless,
    overflow,
    set_pair,
    square,
    too_faint,
)


@pytest.fixture
def root(explorer):
    """The notebook's first pair, on boards whose numbers are checked here."""
    return set_pair(explorer, RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3))


def side(root, look):
    return root.locator(f"[data-role=side-{look}]")


def fen_box(root, look):
    return side(root, look).locator("[data-role=fen]")


def test_one_name_of_two_moves_has_its_squares(explorer):
    """A pawn on h7 that is believed on h6 comes to h5 by another move; the king's moves need no squares."""
    root = set_pair(
        explorer,
        "7k/7p/8/8/8/8/8/K7 b - - 0 1",
        "7k/8/7p/8/8/8/8/K7 b - - 0 1",
        ExplorerSettings(1),
    )
    lists = {
        name: root.locator(f"[data-role=moves-{name}] [data-role=move]").all_text_contents()
        for name in ("only-true", "only-predicted", "shared")
    }
    assert lists == {
        "only-true": ["h6", "h5 (h7h5)"],
        "only-predicted": ["Kh7", "h5 (h6h5)"],
        "shared": ["Kg8", "Kg7"],
    }
    expect_quiet(root)


def test_shows_differences_moves_and_what_is_lost(root):
    view = pair_view(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3))
    for look in ("true", "predicted"):
        different = side(root, look).locator("[data-square][data-different]")
        names = different.evaluate_all("squares => squares.map(each => each.dataset.square)")
        assert sorted(names) == sorted(view["different"]) == ["a4", "b5"]
    expect(square(root, "true", "b5")).to_have_attribute(
        "aria-label", "b5, white bishop; differs from the other board"
    )
    for name, moves in view["moves"].items():
        shown = root.locator(f"[data-role=moves-{name.replace('_', '-')}] [data-role=move]")
        ucis = shown.evaluate_all("moves => moves.map(each => each.dataset.uci)")
        assert ucis == [move["uci"] for move in moves]
        titles = shown.evaluate_all("moves => moves.map(each => each.title)")
        assert titles == [f"{move['words']}, {move['uci']}" for move in moves]
        assert all(
            text.startswith(move["san"])
            for text, move in zip(shown.all_text_contents(), moves, strict=True)
        )
    lost = lost_mass(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3))
    for name in ("precision", "recall"):
        part = f"[data-role=lost-{name}]"
        expect_number(root, f"{part} [data-role=lost-total]", lost[name]["lost"])
        assert lost[name]["lost"] == pytest.approx(1 - view["profile"][name][-1]["value"])
        entries = root.locator(f"{part} [data-role=costly-move]")
        expect(entries).to_have_count(len(lost["costliest"][name]))
        for index, entry in enumerate(lost["costliest"][name]):
            expect(entries.nth(index)).to_contain_text(entry["words"])


def test_a_drag_changes_board_numbers_and_traits(lab, explorer, root):
    drag(lab.page, square(root, "predicted", "a4"), square(root, "predicted", "b5"))
    expect(fen_box(root, "predicted")).to_have_value(RUY_LOPEZ)
    expect_profile(root, pair_view(RUY_LOPEZ, RUY_LOPEZ, ExplorerSettings(3)))
    expect(root.locator("[data-different]")).to_have_count(0)
    assert explorer.execute("print(pair.predicted_fen == pair.true_fen)") == "True\n"
    # From one board to the other a copy is put down; off the boards the piece is gone.
    drag(lab.page, square(root, "true", "b5"), square(root, "predicted", "h5"))
    expect(square(root, "predicted", "h5")).to_have_attribute("data-piece", "B")
    expect(square(root, "true", "b5")).to_have_attribute("data-piece", "B")
    drag(lab.page, square(root, "predicted", "h5"), root.locator("[data-role=caption]"))
    expect(square(root, "predicted", "h5")).to_have_attribute("data-piece", "")
    expect_profile(root, pair_view(RUY_LOPEZ, RUY_LOPEZ, ExplorerSettings(3)))
    drag(lab.page, root.locator("[data-role=spare][data-piece=q]"), square(root, "true", "a5"))
    queen = RUY_LOPEZ.replace("/1B2p3/", "/qB2p3/")
    expect(fen_box(root, "true")).to_have_value(queen)
    expect_profile(root, pair_view(queen, RUY_LOPEZ, ExplorerSettings(3)))
    undo, redo = (root.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))
    undo.click()
    expect_profile(root, pair_view(RUY_LOPEZ, RUY_LOPEZ, ExplorerSettings(3)))
    redo.click()
    expect_profile(root, pair_view(queen, RUY_LOPEZ, ExplorerSettings(3)))
    root.get_by_role("button", name="Reset", exact=True).click()
    expect_profile(root, pair_view(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3)))
    expect_quiet(root)


def test_a_typed_fen_counts_and_a_bad_one_leaves_the_board(root):
    black = RUY_LOPEZ.replace(" w ", " b ")
    fen_box(root, "predicted").fill(black)
    view = pair_view(RUY_LOPEZ, black, ExplorerSettings(3))
    expect_profile(root, view)
    assert view["profile"]["precision"][-1]["value"] == 0
    bad = "r1bqkbnr/1ppp1ppp/p1n5/1B2p4/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
    fen_box(root, "predicted").fill(bad)
    problem = side(root, "predicted").locator("[data-role=fen-problem]")
    expect(problem).to_contain_text(explain(bad))
    expect(problem).to_contain_text("rank 5 has 9 squares")
    expect(fen_box(root, "predicted")).to_have_attribute("aria-invalid", "true")
    expect(fen_box(root, "predicted")).to_have_value(bad)
    expect(square(root, "predicted", "b5")).to_have_attribute("data-piece", "B")
    expect_profile(root, view)
    fen_box(root, "predicted").press("Escape")
    expect(problem).to_be_empty()
    expect(fen_box(root, "predicted")).to_have_value(black)
    side(root, "predicted").locator("[data-role=turn]").select_option("w")
    side(root, "predicted").locator("[data-role=castling][data-letter=q]").uncheck()
    expect_profile(
        root, pair_view(RUY_LOPEZ, RUY_LOPEZ.replace("KQkq", "KQk"), ExplorerSettings(3))
    )
    kingless = RUY_LOPEZ.replace("RNBQK2R", "RNBQ3R")
    fen_box(root, "predicted").fill(kingless)
    expect_profile(root, pair_view(RUY_LOPEZ, kingless, ExplorerSettings(3)))
    root.locator("[data-role=ill-formed]").select_option("sink")
    expect_profile(root, pair_view(RUY_LOPEZ, kingless, ExplorerSettings(3, ill_formed="sink")))
    root.locator("[data-role=ill-formed]").select_option("as_is")
    expect_quiet(root)


def test_depth_beyond_exact_says_so_and_shows_the_error(root):
    depth = root.get_by_role("slider")
    depth.fill("1")
    expect_profile(root, pair_view(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(1)))
    depth.fill("8")
    view = pair_view(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(8))
    expect_profile(root, view)
    assert not view["profile"]["exact"]
    expect(root.locator("[data-role=profile-reason]")).to_contain_text(
        view["profile"]["reason"][1:]
    )
    last = root.locator("[data-role=profile-row][data-depth='8'] [data-role=precision]")
    expect(last).to_contain_text("±")


def test_a_shared_move_steps_both_boards_and_back(explorer, root):
    move = pair_view(RUY_LOPEZ, BISHOP_ELSEWHERE)["moves"]["shared"][0]
    root.locator(f"[data-role=moves-shared] [data-uci={move['uci']}]").click()
    after = replay(RUY_LOPEZ, BISHOP_ELSEWHERE, [move["uci"]])
    for look, fen in zip(("true", "predicted"), after, strict=True):
        expect(fen_box(root, look)).to_have_value(fen)
    expect_profile(root, pair_view(*after, ExplorerSettings(3)))
    crumb = root.locator("[data-role=line-move][data-ply='1']")
    expect(crumb).to_have_text(f"4. {move['san']}")
    assert explorer.execute("print(pair.line)") == f"[{move['uci']!r}]\n"
    root.locator("[data-role=line-start]").click()
    expect_profile(root, pair_view(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3)))
    expect(crumb).to_have_count(0)
    assert explorer.execute("print(pair.line, pair.boards()[0])") == f"[] {RUY_LOPEZ}\n"
    # On the board: a click on a piece shows its shared moves, a click on a target steps.
    square(root, "true", "e1").click()
    expect(square(root, "true", "g1")).to_have_attribute("data-target", "")
    square(root, "true", "g1").click()
    castled = replay(RUY_LOPEZ, BISHOP_ELSEWHERE, ["e1g1"])
    expect_profile(root, pair_view(*castled, ExplorerSettings(3)))
    expect(square(root, "predicted", "g1")).to_have_attribute("data-piece", "K")
    root.locator("[data-role=line-start]").click()
    expect_profile(root, pair_view(RUY_LOPEZ, BISHOP_ELSEWHERE, ExplorerSettings(3)))
    expect(root.locator("[data-role=lost]")).to_have_attribute("data-state", "fresh")
    cell = root.locator("[data-role=lost-precision] [data-role=loss-bar][data-kind=shared]").first
    line = cell.get_attribute("data-line")
    cell.click()
    expect(root.locator("[data-role=line-move]")).to_have_count(len(line.split()))


def test_swap_and_flip(root):
    root.get_by_role("button", name="Swap", exact=True).click()
    expect_profile(root, pair_view(BISHOP_ELSEWHERE, RUY_LOPEZ, ExplorerSettings(3)))
    root.get_by_role("button", name="Flip", exact=True).click()
    first = root.locator("[data-role=board][data-look=true] [data-square]").first
    expect(first).to_have_attribute("data-square", "h1")


def test_the_last_of_many_states_wins(lab, server, explorer, root):
    before = int(root.locator("[data-role=numbers]").get_attribute("data-serial"))
    said = explorer.execute(
        "import os, time\n"
        "import workbench.explore.pair.board_pair as module; whole = module.compare_answer\n"
        "def held(*arguments):\n"
        "    while not os.path.exists('../go'): time.sleep(0.01)\n"
        "    return whole(*arguments)\n"
        "module.compare_answer = held"
    )
    assert said == ""
    for source, target in (("a4", "a3"), ("a3", "d5"), ("d5", "h5"), ("h5", "b5")):
        drag(lab.page, square(root, "predicted", source), square(root, "predicted", target))
    expect(fen_box(root, "predicted")).to_have_value(RUY_LOPEZ)
    expect(root.locator("[data-role=numbers]")).to_have_attribute("data-state", "stale")
    (server.folder / "go").touch()
    expect_profile(root, pair_view(RUY_LOPEZ, RUY_LOPEZ, ExplorerSettings(3)))
    # The answer for the first drop came too late to be shown, the states between were never asked.
    expect(root.locator("[data-role=numbers]")).to_have_attribute("data-serial", str(before + 1))
    explorer.execute("module.compare_answer = whole")


def test_what_failed_is_shown(lab, explorer, root):
    said = explorer.execute(
        "import workbench.explore.pair.board_pair as module; whole = module.compare_answer\n"
        "module.compare_answer = lambda *_: 1 / 0"
    )
    assert said == ""
    drag(lab.page, square(root, "predicted", "a4"), square(root, "predicted", "a3"))
    expect(root.locator("[data-role=error]")).to_contain_text("division by zero")
    expect(root.locator("[data-role=numbers]")).to_have_attribute("data-state", "stale")
    explorer.execute("module.compare_answer = whole")
    drag(lab.page, square(root, "predicted", "a3"), square(root, "predicted", "b5"))
    expect_profile(root, pair_view(RUY_LOPEZ, RUY_LOPEZ, ExplorerSettings(3)))
    expect_quiet(root)


def test_the_hostile_reply_stays_text(lab, explorer, root):
    assert explorer.execute(f"pair.reply = pair.moves = pair.caption = {HOSTILE!r}") == ""
    expect(root.locator("[data-role=reply]")).to_have_text(HOSTILE)
    expect(root.locator("[data-role=caption]")).to_have_text(HOSTILE)
    expect(root.locator("[data-role=game-moves]")).to_have_text(HOSTILE)
    fen_box(root, "predicted").fill(HOSTILE.removesuffix(START))
    expect(side(root, "predicted").locator("[data-role=fen-problem]")).not_to_be_empty()
    expect_harmless(lab.page, root)
    fen_box(root, "predicted").press("Escape")
    expect_quiet(root)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_fits_and_can_be_read(lab, root, theme):
    lab.set_theme(theme)
    assert too_faint(root) == []
    for width in (1280, 700):
        lab.page.set_viewport_size({"width": width, "height": 900})
        assert overflow(root) == []
    assert nameless(root) == []
