"""The model ``workbench/simulated``: the simulated tracker behind Inspect, for a free dry run."""

import re
from typing import Any, Final

import anyio
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from workbench.asking.costs.cost_estimate import CHARACTERS_A_TOKEN
from workbench.asking.prompts import MOVES_HEADING
from workbench.environments.chess.replay import play_moves, read_moves, uci_moves
from workbench.environments.chess.tracker import track
from workbench.errors import IllegalMoveError, InvalidArgumentError
from workbench.seeds import derived_seed
from workbench.tables.provenance import text_hash

PROVIDER: Final = "workbench"
MODEL: Final = "simulated"

_NUMBER: Final = re.compile(r"(?<!\d)\d+\.+")


@modelapi(name=PROVIDER)
class SimulatedModel(ModelAPI):
    """Replies with the FEN of a tracker that makes random errors.

    It reads the moves after the last line "Moves:" of the question. A reply depends on these moves,
    ``seed``, ``rate`` and the seed of the call alone.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        rate: float = 0.03,
        seed: int = 0,
        seconds: float = 0.0,
        **model_args: Any,
    ) -> None:
        """Make the model; see `workbench.environments.chess.tracker.track`.

        Args:
            model_name: Must be ``simulated``.
            base_url: Not used.
            api_key: Not used.
            config: Of the calls.
            rate: Probability of a slip at each ply, in [0, 1].
            seed: At least 0.
            seconds: How long a reply takes, at least 0.
            model_args: None are known.

        Raises:
            InvalidArgumentError: If an argument is out of range or unknown.
        """
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name != MODEL or model_args:
            raise InvalidArgumentError(
                f"expected {PROVIDER}/{MODEL} with rate, seed or seconds, "
                f"got {model_name!r} with {sorted(model_args)}"
            )
        if not 0 <= rate <= 1 or seed < 0 or not seconds >= 0:
            raise InvalidArgumentError(
                "expected a rate in [0, 1], a seed and seconds of at least 0, "
                f"got {rate!r}, {seed!r} and {seconds!r}"
            )
        self._rate = rate
        self._seed = seed
        self._seconds = seconds

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Reply to a conversation."""
        if self._seconds:
            await anyio.sleep(self._seconds)
        reply = self._reply(input, config.seed or 0)
        output = ModelOutput.from_content(f"{PROVIDER}/{MODEL}", reply)
        shown = int(sum(len(message.text) for message in input) / CHARACTERS_A_TOKEN)
        said = int(len(reply) / CHARACTERS_A_TOKEN)
        output.usage = ModelUsage(input_tokens=shown, output_tokens=said, total_tokens=shown + said)
        return output

    def _reply(self, messages: list[ChatMessage], call_seed: int) -> str:
        for message in reversed(messages):
            if isinstance(message, ChatMessageUser) and MOVES_HEADING in message.text:
                said = message.text.rpartition(MOVES_HEADING)[2]
                break
        else:
            return f'The simulated model reads moves after a line "{MOVES_HEADING}" and found none.'
        try:
            moves = moves_in_uci(said)
        except IllegalMoveError as error:
            return f"The simulated model cannot read the moves: {error}"
        name = text_hash(moves)
        seed = derived_seed(self._seed, "call", call_seed)
        return track(moves, position_id=name, rate=self._rate, seed=seed).fen

    def max_connections(self) -> int:
        """Return how many calls may be in progress."""
        return 50


def moves_in_uci(text: str) -> str:
    """Return moves written in UCI, SAN or PGN movetext as UCI, separated by spaces.

    Raises:
        IllegalMoveError: If a move is illegal or in none of these notations.
    """
    tokens = _NUMBER.sub(" ", text).split()
    try:
        read_moves(tokens)
    except IllegalMoveError:
        return " ".join(uci_moves(play_moves(tokens, "SAN")))
    return " ".join(tokens)
