"""Errors of SQLAlchemy as errors of the store."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from holdfast.adapters.store.driver_errors import raise_explained
from holdfast.adapters.store.store_errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.store.database_url import DatabaseUrl


@contextmanager
def explained(address: DatabaseUrl) -> Iterator[None]:
    """Turn what the world does to a store (full disk, no permission, no server) into a sentence.

    The rest rises.
    """
    try:
        yield
    except DBAPIError as error:
        raise_explained(error.orig, address)
        raise
    except sqlite3.Error as error:
        raise_explained(error, address)
        raise
    except PoolTimeout:
        raise StoreUnavailable(
            f"{address}: all connections of this process are in use, nothing was recorded; run it "
            "again."
        ) from None
