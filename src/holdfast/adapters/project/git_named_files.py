"""The files of a project that git's settings name: hooks, included settings, programs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, to_text
from holdfast.adapters.places.main_worktree import settings_files
from holdfast.adapters.plain_file import file_mark
from holdfast.adapters.project.secret_files import find_secret_files
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.guards.paths import folded_name
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIST = ("config", "--list", "--includes", "-z", "--show-origin")
_FILE_ORIGIN = "file:"
_INCLUSION = lazy_pattern(r"include(?:if\..*)?\.path", re.DOTALL)
_FOLDER_SETTING = lazy_pattern(r"core\.hookspath|init\.templatedir")
_HARMLESS = lazy_pattern(
    r"commit\.template|core\.excludesfile|blame\.ignorerevsfile|mailmap\.file|user\..*", re.DOTALL
)
"""Settings whose files are only text for git."""
_WORD = lazy_pattern(r"[^\s'\"`;|&()<>=$]+")


class GitNamedFiles:
    """The files below a root that the settings of its repositories name.

    Git is asked again only after a file with such settings has changed.
    """

    def __init__(self, root: Path) -> None:
        """Read nothing yet."""
        self._root = Path(os.path.realpath(root))
        self._state: object = None
        self._files: tuple[Path, ...] = ()
        self._named: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def setting_of(self, path: str) -> str | None:
        """Return the setting that names a file below the root, or a folder that it is in."""
        self._refresh()
        names = {path, os.path.relpath(os.path.realpath(self._root / path), self._root)}
        for name in map(_folded, names):
            if name in self._named:
                return self._named[name]
            for folder in map(str, Path(name).parents):
                if folder in self._folders:
                    return self._folders[folder]

        return None

    def _refresh(self) -> None:
        worktrees = [self._root]
        worktrees += [Path(each).parent for each in find_secret_files(str(self._root)).repositories]
        if self._state is not None and self._state == self._marks(worktrees):
            return

        self._named, self._folders = {}, {}
        files: dict[Path, None] = {}
        for worktree in worktrees:
            files.update(dict.fromkeys(settings_files(worktree)))
            files.update(dict.fromkeys(self._read(worktree)))
        self._files = tuple(files)
        self._state = self._marks(worktrees)

    def _marks(self, worktrees: list[Path]) -> object:
        return worktrees, [file_mark(file) for file in self._files]

    def _read(self, worktree: Path) -> Iterator[Path]:
        """Add what the settings of one worktree name; yield the files that the settings are in."""
        try:
            listed = Git(worktree, project=self._root).run(*_LIST)
        except (GitFailed, CheckpointFailed):
            # Where git cannot read its settings, it runs nothing.
            return

        top = _top_of(worktree)
        fields = to_text(listed).split("\0")
        for origin, setting in zip(fields[::2], fields[1::2], strict=False):
            if not origin.startswith(_FILE_ORIGIN):
                continue
            file = top / origin.removeprefix(_FILE_ORIGIN)
            yield file
            self._add(str(file), "include.path", self._named)
            name, _, value = setting.partition("\n")
            if _HARMLESS.fullmatch(name):
                continue
            for path in _paths_in(value, (top, file.parent)):
                if _INCLUSION.fullmatch(name):
                    yield Path(path)
                if _FOLDER_SETTING.fullmatch(name):
                    self._add(path, name, self._folders)
                elif not os.path.isdir(path):  # noqa: PTH112 - a word of any length is no path
                    self._add(path, name, self._named)

    def _add(self, path: str, setting: str, named: dict[str, str]) -> None:
        """Add a path, if it is below the root: as it is written, and where it leads to."""
        for place in (os.path.normpath(path), os.path.realpath(path)):
            below = os.path.relpath(place, self._root)
            if below.partition("/")[0] != "..":
                named.setdefault(_folded(below), setting)


def _folded(path: str) -> str:
    """Return a path as file systems that ignore case and more see it."""
    return "/".join(folded_name(part) or part for part in path.split("/"))


def _top_of(folder: Path) -> Path:
    """Return the folder that git enters before it reads relative paths."""
    for above in (folder, *folder.parents):
        if os.path.lexists(above / ".git"):
            return above
    return folder


def _paths_in(value: str, folders: tuple[Path, ...]) -> Iterator[str]:
    """Yield the paths that a value may name: the whole of it, or a word of a command."""
    for word in dict.fromkeys((value, *_WORD.findall(value))):
        if word and "\0" not in word:
            for folder in folders:
                # Path.expanduser raises for a user that does not exist.
                yield str(folder / os.path.expanduser(word))  # noqa: PTH111 - see above
