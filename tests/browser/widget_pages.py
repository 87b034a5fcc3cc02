"""What several browser tests do with a widget, and the pairs of boards that they start from."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.pair.pair_view import pair_view

from .lab_page import Notebook

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
RUY_LOPEZ = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
BISHOP_ELSEWHERE = "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"


def number(locator: Locator) -> float:
    """Return the full-precision value that an element carries beside its words."""
    return float(locator.get_attribute("data-value"))


def square(root: Locator, look: str, name: str) -> Locator:
    """Return a square of the true or the predicted board."""
    return root.locator(f"[data-role=board][data-look={look}] [data-square={name}]")


def centre(locator: Locator) -> tuple[float, float]:
    """Return the middle of an element in the window."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, source: Locator, target: Locator) -> None:
    """Drag with the mouse from the middle of one element to that of another."""
    source.scroll_into_view_if_needed()
    start, end = centre(source), centre(target)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=2)
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def sources(notebook: Notebook) -> list[tuple[str, str]]:
    """Return kind and source of a notebook's cells; what they put out changes with the widgets."""
    return [(cell["cell_type"], cell["source"]) for cell in notebook.cells()]


def bring_up(locator: Locator) -> None:
    """Scroll until an element stands at the top of the notebook, and stays there.

    JupyterLab lays the cells out anew as they come into view, which moves what was there.
    """
    locator.evaluate(
        """async element => {
            for (let still = 0, top = null; still < 10;) {
                element.scrollIntoView();
                await new Promise(requestAnimationFrame);
                const now = element.getBoundingClientRect().top;
                still = now === top ? still + 1 : 0;
                top = now;
            }
        }"""
    )


def out_of_view(root: Locator, *selectors: str) -> list[str]:
    """Return which elements of a widget are not wholly in the visible part of the notebook."""
    panel = root.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer")
    window = panel.bounding_box()
    found = []
    for selector in selectors:
        boxes = [element.bounding_box() for element in root.locator(selector).all()]
        if not boxes:
            found.append(f"{selector}: there is none")
        for box in boxes:
            above, below = window["y"] - box["y"], box["y"] + box["height"] - window["y"]
            if above > 1 or below > window["height"] + 1:
                found.append(f"{selector}: {box} in {window}")
    return found


def overflow(root: Locator) -> list[str]:
    """Return what sticks out of a widget to the right or the left, or makes it scroll sideways."""
    found: list[str] = root.evaluate(
        """root => {
            const outer = root.getBoundingClientRect();
            const clipped = element => {
                for (let up = element.parentElement; up && up !== root; up = up.parentElement) {
                    if (getComputedStyle(up).overflowX !== 'visible') return true;
                }
                return false;
            };
            const wide = [...root.querySelectorAll('*')].filter(element => {
                const box = element.getBoundingClientRect();
                if (box.width === 0 || box.height === 0 || clipped(element)) return false;
                return box.right > outer.right + 1.5 || box.left < outer.left - 1.5;
            });
            const names = wide.map(element =>
                `${element.tagName} ${element.getAttribute('class')} ${element.dataset?.role ?? ''}`);
            if (root.scrollWidth > root.clientWidth + 1) {
                names.push(`root: ${root.scrollWidth} in ${root.clientWidth}`);
            }
            return names;
        }"""
    )
    return found


def clipped_text(root: Locator) -> list[str]:
    """Return the texts of a widget's charts that stick out of the chart or of the widget."""
    found: list[str] = root.evaluate(
        """root => [...root.querySelectorAll('svg text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.width > 0 && [text.ownerSVGElement, root].some(around => {
                const outer = around.getBoundingClientRect();
                return box.left < outer.left - 0.5 || box.right > outer.right + 0.5;
            });
        }).map(text => text.textContent)"""
    )
    return found


def nameless(root: Locator) -> list[str]:
    """Return the controls of a widget that have no name for a screen reader."""
    found: list[str] = root.evaluate(
        """root => [...root.querySelectorAll('button, input, select, textarea, [tabindex], [role=img]')]
            .filter(element => {
                if (element.closest('[hidden], [aria-hidden=true]')) return false;
                const by = element.getAttribute('aria-labelledby');
                const named = element.getAttribute('aria-label') || element.labels?.length
                    || (by && document.getElementById(by)?.textContent)
                    || (element.matches('button, [role]') && element.textContent.trim())
                    || element.querySelector(':scope > title')?.textContent;
                return !named;
            })
            .map(element => element.outerHTML.slice(0, 160))"""
    )
    return found


def expect_number(root: Locator, selector: str, value: float) -> None:
    """Wait until what a selector finds in a widget carries a value, equal to within rounding."""
    wait(root, selector, "Math.abs(Number(element.dataset.value) - value) <= 1e-12", value)


def wait(root: Locator, selector: str, condition: str, value: object = None) -> None:
    """Wait for a condition in JavaScript on the ``element`` that a selector finds in a widget.

    The element is looked up each time: widgets make some of their parts anew.
    """
    root.page.wait_for_function(
        f"""([root, selector, value]) => {{
            const element = root.querySelector(selector);
            return element !== null && ({condition});
        }}""",
        arg=[root.element_handle(), selector, value],
    )


def expect_quiet(root: Locator) -> None:
    """Wait until no alert of a widget says anything."""
    for alert in root.locator("[role=alert]").all():
        expect(alert).to_be_empty()


HOSTILE = "<img src=x onerror=window.pwned=1> <script>window.pwned=1</script> {{7*7}} " + START
"""A reply that would run as a script if it were ever taken for markup."""

HOSTILE_ROWS = f"""
import pandas as pd
from workbench.environments.chess.classification import classify
from workbench.tables.parquet_tables import PREDICTIONS

hostile = {HOSTILE!r}
after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
rows = []
for number, reply in enumerate([after_e4, hostile]):
    found = classify(reply)
    rows.append(dict(
        position_id=f"<b>game</b>-{{number}}", environment="chess", task="state", game_id="<b>game</b>", source="by hand", group=1,
        ply=1 + number, game_plies=80, movetext="1. e4 e5", moves="e2e4 e7e5"[: 4 + 5 * number],
        true_state=[after_e4, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"][number],
        model="<i>model</i>", sample=0, reply=reply, predicted_state=found.predicted_state,
        reply_class=str(found.reply_class), status=" ".join(found.status), reason=found.reason,
    ))
predictions = pd.DataFrame(rows, columns=PREDICTIONS.names)
"""
"""Code that makes a table of predictions whose names and replies hold markup."""


RUN_ROWS = (
    HOSTILE_ROWS
    + f"""
true = {RUY_LOPEZ!r}
others = [
    true,
    {BISHOP_ELSEWHERE!r},
    true.replace(" w ", " b "),
    true.replace("KQkq", "-"),
    true.replace("RNBQK2R", "RNBQ3R"),
    true.replace("r1bqkbnr", "rnbqkbnr"),
    {START!r},
    "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "no board at all",
]
for number, reply in enumerate(others):
    found = classify(reply)
    rows.append(dict(
        rows[0], position_id=f"spanish-{{number}}", game_id="spanish", group=4, ply=8,
        movetext="1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", moves="e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
        true_state=true, model="by hand", reply=reply, predicted_state=found.predicted_state,
        reply_class=str(found.reply_class), status=" ".join(found.status), reason=found.reason,
    ))
from workbench.scoring import ScoringParameters, score
predictions = pd.DataFrame(rows, columns=PREDICTIONS.names)
scores = score(predictions, ScoringParameters(depth=3))
"""
)
"""Code that makes ``predictions`` of one hostile and one honest model, and their ``scores``."""


def made_by(code: str, name: str) -> Any:
    """Return what a piece of code that a notebook runs binds to a name, made in this process."""
    names: dict[str, Any] = {}
    exec(code, names)
    return names[name]


def expect_harmless(page: Page, root: Locator) -> None:
    """Check that no markup of the hostile rows became an element or ran."""
    assert page.evaluate("() => window.pwned") is None
    assert root.locator("img, script, b, i").count() == 0


def expect_profile(root: Locator, view: dict[str, Any]) -> None:
    """Wait until a board pair shows exactly the numbers of a ``pair_view``, and no stale ones."""
    profile = view["profile"]
    last = profile["depths"][-1]
    expect(root.locator("[data-role=profile-row]")).to_have_count(last)
    for name in ("precision", "recall"):
        expect_number(
            root,
            f"[data-role=profile-row][data-depth='{last}'] [data-role={name}]",
            profile[name][-1]["value"],
        )
    wait(root, "[data-role=numbers]", "element.dataset.state === 'fresh'")
    for name in ("precision", "recall"):
        cells = root.locator(f"[data-role=profile-row] [data-role={name}]")
        shown = cells.evaluate_all(
            "cells => cells.map(({dataset: {value, low, high}}) => [value, low, high].map(Number))"
        )
        assert shown == [[entry["value"], entry["low"], entry["high"]] for entry in profile[name]]
    text = view["text"]
    expect(root.locator("[data-role=exact-match]")).to_have_text(
        "yes" if text["exact_match"] else "no"
    )
    expect(root.locator("[data-role=levenshtein]")).to_have_text(str(text["levenshtein"]))
    expect(root.locator("[data-role=board-accuracy]")).to_contain_text(
        f"{round(64 * text['board_accuracy'])} of 64 squares"
    )
    expect(root.locator("[data-role=board-class]")).to_have_attribute(
        "data-class", view["predicted"]["class"]
    )


def set_pair(
    notebook: Notebook, true_fen: str, predicted_fen: str, settings: ExplorerSettings
) -> Locator:
    """Set notebook 10's ``pair`` from its kernel and return its root, once it shows the numbers."""
    said = notebook.execute(
        "with pair.hold_sync():\n"
        f"    pair.line, pair.flipped, pair.depth = [], False, {settings.depth}\n"
        f"    pair.true_fen, pair.predicted_fen = {true_fen!r}, {predicted_fen!r}"
    )
    assert said == ""
    root = notebook.widget("board-pair")
    expect_profile(root, pair_view(true_fen, predicted_fen, settings))
    return root


def too_faint(root: Locator, least: float = 4.5) -> list[str]:
    """Return texts of a widget whose contrast with what is behind them is below WCAG's 4.5."""
    found: list[str] = root.evaluate(
        """(root, least) => {
            const channels = colour => {
                const numbers = colour.match(/[\\d.]+(e-?\\d+)?/g).map(Number);
                const scale = colour.startsWith('color(') ? 1 : 255;
                return [...numbers.slice(0, 3).map(value => value / scale), numbers[3] ?? 1];
            };
            const over = ([r, g, b, a], under) =>
                [r, g, b].map((value, index) => value * a + under[index] * (1 - a));
            const behind = element => {
                if (!element) return [1, 1, 1];
                const colour = channels(getComputedStyle(element).backgroundColor);
                return colour[3] === 1 ? colour.slice(0, 3) : over(colour, behind(element.parentElement));
            };
            const light = rgb => {
                const [r, g, b] = rgb.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const faint = [];
            for (const element of root.querySelectorAll('*')) {
                if (element.closest('svg, :disabled, [hidden], [inert]')) continue;
                const own = [...element.childNodes].some(
                    node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
                if (!own || !element.getClientRects().length) continue;
                const ground = behind(element);
                const text = over(channels(getComputedStyle(element).color), ground);
                const [high, low] = [light(text), light(ground)].sort((one, other) => other - one);
                const contrast = (high + 0.05) / (low + 0.05);
                if (contrast < least) faint.push(
                    `${contrast.toFixed(2)} ${element.tagName} ${element.textContent.trim().slice(0, 40)}`);
            }
            return faint;
        }""",
        least,
    )
    return found
