"""Planning problems in PDDL: STRIPS with types.

``planning`` and ``planning:blocksworld``, ``planning:gripper``, ``planning:logistics`` are bundled;
``planning:DOMAIN.pddl,PROBLEM.pddl`` is a problem of one's own, called by the text of both files.
"""

import re
from pathlib import Path
from typing import Final

from workbench.environments.planning.pddl import file_text, in_one_line, read_task
from workbench.environments.planning.planning_environment import PlanningEnvironment
from workbench.errors import InvalidArgumentError

PROBLEMS: Final = ("blocksworld", "gripper", "logistics")
"""The bundled problems; the first is the default."""

_PROBLEM: Final = re.compile(r"\(\s*define\s*\(\s*problem\b", re.IGNORECASE)

_FOLDER: Final = Path(__file__).resolve().parent / "problems"


def environment(name: str, argument: str) -> PlanningEnvironment:
    """Return the environment of a planning problem.

    Args:
        name: The requested name, such as ``planning:gripper``.
        argument: The name of a bundled problem, or the texts of a domain and a problem in PDDL, one
            behind the other; empty for Blocksworld.

    Raises:
        InvalidArgumentError: If there is no such problem, or it is more than STRIPS with types.
    """
    source = argument or PROBLEMS[0]
    if source in PROBLEMS:
        domain, task = (str(_FOLDER / f"{source}_{part}.pddl") for part in ("domain", "problem"))
        texts = file_text(domain), file_text(task)
        return PlanningEnvironment(name, read_task(*texts, (domain, task)))
    problem = _PROBLEM.search(source, 1)
    if problem is None or not source.startswith("("):
        raise InvalidArgumentError(
            f"planning: expected one of {', '.join(PROBLEMS)}, or a domain and a problem in PDDL, "
            f"got {argument!r:.200}; files that only a table names are not opened: name them on the "
            f"command line, by --environment {name!r:.200}"
        )
    texts = source[: problem.start()], source[problem.start() :]
    return PlanningEnvironment(name, read_task(*texts, ("the domain", "the problem")))


def argument_with_texts(argument: str) -> str:
    """Return an argument of `environment` with the text of two files in the place of their paths.

    Args:
        argument: As of `environment`, or the paths of a domain and a problem in PDDL, separated by
            a comma.

    Raises:
        InvalidArgumentError: If a file cannot be read, or is not in PDDL as planning takes it.
    """
    if argument in PROBLEMS or argument.startswith("("):
        return argument
    paths = [each.strip() for each in argument.split(",")]
    if len(paths) != 2 or not all(paths):
        raise InvalidArgumentError(
            f"planning: expected one of {', '.join(PROBLEMS)}, or DOMAIN.pddl,PROBLEM.pddl, got "
            f"{argument!r:.200}"
        )
    domain, problem = map(file_text, paths)
    # Here a message can name the files.
    read_task(domain, problem, (paths[0], paths[1]))
    return f"{in_one_line(domain)} {in_one_line(problem)}"
