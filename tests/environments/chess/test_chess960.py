"""Chess960 told from standard chess by the true board, its game or its names: never by a reply."""

import chess
import pytest

from workbench.checking import check_table
from workbench.environments.chess.classification import (
    chess960_board,
    chess960_headers,
    chess960_row,
)
from workbench.environments.chess.state import Fen
from workbench.errors import InvalidFenError
from workbench.scoring import ScoringParameters, score_predictions
from workbench.scoring.single_pair import compare
from workbench.tables.parquet_tables import PREDICTIONS, write_table

SHREDDER = "nqbbrkrn/pppppppp/8/8/8/8/PPPPPPPP/NQBBRKRN w GEge - 0 1"
# X-FEN of the same array: K and Q are the outermost rooks.
X_FEN = SHREDDER.replace("GEge", "KQkq")
# Start array 960 - 518, with the king on e1 and the rooks elsewhere.
KING_AT_HOME = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1"
INNER_ROOK = "4k3/8/8/8/8/8/8/1R2KR1R w F - 0 1"
STANDARD = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq - 4 8"


@pytest.mark.parametrize(
    "fen",
    [
        SHREDDER,
        X_FEN,
        KING_AT_HOME,
        INNER_ROOK,
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
        # One side has castled: only the other's rights tell.
        "brn2rk1/2pp1qpp/4pbn1/1p3p2/1PPP4/1B1NQPP1/4P2P/BR2KR1N w KQ - 0 11",
        # Double Fischer Random: the sides have different arrays.
        "rkbnrqnb/pppppppp/8/8/8/8/PPPPPPPP/BRKRNBQN w KQkq - 0 1",
    ],
)
def test_boards_of_chess960(fen):
    assert chess960_board(Fen(fen)).startswith("Chess960")


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        STANDARD,
        SHREDDER.replace("GEge", "-"),
        # Rights that no variant gives: a wrong board, but not of Chess960.
        "rnbq1bnr/ppppkppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR w KQkq - 2 3",
        "rnbq1rk1/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w KQkq - 6 5",
        "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "no board",
        "",
    ],
)
def test_boards_of_standard_chess_and_boards_that_are_wrong(fen):
    assert chess960_board(Fen(fen)) == ""


def test_every_chess960_array_but_the_standard_one_is_told():
    told = [number for number in range(960) if chess960_board(Fen(array(number)))]
    # Where king and rooks stand as in standard chess, castling is that of standard chess.
    at_home = [n for n in range(960) if array(n).split("/")[-1][:8:][4] == "K" and corners(n)]
    assert sorted(set(range(960)) - set(told)) == at_home
    assert 518 in at_home


def array(number):
    return chess.Board.from_chess960_pos(number).fen()


def corners(number):
    rank = array(number).split("/")[-1][:8]
    return rank[0] == rank[7] == "R"


@pytest.mark.parametrize(
    ("headers", "is_chess960"),
    [
        ({"Variant": "Chess960"}, True),
        ({"Variant": "chess 960"}, True),
        ({"Variant": "Fischerandom"}, True),
        ({"Variant": "Fischer Random"}, True),
        ({"SetUp": "1", "FEN": X_FEN}, True),
        ({"SetUp": "1", "FEN": X_FEN.replace("KQkq", "-")}, True),
        ({"SetUp": "1", "FEN": SHREDDER}, True),
        ({"SetUp": "1", "FEN": chess.STARTING_FEN}, False),
        ({"SetUp": "1", "FEN": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"}, False),
        ({"FEN": "no board"}, False),
        ({"Variant": "Standard"}, False),
        ({"White": "Fischer, Robert James"}, False),
    ],
)
def test_headers(headers, is_chess960):
    assert bool(chess960_headers(headers)) == is_chess960


def test_names_tell_unless_the_moves_show_standard_chess():
    after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    names = [None, "o3_fischer_random.jsonl"]
    assert "o3_fischer_random.jsonl" in chess960_row(Fen(after), names=names)
    assert chess960_row(Fen(after), "e2e4", names) == ""
    assert chess960_row(Fen(after), "d2d4", names)
    assert chess960_row(Fen(after), "e2e5", names)
    assert chess960_row(Fen(after), names=["my_fischer_games.csv", 3]) == ""
    assert chess960_row(Fen(""), names=["Chess960"])


def test_score_and_check_refuse_the_true_board_and_never_a_prediction(predictions, tmp_path):
    # Every row is asked about the initial position, and 1. e4 does not lead there.
    rows = predictions.iloc[[0, 0, 0, 1]].reset_index(drop=True)
    rows["position_id"] = ["shredder", "named", "right", "predicted"]
    rows["moves"] = None
    rows["ply"] = None
    rows.loc[0, ["true_state", "predicted_state"]] = SHREDDER
    rows.loc[1, "source"] = "some_chess960.jsonl"
    rows.loc[3, ["predicted_state", "reply_class", "status"]] = [
        KING_AT_HOME, "ill_formed", "BAD_CASTLING_RIGHTS",
    ]  # fmt: skip
    scores = score_predictions(rows, ScoringParameters(depth=1))
    assert [text.partition(",")[0] for text in scores["unscored"]] == ["Chess960"] * 2 + ["", ""]
    assert "GEge" in scores["unscored"][0]
    assert "some_chess960.jsonl" in scores["unscored"][1]
    assert scores["precision_1"].isna().tolist() == [True, True, False, False]
    assert scores["levenshtein"].isna().tolist() == [True, True, False, False]
    path = tmp_path / "predictions.parquet"
    write_table(rows.astype({"ply": "Int32"}), path, PREDICTIONS)
    (found,) = [odd for odd in check_table(path).oddities if "another environment" in odd.what]
    assert found.count == 2
    assert [example.partition(",")[0] for example in found.examples] == [
        "row 0: shredder", "row 1: named",
    ]  # fmt: skip


def test_a_pair_is_refused_by_its_true_board_alone():
    with pytest.raises(InvalidFenError, match=r"Chess960.*'GEge'"):
        compare(SHREDDER, chess.STARTING_FEN, ScoringParameters(depth=1))
    # The knights of that array go to b3 and g3, where no knight goes in standard chess.
    assert compare(chess.STARTING_FEN, X_FEN, ScoringParameters(depth=1))["precision"] == [16 / 18]
