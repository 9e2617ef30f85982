"""Protected paths in memory, for the port `EditGuard`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


class MemoryEditGuard:
    """The paths of one project that are protected, each with the reason.

    >>> MemoryEditGuard({"hooks/x": "git runs it"}).why_protected(["a.py", "hooks/x"])
    {'hooks/x': 'git runs it'}
    """

    def __init__(self, reasons: Mapping[str, str] = MappingProxyType({})) -> None:
        self.reasons = dict(reasons)

    def why_protected(self, paths: Collection[str]) -> dict[str, str]:
        """Return why an edit of all these files needs approval, by path."""
        return {path: self.reasons[path] for path in paths if path in self.reasons}
