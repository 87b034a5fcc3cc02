"""Check that a model can be made, before anything is written: ``python -m workbench.asking.model_check``.

The process reads the first line of its standard input, JSON with the question, the base URL and the
key, and prints JSON: why the model cannot be made, or an empty text.
"""

import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from workbench.asking.own_models import PROVIDER, BundledModel, own_model
from workbench.asking.redaction import keep_files_in, redact_output
from workbench.asking.settings import Question, refuse_credentials
from workbench.errors import AskingError, InvalidArgumentError

if TYPE_CHECKING:
    from inspect_ai.model import Model

_MARKUP: Final = re.compile(r"\[/?[a-z]+\]")
"""Inspect's messages are written for the terminal library rich."""

_LENGTH: Final = 400


def refuse_unusable_model(question: Question, base_url: str | None, api_key: str | None) -> None:
    """Refuse a model that cannot be made here; nothing is written and nothing is asked.

    The workbench's own models are made in this process, all others in one that imports Inspect.
    """
    provider, _, name = question.model.partition("/")
    if provider == PROVIDER:
        model = own_model(name, **question.model_args)
        if isinstance(model, BundledModel):
            model.refuse(
                "continuation" if question.full_prompt.dialogue == "play" else question.task
            )
        return
    request = {"question": question.request(), "base_url": base_url, "api_key": api_key}
    command = [sys.executable, "-m", "workbench.asking.model_check"]
    process = subprocess.run(
        command, input=json.dumps(request).encode() + b"\n", capture_output=True, check=False
    )
    if process.returncode:
        lines = process.stderr.decode("utf-8", "replace").strip().splitlines()
        raise AskingError(
            f"model {question.model!r:.80}: the process that makes it failed with exit code "
            f"{process.returncode}: {(lines or ['no output'])[-1]:.{_LENGTH}}; nothing was asked"
        )
    if reason := json.loads(process.stdout):
        raise InvalidArgumentError(
            f"model: expected one that Inspect can make here, got {question.model!r:.80}: {reason}; "
            "nothing was asked or written: correct the name, or give the key or package that is "
            "missing, and repeat the command"
        )


def make_model(question: Question, base_url: str | None, api_key: str | None) -> "Model":
    """Return the model of a question; arguments as of `refuse_unusable_model`."""
    # Only the processes that ask, or find out whether they could, have imported Inspect.
    from inspect_ai.model import get_model

    model = get_model(question.model, base_url=base_url, api_key=api_key, **question.model_args)
    # Inspect may have loaded an address or a key from a file .env.
    refuse_credentials(model.api.base_url, "the model's base URL")
    return model


def in_one_line(error: Exception) -> str:
    """Return what an exception of Inspect says, without its markup."""
    text = " ".join(_MARKUP.sub("", str(error)).split())
    return text.removeprefix("ERROR: ").rstrip(".") or repr(error)


def main() -> int:
    """Make the model, print why it cannot be made, and return the exit code 0."""
    request = json.loads(sys.stdin.readline())
    question = Question.from_description(request["question"])
    secrets = question.secrets(os.environ, request["api_key"])
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as caller:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        redact_output(lambda: secrets)
        reason = ""
        with TemporaryDirectory() as folder:
            keep_files_in(Path(folder))
            try:
                make_model(question, request["base_url"], request["api_key"])
            except Exception as error:
                # Providers raise errors of every kind where a package or a key is missing.
                logging.getLogger(__name__).exception("the model cannot be made")
                reason = secrets.redacted(in_one_line(error))[:_LENGTH]
        caller.write(json.dumps(reason) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
