"""The use of the games of a cut, in numbers and in words."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from workbench.errors import UnfilledGroupError
from workbench.games.cut_plies import group_of, possible_per_ply
from workbench.games.pgn import RefusedGame

EXAMPLES: Final = 5


@dataclass(slots=True)
class CutSummary:
    """The use of the games read; the counts do not depend on their order.

    Attributes:
        read: Games read.
        refused: Games that cannot be used, by reason. Legality is looked at only for games that the
            choice falls on; an illegal one there is counted, and the next takes its place.
        examples: The first refused games.
        duplicates: Further copies of games that were low enough to be kept for the choice.
        too_short: Games too short for every group.
        eligible_at: By the half-moves of a cut, the games long enough for it, copies and illegal
            ones included.
        taken_at: By the half-moves of a cut, the positions cut.
        without_result: Games whose text ends without a result, as where a file is cut short.
        truncated: Files that broke off, with the error; empty unless that was allowed.
        passes: Times the games were read: again only if very many of the chosen were refused.
    """

    read: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: list[RefusedGame] = field(default_factory=list)
    duplicates: int = 0
    too_short: int = 0
    eligible_at: dict[int, int] = field(default_factory=dict)
    taken_at: dict[int, int] = field(default_factory=dict)
    without_result: int = 0
    truncated: list[str] = field(default_factory=list)
    passes: int = 1

    @property
    def eligible(self) -> dict[int, int]:
        """For each group the games long enough for one of its cuts."""
        longest_first = sorted(self.eligible_at, reverse=True)
        by_group = {group_of(ply): self.eligible_at[ply] for ply in longest_first}
        return dict(sorted(by_group.items()))

    @property
    def taken(self) -> dict[int, int]:
        """For each group the positions cut."""
        taken: dict[int, int] = {}
        for ply, count in sorted(self.taken_at.items()):
            taken[group_of(ply)] = taken.get(group_of(ply), 0) + count
        return taken

    @property
    def possible(self) -> int:
        """Positions that every group could have; exact if one of them got fewer than asked."""
        longest_first = sorted(self.taken_at, reverse=True)
        # Where there are too few, all that are long enough were taken for a cut or a longer one.
        sums = accumulate(self.taken_at[ply] for ply in longest_first)
        cuts = len(self.taken_at) // max(len(self.taken), 1)
        return cuts * possible_per_ply(dict(zip(longest_first, sums, strict=True)))

    def refuse(self, game: RefusedGame) -> None:
        """Count a game that cannot be used."""
        self.refused[game.reason] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(game)

    def describe(self) -> str:
        """Return the summary in lines of text."""
        lines = [
            f"{self.read} games read, {self.too_short} too short for every group, "
            f"{self.duplicates} duplicates, {self.without_result} without a result"
        ]
        for reason, number in sorted(self.refused.items()):
            lines.append(f"{number} refused: {reason}")
        lines += [f"  {game.source}: {game.reason}, {game.detail}" for game in self.examples]
        lines += [f"broke off: {error}" for error in self.truncated]
        for group, number in self.taken.items():
            black = self.taken_at.get(2 * group - 1)
            to_move = "" if black is None else f", {black} with Black to move"
            lines.append(
                f"group of {group} full moves: {number} taken of {self.eligible[group]} long enough"
                f"{to_move}"
            )
        return "\n".join(lines)


def unfilled_error(per_group: int, summary: CutSummary) -> UnfilledGroupError:
    """Return the error that names the groups that were not filled, with what was read."""
    said = ", ".join(
        f"{group} full moves: {taken}"
        for group, taken in summary.taken.items()
        if taken < per_group
    )
    advice = (
        f"ask for {summary.possible} a group, the most that all groups can have (--per-group "
        f"{summary.possible}, or --per-group max)"
        if summary.possible
        else "leave out the groups that no game is long enough for"
    )
    return UnfilledGroupError(
        f"expected {per_group} games for each group, got for {said}; {summary.read} games were "
        f"read, and no game is used twice: {advice}, give more games, or allow unfilled groups\n"
        f"{summary.describe()}"
    )


def nothing_long_enough(games: str, moves: int, summary: CutSummary) -> UnfilledGroupError:
    """Return the error that no game can be cut, with what was read.

    Args:
        games: What they are called.
        moves: Full moves of the shortest group.
        summary: Of the cut.
    """
    return UnfilledGroupError(
        f"expected games of more than {moves} full moves in {games}, found none; "
        f"{summary.describe()}"
    )
