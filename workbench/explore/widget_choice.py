"""The widget that fits what `workbench.explore` was given, and what the pair of a comparison loses most by."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from workbench.consistency.contradiction import Contradiction
from workbench.environment import Environment
from workbench.environments.registry import DEFAULT, environment_named
from workbench.errors import InvalidArgumentError
from workbench.explore.explorer_settings import ExplorerSettings
from workbench.explore.losses.board_losses import board_causes
from workbench.explore.pair.state_view import StateReader, state_causes
from workbench.tables.parquet_tables import REPLY_KEY

_REPLIES = (*REPLY_KEY, "movetext", "moves", "reply")


def choose_widget(
    true: Any, predicted: Any, environment: Any, depth: int | None, settings: Mapping[str, Any]
) -> Any:
    """Return the widget; see `workbench.explore.explore`."""
    from workbench.explore.pair.board_pair import BoardPair
    from workbench.explore.pair.state_pair import StatePair
    from workbench.explore.run.run_browser import RunBrowser

    if isinstance(true, Contradiction):
        options = {"caption": true.caption, **settings}
        depth, environment = depth or true.depth, true.environment
        return choose_widget(true.first, true.second, environment, depth, options)
    if true is None:
        return BoardPair(depth=depth or 4, **settings)
    if not isinstance(true, pd.DataFrame) and hasattr(true, "__arrow_c_stream__"):
        true = pa.table(true).to_pandas()
    if is_path(true) and Path(true).is_dir():
        folder, true = Path(true), Path(true) / "scores.parquet"
        replies = folder / "predictions.parquet"
        predicted = replies if predicted is None and replies.is_file() else predicted
    if isinstance(true, pd.DataFrame) or is_path(true):
        if isinstance(true, pd.DataFrame) and "unscored" not in true:
            raise InvalidArgumentError(
                "expected scores, as workbench.score(frame) returns, got a frame with the columns "
                f"{', '.join(map(str, true.columns))[:300]}"
            )
        if predicted is None and isinstance(true, pd.DataFrame) and set(_REPLIES) <= {*true}:
            predicted = true
        return RunBrowser(true, predicted, depth=depth, **settings)
    chosen = environment if isinstance(environment, Environment) else environment_named(environment)
    if chosen.name == DEFAULT:
        return BoardPair(true, predicted, depth or 4, **settings)
    return StatePair(chosen, true, predicted, depth or 4, **settings)


def is_path(value: Any) -> bool:
    """Return whether a value is the path of a file or folder, rather than the text of a state."""
    if isinstance(value, Path):
        return True
    try:
        return isinstance(value, str) and Path(value).exists()
    except (OSError, ValueError):
        return False


def pair_causes(
    environment: Environment[Any, Any], true: str, predicted: str, settings: ExplorerSettings
) -> dict[str, Any]:
    """Return what each difference of two states costs, and the main causes in words."""
    if environment.name == DEFAULT:
        return board_causes(true, predicted, settings)
    reader = StateReader(environment)
    return state_causes(reader, *reader.read_pair(true, predicted, []), settings)
