"""The entry point ``workbench`` of Inspect: the task, its scorer and the workbench's own models."""

from workbench.asking.inspect_scorers import precision_and_recall
from workbench.asking.inspect_task import state_reconstruction
from workbench.asking.own_models.inspect_provider import OwnModel

__all__ = ["OwnModel", "precision_and_recall", "state_reconstruction"]
