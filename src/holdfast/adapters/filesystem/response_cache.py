"""A cache in the state directory: one file per question, named by its hash.

Implements the port `Answers`, for responses of models and for checks that passed.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from pathlib import Path

_KEY = lazy_pattern(r"[0-9a-f]{64}")
_LIMIT = 5_000


class ResponseCache:
    """A directory of responses. Errors of the disk are ignored: a cache may miss."""

    def __init__(self, state: Path, name: str = "responses") -> None:
        """Set the directory; `put` creates it."""
        self._directory = state / name

    def get(self, key: str) -> bytes | None:
        """Return the response for this key, or None."""
        if not _KEY.fullmatch(key):
            return None
        try:
            return self._file(key).read_bytes()
        except OSError:
            return None

    def put(self, key: str, response: bytes) -> None:
        """Write the response atomically."""
        if not _KEY.fullmatch(key):
            raise ValueError("a key is a SHA-256 in hexadecimal digits.")

        file = self._file(key)
        new = file.with_name(f"{key}.{secrets.token_hex(4)}.new")
        try:
            # One by one: mkdir makes missing parents with the default mode, readable by others.
            for directory in (self._directory.parent, self._directory, file.parent):
                directory.mkdir(0o700, parents=True, exist_ok=True)
            handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as out:
                out.write(response)
            new.replace(file)
        except OSError:
            with suppress(OSError):
                new.unlink(missing_ok=True)
            return

        self._evict_oldest()

    def _file(self, key: str) -> Path:
        return self._directory / key[:2] / f"{key}.json"

    def _evict_oldest(self) -> None:
        """Remove all but the newest `_LIMIT` responses, in one of a hundred calls.

        To list the directory costs more than to write a response.
        """
        if secrets.randbelow(100):
            return

        with suppress(OSError):
            files = list(self._directory.glob("*/*.json"))
            files.sort(key=lambda file: file.stat().st_mtime_ns, reverse=True)
            for file in files[_LIMIT:]:
                file.unlink(missing_ok=True)
