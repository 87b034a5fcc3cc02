"""What a model can be asked about an episode: one task a file, found by its file.

A module of this folder that defines ``TASK`` offers a task; `workbench.tasks.task` is the interface.
"""

import importlib
from functools import lru_cache
from pkgutil import iter_modules

from workbench.errors import InvalidArgumentError
from workbench.tasks.task import Task

__all__ = ["Task", "task_named", "task_names"]


def task_named(name: str) -> Task:
    """Return a task by its name."""
    tasks = _tasks()
    if name not in tasks:
        raise InvalidArgumentError(f"task: expected one of {', '.join(tasks)}, got {name!r:.80}")
    return tasks[name]


def task_names() -> list[str]:
    """Return the names of all tasks, ``state`` first."""
    return list(_tasks())


@lru_cache(maxsize=1)
def _tasks() -> dict[str, Task]:
    modules = [
        importlib.import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)
    ]
    tasks: list[Task] = [module.TASK for module in modules if hasattr(module, "TASK")]
    return {
        task.name: task for task in sorted(tasks, key=lambda one: (not one.gives_state, one.name))
    }
