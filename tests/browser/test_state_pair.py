"""StatePair in chromium: every environment at the size of a laptop and on a phone, edits, hostile texts."""

import re

import pytest
from playwright.sync_api import expect

from workbench.environments.registry import environment_named
from workbench.explore import StatePair

from .accessibility import violations
from .widget_alone import set_theme, widget_page
from .widget_pages import drag, expect_number, nameless, overflow, too_faint, wait

ENVIRONMENTS = ("chess", "othello", "sokoban", "planning", "boxes", "programs")
HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'
LAPTOP, PHONE = (1366, 768), (390, 844)
MOST_MILLISECONDS = 10_000
"""On a busy machine; on a quiet one it takes some 100."""


def root_of(page):
    root = page.locator("[data-role=state-pair]")
    wait(root, "[data-role=lost]", "element.dataset.state === 'fresh'")
    return root


def side(root, look):
    return root.locator(f"[data-role=side-{look}]")


def expect_numbers(root, pair):
    profile = pair.compare()["profile"]
    for name in ("precision", "recall"):
        expect_number(root, f"[data-role=verdict-{name}]", profile[name][-1]["value"])


@pytest.mark.parametrize(
    ("name", "window"),
    [
        *((name, LAPTOP) for name in ENVIRONMENTS),
        # A state with a picture, and one of words alone.
        ("othello", PHONE),
        ("programs", PHONE),
    ],
)
def test_every_environment_is_shown_whole_and_accessible(browser, name, window):
    pair = StatePair.example(name)
    with widget_page(browser, [pair], *window, touch=window is PHONE) as page:
        root = root_of(page)
        expect_numbers(root, pair)
        view = pair.compare()
        for look in ("true", "predicted"):
            expect(side(root, look).locator("[data-role=state-text]")).to_have_value(
                view[look]["state"]
            )
            expect(side(root, look).locator("[data-role=state-words]")).to_have_text(
                view[look]["words"]
            )
            marked = side(root, look).locator("[data-role=element][data-different=true]")
            names = {each.get_attribute("data-name") for each in marked.all()}
            assert names == set(view["different"])
            expect(marked).to_have_count(len(view["different"]))
            picture = side(root, look).locator("[data-role=picture]")
            expect(picture).to_be_visible(visible=view[look]["picture"] is not None)
            if view[look]["picture"]:
                assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)")
        for kind in ("only_true", "only_predicted", "shared"):
            list_of = root.locator(f"[data-role=moves-{kind.replace('_', '-')}] [data-role=move]")
            expect(list_of).to_have_count(len(view["moves"][kind]))
        for theme in ("light", "dark"):
            set_theme(page, theme)
            # The lost part is faint until it has been fresh for a moment.
            page.wait_for_timeout(600)
            assert violations(root) == []
            assert too_faint(root) == []
        assert (overflow(root), nameless(root)) == ([], [])


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_edited_text_gives_new_numbers_at_once(browser, name):
    pair = StatePair.example(name)
    right = pair.true_state
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        box = side(root, "predicted").locator("[data-role=state-text]")
        taken = box.evaluate(
            """async (box, text) => {
                const root = box.closest('[data-role=state-pair]');
                const serial = () => root.querySelector('[data-role=numbers]').dataset.serial;
                const [before, began] = [serial(), performance.now()];
                box.value = text;
                box.dispatchEvent(new Event('change', { bubbles: true }));
                while (serial() === before) await new Promise(requestAnimationFrame);
                return performance.now() - began;
            }""",
            right,
        )
        print(f"{name}: {taken:.0f} ms from an edit to its numbers")
        assert taken < MOST_MILLISECONDS
        expect_number(root, "[data-role=verdict-precision]", 1.0)
        expect_number(root, "[data-role=verdict-recall]", 1.0)
        expect(root.locator("[data-role=element][data-different=true]")).to_have_count(0)
        assert pair.predicted_state == right
        # Undo brings the mistake back.
        root.locator("[data-role=undo]").click()
        wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        expect(root.locator("[data-role=exact-match]")).to_have_text("no")
        expect_numbers(root, pair)


def test_a_shared_action_steps_both_and_the_line_walks_back(browser):
    pair = StatePair.example("boxes")
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        before = pair.states()
        shared = root.locator("[data-role=moves-shared] [data-role=move]").first
        action = shared.get_attribute("data-action")
        shared.click()
        expect(root.locator("[data-role=line-move]")).to_have_text([action])
        wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        assert pair.line == [action]
        place = environment_named("boxes")
        after = [
            place.automaton.successor(state, place.action_named(state, action))
            for state in map(place.read_state, before)
        ]
        for look, state in zip(("true", "predicted"), after, strict=True):
            expect(side(root, look).locator("[data-role=state-text]")).to_have_value(
                place.state_text(state)
            )
        expect_numbers(root, pair)
        root.locator("[data-role=back]").click()
        expect(root.locator("[data-role=line-move]")).to_have_count(0)
        assert pair.states() == before
        root.locator("[data-role=forward]").click()
        expect(root.locator("[data-role=line-move]")).to_have_text([action])


def test_a_branch_of_where_lines_die_steps_there(browser):
    pair = StatePair.example("othello")
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        cell = root.locator("[data-role=lost-recall] [data-kind=shared][data-role=loss-bar]")
        line = cell.first.get_attribute("data-line")
        cell.first.click()
        expect(root.locator("[data-role=line-move]")).to_have_text([line])
        assert pair.line == [line]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_hostile_texts_are_shown_as_text_and_explained(browser, name):
    pair = StatePair.example(name, reply=HOSTILE, caption=HOSTILE, moves="x" * 1_000_000)
    text = pair.predicted_state
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        expect(root.locator("[data-role=caption]")).to_have_text(HOSTILE)
        expect(root.locator("[data-role=reply]")).to_have_text(HOSTILE)
        expect(root.locator("[data-role=game-moves]")).to_contain_text("(1,000,000 characters)")
        height = root.bounding_box()["height"]
        box = side(root, "predicted").locator("[data-role=state-text]")
        problem = side(root, "predicted").locator("[data-role=state-problem]")
        for bad in (HOSTILE, "x" * 1_000_000, "\u202e☃"):
            box.evaluate(
                """(box, text) => { box.value = text;
                    box.dispatchEvent(new Event('change', { bubbles: true })); }""",
                bad,
            )
            expect(problem).to_contain_text("What is shown above does not change.")
            assert root.bounding_box()["height"] < height + 250
            assert pair.predicted_state == text
            box.press("Escape")
            expect(problem).to_be_empty()
            expect(box).to_have_value(text)
        # No text at all is no predicted state.
        box.fill("")
        box.dispatch_event("change")
        expect(root.locator("[data-role=profile-reason]")).to_contain_text(
            re.compile("no state was predicted", re.IGNORECASE)
        )
        expect_number(root, "[data-role=verdict-recall]", 0.0)
        assert page.evaluate("window.pwned") is None


def test_a_picture_of_an_environment_runs_nothing(browser):
    """A drawing with a script, as an environment of another package might have one."""
    pair = StatePair.example("sokoban")
    environment = type(pair._reader.environment)

    class Hostile(environment):
        def picture(self, state, marked=frozenset()):
            drawn = super().picture(state, marked)
            return drawn.replace("</svg>", "<script>window.top.pwned=1</script></svg>")

    made = Hostile("sokoban:hostile", pair.true_state)
    hostile = StatePair(made, pair.true_state, pair.predicted_state)
    with widget_page(browser, [hostile], *LAPTOP) as page:
        root = root_of(page)
        picture = side(root, "true").locator("[data-role=picture]")
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        assert page.evaluate("window.pwned") is None
        expect(root.locator("script")).to_have_count(0)


def test_kept_answers_need_no_kernel(browser):
    pair = StatePair.example("programs")
    pair.prepare_still()
    asked = []
    answer = pair.answer
    pair.answer = lambda *message: asked.append(message) or answer(*message)
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        expect_numbers(root, pair)
        assert asked == []


def place(root, look, name):
    return side(root, look).locator(f"[data-role=place][data-name='{name}']")


def places_of(name, text, *, movable):
    environment = environment_named(name)
    places = environment.places(environment.read_state(text))
    return [each.name for each in places if each.movable is movable]


@pytest.mark.parametrize("window", [LAPTOP, PHONE])
def test_a_box_is_dragged_on_the_picture(browser, window):
    pair = StatePair.example("sokoban")
    box = next(
        name
        for name, what in environment_named("sokoban")
        .elements(environment_named("sokoban").read_state(pair.predicted_state))
        .items()
        if what == "box"
    )
    free = places_of("sokoban", pair.predicted_state, movable=False)[-1]
    before = pair.predicted_state
    with widget_page(browser, [pair], *window, touch=window is PHONE) as page:
        root = root_of(page)
        drag(page, place(root, "predicted", box), place(root, "predicted", free))
        expect(place(root, "predicted", free)).to_have_attribute("data-movable", "true")
        wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        environment = environment_named("sokoban")
        moved = environment.edited(environment.read_state(before), box, free)
        assert pair.predicted_state == environment.state_text(moved)
        expect_numbers(root, pair)
        # Onto a wall, or another box, nothing is put.
        other = places_of("sokoban", pair.predicted_state, movable=True)[0]
        drag(page, place(root, "predicted", free), place(root, "predicted", other))
        expect(root.locator("[data-role=status]")).to_contain_text("cannot be put there")
        root.locator("[data-role=undo]").click()
        expect(place(root, "predicted", box)).to_have_attribute("data-movable", "true")
        wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        assert pair.predicted_state == before


def test_an_object_is_dragged_into_another_box(browser):
    pair = StatePair.example("boxes")
    boxes = environment_named("boxes")
    state = boxes.read_state(pair.predicted_state)
    source = next(each.name for each in boxes.places(state) if each.movable)
    target = "table" if not source.endswith("table") else "Box 1"
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        drag(page, place(root, "predicted", source), place(root, "predicted", target))
        thing = source.partition(" in ")[0]
        expect(place(root, "predicted", f"{thing} in {target}")).to_be_visible()
        wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        assert pair.predicted_state == boxes.state_text(boxes.edited(state, source, target))
        expect_numbers(root, pair)


def test_a_disc_is_set_by_a_click(browser):
    pair = StatePair.example("othello")
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        empty = places_of("othello", pair.true_state, movable=False)[0]
        for colour in ("black", "white", "empty"):
            place(root, "true", empty).click()
            label = re.compile(f"^{empty}: {colour}")
            expect(place(root, "true", empty)).to_have_attribute("aria-label", label)
        place(root, "predicted", "side to move").click()
        wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        assert ("O to move" in pair.true_state) is ("X to move" in pair.predicted_state)
        assert pair.true_state.count("X") + pair.true_state.count("O") > 4


def test_a_picture_is_edited_by_the_keyboard_alone(browser):
    pair = StatePair.example("sokoban")
    before = pair.true_state
    environment = environment_named("sokoban")
    state = environment.read_state(before)
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        stops = side(root, "true").locator("[data-role=place][tabindex='0']")
        expect(stops).to_have_count(1)
        stops.focus()
        source = stops.get_attribute("data-name")
        page.keyboard.press("Enter")
        expect(place(root, "true", source)).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Escape")
        expect(place(root, "true", source)).not_to_have_attribute("aria-pressed", "true")
        row, column = (int(word) for word in source.split()[1::2])
        ways = {
            "ArrowDown": (1, 0), "ArrowRight": (0, 1), "ArrowLeft": (0, -1), "ArrowUp": (-1, 0),
        }  # fmt: skip
        free = {each.name for each in environment.places(state) if not each.movable}
        beside = {
            key: f"row {row + down} column {column + right}" for key, (down, right) in ways.items()
        }
        key, target = next((key, name) for key, name in beside.items() if name in free)
        edited = environment.edited(state, source, target)
        page.keyboard.press("Enter")
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(place(root, "true", target)).to_have_attribute("data-movable", "true")
        wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
        assert pair.true_state == environment.state_text(edited)
        # The focus stays on the picture.
        focused = page.evaluate("document.activeElement.dataset.name")
        assert focused == target
        page.keyboard.press("Control+z")
        expect(place(root, "true", source)).to_have_attribute("data-movable", "true")


def test_permitted_actions_are_drawn_and_those_that_differ_stand_out(browser):
    pair = StatePair.example("othello", length=20, seed=1)
    moves = {
        kind: {each["action"] for each in moves} for kind, moves in pair.compare()["moves"].items()
    }
    assert moves["only_true"]
    assert moves["only_predicted"]
    with widget_page(browser, [pair], *LAPTOP) as page:
        root = root_of(page)
        for look in ("true", "predicted"):
            marks = side(root, look).locator("[data-role=action-mark]")
            drawn = {
                (each.get_attribute("data-action"), each.get_attribute("data-shared"))
                for each in marks.all()
            }
            shared = {(action, "true") for action in moves["shared"]}
            assert drawn == shared | {(action, "false") for action in moves[f"only_{look}"]}
        pointed = root.locator("[data-role=moves-shared] [data-role=move]").first
        pointed.hover()
        expect(side(root, "true").locator(".ws-pointed")).to_have_attribute(
            "data-action", pointed.get_attribute("data-action")
        )


def test_curves_that_coincide_are_both_seen(browser):
    pair = StatePair.example("othello", length=20, seed=1)
    same = StatePair("othello", pair.true_state, pair.true_state)
    with widget_page(browser, [same], *LAPTOP) as page:
        root = root_of(page)
        lines = root.locator("[data-role=chart] .ws-series .ws-line")
        widths = [
            float(line.evaluate("line => getComputedStyle(line).strokeWidth").removesuffix("px"))
            for line in (lines.nth(0), lines.nth(1))
        ]
        assert widths[0] > 2 * widths[1]
    with widget_page(browser, [pair], *LAPTOP) as page:
        root_of(page)
        expect(page.locator("[data-role=chart] .ws-below")).to_have_count(0)
