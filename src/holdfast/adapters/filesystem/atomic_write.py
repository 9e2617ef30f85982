"""Small files that are whole or not there, whatever dies in between.

All effects are calls of functions of `os`, or of Path's methods: the test that kills a process at every effect finds
them there.
"""

from __future__ import annotations

import os
from pathlib import Path


def put(file: Path, data: bytes, *, sync: bool) -> None:
    """Let a file hold these bytes; with `sync` they are on the disk, and so is its name."""
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
    """Remove a file, if it is there."""
    try:
        file.unlink()
    except FileNotFoundError:
        return
    if sync:
        sync_directory(file.parent)


def sync_directory(directory: Path) -> None:
    """Put a directory's names on the disk."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
