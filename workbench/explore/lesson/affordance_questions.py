"""The questions of the first lesson: what boards permit, counted by hand, and what errors cost."""

from collections.abc import Hashable, Mapping
from typing import Any, Final

from workbench.affordance import Profile, exact_profile
from workbench.automaton import Automaton
from workbench.environments.chess import ChessAutomaton, ChessState
from workbench.environments.synthetic_automata import TableAutomaton
from workbench.explore.lesson.exercises import (
    board_after,
    with_other_side_to_move,
    with_piece_moved,
    without_piece,
)
from workbench.explore.lesson.lesson_questions import (
    ChoiceQuestion,
    Following,
    NumberQuestion,
    Question,
    share_question,
)
from workbench.explore.lesson.lesson_record import Lesson

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NO_KING: Final = without_piece(START, "e1")
QUEEN_AND_BISHOP_SWAPPED: Final = START.replace("rnbqkbnr", "rnqbkbnr")
FAR_PAWN: Final = ("7k/7p/8/8/8/8/8/K7 w - - 0 1", "7k/8/7p/8/8/8/8/K7 w - - 0 1")
"""Two kings and a black pawn: on h7, and believed on h6."""
NEAR_PAWN: Final = ("7k/7p/8/6P1/8/8/8/K7 w - - 0 1", "7k/8/7p/6P1/8/8/8/K7 w - - 0 1")
"""The same with a white pawn on g5, which the black one meets."""
MIDDLE_GAME: Final = (
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O "
    "7. Re1 a6 8. a4 Ba7 9. h3 h6 10. Nbd2 Re8 11. Nf1 Be6"
)
"""The game of notebook 10, with White to move after it."""

_STEPS: Final = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def one_error_each(movetext: str = MIDDLE_GAME) -> tuple[str, dict[str, str]]:
    """Return the board after a game, and predictions of it with one error each, by the error.

    Args:
        movetext: Of a game after which the pieces of `MIDDLE_GAME` stand where they stand there.
    """
    true = board_after(movetext)
    return true, {
        "the white king is missing": without_piece(true, "g1"),
        "the white queen is missing": without_piece(true, "d1"),
        "the white pawn on f2 is missing": without_piece(true, "f2"),
        "the black bishop on e6 is believed on c8": with_piece_moved(true, "e6", "c8"),
        "Black is believed to move": with_other_side_to_move(true),
    }


def grid(side: int = 3) -> TableAutomaton:
    """Return a square grid on which a robot steps up, down, left and right, from cell (0, 0).

    Args:
        side: Cells in a row.
    """
    cells = [(row, column) for row in range(side) for column in range(side)]

    def steps(row: int, column: int) -> dict[Hashable, Hashable]:
        targets = {name: (row + down, column + right) for name, (down, right) in _STEPS.items()}
        return {name: target for name, target in targets.items() if target in cells}

    return TableAutomaton({cell: steps(*cell) for cell in cells}, (0, 0))


def profile_of(true: str, predicted: str, depth: int = 4) -> Profile:
    """Return the exact profile of two boards."""
    states = ChessState.from_fen(true), ChessState.from_fen(predicted)
    return exact_profile(*states, depth, automaton=ChessAutomaton())


def affordance_lesson() -> Lesson:
    """Return the first lesson, with every value computed."""
    return Lesson(_guesses(), [*_start(), *_far_pawn(), *_near_pawn(), *_meaning(), *_transfer()])


def _guesses() -> list[Question]:
    true, predictions = one_error_each()
    errors = {words: profile_of(true, fen) for words, fen in predictions.items()}
    no_pawn = errors["the white pawn on f2 is missing"]
    choices = tuple(predictions)
    worst = min(choices, key=lambda words: errors[words].precision[-1])
    best = max(choices, key=lambda words: errors[words].precision[-1])
    swapped = profile_of(START, QUEEN_AND_BISHOP_SWAPPED)
    return [
        ChoiceQuestion(
            "a board without a king",
            "The predicted board is the starting position without White's king. How many moves does it permit White?",
            ("none: this is no chess position", "fewer than before", "as many as before", "more than before"),
            "d",
            because=(
                "21. The 16 pawn moves and 4 knight moves remain, and the queen can step to e1, where the king "
                "was. A program that generates moves does not ask whether there is a king; it asks only "
                "whether a king is in check."
            ),
        ),
        NumberQuestion(
            "one pawn, first move",
            "The black pawn stands on h7 and is believed on h6. White is to move. What is p_1?",
            profile_of(*FAR_PAWN, 1).precision[0],
            because=(
                "p_1 is about the next move alone, and that is White's. White's king has the same 3 moves on both "
                "boards, so p_1 = 3/3 = 1 although the boards differ. The error is in Black's moves: it "
                "first costs something at m = 2."
            ),
        ),
        ChoiceQuestion(
            "when it shows",
            "In the starting position Black's queen and the bishop beside it have changed places. "
            "What is the least m at which p_m is below 1?",
            ("1", "2", "3", "4"),
            "abcd"[next(m for m, p in enumerate(swapped.precision) if p < 1)],
            because=(
                "At m = 2 Black moves for the first time, but queen and bishop are still shut in by the "
                "pawns: only pawns and knights can move, on both boards. Black's second move (m = 4) is the first "
                f"that can show the error, and then p_4 is still {swapped.precision[3]:.3f}."
            ),
        ),
        ChoiceQuestion(
            "worst by p_4",
            "Each of these predictions has one error. White is to move. Which has the lowest p_4?",
            choices,
            "abcde"[choices.index(worst)],
            because=(
                "The board is right on all 64 squares, and only one letter of the FEN is wrong. But every move that the "
                "prediction permits is a move of a black piece, and on the true board White is to move: p_1 = 0."
            ),
        ),
        ChoiceQuestion(
            "best by p_4",
            "And which of the same predictions has the highest p_4?",
            choices,
            "abcde"[choices.index(best)],
            because=(
                "Without the pawn the bishop on a7 gives check to the king on g1, and the prediction permits only the 7 moves that "
                f"answer the check. All 7 are legal on the true board. So p_1 = 1 and p_4 = {no_pawn.precision[3]:.3f}."
            ),
        ),
        NumberQuestion(
            "its recall",
            "The prediction without the pawn on f2 permits 7 moves, all legal. The true board permits 39. What is r_4?",
            no_pawn.recall[3],
            because=(
                f"r_1 = 7/39 = {no_pawn.recall[0]:.3f}: most legal moves are missing already at the first step. Nothing that comes "
                "later brings them back. High precision, low recall: the prediction permits little, and what it permits is right."
            ),
        ),
    ]  # fmt: skip


def _start() -> list[Question]:
    profile = profile_of(START, NO_KING, 1)
    automaton = ChessAutomaton()
    moves = {fen: set(automaton.permitted(ChessState.from_fen(fen))) for fen in (START, NO_KING)}
    p_1, r_1 = profile.precision[0], profile.recall[0]
    return [
        _count(
            "moves at the start",
            "How many moves has White in the starting position?",
            len(moves[START]),
            {16: "These are the pawn moves; the knights can move too.",
             18: "Each of the two knights can go to two squares."},
            "Eight pawns with two moves each, and two knights.",
        ),
        _count(
            "shared moves", "How many moves do both boards permit?", len(moves[START] & moves[NO_KING]),
            {21: "That is how many the prediction permits; one of them is not legal on the true board."},
            "Which of the prediction's moves are legal on the true board?",
        ),
        share_question("p_1 without a king", "What is p_1?", p_1,
               {r_1: "That is r_1. For p_1 divide by the number of moves that the prediction permits."},
               "Divide the shared moves by those that the prediction permits.",
               Following(("shared moves",), lambda shared: shared / len(moves[NO_KING]))),
        share_question("r_1 without a king", "What is r_1?", r_1,
               {p_1: "That is p_1. For r_1 divide by the number of moves that the true board permits."},
               "Divide the shared moves by those that the true board permits.",
               Following(("shared moves",), lambda shared: shared / len(moves[START]))),
    ]  # fmt: skip


def _far_pawn() -> list[Question]:
    profile = profile_of(*FAR_PAWN, 2)
    return [
        share_question("v_2", "What share of Black's predicted replies is legal?", profile.step_precision[1],
               {0.75: "Look at the pawn: from h7 to h5 and from h6 to h5 are two different moves."},
               "On the predicted board Black has 4 moves: three of the king and one of the pawn."),
        share_question("p_2", "What is p_2?", profile.precision[1], {},
               "Multiply the shares of the two steps; the first is the answer to the guess above.",
               Following(("v_2",), lambda v_2: v_2)),
    ]  # fmt: skip


def _near_pawn() -> list[Question]:
    profile = profile_of(*NEAR_PAWN, 2)
    p_1, v_2 = profile.precision[0], profile.step_precision[1]
    true, predicted = map(ChessState.from_fen, NEAR_PAWN)
    after_king = _share_after("Ka2", "a1a2", true, predicted)
    after_pawn = _share_after("g6", "g5g6", true, predicted)
    return [
        share_question("near pawn: p_1", "What is p_1?", p_1,
               {1.0: "The prediction permits White one more move: the pawn on g5 could take on h6."},
               "Count White's moves on both boards: king, then pawn."),
        share_question("near pawn: r_1", "What is r_1?", profile.recall[0],
               {p_1: "That is p_1. Is any move of the true board missing from the prediction?"},
               "Divide by the moves of the true board."),
        share_question("after a king move", "What share of Black's predicted replies is legal after a king move?", after_king,
               {0.5: "Black has one more move on the predicted board: the pawn on h6 can take on g5."},
               "On the predicted board Black has 5 moves: three of the king and two of the pawn."),
        share_question("after g6", "And after g6?", after_pawn,
               {0.5: "The pawn on g6 guards h7: the king cannot go there.", 0.4: "After g6 Black's pawn has nothing to take on the predicted board."},
               "Which squares does the white pawn on g6 guard?"),
        share_question("near pawn: p_2", "What is p_2?", profile.precision[1],
               {p_1 * (after_king + after_pawn) / 2: "Three of the four shared moves are king moves: weigh the two shares by 3 and 1.",
                p_1 * after_king: "One of the four shared moves is g6, where the share is another.",
                v_2: "That is v_2, the mean share of the second step. Multiply it by p_1."},
               "p_2 = p_1 times v_2, and v_2 is the mean of the shares after the four shared moves.",
               Following(
                   ("near pawn: p_1", "after a king move", "after g6"),
                   lambda p_1, king, pawn: p_1 * (3 * king + pawn) / 4,
               )),
    ]  # fmt: skip


def _meaning() -> list[Question]:
    return [
        ChoiceQuestion(
            "what p = r = 1 means",
            "p_4 = r_4 = 1. What follows?",
            (
                "The two FENs are equal.",
                "Both boards permit the same lines of up to 4 half-moves.",
                "Both boards permit the same lines of any length.",
                "The model knows where all pieces are.",
            ),
            "b",
            because="The measures compare what can be done, to depth 4. Everything else may differ.",
            wrong={
                "a": "With queen and bishop exchanged p_3 = r_3 = 1, and the FENs differ.",
                "c": "The measures look no further than m half-moves; queen and bishop show at the fourth.",
                "d": "A piece that cannot move in these lines, and bars none, may stand anywhere.",
            },
        )
    ]


def _transfer() -> list[Question]:
    automaton = grid()
    profile = exact_profile((0, 0), (0, 1), 2, automaton=automaton)
    p_1, v_2 = profile.precision[0], profile.step_precision[1]
    return [
        share_question("grid: p_1", "What is p_1?", p_1, {1.0: "That is r_1."},
               "The prediction permits three steps: left, right and down."),
        share_question("grid: r_1", "What is r_1?", profile.recall[0], {p_1: "That is p_1."},
               "The true cell permits two steps: right and down."),
        share_question("grid: p_2", "What is p_2?", profile.precision[1],
               {v_2: "That is v_2. Multiply it by p_1."},
               "Count the second steps of the believed robot after right, and after down.",
               Following(("grid: p_1",), lambda p_1: p_1 * v_2)),
    ]  # fmt: skip


def _share_after(name: str, move: str, true: ChessState, predicted: ChessState) -> float:
    """Return p_1 after both boards have made a move that both permit."""
    automaton: Automaton[Any, Any] = ChessAutomaton()
    action = next(each for each in automaton.permitted(true) if each.uci() == move)
    states = automaton.successor(true, action), automaton.successor(predicted, action)
    return exact_profile(*states, 1, automaton=automaton).precision[0]


def _count(
    name: str, prompt: str, value: int, mistakes: Mapping[float, str], hint: str
) -> NumberQuestion:
    return NumberQuestion(
        name, prompt, value, within=0, low=0, high=float("inf"), digits=0, mistakes=mistakes, hint=hint
    )  # fmt: skip
