"""The worst answers of tasks that ask for actions: each beside the true state, with what is wrong."""

from typing import Any, Final

import pandas as pd

from workbench.long_texts import cut
from workbench.prediction import ACTION_SEPARATOR
from workbench.reports.chapters import Chapter
from workbench.reports.notable_boards import SHOWN, answers_of_models, drawn_state
from workbench.reports.numbers_in_words import counted, number
from workbench.reports.page_parts import (
    LONGEST_TEXT,
    details,
    pairs,
    paragraph,
    preformatted,
    section,
    side_by_side,
)
from workbench.studies.models.answers_compared import right_answers

_LONGEST: Final = 600


def worst_answers(chapter: Chapter, count: int = SHOWN) -> pd.DataFrame:
    """Choose a chapter's worst lists or lines of actions.

    Only replies with such an answer take part, and not those of the baseline if there are others; of
    each position at most one.

    Args:
        chapter: Of a task whose replies are actions.
        count: At most.

    Returns:
        Rows with ``precision`` and ``recall``: the lowest p_m first, then the lowest r_m, then the
        fewest actions that are accepted.
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
    """Return the worst answers beside the true states; nothing where replies are states.

    Args:
        chapter: With at least one row that has scores.
        identity: Of the chapter on the page.
    """
    if chapter.measures_text:
        return ""
    noun = chapter.environment.action_noun
    then = ", then r_1" if chapter.task == "actions" else f", then the fewest accepted {noun}s"
    shown = [_answer(chapter, row) for row in worst_answers(chapter).to_dict("records")]
    nothing = (
        f"There is none: every reply with a {chapter.answer} is right, or there is no such reply."
    )
    return section(
        f"{identity}-worst",
        "The worst answers",
        paragraph(f"The lowest {chapter.symbol}{then}, at most one of each position."),
        pairs(shown) if shown else paragraph(nothing),
        level=3,
    )


def _answer(chapter: Chapter, row: dict[Any, Any]) -> str:
    noun = chapter.environment.state_noun
    true, actions = str(row["true_state"]), _actions(row)
    described = _listed if chapter.task == "actions" else _played
    parts = described(chapter, true, actions)
    facts = [f"{chapter.symbol} {number(row['precision'])}"]
    if not pd.isna(row["recall"]):
        facts.append(f"r_{chapter.depth} {number(row['recall'])}")
    words = (
        f"{row['model']}, position {cut(str(row['position_id']))}: {', '.join(facts)}; "
        f"{row['remark'] or 'valid'}."
    )
    texts = "".join(
        f"<strong>{name}</strong>{preformatted(cut(text, _LONGEST), name)}"
        for name, text in parts.items()
    )
    again = measured_again(chapter, true, actions)
    return side_by_side(
        words,
        [drawn_state(chapter, f"True {noun}", true, true), texts],
        details("Measure this answer again", preformatted(again, "Lines of Python"))
        if len(again) <= LONGEST_TEXT
        else "",
    )


def measured_again(chapter: Chapter, true: str, actions: list[str]) -> str:
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


def _actions(row: dict[Any, Any]) -> list[str]:
    text = row["predicted_actions"]
    return [each for each in text.split(ACTION_SEPARATOR) if each] if isinstance(text, str) else []


def _listed(chapter: Chapter, true: str, actions: list[str]) -> dict[str, str]:
    """Return which actions of a list are permitted, which are not, and which are missing."""
    environment = chapter.environment
    state = environment.parsed_true(true).state
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


def _played(chapter: Chapter, true: str, actions: list[str]) -> dict[str, str]:
    """Return the actions of a line, and which is the first that is not accepted."""
    environment = chapter.environment
    state, lines = environment.parsed_true(true).state, []
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
