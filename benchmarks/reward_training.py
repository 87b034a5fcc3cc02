"""What training on a measure improves: the boards of held-out games before, while and after.

Run from the repository: ``python -m benchmarks.reward_training -o data/models/rewards.parquet``; needs the extra
``train``. One training for each reward and seed, from the same bundled model and at the same cost. Each is
written to a folder beside the table when it is finished, and is not done again.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import workbench
from workbench.environments.chess.replay import play_moves
from workbench.environments.chess.state import Fen
from workbench.games.game_tables import bundled_games
from workbench.language_model.language_model import TRAINING_GAMES, LanguageModel, load_model
from workbench.language_model.training.reward_run import (
    Reward,
    RewardSettings,
    train_on_reward,
)
from workbench.rewards import reward_named
from workbench.seeds import derived_seed
from workbench.studies.language_models.reward_training import (
    COLUMNS,
    MEASURES,
    RANDOM,
    REWARDS,
    SUPERVISED,
    bundled,
)
from workbench.tables.parquet_tables import replacing

PLIES = (10, 32, 54, 76, 100)
EVERY = 50


def reward_of(name: str, seed: int) -> Reward | None:
    """Return a reward by its name: a column of scores, or a control."""
    if name == SUPERVISED:
        return None
    if name == RANDOM:
        generator = np.random.default_rng(derived_seed(seed, "random reward"))
        return lambda texts, true: generator.random(len(texts)).tolist()
    return reward_named(name)


class HeldOut:
    """Boards after fixed numbers of plies of games that no training reads."""

    def __init__(self, games: int) -> None:
        long = [game for game in bundled_games()[TRAINING_GAMES:] if len(game.moves) >= PLIES[-1]]
        cut = [(plies, list(game.moves[:plies])) for plies in PLIES for game in long[:games]]
        self._lines = [moves for _, moves in cut]
        self.plies = [plies for plies, _ in cut]
        self._true = [play_moves(moves).fen() for moves in self._lines]

    def scores(self, model: LanguageModel) -> pd.DataFrame:
        """Return the scores of the boards that a model writes."""
        texts = model.write_states(self._lines)
        frame = pd.DataFrame({"true_state": self._true, "reply": texts})
        return workbench.score(frame, jobs=1).assign(reply=texts)

    def rows(self, step: int, model: LanguageModel) -> pd.DataFrame:
        """Return the mean of each measure by plies."""
        scores = self.scores(model)
        boards = [Fen(text) for text in scores["reply"]]
        scores["legal_moves"] = [
            np.nan if board.fault else board.board.legal_moves.count() for board in boards
        ]
        scores["pieces"] = [
            np.nan if board.fault else len(board.board.piece_map()) for board in boards
        ]
        scores["valid"] = scores["reply_class"] == "valid"
        scores["ill_formed"] = scores["reply_class"] == "ill_formed"
        means = scores[list(MEASURES)].astype(float).groupby(self.plies).mean()
        table = means.rename_axis("plies").reset_index().melt("plies", var_name="measure")
        return table.assign(step=step)


def trained(
    model: LanguageModel, name: str, seed: int, held_out: HeldOut, steps: int
) -> pd.DataFrame:
    """Return the measures along one training, and the rewards of its steps."""
    parts: list[pd.DataFrame] = []
    run = train_on_reward(
        model,
        bundled_games()[:TRAINING_GAMES],
        reward_of(name, seed),
        RewardSettings(steps=steps, seed=seed),
        look=lambda step, at: parts.append(held_out.rows(step, at)),
        every=EVERY,
    )
    curve = pd.DataFrame({"measure": "reward", "step": range(steps), "value": run.rewards})
    table = pd.concat([*parts, curve.assign(plies=0).dropna()])
    return table.assign(reward=name, seed=seed)[list(COLUMNS)]


def examples(
    model: LanguageModel, name: str, seed: int, held_out: HeldOut, steps: int
) -> pd.DataFrame:
    """Return the held-out boards that a training changes most for its reward and against recall."""
    run = train_on_reward(
        model,
        bundled_games()[:TRAINING_GAMES],
        reward_of(name, seed),
        RewardSettings(steps=steps, seed=seed),
    )
    before, after = (held_out.scores(each) for each in (model, run.model))
    table = pd.DataFrame(
        {
            "reward": name,
            "seed": seed,
            "plies": held_out.plies,
            "true_state": before["true_state"],
            **{
                f"{column}_{when}": scores[column]
                for when, scores in (("before", before), ("after", after))
                for column in ("reply", "precision_4", "recall_4")
            },
        }
    )
    gain = table["precision_4_after"] - table["precision_4_before"]
    loss = table["recall_4_before"] - table["recall_4_after"]
    bought = table[(gain > 0) & (loss > 0)]
    return bought.loc[(gain + loss)[bought.index].sort_values(ascending=False).index[:6]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--model", default="small")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--rewards", nargs="+", default=list(REWARDS))
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument(
        "--examples", type=Path, help="write boards that training on p_4 spoils instead"
    )
    options = parser.parse_args(arguments)
    folder = options.out.with_suffix(".parts")
    folder.mkdir(parents=True, exist_ok=True)
    model, held_out = load_model(options.model), HeldOut(options.games)
    if options.examples:
        table = examples(model, "precision_4", options.seeds[0], held_out, options.steps)
        table.round(6).to_csv(options.examples, index=False)
        return
    for seed in options.seeds:
        for name in options.rewards:
            path = folder / f"{name}-{seed}.csv"
            if path.exists():
                continue
            table = trained(model, name, seed, held_out, options.steps)
            with replacing(path) as beside:
                table.round({"value": 6}).to_csv(beside, index=False)
            print(f"{name}, seed {seed}: finished", flush=True)
    parts = [pd.read_csv(path) for path in sorted(folder.glob("*.csv"))]
    bundled(pd.concat(parts)).to_parquet(options.out, index=False, compression="zstd")


if __name__ == "__main__":
    main()
