"""The result of a check, as values and in words."""

from dataclasses import dataclass, field
from typing import Any

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Oddity:
    """An anomaly, or a fact that the user should know.

    Attributes:
        what: In words.
        count: Rows that have it; 0 for what concerns the table as such.
        examples: The first of them: row number from 0, and its content.
    """

    what: str
    count: int = 0
    examples: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return it as lines of text."""
        head = f"{self.count:,} rows: {self.what}" if self.count else self.what
        return "\n".join([head, *(f"    {example}" for example in self.examples)])


@dataclass(slots=True)
class TableReport:
    """Validation of a table: its type, its integrity, its anomalies.

    Attributes:
        path: As it was given.
        kind: ``positions``, ``predictions``, ``scores``, ``games`` or ``unknown``.
        whole: Whether every page could be read and its checksum, if it has one, is right.
        rows: As the file says.
        schema_version: As the file says, or None.
        provenance: What the file says it was made from and how.
        packages: The versions of the packages that made it.
        facts: Counts by name, such as rows by class.
        oddities: In the order in which they were looked for.
    """

    path: str
    kind: str = "unknown"
    whole: bool = False
    rows: int = 0
    schema_version: str | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    facts: dict[str, dict[str, int]] = field(default_factory=dict)
    oddities: list[Oddity] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether it is whole, and nothing is odd."""
        return self.whole and not self.oddities

    def describe(self) -> str:
        """Return the report as lines of text."""
        whole = "whole" if self.whole else "NOT WHOLE"
        lines = [f"{self.path}: {self.kind}, {self.rows:,} rows, {whole}"]
        lines.append(f"schema version: {self.schema_version or 'none'}")
        lines += [f"made: {name} = {value}" for name, value in sorted(self.provenance.items())]
        packages = ", ".join(f"{name} {version}" for name, version in self.packages.items())
        lines.append(f"made with: {packages or 'unknown'}")
        for name, counts in self.facts.items():
            said = ", ".join(f"{value} {number:,}" for value, number in counts.items())
            lines.append(f"{name}: {said or 'none'}")
        if self.whole and not self.oddities:
            lines.append("nothing odd")
        lines += [f"odd: {oddity.describe()}" for oddity in self.oddities]
        return "\n".join(lines)
