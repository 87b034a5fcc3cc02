"""The questions of lesson 3: what replies tell about a model, and a game that a model reads live."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import chess
import pandas as pd
from IPython.display import Pretty

from workbench.answers.game_clusters import whole_games
from workbench.answers.recorded_replies import (
    BASELINE,
    RANDOM_GAMES,
    WORLD_CUP,
    recorded_replies,
)
from workbench.consistency.relation import same_state, step
from workbench.environments.registry import environment_named
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.explore.game_tracker import GameTracker
from workbench.explore.lesson.lesson_questions import ChoiceQuestion, NumberQuestion, Question
from workbench.explore.lesson.lesson_record import Lesson
from workbench.explore.tracked_game import ReplyAt, TrackedGame, numbered_move
from workbench.prediction import CLASSES, ReplyClass
from workbench.scoring import ScoringParameters
from workbench.scoring.score_tables import score
from workbench.studies.models.track_or_recall import BAND, SETS

READER: Final = "small"
_FROM_THE_START: Final = "Count half-moves from the start of the game."
UNSEEN_GAME: Final = (
    "1. Nf3 d5 2. c4 c6 3. e3 Nf6 4. b3 Bg4 5. Bb2 e6 6. h3 Bh5 7. Nc3 Nbd7 8. g4 Bg6 9. Nh4 Bd6 10. d3 a6 "
    "11. Bg2 b5 12. Rc1 O-O 13. O-O Qe7 14. Qe2 Rfd8 15. cxd5 cxd5 16. f4 Rac8 17. Rc2 Nb6 18. Nd1 Rxc2 "
    "19. Qxc2 Rc8 20. Qd2 Nfd7 21. Nf3 f6 22. Nf2 Bb4 23. Qe2 e5 24. f5 Bf7 25. Rc1 Qd6 26. Qd1 Qb8 27. g5 Bh5 "
    "28. Rxc8+ Nxc8 29. gxf6 gxf6 30. Ng4 Ne7"
)  # fmt: skip
"""The first 30 moves of a recorded World Cup game, which no bundled model was trained on."""


def read_game(movetext: str, depth: int = 4) -> GameTracker | Pretty:
    """Let the small model read a game, and show its boards.

    Args:
        movetext: The moves from the first position, as in PGN.
        depth: m.

    Returns:
        The tracker; the reason, in words, if the moves are no game.
    """
    try:
        return GameTracker.from_model(movetext, READER, depth=depth)
    except (IllegalMoveError, InvalidArgumentError) as error:
        return Pretty(f"This game cannot be read: {error}.")  # type: ignore[no-untyped-call]


def first_error(tracked: TrackedGame) -> NumberQuestion:
    """Return the guess after how many half-moves a piece first stands on a wrong square."""
    first = _first_wrong(tracked)
    square = first.different[0]
    return NumberQuestion(
        "the first error",
        f"The model writes a board after each of {len(tracked.replies)} half-moves. At which of them, counted from the start of the game, is a square first wrong?",
        first.ply, near=1.5, low=1, high=float("inf"), digits=0,
        because=(
            f"After {_move(tracked, first.ply)} it writes {_on(first.predicted_fen, square)} on {square}, where {_on(first.true_fen, square)} stands: "
            f"p_{tracked.depth} falls to {first.precision[-1]:.3f}."
        ),
    )  # fmt: skip


def end_of_error(tracked: TrackedGame) -> NumberQuestion:
    """Return the task at which ply the first wrong square is right again."""
    first = _first_wrong(tracked)
    square = first.different[0]
    after = [reply for reply in tracked.replies if reply.ply > first.ply]
    right = next(reply for reply in after if square not in reply.different)
    before = next(reply for reply in tracked.replies if reply.ply == right.ply - 1)
    return NumberQuestion(
        "the square is right again",
        "At which ply is the square of the first error right again?",
        right.ply, within=0, low=0, high=float("inf"), digits=0,
        because=(
            f"The error stays for {right.ply - first.ply} half-moves, until {_move(tracked, right.ply)}; p_{tracked.depth} then rises from {before.precision[-1]:.3f} to "
            f"{right.precision[-1]:.3f}. The model reads all moves again for each board, and makes the same error again: positions of one game share errors."
        ),
        mistakes={
            **{reply.ply: _about_ply(reply, first, square) for reply in tracked.replies},
            right.ply - first.ply: _FROM_THE_START,
            (right.ply + 1) // 2: f"That is the number of the move. {_FROM_THE_START}",
        },
        hint=f"The game has {len(tracked.replies)} half-moves. Watch the square, and p_{tracked.depth} in the chart: it jumps when the square is right again.",
    )  # fmt: skip


def _about_ply(reply: ReplyAt, first: ReplyAt, square: str) -> str:
    """Return what to say of a ply at which the square of the first error is not right again."""
    if reply.ply <= first.ply:
        return "There the error begins." if reply.ply == first.ply else "The error begins later."
    if square in reply.different:
        return "At this ply the square is wrong."
    return "At this ply it is right, but not for the first time after the error."


def contradictions(tracked: TrackedGame) -> list[int]:
    """Return the plies whose board contradicts the one before, moved on by the move; no true board is used."""
    environment = environment_named("chess")
    states = [environment.parse(reply.predicted_fen) for reply in tracked.replies]
    moves = {stop.ply: str(stop.uci) for stop in tracked.stops}
    return [
        reply.ply
        for (before, after), reply in zip(pairwise(states), tracked.replies[1:], strict=True)
        if not same_state(
            environment, step(environment, before.state, moves[reply.ply]), after.state
        )
    ]


def wrong_in_silence(tracked: TrackedGame) -> NumberQuestion:
    """Return the task how many wrong boards do not contradict the one before."""
    wrong, parted = sum(bool(reply.different) for reply in tracked.replies), contradictions(tracked)
    value = wrong - len(parted)
    return NumberQuestion(
        "wrong and not contradicted",
        f"How many of the {wrong} wrong boards do not contradict the board before?",
        value, within=0, low=0, high=float("inf"), digits=0,
        because=(
            f"{wrong} boards are wrong, and {len(parted)} contradict the board before, all of them wrong ones: {value} are wrong and carry the "
            "error on. Contradictions find where an error begins or changes without any true board; they do not count wrong boards."
        ),
        mistakes={
            len(parted): "So many boards contradict the one before. How many wrong ones do not?",
            wrong: "So many boards are wrong, contradicted or not.",
            len(tracked.replies) - len(parted): "So many boards do not contradict the one before, right or wrong.",
        },
        hint="Each listed ply has a wrong board.",
    )  # fmt: skip


def _first_wrong(tracked: TrackedGame) -> ReplyAt:
    return next(reply for reply in tracked.replies if reply.different)


def _move(tracked: TrackedGame, ply: int) -> str:
    return numbered_move(next(stop for stop in tracked.stops if stop.ply == ply))


def _on(fen: str | None, square: str) -> str:
    piece = chess.BaseBoard(str(fen).split()[0]).piece_at(chess.parse_square(square))
    return f"a {chess.piece_name(piece.piece_type)}" if piece else "nothing"


GPT: Final = "gpt-4.1-2025-04-14"
O3: Final = "o3-2025-04-16"
O3_MINI: Final = "o3-mini-2025-01-31"
O4_MINI: Final = "o4-mini-2025-04-16"
GEMINI: Final = "gemini-2.0-flash-001"
ON_BOTH: Final = (O3, O3_MINI, GEMINI, BASELINE)
"""Models of the lesson with replies to both sets of positions."""
ON_WORLD_CUP: Final = (GPT, O4_MINI)
"""Models of the lesson with replies to World Cup games alone."""

_BOARDS: Final = (ReplyClass.VALID, ReplyClass.ILL_FORMED)
_CLASSES: Final = tuple(name for name in CLASSES if name != ReplyClass.FAILED)
"""Of replies; the record has no failed calls."""


def lesson_scores(depth: int = 4, every: int = 1, jobs: int = 1) -> pd.DataFrame:
    """Score the lesson's recorded replies: 10,000, about 600 a second and core.

    Args:
        depth: m.
        every: Take every n-th position alone, to be faster; 1 takes all.
        jobs: Workers.

    Returns:
        Rows of a scores table, with the columns ``game`` (each position's whole game) and
        ``length`` (upper edge of its band of half-moves).
    """
    every_set = recorded_replies(SETS, ON_BOTH)
    games = whole_games(every_set)
    replies = pd.concat([every_set, recorded_replies((WORLD_CUP,), ON_WORLD_CUP)])
    positions = set(sorted(replies["position_id"].unique())[::every])
    rows = replies[replies["position_id"].isin(positions)].reset_index(drop=True)
    scores = score(rows, ScoringParameters(depth=depth), jobs=jobs)
    return scores.assign(
        game=scores["position_id"].map(games),
        length=((scores["ply"] - 1).clip(lower=0) // BAND + 1) * BAND,
    )


def both_policies(scores: pd.DataFrame, depth: int = 4) -> pd.DataFrame:
    """Return the classes of each model's replies, and its mean p_m under both policies.

    Returns:
        One row per model: counts of replies by class, mean p_m under ``as_is`` and ``sink`` over
        all replies, and ``readable``: under ``as_is``, over the replies with a board.
    """
    legal = scores["reply_class"] != ReplyClass.ILL_FORMED
    scores = scores.assign(sink=scores[f"precision_{depth}"].where(legal, 0.0))
    counts = scores.groupby(["model", "reply_class"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=_CLASSES, fill_value=0)
    readable = scores[scores["reply_class"].isin(_BOARDS)]
    means = scores.groupby("model")[[f"precision_{depth}", "sink"]].mean()
    means.columns = [f"p_{depth}, as_is", f"p_{depth}, sink"]
    means["readable"] = readable.groupby("model")[f"precision_{depth}"].mean()
    return counts.join(means).sort_values(means.columns[0], ascending=False)


def counts_of(scores: pd.DataFrame, model: str, depth: int = 4) -> dict[str, float]:
    """Return a model's mean p_m over all replies, their number, and how many have no readable board."""
    own = scores[scores["model"] == model]
    return {
        f"mean p_{depth}": round(float(own[f"precision_{depth}"].mean()), 3),
        "replies": len(own),
        "without a readable board": int((~own["reply_class"].isin(_BOARDS)).sum()),
    }


def model_lesson(scores: pd.DataFrame, unseen: TrackedGame, depth: int = 4) -> Lesson:
    """Return the third lesson, its values computed from these scores and this game.

    Args:
        scores: The result of `lesson_scores`.
        unseen: A game that a model has read, with an error that ends.
        depth: m of the scores.
    """
    played = scores[scores["set"] == WORLD_CUP]
    column = f"precision_{depth}"
    means = {
        (str(which), str(model)): float(part[column].mean())
        for (which, model), part in scores.groupby(["set", "model"])
    }
    groups = sorted(played["group"].unique())
    by_group = played.groupby(["model", "group"])[column].mean()
    ends = [float(by_group[GPT, group]) for group in (groups[0], groups[-1])]
    policies = both_policies(played, depth)
    return Lesson(
        [
            first_error(unseen),
            *_curves(ends, means[WORLD_CUP, BASELINE], depth),
            *_familiar(means, depth),
            *_ill_formed(policies, depth),
        ],
        [end_of_error(unseen), wrong_in_silence(unseen), *_means(policies, depth), *_conclusions()],
    )


def _curves(ends: Sequence[float], baseline: float, depth: int) -> list[Question]:
    first, last = ends
    return [
        NumberQuestion(
            "always the starting position",
            f"A baseline answers the starting position to every question, after 1 to 100 half-moves. What is its mean p_{depth}?",
            baseline, near=0.02,
            because=(
                f"After an odd number of half-moves Black is to move, the prediction has White to move, and p_{depth} is 0 or nearly 0: half of the positions. "
                "Most of the rest is from the first moves of a game. Compare a model with the baseline at the same length."
            ),
        ),
        NumberQuestion(
            "gpt-4.1 in long games",
            f"In games of up to 10 moves the mean p_{depth} of gpt-4.1 is {first:.3f}. What is it in games of 41 to 50 moves?",
            last, near=0.05,
            because="An error stays on the board until the piece is taken or moved, and each further move can add one. In long games hardly any line of the predicted board is legal.",
        ),
    ]  # fmt: skip


def _familiar(means: Mapping[tuple[str, str], float], depth: int) -> list[Question]:
    def two(model: str) -> str:
        played, random = means[WORLD_CUP, model], means[RANDOM_GAMES, model]
        return f"Mean p_{depth}: {played:.3f} on World Cup games, {random:.3f} on random ones."

    choices = (
        "lower by 10% or more of its World Cup mean",
        "within 10% of its World Cup mean",
        "higher by 10% or more of its World Cup mean",
    )
    return [
        ChoiceQuestion(
            "o3 on random games", f"What is the mean p_{depth} of o3 on games of random legal moves?", choices,
            _compared(means, O3),
            because=f"{two(O3)} Nobody has played these games, so there is nothing to remember: it follows the moves.",
        ),
        ChoiceQuestion(
            "gemini on random games", f"And the mean p_{depth} of gemini-2.0-flash?", choices,
            _compared(means, GEMINI),
            because=f"{two(GEMINI)} It does better on games that look like games that people play.",
        ),
    ]  # fmt: skip


def _compared(means: Mapping[tuple[str, str], float], model: str) -> str:
    """Return the letter of how a model does on random games; less than 10% apart is the same."""
    ratio = means[RANDOM_GAMES, model] / means[WORLD_CUP, model]
    return "a" if ratio < 0.9 else "c" if ratio > 1.1 else "b"


def _ill_formed(policies: pd.DataFrame, depth: int) -> list[Question]:
    row = policies.astype(float).to_dict("index")[O4_MINI]
    share = row[ReplyClass.ILL_FORMED] / sum(row[name] for name in _CLASSES)
    as_is, sink = (row[f"p_{depth}, {policy}"] for policy in ("as_is", "sink"))
    return [
        NumberQuestion(
            "boards that cannot arise",
            "What share of the replies of o4-mini is a board that cannot arise in chess?",
            share,
            because="More than half of its boards that can be read. What is wrong with them is the question of the replies below.",
        ),
        NumberQuestion(
            "o4-mini under sink",
            f"Scored as they are (as_is), its replies have a mean p_{depth} of {as_is:.3f}. What is the mean if such boards count 0 (sink)?",
            sink,
            because=f"{sink:.3f} against {as_is:.3f}: most of these boards have a low p_{depth} either way. A table has to say which policy it uses, since the definition implies neither.",
        ),
    ]  # fmt: skip


def _means(policies: pd.DataFrame, depth: int) -> list[Question]:
    row = policies.astype(float).to_dict("index")[O3_MINI]
    mean, readable = row[f"p_{depth}, as_is"], row["readable"]
    share = sum(row[name] for name in _BOARDS) / sum(row[name] for name in _CLASSES)
    return [
        NumberQuestion(
            "o3-mini, readable boards",
            f"What is the mean p_{depth} of o3-mini over the replies with a readable board?",
            readable,
            mistakes={
                mean: "That is the mean over all replies. Those without a readable board count 0 in it.",
                mean * share: "Divide by the share of readable replies; you have multiplied by it.",
                share: "That is the share of replies with a readable board.",
            },
            hint="The sum of p over all replies is the same; divide it by the replies with a readable board.",
        )
    ]  # fmt: skip


_NOT_SUPPORTED: Final = {
    "b": "Familiar openings and squares would do as well as memory.",
    "d": "The models differ in more than that.",
    "e": "Near 0 the measure cannot show a difference.",
    "f": "Two boards may permit the same lines of four and differ (lesson 1, queen and bishop).",
}


def _conclusions() -> list[Question]:
    return [
        ChoiceQuestion(
            "why whole games",
            "The 1,000 World Cup positions come from 20 games. Why are the intervals by game, not by position?",
            (
                "It is faster.",
                "Positions of one game share their errors: 50 of them are not 50 independent observations.",
                "Longer games count more.",
                "It makes the intervals narrower.",
            ),
            "b",
            because="A model that loses a knight at move 12 lacks it in all later positions of that game. Intervals by position would be too narrow.",
            wrong={
                "a": "It is as fast either way. Look at what two positions of one game share.",
                "c": "The mean counts each position once either way. What do the positions of one game share?",
                "d": "It makes them wider here. Is the narrower interval the right one?",
            },
        ),
        ChoiceQuestion(
            "what may be concluded",
            "Which statements do these data support?",
            (
                "The score of o3 is not explained by games that it remembers.",
                "gemini-2.0-flash has memorised these 20 games.",
                "gemini-2.0-flash gains from something that played games have and random ones lack: memory or familiarity.",
                "Reasoning before the answer is the cause of good tracking.",
                "A model whose means are equally low on both sets tracks as well on one as on the other.",
                "A reply with p_4 = 1 must be the true board.",
            ),
            "ac",
            because=" ".join(f"{letter}: {words}" for letter, words in _NOT_SUPPORTED.items()),
            wrong=_NOT_SUPPORTED,
        ),
        ChoiceQuestion(
            "the next experiment",
            "gemini-2.0-flash does better on World Cup games than on random ones. Which new set of positions would show best whether it remembers "
            "these very games?",
            (
                "more games of random moves",
                "more World Cup games of the same years",
                "games of equally strong players, played after the model was trained",
                "the same games, with a larger m",
            ),
            "c",
            because="They are as familiar in style, and cannot be remembered. If the advantage stays, it is familiarity; if it goes, memory.",
            wrong={
                "a": "Random moves take away memory and familiarity together, as the present ones do.",
                "b": "Games of the same years may be remembered too: memory and familiarity stay together.",
                "d": "A larger m measures the same replies more strictly; it does not change what the model has seen.",
            },
        ),
    ]  # fmt: skip
