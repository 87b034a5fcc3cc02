"""A finite automaton given by its transition table, for worked examples and tests."""

from collections.abc import Hashable, Mapping

from workbench.automaton import Automaton
from workbench.errors import InvalidArgumentError


class TableAutomaton(Automaton[Hashable, Hashable]):
    """An automaton whose transitions are written out.

    Args:
        transitions: For each state the actions it permits and the state each leads to. A state that
            permits nothing has an empty mapping.
        initial: The state S0.

    Raises:
        InvalidArgumentError: If a transition leads to, or the run starts in, a state without a row.
    """

    def __init__(
        self, transitions: Mapping[Hashable, Mapping[Hashable, Hashable]], initial: Hashable
    ) -> None:
        self._transitions = {state: dict(row) for state, row in transitions.items()}
        self._initial = initial
        named = {target for row in self._transitions.values() for target in row.values()}
        missing = (named | {initial}) - self._transitions.keys()
        if missing:
            raise InvalidArgumentError(
                f"expected a row for every state, got none for {sorted(map(repr, missing))}; "
                "give a finished state an empty mapping"
            )

    @property
    def initial(self) -> Hashable:
        """The state S0."""
        return self._initial

    def permitted(self, state: Hashable) -> tuple[Hashable, ...]:
        """Return the actions of the state's row, in the order they were written."""
        return tuple(self._transitions[state])

    def successor(self, state: Hashable, action: Hashable) -> Hashable:
        """Return the state that the table gives."""
        return self._transitions[state][action]
