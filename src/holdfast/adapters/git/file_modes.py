"""Permissions of files: git stores only whether a file can be run.

The most common modes of a worktree are stored once, and all other modes by path.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_EXECUTABLE = 0o100


def usual_modes(files: Mapping[int, int], directories: Mapping[int, int]) -> list[int]:
    """Return the most common modes of files, of executable files and of directories.

    `files` and `directories` say how often each mode occurs.

    Without any file of a kind, return what a new one would have.
    """
    plain = Counter({mode: count for mode, count in files.items() if not mode & _EXECUTABLE})
    runnable = Counter({mode: count for mode, count in files.items() if mode & _EXECUTABLE})
    umask = _read_umask()
    return [
        _most_common(plain, 0o666 & ~umask),
        _most_common(runnable, 0o777 & ~umask),
        _most_common(Counter(directories), 0o777 & ~umask),
    ]


def usual_mode(usual: Sequence[int], *, executable: bool) -> int:
    """Return the usual mode of a file."""
    return usual[1] if executable else usual[0]


def update_modes(
    modes: Mapping[str, int], seen: Iterable[tuple[str, int | None]], usual: Sequence[int]
) -> dict[str, int]:
    """Return the stored modes after these were seen; None means that a path is not a file.

    >>> update_modes({"a": 0o600, "b": 0o600}, [("a", None), ("b", 0o644)], [0o644, 0o755, 0o755])
    {}
    """
    updated = dict(modes)
    for path, mode in seen:
        if mode is None or mode == usual_mode(usual, executable=bool(mode & _EXECUTABLE)):
            updated.pop(path, None)
        else:
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


def _most_common(counted: Counter[int], otherwise: int) -> int:
    for mode, _ in counted.most_common(1):
        return mode
    return otherwise


def _read_umask() -> int:
    # The only way to read it is to set it.
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
