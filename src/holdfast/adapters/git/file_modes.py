"""Permissions of files: git stores only whether a file can be run, so private modes are stored too.

They are kept beside the tree, for files that are more private than a new file would be.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def update_modes(
    modes: Mapping[str, int], seen: Iterable[tuple[str, int | None]]
) -> dict[str, int]:
    """Return the stored modes after these were seen; None means that a path is not a file.

    A mode is stored if it is more private than that of a new file, or if one is stored already.
    """
    updated = dict(modes)
    umask = _read_umask()
    for path, mode in seen:
        if mode is None:
            updated.pop(path, None)
        elif path in updated or _is_private(mode, umask):
            updated[path] = mode
    return updated


def with_execute_bit(mode: int, *, executable: bool) -> int:
    """Return the mode with execute permission added or removed.

    It is added for everyone with read permission, unless the file is executable already.

    >>> oct(with_execute_bit(0o600, executable=True))
    '0o700'
    >>> oct(with_execute_bit(0o755, executable=False))
    '0o644'
    >>> oct(with_execute_bit(0o700, executable=True))
    '0o700'
    """
    if not executable:
        return mode & ~0o111
    if mode & 0o111:
        return mode
    return mode | ((mode & 0o444) >> 2)


def _is_private(mode: int, umask: int) -> bool:
    everything = 0o777 if mode & 0o100 else 0o666
    usual = everything & ~umask
    return mode & usual != usual


def _read_umask() -> int:
    # The only way to read it is to set it.
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
