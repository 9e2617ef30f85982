"""The errors of the store as those of the ports of sessions."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.store.store_errors import StoreError
from holdfast.usecases.sessions.session_records import SessionsUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def translated_sessions() -> Iterator[None]:
    """Raise what the store raises as `SessionsUnavailable`."""
    try:
        yield
    except StoreError as error:
        raise SessionsUnavailable(str(error)) from error
