"""The responses of models, in the user's state directory (port `Answers`): one file a question, named by its hash."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

_KEY = re.compile(r"[0-9a-f]{64}")
_MOST = 5_000


class ResponseCache:
    """A directory of responses. It is a cache: what cannot be read or written is as if it had never been."""

    def __init__(self, state: Path) -> None:
        """Name the directory; it is made when a response is kept."""
        self._place = state / "responses"

    def get(self, key: str) -> bytes | None:
        """Give the response; None if there is none."""
        if not _KEY.fullmatch(key):
            return None
        try:
            return self._file(key).read_bytes()
        except OSError:
            return None

    def put(self, key: str, response: bytes) -> None:
        """Keep the response, whole or not at all."""
        if not _KEY.fullmatch(key):
            raise ValueError("a key is a SHA-256 in hexadecimal digits.")
        file = self._file(key)
        new = file.with_name(f"{key}.{secrets.token_hex(4)}.new")
        try:
            # One by one: parents that mkdir makes by itself are open to others.
            for directory in (self._place.parent, self._place, file.parent):
                directory.mkdir(0o700, parents=True, exist_ok=True)
            handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as out:
                out.write(response)
            new.replace(file)
        except OSError:
            with suppress(OSError):
                new.unlink(missing_ok=True)
            return
        self._forget_oldest()

    def _file(self, key: str) -> Path:
        return self._place / key[:2] / f"{key}.json"

    def _forget_oldest(self) -> None:
        """Keep the newest some thousands; looked at only now and then, for to list them costs more than to keep one."""
        if secrets.randbelow(100):
            return
        with suppress(OSError):
            files = sorted(
                self._place.glob("*/*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True
            )
            for file in files[_MOST:]:
                file.unlink(missing_ok=True)
