"""The entry point ``workbench`` of Inspect: the task and the simulated model."""

from workbench.asking.inspect_task import state_reconstruction
from workbench.asking.simulated_model import SimulatedModel

__all__ = ["SimulatedModel", "state_reconstruction"]
