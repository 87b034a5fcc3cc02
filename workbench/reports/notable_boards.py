"""The replies worth a look: the worst states, and those that edit distance misjudges most."""

from shlex import quote
from typing import Any, Final

import pandas as pd

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.environments.registry import DEFAULT
from workbench.explore.board.pair_link import pair_link
from workbench.explore.page.still_html import picture
from workbench.explore.run.run_table import run_table
from workbench.explore.static_page.drawn_boards import drawn_board
from workbench.long_texts import cut
from workbench.parsed_state import different_elements
from workbench.prediction import ReplyClass
from workbench.reports.chapters import Chapter
from workbench.reports.numbers_in_words import number
from workbench.reports.page_parts import (
    details,
    link,
    pairs,
    paragraph,
    preformatted,
    section,
    side_by_side,
)

SHOWN: Final = 10
_LONGEST: Final = 600
_PIXELS: Final = 260
_READ: Final = (ReplyClass.VALID, ReplyClass.ILL_FORMED)


def notable(chapter: Chapter, count: int = SHOWN) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Choose a chapter's worst states, and those that edit distance misjudges most.

    Only replies that are states take part, as `answers_of_models` has them; of each position at most
    one reply is in each list.

    Args:
        chapter: Of the task ``state``.
        count: Of each list at most.

    Returns:
        Rows with ``precision``, ``recall``, ``edit_distance`` and ``disagreement``: by how much lower
        p_m ranks the reply than edit distance does, as a share of the ranking. The worst have the
        lowest p_m, then r_m, then the largest distance; the misjudged the largest disagreement in
        either direction.
    """
    states = answers_of_models(chapter)
    wrong = states[(states["edit_distance"] > 0) | (states["precision"] < 1)]
    worst = wrong.sort_values(
        ["precision", "recall", "edit_distance", "position_id", "model"],
        ascending=[True, True, False, True, True],
    )
    apart = wrong[wrong["disagreement"].fillna(0) != 0]
    misjudged = apart.assign(gap=apart["disagreement"].abs()).sort_values(
        ["gap", "position_id", "model"], ascending=[False, True, True]
    )
    first = (table.drop_duplicates("position_id").head(count) for table in (worst, misjudged))
    return next(first), next(first)


def answers_of_models(chapter: Chapter) -> pd.DataFrame:
    """Return the rows of a chapter's replies that can be read, without the baseline's.

    The baseline's stay if there are no others. The columns are those of
    `workbench.explore.run.run_table.RunTable`.
    """
    rows = run_table(chapter.scores, chapter.depth).rows
    of_models = rows[rows["asked"] != BASELINE]
    rows = rows if of_models.empty else of_models
    return rows[rows["reply_class"].isin(_READ) & (rows["unscored"] == "")]


def boards_section(chapter: Chapter, identity: str) -> str:
    """Return the worst and the most misjudged states as pictures, each with a way to open it.

    Args:
        chapter: With at least one row that has scores.
        identity: Of the chapter on the page.
    """
    noun = chapter.environment.state_noun
    if not chapter.measures_text:
        return ""
    worst, misjudged = notable(chapter)
    symbol = chapter.symbol
    parts = []
    for name, title, words, rows in (
        (
            "worst",
            f"The worst {noun}s",
            f"The lowest {symbol}, at most one of each position.",
            worst,
        ),
        (
            "misjudged",
            f"Misjudged by {EDIT_DISTANCE.name}",
            f"The replies that {EDIT_DISTANCE.name} and {symbol} rank most differently, at most one of "
            "each position. Of all replies that are not right, ranked from the nearest to the farthest.",
            misjudged,
        ),
    ):
        shown = [_pair(chapter, row, name == "misjudged") for row in rows.to_dict("records")]
        nothing = (
            f"There is none: every reply that is a {noun} is right, or there is no such reply."
        )
        content = pairs(shown) if shown else paragraph(nothing)
        parts.append(section(f"{identity}-{name}", title, paragraph(words), content, level=3))
    return "".join(parts)


def _pair(chapter: Chapter, row: dict[Any, Any], misjudged: bool) -> str:
    true, predicted = str(row["true_state"]), str(row["predicted_state"])
    noun = chapter.environment.state_noun
    symbols = {
        chapter.symbol: number(row["precision"]),
        f"r_{chapter.depth}": number(row["recall"]),
        EDIT_DISTANCE.name: f"{row['edit_distance']:.0f}",
    }
    facts = ", ".join(f"{name} {value}" for name, value in symbols.items())
    words = f"{row['model']}, position {cut(str(row['position_id']))}: {facts}; {row['remark'] or 'valid'}."
    if misjudged:
        nearer = EDIT_DISTANCE.name if row["disagreement"] > 0 else chapter.symbol
        other = chapter.symbol if row["disagreement"] > 0 else EDIT_DISTANCE.name
        words += (
            f" It is nearer by {nearer} than by {other}: "
            f"{abs(row['disagreement']):.0%} of the ranking lie between."
        )
    pictures = [
        drawn_state(chapter, f"{side} {noun}", text, against)
        for side, text, against in (("True", true, predicted), ("Predicted", predicted, true))
    ]
    address = pair_link(true, predicted) if chapter.environment.name == DEFAULT else ""
    opened = link(address, f"Open this pair: {row['model']}, {cut(str(row['position_id']))}")
    return side_by_side(
        words,
        pictures,
        opened if address else "",
        details(
            "Make this pair again", preformatted(recreated(chapter, true, predicted), "Command")
        ),
    )


def recreated(chapter: Chapter, true: str, predicted: str) -> str:
    """Return the line that opens a pair of states again: of the shell in chess, else of Python."""
    if chapter.environment.name == DEFAULT:
        return f"workbench page --true {quote(true)} --predicted {quote(predicted)} -o pair.html"
    return (
        "from workbench.explore import StatePair\n"
        f"StatePair({chapter.environment.name!r}, {true!r}, {predicted!r})"
    )


def drawn_state(chapter: Chapter, name: str, text: str, against: str) -> str:
    """Return a state as a picture with its text below; as the text alone where there is no picture.

    Args:
        chapter: Of its environment.
        name: What it is called.
        text: The state, as a table has it.
        against: The one that it is compared with; what differs is marked.
    """
    environment = chapter.environment
    if environment.name == DEFAULT:
        drawing = drawn_board(name, text, against)
    else:
        one, other = environment.parsed(text), environment.parsed(against)
        marked = different_elements(
            environment.elements(one.state), environment.elements(other.state)
        )
        drawing = picture(environment.picture(one.state, marked), name, _PIXELS)
    return f"<strong>{name}</strong>{drawing}{preformatted(cut(text, _LONGEST), name)}"
