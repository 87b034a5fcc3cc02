"""Readers of hidden states: with states that hold the truth, the boards are right and p is 1."""

from types import MappingProxyType

import chess
import numpy as np
import pandas as pd
import pytest

from workbench.answers.model_replies import model_replies as bundled_replies
from workbench.errors import InvalidArgumentError
from workbench.games.game_tables import bundled_games
from workbench.language_model.board_probe import (
    VALUES,
    HiddenBoards,
    board_labels,
    boards_after,
    boards_to_fit,
    fit_probe,
    squares_of,
    standing,
    usual_labels,
    usual_pieces,
)
from workbench.language_model.language_model import TRAINING_GAMES
from workbench.language_model.network import Shape
from workbench.scoring import ScoringParameters
from workbench.studies.data import Source, positions_of
from workbench.studies.language_models import disagreement, probed_boards, selectivity

GROUPS = (5, 16)
PARAMETERS = ScoringParameters(depth=2)


class Oracle:
    """A model whose only layer holds the whole board, and what the last ply moved."""

    training_games = TRAINING_GAMES
    shape = Shape(width=8, heads=2, layers=0, blocks=1)
    description = MappingProxyType(
        {
            "shape": {"width": 8, "heads": 2, "layers": 0, "blocks": 1},
            "games": TRAINING_GAMES,
        }
    )

    def hidden_states(self, moves):
        board = chess.Board()
        states = [self._state(board, 0)]
        for move in map(chess.Move.from_uci, moves):
            board.push(move)
            states.append(self._state(board, int(board_labels(board)[move.to_square])))
        return np.stack(states)[None]

    def _state(self, board, moved):
        labels = np.append(board_labels(board), moved)
        return np.eye(VALUES, dtype=np.float32)[labels].reshape(-1)


@pytest.fixture
def positions(tmp_path):
    return positions_of(Source(per_group=3, replies="small"), GROUPS, tmp_path)


def right_replies(positions, name, jobs):
    del name, jobs
    fens = positions["true_state"]
    return bundled_replies(positions, "tiny").assign(
        reply=fens, predicted_state=fens, reply_class="valid", status="", reason=""
    )


@pytest.mark.slow
def test_states_that_hold_the_truth(positions, monkeypatch):
    monkeypatch.setattr(probed_boards, "load_model", lambda _: Oracle())
    monkeypatch.setattr(probed_boards, "model_replies", right_replies)
    found = probed_boards.probed_boards(
        ["oracle"], positions, PARAMETERS, games=24, per_game=15, iterations=20
    )
    assert found.fit_boards == 360
    by = found.boards.groupby("reader")
    for reader in ("stated", "assembled"):
        of_reader = by.get_group(reader)
        for measure in ("squares", "occupied", "moved", "board", "pieces", "precision", "recall"):
            assert (of_reader[measure] == 1).all(), (reader, measure)
    means = by[["occupied", "moved", "precision"]].mean()
    assert means.loc["probe", "occupied"] > 0.8 > means.loc["untrained probe", "occupied"]
    assert means.loc["untrained assembled", "moved"] < 1
    table = probed_boards.compute(found, depth=2)
    assert table[table["reader"] == "stated"]["mean"].eq(1).all()
    # Nothing is written wrongly: only whole boards can be compared.
    apart = disagreement.compute(found, depth=2)
    assert set(apart["measure"]) == {"higher", "lower"}
    assert apart[apart["measure"] == "higher"]["mean"].eq(0).all()
    # With the truth in its states, a reader exceeds what needs none by what that has wrong.
    gains = disagreement.gains(found, depth=2)
    gain = gains[gains["length"] == "all"].set_index(["reader", "control", "measure"])["mean"]
    for measure in ("precision", "recall", "board"):
        missing = 1 - by[measure].mean()["usual moved"]
        assert 0 < missing == pytest.approx(gain["assembled", "usual moved", measure])
        assert gain["stated", "assembled", measure] == 0
    # What moved is in the states; the labels of the control task are not, but for usual squares.
    selective = selectivity.compute(found).groupby(["network", "measure"])["mean"].max()
    assert selective["", "piece"] == 1
    assert selective["", "selectivity"] == pytest.approx(1 - selective["", "control"])
    assert selective["", "selectivity"] > selective["untrained", "selectivity"]
    for figure in (
        selectivity.draw(selectivity.compute(found)),
        probed_boards.draw_layers(table),
        probed_boards.draw_lengths(table),
        disagreement.draw(apart),
    ):
        assert figure.get_axes()


MARKERS = {look.marker for _, look in probed_boards.READERS.values()}


def apart(games):
    """A table in which squares and pieces after 5 full moves are of so many games."""
    rows = []
    for length, count in (("5", games), ("16", 30), ("all", 30 + games)):
        for measure in disagreement.QUANTITIES:
            for reader in list(probed_boards.READERS)[1:]:
                of_boards = measure == "higher"
                row = {"model": "small", "reader": reader, "length": length, "measure": measure}
                row |= {"mean": 0.5, "low": 0.4, "high": 0.6, "depth": 2}
                columns = ["count", "games", "effective"]
                rows.append(row | dict.fromkeys(columns, 60 if of_boards else count))
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("games", "joined", "hollow"), [(9, 1, 1), (10, 2, 0)])
def test_points_of_few_games_are_hollow_and_not_joined(games, joined, hollow):
    figure = disagreement.draw(apart(games))
    note = " ".join(figure._supxlabel.get_text().split())
    assert ("of fewer than 10 games" in note) == (hollow > 0)
    readers = len(probed_boards.READERS) - 1
    for axes, measure in zip(figure.get_axes(), disagreement.QUANTITIES, strict=True):
        curves = [line for line in axes.lines if line.get_marker() in MARKERS]
        lines = [line for line in curves if line.get_linestyle() != "None"]
        points = [line for line in curves if line.get_linestyle() == "None"]
        of_boards = measure == "higher"
        assert [len(line.get_xdata()) for line in lines] == [2 if of_boards else joined] * readers
        assert len(points) == (0 if of_boards else hollow * readers)
        assert all(point.get_markerfacecolor() == "white" for point in points)


def test_a_probe_finds_the_boards_that_it_was_fitted_on(positions):
    test, _ = boards_after(Oracle(), positions)
    vectors = test.vectors[:, 0]
    probe = fit_probe(vectors, test.labels, VALUES, iterations=60)
    assert (probe.answers(vectors) == test.labels).all()


def test_no_board_to_fit_on_is_of_a_game_of_the_test_or_of_the_training(positions, monkeypatch):
    read = []

    class Noted(Oracle):
        def hidden_states(self, moves):
            read.append(tuple(moves))
            return super().hidden_states(moves)

    games = len(bundled_games()) - TRAINING_GAMES - len(positions)
    boards_to_fit(Noted(), positions["game_id"], games=50, per_game=2, seed=1)
    left_out = [game.moves for game in bundled_games()[:TRAINING_GAMES]]
    left_out += [tuple(moves.split()) for moves in positions["moves"]]
    assert len(read) == 50
    for moves in left_out:
        assert not any(each[: len(moves)] == moves[: len(each)] for each in read if len(moves) > 30)
    with pytest.raises(InvalidArgumentError, match=f"1 to {games} games"):
        boards_to_fit(Noted(), positions["game_id"], games=games + 1, per_game=2, seed=1)


def test_usual_labels_are_those_of_the_same_side_and_time():
    labels = np.array([[1, 0], [1, 0], [2, 1], [3, 1], [3, 0]])
    plies = np.array([10, 12, 11, 30, 30])
    nothing = np.zeros((5, 2), int)
    fit_boards = HiddenBoards(
        np.zeros((5, 1, 1), np.float32), labels, plies, nothing[:, 0], nothing
    )
    found = usual_labels(fit_boards, np.array([12, 11, 30, 99]))
    assert found.tolist() == [[1, 0], [2, 1], [3, 0], [0, 0]]


def test_what_usually_moves_between_two_squares_needs_no_hidden_state():
    """Nf3 twice, Bf3 once; Black's Nc6; and d2d4, which is two ranks on, like e2e4."""
    knight, bishop, pawn, black_knight = (1 + "PNBRQKpnbrqk".index(letter) for letter in "NBPn")
    between = [("g1", "f3")] * 3 + [("b8", "c6"), ("d2", "d4")]
    fit_boards = HiddenBoards(
        np.zeros((5, 1, 1), np.float32),
        np.zeros((5, 70), int),
        np.array([1, 3, 5, 2, 1]),
        np.array([knight, knight, bishop, black_knight, pawn]),
        np.array([[chess.parse_square(name) for name in names] for names in between]),
    )
    # g8f6 was moved by nobody, nor anything as far: all that Black moved was a knight.
    game = ["e2e4", "b8c6", "g1f3", "g8f6"]
    assert usual_pieces(fit_boards, game) == [pawn, black_knight, knight, black_knight]


def test_squares_and_what_stands_where_it_was_put():
    moves = ["e2e4 e7e5 g1f3 b8c6 f3e5"]
    on = {chess.square_name(int(square)) for square in np.flatnonzero(standing(moves)[0])}
    assert on == {"e4", "e5", "c6"}
    assert (squares_of(["no board", chess.STARTING_FEN])[0] == -1).all()
