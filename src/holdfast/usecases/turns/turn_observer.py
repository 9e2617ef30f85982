"""What changes behind the tools of a turn: found by comparing snapshots, recorded as changes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileLanded
from holdfast.changes.ports import FileFound, FileMissing
from holdfast.changes.swaps import LINK, Content
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.tools.changed_files import mark_of
from holdfast.tools.ports import FileDigests, Observed
from holdfast.tools.text_limits import sendable
from holdfast.usecases.changes.observe import ChangeObserved, observe_difference, observe_unkept
from holdfast.usecases.workspace import NothingDone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.changes.change import Change, ChangeOwner
    from holdfast.changes.swaps import Swap
    from holdfast.checkpoints.checkpoint import WorktreeState
    from holdfast.checkpoints.ports import FileVersion, FileVersions, Worktree
    from holdfast.tools.digest_observer import DigestObserver
    from holdfast.tools.ports import Author
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.events import Event
    from holdfast.vocab.requests import Action

LARGEST_FILE = 4_000_000
"""Files of more bytes are listed, and their contents are not kept in a change."""
MOST_FILES = 1_000
MOST_BYTES = 32_000_000
"""If a command changes more files or bytes at once, none of them is kept in a change."""
_RECENT = 20
_OWN_DIRECTORY = frozenset({".holdfast"})
_SKIPPED = {
    "nested repository": "It is a repository of its own",
    "too large": "It is too large",
    "unreadable": "It cannot be read",
    "not a file": "It is not a regular file",
}
"""Why a snapshot does not have what a command has made, in words."""
_CLOCK_STEP = 50_000_000
"""Nanoseconds that the clock of a file system may be behind that of the system."""


@dataclass(frozen=True, slots=True)
class _Difference:
    """How a file differs from the last look; None is no file.

    `why_not_kept` says why a change cannot have its contents, "" if it can.
    """

    path: str
    before: Content | None
    after: Content | None
    why_not_kept: str = ""

    @property
    def size(self) -> int:
        """How many bytes a change with this file keeps."""
        contents = [content for content in (self.before, self.after) if content is not None]
        return sum(len(content.data) for content in contents)

    @property
    def has_link(self) -> bool:
        """Whether a symlink was made, changed or removed."""
        return any(each is not None and each.is_link for each in (self.before, self.after))

    @property
    def action(self) -> Action:
        """What was done to the file."""
        if self.before is None:
            return "create"
        if self.after is None:
            return "delete"
        return "edit"


@dataclass(slots=True)
class ObservedPaths:
    """The paths that a turn has seen change behind its tools, by who changed them."""

    command: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)

    def add(self, paths: Iterable[str], by: Author) -> None:
        """Add paths that `by` has changed."""
        changed = self.outside
        if by == "command":
            changed = self.command
        changed.update(paths)


class TurnObserver:
    """Finds what changes behind the tools of one turn, and records it (port `FileObserver`).

    It compares snapshots of the worktree. Without a checkpoint before the turn it compares digests,
    which know no old contents.
    """

    def __init__(
        self,
        worktrees: Worktrees,
        workspace: Workspace,
        owner: ChangeOwner,
        digests: DigestObserver,
        *,
        is_cache: Callable[[str], bool],
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        """Record changes as those of `owner`; files for which `is_cache` holds do not count."""
        self._worktrees = worktrees
        self._workspace = workspace
        self._owner = owner
        self._digests = digests
        self._is_cache = is_cache
        self._now = now
        self._last: WorktreeState | None = None
        self._looked_at = 0
        self._written: dict[str, Content | None] = {}
        self._ours: frozenset[str] = frozenset()
        self.paths = ObservedPaths()
        self.looked = False
        """Whether a command has run, so that files may change behind the tools."""
        self.problem = ""
        """Why not all that changed behind the tools is on record."""

    def begin(self, state: WorktreeState) -> None:
        """Compare with this snapshot first: that of the checkpoint before the turn."""
        self._last = state
        self._looked_at = self._now()

    def wrote(self, swaps: Iterable[Swap]) -> None:
        """Remember what a tool has written, so that it is not observed."""
        for swap in swaps:
            self._written[swap.path] = swap.after

    def know(self, path: str) -> None:
        """Remember a file as it is, so that it is not observed."""
        looked = self._workspace.files.look(path)
        if isinstance(looked, FileFound):
            self._written[looked.at] = Content(looked.data, looked.mode)

    def look(self, by: Author) -> Observed:
        """Return what has changed since the last look, and record it as changed by `by`."""
        self.looked = True
        if self._last is None:
            return self._look_at_digests(by)
        try:
            differences = self._differences(self._last)
        except CheckpointFailed as error:
            self.problem = str(error)
            self._last = None
            return self._look_at_digests("outside")
        if by == "outside":
            differences = self._without_recorded(differences)
        return self._record(differences, by)

    def begin_checks(self) -> None:
        """Take the files as they are as known; from now on Holdfast writes files of its own."""
        self._ours = _OWN_DIRECTORY
        if self._last is None:
            return
        try:
            self._differences(self._last)
        except CheckpointFailed as error:
            self.problem = str(error)
            self._last = None

    def _look_at_digests(self, by: Author) -> Observed:
        found = self._digests.look(by)
        differences = [self._by_digest(path) for path in found.files]
        return replace(found, events=self._record(differences, by).events)

    def _by_digest(self, path: str) -> _Difference:
        after = None
        if not isinstance(self._workspace.files.look(path), FileMissing):
            after = Content(b"")
        return _Difference(path, Content(b""), after, "There is no checkpoint of this folder")

    # --------------------------------------------------------------------------------- differences

    def _differences(self, last: WorktreeState) -> list[_Difference]:
        looked_at = self._now()
        with self._worktrees.hold(make=True) as worktree:
            state = worktree.capture()
            versions = _versions(worktree, last, state)
            prefix = self._worktrees.prefix
        found: dict[str, _Difference] = {}
        for both in versions:
            difference = self._difference(both, prefix)
            if difference is not None:
                found[difference.path] = difference
        for each in state.skipped:
            if each not in last.skipped and each.why in _SKIPPED:
                path = each.path.removeprefix(prefix).rstrip("/")
                found[path] = _Difference(path, None, Content(b""), _SKIPPED[each.why])
        for path, content in self._written.items():
            found.pop(path, None)
            if not self._has(path, content):
                found[path] = self._since_written(path, content)
        self._last, self._looked_at = state, looked_at
        self._written.clear()
        return [found[path] for path in sorted(found)]

    def _difference(self, versions: FileVersions, prefix: str) -> _Difference | None:
        """Return the difference of a file; None if the file does not count."""
        path = versions.path.removeprefix(prefix)
        if self._is_cache(path) or path.split("/")[0] in self._ours:
            return None
        before, after = _content(versions.before), _content(versions.after)
        if not versions.path.startswith(prefix):
            path = "../" * prefix.count("/") + versions.path
            return _Difference(path, before, after, "It is outside of this root")
        return _Difference(path, before, after, self._why_not_kept(path, versions))

    def _why_not_kept(self, path: str, versions: FileVersions) -> str:
        """Return why a change cannot keep this file; "" if it can."""
        there = [each for each in (versions.before, versions.after) if each is not None]
        if any(each.shape == "other" for each in there):
            return "It is a repository of its own"
        if any(each.data is None for each in there):
            return f"It has {max(each.size for each in there)} bytes"
        if sendable(path) != path:
            return "Its name is not UTF-8"
        if versions.before is None and versions.changed_at < self._looked_at - _CLOCK_STEP:
            return "It was there before, and ignored by git"
        if not self._can_be_swapped(path, versions.after):
            return "No edit can reach it"
        return ""

    def _can_be_swapped(self, path: str, after: FileVersion | None) -> bool:
        """Return whether the file is still as it was seen, at a path where it can be written."""
        files = self._workspace.files
        if after is not None and after.shape == "link":
            return files.link(path) == after.data
        looked = files.look(path)
        if after is None:
            return isinstance(looked, FileMissing) and looked.at == path
        return isinstance(looked, FileFound) and looked.at == path

    def _has(self, path: str, content: Content | None) -> bool:
        """Return whether a file still has the content that a tool wrote."""
        looked = self._workspace.files.look(path)
        if isinstance(looked, FileFound):
            return content is not None and looked.data == content.data
        return content is None

    def _since_written(self, path: str, content: Content | None) -> _Difference:
        looked = self._workspace.files.look(path)
        if not isinstance(looked, FileFound):
            return _Difference(path, content, None)
        before = None
        if content is not None:
            before = Content(content.data, looked.mode)
        return _Difference(path, before, Content(looked.data, looked.mode))

    def _without_recorded(self, differences: Sequence[_Difference]) -> list[_Difference]:
        """Leave out what another command of Holdfast has written and recorded."""
        if not differences:
            return []
        try:
            recent = self._workspace.log.list(limit=_RECENT)
        except LogUnavailable as error:
            self.problem = str(error)
            return list(differences)
        return [each for each in differences if not _is_recorded(each, recent)]

    # -------------------------------------------------------------------------------------- record

    def _record(self, differences: Sequence[_Difference], by: Author) -> Observed:
        """Record the differences: first what is not kept, so that an undo begins with what is."""
        differences = _limit(differences)
        kept = [each for each in differences if not each.why_not_kept]
        unkept = [each for each in differences if each.why_not_kept]
        events = (*self._add_unkept(unkept, by), *self._add_change(kept, by))
        paths = tuple(sendable(each.path) for each in differences)
        self.paths.add(paths, by)
        plain = [each for each in kept if not each.has_link]
        marks = {each.path: _mark(each.after) for each in plain}
        origins = {each.path: _mark(each.before) for each in plain}
        return Observed(FileDigests(marks, whole=False, origins=origins), paths, events)

    def _add_unkept(self, unkept: Sequence[_Difference], by: Author) -> tuple[Event, ...]:
        if not unkept:
            return ()
        files = [_report_unkept(each) for each in unkept]
        return self._published(
            lambda: observe_unkept(files, self._workspace, owner=self._owner, by=by)
        )

    def _add_change(self, kept: Sequence[_Difference], by: Author) -> tuple[Event, ...]:
        before, after = {}, {}
        for each in kept:
            if each.before is not None:
                before[each.path] = (each.before.data, each.before.mode or 0)
            if each.after is not None:
                after[each.path] = (each.after.data, each.after.mode or 0)
        return self._published(
            lambda: observe_difference(before, after, self._workspace, owner=self._owner, by=by)
        )

    def _published(
        self, record: Callable[[], ChangeObserved | NothingDone | None]
    ) -> tuple[Event, ...]:
        """Record a change, and return its events; what cannot be recorded is a problem."""
        try:
            seen = record()
        except (LogUnavailable, OSError) as error:
            # The command has run: its result counts, whether or not the change is on record.
            self.problem = str(error)
            return ()
        if isinstance(seen, NothingDone):
            self.problem = seen.refusals[0].refused.message
            return ()
        if seen is None:
            return ()
        return seen.events


def _versions(
    worktree: Worktree, last: WorktreeState, state: WorktreeState
) -> tuple[FileVersions, ...]:
    if (state.tree, dict(state.modes)) == (last.tree, dict(last.modes)):
        return ()
    return worktree.versions(last, state, LARGEST_FILE)


def _content(version: FileVersion | None) -> Content | None:
    if version is None:
        return None
    mode = LINK if version.shape == "link" else version.mode
    return Content(version.data or b"", mode)


def _is_recorded(difference: _Difference, changes: Iterable[Change]) -> bool:
    """Return whether one of these changes has left the file as it is now."""
    for change in changes:
        for swap in change.plan.swaps:
            left = {"applied": swap.after, "rewound": swap.before}
            is_left = change.state in left and _is_same(left[change.state], difference.after)
            if swap.path == difference.path and is_left:
                return True
    return False


def _is_same(one: Content | None, other: Content | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.data, one.is_link) == (other.data, other.is_link)


def _limit(differences: Sequence[_Difference]) -> Sequence[_Difference]:
    """Return the differences; none is kept if there are too many."""
    size = sum(each.size for each in differences if not each.why_not_kept)
    if len(differences) <= MOST_FILES and size <= MOST_BYTES:
        return differences
    why = f"{len(differences)} files with {size} bytes changed at once"
    return [_Difference(each.path, each.before, each.after, why) for each in differences]


def _report_unkept(difference: _Difference) -> FileLanded:
    why = f"{difference.why_not_kept}, so its content is not kept."
    return FileLanded(sendable(difference.path), difference.action, "exact", 1.0, why)


def _mark(content: Content | None) -> str:
    return mark_of(None if content is None else content.data)
