"""One game and the predictions along it: the positions, and the scored replies at each ply."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import chess
import pandas as pd

from workbench.drawing.reply_words import field_words, finished_words, ill_formed_words
from workbench.environments.chess.classification import classify, classify_fen, plain_fen
from workbench.environments.chess.replay import play_moves
from workbench.environments.chess.state import FIELD_NAMES
from workbench.environments.chess.tracker import track
from workbench.environments.registry import DEFAULT
from workbench.errors import InvalidArgumentError, TableError
from workbench.explore.board_reading import describe, explain, game_over_words
from workbench.explore.pair.pair_view import different_squares
from workbench.explore.ply_changes import Differences, change_words, differences
from workbench.games.pgn import lines_of
from workbench.long_texts import LONGEST_FEN, cut
from workbench.prediction import ReplyClass
from workbench.scoring import ScoringParameters, score_predictions
from workbench.tables.parquet_tables import PREDICTIONS


@dataclass(frozen=True, slots=True)
class Stop:
    """A position of the game: the half-moves played, the true board, and the move that led there.

    The move is None at the start, or if the moves are not known.
    """

    ply: int
    fen: str
    san: str | None = None
    uci: str | None = None


def numbered_move(stop: Stop) -> str:
    """Return a stop's move with its number: "12. Nf3", "12... Nf6"; "start" where none led there."""
    if stop.san is None:
        return "start" if stop.ply == 0 else f"ply {stop.ply}"
    return f"{(stop.ply + 1) // 2}{'.' if stop.ply % 2 else '...'} {stop.san}"


def game_stops(movetext: str) -> tuple[Stop, ...]:
    """Return the start and the place after each move of a game."""
    lines = list(lines_of(movetext))
    if len(lines) != 1 or lines[0].reason or not lines[0].plies:
        what = lines[0].detail if len(lines) == 1 and lines[0].reason else f"{len(lines)} games"
        raise InvalidArgumentError(
            f"expected the moves of one game without headers, as in '1. e4 e5 2. Nf3', got {what} "
            f"in {movetext[:80]!r}"
        )
    return _stops(play_moves(lines[0].moves.split(), "SAN"))


def stops_of(rows: pd.DataFrame, game_id: str) -> tuple[tuple[Stop, ...], tuple[str, ...]]:
    """Return the positions of a game that was cut at several plies, and notes on the rows."""
    cuts = dict(zip(rows["ply"].astype(int), rows["true_state"].astype(str), strict=True))
    moves = rows["moves"] if "moves" in rows else pd.Series(None, rows.index, dtype=object)
    moves_by_ply = {
        int(ply): text.split()
        for ply, text in zip(rows["ply"], moves, strict=True)
        if isinstance(text, str)
    }
    if not moves_by_ply:
        note = "This table has no moves of the game: only the cuts can be shown."
        return tuple(Stop(ply, fen) for ply, fen in cuts.items()), (note,)
    longest = max(moves_by_ply.values(), key=len)
    for ply, played in moves_by_ply.items():
        if played != longest[: len(played)]:
            raise TableError(
                f"game {game_id!r}: the moves at ply {ply} are not the beginning of the longest "
                "ones; give rows of one game"
            )
    stops = _stops(play_moves(longest, game=f"game {game_id!r}"))
    replayed = {stop.ply: stop.fen for stop in stops}
    beyond = [ply for ply in cuts if ply not in replayed]
    odd = [ply for ply, fen in cuts.items() if replayed.get(ply, fen) != fen]
    notes = (
        (
            beyond,
            f"The moves end at ply {len(longest)}; the true board at {{}} comes from the table.",
        ),
        (
            odd,
            "At {} the table's true FEN differs from the board after the moves; the scores use the "
            "table's.",
        ),
    )
    sentences = (
        words.format("ply " + ", ".join(map(str, plies))) for plies, words in notes if plies
    )
    return (*stops, *(Stop(ply, cuts[ply]) for ply in sorted(beyond))), tuple(sentences)


def _stops(game: chess.Board) -> tuple[Stop, ...]:
    """Return the start and the place after each move on a board's stack."""
    board = chess.Board()
    stops = [Stop(0, board.fen())]
    for san in map(board.san_and_push, game.move_stack):
        stops.append(Stop(board.ply(), board.fen(), san, board.peek().uci()))
    return tuple(stops)


LONGEST_REPLY: Final = 20_000
"""Characters of a reply that the page shows whole."""

_LONGEST_CHANGE: Final = 400
_NO_DIFFERENCE: Final = Differences({}, {})
_NEEDED: Final = ("game_id", "ply", "true_state")


@dataclass(frozen=True, slots=True)
class ReplyAt:
    """A reply at one ply, with its scores.

    Attributes:
        on_board: Whether the text taken for a FEN can be shown on a board.
        words: What the class of the reply means here.
        precision: p_1 .. p_m; likewise ``recall``.
        levenshtein: Edit distance in characters; None where there is no FEN.
        longer: Characters of the longer of the two FENs.
        distance: ``levenshtein / longer``, in [0, 1]; None where there is no FEN.
        different: Squares on which the boards differ.
        wrong_fields: Fields of the FEN that differ, in words.
        game_over: On which of the two boards the game is over, and how; empty if it goes on.
        slips: What the simulated tracker got wrong up to here, in words.
    """

    ply: int
    true_fen: str
    predicted_fen: str | None
    on_board: bool
    reply: str | None
    reply_class: str
    words: str
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    levenshtein: int | None
    longer: int
    distance: float | None
    exact_match: bool
    different: tuple[str, ...]
    wrong_fields: tuple[str, ...]
    game_over: str = ""
    slips: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrackedGame:
    """A game with the replies to it.

    Attributes:
        title: The game and who replied, in words.
        simulated: Whether the replies come from the simulated tracker.
        parameters: How replies are scored, by the exact method.
        stops: Places in the game, by ply; all plies where the moves are known.
        replies: By ply, at most one per ply, each at a ply of one of the stops.
        notes: Notes on the table for the reader, in sentences.
        game: The game in words; empty if it has no name.
    """

    title: str
    simulated: bool
    parameters: ScoringParameters
    stops: tuple[Stop, ...]
    replies: tuple[ReplyAt, ...]
    notes: tuple[str, ...] = field(default_factory=tuple)
    game: str = ""

    @property
    def depth(self) -> int:
        """The largest m that is scored."""
        return self.parameters.depth

    @property
    def conventions(self) -> str:
        """How finished games and ill-formed boards count, in words."""
        terminal, ill_formed = self.parameters.terminal, self.parameters.ill_formed
        return f"{finished_words(terminal)}; {ill_formed_words(ill_formed)}"

    def changes(self) -> list[str]:
        """Return what each reply has wrong that the one before it had right, as a sentence."""
        stops = {stop.ply: stop for stop in self.stops}
        subject = "the tracker" if self.simulated else "the model"
        start = self.stops[0]
        before, ply, true_before = _NO_DIFFERENCE, start.ply, chess.Board(start.fen)
        sentences = []
        readable = True
        for reply in self.replies:
            stop, true = stops[reply.ply], chess.Board(reply.true_fen)
            now = None
            if not reply.on_board:
                clause = (
                    f"{subject} {'gives' if readable else 'still gives'} no board. {reply.words}"
                )
            else:
                next_ply = stop.uci is not None and reply.ply == ply + 1
                move = chess.Move.from_uci(str(stop.uci)) if next_ply else None
                now = differences(true, chess.Board(reply.predicted_fen))
                clause = change_words(subject, now, before, true_before, move) + "."
                if not readable:
                    clause = f"a board again; {clause}"
            since = "" if reply.ply <= ply + 1 else f", since ply {ply}"
            sentences.append(f"{numbered_move(stop)}{since}: {clause}")
            readable = now is not None
            before, ply, true_before = now or _NO_DIFFERENCE, reply.ply, true
        return sentences

    def page(self) -> dict[str, Any]:
        """Return everything as JSON can hold it, very long texts cut."""
        page = asdict(self) | {"depth": self.depth, "conventions": self.conventions}
        del page["parameters"]
        for reply, change in zip(page["replies"], self.changes(), strict=True):
            reply["change"] = cut(change, _LONGEST_CHANGE)
            if reply["predicted_fen"] is not None:
                reply["predicted_fen"] = cut(reply["predicted_fen"], LONGEST_FEN)
            if reply["reply"] is not None and len(reply["reply"]) > LONGEST_REPLY:
                reply["reply"] = cut(reply["reply"])
        return page

    def moves_until(self, ply: int) -> str:
        """Return the moves up to a ply with their numbers, as in PGN; empty if they are unknown."""
        stops = [stop for stop in self.stops if stop.san is not None and stop.ply <= ply]
        return " ".join(numbered_move(stop) if stop.ply % 2 else str(stop.san) for stop in stops)

    def table(self) -> pd.DataFrame:
        """Return one row per reply; precision_1.. and recall_1.. are columns of their own."""
        rows = []
        for reply in self.replies:
            row = asdict(reply)
            for name in ("precision", "recall"):
                row |= {f"{name}_{m}": value for m, value in enumerate(row.pop(name), start=1)}
            rows.append(row)
        return pd.DataFrame(rows)


def track_simulated(
    movetext: str, rate: float, seed: int, parameters: ScoringParameters
) -> TrackedGame:
    """Simulate replies after every ply of a game.

    The error at a ply depends only on the seed and the ply, so an error persists in later replies.
    Only the slip at the last move that was played may be another one than in later replies,
    because the side to move can be forgotten there alone.
    """
    stops = game_stops(movetext)
    moves = [str(stop.uci) for stop in stops[1:]]
    rows, slips = [], []
    for stop in stops[1:]:
        played = " ".join(moves[: stop.ply])
        tracking = track(played, position_id="tracked game", rate=rate, seed=seed)
        row = {"ply": stop.ply, "true_state": stop.fen, "reply": tracking.fen, "moves": played}
        rows.append({**row, **classify_fen(tracking.fen).columns()})
        slips.append(
            tuple(
                f"{numbered_move(stops[slip.ply])}: {slip.kind.value.replace('_', ' ')}"
                for slip in tracking.slips
            )
        )
    frame = pd.DataFrame(rows).assign(game_id="tracked game", model="simulated")
    title = f"Simulated tracker, slip rate {rate:g} per ply, seed {seed}"
    return TrackedGame(title, True, parameters, stops, scored_replies(frame, parameters, slips))


def track_rows(
    frame: pd.DataFrame,
    game_id: str | None,
    model: str | None,
    sample: int | None,
    parameters: ScoringParameters,
) -> TrackedGame:
    """Select the replies of one model to one game from a table, and score them."""
    missing = [name for name in _NEEDED if name not in frame.columns]
    if missing or not {"reply", "predicted_state"} & set(frame.columns):
        raise TableError(
            f"expected the columns {list(_NEEDED)} and reply or predicted_state, got "
            f"{list(frame.columns)}; give rows of a table of predictions"
        )
    rows, game_id = _chosen(frame, "game_id", game_id)
    rows, model = _chosen(rows, "model", model)
    rows, sample = _chosen(rows, "sample", sample)
    name = f"game {game_id!r}, model {model!r}"
    if nowhere := int(rows["ply"].isna().sum()):
        raise TableError(
            f"{name}: expected a ply in every row, got none in {nowhere}; "
            "import the replies with their games, or leave these rows out"
        )
    rows = rows.sort_values("ply").reset_index(drop=True)
    rows = rows.assign(true_state=[plain_fen(fen).text for fen in rows["true_state"]])
    twice = rows["ply"][rows["ply"].duplicated()]
    if len(twice):
        raise TableError(f"{name}: expected one reply per ply, got several at ply {twice.iloc[0]}")
    if "reply_class" not in rows.columns:
        whole = "reply" in rows.columns
        texts = [
            text if isinstance(text, str) else None
            for text in rows["reply" if whole else "predicted_state"]
        ]
        read = [classify(text or "") if whole else classify_fen(text) for text in texts]
        rows = rows.assign(**pd.DataFrame([each.columns() for each in read], index=rows.index))
    stops, notes = stops_of(rows, str(game_id))
    failed = rows["reply_class"] == ReplyClass.FAILED
    if failed.any():
        plies = ", ".join(map(str, rows.loc[failed, "ply"]))
        notes += (f"The call failed at ply {plies}: there is no reply.",)
        rows = rows[~failed].reset_index(drop=True)
    game = f"Game {cut(str(game_id))}"
    title = game + (f", {cut(str(model))}" if model is not None else "")
    simulated = str(model).startswith("simulated")
    replies = scored_replies(rows, parameters)
    return TrackedGame(title, simulated, parameters, stops, replies, notes, game)


def _chosen(frame: pd.DataFrame, column: str, value: Any) -> tuple[pd.DataFrame, Any]:
    """Return the rows with this value, or with the only value that there is."""
    if column not in frame.columns:
        if value is not None:
            raise TableError(f"expected a column {column!r} to find {value!r} in, got none")
        return frame, None
    present = list(frame[column].dropna().unique())
    if value is None and len(present) > 1:
        names = ", ".join(map(repr, present[:5])) + (", ..." if len(present) > 5 else "")
        raise InvalidArgumentError(
            f"expected rows of one {column}, got {len(present)}: {names}; say which by {column}="
        )
    if value is None:
        value = present[0] if present else None
        selection = frame
    else:
        selection = frame[frame[column] == value]
    if selection.empty:
        raise InvalidArgumentError(f"expected rows with {column} {value!r}, got none")
    return selection, value


def scored_replies(
    rows: pd.DataFrame, parameters: ScoringParameters, slips: Sequence[tuple[str, ...]] = ()
) -> tuple[ReplyAt, ...]:
    """Score replies and put what the page needs beside."""
    if parameters.method != "exact":
        raise InvalidArgumentError(f"expected the exact method, got {parameters.method!r}")
    full = rows.reindex(columns=PREDICTIONS.names).assign(environment=DEFAULT, task="state")
    full = full.astype(object).where(full.notna(), None)
    scores = score_predictions(full, parameters)
    depths = range(1, parameters.depth + 1)
    replies = []
    for number, (row, score) in enumerate(
        zip(full.to_dict("records"), scores.to_dict("records"), strict=True)
    ):
        if score["unscored"]:
            raise TableError(f"ply {row['ply']}: {score['unscored']}")
        fen = row["predicted_state"]
        distance = None if fen is None else int(score["levenshtein"])
        longer = max(len(row["true_state"]), len(fen or ""))
        reply_class = ReplyClass(row["reply_class"])
        on_board = reply_class in (ReplyClass.VALID, ReplyClass.ILL_FORMED)
        true, predicted = chess.Board(row["true_state"]), chess.Board(fen) if on_board else None
        wrong = [name for name in FIELD_NAMES if fen is not None and not score[f"correct_{name}"]]
        replies.append(
            ReplyAt(
                ply=int(row["ply"]),
                true_fen=row["true_state"],
                predicted_fen=fen,
                on_board=on_board,
                reply=row["reply"],
                reply_class=str(reply_class),
                words=_words(reply_class, row),
                precision=tuple(float(score[f"precision_{m}"]) for m in depths),
                recall=tuple(float(score[f"recall_{m}"]) for m in depths),
                levenshtein=distance,
                longer=longer,
                distance=None if distance is None else distance / longer,
                exact_match=bool(score["exact_match"]),
                different=tuple(different_squares(true, predicted) if predicted else ()),
                wrong_fields=tuple(map(field_words, wrong)),
                game_over=game_over_words(true, predicted),
                slips=slips[number] if slips else (),
            )
        )
    return tuple(replies)


def _words(reply_class: ReplyClass, row: dict[Any, Any]) -> str:
    if reply_class is ReplyClass.UNPARSEABLE:
        return f"No readable FEN: {explain(row['predicted_state']) or row['reason']}."
    if reply_class is ReplyClass.ABSENT:
        return f"No FEN in the reply: {row['reason'] or 'nothing was read'}."
    return describe(reply_class, (row["status"] or "").split())
