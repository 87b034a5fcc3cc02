"""Error responses of servers with HTTP status 200."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect_ai.model import ModelAPI


class NoAnswerError(RuntimeError):
    """A response with status 200 holds an error, or no choice.

    Attributes:
        status_code: The HTTP status that the error names, or None.
        code: What else it calls itself.
    """

    def __init__(self, message: str, code: object = None) -> None:
        super().__init__(message)
        named = isinstance(code, int) and not isinstance(code, bool)
        self.status_code = code if named else None
        self.code = "" if named or code is None else str(code)


def check_responses(api: "ModelAPI") -> None:
    """Let Inspect's provider of OpenAI-compatible servers raise `NoAnswerError`.

    Inspect takes such a response for an answer, and fails as it looks for the reply in it. Other
    providers have no place to look at their responses.

    Args:
        api: Of the model that is asked.
    """
    original = getattr(api, "on_response", None)
    if original is None:
        return

    def checked(response: dict[str, Any]) -> None:
        original(response)
        error = response.get("error")
        if error and not response.get("choices"):
            said = error if isinstance(error, Mapping) else {"message": error}
            code = said.get("code") or said.get("type")
            named = f" ({code})" if code else ""
            raise NoAnswerError(f"the response is an error: {said.get('message')}{named}", code)
        if not response.get("choices"):
            raise NoAnswerError("the response holds no choice")

    # A hook for subclasses; setattr, because not every provider has it.
    setattr(api, "on_response", checked)  # noqa: B010
