"""The choice among the boards of a reply: named rules, in order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import chess

from workbench.environments.chess.extraction import phrases
from workbench.environments.chess.extraction.boards import WrittenBoard
from workbench.environments.chess.extraction.options import options_in
from workbench.environments.chess.extraction.roles import Candidate, Emphasis, Role, joined_by_or

_CONTEXT: Final = 600
_FIELDS: Final = 6
_WORD: Final = re.compile(r"[^\W_]")
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
        board: The answer; None if no board is one, or several exclude each other and nothing says
            which holds.
        rule: The rule that decided.
    """

    board: WrittenBoard | None
    rule: str


def chosen(text: str, candidates: Sequence[Candidate]) -> Choice:
    """Choose the board that a reply gives as its answer.

    The rules, the first that decides:

    1. Where a reply has boards in its reasoning alone, one that is announced as final there and not
       taken back, or one announced with all its fields at which the reasoning breaks off; else none.
    2. Of boards that exclude each other, the one that the reply picks or gives the highest
       confidence; else none. See `workbench.environments.chess.extraction.options.options_in`.
    3. What follows a word of correction replaces everything before, unless the reply then
       confirms what it said first.
    4. Of what is offered, the most strongly announced (final, announced, plain, a guess); of
       several, one with a side to move; of several, one that is written again, or the last, if a word
       such as "then" leads to it and it has another side to move or number of the move than the
       others. Else, and of several guesses or two joined by "or", none.
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
        return Choice(None, f"no board but {candidates[-1].role.value}")
    outside = [one for one in open_ones if one.role is not Role.REASONING]
    if not outside:
        return _from_reasoning(text, open_ones)
    options = options_in(text, outside)
    if options:
        return Choice(options.picked and options.picked.board, options.rule)
    positions = [one for one in outside if one.role in (Role.OFFERED, Role.LOGGED)]
    if any(one.role is Role.OFFERED for one in positions):
        return _offered(text, positions)
    return _last_resort(text, outside)


def _from_reasoning(text: str, reasoned: Sequence[Candidate]) -> Choice:
    final = [one.board for one in reasoned if one.emphasis is Emphasis.FINAL]
    if final:
        behind = text[final[-1].end : final[-1].end + _CONTEXT]
        if not phrases.CORRECTION.search(behind):
            return Choice(final[-1], "final in the reasoning")
    last = reasoned[-1]
    announced = [one for one in reasoned if one.emphasis >= Emphasis.ANNOUNCED]
    breaks_off = (
        not last.renews
        and len(last.board.fields) == _FIELDS
        and not _WORD.search(text, last.board.end)
    )
    if breaks_off and last in announced and _singled_out(text, announced, last.board):
        return Choice(last.board, "where the reasoning breaks off")
    return Choice(None, "boards in the reasoning alone, none of them final")


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
        return Choice(last, "corrected")
    return _strongest(text, since, "corrected" if anew else "")


def _strongest(text: str, offered: Sequence[Candidate], rule: str) -> Choice:
    emphasis = max(one.emphasis for one in offered)
    among = [one for one in offered if one.emphasis is emphasis]
    best = _last_with_a_side(among)
    others = [one.board for one in among if one.board.text != best.text]
    if emphasis is Emphasis.HEDGED and others:
        return Choice(None, "several guesses")
    if others and joined_by_or(text, others[-1], best):
        return Choice(None, "two boards joined by or")
    if not _singled_out(text, among, best):
        return Choice(None, "several boards, none of them singled out")
    if not rule:
        rule = "the only one offered" if len(offered) == 1 else _BY_EMPHASIS[emphasis]
    return Choice(best, rule)


def _singled_out(text: str, among: Sequence[Candidate], best: WrittenBoard) -> bool:
    """Tell whether a board is the last of stages of a game, or stands again behind the others."""
    others = [one.board for one in among if _rivals(one.board, best)]
    if not others or sum(one.board.text == best.text for one in among) > 1:
        return True
    follows = phrases.FOLLOWS.search(text, others[-1].end, best.start)
    return follows is not None and all(_ply(one) != _ply(best) for one in others)


def _rivals(one: WrittenBoard, other: WrittenBoard) -> bool:
    """Tell whether two boards differ; the initial position is the stage before any other."""
    if one.has_side is not other.has_side or one.fields[0] == chess.STARTING_BOARD_FEN:
        return False
    pairs = zip(one.fields[:4], other.fields[:4], strict=False)
    return any(field != its for field, its in pairs)


def _ply(board: WrittenBoard) -> tuple[str, ...]:
    """Return the side to move and the number of the move, as far as they are written."""
    return (*board.fields[1:2], *board.fields[5:6])


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
        return Choice(None, f"a refusal; no board but {role.value}")
    best = _last_with_a_side(among)
    others = [one.board for one in among if one.board.text != best.text]
    if role is Role.SUPPOSED and others:
        return Choice(None, "several conditions, none of them met")
    return Choice(best, role.value)


def _last_with_a_side(among: Sequence[Candidate]) -> WrittenBoard:
    """Return the last board with a side to move, or the last of bare placements."""
    with_side = [one for one in among if one.board.has_side]
    return (with_side or among)[-1].board
