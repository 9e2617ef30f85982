"""Symbolic links in the place of what a process must not change: no mount can cover a link.

What such a link leads to is read-only, as long as nothing on the way there changes. So the links
are put back after the process, and it cannot move the directories that they are in.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.adapters.processes.sandbox.view import View


@dataclass(frozen=True, slots=True)
class GuardedLinks:
    """Links that a process could replace, by path, and what is missing at the end of some."""

    targets: dict[str, str]
    missing: tuple[str, ...]


def guard_links(view: View, paths: Iterable[str]) -> GuardedLinks:
    """Return the links that lead to the protected paths; keep the directories of those in place."""
    targets: dict[str, str] = {}
    missing: list[str] = []
    for path in paths:
        links, end = follow(path)
        own = {link: links[link] for link in links if _is_in_writable(view, link)}
        if not own:
            continue
        targets |= own
        first = _first_missing(end)
        if first is not None and _is_in_writable(view, first):
            missing.append(first)
        for each in (*own, end):
            pin_directories(view, each)

    return GuardedLinks(targets, tuple(missing))


def follow(path: str) -> tuple[dict[str, str], str]:
    """Return the links on the way of an absolute path, with their targets, and where it leads."""
    links: dict[str, str] = {}
    names = path.split("/")[::-1]
    here = "/"
    while names:
        name = names.pop()
        entry = os.path.normpath(os.path.join(here, name))
        target = _target_of(entry)
        if name == ".." or not target:
            here = entry
            continue
        if entry in links:
            # In a loop, which leads nowhere.
            break
        links[entry] = target
        names += target.split("/")[::-1]
        if target.startswith("/"):
            here = "/"

    return links, here


def _target_of(path: str) -> str:
    """Return where a link leads; "" if it is none, or none any more."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _first_missing(path: str) -> str | None:
    """Return the outermost part of a path that does not exist; None if all of it does."""
    missing = None
    while not os.path.lexists(path):
        missing = path
        path = os.path.dirname(path)
    return missing


def _is_in_writable(view: View, path: str) -> bool:
    return view.access_of(os.path.dirname(path)) == "write"


def pin_directories(view: View, path: str) -> None:
    """Make what is above a path, and writable, mounts of their own: a mount cannot be moved."""
    folder = os.path.dirname(path)
    while folder not in view.rules and view.access_of(folder) == "write":
        if os.path.lexists(folder):
            view.set(folder, "write")
        folder = os.path.dirname(folder)
