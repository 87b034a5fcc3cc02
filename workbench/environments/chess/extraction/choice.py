"""The choice among the boards of a reply: named rules, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.environments.chess.extraction import phrases
from workbench.environments.chess.extraction.boards import WrittenBoard
from workbench.environments.chess.extraction.options import options_in
from workbench.environments.chess.extraction.roles import Candidate, Emphasis, Role, joined_by_or

_CONTEXT: Final = 600
_NO_ANSWER: Final = frozenset({Role.STRUCK, Role.REJECTED})
_LAST_RESORTS: Final = (
    Role.LOGGED, Role.SUPPOSED, Role.HEADER, Role.QUOTED, Role.LATER, Role.EARLIER,
    Role.OTHER_SPEAKER, Role.EXAMPLE,
)  # fmt: skip
"""What is taken where nothing is offered, the first of these that is there."""

_DESPITE_A_REFUSAL: Final = frozenset({Role.LOGGED, Role.SUPPOSED, Role.HEADER})


@dataclass(frozen=True, slots=True)
class Choice:
    """The result of the rules.

    Attributes:
        boards: One: the answer. Several: they exclude each other, and nothing says which holds.
            None: no board is an answer.
        rule: The rule that decided.
    """

    boards: tuple[WrittenBoard, ...]
    rule: str


def chosen(text: str, candidates: Sequence[Candidate]) -> Choice:
    """Choose the board that a reply gives as its answer.

    The rules, the first that decides:

    1. Where a reply has boards in its reasoning alone, one that is announced as final there and not
       taken back; else none.
    2. Of boards listed as options, the one that the reply picks; without a pick, several.
    3. What follows a word of correction replaces everything before, unless the reply then
       confirms what it said first.
    4. Of what is offered, the most strongly announced (final, announced, plain, a guess); of
       several, one with a side to move; of several, the last. Two joined by "or", and several
       guesses, exclude each other.
    5. Where nothing is offered: the last of a log of positions, the one conditional board, the last
       in a game's header; and unless the reply is a refusal, the last quotation, later or earlier
       position, board of another speaker, or example.

    A board that is denied or struck out is never the answer. The choice does not look at whether a
    board parses.

    Args:
        text: What holds the boards.
        candidates: Every board with its role, in order.
    """
    open_ones = [one for one in candidates if one.role not in _NO_ANSWER]
    if not open_ones:
        return Choice((), f"no board but {candidates[-1].role.value}")
    outside = [one for one in open_ones if one.role is not Role.REASONING]
    if not outside:
        return _from_reasoning(text, open_ones)
    options = options_in(text, outside)
    if options and options.picked:
        return Choice((options.picked.board,), "the chosen option")
    if options:
        listed = options.listed
        return Choice((listed[0].board, listed[1].board), "options, none of them chosen")
    positions = [one for one in outside if one.role in (Role.OFFERED, Role.LOGGED)]
    if any(one.role is Role.OFFERED for one in positions):
        return _offered(text, positions)
    return _last_resort(text, outside)


def _from_reasoning(text: str, reasoned: Sequence[Candidate]) -> Choice:
    final = [one.board for one in reasoned if one.emphasis is Emphasis.FINAL]
    if final:
        behind = text[final[-1].end : final[-1].end + _CONTEXT]
        if not phrases.CORRECTION.search(behind):
            return Choice((final[-1],), "final in the reasoning")
    return Choice((), "boards in the reasoning alone, none of them final")


def _offered(text: str, positions: Sequence[Candidate]) -> Choice:
    """Choose among positions of which at least one is offered."""
    anew = max((place for place, one in enumerate(positions) if one.renews), default=0)
    before = [one for one in positions[:anew] if one.role is Role.OFFERED]
    since = [one for one in positions[anew:] if one.role is Role.OFFERED]
    last = positions[-1].board
    final_anew = any(one.emphasis is Emphasis.FINAL for one in since)
    behind = text[last.end : last.end + _CONTEXT]
    if before and not final_anew and phrases.CONFIRMED.search(behind):
        return _strongest(text, before, "confirmed")
    if not since:
        return Choice((last,), "corrected")
    return _strongest(text, since, "corrected" if anew else "")


def _strongest(text: str, offered: Sequence[Candidate], rule: str) -> Choice:
    emphasis = max(one.emphasis for one in offered)
    among = [one for one in offered if one.emphasis is emphasis]
    best = _last_with_a_side(among)
    others = [one.board for one in among if one.board.text != best.text]
    if emphasis is Emphasis.HEDGED and others:
        return Choice((others[-1], best), "several guesses")
    if others and joined_by_or(text, others[-1], best):
        return Choice((others[-1], best), "two boards joined by or")
    if not rule:
        rule = "the only one offered" if len(offered) == 1 else _BY_EMPHASIS[emphasis]
    return Choice((best,), rule)


_BY_EMPHASIS: Final = {
    Emphasis.FINAL: "the one called final",
    Emphasis.ANNOUNCED: "the one announced",
    Emphasis.PLAIN: "the last",
    Emphasis.HEDGED: "the only guess",
}


def _last_resort(text: str, found: Sequence[Candidate]) -> Choice:
    role = next(role for role in _LAST_RESORTS if any(one.role is role for one in found))
    among = [one for one in found if one.role is role]
    if role not in _DESPITE_A_REFUSAL and phrases.REFUSAL.search(text):
        return Choice((), f"a refusal; no board but {role.value}")
    best = _last_with_a_side(among)
    others = [one.board for one in among if one.board.text != best.text]
    if role is Role.SUPPOSED and others:
        return Choice((others[-1], best), "several conditions, none of them met")
    return Choice((best,), role.value)


def _last_with_a_side(among: Sequence[Candidate]) -> WrittenBoard:
    """Return the last board with a side to move, or the last of bare placements."""
    with_side = [one for one in among if one.board.has_side]
    return (with_side or among)[-1].board
