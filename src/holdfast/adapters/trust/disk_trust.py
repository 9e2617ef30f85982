"""What is trusted, one file per project in the state directory (port `TrustStore`)."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from holdfast.adapters.places.place_records import claim_place, find_place
from holdfast.vocab.trust import CodeItem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from holdfast.vocab.place import Place


class DiskTrust:
    """The items that a person has trusted in the project at a root."""

    def __init__(self, state: Path, root: Path) -> None:
        """Set the place of the record; read nothing yet.

        A project is identified by its folder: in a new folder at the same path nothing is trusted.
        """
        self._state = state
        self._root = root

    def read(self) -> tuple[CodeItem, ...]:
        """Return what is trusted, in the order in which it was trusted."""
        return _read(self._file(find_place(self._root, self._state)))

    def add(self, items: Sequence[CodeItem]) -> None:
        """Trust some items from now on."""
        file = self._file(claim_place(self._root, self._state))
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        with _locked(file):
            # An item that is trusted again goes to the end: its text is the last one.
            kept = [each for each in _read(file) if each not in items]
            _write(file, [*kept, *dict.fromkeys(items)])

    def clear(self) -> None:
        """Trust nothing any more."""
        self._file(find_place(self._root, self._state)).unlink(missing_ok=True)

    def _file(self, place: Place) -> Path:
        return self._state / "trust" / f"{place.project_id}.json"


def _read(file: Path) -> tuple[CodeItem, ...]:
    try:
        rows = json.loads(file.read_bytes())
        return tuple(CodeItem(**row) for row in rows)
    except (OSError, ValueError, TypeError):
        # A file that cannot be read trusts nothing: the user is asked again.
        return ()


def _write(file: Path, items: Sequence[CodeItem]) -> None:
    new = file.with_suffix(".new")
    new.write_text(json.dumps([asdict(each) for each in items], indent=1))
    new.replace(file)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    lock = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
