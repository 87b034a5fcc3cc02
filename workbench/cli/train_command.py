"""The commands that train the bundled language models and write them for PyTorch."""

from pathlib import Path

import click

from workbench.cli.command_options import out_option, seed_option
from workbench.cli.group import main


@main.command("train")
@out_option("models", "A folder.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.Choice(["tiny", "small", "medium", "player"]),
    help="May be given more than once.  [default: all four]",
)
@click.option(
    "--steps", type=click.IntRange(10), help="By default those of the bundled model of this size."
)
@seed_option
@click.option("--restart", is_flag=True, help="Train again what is finished or interrupted.")
@click.option(
    "--reward",
    metavar="MEASURE",
    help="Go on from the bundled model of this size, and raise this measure of its boards: f_4, "
    "precision_1, edit_kernel, board_accuracy, exact_match, ...",
)
def train_models(
    out: Path,
    sizes: tuple[str, ...],
    steps: int | None,
    seed: int,
    restart: bool,
    reward: str | None,
) -> None:
    """Train the language models on the bundled games; resumes after an interruption.

    Needs the extra 'train' (jax, optax). The models read 2,000 of the bundled games, player 10,000, and
    these games continued by random legal moves. Of small, copies on the way are written as well. A GPU is used if
    jax finds one; on a CPU the weights do not depend on the number of cores. Sizes that OUT holds
    finished, with the same settings, are not trained again.

    With --reward a bundled model is trained on by policy gradient for 150 steps of 128 boards, and
    OUT gets small-f_4.npz, say, and a table of the mean reward of each step.
    """
    from workbench.games.game_tables import bundled_games
    from workbench.language_model.language_model import PLAYER, PLAYER_GAMES, TRAINING_GAMES
    from workbench.language_model.training import require_extra

    require_extra()
    from workbench.language_model.training.training_run import train
    from workbench.language_model.training.training_settings import SHAPES, TrainingSettings

    games = bundled_games()
    if reward is not None:
        for size in sizes or ("small",):
            path = _train_on_reward(size, reward, out, steps, seed, restart=restart)
            click.echo(f"{path} finished")
        return
    for size in sizes or SHAPES:
        count = PLAYER_GAMES if size == PLAYER else TRAINING_GAMES
        path = train(
            TrainingSettings.of_size(size, steps, seed),
            games[:count],
            games[count:],
            out,
            branches=size == "small",
            restart=restart,
            progress=True,
            report=lambda message: click.echo(message, err=True),
        )
        click.echo(f"{path} finished")


def _train_on_reward(
    size: str, column: str, out: Path, steps: int | None, seed: int, *, restart: bool
) -> Path:
    import pandas as pd

    from workbench.games.game_tables import bundled_games
    from workbench.language_model.language_model import (
        PLAYER,
        PLAYER_GAMES,
        TRAINING_GAMES,
        load_model,
        write_weights,
    )
    from workbench.language_model.training.reward_run import RewardSettings, train_on_reward
    from workbench.rewards import reward_named
    from workbench.tables.parquet_tables import replacing

    reward = reward_named(column)
    path = out / f"{size}-{column}.npz"
    if path.exists() and not restart:
        raise click.UsageError(f"{path} is there already; --restart trains it again")
    settings = RewardSettings(seed=seed) if steps is None else RewardSettings(steps, seed=seed)
    games = bundled_games()[: PLAYER_GAMES if size == PLAYER else TRAINING_GAMES]
    run = train_on_reward(load_model(size), games, reward, settings)
    out.mkdir(parents=True, exist_ok=True)
    with replacing(path.with_suffix(".csv")) as table:
        rows = {"step": range(len(run.rewards)), column: run.rewards}
        pd.DataFrame(rows).to_csv(table, index=False)
    with replacing(path) as beside:
        write_weights(beside, run.model.weights, run.model.description | {"reward": column})
    return path


@main.command("weights")
@click.argument("model")
@out_option(None, "A folder, new or of an earlier call.")
def write_weights_for_torch(model: str, out: Path) -> None:
    """Write the weights of a language MODEL for PyTorch, with the code that loads them.

    MODEL is a bundled model, such as small, or a file of `workbench train`; data/MODELS.md describes
    them. The folder holds model.safetensors, config.json (shape, vocabulary, training, licence) and
    torch_model.py, which needs torch and nothing else; its steps have names for hooks. Writing needs
    no torch.
    """
    from workbench.language_model.language_model import load_model
    from workbench.language_model.weight_folder import write_weight_folder

    for written in write_weight_folder(load_model(model), out):
        click.echo(f"{written} {written.stat().st_size:,} bytes")
