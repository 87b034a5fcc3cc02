"""The scores of the recorded replies, computed once in a folder of tables, with the game of each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from workbench.answers.recorded_replies import WORLD_CUP, recorded_replies, recorded_replies_path
from workbench.errors import InvalidArgumentError
from workbench.scoring import ScoringParameters
from workbench.studies.models.whole_games import whole_games
from workbench.studies.stored_tables import StoredTables

DefaultReplies = Literal["recorded", "simulated"]
"""What is drawn where no table is given: replies of real models, or of the simulated tracker."""


def check_replies(replies: str, models: Sequence[str] = ()) -> None:
    """Refuse a name that is none of `DefaultReplies`.

    Args:
        replies: The name.
        models: Bundled language models that may be named as well.

    Raises:
        InvalidArgumentError: If it is another.
    """
    names = [*get_args(DefaultReplies), *models]
    if replies not in names:
        expected = f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}"
        raise InvalidArgumentError(
            f"replies: expected {expected}, got {replies!r:.80}; name a table of your own as "
            "`predictions`"
        )


def recorded_scores(
    tables: str | Path,
    parameters: ScoringParameters,
    *,
    sets: Sequence[str] = (WORLD_CUP,),
    models: Sequence[str] = (),
    settings: Sequence[str] = ("",),
    jobs: int = 1,
) -> pd.DataFrame:
    """Return the scores of recorded replies, with the column ``game`` that `whole_games` finds.

    All of them are scored, once a folder of tables, whatever is chosen of them.

    Args:
        tables: The folder that keeps scores.
        parameters: The parameters of scoring.
        sets: As for `workbench.answers.recorded_replies.recorded_replies`.
        models: Names of models; all if empty.
        settings: Of the models; empty text for the default.
        jobs: Workers.

    Raises:
        InvalidArgumentError: If there are no replies of a set, model or setting.
    """
    wanted = recorded_replies(sets, models, settings)
    path = recorded_replies_path()
    games = whole_games(recorded_replies(sets=(), settings=())).games
    scores = StoredTables(Path(tables)).scores(path, parameters, jobs=jobs)
    key = ["set", "model", "setting"]
    scores = scores.merge(wanted[key].drop_duplicates(), on=key)
    return scores.assign(game=scores["position_id"].map(games))
