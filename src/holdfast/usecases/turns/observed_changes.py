"""What changes behind the tools of a turn: found by comparing snapshots, recorded as changes."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import field, replace
from typing import TYPE_CHECKING

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import FileFound, FileMissing, FileUnfit, JournalDamaged
from holdfast.changes.swaps import LINK, Content, digest_of, directories_above
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.guards.secrets import is_secret
from holdfast.tools.ports import Observed
from holdfast.usecases.changes.observe import (
    NO_MODES,
    ChangeObserved,
    observe_difference,
    observe_unkept,
)
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.turns.observed_files import (
    LARGEST_FILE,
    ObservedFile,
    content_of,
    sort_out,
)
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from holdfast.changes.change import ChangeOwner
    from holdfast.changes.change_log import LeftFile
    from holdfast.changes.plan import FileLanded
    from holdfast.checkpoints.checkpoint import WorktreeState
    from holdfast.checkpoints.ports import FileVersion, FileVersions, Worktree
    from holdfast.tools.digest_observer import DigestObserver
    from holdfast.tools.ports import Author
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.events import Event

_OWN_DIRECTORY = frozenset({".holdfast"})
_SKIPPED = {
    "nested repository": "It is a repository of its own",
    "too large": "It is too large",
    "unreadable": "It cannot be read",
    "not a file": "It is not a regular file",
}
"""Why a snapshot does not have what a command has made, in words."""
_NO_TEXT = "\ufffd"
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

    It compares the files with the last snapshot and with what changes have written since: what is
    recorded is what the log does not lead to. Comparison and record are under one lock, so that no
    other command writes or records in between. Without a checkpoint before the turn it compares
    digests, which know no old contents.
    """

    def __init__(
        self,
        worktrees: Worktrees,
        workspace: Workspace,
        owner: ChangeOwner,
        digests: DigestObserver,
        *,
        is_cache: Callable[[str], bool],
        is_secret: Callable[[str], bool] = is_secret,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        """Record changes as those of `owner`; files for which `is_cache` holds do not count.

        Of those for which `is_secret` holds, no event has the contents.
        """
        self._worktrees = worktrees
        self._workspace = workspace
        self._owner = owner
        self._digests = digests
        self._is_cache = is_cache
        self._is_secret = is_secret
        self._now = now
        self._last: WorktreeState | None = None
        self._looked_at = 0
        self._event_seq: int | None = None
        self._modes = (NO_MODES, NO_MODES)
        self._may_record = True
        self._ours: frozenset[str] = frozenset()
        self.paths = ObservedPaths()
        self.looked = False
        """Whether a command has run, so that files may change behind the tools."""
        self.problem = ""
        """Why not all that changed behind the tools is on record."""

    def begin(self, state: WorktreeState, event_seq: int | None) -> None:
        """Compare with this snapshot first: that of the checkpoint before the turn.

        `event_seq` is the number of the last event then, None if that is not known.
        """
        self._last = state
        self._looked_at = self._now()
        self._event_seq = event_seq

    def prepare(self) -> None:
        """Make the next look find what changes from now on, also without a snapshot to compare."""
        if self._last is None:
            self._look_locked("outside")

    def look(self, by: Author) -> Observed:
        """Return what has changed since the last look, and record it as changed by `by`."""
        self.looked = True
        return self._look_locked(by)

    def begin_checks(self) -> None:
        """Take the files as they are as known; from now on Holdfast writes files of its own."""
        self._ours = _OWN_DIRECTORY
        if self._last is not None:
            with ExitStack() as stack:
                self._lock(stack)
                self._compare(self._last, self._left_files())

    def _look_locked(self, by: Author) -> Observed:
        with ExitStack() as stack:
            self._lock(stack)
            left = self._left_files()
            if self._last is None:
                return self._look_at_digests(by, left)

            differences = self._compare(self._last, left)
            if differences is None:
                # The first look at digests only prepares the next one.
                return self._look_at_digests("outside", left)

            return self._record(differences, by)

    def _lock(self, stack: ExitStack) -> None:
        """Lock the worktree, and settle what dead processes left; if that fails, record nothing."""
        self._may_record = False
        try:
            root = stack.enter_context(locked(self._workspace))
        except (LogUnavailable, JournalDamaged, OSError) as error:
            self.problem = str(error)
            return

        if root.refused:
            self.problem = root.refused.refusals[0].refused.message
            return

        self._may_record = True

    def _left_files(self) -> Mapping[str, LeftFile]:
        """Return what changes have written since the last look, those of this turn too."""
        try:
            left = self._workspace.log.left_since(self._event_seq)
        except LogUnavailable as error:
            self.problem = str(error)
            return {}

        self._event_seq = left.event_seq
        return left.files

    def _look_at_digests(self, by: Author, left: Mapping[str, LeftFile]) -> Observed:
        found = self._digests.look(by)
        differences = []
        for path in found.files:
            if path in left and digest_of(self._present(path)) == left[path].digest:
                continue
            differences.append(self._by_digest(path))

        recorded = self._record(differences, by)
        return replace(found, files=recorded.files, events=recorded.events)

    def _by_digest(self, path: str) -> ObservedFile:
        after = None
        if not isinstance(self._workspace.files.look(path), FileMissing):
            after = Content(b"")
        return ObservedFile(path, Content(b""), after, "There is no checkpoint of this folder")

    # --------------------------------------------------------------------------------- differences

    def _compare(
        self, last: WorktreeState, left: Mapping[str, LeftFile]
    ) -> list[ObservedFile] | None:
        """Compare the files with the last snapshot, and with what changes have left since.

        None if that cannot be done any more.
        """
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
        for path, file in left.items():
            if _NO_TEXT in path:
                # An event has no name that is no text; so the log does not tell which file it was.
                continue
            difference = self._since_left(path, file, found.pop(path, None))
            if difference is not None:
                found[path] = difference

        self._modes = (_below(prefix, last.directories), _below(prefix, state.directories))
        self._last, self._looked_at = state, looked_at
        return [found[path] for path in sorted(found)]

    def _differences(
        self, versions: Iterable[FileVersions], prefix: str
    ) -> dict[str, ObservedFile]:
        found: dict[str, ObservedFile] = {}
        listed = tuple(versions)
        vanished = _vanished_contents(listed)
        reshaped = _reshaped(listed)
        for each in listed:
            difference = self._difference(each, prefix, vanished, reshaped)
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

    def _difference(
        self,
        versions: FileVersions,
        prefix: str,
        vanished: Collection[bytes],
        reshaped: Collection[str],
    ) -> ObservedFile | None:
        """Return the difference of a file; None if the file does not count.

        `vanished` are the contents of the files that are gone, `reshaped` the files that are gone
        because of a directory in their place, or a file in the place of theirs.
        """
        path = versions.path.removeprefix(prefix)
        if not self._counts(path):
            return None

        before, after = content_of(versions.before), content_of(versions.after)
        if not versions.path.startswith(prefix):
            path = "../" * prefix.count("/") + versions.path
            return ObservedFile(path, before, after, "It is outside of this root")

        why = self._why_not_kept(versions, vanished)
        if not why and versions.path not in reshaped and not self._can_be_swapped(path, versions):
            why = "No edit can reach it"
        return ObservedFile(path, before, after, why)

    def _counts(self, path: str) -> bool:
        """Return whether a file counts as changed: not a cache, nor one of Holdfast's own."""
        if self._is_cache(path):
            return False
        return path.split("/", maxsplit=1)[0] not in self._ours

    def _why_not_kept(self, versions: FileVersions, vanished: Collection[bytes]) -> str:
        """Return why a change cannot keep this file; "" if it can."""
        for version in (versions.before, versions.after):
            why = _why_no_data(version)
            if why:
                return why

        if self._was_ignored(versions, vanished):
            return "It was there before, and ignored by git"

        return ""

    def _was_ignored(self, versions: FileVersions, vanished: Collection[bytes]) -> bool:
        """Return whether a new file is older than the last look: then only git's rules changed.

        Not so if the file is one that vanished elsewhere: who moves a folder changes no file in it.
        """
        if versions.before is not None:
            return False
        if versions.after is not None and versions.after.data in vanished:
            return False
        if versions.changed_at == 0:
            # Made, captured, and gone again.
            return False
        return versions.changed_at < self._looked_at - _CLOCK_STEP

    def _can_be_swapped(self, path: str, versions: FileVersions) -> bool:
        """Return whether a file can be written at this path; it may have changed once more."""
        files = self._workspace.files
        after = versions.after
        if after is not None and after.shape == "link":
            target = files.link(path)
            if target is not None:
                return True

        looked = files.look(path)
        if isinstance(looked, FileUnfit):
            return False

        return looked.at == path

    def _since_left(
        self, path: str, left: LeftFile, difference: ObservedFile | None
    ) -> ObservedFile | None:
        """Return how a file differs from what a change has left; None if it does not.

        `difference` is how it differs from the last snapshot.
        """
        present = self._present(path)
        mode = _mode_left(left, difference, present)
        if digest_of(present) == left.digest:
            if present is None or present.mode == mode or not self._counts(path):
                return None
            return ObservedFile(path, Content(present.data, mode), present)

        if not self._counts(path):
            return None
        if not left.digest:
            return ObservedFile(path, None, present)

        before = self._content_left(path, left)
        if before is None:
            return ObservedFile(path, Content(b""), present, "The text before is not on record")
        if not before.is_link:
            before = Content(before.data, mode)

        return ObservedFile(path, before, present)

    def _present(self, path: str) -> Content | None:
        """Return what is at a path now, None for no file; below a symlink there is none."""
        target = self._workspace.files.link(path)
        if target is not None:
            return Content(target, LINK)

        looked = self._workspace.files.look(path)
        if isinstance(looked, FileFound) and looked.at == path:
            return Content(looked.data, looked.mode)

        return None

    def _content_left(self, path: str, left: LeftFile) -> Content | None:
        """Return the content that a change has left; None if no record has it any more.

        An undo below later edits leaves a text that is neither of the two in its change.
        """
        try:
            change = self._workspace.log.get(left.change_id)
        except LogUnavailable as error:
            self.problem = str(error)
            return None
        if change is None:
            return None

        for swap in change.plan.swaps:
            if swap.path != path:
                continue
            for content in (swap.after, swap.before):
                if digest_of(content) == left.digest:
                    return content

        return None

    # -------------------------------------------------------------------------------------- record

    def _record(self, differences: Sequence[ObservedFile], by: Author) -> Observed:
        """Record the differences: first what is not kept, so that an undo begins with what is."""
        sorted_out = sort_out(differences)
        paths = sorted_out.paths
        self.paths.add(paths, by)
        if not self._may_record:
            return Observed(sorted_out.digests(), paths)

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

        modes_before, modes_after = self._modes
        return self._published(
            lambda: observe_difference(
                before,
                after,
                self._workspace,
                owner=self._owner,
                by=by,
                is_secret=self._is_secret,
                modes_before=modes_before,
                modes_after=modes_after,
            )
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


def _below(prefix: str, modes: Mapping[str, int]) -> dict[str, int]:
    """Return the permissions of the directories below a root, by their paths there."""
    return {
        path.removeprefix(prefix): mode for path, mode in modes.items() if path.startswith(prefix)
    }


def _mode_left(
    left: LeftFile, difference: ObservedFile | None, present: Content | None
) -> int | None:
    """Return the mode that a change has left: its own, else that of the file before it."""
    if left.mode is not None:
        return left.mode
    if difference is not None and difference.before is not None and not difference.before.is_link:
        return difference.before.mode
    if present is not None:
        return present.mode
    return None


def _why_no_data(version: FileVersion | None) -> str:
    """Return why the snapshot has no content of this version of a file; "" if it has."""
    if version is None:
        return ""
    if version.shape == "other":
        return "It is a repository of its own"
    if version.data is None:
        return f"It has {version.size} bytes"

    return ""


def _reshaped(versions: Iterable[FileVersions]) -> frozenset[str]:
    """Return the files that are gone where a directory with new files is, or a new file above."""
    gone: set[str] = set()
    made: set[str] = set()
    made_in: set[str] = set()
    for each in versions:
        if each.after is None:
            gone.add(each.path)
        elif each.before is None:
            made.add(each.path)
            made_in.update(directories_above(each.path))

    below_new = {path for path in gone if not made.isdisjoint(directories_above(path))}
    return frozenset(gone & made_in | below_new)


def _vanished_contents(versions: Iterable[FileVersions]) -> frozenset[bytes]:
    """Return the contents of the files that are gone."""
    contents = set()
    for each in versions:
        if each.after is None and each.before is not None and each.before.data is not None:
            contents.add(each.before.data)
    return frozenset(contents)
