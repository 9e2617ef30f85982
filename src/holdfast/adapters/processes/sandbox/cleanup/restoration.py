"""What is put back after a process: changes that a mount cannot prevent.

A process could otherwise leave something for git, or for Holdfast, that runs later as the user.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.cleanup.open_folder import open_folder
from holdfast.adapters.processes.sandbox.link_guards import follow
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from holdfast.adapters.processes.sandbox.layout import Layout

_COMMANDS = (b"exec", b"x")
"""The words for a command to run in the list of what a rebase has yet to do."""
_STOP = b"break\n"
_OWN_STRATEGIES = frozenset({b"octopus", b"ort", b"ours", b"recursive", b"resolve", b"subtree"})
"""The merge strategies for which git starts no program but its own."""
_STRATEGY_OPTION = lazy_pattern(rb"\s*strategy-option\s*=")


@contextmanager
def restored(layout: Layout) -> Iterator[list[str]]:
    """Put back what the process of this context was not allowed to change, at its end.

    The paths that were put back are added to the list that this returns.
    """
    known = {path: set(filter(_is_command, _lines(path))) for path in layout.rebase_lists}
    strategies = {path: _lines(path) for path in layout.strategy_files}
    links = {link for path in layout.forbidden for link in follow(path)[0]}
    changed: list[str] = []
    try:
        yield changed
    finally:
        changed += _put_back(layout, known)
        changed += _remove_new_links(layout.forbidden, links)
        changed += [path for path in strategies if _remove_new_strategy(path, strategies[path])]


def _put_back(layout: Layout, known: Mapping[str, Collection[bytes]]) -> Iterator[str]:
    """Put back what has changed, and yield its paths."""
    for path in layout.forbidden:
        if _remove(path):
            yield path

    for path, target in layout.links.items():
        if _put_link_back(path, target):
            yield path

    for path, commands in known.items():
        if _stop_at_new_commands(path, commands):
            yield path


def _remove_new_links(paths: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """Remove the first new link on the way to each of these paths, and yield the links."""
    for path in paths:
        new = [link for link in follow(path)[0] if link not in known]
        if new and _remove(new[0]):
            yield new[0]


def _remove(path: str) -> bool:
    """Remove a file, a link or a directory; return whether there was one."""
    with open_folder(os.path.dirname(path)) as folder:
        return folder is not None and folder.remove(os.path.basename(path))


def _put_link_back(path: str, target: str) -> bool:
    """Make a link what it was; return whether it was anything else."""
    name = os.path.basename(path)
    with open_folder(os.path.dirname(path)) as folder:
        if folder is None or folder.target_of(name) == target:
            return False
        folder.link(name, target)
        return True


def _stop_at_new_commands(path: str, known: Collection[bytes]) -> bool:
    """Make a rebase stop where it would run a command that was not in its list before.

    Return whether the list was changed.
    """
    if _remove_link(path):
        return True

    name = os.path.basename(path)
    with open_folder(os.path.dirname(path)) as folder:
        if folder is None:
            return False
        lines, names = folder.read(name)
        allowed = [_STOP if _is_command(line) and line not in known else line for line in lines]
        if not lines or (allowed == lines and names == 1):
            return False
        folder.write(name, b"".join(allowed))
        return True


def _remove_new_strategy(path: str, known: list[bytes]) -> bool:
    """Remove a file that names a program as a merge strategy, if that is new.

    Git starts what such a file names, by a path too. Return whether it was removed.
    """
    if _remove_link(path):
        return True

    name = os.path.basename(path)
    with open_folder(os.path.dirname(path)) as folder:
        if folder is None:
            return False
        lines, names = folder.read(name)
        is_known = lines == known or _strategies_in(path, lines) <= _OWN_STRATEGIES
        if not lines or (is_known and names == 1):
            return False
        return folder.remove(name)


def _strategies_in(path: str, lines: list[bytes]) -> set[bytes]:
    """Return the strategies that a file names: with all of its text, or in lines of settings."""
    if os.path.basename(path) == "strategy":
        return {b"".join(lines).strip()}

    named = [line for line in lines if b"strategy" in line.lower()]
    # What is not written as git writes it is taken for the name of a program.
    return {line.partition(b"=")[2].strip() for line in named if not _STRATEGY_OPTION.match(line)}


def _remove_link(path: str) -> bool:
    """Remove a link in the place of a file, or of its folder; return whether there was one.

    Git makes none there, and what a link leads to can be changed without git.
    """
    for each in (os.path.dirname(path), path):
        with open_folder(os.path.dirname(each)) as folder:
            if folder is not None and folder.is_link(os.path.basename(each)):
                return folder.remove(os.path.basename(each))
    return False


def _lines(path: str) -> list[bytes]:
    with open_folder(os.path.dirname(path)) as folder:
        if folder is None:
            return []
        return folder.read(os.path.basename(path))[0]


def _is_command(line: bytes) -> bool:
    return line.split(maxsplit=1)[:1] in [[word] for word in _COMMANDS]
