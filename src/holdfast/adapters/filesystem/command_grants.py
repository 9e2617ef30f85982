"""The commands that are always allowed, one file per project in the state directory.

Implements the port `CommandGrants`.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class DiskGrants:
    """The commands that the user has allowed permanently in one project."""

    def __init__(self, state: Path, project_id: str) -> None:
        """Set the path of the file; `add` creates the file.

        The id is that of the project's folder: another folder at the same path allows nothing.
        """
        self._file = state / "grants" / f"{project_id}.json"

    def has(self, command: str) -> bool:
        """Return whether exactly this command is allowed."""
        return command in self._read()

    def add(self, command: str) -> None:
        """Allow exactly this command from now on; raise OSError if that cannot be recorded."""
        self._file.parent.mkdir(0o700, parents=True, exist_ok=True)
        with self._locked():
            commands = sorted({*self._read(), command})
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps(commands, indent=1))
            new.replace(self._file)

    def _read(self) -> list[str]:
        try:
            commands = json.loads(self._file.read_bytes())
        except (FileNotFoundError, ValueError):
            # A file that cannot be read allows nothing: the user is asked again.
            return []
        if not isinstance(commands, list):
            return []
        return commands

    @contextmanager
    def _locked(self) -> Iterator[None]:
        file = self._file.with_suffix(".lock")
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
