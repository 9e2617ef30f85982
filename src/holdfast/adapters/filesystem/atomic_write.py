"""Atomic writes of small files: after a crash a file is whole, or as it was before.

All effects are calls of functions of `os` or of methods of `Path`: the test that kills a process at
every effect intercepts these.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def put(file: Path, data: bytes, *, sync: bool, draft: Path | None = None) -> None:
    """Write these bytes to a file; with `sync`, the bytes and the name are durable on return.

    `draft` is written first, which a crash may leave: without it, a file beside the other.
    """
    if draft is None:
        draft = file.with_name(f"{file.name}.draft")

    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if sync:
            os.fsync(handle)
    finally:
        os.close(handle)

    draft.replace(file)
    if sync:
        sync_directory(file.parent)


def drop(file: Path, *, sync: bool = False) -> None:
    """Remove a file, if it exists."""
    try:
        file.unlink()
    except FileNotFoundError:
        return
    if sync:
        sync_directory(file.parent)


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
