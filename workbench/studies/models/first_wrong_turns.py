"""The first turn of a conversation at which a model goes wrong: by a wrong state, or by a reply without a readable one."""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from workbench.asking.conversations import conversations_of, prefixes, turn_positions
from workbench.asking.own_models import PROVIDER, SIMULATED, episode_question, own_model
from workbench.asking.prompts import TASK, prompt_named
from workbench.drawing.appearance import Style, caption, style
from workbench.drawing.labels import span
from workbench.environments.registry import environment_of
from workbench.errors import InvalidArgumentError
from workbench.language_model.likelihoods import WeightFolder
from workbench.language_model.smollm2 import SmolLM2
from workbench.prediction import ReplyClass
from workbench.statistics.kaplan_meier import median_length, share_by_cause, share_interval
from workbench.studies.panels import legend_below, panels
from workbench.tasks import task_named

WRONG: Final = "wrong state"
UNREADABLE: Final = "unreadable reply"
CAUSES: Final = (WRONG, UNREADABLE)
TURNS: Final = "in turns"

_EPISODE: Final = ["model", "asked", "episode", "sample"]
_LOOKS: Final[dict[str, Style]] = {
    TURNS: style(0), "true states between": style(1), "single questions": style(2)
}  # fmt: skip


def own_replies(
    model: str, positions: pd.DataFrame, prompt: str = "turns", **model_args: Any
) -> pd.DataFrame:
    """Return what a bundled or simulated model replies, as `workbench.ask` does, in this process and without Inspect.

    Args:
        model: Such as ``simulated`` or ``small``.
        positions: Rows of a positions table of one environment: episodes; for single questions, their prefixes.
        prompt: ``turns``, or ``direct`` for single questions.
        **model_args: Of the model, such as ``rate``.

    Returns:
        The columns of a predictions table that `lengths` reads.
    """
    environment = environment_of(positions, "positions")
    definition, writer = task_named(TASK), own_model(model, **model_args)
    if isinstance(writer, SmolLM2 | WeightFolder):
        raise InvalidArgumentError(
            f"model: expected one that reads actions alone, got {model!r}; ask it with workbench.ask"
        )
    full_prompt = prompt_named(prompt, environment.name)
    options = {"environment": environment.name, "task": TASK, "dialogue": full_prompt.dialogue}
    conversations = conversations_of(positions, full_prompt)
    rows = []
    for position in positions.to_dict("records"):
        conversation = conversations[position["position_id"]]
        messages: list[str] = []
        replies: list[str] = []
        while (message := conversation.next_message(replies)) is not None:
            messages.append(message)
            question = episode_question(f"{PROVIDER}/{model}", options, messages, 0)
            replies.append(writer.reply(question, 0.0, 1).text)
        turns = conversation.turns(replies)
        parts = [position] if turns is None else turn_positions(position, turns, environment)
        for part, reply in zip(parts, replies, strict=False):
            answer = definition.classify(environment, reply).columns()
            rows.append(
                {**part, "model": f"{PROVIDER}/{model}", "sample": 0, "reply": reply, **answer}
            )
    return pd.DataFrame(rows)


def lengths(replies: pd.DataFrame, asked: str = TURNS) -> pd.DataFrame:
    """Return how many turns each conversation lasts until the first wrong one.

    Args:
        replies: Rows of a predictions table with a row for each turn, as the prompts ``turns``, ``corrected`` and
            ``play`` give them; or single questions about the same prefixes
            (`workbench.asking.conversations.prefixes`), each as long as its place among those of its episode.
        asked: What to call the way in which the model was asked.

    Returns:
        A row for each conversation: model, asked, episode, game_id, sample, turns (with the first wrong one, which
        is the last that counts), and cause: of `CAUSES`, or empty where it is censored, because the conversation
        or the asking ended or a call failed before anything was wrong.
    """
    if not replies["position_id"].str.contains(r"\+\d{3,}$").all():
        raise InvalidArgumentError(
            "replies: expected rows of turns, whose position_id ends in + and the number of actions, got "
            f"{replies['position_id'].iloc[0]!r}; ask with the prompt 'turns', or about "
            "workbench.asking.conversations.prefixes"
        )
    environment = environment_of(replies, "replies")
    named = replies.assign(asked=asked, episode=replies["position_id"].str.rpartition("+")[0])
    rows = []
    for key, part in named.groupby(_EPISODE, sort=False):
        turns, cause = 0, ""
        for row in part.sort_values("ply").to_dict("records"):
            if row["reply_class"] == ReplyClass.FAILED:
                break
            turns += 1
            text = row["predicted_state"]
            predicted = environment.parse(text if isinstance(text, str) else None)
            if predicted.fault:
                cause = UNREADABLE
            elif not environment.same_state(environment.parse_true(row["true_state"]), predicted):
                cause = WRONG
            if cause:
                break
        rows.append((*key, part["game_id"].iloc[0], turns, cause))
    return pd.DataFrame(rows, columns=[*_EPISODE, "game_id", "turns", "cause"])


def both_ways(models: Sequence[str], positions: pd.DataFrame, rate: float) -> pd.DataFrame:
    """Return the `lengths` of bundled models and the simulated tracker, in turns and in single questions.

    Args:
        models: As of `own_replies`.
        positions: Episodes.
        rate: Of the simulated tracker, in [0, 1].
    """
    parts = []
    for model in models:
        settings: dict[str, Any] = {"rate": rate} if model == SIMULATED else {}
        parts.append(lengths(own_replies(model, positions, **settings)))
        alone = own_replies(model, prefixes(positions), "direct", **settings)
        parts.append(lengths(alone, "single questions"))
    return pd.concat(parts, ignore_index=True)


def compute(rows: pd.DataFrame, *, resamples: int = 2000) -> pd.DataFrame:
    """Compute the median first wrong turn with its interval, and how many went wrong in which way.

    Args:
        rows: As `lengths` returns them.
        resamples: Of whole games.

    Returns:
        A row for each model and way of asking: median, low, high (infinite where fewer than half go wrong),
        conversations, games, and the count of each cause and of censored ones.
    """
    table = []
    for (model, asked), part in rows.groupby(["model", "asked"], sort=False):
        median = median_length(
            part["turns"], part["cause"] != "", clusters=part["game_id"], resamples=resamples
        )
        counts = [int((part["cause"] == cause).sum()) for cause in (*CAUSES, "")]
        ends = (median.value, median.low, median.high, len(part), part["game_id"].nunique())
        table.append((model, asked, *ends, *counts))
    columns = "model asked median low high conversations games wrong unreadable censored".split()
    return pd.DataFrame(table, columns=columns)


def draw(
    rows: pd.DataFrame, note: str = "", *, rate: float = math.nan, resamples: int = 1000
) -> Figure:
    """Draw the share of conversations without a wrong turn, and below it how the first wrong turn is wrong.

    Args:
        rows: As `lengths` returns them.
        note: For the caption.
        rate: Of the simulated tracker, in [0, 1]: the share that it gives is drawn beside it; NaN for none.
        resamples: Of whole games, for the bands.
    """
    models = list(dict.fromkeys(rows["model"]))
    figure, grid = panels(2, len(models), 2.6, max(4.5, 2.7 * len(models)))
    end = max(int(rows["turns"].max()), 1)
    steps = np.arange(end + 1)
    for place, model in enumerate(models):
        above, below = grid[place], grid[place + len(models)]
        of_model = rows[rows["model"] == model]
        for asked, part in of_model.groupby("asked", sort=False):
            look = _LOOKS.get(str(asked), style(len(_LOOKS)))
            had = part["cause"] != ""
            share, low, high = share_interval(
                part["turns"], had, steps, clusters=part["game_id"], resamples=resamples
            )
            above.fill_between(
                steps, low, high, step="post", color=look.colour, alpha=0.15, linewidth=0
            )
            above.step(
                steps, share, where="post", color=look.colour, linestyle=look.line, label=str(asked)
            )
            for cause, line in zip(CAUSES, ("-", ":"), strict=True):
                values = share_by_cause(part["turns"], part["cause"], cause, steps)
                below.step(
                    steps, values, where="post", color=look.colour, linestyle=line, linewidth=1.4
                )
        if not math.isnan(rate) and model == f"{PROVIDER}/{SIMULATED}":
            above.plot(
                steps,
                (1 - rate) ** steps,
                color="grey",
                linewidth=0.8,
                label=f"slips at rate {rate:g}",
            )
        above.set_title(model.removeprefix("workbench/"), fontsize=9)
        below.set_xlabel("turn", fontsize=8)
        for axes in (above, below):
            axes.set_xlim(0, end)
            axes.set_ylim(-0.03, 1.03)
    grid[0].set_ylabel("share without a wrong turn", fontsize=8)
    grid[len(models)].set_ylabel("first wrong turn, by cause", fontsize=8)
    last = grid[len(models) - 1]
    for cause, line in zip(CAUSES, ("-", ":"), strict=True):
        last.plot([], [], color="black", linestyle=line, linewidth=1.4, label=f"below: {cause}")
    legend_below(last, 5)
    counts = rows.groupby(["model", "asked"])["episode"].size()
    caption(
        figure,
        "Turns until a model first goes wrong",
        f"{note + chr(10) if note else ''}{span(counts)} conversations for each model and way of "
        "asking; what ends without a wrong turn, or by a failed call, is censored (Kaplan and Meier); bands: 95% by "
        "resampled games; below: share of all that go wrong first in this way (Aalen and Johansen)",
    )
    return figure
