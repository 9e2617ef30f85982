"""The port to what was trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.trust import CodeItem


class TrustStore(Protocol):
    """What a person has trusted in one project. Each call may raise OSError."""

    def read(self) -> tuple[CodeItem, ...]:
        """Return what is trusted, in the order in which it was trusted."""

    def add(self, items: Sequence[CodeItem]) -> None:
        """Trust some items from now on."""

    def clear(self) -> None:
        """Trust nothing any more."""
