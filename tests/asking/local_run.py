"""What the tests of asking share beside their fixtures."""

import importlib.util

import pytest

KEY = "sk-local-0123456789-never-to-be-written"
QUICK = {"retries": 0, "retry_wait": 0.05, "attempt_timeout": 30}

needs_inspect = pytest.mark.skipif(
    importlib.util.find_spec("inspect_ai") is None,
    reason="the extra 'ask' (inspect-ai, openai) is not installed",
)
