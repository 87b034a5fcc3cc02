"""Chess as an environment of the pipeline: FENs, moves in UCI and SAN, and their diagnosis."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import chess
import numpy as np
import pyarrow as pa

from workbench.environment import Environment, Episode, EpisodeTexts, Symmetry, check_tracker
from workbench.environments.chess.broken_rules import broken_rule
from workbench.environments.chess.chess_automaton import ChessAutomaton
from workbench.environments.chess.classification import (
    EXTRACTOR_VERSION,
    chess960_row,
    classify,
    classify_fen,
    classify_input,
    moves_problem,
    plain_fen,
    status_names,
)
from workbench.environments.chess.reachability import violated_conditions
from workbench.environments.chess.replay import (
    SAN,
    UCI,
    numbered_san,
    play_moves,
    read_moves,
    uci_moves,
)
from workbench.environments.chess.state import (
    FIELD_NAMES,
    VARIANTS,
    ChessState,
    Fen,
    board_accuracy,
    compared_text,
)
from workbench.environments.chess.tracker import lost_track, tracking
from workbench.errors import IllegalMoveError, InvalidArgumentError, InvalidFenError
from workbench.prediction import ParsedState, Prediction
from workbench.tables.provenance import text_hash

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SQUARES: Final = frozenset(chess.SQUARE_NAMES)
_MOVE_NUMBER: Final = re.compile(r"(?<!\d)\d+\.+")
_LARGEST: Final = 2**31
_BOARD_STATES: Final = ("valid", "ill_formed")


class ChessEnvironment(Environment[ChessState, chess.Move]):
    """Standard chess: states are FENs, actions are legal moves of python-chess."""

    title: ClassVar[str] = "chess"
    summary: ClassVar[str] = "boards as FEN, legal moves in UCI"
    state_noun: ClassVar[str] = "board"
    text_noun: ClassVar[str] = "FEN"
    action_noun: ClassVar[str] = "move"
    episode_noun: ClassVar[str] = "game"
    separator: ClassVar[str] = " "
    actions_per_group: ClassVar[int] = 2
    sides: ClassVar[int] = 2
    shows_start: ClassVar[bool] = False
    reader_version: ClassVar[int] = EXTRACTOR_VERSION
    movetext_format: ClassVar[str] = "pgn"
    text_variants: ClassVar[tuple[str, ...]] = VARIANTS
    text_fields: ClassVar[tuple[str, ...]] = FIELD_NAMES
    accuracy_column: ClassVar[str] = "board_accuracy"
    diagnosis_fields: ClassVar[tuple[tuple[str, pa.DataType], ...]] = (
        ("violated_conditions", pa.string()),
        ("wrong_squares", pa.int32()),
        ("lost_ply", pa.int32()),
        ("lost_kind", pa.string()),
        ("lost_squares", pa.int32()),
    )

    automaton = ChessAutomaton()
    rules = (
        "A game of chess began from the usual first position. Its moves so far are given in PGN."
    )
    state_format = (
        "Write the position as a FEN of six fields, separated by single spaces: the pieces from "
        "rank 8 down to rank 1, the side to move, the castling rights, the en passant square, the "
        "half-move clock and the number of the full move."
    )
    action_format = (
        "Write a move in UCI: the square that the piece leaves and the one it goes to, then the "
        "letter of the piece that a pawn becomes (q, r, b or n); castling is the king's move."
    )

    def state_text(self, state: ChessState) -> str:
        """Return the first four fields of the FEN; a state has no clocks."""
        return state.fen()

    def read_state(self, text: str) -> ChessState:
        """Return the state of a FEN; raises `InvalidFenError`."""
        return ChessState.from_fen(text)

    def action_text(self, action: chess.Move) -> str:
        """Return a move in UCI."""
        return action.uci()

    def plain_action(self, text: str) -> str | None:
        """Return a move in UCI in lower case, or in SAN without marks; else None."""
        bare = text.strip().rstrip(".")
        if UCI.fullmatch(bare.lower()):
            return bare.lower()
        castling = bare.replace("0", "O") if bare.startswith("0-0") else bare
        return castling.rstrip("+#!?") if SAN.fullmatch(castling) else None

    def action_named(self, state: ChessState, text: str) -> chess.Move | None:
        """Return the legal move that a text in UCI or SAN names, or None."""
        plain = self.plain_action(text)
        if plain is None or UCI.fullmatch(plain):
            return super().action_named(state, text)
        try:
            move = state.board().parse_san(plain)
        except ValueError:
            return None
        return super().action_named(state, move.uci())

    def spellings(self, state: ChessState, action: chess.Move, notation: str = "") -> Sequence[str]:
        """Return a legal move in UCI, or in SAN with and without the mark of a check."""
        if notation not in ("", "uci", "san"):
            raise InvalidArgumentError(f"notation: expected uci or san, got {notation!r:.80}")
        if notation != "san":
            return (action.uci(),)
        san = state.board().san(action)
        return tuple(dict.fromkeys((san, san.rstrip("+#"))))

    def broken_rule(self, state: ChessState, text: str) -> str:
        """Return which rule of chess a move in UCI or SAN breaks; see `broken_rules`."""
        return broken_rule(state.board(), self.plain_action(text))

    def parse(self, text: str | None) -> Fen:
        """Return a text that should be a FEN."""
        return Fen(text or "")

    def parse_true(self, text: str | None) -> Fen:
        """Return a true FEN with single spaces and plain hyphens, as a predicted one has them."""
        return plain_fen(text)

    def parse_input(self, text: str) -> Fen:
        """Return the FEN that a person gives, alone or in a text such as a sentence or a link."""
        fen = classify_input(text).parsed
        problem = moves_problem(text) if isinstance(fen, Fen) and fen.fault else ""
        if problem:
            raise InvalidFenError(f"expected a FEN, but {problem}")
        return fen if isinstance(fen, Fen) else self.parse_true(text)

    def conditions(self, state: ChessState) -> tuple[str, ...]:
        """Return the names of python-chess's status flags, such as ``NO_WHITE_KING``."""
        return status_names(state.board())

    def classify(self, reply: str) -> Prediction:
        """Find the FEN that a reply gives as its answer, and classify it."""
        return classify(reply)

    def classify_state(self, text: str | None) -> Prediction:
        """Classify a text that was already cut out of a reply as its FEN."""
        return classify_fen(text)

    def elements(self, state: ChessState) -> Mapping[str, str]:
        """Return the pieces by square, and side to move, castling rights and en passant square."""
        board = state.board()
        pieces = {
            chess.square_name(square): piece.symbol()
            for square, piece in sorted(board.piece_map().items())
        }
        _, side, castling, en_passant = state.fen().split()
        fields = {"side_to_move": side, "castling": castling, "en_passant": en_passant}
        return {**pieces, **fields}

    def compared_texts(
        self, true: ParsedState, predicted: ParsedState
    ) -> Mapping[str, tuple[str, str]]:
        """Return three choices of the fields of both FENs, which need not be readable."""
        return {
            fields: (compared_text(_fen(true), fields), compared_text(_fen(predicted), fields))
            for fields in VARIANTS
        }

    def correct_fields(self, true: ParsedState, predicted: ParsedState) -> Mapping[str, bool]:
        """Return for each of the six FEN fields whether the prediction has it right.

        Fields are compared as text; a field that the prediction lacks is wrong, unless the true FEN
        lacks it as well.
        """
        right, written = _fen(true).fields, _fen(predicted).fields
        return {
            name: right[index : index + 1] == written[index : index + 1]
            for index, name in enumerate(FIELD_NAMES)
        }

    def accuracy(self, true: ParsedState, predicted: ParsedState) -> float:
        """Return the share of the 64 squares that hold the right piece, or rightly none."""
        return board_accuracy(_fen(true), _fen(predicted))

    def diagnosis(
        self, moves: str | None, predicted: ParsedState, reply_class: str
    ) -> dict[str, Any]:
        """Return the backward analysis: reachability, and where tracking was lost."""
        fen = _fen(predicted)
        lost = lost_track(moves, fen)
        violated = violated_conditions(fen.board) if reply_class in _BOARD_STATES else None
        return {
            "violated_conditions": None if violated is None else " ".join(violated),
            "wrong_squares": lost.true_squares,
            "lost_ply": lost.ply,
            "lost_kind": lost.kind,
            "lost_squares": lost.squares,
        }

    def variant_fault(self, true: ParsedState, moves: object, names: Iterable[object]) -> str:
        """Return why a row is of Chess960, or nothing if it is not."""
        return chess960_row(_fen(true), moves, names)

    def same_state(self, one: ParsedState, other: ParsedState) -> bool:
        """Return whether two FENs agree in their first four fields."""
        return compared_text(_fen(one), "position") == compared_text(_fen(other), "position")

    def with_true_case(self, true: ParsedState, predicted: ParsedState) -> str | None:
        """Return a FEN whose pieces are right but for their case, with the right ones."""
        (right, *_), (written, *rest) = _fen(true).fields, _fen(predicted).fields or [""]
        differs = written != right and written.casefold() == right.casefold()
        return " ".join([right, *rest]) if differs else None

    def identity(self, state: ParsedState) -> str:
        """Return all fields but the clocks, the castling rights in one order."""
        fields = compared_text(_fen(state), "position").split()
        fields[2:3] = ["".join(sorted(rights)) for rights in fields[2:3]]
        return " ".join(fields)

    def agree(self, one: ParsedState, other: ParsedState) -> bool:
        """Return whether two FENs agree in the fields, clocks aside, that both have."""
        pairs = zip(self.identity(one).split(), self.identity(other).split(), strict=False)
        return all(field == its for field, its in pairs)

    def episode_texts(self, initial: str, moves: str) -> EpisodeTexts:
        """Return moves from the usual first position, and the FEN of six fields after them."""
        board = play_moves(moves.split())
        movetext = " ".join(numbered_san(board.move_stack, chess.Board()))
        return EpisodeTexts(uci_moves(board), movetext, board.fen())

    def true_text(self, state: ParsedState, text_after: str) -> tuple[str, str]:
        """Return the given FEN if it has clocks, which may differ from those after the moves.

        The en-passant square may be written where no capture is legal, and stays as it is.
        """
        fields, after = state.text.split(), text_after.split()
        if len(fields) < len(after):
            return text_after, ""
        clocks = f"{state.text!r}, but after its moves it is {text_after!r}"
        return state.text, clocks if fields[4:] != after[4:] else ""

    def actions_before(self, state: ParsedState) -> int | None:
        """Return the half-moves before the board, by its move number; None without a plausible one."""
        fen = _fen(state)
        ply = fen.board.ply() if len(fen.fields) == len(FIELD_NAMES) else None
        return ply if ply is not None and ply < _LARGEST else None

    def episode_id(self, initial: str, moves: str) -> str:
        """Return the identity of a game: of its moves alone."""
        return text_hash(moves)[:16]

    def replay(self, initial: str | None, moves: str, where: str = "") -> ChessState:
        """Return the board after moves in UCI from the usual first position."""
        # The FEN names the en-passant square only where a capture is legal; the board, always.
        return ChessState.from_fen(play_moves(moves.split(), game=where).fen())

    def plain_moves(self, moves: str) -> str:
        """Return moves in UCI, castling as the generated king's move."""
        return " ".join(uci_moves(play_moves(moves.split())))

    def movetext(self, actions: Sequence[str]) -> str:
        """Return the moves as PGN movetext."""
        return " ".join(numbered_san(play_moves(actions).move_stack, chess.Board()))

    def movetext_actions(self, text: str) -> list[str]:
        """Return moves written in UCI, SAN or PGN movetext in UCI.

        Raises:
            IllegalMoveError: If a move is illegal or in none of these notations.
        """
        tokens = _MOVE_NUMBER.sub(" ", text).split()
        try:
            read_moves(tokens)
        except IllegalMoveError:
            return list(uci_moves(play_moves(tokens, "SAN")))
        return tokens

    def prefixes(self, initial: str, actions: Sequence[str]) -> Iterator[EpisodeTexts]:
        """Yield the prefixes of a game, each with the whole FEN after it."""
        moves = play_moves(actions).move_stack
        board, sans = chess.Board(), list(numbered_san(moves, chess.Board()))
        for place, move in enumerate(moves, start=1):
            board.push(move)
            movetext = " ".join(sans[:place])
            yield EpisodeTexts(tuple(actions[:place]), movetext, board.fen())

    def episodes(self, length: int, seed: int) -> Iterator[Episode]:
        """Yield games of uniformly drawn legal moves, with the whole FEN of their last board."""
        for episode in super().episodes(length, seed):
            yield replace(episode, true=play_moves(episode.actions).fen())

    def symmetries(
        self, initial: ChessState, generator: np.random.Generator
    ) -> tuple[Symmetry, ...]:
        """Return the exchange of the colours with that of the ranks, which is its own inverse."""
        return (_COLOUR_FLIP,)

    def slip(self, state: ChessState, generator: np.random.Generator) -> ChessState:
        """Take a piece off, or write it on an empty square; kings stay, the board is well-formed."""
        before = state.board()
        origins = [s for s, piece in before.piece_map().items() if piece.piece_type != chess.KING]
        empty = [square for square in chess.SQUARES if before.piece_at(square) is None]
        moved = bool(generator.integers(2))
        choices = [(origin, to) for origin in origins for to in (empty if moved else [None])]
        for place in generator.permutation(len(choices)):
            origin, target = choices[place]
            after = before.copy()
            piece = after.remove_piece_at(origin)
            if target is not None:
                after.set_piece_at(target, piece)
            if after.is_valid():
                return ChessState.from_board(after)
        return state

    def track(
        self,
        initial: str | None,
        actions: Sequence[str],
        *,
        rate: float,
        seed: int | Sequence[int],
        where: str = "",
    ) -> str:
        """Return the FEN that the simulated tracker of `workbench.environments.chess.tracker` writes."""
        check_tracker(rate, *(seed if isinstance(seed, Sequence) else [seed]))
        return tracking(" ".join(actions), rate=rate, seed=seed, where=where or self.name).fen

    def draw(self, axes: "Axes", state: ChessState, marked: frozenset[str] = frozenset()) -> None:
        """Draw the pieces on a board, and the mark of what differs on the squares that are marked."""
        # matplotlib takes a second to load, and most commands draw nothing.
        from workbench.environments.chess.board_picture import draw_board

        squares = [chess.parse_square(name) for name in sorted(marked & _SQUARES)]
        draw_board(axes, state.fen(), squares)

    def caption(self, state: ChessState, true: ChessState) -> str:
        """Return the side to move and the castling rights."""
        board, right = state.board(), true.board()
        turn = ("White" if board.turn else "Black") + " to move"
        castling = f"castling {board.castling_xfen()}"
        turn += "" if board.turn == right.turn else " (wrong)"
        castling += "" if board.castling_xfen() == right.castling_xfen() else " (wrong)"
        return f"{turn}; {castling}"


def _mirrored(state: ChessState) -> ChessState:
    return ChessState.from_board(state.board().mirror())


def _mirrored_move(text: str) -> str:
    move = chess.Move.from_uci(text)
    start, end = (chess.square_mirror(each) for each in (move.from_square, move.to_square))
    return chess.Move(start, end, move.promotion).uci()


_COLOUR_FLIP: Final = Symmetry(
    "colours and ranks exchanged", True, _mirrored, _mirrored, _mirrored_move
)


def _fen(parsed: ParsedState) -> Fen:
    return parsed if isinstance(parsed, Fen) else Fen(parsed.text)


environment = ChessEnvironment
