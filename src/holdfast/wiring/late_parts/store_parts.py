"""The store and its change log. Only `late_store` imports this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.store.change_log import changes_at
from holdfast.adapters.store.database_url import chosen_url
from holdfast.adapters.store.store import Store, open_store

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["changes_at", "store_at"]


def store_at(state: Path) -> AbstractContextManager[Store]:
    """Open the store that is configured; the default is a SQLite file in the state directory."""
    return open_store(chosen_url(state))
