"""Errors of the drivers of SQLite and PostgreSQL, and of the disk, as errors of the store."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.store.store_errors import NotAStore, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.store.database_url import DatabaseUrl


@contextmanager
def explained_driver(address: DatabaseUrl) -> Iterator[None]:
    """Turn what SQLite's driver raises (full disk, no permission) into a sentence.

    The rest rises.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise_explained(error, address)
        raise


def raise_explained(error: BaseException | None, address: DatabaseUrl) -> None:
    """Raise the sentence for an error of a driver as a `StoreError`, if there is one."""
    sentence = _explain(error, address)
    if sentence is None:
        return
    # Not `from error`: its text may hold what was to be written.
    if _name(error) == "SQLITE_NOTADB":
        raise NotAStore(sentence) from None
    raise StoreUnavailable(sentence) from None


@contextmanager
def within_reach(address: DatabaseUrl) -> Iterator[None]:
    """Turn what the disk says to whoever makes a file into a sentence."""
    try:
        yield
    except OSError as error:
        message = _cannot_write(address, str(error.strerror))
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            message = _full(address)
        raise StoreUnavailable(message) from error


def _name(error: BaseException | None) -> str:
    """Return SQLite's name of the error, or PostgreSQL's code.

    "" for a connection that never was.
    """
    for attribute in ("sqlite_errorname", "sqlstate"):
        name = getattr(error, attribute, None)
        if name:
            return str(name)
    return ""


def _explain(  # noqa: PLR0911 - one sentence for each kind of error
    error: BaseException | None, address: DatabaseUrl
) -> str | None:
    said = address.without_password(next(iter(str(error).split("\n")), ""))
    match _name(error):
        # SHMSIZE: there was no room for the index of the WAL.
        case "SQLITE_FULL" | "SQLITE_IOERR_SHMSIZE" | "53100":
            return _full(address)
        case "25006":
            return (
                f"{address}: the database is read-only, nothing was recorded; name one that can "
                "be written."
            )
        case "SQLITE_NOTADB":
            return (
                f"{address}: this is not a SQLite file; move it away, or name another with "
                "HOLDFAST_DATABASE_URL."
            )
        case name if name.startswith("SQLITE_CORRUPT"):
            return (
                f"{address}: the file is damaged ({said}); move it away, with its -wal and -shm, "
                "or bring a copy back."
            )
        case name if name.startswith(
            ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM")
        ):
            return _cannot_write(address, said)
        case name if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return busy_message(address)
        case "40P01" | "40001" | "55P03":
            return (
                f"{address}: another process was writing the same, nothing was recorded; run it "
                "again."
            )
        case name if name.startswith(("08", "28", "3D", "53", "57P")) or (
            not name and _at_postgres(error)
        ):
            return (
                f"{address}: the database cannot be reached ({said}); start it, or correct "
                "HOLDFAST_DATABASE_URL."
            )
        case _:
            return None


def busy_message(address: DatabaseUrl) -> str:
    """Return the sentence for a store that another process does not stop writing to."""
    return (
        f"{address}: another process has held it for too long, nothing was recorded; end that "
        "one, or wait."
    )


def _at_postgres(error: BaseException | None) -> bool:
    return (
        type(error).__module__.startswith("psycopg") and type(error).__name__ == "OperationalError"
    )


def _full(address: DatabaseUrl) -> str:
    return f"{address}: the disk is full, nothing was recorded; free some space and run it again."


def _cannot_write(address: DatabaseUrl, reason: str) -> str:
    return (
        f"{address}: cannot be opened or written ({reason}), nothing was recorded; make the "
        "directory writable, "
        "or name another with HOLDFAST_STATE_DIR."
    )
