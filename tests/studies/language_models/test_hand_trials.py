"""Trials of hands: sites on real games, patches that must do nothing, and shares worked out by hand."""

import chess
import numpy as np
import pandas as pd
import pytest

from workbench.games.game_tables import bundled_games
from workbench.language_model import hand_sites
from workbench.language_model.hands import PIECE, PIECES, SQUARE, Hand, hands_of
from workbench.language_model.language_model import PLAYER_GAMES, load_model
from workbench.studies.language_models import hand_trials as study


@pytest.fixture(scope="module")
def sites():
    return hand_sites.hand_sites([game.moves for game in bundled_games()[PLAYER_GAMES:][:12]])


def test_sites_hold_a_piece_that_a_move_brought(sites):
    assert len(sites) > 8
    assert len({site.at - site.ply for site in sites}) > 3
    for site in sites:
        board = chess.Board()
        for ply, move in enumerate(map(chess.Move.from_uci, site.moves[: site.at]), 1):
            assert ply <= site.ply or site.square not in (move.from_square, move.to_square)
            assert ply != site.ply or move.to_square == site.square
            board.push(move)
        piece = board.piece_at(site.square)
        assert PIECES[site.piece] == piece.symbol()
        assert piece.piece_type != chess.KING
        assert site.others
        for other in site.others:
            after = board.copy()
            after.set_piece_at(site.square, chess.Piece.from_symbol(PIECES[other]))
            assert after.is_valid()
            assert PIECES[other].isupper() == piece.color
        for square in site.free:
            assert board.piece_at(square) is None
        before = board.copy()
        for move in site.moves[site.at :]:
            board.push_uci(move)
        for square in site.untouched:
            assert board.piece_at(square) == before.piece_at(square)


def test_what_castling_and_taking_in_passing_change_is_touched():
    moves = "e2e4 d7d5 e4e5 f7f5 e5f6 e8f7 g1f3 f7e8 f1c4 e8f7 e1g1 f7e8".split()
    (site,) = [site for site in hand_sites.hand_sites([moves[:4]], 0) if site.at == 4]
    assert site.untouched == frozenset()
    board = chess.Board()
    for move in moves[:4]:
        board.push_uci(move)
    untouched = hand_sites._untouched(board, moves[4:])
    assert not untouched & {chess.F5, chess.H1, chess.F1, chess.E5}
    assert chess.A1 in untouched


@pytest.mark.parametrize("kind", [PIECE, SQUARE])
def test_a_hand_without_strength_changes_nothing(sites, kind):
    model = load_model("tiny")
    hand = hands_of(model)[kind]
    nothing = Hand(hand.layer, 0.0, hand.means, {})
    rows = study.trials(model, kind, sites, [nothing, hand], study.PATCHES, follow=True)
    still = rows[(rows["hand"] == 0) & rows["done"]]
    assert len(still) > 15
    assert still["other_squares"].eq(0).all()
    assert still["intended"].eq(0).all()
    assert still["later"].dropna().eq(0).all()
    followed = rows[(rows["patch"] == study.HAND) & rows["done"]]
    assert followed["later"].notna().any()
    assert rows.loc[~rows["done"], "intended"].isna().all()


def test_shares_are_those_of_the_boards_that_could_be_changed():
    def row(site, hand, patch, intended, other, later=np.nan):
        return {
            "site": site, "hand": hand, "patch": patch, "done": site != 9,
            "intended": np.nan if site == 9 else intended, "other_squares": other, "later": later,
        }  # fmt: skip

    rows = pd.DataFrame(
        [
            row(0, 0, study.HAND, 1.0, 2, 1.0), row(1, 0, study.HAND, 1.0, 0, 0.0),
            row(2, 0, study.HAND, 0.0, 0), row(3, 0, study.HAND, 0.0, 2), row(9, 0, study.HAND, 0.0, 0),
            *[row(site, 0, study.WRONG_PLY, float(site == 0), 0) for site in range(4)],
            *[row(site, 0, study.RANDOM, 0.0, 0) for site in range(4)],
        ]
    )  # fmt: skip
    summary = study.summary(rows)
    assert (summary["sites"], summary["done"], summary["later_sites"]) == (5, 4, 2)
    shares = ("intended", "clean", "wrong_ply", "random_direction", "other_squares", "later")
    assert [summary[name] for name in shares] == [0.5, 0.25, 0.25, 0, 1, 0.5]
    assert summary["low"] < 0.5 < summary["high"]
    alike = study.summary(rows.assign(intended=np.where(rows["done"], 0.0, np.nan), later=np.nan))
    assert (alike["intended"], alike["low"], alike["later"]) == (0, None, None)
    two = pd.concat([rows[rows["patch"] == study.HAND], rows.assign(hand=1, other_squares=0)])
    assert study.best_hand(two[two["patch"] == study.HAND]) == 1
