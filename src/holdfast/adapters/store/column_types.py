"""The kinds of values in a row, so that SQLite and PostgreSQL take and give the same ones.

Every text column is TEXT, with no length: SQLite does not check one, PostgreSQL would.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, DateTime, Text
from sqlalchemy.types import TypeDecorator

from holdfast.adapters.store.plain.column_values import (
    decode_path,
    dump_json,
    encode_path,
    storable_words,
)

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import Dialect
    from sqlalchemy.types import TypeEngine


class Json(TypeDecorator[Any]):
    """Any JSON, exactly: the order of keys, and every character and number.

    On PostgreSQL JSON, not JSONB, which refuses NUL and lone surrogates (the texts of files hold
    them) and forgets the order of keys. On SQLite TEXT: a column that is declared as JSON there
    makes 0 of the text `0.0`.
    """

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the type of the column."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(Text())
        return dialect.type_descriptor(JSON())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Write it as text where the database does not; None is JSON's null."""
        if dialect.name == "sqlite":
            return dump_json(value)
        return value

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Read it; None where an outer join has found no row."""
        if dialect.name == "sqlite" and value is not None:
            return json.loads(value)
        return value


class Words(TypeDecorator[str]):
    """Words for people. A character that a database refuses is stored as U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - its base's
        """Replace NUL and lone surrogates."""
        if value is None:
            return None
        return storable_words(value)


class DiskPath(TypeDecorator[str]):
    """An absolute path, exactly.

    One that is not UTF-8 is stored as `file:` and its bytes, percent-encoded.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - its base's
        """Encode what UTF-8 cannot say."""
        if value is None:
            return None
        return encode_path(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - its base's
        """Decode it."""
        if value is None:
            return None
        return decode_path(value)


class Moment(TypeDecorator[datetime]):
    """A moment, in UTC. It is for people: nothing is ordered by it."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - its base's
        """Turn it to UTC: SQLite forgets the zone."""
        if value is None:
            return None
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - its base's
        """Say the zone again."""
        if value is None:
            return None
        if value.tzinfo is None:
            return value.replace(tzinfo=UTC)
        return value.astimezone(UTC)
