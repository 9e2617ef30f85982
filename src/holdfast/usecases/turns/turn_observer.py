"""What changes behind the tools of a turn: found by comparing snapshots, recorded as changes."""

from __future__ import annotations

import time
from dataclasses import field, replace
from typing import TYPE_CHECKING

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import FileFound, FileMissing, FileUnfit
from holdfast.changes.swaps import Content
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.tools.ports import Observed
from holdfast.tools.text_limits import sendable
from holdfast.usecases.changes.observe import ChangeObserved, observe_difference, observe_unkept
from holdfast.usecases.turns.observed_files import (
    LARGEST_FILE,
    ObservedFile,
    content_of,
    is_recorded,
    sort_out,
)
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.changes.change import ChangeOwner
    from holdfast.changes.plan import FileLanded
    from holdfast.changes.swaps import Swap
    from holdfast.checkpoints.checkpoint import WorktreeState
    from holdfast.checkpoints.ports import FileVersion, FileVersions, Worktree
    from holdfast.tools.digest_observer import DigestObserver
    from holdfast.tools.ports import Author
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.events import Event

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


@dataclass(slots=True)
class ObservedPaths:
    """The paths that a turn has seen change behind its tools: by the turn itself, and by others."""

    command: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)

    def add(self, paths: Iterable[str], by: Author) -> None:
        """Add paths that `by` has changed."""
        changed = self.command
        if by == "outside":
            changed = self.outside
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

    def prepare(self) -> None:
        """Make the next look find what changes from now on, also without a snapshot to compare."""
        if self._last is None:
            self._look_at_digests("outside")

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
        differences = self._compare(self._last)
        if differences is None:
            # The first look at digests only prepares the next one.
            return self._look_at_digests("outside")
        if by == "outside":
            differences = self._without_recorded(differences)
        return self._record(differences, by)

    def begin_checks(self) -> None:
        """Take the files as they are as known; from now on Holdfast writes files of its own."""
        self._ours = _OWN_DIRECTORY
        if self._last is not None:
            self._compare(self._last)

    def _look_at_digests(self, by: Author) -> Observed:
        found = self._digests.look(by)
        differences = [self._by_digest(path) for path in found.files]
        return replace(found, events=self._record(differences, by).events)

    def _by_digest(self, path: str) -> ObservedFile:
        after = None
        if not isinstance(self._workspace.files.look(path), FileMissing):
            after = Content(b"")
        return ObservedFile(path, Content(b""), after, "There is no checkpoint of this folder")

    # --------------------------------------------------------------------------------- differences

    def _compare(self, last: WorktreeState) -> list[ObservedFile] | None:
        """Compare the files with the last snapshot; None if that cannot be done any more."""
        looked_at = self._now()
        try:
            with self._worktrees.hold(make=True) as worktree:
                state = worktree.capture()
                versions = _versions(worktree, last, state)
                prefix = self._worktrees.prefix
        except CheckpointFailed as error:
            self.problem = str(error)
            self._last = None
            return None
        found = self._differences(versions, prefix)
        found |= self._uncaptured(last, state, prefix)
        for path, content in self._written.items():
            found.pop(path, None)
            if not self._has(path, content):
                found[path] = self._since_written(path, content)
        self._last, self._looked_at = state, looked_at
        self._written.clear()
        return [found[path] for path in sorted(found)]

    def _differences(
        self, versions: Iterable[FileVersions], prefix: str
    ) -> dict[str, ObservedFile]:
        found: dict[str, ObservedFile] = {}
        for each in versions:
            difference = self._difference(each, prefix)
            if difference is not None:
                found[difference.path] = difference
        return found

    def _uncaptured(
        self, last: WorktreeState, state: WorktreeState, prefix: str
    ) -> dict[str, ObservedFile]:
        """Return what is new, or changed, and is nothing that a snapshot captures."""
        found: dict[str, ObservedFile] = {}
        for skipped in state.skipped:
            why = _SKIPPED.get(skipped.why)
            if why is not None and skipped not in last.skipped:
                path = skipped.path.removeprefix(prefix).rstrip("/")
                found[path] = ObservedFile(path, None, Content(b""), why)
        for inner, digest in last.inner.items():
            if state.inner.get(inner, digest) != digest:
                path = inner.removeprefix(prefix).rstrip("/")
                why = _SKIPPED["nested repository"]
                found[path] = ObservedFile(path, Content(b""), Content(b""), why)
        return found

    def _difference(self, versions: FileVersions, prefix: str) -> ObservedFile | None:
        """Return the difference of a file; None if the file does not count."""
        path = versions.path.removeprefix(prefix)
        if self._is_cache(path):
            return None
        if path.split("/")[0] in self._ours:
            return None
        before, after = content_of(versions.before), content_of(versions.after)
        if not versions.path.startswith(prefix):
            path = "../" * prefix.count("/") + versions.path
            return ObservedFile(path, before, after, "It is outside of this root")
        return ObservedFile(path, before, after, self._why_not_kept(path, versions))

    def _why_not_kept(self, path: str, versions: FileVersions) -> str:
        """Return why a change cannot keep this file; "" if it can."""
        for version in (versions.before, versions.after):
            why = _why_no_data(version)
            if why:
                return why
        if sendable(path) != path:
            return "Its name is not UTF-8"
        if self._was_ignored(versions):
            return "It was there before, and ignored by git"
        if not self._can_be_swapped(path, versions.after):
            return "No edit can reach it"
        return ""

    def _was_ignored(self, versions: FileVersions) -> bool:
        """Return whether a new file is older than the last look: then only git's rules changed."""
        if versions.before is not None:
            return False
        if versions.changed_at == 0:
            # Made, captured, and gone again.
            return False
        return versions.changed_at < self._looked_at - _CLOCK_STEP

    def _can_be_swapped(self, path: str, after: FileVersion | None) -> bool:
        """Return whether a file can be written at this path; it may have changed once more."""
        files = self._workspace.files
        if after is not None and after.shape == "link":
            target = files.link(path)
            if target is not None:
                return True
        looked = files.look(path)
        if isinstance(looked, FileUnfit):
            return False
        return looked.at == path

    def _has(self, path: str, content: Content | None) -> bool:
        """Return whether a file still has the content that a tool wrote."""
        looked = self._workspace.files.look(path)
        if isinstance(looked, FileFound):
            return content is not None and looked.data == content.data
        return content is None

    def _since_written(self, path: str, content: Content | None) -> ObservedFile:
        looked = self._workspace.files.look(path)
        if not isinstance(looked, FileFound):
            return ObservedFile(path, content, None)
        before = None
        if content is not None:
            before = Content(content.data, looked.mode)
        return ObservedFile(path, before, Content(looked.data, looked.mode))

    def _without_recorded(self, differences: Sequence[ObservedFile]) -> list[ObservedFile]:
        """Leave out what another command of Holdfast has written and recorded."""
        if not differences:
            return []
        try:
            recent = self._workspace.log.list(limit=_RECENT)
        except LogUnavailable as error:
            self.problem = str(error)
            return list(differences)
        return [each for each in differences if not is_recorded(each, recent)]

    # -------------------------------------------------------------------------------------- record

    def _record(self, differences: Sequence[ObservedFile], by: Author) -> Observed:
        """Record the differences: first what is not kept, so that an undo begins with what is."""
        sorted_out = sort_out(differences)
        paths = sorted_out.paths
        self.paths.add(paths, by)
        unkept = self._add_unkept(sorted_out.reports(), by)
        kept = self._add_change(sorted_out.kept, by)
        return Observed(sorted_out.digests(), paths, unkept + kept)

    def _add_unkept(self, files: Sequence[FileLanded], by: Author) -> tuple[Event, ...]:
        if not files:
            return ()
        return self._published(
            lambda: observe_unkept(files, self._workspace, owner=self._owner, by=by)
        )

    def _add_change(self, kept: Sequence[ObservedFile], by: Author) -> tuple[Event, ...]:
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


def _why_no_data(version: FileVersion | None) -> str:
    """Return why the snapshot has no content of this version of a file; "" if it has."""
    if version is None:
        return ""
    if version.shape == "other":
        return "It is a repository of its own"
    if version.data is None:
        return f"It has {version.size} bytes"
    return ""
