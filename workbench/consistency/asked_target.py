"""A hosted model under attack: asked as ``workbench ask`` does, in one run folder for each depth of the search."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pandas as pd

from workbench.asking.costs import Price
from workbench.asking.own_models import PROVIDER
from workbench.asking.resumable_run import ask
from workbench.asking.settings import Operation, Question
from workbench.consistency.attack_targets import Answer, Line, Target
from workbench.errors import AskingStoppedError, InvalidArgumentError
from workbench.prediction import ReplyClass
from workbench.tables.parquet_tables import POSITIONS, write_table
from workbench.tables.provenance import text_hash

_DIGITS: Final = 16


class AskedTarget(Target):
    """A model that is asked through Inspect, such as ``openai/gpt-4o``, within a budget of dollars.

    Every answer is on disk before the search goes on: the same attack with the same folder asks
    nothing twice, and goes on where it stopped.

    Attributes:
        dollars: What the answers so far cost by the price, also those that were in the folder.

    Example:
        >>> from workbench.asking.costs import Price
        >>> target = AskedTarget(
        ...     Question("openai/gpt-4o"), "attack", Operation(budget=5), Price(2.5, 10)
        ... )
        >>> from workbench.consistency.attack import attack
        >>> attack(target, budget=300)  # doctest: +SKIP
    """

    def __init__(
        self,
        question: Question,
        folder: str | Path,
        operation: Operation | None = None,
        price: Price | None = None,
    ) -> None:
        """Take the question and where its runs lie.

        Args:
            question: The model, the prompt and the environment; its task is ``state``.
            folder: Of the runs, new or of an earlier attack.
            operation: With a budget of `dollars`, unless the model is the workbench's.
            price: Of the model; needed for a budget.

        Raises:
            InvalidArgumentError: If the task is another, or there is no budget.
        """
        super().__init__(question.model, question.asked_environment)
        self._operation = operation or Operation()
        if question.task != "state" or question.samples_per_position != 1:
            raise InvalidArgumentError(
                "question: expected the task 'state' and one sample a position, got "
                f"{question.task!r} and {question.samples_per_position!r}"
            )
        if self._operation.budget is None and not question.model.startswith(f"{PROVIDER}/"):
            raise InvalidArgumentError(
                f"operation: expected a budget in dollars for {question.model}, got none; give "
                "Operation(budget=5) and a price"
            )
        self._question, self._folder, self._price = question, Path(folder), price
        self.dollars = 0.0

    def answers(self, lines: Sequence[Line]) -> list[Answer]:
        """Return the answers to lines; a failed call is None.

        Raises:
            AskingStoppedError: If the budget is spent, or asking stopped; all answers are in the folder.
        """
        rows = [self._row(line) for line in lines]
        names = [str(row["position_id"]) for row in rows]
        operation = self._operation
        if operation.budget is not None:
            left = operation.budget - self.dollars
            if left <= 0:
                raise AskingStoppedError(
                    f"{self._folder}: the budget of {operation.budget:g} dollars is spent; all answers "
                    "are there: repeat the attack with a larger one"
                )
            operation = replace(operation, budget=left)
        run = self._folder / text_hash("\n".join(names))[:_DIGITS]
        with TemporaryDirectory() as place:
            source = Path(place) / "positions.parquet"
            table = pd.DataFrame(rows, columns=POSITIONS.names)
            write_table(table, source, POSITIONS, {"stage": "positions"})
            result = ask(source, run, self._question, operation, price=self._price)
        self.dollars += result.dollars or 0.0
        replies = result.predictions.set_index("position_id").loc[names]
        return [
            Answer(None if kind == ReplyClass.FAILED else text if isinstance(text, str) else "")
            for kind, text in zip(replies["reply_class"], replies["predicted_state"], strict=True)
        ]

    def _row(self, line: Line) -> dict[str, object]:
        environment = self.environment
        moves = environment.separator.join(line.actions)
        episode_id = environment.episode_id(line.initial, moves)
        return {
            "position_id": f"{episode_id}-{len(line.actions):03d}",
            "environment": environment.name,
            "game_id": episode_id,
            "source": "attack",
            "group": len(line.actions),
            "ply": len(line.actions),
            "game_plies": len(line.actions),
            "initial_state": line.initial,
            "movetext": environment.movetext(line.actions),
            "moves": moves,
            "true_state": environment.episode_texts(line.initial, moves).state,
        }
