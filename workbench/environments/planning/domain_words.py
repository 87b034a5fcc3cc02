"""A planning problem in words, for prompts: made from its PDDL, so that any domain has them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from workbench.environments.planning.strips_task import (
    ActionSchema,
    Atom,
    Parameters,
    StripsTask,
    written,
)


def rules_in_words(task: StripsTask) -> str:
    """Return what there is in a problem, and which actions are permitted and what they do."""
    sentences = [
        f"This is a planning problem of the domain {task.domain}.",
        _objects(task),
        "A state is the set of the facts that are true; every other fact is false.",
        f"The facts are: {_signatures(task, task.changing)}.",
    ]
    constant = [name for name in task.predicates if name not in task.changing]
    if constant:
        true = " ".join(task.in_order(task.always)) or "none"
        sentences.append(
            f"No action changes the facts {_signatures(task, constant)}; of these, exactly the "
            f"following are always true: {true}."
        )
    sentences.append("An action is permitted in a state if all facts that it needs are true.")
    sentences += map(_action, task.schemas)
    return " ".join(sentences)


def _objects(task: StripsTask) -> str:
    by_type = defaultdict(list)
    for name, kind in task.objects.items():
        by_type[kind].append(name)
    listed = [
        f"{', '.join(names)}" if kind == "object" else f"{', '.join(names)} ({_kind(task, kind)})"
        for kind, names in by_type.items()
    ]
    return f"The objects are {'; '.join(listed)}." if listed else "There are no objects."


def _kind(task: StripsTask, kind: str) -> str:
    """Return a type with those above it, such as ``type truck, a vehicle``."""
    above = [each for each in task.kinds[kind][1:] if each != "object"]
    return ", a kind of ".join([f"type {kind}", *above])


def _signatures(task: StripsTask, names: Iterable[str]) -> str:
    found = [_with_types(name, task.predicates[name]).removesuffix(",") for name in names]
    return "; ".join(found) or "none"


def _with_types(name: str, parameters: Parameters) -> str:
    """Return a name with its variables and their types."""
    by_type = defaultdict(list)
    for variable, types in parameters:
        if types != ("object",):
            by_type[" or ".join(types)].append(variable)
    typed = [f"{_listed(variables)} of type {types}" for types, variables in by_type.items()]
    bare = written([name, *(variable for variable, _ in parameters)])
    return f"{bare}, with {_listed(typed)}," if typed else bare


def _action(schema: ActionSchema) -> str:
    needs = _facts(schema.preconditions) if schema.preconditions else "nothing"
    effects = [
        f"{_facts(atoms)} {'become' if len(atoms) > 1 else 'becomes'} {value}"
        for atoms, value in ((schema.added, "true"), (schema.deleted, "false"))
        if atoms
    ]
    action = _with_types(schema.name, schema.parameters)
    return f"{action} needs {needs}; {', and '.join(effects) or 'nothing changes'}."


def _facts(atoms: Sequence[Atom]) -> str:
    return _listed([written(each) for each in atoms])


def _listed(items: Sequence[str]) -> str:
    return " and ".join([*([", ".join(items[:-1])] if items[1:] else []), items[-1]])
