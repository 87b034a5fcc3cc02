"""The shares of legal moves in data/MODELS.md, counted again by python-chess alone."""

import chess
import pytest

from benchmarks.model_accuracy import MOVES, legal_mass, rows, with_moves
from workbench.answers.model_replies import model_replies
from workbench.language_model.language_model import load_model
from workbench.language_model.written_replies import ReplySettings
from workbench.scoring import ScoringParameters, score
from workbench.studies.data import Source, positions_of


def legal_line(board, moves):
    """Return for each of the moves in turn whether all up to it are legal."""
    found, board = [], board.copy()
    for move in map(chess.Move.from_uci, moves):
        found.append(all(found) and move in board.legal_moves)
        if found[-1]:
            board.push(move)
    return found


@pytest.mark.slow
def test_legal_moves_are_counted_as_python_chess_counts_them(tmp_path):
    positions = positions_of(Source(per_group=4, replies="player"), (2, 16), tmp_path)
    parameters = ScoringParameters(depth=4)
    scores = with_moves(
        *(
            score(model_replies(positions, "player", ReplySettings(task)), parameters)
            for task in ("state", "continuation", "actions")
        )
    )
    masses = scores["position_id"].map(legal_mass(positions, "player"))
    scores = scores.assign(mass=masses).set_index("position_id")
    model = load_model("player")
    assert len(scores) == len(positions) == 8
    for position in positions.itertuples():
        moves, board = position.moves.split(), chess.Board(position.true_state)
        legal = {move.uci() for move in board.legal_moves}
        listed = set(model.next_moves(moves, 0.005))
        likely = model.next_moves(moves, 1e-9)
        assert scores.loc[position.position_id, "mass"] == pytest.approx(
            sum(likely.get(move, 0) for move in legal), abs=1e-4
        )
        line = legal_line(board, model.next_line(moves, 4, temperature=0, seed=0))
        row = scores.loc[position.position_id]
        assert row["likeliest"] == line[0]
        assert row["line"] == all(line)
        assert row["listed"] == pytest.approx(len(listed & legal) / len(listed))
        assert row["legal"] == pytest.approx(len(listed & legal) / len(legal))
    # Neither all nor none are legal, so that the comparison says something.
    assert 0 < scores["listed"].mean() < 1
    cells = list(rows(scores.reset_index(), "player", MOVES))
    assert [(row["moves"], row["n"]) for row in cells] == [(2, 4), (16, 4), ("all", 8)]
    assert cells[-1][MOVES["listed"]].startswith(f"{scores['listed'].mean():.3f}")
