"""The commands that were allowed for good, one file a project in the state directory (port `Grants`)."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class DiskGrants:
    """The commands that somebody has allowed for good at one root."""

    def __init__(self, state: Path, root: Path) -> None:
        """Name the file; it is made when a command is allowed."""
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
        self._file = state / "grants" / f"{name}.json"

    def has(self, command: str) -> bool:
        """Whether this very command was allowed."""
        return command in self._read()

    def add(self, command: str) -> None:
        """Allow this very command from now on; raises OSError."""
        self._file.parent.mkdir(0o700, parents=True, exist_ok=True)
        with self._alone():
            commands = sorted({*self._read(), command})
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps(commands, indent=1))
            new.replace(self._file)

    def _read(self) -> list[str]:
        try:
            commands = json.loads(self._file.read_bytes())
        except (FileNotFoundError, ValueError):
            # What cannot be read allows nothing: somebody will be asked again.
            return []
        return commands if isinstance(commands, list) else []

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = os.open(
            self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
