"""What Inspect finds through the entry point ``workbench``: the task and the simulated model."""

from workbench.replies.asking.simulated_model import SimulatedModel
from workbench.replies.asking.task import state_reconstruction

__all__ = ["SimulatedModel", "state_reconstruction"]
