"""The places of a repository's git directory, and what in them configures code that git runs."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.adapters.places.main_worktree import is_inside_or_named
from holdfast.adapters.plain_file import read_plain
from holdfast.guards.tokens import has_token
from holdfast.vocab.lazy_dataclass import dataclass

_CONFIGURING = ("config", "hooks", "info")
"""Names in a git directory that name programs to run, or files that do."""
_WITH_CONTENTS = ("objects", "lfs")
_UNDER_WAY = ("rebase-merge", "rebase-apply")
_REDIRECTING = ("commondir", "config.worktree", "gitdir")
"""Names that lead git to another configuration; `objects/info/alternates` leads it to objects."""


@dataclass(frozen=True, slots=True)
class GitPlaces:
    """The git directory of a worktree, and that of the repository which it belongs to.

    They are the same but in a linked worktree and in a submodule.
    """

    directory: str
    common: str


def git_places(root: str) -> GitPlaces | None:
    """Return the git places of a root; None if it is no worktree.

    Also None if its `.git` leads to a repository elsewhere that does not name the root: a stranger,
    or a command that ran before, can have it lead anywhere.
    """
    if not is_inside_or_named(Path(root)):
        return None

    entry = Path(root, ".git")
    directory = os.path.realpath(entry)
    if not entry.is_dir():
        directory = _linked_directory(entry)

    if not directory or not os.path.isdir(directory):
        return None

    return GitPlaces(directory, _common_of(directory))


def main_worktree_of(places: GitPlaces | None, root: str) -> str | None:
    """Return the main worktree of the linked one at a root; None for any other folder.

    A folder that only says to be one does not count: the repository must name the root, too.
    """
    if places is None or os.path.dirname(places.directory) != f"{places.common}/worktrees":
        return None
    if os.path.basename(places.common) != ".git":
        return None

    named = _text_of(os.path.join(places.directory, "gitdir")).strip()
    if os.path.realpath(named) != os.path.join(root, ".git"):
        return None
    return os.path.dirname(places.common)


def configuring(places: GitPlaces) -> list[str]:
    """Return the paths that must not change while git may write, whether they exist or not.

    The locks of the settings are among them: while there is one, no git replaces the settings, and
    with them the mount that keeps them from the process.
    """
    shared = [os.path.join(places.common, name) for name in _CONFIGURING]
    return [*shared, *(f"{path}.lock" for path in settings(places))]


def settings(places: GitPlaces) -> list[str]:
    """Return the files with the settings of a repository and of its worktree."""
    own = {os.path.join(each, "config.worktree") for each in (places.directory, places.common)}
    return [os.path.join(places.common, "config"), *sorted(own)]


def with_keys(places: GitPlaces) -> list[str]:
    """Return what has keys that only git needs: those that open contents, and those for servers."""
    paths = [os.path.join(places.common, "git-crypt")]
    settings = os.path.join(places.common, "config")
    if has_token(_text_of(settings)):
        paths.append(settings)
    return paths


def with_contents(places: GitPlaces) -> list[str]:
    """Return the folders with contents of files."""
    shared = [os.path.join(places.common, name) for name in _WITH_CONTENTS]
    return [*shared, *(os.path.join(places.directory, name) for name in _UNDER_WAY)]


def of_others(places: GitPlaces) -> list[str]:
    """Return the folders with the git directories of submodules and of linked worktrees."""
    return [os.path.join(places.common, name) for name in ("modules", "worktrees")]


def redirecting(places: GitPlaces) -> list[str]:
    """Return the paths that must not appear or change while git may write.

    They cannot be covered by an empty file while they are missing: git would stop at it.
    """
    directories = {places.directory, places.common}
    paths = [os.path.join(each, name) for each in sorted(directories) for name in _REDIRECTING]
    return [*paths, os.path.join(places.common, "objects/info/alternates")]


def rebase_list(places: GitPlaces) -> str:
    """Return the path of the list of what a rebase has yet to do, which can name commands."""
    return os.path.join(places.directory, "rebase-merge/git-rebase-todo")


def strategy_files(places: GitPlaces) -> list[str]:
    """Return the paths of what names the merge strategy of a rebase or a cherry-pick under way."""
    names = ("rebase-merge/strategy", "sequencer/opts")
    return [os.path.join(places.directory, name) for name in names]


def _linked_directory(entry: Path) -> str:
    """Return the directory that a `.git` file names, or ""."""
    try:
        text = read_plain(entry).decode()
    except (OSError, UnicodeDecodeError):
        return ""

    if not text.startswith("gitdir:"):
        return ""

    return os.path.realpath(entry.parent / text.removeprefix("gitdir:").strip())


def _text_of(path: str) -> str:
    try:
        return read_plain(path).decode("utf-8", "replace")
    except OSError:
        return ""


def _common_of(directory: str) -> str:
    try:
        text = read_plain(Path(directory, "commondir")).decode().strip()
    except (OSError, UnicodeDecodeError):
        return directory
    return os.path.realpath(os.path.join(directory, text))
