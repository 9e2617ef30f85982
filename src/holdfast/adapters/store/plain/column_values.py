"""The values of columns: how Python's are written in a row, and read again."""

from __future__ import annotations

import json
import os
import secrets
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote_from_bytes, unquote_to_bytes

from holdfast.vocab.lazy_pattern import lazy_pattern

_UNSTORABLE = lazy_pattern("[\0\ud800-\udfff]")
_ENCODED = "file:"

# NaN is not JSON: PostgreSQL refuses it, and so must SQLite.
dump_json = partial(json.dumps, allow_nan=False)


def storable_words(words: str) -> str:
    """Return words for people with U+FFFD for NUL and lone surrogates, which a database refuses."""
    return _UNSTORABLE.sub("\ufffd", words)


def encode_path(path: str) -> str:
    """Return a path as a column has it: as `file:` and its bytes, if it is not UTF-8."""
    if not _UNSTORABLE.search(path):
        return path
    return _ENCODED + quote_from_bytes(os.fsencode(path))


def decode_path(stored: str) -> str:
    """Return the path of a column.

    >>> os.fsencode(decode_path("file:/caf%E9"))[-1]
    233
    """
    if not stored.startswith(_ENCODED):
        return stored
    return os.fsdecode(unquote_to_bytes(stored.removeprefix(_ENCODED)))


def moment_to_sqlite(moment: datetime) -> str:
    """Return a moment as SQLAlchemy writes one into a SQLite file: in UTC, without its zone.

    >>> moment_to_sqlite(datetime(2026, 11, 17, 12, 30, tzinfo=UTC))
    '2026-11-17 12:30:00.000000'
    """
    utc = moment.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(" ", timespec="microseconds")


def moment_from_sqlite(stored: str) -> datetime:
    """Return the moment that a SQLite file has."""
    return datetime.fromisoformat(stored).replace(tzinfo=UTC)


def new_id() -> str:
    """Return a name that no other row has."""
    return secrets.token_hex(6)


def now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


def nothing() -> dict[str, Any]:
    """Return an empty object."""
    return {}
