"""Hugging Face datasets: a folder of bundled positions and recorded replies with its card. Read with datasets 5.2.0."""

import shutil
from pathlib import Path
from typing import Any, Final

import yaml

from workbench.answers.recorded_replies import RANDOM_GAMES, WORLD_CUP, recorded_replies
from workbench.asking.questions import PositionChoice
from workbench.environments.registry import environment_names
from workbench.errors import InvalidArgumentError
from workbench.installation import RESOURCES
from workbench.tables.parquet_tables import POSITIONS, PREDICTIONS, write_table

_CARD: Final = """\
# Positions and recorded replies of the World-State Workbench

A language model reads the actions of an episode and writes down the state after them. `positions` has what it reads and the true state, a split for each environment.
`replies` has what models wrote for positions of chess: 27,900 replies of the PGN2FEN benchmark (Aidan Cooper, 2025), whose MIT licence REPLIES.md has.

```python
from datasets import load_dataset

positions = load_dataset("FOLDER", "positions", split="chess")
replies = load_dataset("FOLDER", "replies", split="world_cup")
```

TABLES.md describes the columns, REPLIES.md the models and known faults: positions are cuts of few games, so intervals must be by game; a reply of the class `failed` is no answer.
Positions of chess are of games of Stockfish against itself, the others end random episodes. They are for evaluation: train on others, `workbench games cut` makes them.
"""


def write_hub_folder(folder: str | Path, positions: int | None = None, *, seed: int = 0) -> None:
    """Write bundled positions and recorded replies as a folder that ``datasets.load_dataset`` opens, offline too.

    The files are tables of the workbench as well: Parquet of the schemas in data/README.md.

    Args:
        folder: New or empty.
        positions: Of each environment, spread over the groups of lengths; None for 100 of each group.
        seed: Of their choice.

    Raises:
        InvalidArgumentError: If the folder holds something.
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()):
        raise InvalidArgumentError(f"{folder}: expected a new or empty folder; name another")
    configs: dict[str, list[dict[str, str]]] = {"positions": [], "replies": []}

    def path(config: str, split: str) -> Path:
        configs[config].append({"split": split, "path": f"{config}/{split}.parquet"})
        (folder / config).mkdir(parents=True, exist_ok=True)
        return folder / config / f"{split}.parquet"

    for name in environment_names():
        table, sources = PositionChoice(name, limit=positions, seed=seed).choose()
        table = table.reindex(columns=POSITIONS.names)
        write_table(table, path("positions", name), POSITIONS, sources)
    for name in (WORLD_CUP, RANDOM_GAMES):
        write_table(recorded_replies((name,), settings=()), path("replies", name), PREDICTIONS)
    head: dict[str, Any] = {
        "license": "gpl-3.0",
        "pretty_name": "World-State Workbench",
        "tags": ["state-tracking", "chess", "world-models"],
        "configs": [{"config_name": name, "data_files": files} for name, files in configs.items()],
    }
    text = f"---\n{yaml.safe_dump(head, sort_keys=False)}---\n\n{_CARD}"
    (folder / "README.md").write_text(text, encoding="utf-8")
    for source, target in (("README.md", "TABLES.md"), ("REPLIES.md", "REPLIES.md")):
        shutil.copy(RESOURCES / "data" / source, folder / target)
