"""The port of the files of decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.repair.decisions.decision import DecisionScope
    from holdfast.rules.ports import UpdateBytes


class DecisionFiles(Protocol):
    """The files `decisions/<scope>/<module>.<id>.json`.

    They keep the promises of `rules.ports.RuleFiles`.
    """

    def read_all(self, scope: DecisionScope, start: str = "") -> Sequence[tuple[str, bytes]]:
        """Return name and bytes of each file whose name has this start, sorted.

        An unreadable file has no bytes.
        """

    def place(self, scope: DecisionScope, name: str) -> str:
        """Return the location of a file, for messages."""

    def update(self, scope: DecisionScope, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, one process at a time."""
