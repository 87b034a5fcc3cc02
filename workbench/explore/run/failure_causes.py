"""The main cause of each row of a scores table: why a reply loses precision, or recall.

A cause is what wins back at least half of the loss if it alone is corrected, see
`workbench.explore.losses.main_cause`. A run holds thousands of pairs of boards: their walks are batches
of the compiled kernel, and a correction is walked only as deep as it can still be the cause, because p_m
is at most p_1.
"""

import re
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import chess
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.automaton import Sink, State, Terminal
from workbench.drawing.reply_words import fault_words
from workbench.drawing.score_description import environment_of
from workbench.environments.chess.classification import plain_fen, status_names
from workbench.environments.chess.kernel.kernel_functions import (
    Words,
    joint_profiles,
    kernel_works,
    pack_states,
    supported,
    unpack_state,
)
from workbench.environments.chess.state import ChessState, Fen
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError
from workbench.explore.board_reading import CHESS, read_board
from workbench.explore.depth_profile import exact_depth
from workbench.explore.explorer_settings import ExploredAutomaton, ExplorerSettings
from workbench.explore.losses.board_losses import (
    board_differences,
    circumstances,
    field_errors,
    field_text,
    square_errors,
    with_field,
)
from workbench.explore.losses.joint_tree import MEASURES, ROUNDING
from workbench.explore.losses.main_cause import (
    DOMINANT,
    Circumstance,
    Difference,
    Values,
    main_cause,
)
from workbench.explore.pair.state_view import reader_in_table, state_differences
from workbench.prediction import READABLE, ReplyClass
from workbench.scoring.parameters import IllFormedPolicy
from workbench.tasks import task_named

NOTHING_LOST: Final = "nothing lost"
UNREADABLE: Final = "unreadable: "
UNDEFINED: Final = "undefined"
ONE_ERROR: Final = "one error"
SEVERAL: Final = "several errors: "
_SEVERAL: Final = ((3, "2-3 differences"), (6, "4-6 differences"), (np.inf, "7 or more"))

_NEEDED: Final = (
    *("true_state", "predicted_state", "reply_class", "reason", "unscored", "task"),
    *("environment", "terminal", "ill_formed_policy", "method"),
)
_CHUNK: Final = 64
"""Pairs whose walks are one batch: under 0.1 s."""

_CHUNK_OF_OTHERS: Final = 8
"""Pairs of states of other environments, which are walked one by one: about as long."""

_ONE_PAIR_BUDGET: Final = 40_000
"""Joint nodes of a pair that no batch takes: of a board with a promoted king, of another environment."""

_DEEPEST_OF_ESTIMATES: Final = 4
"""The depth of the walks where the scores are estimates."""

_MASKS: Final = slice(0, 7)
_KINGS: Final = 4
_META: Final = 7
_BACK_RANKS: Final = np.uint64(0xFF | 0xFF << 56)
_RIGHTS: Final = np.uint64(0xFF << 8 | 0xFF << 56)


class RowCause(NamedTuple):
    """The main cause of a reply.

    Attributes:
        cause: One of few categories.
        measure: ``precision`` or ``recall``, whose loss it is; empty where nothing is lost, or all.
        gain: The share of that loss that its correction alone wins back; NaN for several errors.
        differences: The number of differences of the two states; NaN where they were not counted.
    """

    cause: str
    measure: str = ""
    gain: float = np.nan
    differences: float = np.nan


def several_errors(differences: int) -> str:
    """Return the category of a reply with several differences, none of which is the main cause."""
    return SEVERAL + next(words for most, words in _SEVERAL if differences <= most)


def board_pair_causes(
    pairs: Sequence[tuple[str, str]],
    depth: int,
    terminal: Terminal = "absorb",
    policy: IllFormedPolicy = "as_is",
    values: Sequence[Values] | None = None,
) -> list[RowCause]:
    """Return the main cause of pairs of FENs, which `board_causes` names for each pair by itself.

    It is the cause of what p_m loses; where p_m is 1, of what r_m loses.

    Args:
        pairs: True and predicted FENs that python-chess reads.
        depth: m, at least 1.
        terminal: How finished games count.
        policy: How ill-formed boards count.
        values: p_m and r_m of each pair, if they are known exactly.
    """
    fens = [(plain_fen(true), plain_fen(predicted)) for true, predicted in pairs]
    true, predicted = (pack_states([pair[side].state for pair in fens]) for side in (0, 1))
    fits = supported(true) & supported(predicted) & kernel_works("joint_walk")
    causes: list[RowCause] = [RowCause(UNDEFINED)] * len(pairs)
    for place in np.flatnonzero(~fits).tolist():
        one, other = pairs[place]
        causes[place] = _one_board_pair(one, other, depth, terminal, policy)
    places: list[int] = np.flatnonzero(fits).tolist()
    if not places:
        return causes
    batch = _Batch([fens[place] for place in places], true[fits], predicted[fits], policy)
    exact = None if values is None else np.array([values[place] for place in places])
    for place, cause in zip(places, batch.causes(depth, terminal, exact), strict=True):
        causes[place] = cause
    return causes


class _Batch:
    """Pairs of boards that the compiled kernel takes, and the corrections of each difference."""

    def __init__(
        self,
        fens: Sequence[tuple[Fen, Fen]],
        true: Words,
        predicted: Words,
        policy: IllFormedPolicy,
    ) -> None:
        self._fens = fens
        self._true = true
        self._policy = policy
        self._predicted = predicted
        self._kinds: list[str] = []
        owners: list[int] = []
        masks: list[int] = []
        fields: list[str | None] = []
        for place, (one, other) in enumerate(fens):
            errors = [*square_errors(one.board.piece_map(), other.board.piece_map())]
            masks += [sum(1 << square for square in error.squares) for error in errors]
            fields += [None] * len(errors)
            self._kinds += [error.kind for error in errors]
            of_fields = [*field_errors(one, other)]
            masks += [0] * len(of_fields)
            fields += [
                with_field(other, each.field, field_text(one, each.field)) for each in of_fields
            ]
            self._kinds += [each.kind for each in of_fields]
            owners += [place] * (len(errors) + len(of_fields))
        self._owners = np.array(owners, np.int64)
        self._counts = np.bincount(self._owners, minlength=len(fens))
        self._corrected = self._corrections(np.array(masks, np.uint64), fields)

    def _corrections(self, masks: NDArray[np.uint64], fields: Sequence[str | None]) -> Words:
        true, rows = self._true[self._owners], self._predicted[self._owners]
        mask = masks[:, np.newaxis]
        around = masks & (_BACK_RANKS | true[:, _KINGS] | rows[:, _KINGS])
        # Which rook a castling letter means depends on the kings and on the pieces of their ranks.
        written = np.array([field_text(other, 2) != "-" for _, other in self._fens], np.bool_)
        again = (around != 0) & written[self._owners]
        rows[:, _MASKS] = (rows[:, _MASKS] & ~mask) | (true[:, _MASKS] & mask)
        for place in np.flatnonzero(again):
            rows[place] = self._read_again(rows[place], int(self._owners[place]))
        of_fields = [place for place, text in enumerate(fields) if text is not None]
        if of_fields:
            texts = [text for text in fields if text is not None]
            rows[of_fields] = pack_states(map(ChessState.from_fen, texts))
        return rows

    def _read_again(self, row: Words, owner: int) -> Words:
        """Return a corrected board with the castling rights that its field means there."""
        placement = unpack_state(row).board().board_fen(promoted=True)
        text = with_field(self._fens[owner][1], 0, placement)
        again: Words = pack_states([ChessState.from_fen(text)])[0]
        return again

    def causes(
        self, depth: int, terminal: Terminal, values: NDArray[np.float64] | None
    ) -> list[RowCause]:
        """Return the main cause of each pair."""
        states = np.array([self._is_state(other.board) for _, other in self._fens], np.bool_)
        if values is None:
            profiles = joint_profiles(self._true, self._predicted, depth, terminal)
            values = np.stack([profiles.precision[:, -1], profiles.recall[:, -1]], axis=1)
        now = np.where(states[:, np.newaxis], values, 0.0)
        lost = 1.0 - now
        # Of precision; of recall where no precision is lost.
        measures = np.where(lost[:, 0] > ROUNDING, 0, 1)
        corrected = self._survivors(now, measures, depth, terminal)
        causes: list[RowCause] = []
        for place, (one, other) in enumerate(self._fens):
            measure, count = MEASURES[measures[place]], int(self._counts[place])
            if np.isnan(now[place]).any() or not lost[place, measure.index] > ROUNDING:
                undefined = bool(np.isnan(now[place]).any())
                cause = UNDEFINED if undefined else NOTHING_LOST
                causes.append(RowCause(cause, differences=count))
                continue
            around = circumstances(one.state, other.state, ()) if states[place] else []
            causes.append(
                _row_cause(
                    int(measure.index), tuple(now[place]), corrected.get(place, []), around, count
                )
            )
        return causes

    def _is_state(self, board: chess.Board) -> bool:
        return self._policy == "as_is" or not status_names(board)

    def _survivors(
        self,
        now: NDArray[np.float64],
        measures: NDArray[np.int64],
        depth: int,
        terminal: Terminal,
    ) -> dict[int, list[tuple[str, Values]]]:
        """Return the corrections of each pair that may be its main cause, with p_m and r_m."""
        measured = measures[self._owners]
        values = now[self._owners, measured]
        least = values + DOMINANT * (1.0 - values) - 3 * ROUNDING
        alive = np.flatnonzero(1.0 - values > ROUNDING)
        reached = np.empty((0, 2))
        # p_m is at most p_1, but not where lines of finished games are left out.
        for plies in range(1, depth + 1) if terminal == "absorb" else (depth,):
            true, rows = self._true[self._owners[alive]], self._corrected[alive]
            profiles = joint_profiles(true, rows, plies, terminal)
            reached = np.stack([profiles.precision[:, -1], profiles.recall[:, -1]], axis=1)
            keep = reached[np.arange(len(alive)), measured[alive]] >= least[alive]
            alive, reached = alive[keep], reached[keep]
        survivors: dict[int, list[tuple[str, Values]]] = {}
        for place, (precision, recall) in zip(alive.tolist(), reached.tolist(), strict=True):
            if self._is_state(unpack_state(self._corrected[place]).board()):
                owner = int(self._owners[place])
                survivors.setdefault(owner, []).append((self._kinds[place], (precision, recall)))
        return survivors


def _row_cause(
    index: int,
    now: Values,
    corrected: Sequence[tuple[str, Values]],
    around: Sequence[Circumstance],
    differences: int,
) -> RowCause:
    measure = MEASURES[index]
    kinds = [Circumstance(each.kind, each.lost) for each in around]
    cause = main_cause(measure, now, corrected, kinds)
    if cause is not None:
        return RowCause(cause.words, measure.name, cause.share, differences)
    # Without two differences it is not clear why the states lose what they lose.
    words = several_errors(differences) if differences > 1 else UNDEFINED
    return RowCause(words, measure.name, differences=differences)


def _one_board_pair(
    true: str, predicted: str, depth: int, terminal: Terminal, policy: IllFormedPolicy
) -> RowCause:
    """Return the main cause of a pair of boards that the compiled kernel does not take."""
    one, other = read_board(true, "true"), read_board(predicted, "predicted")
    state = other.state(policy)
    around = [] if isinstance(state, Sink) else circumstances(one.fen.state, state, ())
    differences = board_differences(one.fen, other.fen, policy)
    return _one_pair(CHESS, one.fen.state, state, differences, around, depth, terminal)


def _one_pair(
    explored: ExploredAutomaton[State, Any],
    true: State,
    predicted: State | Sink,
    differences: Sequence[Difference[State]],
    around: Sequence[Circumstance],
    depth: int,
    terminal: Terminal,
) -> RowCause:
    """Return the main cause of a pair walked by itself; undefined where that exceeds the budget."""
    count = len(differences)
    settings = ExplorerSettings(depth, terminal=terminal, exact_budget=_ONE_PAIR_BUDGET)
    values: list[Values] = []
    for state in (predicted, *(each.corrected for each in differences)):
        if isinstance(state, Sink):
            values.append((0.0, 0.0))
            continue
        if exact_depth(explored, true, state, settings).depth < depth:
            return RowCause(UNDEFINED, differences=count)
        precision, recall = explored.exact_values(true, state, depth, terminal)
        values.append((precision[-1], recall[-1]))
    now, *corrected = values
    if np.isnan(now).any():
        return RowCause(UNDEFINED, differences=count)
    lossy = [measure.index for measure in MEASURES if 1.0 - now[measure.index] > ROUNDING]
    if not lossy:
        return RowCause(NOTHING_LOST, differences=count)
    kinds = [each.kind or ONE_ERROR for each in differences]
    named = list(zip(kinds, corrected, strict=True))
    return _row_cause(lossy[0], now, named, around, count)


def _state_pair_causes(
    environment: str,
    pairs: Sequence[tuple[str, str]],
    depth: int,
    terminal: Terminal,
    policy: IllFormedPolicy,
) -> list[RowCause]:
    """Return the main cause of pairs of states of any environment, which are walked one by one."""
    reader = reader_in_table(environment)
    causes = []
    for texts in pairs:
        true, predicted = reader.read_pair(*texts, [])
        differences = state_differences(reader.environment, true.known, predicted.known)
        # None where there are too many, or where the environment cannot correct them.
        causes.append(
            _one_pair(
                reader.explored,
                true.known,
                predicted.state(policy),
                differences,
                (),
                depth,
                terminal,
            )
            if differences
            else RowCause(UNDEFINED)
        )
    return causes


def depths_of(scores: pd.DataFrame) -> list[int]:
    """Return the depths m for which a scores table has both p_m and r_m, ascending."""
    matches = (re.fullmatch(r"precision_(\d+)", str(name)) for name in scores.columns)
    return sorted(int(m[1]) for m in matches if m and f"recall_{m[1]}" in scores.columns)


class FailureCauses:
    """The main cause of each row of a scores table at one depth, computed as far as it is asked for.

    Args:
        scores: As of ``workbench score``.
        depth: The m of p_m and r_m; the largest that the scores have, if None.

    Attributes:
        depth: m.
        categories: The categories so far; `codes` are places in this list.
        codes: The category of each row, -1 where it is not computed yet.
        batches: Whether all pairs are boards, which are walked in batches: ten times as fast.

    Raises:
        InvalidArgumentError: If the scores lack a column, or do not have this depth.
    """

    def __init__(self, scores: pd.DataFrame, depth: int | None = None) -> None:
        depths = depths_of(scores)
        missing = [name for name in _NEEDED if name not in scores]
        if missing or not depths:
            raise InvalidArgumentError(
                "expected scores, as workbench.score(frame) returns, with columns such as precision_4, got "
                f"a frame without {', '.join(missing) or 'precision_m and recall_m'}; "
                "score the replies first, and scores of an earlier version again: `workbench score`"
            )
        self.depth = max(depths) if depth is None else depth
        if self.depth not in depths:
            raise InvalidArgumentError(
                f"expected a depth among {depths}, which the scores have, got {depth!r}"
            )
        self._exact = scores["method"].fillna("").eq("exact").all()
        # Estimated scores may have depths at which no exact walk ends.
        self._walk_depth = self.depth if self._exact else min(self.depth, _DEEPEST_OF_ESTIMATES)
        self.categories: list[str] = []
        self.codes = np.full(len(scores), -1, np.int32)
        self._index = scores.index
        self._code_of: dict[str, int] = {}
        self._measures = np.full(len(scores), "", dtype=object)
        self._gains = np.full(len(scores), np.nan)
        self._differences = np.full(len(scores), np.nan)
        names = [f"{name}_{self.depth}" for name in ("precision", "recall")]
        values = scores[names].to_numpy(float, na_value=np.nan)
        pending = self._settle_at_once(scores, values)
        self._queue_pairs(scores, values, pending)

    def _settle_at_once(
        self, scores: pd.DataFrame, values: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Give a cause to all rows whose boards need not be looked at; return which are left."""
        classes = scores["reply_class"].astype(str)
        readable = classes.isin(list(map(str, READABLE))).to_numpy()
        scored = (scores["unscored"].fillna("") == "").to_numpy()
        defined = scored & ~np.isnan(values).any(axis=1)
        lost = (1.0 - values > ROUNDING).any(axis=1)
        tasks = {name: task_named(name).gives_state for name in scores["task"].unique()}
        states = scores["task"].map(tasks).to_numpy(bool)
        noun = environment_of(scores).state_noun
        self._settle(~defined, RowCause(UNDEFINED))
        self._settle(defined & ~lost, RowCause(NOTHING_LOST))
        absent = (classes == str(ReplyClass.ABSENT)).to_numpy()
        self._settle(defined & lost & absent, RowCause(f"no {noun}", "precision", 1.0))
        unreadable = defined & lost & ~absent & ~readable
        reasons = scores["reason"].fillna("").map(fault_words)
        for reason in reasons[unreadable].unique():
            cause = RowCause(UNREADABLE + reason, "precision", 1.0)
            self._settle(unreadable & (reasons == reason).to_numpy(), cause)
        self._settle(defined & lost & readable & ~states, RowCause(UNDEFINED, "precision"))
        return np.asarray(defined & lost & readable & states)

    def _queue_pairs(
        self, scores: pd.DataFrame, values: NDArray[np.float64], pending: NDArray[np.bool_]
    ) -> None:
        """Number the distinct pairs of states: each is looked at once."""
        names = ["environment", "terminal", "ill_formed_policy", "true_state", "predicted_state"]
        places = np.flatnonzero(pending)
        self._pair_of = np.full(len(scores), -1, np.int64)
        keys = scores.iloc[places][names]
        self._pair_of[places] = keys.groupby(names, sort=False, dropna=False).ngroup()
        first = ~keys.duplicated().to_numpy()
        self._pairs = keys[first].to_numpy(dtype=object)
        self.batches = bool((self._pairs[:, 0] == DEFAULT).all())
        self._values = values[places[first]]
        self._rows_of = np.argsort(self._pair_of, kind="stable")
        self._starts = np.searchsorted(
            self._pair_of[self._rows_of], np.arange(len(self._pairs) + 1)
        )

    def _settle(self, rows: NDArray[Any], cause: RowCause) -> None:
        """Write down the cause of rows."""
        if cause.cause not in self._code_of:
            self._code_of[cause.cause] = len(self.categories)
            self.categories.append(cause.cause)
        self.codes[rows] = self._code_of[cause.cause]
        self._measures[rows] = cause.measure
        self._gains[rows] = cause.gain
        self._differences[rows] = cause.differences

    def remaining(self, places: NDArray[np.int64] | None = None) -> int:
        """Return how many of the rows at some places, or of all, have no cause computed yet."""
        codes = self.codes if places is None else self.codes[places]
        return int((codes < 0).sum())

    def remaining_pairs(self, places: NDArray[np.int64]) -> int:
        """Return how many different pairs of states the rows without a cause at some places have."""
        return len(np.unique(self._pair_of[places[self.codes[places] < 0]]))

    def advance(self, places: NDArray[np.int64] | None = None, seconds: float = np.inf) -> int:
        """Compute the causes of rows, in their order, for about a time.

        Args:
            places: The numbers of the rows, from 0; all if None.
            seconds: How long; at least one batch is computed.

        Returns:
            How many of these rows are left.
        """
        until = time.perf_counter() + seconds
        wanted = np.arange(len(self.codes)) if places is None else np.asarray(places, np.int64)
        pairs = pd.unique(self._pair_of[wanted[self.codes[wanted] < 0]])
        chunk = _CHUNK if self.batches else _CHUNK_OF_OTHERS
        for start in range(0, len(pairs), chunk):
            self._compute(pairs[start : start + chunk])
            if time.perf_counter() >= until:
                break
        return self.remaining(places)

    def _compute(self, numbers: NDArray[np.int64]) -> None:
        alike: dict[tuple[str, Terminal, IllFormedPolicy], list[int]] = {}
        for number in numbers.tolist():
            environment, terminal, policy, *_ = self._pairs[number]
            alike.setdefault((environment, terminal, policy), []).append(number)
        for (environment, terminal, policy), members in alike.items():
            texts = [(self._pairs[each][3], self._pairs[each][4]) for each in members]
            arguments = texts, self._walk_depth, terminal, policy
            if environment == DEFAULT:
                values = [tuple(each) for each in self._values[members]] if self._exact else None
                causes = board_pair_causes(*arguments, values)
            else:
                causes = _state_pair_causes(environment, *arguments)
            for number, cause in zip(members, causes, strict=True):
                rows = self._rows_of[self._starts[number] : self._starts[number + 1]]
                self._settle(rows, cause)

    def counts(self, places: NDArray[np.int64]) -> list[tuple[str, int]]:
        """Return how many of the rows at some places have each cause, the most frequent first."""
        codes = self.codes[places]
        numbers = np.bincount(codes[codes >= 0], minlength=len(self.categories)).tolist()
        counts = zip(self.categories, numbers, strict=True)
        return sorted((each for each in counts if each[1]), key=lambda each: (-each[1], each[0]))

    def frame(self) -> pd.DataFrame:
        """Return the causes of all rows, computed or not.

        Returns:
            With the index of the scores: ``cause``, null where it is not computed yet; ``measure``;
            ``gain`` and ``differences``; see `RowCause`.
        """
        names = np.array([*self.categories, None], dtype=object)
        return pd.DataFrame(
            {
                "cause": names[self.codes],
                "measure": self._measures,
                "gain": self._gains,
                "differences": self._differences,
            },
            index=self._index,
        )


def failure_causes(scores: pd.DataFrame, depth: int | None = None) -> pd.DataFrame:
    """Return the main cause of each row of a scores table; see `FailureCauses.frame`."""
    causes = FailureCauses(scores, depth)
    causes.advance()
    return causes.frame()
