"""The worst replies, and those that edit distance misjudges most."""

from shlex import quote
from typing import Any, Final

import pandas as pd

from workbench.answers.recorded_replies import BASELINE
from workbench.drawing.quantities import EDIT_DISTANCE
from workbench.environments.registry import DEFAULT
from workbench.explore.board_reading import pair_link
from workbench.explore.page.still_html import picture
from workbench.explore.pair.pair_html import board_svg
from workbench.explore.run.run_table import run_table
from workbench.long_texts import cut
from workbench.prediction import ACTION_SEPARATOR, READABLE, different_elements
from workbench.reports.chapters import Chapter
from workbench.reports.page_parts import (
    LONGEST_TEXT,
    counted,
    details,
    link,
    number,
    pairs,
    paragraph,
    preformatted,
    section,
    side_by_side,
)
from workbench.studies.models.answer_spread import right_answers
from workbench.tasks.legal_mass import legal_mass, masses_of

MOST_REPLIES: Final = 10
_LONGEST: Final = 600
_PIXELS: Final = 260
_MOST_WEIGHED: Final = 12


def notable_replies(
    chapter: Chapter, count: int = MOST_REPLIES
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Choose a chapter's worst states, and those that edit distance misjudges most.

    Only replies that are states take part; of each position at most one reply is in each list. The
    worst have the lowest p_m, then r_m, then the largest distance; the misjudged the largest
    ``disagreement`` in either direction: by how much lower p_m ranks the reply than edit distance does,
    as a share of the ranking.
    """
    states = answers_of_models(chapter)
    wrong = states[(states["edit_distance"] > 0) | (states["precision"] < 1)]
    worst = wrong.sort_values(
        ["precision", "recall", "edit_distance", "position_id", "model"],
        ascending=[True, True, False, True, True],
    )
    unlike = wrong[wrong["disagreement"].fillna(0) != 0]
    misjudged = unlike.assign(gap=unlike["disagreement"].abs()).sort_values(
        ["gap", "position_id", "model"], ascending=[False, True, True]
    )
    return (
        worst.drop_duplicates("position_id").head(count),
        misjudged.drop_duplicates("position_id").head(count),
    )


def answers_of_models(chapter: Chapter) -> pd.DataFrame:
    """Return the rows of a chapter's replies that can be read, without the baseline's.

    The baseline's stay if there are no others. The columns are those of
    `workbench.explore.run.run_table.RunTable`.
    """
    rows = run_table(chapter.scores, chapter.depth).rows
    of_models = rows[rows["asked"] != BASELINE]
    rows = rows if of_models.empty else of_models
    return rows[rows["reply_class"].isin(READABLE) & (rows["unscored"] == "")]


def boards_section(chapter: Chapter, identity: str) -> str:
    """Return the worst and the most misjudged states as pictures, each with a way to open it."""
    if not chapter.measures_text:
        return ""
    noun, symbol = chapter.environment.state_noun, chapter.symbol
    nothing = f"There is none: every reply that is a {noun} is right, or there is no such reply."
    worst, misjudged = notable_replies(chapter)
    return _listed_replies(
        f"{identity}-worst",
        f"The worst {noun}s",
        f"The lowest {symbol}, at most one of each position.",
        [pair_of_states(chapter, row) for row in worst.to_dict("records")],
        nothing,
    ) + _listed_replies(
        f"{identity}-misjudged",
        f"Misjudged by {EDIT_DISTANCE.name}",
        f"The replies that {EDIT_DISTANCE.name} and {symbol} rank most differently, at most one of "
        "each position. Of all replies that are not right, ranked from the nearest to the farthest.",
        [
            pair_of_states(chapter, row, _misjudgement(chapter, row))
            for row in misjudged.to_dict("records")
        ],
        nothing,
    )


def _listed_replies(identity: str, title: str, words: str, replies: list[str], nothing: str) -> str:
    content = pairs(replies) if replies else paragraph(nothing)
    return section(identity, title, paragraph(words), content)


def _heading(row: dict[Any, Any], facts: dict[str, str]) -> str:
    words = ", ".join(f"{name} {value}" for name, value in facts.items())
    return f"{_whose(row)}: {words}; {row['remark'] or 'valid'}."


def _whose(row: dict[Any, Any], of: str = "position ") -> str:
    return f"{row['model']}, {of}{cut(str(row['position_id']))}"


def _misjudgement(chapter: Chapter, row: dict[Any, Any]) -> str:
    nearer, other = EDIT_DISTANCE.name, chapter.symbol
    if row["disagreement"] <= 0:
        nearer, other = other, nearer
    return (
        f" It is nearer by {nearer} than by {other}: "
        f"{abs(row['disagreement']):.0%} of the ranking lie between."
    )


def pair_of_states(chapter: Chapter, row: dict[Any, Any], remark: str = "") -> str:
    """Return the two states of a reply side by side, with its measures and how to open it.

    Args:
        chapter: The chapter, whose replies are states.
        row: Of `workbench.explore.run.run_table.RunTable`; its reply can be read.
        remark: Follows the measures.
    """
    true, predicted = str(row["true_state"]), str(row["predicted_state"])
    noun = chapter.environment.state_noun
    facts = {
        chapter.symbol: number(row["precision"]),
        f"r_{chapter.depth}": number(row["recall"]),
        EDIT_DISTANCE.name: f"{row['edit_distance']:.0f}",
    }
    words = f"{_heading(row, facts)}{remark}"
    pictures = [
        state_picture(chapter, f"{side} {noun}", text, against)
        for side, text, against in (("True", true, predicted), ("Predicted", predicted, true))
    ]
    opened = ""
    if chapter.environment.name == DEFAULT:
        opened = link(pair_link(true, predicted), f"Open this pair: {_whose(row, '')}")
    command = preformatted(opening_line(chapter, true, predicted), "Command")
    return side_by_side(words, pictures, opened, details("Make this pair again", command))


def opening_line(chapter: Chapter, true: str, predicted: str) -> str:
    """Return the line that opens a pair of states again: of the shell in chess, else of Python."""
    if chapter.environment.name == DEFAULT:
        return f"workbench page --true {quote(true)} --predicted {quote(predicted)} -o pair.html"
    return (
        "from workbench.explore import StatePair\n"
        f"StatePair({chapter.environment.name!r}, {true!r}, {predicted!r})"
    )


def state_picture(chapter: Chapter, name: str, text: str, against: str) -> str:
    """Return a state as a picture with its text below; as the text alone where there is no picture."""
    environment = chapter.environment
    if environment.name == DEFAULT:
        drawing = board_svg(name, text, against)
    else:
        one, other = environment.parse(text), environment.parse(against)
        marked = different_elements(
            environment.elements(one.state), environment.elements(other.state)
        )
        drawing = picture(environment.picture(one.state, marked), name, _PIXELS)
    return f"<strong>{name}</strong>{drawing}{preformatted(cut(text, _LONGEST), name)}"


def worst_answers(chapter: Chapter, count: int = MOST_REPLIES) -> pd.DataFrame:
    """Choose a chapter's worst lists or lines of actions.

    Only replies with such an answer take part, and not those of the baseline if there are others; of
    each position at most one.
    """
    rows = answers_of_models(chapter)
    wrong = rows[~right_answers(rows, chapter.depth)]
    curve = [f"precision_{m}" for m in range(1, chapter.depth + 1)]
    accepted = wrong[[name for name in curve if name in wrong]].astype(float).sum(axis=1)
    ordered = wrong.assign(accepted=accepted).sort_values(
        ["precision", "recall", "accepted", "position_id", "model"]
    )
    return ordered.drop_duplicates("position_id").head(count)


def answers_section(chapter: Chapter, identity: str) -> str:
    """Return the worst answers beside the true states; nothing where replies are states."""
    if chapter.measures_text:
        return ""
    noun = chapter.environment.action_noun
    then = {"actions": ", then r_1", "continuation": f", then the fewest accepted {noun}s"}.get(chapter.task, "")  # fmt: skip
    return _listed_replies(
        f"{identity}-worst",
        "The worst answers",
        f"The lowest {chapter.symbol}{then}, at most one of each position.",
        [_answer(chapter, row) for row in worst_answers(chapter).to_dict("records")],
        f"There is none: every reply with a {chapter.answer} is right, or there is no such reply.",
    )


def _answer(chapter: Chapter, row: dict[Any, Any]) -> str:
    true, text = str(row["true_state"]), row["predicted_actions"]
    actions = (
        [each for each in text.split(ACTION_SEPARATOR) if each] if isinstance(text, str) else []
    )
    parts_of = {"actions": _listed, "legal_mass": _weighed}.get(chapter.task, _played)
    parts = parts_of(chapter, true, actions)
    facts = {chapter.symbol: number(row["precision"])}
    if not pd.isna(row["recall"]):
        facts[f"r_{chapter.depth}"] = number(row["recall"])
    texts = "".join(
        f"<strong>{name}</strong>{preformatted(cut(text, _LONGEST), name)}"
        for name, text in parts.items()
    )
    lines = measuring_lines(chapter, true, actions)
    again = details("Measure this answer again", preformatted(lines, "Lines of Python"))
    return side_by_side(
        _heading(row, facts),
        [state_picture(chapter, f"True {chapter.environment.state_noun}", true, true), texts],
        again if len(lines) <= LONGEST_TEXT else "",
    )


def measuring_lines(chapter: Chapter, true: str, actions: list[str]) -> str:
    """Return lines of Python that measure a list or a line of actions again."""
    terminal = str(chapter.scores["terminal"].iloc[0])
    return (
        "from workbench.environments.registry import environment_named\n"
        "from workbench.tasks import task_named\n"
        f"environment = environment_named({chapter.environment.name!r})\n"
        f"true = environment.read_state({true!r})\n"
        f"task_named({chapter.task!r}).measures("
        f"environment, true, {actions!r}, {chapter.depth}, {terminal!r})"
    )


def _listed(chapter: Chapter, true: str, actions: list[str]) -> dict[str, str]:
    environment = chapter.environment
    state = environment.parse_true(true).state
    permitted = [environment.action_text(each) for each in environment.automaton.permitted(state)]
    listed = dict.fromkeys(actions)
    named = {text: environment.action_named(state, text) for text in listed}
    right = {environment.action_text(each) for each in named.values() if each is not None}
    parts = {
        "Listed, permitted": [each for each in permitted if each in right],
        "Listed, not permitted": [text for text, action in named.items() if action is None],
        "Permitted, not listed": [each for each in permitted if each not in right],
    }
    return {f"{name} ({len(texts)})": ", ".join(texts) or "none" for name, texts in parts.items()}


def _weighed(chapter: Chapter, true: str, actions: list[str]) -> dict[str, str]:
    """Return the likeliest actions, and which rules those break that are not permitted."""
    environment, masses = chapter.environment, masses_of(actions)
    state = environment.parse_true(true).state
    wrong = legal_mass(environment, state, masses).wrong
    right = {text: mass.probability for text, mass in masses.items() if text not in wrong}
    likeliest = sorted(right.items(), key=lambda item: -item[1])
    return {
        "Likeliest, permitted": ", ".join(
            f"{text} {mass:.3f}" for text, mass in likeliest[:_MOST_WEIGHED]
        )
        or "none",
        "Likeliest, not permitted": "\n".join(
            f"{text} {mass:.3f}: {environment.broken_rule(state, text)}"
            for text, mass in list(wrong.items())[:_MOST_WEIGHED]
        )
        or "none",
    }


def _played(chapter: Chapter, true: str, actions: list[str]) -> dict[str, str]:
    """Return the actions of a line, and which is the first that is not accepted."""
    environment = chapter.environment
    state, lines = environment.parse_true(true).state, []
    name = f"Line of {counted(len(actions), environment.action_noun)}"
    for place in range(1, chapter.depth + 1):
        if place > len(actions):
            finished = not environment.automaton.permitted(state)
            why = "is finished" if finished else "is not finished"
            lines.append(f"{place}. nothing: the {environment.state_noun} {why}")
            break
        text = actions[place - 1]
        action = environment.action_named(state, text)
        lines.append(f"{place}. {text}: {'not permitted' if action is None else 'accepted'}")
        if action is None:
            rest = enumerate(actions[place : chapter.depth], start=place + 1)
            lines += [f"{number}. {text}: not reached" for number, text in rest]
            break
        state = environment.automaton.successor(state, action)
    return {name: "\n".join(lines)}
