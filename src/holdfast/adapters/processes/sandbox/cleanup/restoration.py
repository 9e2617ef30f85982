"""What is put back after a process: changes that a mount cannot prevent.

A process could otherwise leave something for git, or for Holdfast, that runs later as the user.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from holdfast.adapters.processes.sandbox.layout import Layout

_COMMANDS = (b"exec", b"x")
"""The words for a command to run in the list of what a rebase has yet to do."""
_STOP = b"break\n"


@contextmanager
def restored(layout: Layout) -> Iterator[list[str]]:
    """Put back what the process of this context was not allowed to change, at its end.

    The paths that were put back are added to the list that this returns.
    """
    known = {path: set(filter(_is_command, _lines(path))) for path in layout.rebase_lists}
    changed: list[str] = []
    try:
        yield changed
    finally:
        changed += _put_back(layout, known)


def _put_back(layout: Layout, known: Mapping[str, Collection[bytes]]) -> Iterator[str]:
    """Put back what has changed, and yield its paths."""
    for path in filter(_is_in_place, layout.forbidden):
        if _remove(path):
            yield path

    for path in filter(_is_in_place, layout.links):
        if _put_link_back(path, layout.links[path]):
            yield path

    for path, commands in known.items():
        if _stop_at_new_commands(path, commands):
            yield path


def _is_in_place(path: str) -> bool:
    """Return whether no link leads to a path: through one, a file elsewhere could be removed."""
    folder = os.path.dirname(path)
    return os.path.realpath(folder) == folder


def _remove(path: str) -> bool:
    """Remove a file, a link or a directory; return whether there was one."""
    folder = os.path.dirname(path)
    if not os.path.lexists(path):
        return False
    if not os.access(folder, os.W_OK | os.X_OK):
        os.chmod(folder, 0o700)

    # Renamed first: a directory can be made so that to remove it fails.
    aside = f"{path}.removed-{os.urandom(4).hex()}"
    os.rename(path, aside)
    if os.path.islink(aside) or not os.path.isdir(aside):
        os.unlink(aside)
        return True

    with suppress(OSError, RecursionError):
        _remove_directory(aside)
    return True


def _remove_directory(path: str) -> None:
    """Remove a directory, also one with directories that nobody may read."""
    os.chmod(path, 0o700)
    for folder, names, _ in os.walk(path):
        for name in names:
            entry = os.path.join(folder, name)
            if not os.path.islink(entry):
                os.chmod(entry, 0o700)
    shutil.rmtree(path)


def _put_link_back(path: str, target: str) -> bool:
    """Make a link what it was; return whether it was anything else."""
    with suppress(OSError):
        if os.readlink(path) == target:
            return False

    _remove(path)
    os.symlink(target, path)
    return True


def _stop_at_new_commands(path: str, known: Collection[bytes]) -> bool:
    """Make a rebase stop where it would run a command that was not in its list before.

    Return whether the list was changed.
    """
    folder = os.path.dirname(path)
    if not _is_in_place(folder):
        return False

    for each in (folder, path):
        # Git makes no links here, and what one leads to can be changed without git.
        if os.path.islink(each):
            return _remove(each)

    lines = _lines(path)
    allowed = [_STOP if _is_command(line) and line not in known else line for line in lines]
    if not lines or (allowed == lines and os.stat(path).st_nlink == 1):
        return False

    _remove(path)
    with open(path, "xb") as file:
        file.writelines(allowed)
    return True


def _lines(path: str) -> list[bytes]:
    if not os.path.isfile(path):
        return []
    try:
        with open(path, "rb") as file:
            return file.readlines()
    except OSError:
        return []


def _is_command(line: bytes) -> bool:
    return line.split(maxsplit=1)[:1] in [[word] for word in _COMMANDS]
