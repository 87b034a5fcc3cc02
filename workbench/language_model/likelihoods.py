"""Log-likelihoods of texts under a language model, and the probabilities of replies that follow from them."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.errors import InvalidArgumentError
from workbench.installation import library
from workbench.tasks.legal_mass import Mass

LINE_END: Final = "\n"
EXTRA: Final = "local"
CONFIG: Final = "config.json"
"""The file by which a folder of weights is known."""
_BATCH: Final = 64


class TextModel(Protocol):
    """A model that gives the likelihood of any text as its reply.

    Attributes:
        ends: Texts one of which ends a reply: a new line, or the text of the token that ends a turn.
    """

    @property
    def ends(self) -> Sequence[str]: ...  # noqa: D102

    def log_likelihoods(
        self, messages: Sequence[Mapping[str, str]], candidates: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return the log-likelihood of texts as the beginning of the reply.

        Args:
            messages: The conversation so far, each with ``role`` and ``content``.
            candidates: Texts that are not empty.

        Returns:
            Shape (n, 2): the logarithm of the probability of the text's tokens, in nats, and their number.
        """
        ...


def reply_masses(
    model: TextModel, messages: Sequence[Mapping[str, str]], texts: Sequence[str]
) -> dict[str, Mass]:
    """Return the probability of each text as the whole first line of the reply.

    It is that of the text and of what ends it, summed over the model's ``ends``: so Nf3 does not collect
    the probability of Nf3+. Other ways to cut a text into tokens are not counted, so that it is a lower
    bound, and a close one.

    Args:
        model: Any.
        messages: As of `TextModel.log_likelihoods`.
        texts: Different ones, at least one.

    Raises:
        InvalidArgumentError: If a text is empty, or contains an end.
    """
    ends = list(model.ends)
    for text in texts:
        if not text or any(end in text for end in ends):
            raise InvalidArgumentError(
                f"expected texts that are not empty and contain none of {ends}, got {text!r:.80}"
            )
    likelihoods = model.log_likelihoods(messages, [text + end for text in texts for end in ends])
    by_text = likelihoods.reshape(len(texts), len(ends), 2)
    probabilities = np.exp(by_text[..., 0]).sum(axis=1)
    return {
        text: Mass(min(float(probability), 1.0), int(tokens))
        for text, probability, tokens in zip(texts, probabilities, by_text[:, 0, 1], strict=True)
    }


class WeightFolder:
    """A causal language model in a folder of Hugging Face weights, run by transformers.

    Nothing is downloaded. The prompt is read once for all candidates.
    """

    connections: int = 1
    seconds: float = 0.0

    def __init__(
        self, folder: str | Path, *, use_chat_template: bool | None = None, device: str = "cpu"
    ) -> None:
        """Load the model.

        Args:
            folder: As `save_pretrained` writes it, with the tokenizer.
            use_chat_template: Whether the conversation goes through the tokenizer's chat template;
                by default if it has one. Without, its texts are joined by empty lines, and the reply
                begins on a new line.
            device: As torch names it.

        Raises:
            MissingExtraError: If torch or transformers is not installed.
            InvalidArgumentError: If the folder holds no such model, or the tokenizer has no template.
        """
        self._torch = library("torch", EXTRA)
        transformers = library("transformers", EXTRA)
        try:
            tokenizer, model = (
                getattr(transformers, name).from_pretrained(str(folder), local_files_only=True)
                for name in ("AutoTokenizer", "AutoModelForCausalLM")
            )
        except (OSError, ValueError, KeyError) as error:
            raise InvalidArgumentError(
                f"{folder}: expected a folder of weights of a causal language model and its tokenizer, "
                f"got: {error!s:.300}"
            ) from error
        has_template = bool(tokenizer.chat_template)
        if use_chat_template and not has_template:
            raise InvalidArgumentError(
                f"use_chat_template: expected a tokenizer with a chat template, {folder} has none"
            )
        self._tokenizer = tokenizer
        self._model = model.to(device).eval()
        self._chat = has_template if use_chat_template is None else use_chat_template
        self._longest = int(getattr(model.config, "max_position_embeddings", 0) or 0)

    @property
    def ends(self) -> tuple[str, ...]:
        """A new line, and the token that ends a turn or a text."""
        end = self._tokenizer.eos_token
        return (LINE_END, end) if end else (LINE_END,)

    def log_likelihoods(
        self, messages: Sequence[Mapping[str, str]], candidates: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return the log-likelihood of texts as the beginning of the reply; see `TextModel`.

        Raises:
            InvalidArgumentError: If a candidate is empty, or longer than the context with the prompt.
        """
        prompt = self.prompt(messages)
        start = self._tokens(prompt)
        tokens = [self._following(prompt, start, text) for text in candidates]
        longest = len(start) + max(map(len, tokens), default=0)
        if self._longest and longest > self._longest:
            raise InvalidArgumentError(
                f"expected at most {self._longest} tokens, the context of the model, got {longest}"
            )
        logarithms = self._log_probabilities(start, tokens)
        return np.array(
            [(values.sum(), len(each)) for values, each in zip(logarithms, tokens, strict=True)]
        ).reshape(-1, 2)

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Return the text that the reply follows."""
        if self._chat:
            text = self._tokenizer.apply_chat_template(
                [dict(message) for message in messages], tokenize=False, add_generation_prompt=True
            )
            return str(text)
        text = "\n\n".join(message["content"] for message in messages)
        return text if text.endswith(LINE_END) else text + LINE_END

    def _tokens(self, text: str) -> list[int]:
        # A chat template writes the special tokens itself.
        return list(self._tokenizer(text, add_special_tokens=not self._chat)["input_ids"])

    def _following(self, prompt: str, start: list[int], text: str) -> list[int]:
        """Return the tokens of a text behind the prompt."""
        whole = self._tokens(prompt + text)
        if whole[: len(start)] == start and len(whole) > len(start):
            return whole[len(start) :]
        # The prompt's last token would be another one: the reply begins with a token of its own.
        tokens = list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        if not tokens:
            raise InvalidArgumentError(f"expected candidates with tokens, got {text!r:.80}")
        return tokens

    def _log_probabilities(
        self, start: list[int], tokens: list[list[int]]
    ) -> list[NDArray[np.float64]]:
        """Return the log-probability of each token of each text behind the prompt."""
        torch, device = self._torch, self._model.device
        # Texts that differ in their last token alone are read once.
        rows: dict[tuple[int, ...], list[int]] = {}
        for number, each in enumerate(tokens):
            rows.setdefault(tuple(each[:-1]), []).append(number)
        values = [np.empty(len(each)) for each in tokens]
        with torch.inference_mode():
            read = self._model(torch.tensor([start], device=device), use_cache=True)
            first = read.logits[0, -1].double().log_softmax(-1)
            for number, each in enumerate(tokens):
                values[number][0] = float(first[each[0]])
            longer = sorted(filter(None, rows), key=len)
            for begin in range(0, len(longer), _BATCH):
                batch = longer[begin : begin + _BATCH]
                width = len(batch[-1])
                # Padded behind, where nothing before can see it.
                ids = [[*row, *[0] * (width - len(row))] for row in batch]
                past = deepcopy(read.past_key_values)
                past.batch_repeat_interleave(len(batch))
                logits = self._model(torch.tensor(ids, device=device), past_key_values=past).logits
                logarithms = logits.double().log_softmax(-1)
                for place, row in enumerate(batch):
                    for number in rows[row]:
                        later = torch.tensor(tokens[number][1:], device=device)[:, None]
                        own = logarithms[place, : len(later)].gather(1, later)
                        values[number][1:] = own[:, 0].cpu().numpy()
        return values
