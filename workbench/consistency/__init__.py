"""Consistency of a model's own answers: relations between questions, pairs of answers and their measure.

A relation is one file with the interface of `workbench.consistency.relation`. One that another
package registers under the entry-point group ``workbench.relations``, as an object or a class without
arguments, is available wherever those of the workbench are.
"""

from functools import lru_cache
from importlib.metadata import entry_points
from typing import Final

from workbench.consistency.next_action import NextAction
from workbench.consistency.relation import Relation
from workbench.consistency.repeat import Repeat
from workbench.consistency.symmetry import ColourFlip, SymmetryRelation
from workbench.consistency.transposition import Transposition
from workbench.consistency.wordings import Notation, Paraphrase, Prefix
from workbench.errors import InvalidArgumentError

GROUP: Final = "workbench.relations"

_REGISTERED: Final[tuple[Relation, ...]] = (
    NextAction(),
    Transposition(),
    SymmetryRelation(),
    ColourFlip(),
    Notation(),
    Paraphrase(),
    Prefix(),
    Repeat(),
)


@lru_cache(maxsize=1)
def relations() -> dict[str, Relation]:
    """Return all relations by name: those of the workbench, then those of other packages.

    Raises:
        InvalidArgumentError: If a registered object is no relation, or has the name of another.
    """
    by_name = {each.name: each for each in _REGISTERED}
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        loaded = entry.load()
        relation = loaded() if isinstance(loaded, type) else loaded
        if not isinstance(relation, Relation) or relation.name in by_name:
            raise InvalidArgumentError(
                f"{GROUP}: expected the entry point {entry.name!r} to name a Relation with a name "
                f"other than {', '.join(by_name)}, got {loaded!r:.80}; see "
                "workbench.consistency.relation"
            )
        by_name[relation.name] = relation
    return by_name


def relation_named(name: str) -> Relation:
    """Return a relation by its name.

    Raises:
        InvalidArgumentError: If there is none; the message names all.
    """
    if name not in relations():
        raise InvalidArgumentError(
            f"relation: expected one of {', '.join(relations())}, got {name!r:.80}"
        )
    return relations()[name]


__all__ = ["Relation", "relation_named", "relations"]
