"""Which ignored files a snapshot keeps: small ones within a budget, none of build folders."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from holdfast.checkpoints.checkpoint import Skipped, SkipReason
from holdfast.checkpoints.selection import skip_reason
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.checkpoints.limits import IgnoredBudget
    from holdfast.checkpoints.ports import FileInfo

_NAMED_ALONE = 20
"""How many files over the budget are named one by one; then their directory is."""


class IgnoredDisk(Protocol):
    """The ignored files of the working tree."""

    def inspect(self, path: str) -> FileInfo:
        """Return what is at a path, without following a symlink at its end."""

    def is_excluded(self, path: str) -> bool:
        """Return whether a path belongs to Holdfast itself."""

    def files_in(self, directory: str, at_most: int) -> tuple[list[str], list[str]] | None:
        """Return the files below a directory, and the repositories and build folders there.

        Return None if there are more files than `at_most`.
        """


@dataclass(slots=True)
class IgnoredChoice:
    """The ignored files to keep with their sizes, and what is not kept."""

    take: dict[str, int] = field(default_factory=dict)
    skipped: dict[Skipped, None] = field(default_factory=dict)
    count: int = 0
    size: int = 0


def choose_ignored(
    entries: Iterable[str], kept: Mapping[str, int], budget: IgnoredBudget, disk: IgnoredDisk
) -> IgnoredChoice:
    """Return which of the entries that git lists as ignored to keep besides those in `kept`.

    A directory ends in a slash. It is kept as a whole or not at all; single files come first.
    """
    choice = IgnoredChoice(count=len(kept), size=sum(kept.values()))
    over: list[str] = []
    for entry in sorted(entries, key=lambda name: (name.endswith("/"), name)):
        if disk.is_excluded(entry.rstrip("/")):
            continue
        folder = _build_folder_of(entry, budget.folders)
        if folder is not None:
            _skip(choice, folder, "ignored, in a build folder")
        elif entry.endswith("/"):
            _choose_directory(entry.rstrip("/"), choice, budget, disk)
        elif not _choose_file(entry, choice, budget, disk):
            over.append(entry)

    for path in _summary(over):
        _skip(choice, path, "ignored, over the budget")

    return choice


def _choose_file(
    path: str, choice: IgnoredChoice, budget: IgnoredBudget, disk: IgnoredDisk
) -> bool:
    """Keep one file if it can be kept; return False if only the budget is in the way."""
    info = disk.inspect(path)
    if info.shape not in {"file", "link"}:
        return True

    reason = _reason(path, info, budget)
    if reason is not None:
        _skip(choice, path, reason)
        return True
    if choice.count + 1 > budget.files or choice.size + info.size > budget.total:
        return False

    choice.take[path] = info.size
    choice.count += 1
    choice.size += info.size
    return True


def _choose_directory(
    directory: str, choice: IgnoredChoice, budget: IgnoredBudget, disk: IgnoredDisk
) -> None:
    inner = disk.inspect(f"{directory}/.git")
    if not inner.readable:
        _skip(choice, directory, "unreadable")
        return
    if inner.shape != "absent":
        _skip(choice, directory, "nested repository")
        return

    below = disk.files_in(directory, budget.files - choice.count)
    if below is None:
        _skip(choice, directory, "ignored, over the budget")
        return

    files, others = below
    trial = IgnoredChoice(count=choice.count, size=choice.size)
    for path in files:
        if not _choose_file(path, trial, budget, disk):
            _skip(choice, directory, "ignored, over the budget")
            return

    choice.take.update(trial.take)
    choice.skipped.update(trial.skipped)
    choice.count, choice.size = trial.count, trial.size
    for path in others:
        named = path.rpartition("/")[2] in budget.folders
        _skip(choice, path, "ignored, in a build folder" if named else "nested repository")


def _reason(path: str, info: FileInfo, budget: IgnoredBudget) -> SkipReason | None:
    reason = skip_reason(path, info, budget.file)
    if reason == "too large":
        return "ignored, too large"
    return reason


def _build_folder_of(entry: str, folders: frozenset[str]) -> str | None:
    """Return the topmost directory of a path that has the name of a build folder, or None."""
    parts = entry.split("/")
    # The last part is a file, or empty for a directory.
    for depth, part in enumerate(parts[:-1], 1):
        if part in folders:
            return "/".join(parts[:depth])
    return None


def _skip(choice: IgnoredChoice, path: str, why: SkipReason) -> None:
    choice.skipped[Skipped(path, why)] = None


def _summary(paths: list[str]) -> list[str]:
    """Return the paths, or if there are many, their directories with a slash at the end."""
    if len(paths) <= _NAMED_ALONE:
        return paths
    folders = [path.rpartition("/")[0] for path in paths]
    distinct = dict.fromkeys(folders)
    return [f"{folder}/" for folder in distinct]
