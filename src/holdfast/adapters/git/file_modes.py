"""Permissions: git knows only whether a file can be run, so those of private files are noted beside the tree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping


def noted(modes: Mapping[str, int], seen: Iterable[tuple[str, int | None]]) -> dict[str, int]:
    """Note the permissions of files that are more private than a new file would be, and of those that once were."""
    told = dict(modes)
    umask = _umask()
    for path, mode in seen:
        if mode is None:
            told.pop(path, None)
        elif path in told or _is_private(mode, umask):
            told[path] = mode
    return told


def fitting(mode: int, *, runs: bool) -> int:
    """Give the permissions of a file that can, or cannot, be run, as near to these as can be.

    >>> [oct(fitting(0o600, runs=True)), oct(fitting(0o755, runs=False)), oct(fitting(0o700, runs=True))]
    ['0o700', '0o644', '0o700']
    """
    if not runs:
        return mode & ~0o111
    return mode if mode & 0o111 else mode | ((mode & 0o444) >> 2)


def _is_private(mode: int, umask: int) -> bool:
    usual = (0o777 if mode & 0o100 else 0o666) & ~umask
    return mode & usual != usual


def _umask() -> int:
    # There is no other way to ask.
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
