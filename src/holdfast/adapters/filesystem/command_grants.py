"""The commands that are always allowed, one file per project in the state directory.

Implements the port `CommandGrants`.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.guards.command_prefix import covers
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Granted:
    """Commands that are allowed exactly, and rules such as `pytest *`."""

    commands: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()


class DiskGrants:
    """The commands that the user has allowed permanently in one project."""

    def __init__(self, state: Path, project_id: str) -> None:
        """Set the path of the file; `add` creates the file.

        The id is that of the project's folder: another folder at the same path allows nothing.
        """
        self._file = state / "grants" / f"{project_id}.json"

    def has(self, command: str) -> bool:
        """Return whether this command is allowed, itself or by a rule."""
        granted = self._read()
        if command in granted.commands:
            return True
        return any(covers(rule, command) for rule in granted.rules)

    def add(self, command: str) -> None:
        """Allow exactly this command from now on; raise OSError if that cannot be recorded."""
        self._add(_Granted(commands=frozenset({command})))

    def add_rule(self, rule: str) -> None:
        """Allow the commands that a rule such as `pytest *` covers; may raise OSError."""
        self._add(_Granted(rules=frozenset({rule})))

    def _add(self, new: _Granted) -> None:
        self._file.parent.mkdir(0o700, parents=True, exist_ok=True)
        with self._locked():
            old = self._read()
            both = {
                "commands": sorted(old.commands | new.commands),
                "rules": sorted(old.rules | new.rules),
            }
            file = self._file.with_suffix(".new")
            file.write_text(json.dumps(both, indent=1))
            file.replace(self._file)

    def _read(self) -> _Granted:
        try:
            found = json.loads(self._file.read_bytes())
        except (FileNotFoundError, ValueError):
            # A file that cannot be read allows nothing: the user is asked again.
            return _Granted()

        if isinstance(found, list):
            # Older releases knew no rules.
            return _Granted(_texts(found))
        if not isinstance(found, dict):
            return _Granted()

        return _Granted(_texts(found.get("commands")), _texts(found.get("rules")))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        file = self._file.with_suffix(".lock")
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _texts(values: Any) -> frozenset[str]:
    if not isinstance(values, list):
        return frozenset()
    return frozenset(value for value in values if isinstance(value, str))
