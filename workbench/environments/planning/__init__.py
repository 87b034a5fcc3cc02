"""Planning problems in PDDL: STRIPS with types, read and grounded by pyperplan.

``planning`` and ``planning:blocksworld``, ``planning:gripper``, ``planning:logistics`` are bundled;
``planning:DOMAIN.pddl,PROBLEM.pddl`` is a problem of one's own.
"""

from pathlib import Path
from typing import Final

from workbench.environments.planning.pddl_text import file_text
from workbench.environments.planning.planning_environment import PlanningEnvironment
from workbench.environments.planning.task_reading import read_task
from workbench.errors import InvalidArgumentError

PROBLEMS: Final = ("blocksworld", "gripper", "logistics")
"""The bundled problems; the first is the default."""

_FOLDER: Final = Path(__file__).resolve().parent / "problems"


def environment(name: str, argument: str) -> PlanningEnvironment:
    """Return the environment of a planning problem.

    Args:
        name: The name asked for, such as ``planning:gripper``.
        argument: The name of a bundled problem, or the paths of a domain and a problem in PDDL,
            separated by a comma; empty for Blocksworld.

    Raises:
        InvalidArgumentError: If there is no such problem, or it is more than STRIPS with types.
    """
    chosen = argument or PROBLEMS[0]
    if chosen in PROBLEMS:
        paths = [str(_FOLDER / f"{chosen}_{part}.pddl") for part in ("domain", "problem")]
    else:
        paths = [each.strip() for each in chosen.split(",")]
    if len(paths) != 2 or not all(paths):
        raise InvalidArgumentError(
            f"planning: expected one of {', '.join(PROBLEMS)}, or DOMAIN.pddl,PROBLEM.pddl, got "
            f"{argument!r:.200}"
        )
    domain, problem = map(file_text, paths)
    return PlanningEnvironment(name, read_task(domain, problem, (paths[0], paths[1])))
