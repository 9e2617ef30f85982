"""The ports of the package: the files in which rules and their counters are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

UpdateBytes: TypeAlias = Callable[[bytes | None], bytes | None]
"""A function from the bytes of a file to its new bytes; None stands for no file."""
RuleCounts: TypeAlias = tuple[int, int]
"""How often the result of a rule was accepted, and how often it was refused."""


class RuleFiles(Protocol):
    """The rules of a project as files `rules/<target>/<id>.yaml`. Raises OSError.

    No name is chosen by a model.
    """

    def read_all(self) -> Sequence[tuple[str, bytes]]:
        """Return the name (`<target>/<id>`) and bytes of each file, sorted by name.

        The bytes are empty if a file cannot be read.
        """

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, locked against other processes.

        `change` receives its bytes, or None without a file.
        """


class RuleCounters(Protocol):
    """How often each rule helped on this machine; not part of the project. Raises OSError."""

    def read(self) -> Mapping[str, RuleCounts]:
        """Return the counts by the id of the rule."""

    def add(self, rule_id: str, *, helped: bool) -> RuleCounts:
        """Count one result and return the new counts."""


class OlderRuleFiles(Protocol):
    """The rules of an earlier version beside those of now. Raises OSError."""

    def older_rules(self) -> Sequence[tuple[str, bytes]]:
        """Return the name and bytes of each older rule."""

    def remove_older(self, name: str) -> None:
        """Remove an older rule."""

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, locked against other processes."""
