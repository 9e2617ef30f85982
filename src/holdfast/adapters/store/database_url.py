"""Where a store is: a SQLite file, or a PostgreSQL database.

`str` of it can be shown: no password is in it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from holdfast.adapters.store.store_errors import BadAddress
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_NEXT_STEP = (
    "write HOLDFAST_DATABASE_URL as postgresql://USER:PASSWORD@HOST:PORT/DATABASE "
    "(with %40 for @ and %2F for / in the password), or as the path of a SQLite file."
)
_POSTGRES = {"postgres", "postgresql", "postgresql+psycopg"}
_SQLITE = "sqlite"
_LIKE_A_URL = lazy_pattern(r"[\w+.-]*:")


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A SQLite file."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def url(self) -> URL:
        """Return SQLAlchemy's URL."""
        # Not above, here and below: a file that is named by its path is used without SQLAlchemy.
        from sqlalchemy.engine import URL  # noqa: PLC0415 - see above

        return URL.create("sqlite", database=str(self.path))

    def without_password(self, text: str) -> str:
        """Return the text: there is no password here."""
        return text


@dataclass(frozen=True, slots=True, repr=False)
class PostgresDatabase:
    """A PostgreSQL database."""

    _url: URL

    def __str__(self) -> str:
        # Host, port and name only: a password can also stand in the query.
        place = self._url.host or self._url.query.get("host") or "localhost"
        if self._url.port:
            place = f"{place}:{self._url.port}"
        return f"postgresql://{place}/{self._url.database or ''}"

    def __repr__(self) -> str:
        return f"PostgresDatabase({self})"

    def url(self) -> URL:
        """Return SQLAlchemy's URL."""
        return self._url.set(drivername="postgresql+psycopg")

    def without_password(self, text: str) -> str:
        """Return the text with each password of this address taken out."""
        for secret in (self._url.password, self._url.query.get("password")):
            if isinstance(secret, str) and secret:
                text = text.replace(secret, "***")
        return text


DatabaseUrl: TypeAlias = SqliteFile | PostgresDatabase


def chosen_url(state: Path) -> str:
    """Return which store to open.

    What `HOLDFAST_DATABASE_URL` names, or the file in the state directory.
    """
    return os.environ.get("HOLDFAST_DATABASE_URL") or str(state / "holdfast.sqlite3")


def parse_address(text: str) -> DatabaseUrl:
    """Read a URL or the path of a file; raises `BadAddress`.

    >>> str(parse_address("postgres://ann:secret@db.example:5433/holdfast"))
    'postgresql://db.example:5433/holdfast'
    >>> parse_address("sqlite:////var/lib/holdfast.sqlite3")
    SqliteFile(path=PosixPath('/var/lib/holdfast.sqlite3'))
    """
    scheme, separator, _ = text.partition("://")
    if not separator:
        return _path(text)
    if scheme not in {*_POSTGRES, _SQLITE}:
        raise BadAddress(
            f"{_word(scheme)}: Holdfast keeps its store in PostgreSQL or SQLite only; {_NEXT_STEP}"
        )

    from sqlalchemy.engine import make_url  # noqa: PLC0415 - as in `SqliteFile.url`
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415 - as in `SqliteFile.url`

    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # Not `from error`: its text may hold a part of the password.
        raise BadAddress(f"{scheme}: the database URL cannot be read; {_NEXT_STEP}") from None

    if scheme == _SQLITE:
        return _sqlite(url)
    if "@" in f"{url.host}{url.database}":
        # An @ in the password ends it too early, and the rest of it would be shown as the host.
        raise BadAddress(f"{scheme}: the database URL has more than one @; {_NEXT_STEP}")
    if not url.database:
        raise BadAddress(f"{scheme}: the database URL names no database; {_NEXT_STEP}")

    return PostgresDatabase(url)


def _sqlite(url: URL) -> SqliteFile:
    if url.query or url.host:
        raise BadAddress(
            "sqlite: only a path can follow sqlite:/// (four slashes for an absolute one); "
            f"{_NEXT_STEP}"
        )
    return _file(url.database or "")


def _path(text: str) -> SqliteFile:
    if _LIKE_A_URL.match(text):
        # Most likely a URL that lost its slashes or its scheme: as a path it would be shown,
        # password and all.
        raise BadAddress(f"the database URL cannot be read; {_NEXT_STEP}")
    return _file(text)


def _file(text: str) -> SqliteFile:
    if not text or ":memory:" in text:
        raise BadAddress(f"sqlite: the store must be a file with a name; {_NEXT_STEP}")
    return SqliteFile(Path(text).expanduser())


def _word(scheme: str) -> str:
    """Return the scheme if it is one; what stands there could be anything."""
    if scheme.replace("+", "").isalnum():
        return scheme
    return "the database URL"


def store_exists(url: str) -> bool:
    """Return whether there is a store to open without making one.

    A PostgreSQL database counts as there.
    """
    try:
        address = parse_address(url)
    except BadAddress:
        # To open it raises the same, with the next step.
        return True

    if isinstance(address, SqliteFile):
        return address.path.exists()

    return True
