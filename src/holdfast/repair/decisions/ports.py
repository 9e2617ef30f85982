"""The port of the decision manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.repair.decisions.decision import DecisionScope
    from holdfast.rules.ports import UpdateBytes


class DecisionFiles(Protocol):
    """The files `decisions/<scope>/<module>.json`, with the promises of `rules.ports.RuleFiles`."""

    def read_all(self, scope: DecisionScope) -> Sequence[tuple[str, bytes]]:
        """Return each module's name and bytes, sorted; no bytes for an unreadable file."""

    def place(self, scope: DecisionScope, module: str) -> str:
        """Return the location of a manifest, for messages."""

    def update(self, scope: DecisionScope, module: str, change: UpdateBytes) -> bytes | None:
        """Replace one manifest atomically, one process at a time."""
