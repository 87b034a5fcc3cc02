"""The entry point ``workbench`` of Inspect: the task and the workbench's own models."""

from workbench.asking.inspect_task import state_reconstruction
from workbench.asking.own_models.inspect_provider import OwnModel

__all__ = ["OwnModel", "state_reconstruction"]
