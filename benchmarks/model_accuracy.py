"""How well the bundled language models write boards and name moves in games that they were not trained on.

Run from the repository: ``python -m benchmarks.model_accuracy [--games FILE.pgn.zst]``; it prints the
tables of data/MODELS.md. Without a file of games, the bundled games that are held out are cut.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import chess
import pandas as pd

from workbench.answers.model_replies import model_replies
from workbench.games.cut import cut_games
from workbench.games.game_files import GameFiles
from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import NAMES, load_model
from workbench.language_model.vocabulary import read_moves
from workbench.language_model.written_replies import ReplySettings
from workbench.prediction import CLASSES
from workbench.scoring import ScoringParameters, score
from workbench.statistics.intervals import SHARE, clustered_mean_interval

BOARDS = {
    "exact_match_position": "exact boards",
    "board_accuracy": "squares",
    "precision_4": "p_4",
    "recall_4": "r_4",
}
MOVES = {
    "likeliest": "likeliest move legal",
    "mass": "probability on legal moves",
    "line": "four likeliest in turn legal",
    "listed": "listed moves legal",
    "legal": "legal moves listed",
    "precision_1": "p_1 of the board",
}


def trained_on(positions: pd.DataFrame, name: str) -> int:
    """Return how many positions have the moves of a game that a model was trained on, up to there."""
    starts = {
        " ".join(game.moves[:plies])
        for game in bundled_games()[: load_model(name).training_games]
        for plies in positions["ply"].unique()
    }
    return int(positions["moves"].isin(starts).sum())


def with_moves(boards: pd.DataFrame, lines: pd.DataFrame, lists: pd.DataFrame) -> pd.DataFrame:
    """Put the scores of moves beside those of boards, position by position.

    Args:
        boards: Scores of the task ``state``.
        lines: Scores of ``continuation`` at the same positions, to depth 4.
        lists: Scores of ``actions`` at the same positions.

    Returns:
        The boards with likeliest and line (whether the first, and the first four, of the moves are legal),
        listed (share of the listed moves that are legal) and legal (share of the legal moves listed).
    """
    columns = (
        (lines, {"precision_1": "likeliest", "precision_4": "line"}),
        (lists, {"precision_1": "listed", "recall_1": "legal"}),
    )
    for scores, names in columns:
        named = scores[["position_id", *names]].rename(columns=names)
        boards = boards.merge(named, on="position_id", validate="one_to_one")
    return boards


def legal_mass(positions: pd.DataFrame, name: str) -> "pd.Series[float]":
    """Return the probability that a model gives to the legal moves, by ``position_id``."""
    model, masses = load_model(name), {}
    for position_id, moves, fen in positions[["position_id", "moves", "true_state"]].to_numpy():
        distribution = model.move_distribution(moves.split())
        legal = [read_moves([move.uci()])[1] for move in chess.Board(fen).legal_moves]
        masses[position_id] = float(sum(distribution[tuple(move)] for move in legal))
    return pd.Series(masses)


def rows(
    scores: pd.DataFrame, size: str, measures: Mapping[str, str]
) -> Iterator[dict[str, object]]:
    """Yield a row for each group, and one for all of them."""
    groups = [*scores.groupby("group"), ("all", scores)]
    for group, own in groups:
        row: dict[str, object] = {"model": size, "moves": group, "n": len(own)}
        for column, title in measures.items():
            # A text that is no FEN has no squares; its p_4 and r_4 are 0.
            known = own.dropna(subset=[column])
            found = clustered_mean_interval(known[column], known["position_id"], within=SHARE)
            row[title] = f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f})"
        classes = CLASSES if measures is BOARDS else ()
        yield row | {each: int((own["reply_class"] == each).sum()) for each in classes}


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--games", type=Path, help="PGN; by default the bundled games held out.")
    arguments.add_argument("--models", nargs="+", default=NAMES)
    arguments.add_argument("--per-group", type=int, default=400)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    of_models = {}
    for name in given.models:
        unseen = bundled_games()[load_model(name).training_games :]
        games = GameFiles([given.games]) if given.games else unseen
        positions = cut_games(games, per_group=given.per_group, seed=0).positions
        seen = trained_on(positions, name)
        print(f"{name}: {len(positions)} positions, {seen} of them with moves trained on")
        names_moves = load_model(name).names_moves
        tasks = ("state", "continuation", "actions") if names_moves else ("state",)
        scores = [
            score(
                model_replies(positions, name, ReplySettings(task), jobs=given.jobs),
                ScoringParameters(depth=4),
                jobs=given.jobs,
            )
            for task in tasks
        ]
        if names_moves:
            named = with_moves(*scores)
            scores = [named.assign(mass=named["position_id"].map(legal_mass(positions, name)))]
        of_models[name] = scores[0]
    for measures in (BOARDS, MOVES):
        table = pd.DataFrame(
            [
                row
                for name, scores in of_models.items()
                if measures is BOARDS or "mass" in scores
                for row in rows(scores, name, measures)
            ]
        )
        print()
        for cells in (table.columns, ["---"] * table.shape[1], *table.to_numpy()):
            print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
