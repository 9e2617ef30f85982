"""What is put back after a process: changes that a mount cannot prevent.

A process could otherwise leave something for git, or for Holdfast, that runs later as the user.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from holdfast.adapters.processes.sandbox.layout import Layout

_COMMANDS = (b"exec", b"x")
"""The words for a command to run in the list of what a rebase has yet to do."""
_STOP = b"break\n"


@contextmanager
def restored(layout: Layout) -> Iterator[None]:
    """Put back what the process of this context was not allowed to change, at its end."""
    known = {path: set(filter(_is_command, _lines(path))) for path in layout.rebase_lists}
    try:
        yield
    finally:
        for path in filter(_is_in_place, layout.forbidden):
            _remove(path)
        for path in filter(_is_in_place, layout.links):
            _put_link_back(path, layout.links[path])
        for path, commands in known.items():
            _stop_at_new_commands(path, commands)


def _is_in_place(path: str) -> bool:
    """Return whether no link leads to a path: through one, a file elsewhere could be removed."""
    folder = os.path.dirname(path)
    return os.path.realpath(folder) == folder


def _remove(path: str) -> None:
    """Remove a file, a link or a directory, if there is one."""
    try:
        os.unlink(path)
    except IsADirectoryError:
        shutil.rmtree(path, ignore_errors=True)
    except (FileNotFoundError, NotADirectoryError):
        return


def _put_link_back(path: str, target: str) -> None:
    with suppress(OSError):
        if os.readlink(path) == target:
            return

    _remove(path)
    os.symlink(target, path)


def _stop_at_new_commands(path: str, known: Collection[bytes]) -> None:
    """Make a rebase stop where it would run a command that was not in its list before."""
    folder = os.path.dirname(path)
    if not _is_in_place(folder):
        return

    for each in (folder, path):
        # Git makes no links here, and what one leads to can be changed without git.
        if os.path.islink(each):
            os.unlink(each)

    lines = _lines(path)
    allowed = [_STOP if _is_command(line) and line not in known else line for line in lines]
    if lines and (allowed != lines or os.stat(path).st_nlink > 1):
        new = f"{path}.new"
        _remove(new)
        with open(new, "xb") as file:
            file.writelines(allowed)
        os.replace(new, path)


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
