"""Patched boards: sites on real games, controls that must do nothing, and numbers from elsewhere."""

import chess
import numpy as np
import pandas as pd
import pytest

from workbench import compare
from workbench.errors import InvalidArgumentError
from workbench.language_model.board_probe import piece_label
from workbench.language_model.language_model import load_model
from workbench.language_model.patch_sites import patch_sites
from workbench.scoring import ScoringParameters
from workbench.studies.data import Source, positions_of
from workbench.studies.language_models import patched_boards as study

MODEL = "tiny"


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    source = Source(per_group=4, replies="small")
    return positions_of(source, (5, 16, 38), tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def rows(positions):
    return study.patched_boards([MODEL], positions, ScoringParameters(depth=2), games=60)


def test_sites_have_one_other_piece_of_the_side_to_move(positions):
    sites = patch_sites(positions)
    assert {site.true.split()[1] for site in sites} == {"w", "b"}
    for site in sites:
        board = chess.Board()
        for ply, move in enumerate(site.moves, 1):
            board.push_uci(move)
            if ply == site.ply:
                assert board.move_stack[-1].to_square == site.square
        assert board.fen() == site.true
        intended = chess.Board(site.intended)
        piece, other = board.piece_at(site.square), intended.piece_at(site.square)
        assert piece.color == other.color == board.turn
        assert chess.KING != piece.piece_type != other.piece_type
        assert (piece_label(piece), piece_label(other)) == (site.piece, site.other)
        assert intended.is_valid()
        intended.set_piece_at(site.square, piece)
        assert intended.board_fen() == board.board_fen()


def test_kings_pieces_that_are_taken_and_short_games_have_no_site():
    rows = [
        ("king", "e2e4 e7e5 e1e2 g8f6"),
        ("taken", "e2e4 d7d5 e4d5 d8d5"),
        ("short", "e2e4 e7e5"),
        ("one ply off", "e2e4 e7e5 g1f3 b8c6"),
    ]
    columns = ["position_id", "moves"]
    table = pd.DataFrame(rows, columns=columns).assign(game_id="g", group=2)
    # Every second position goes without its last ply: the last one is too short then.
    assert patch_sites(table) == []
    (site,) = patch_sites(table.iloc[::-1])
    assert (site.position_id, site.ply, chess.square_name(site.square)) == ("one ply off", 3, "f3")
    with pytest.raises(InvalidArgumentError, match="expected some with a piece to patch"):
        study.patched_boards([MODEL], table, ScoringParameters(depth=2), games=1)


@pytest.mark.slow
def test_an_identity_patch_changes_nothing_and_a_late_one_no_move(rows):
    identity = rows[rows["patch"] == study.IDENTITY]
    assert identity["strength"].eq(0).all()
    assert identity["other_squares"].eq(0).all()
    columns = ["intended_piece", "former_piece", "precision_true", "top_true", "mass_intended"]
    assert identity.groupby("position_id")[columns].nunique().le(1).all(axis=None)
    for gain in ("gain_precision_intended", "gain_precision_true"):
        assert identity[gain].eq(0).all()
        assert rows[gain].ne(0).any()
    # After the last layer nothing looks at an earlier state but the decoder.
    moves = ["top_intended", "top_true", "mass_intended", "mass_true"]
    last = rows[rows["layer"] == rows["layer"].max()].sort_values("position_id")
    alone = last[last["patch"] == study.IDENTITY][moves].reset_index(drop=True)
    for patch, same in ((study.PIECE, True), (study.WRONG_PLY, True), (study.LAST_STATE, False)):
        of_patch = last[(last["patch"] == patch) & (last["strength"] == 2)]
        assert of_patch[moves].reset_index(drop=True).equals(alone) == same, patch


@pytest.mark.slow
def test_numbers_are_those_of_the_model_asked_alone(rows, positions):
    model = load_model(MODEL)
    identity = rows[(rows["patch"] == study.IDENTITY) & (rows["layer"] == 0)]
    known = identity.set_index("position_id")
    for site in patch_sites(positions)[:4]:
        row = known.loc[site.position_id]
        (text,) = model.write_states([site.moves])
        for name, fen in (("true", site.true), ("intended", site.intended)):
            alone = compare(fen, text, depth=2)
            assert row[f"precision_{name}"] == pytest.approx(alone.precision[-1])
        every = model.next_moves(site.moves, 1e-9)
        legal, others = (
            {move.uci() for move in chess.Board(fen).legal_moves}
            for fen in (site.intended, site.true)
        )
        assert row["top_intended"] == (next(iter(every)) in legal)
        alone = legal - others
        mass = sum(every.get(move, 0) for move in alone)
        assert row["mass_intended"] == pytest.approx(mass if alone else np.nan, nan_ok=True)


@pytest.mark.slow
def test_means_and_figures(rows):
    table = study.compute(rows, depth=2)
    key = ["patch", "layer", "strength", "measure"]
    one = table.set_index(key).loc[(study.PIECE, 1, 1.0)]
    part = rows[(rows["patch"] == study.PIECE) & (rows["layer"] == 1) & (rows["strength"] == 1)]
    for measure in ("intended_piece", "other_squares", "gain_precision_intended", "mass_true"):
        assert one.loc[measure, "mean"] == pytest.approx(part[measure].astype(float).mean())
        assert one.loc[measure, "count"] == part[measure].notna().sum()
    assert (table["count"] + table["undefined"] == part["position_id"].nunique()).all()
    for figure in (study.draw_boards(table), study.draw_moves(table)):
        axes = figure.get_axes()[0]
        assert axes.get_ylabel().startswith(MODEL)
        labels = axes.get_legend_handles_labels()[1]
        assert set(labels) == {"no patch", *(label for label, _ in study.LINES.values())}
