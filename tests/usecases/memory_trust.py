"""What is trusted, in memory (port `TrustStore`)."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.vocab.trust import CodeItem


class MemoryTrust:
    """Keeps its promise as the one on the disk does."""

    def __init__(self, *items: CodeItem) -> None:
        self.items = list(items)

    def read(self) -> tuple[CodeItem, ...]:
        return tuple(self.items)

    def add(self, items: Sequence[CodeItem]) -> None:
        self.items += items

    def clear(self) -> None:
        self.items.clear()
