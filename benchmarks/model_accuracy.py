"""How well the bundled language models write boards of games that they were not trained on, by length.

Run from the repository: ``python -m benchmarks.model_accuracy [--games FILE.pgn.zst]``; it prints the
table of data/MODELS.md. Without a file of games, the bundled games that are held out are cut.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from workbench.answers.model_replies import model_replies
from workbench.games.bundled import bundled_games
from workbench.games.cut import cut_games
from workbench.games.game_files import GameFiles
from workbench.language_model.bundled_models import SIZES, TRAINING_GAMES
from workbench.prediction import CLASSES
from workbench.scoring import ScoringParameters, score
from workbench.statistics.intervals import SHARE, clustered_mean_interval

MEASURES = {
    "exact_match_position": "exact boards",
    "board_accuracy": "squares",
    "precision_4": "p_4",
    "recall_4": "r_4",
}


def trained_on(positions: pd.DataFrame) -> int:
    """Return how many positions have the moves of a game trained on, up to there."""
    starts = {
        " ".join(game.moves[:plies])
        for game in bundled_games()[:TRAINING_GAMES]
        for plies in positions["ply"].unique()
    }
    return int(positions["moves"].isin(starts).sum())


def rows(scores: pd.DataFrame, size: str) -> Iterator[dict[str, object]]:
    """Yield a row for each group, and one for all of them."""
    groups = [*scores.groupby("group"), ("all", scores)]
    for group, own in groups:
        row: dict[str, object] = {"model": size, "moves": group, "n": len(own)}
        for column, title in MEASURES.items():
            # A text that is no FEN has no squares; its p_4 and r_4 are 0.
            known = own.dropna(subset=[column])
            found = clustered_mean_interval(known[column], known["position_id"], within=SHARE)
            row[title] = f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f})"
        yield row | {each: int((own["reply_class"] == each).sum()) for each in CLASSES}


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--games", type=Path, help="PGN; by default the bundled games held out.")
    arguments.add_argument("--per-group", type=int, default=400)
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    games = GameFiles([given.games]) if given.games else bundled_games()[TRAINING_GAMES:]
    positions = cut_games(games, per_group=given.per_group, seed=0).positions
    print(f"{len(positions)} positions, {trained_on(positions)} of them with moves trained on\n")
    found = []
    for size in SIZES:
        predictions = model_replies(positions, size, jobs=given.jobs)
        scores = score(predictions, ScoringParameters(depth=4), jobs=given.jobs)
        found += rows(scores, size)
    table = pd.DataFrame(found)
    for cells in (table.columns, ["---"] * table.shape[1], *table.to_numpy()):
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
