"""Models of the workbench's own behind Inspect: the simulated tracker and the bundled language models."""

from typing import Final

PROVIDER: Final = "workbench"
"""Its models are asked as ``workbench/NAME``, free of charge."""
