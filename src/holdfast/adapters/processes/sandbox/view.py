"""What a process sees of the disk: rules for paths, each for all that is below its path."""

from __future__ import annotations

import os
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

PathAccess: TypeAlias = Literal["read", "write", "cache", "hidden", "masked"]
"""How a process sees a path.

`cache`: as `read`, but a process may write there for itself: nothing of that stays. `hidden`: an
empty directory; with Landlock the names beside it are hidden too. `masked`: an empty file or
directory.
"""

_NO_NAMES = frozenset({"", ".", ".."})


@dataclass(slots=True)
class View:
    """The rules, by real absolute path. A path without a rule has that of the nearest one above."""

    rules: dict[str, PathAccess] = field(default_factory=lambda: {"/": "read"})

    def set(self, path: str, access: PathAccess) -> None:
        """Add the rule of a path, or replace it."""
        self.rules[path] = access

    def show(self, path: str, access: PathAccess = "read") -> None:
        """Add a rule for a path that would be hidden otherwise; leave others as they are."""
        if self.access_of(path) == "hidden":
            self.rules[path] = access

    def tighten(self, path: str, access: PathAccess) -> None:
        """Add the rule of a path that is a part of the project, by its name: it may be a link.

        The link can lead to what is hidden or masked, and that stays so.
        """
        if self.access_of(path) not in {"hidden", "masked"}:
            self.rules[path] = access

    def access_of(self, path: str) -> PathAccess:
        """Return the access that the nearest rule sets.

        >>> View({"/": "read", "/tmp": "hidden"}).access_of("/tmp/a/b")
        'hidden'
        """
        while path not in self.rules and path != "/":
            path = path.rpartition("/")[0] or "/"
        return self.rules.get(path, "hidden")

    def ordered(self) -> list[tuple[str, PathAccess]]:
        """Return the rules, those of outer paths first: each overrides the ones before it."""
        return sorted(self.rules.items(), key=lambda rule: (rule[0].count("/"), rule[0]))

    def below(self, path: str) -> list[str]:
        """Return the paths below a path that have a rule of their own."""
        inside = path.rstrip("/") + "/"
        return [each for each in self.rules if each.startswith(inside) and each != path]


def existing(paths: Iterable[str]) -> list[str]:
    """Return the real paths of those that exist."""
    real_folders: dict[str, str] = {}
    found: list[str] = []
    for path in dict.fromkeys(paths):
        if not os.path.exists(path):
            continue
        folder, name = os.path.split(path)
        if name in _NO_NAMES or os.path.islink(path):
            found.append(os.path.realpath(path))
            continue
        # Many are in the same few folders, and a real path costs a look at each folder above.
        if folder not in real_folders:
            real_folders[folder] = os.path.realpath(folder)
        found.append(os.path.join(real_folders[folder], name))
    return found
