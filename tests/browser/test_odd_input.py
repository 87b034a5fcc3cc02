"""Long texts and finished games on the page: no widget grows tall, and all lengths are told."""

from playwright.sync_api import expect

from workbench.explore.explorer_settings import ExplorerSettings

from .widget_pages import START, set_pair, wait

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


def test_a_reply_and_a_fen_of_a_megabyte_leave_the_pair_as_tall_as_it_was(explorer):
    root = set_pair(explorer, START, START, ExplorerSettings(2))
    before = root.bounding_box()["height"]
    said = explorer.execute(
        "from workbench.explore import BoardPair\n"
        "long = 'x' * 1_000_000\n"
        "row = {'true_state': pair.true_fen, 'predicted_state': long, 'reply': long, 'moves': long}\n"
        "found = BoardPair.row_traits(row)\n"
        "pair.reply, pair.moves, pair.caption = found['reply'], found['moves'], found['caption']"
    )
    assert said == ""
    expect(root.locator("[data-role=reply]")).to_contain_text("…")
    for name in ("reply", "game-moves"):
        shown = root.locator(f"[data-role={name}]").text_content()
        assert shown.endswith("(1,000,000 characters)")
        assert len(shown) < 120
    expect(root.locator("[data-role=caption]")).to_contain_text("(1,000,000 characters)")
    assert root.bounding_box()["height"] < before + 320
    explorer.execute("pair.reply = pair.moves = pair.caption = ''")
    expect(root.locator("[data-role=reply]")).to_have_count(0)


def test_a_typed_fen_of_a_megabyte_is_explained_in_a_few_lines(explorer):
    root = set_pair(explorer, START, START, ExplorerSettings(2))
    before = root.bounding_box()["height"]
    side = root.locator("[data-role=side-predicted]")
    box = side.locator("[data-role=fen]")
    box.evaluate(
        """box => { box.value = '8/'.repeat(500000);
                    box.dispatchEvent(new Event('input', {bubbles: true})); }"""
    )
    problem = side.locator("[data-role=fen-problem]")
    expect(problem).to_contain_text("there are 500001 ranks")
    assert root.bounding_box()["height"] < before + 120
    box.press("Escape")
    expect(problem).to_be_empty()
    expect(box).to_have_value(START)


def test_a_finished_game_says_so_at_the_numbers(explorer):
    root = set_pair(explorer, MATED, START, ExplorerSettings(2))
    expect(root.locator("[data-role=profile-reason]")).to_have_text(
        "The game is over on the true board (checkmate); exact at every depth."
    )
    status = root.locator("[data-role=side-true] [data-role=board-words]")
    expect(status).to_have_text("Valid board. Checkmate: Black has won.")


def test_chess960_is_refused_by_name(explorer):
    root = set_pair(explorer, START, START, ExplorerSettings(2))
    side = root.locator("[data-role=side-true]")
    box = side.locator("[data-role=fen]")
    box.fill(START.replace("KQkq", "HAha"))
    problem = side.locator("[data-role=fen-problem]")
    expect(problem).to_contain_text("Chess960 is not supported")
    box.press("Escape")
    expect(problem).to_be_empty()
    # Dashes of typography are hyphens on both boards.
    box.fill(START.replace(" - ", " – "))
    wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
    expect(problem).to_be_empty()


def test_a_tracked_reply_of_a_megabyte_is_cut(explorer):
    root = explorer.widget("game-tracker")
    before = root.bounding_box()["height"]
    said = explorer.execute(
        "import pandas as pd\n"
        "from workbench.explore import GameTracker\n"
        "from workbench.tables.parquet_tables import PREDICTIONS\n"
        "shown, long = tracker.game, 'x' * 1_000_000\n"
        f"row = dict(position_id='a', game_id='g', group=1, ply=1, true_state={START!r},\n"
        "    model=long, reply=long, predicted_state=long, reply_class='unparseable', status='', reason='')\n"
        "rows = pd.DataFrame([row], columns=PREDICTIONS.names)\n"
        "tracker.game = GameTracker.from_rows(rows, depth=shown['depth']).game"
    )
    assert said == ""
    for role in ("title", "reply", "predicted-fen"):
        expect(root.locator(f"[data-role={role}]")).to_contain_text("(1,000,000 characters)")
    expect(root.locator("[data-role=no-board]")).to_contain_text("No readable FEN")
    assert root.bounding_box()["height"] < before + 200
    assert explorer.execute("tracker.game = shown") == ""
    expect(root.locator("[data-role=title]")).to_contain_text("Simulated tracker")
