"""Placeholders: empty directories where a project has none, so that a mount can cover them.

Without them a process could make a `.git` with hooks, or a `.holdfast` with settings, in a project
that has none. They are removed after the last process that needs them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


@contextmanager
def placeholders(paths: Sequence[str], root: str, state: Path) -> Iterator[None]:
    """Make empty directories at these paths; remove them unless another process uses them.

    A killed Holdfast leaves them; the next one in the same project removes them.
    """
    record = _record_of(root, state)
    if not paths and not record.exists():
        yield
        return

    record.parent.mkdir(parents=True, exist_ok=True)
    with _share(record) as file:
        for path in paths:
            # Recorded first: it is removed even if we are killed right after we have made it.
            file.write(f"{path}\n")
            file.flush()
            with suppress(FileExistsError):
                os.mkdir(path)
        try:
            yield
        finally:
            _remove(record, file)


def remove_left(folders: Iterable[str], state: Path) -> None:
    """Remove the placeholders that a killed Holdfast has left for these folders."""
    for folder in folders:
        record = _record_of(folder, state)
        if record.exists():
            with _share(record) as file:
                _remove(record, file)


def _record_of(root: str, state: Path) -> Path:
    return state / "sandbox" / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def _share(record: Path) -> TextIO:
    """Open the record with a lock that others may have too."""
    while True:
        file = record.open("a+")
        fcntl.flock(file, fcntl.LOCK_SH)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(record)):
                return file
        # The last process that used it has removed it meanwhile.
        file.close()


def _remove(record: Path, file: TextIO) -> None:
    """Remove the recorded directories, unless another process has them in use."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return

    file.seek(0)
    for path in dict.fromkeys(file.read().split("\n")):
        # One that is not empty is not ours any more.
        with suppress(OSError):
            os.rmdir(path)

    record.unlink(missing_ok=True)
