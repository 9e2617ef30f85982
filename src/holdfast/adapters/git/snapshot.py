"""Take a snapshot: update the private index from the disk, and return its tree."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.disk.inner_repositories import digest_repositories
from holdfast.adapters.git.disk.left_out_folders import LeftOutFolders
from holdfast.adapters.git.disk.worktree_directories import (
    ScannedDirectories,
    UnchangedDirectories,
    WorktreeDirectories,
)
from holdfast.adapters.git.file_modes import update_modes, usual_mode, usual_modes
from holdfast.adapters.git.git_command import Git, GitFailed, join_names, to_text
from holdfast.adapters.git.index_seed import (
    NOTHING_SEEDED,
    SeededIndex,
    find_converted,
    link_user_objects,
    seed_index,
)
from holdfast.adapters.git.objects.index_file import changed_entries
from holdfast.adapters.git.private_index import PrivateIndex, UpdatedIndex
from holdfast.adapters.git.user_repository import signature
from holdfast.adapters.git.worktree_files import WorktreeFiles, is_named, refuse_without_space
from holdfast.checkpoints.checkpoint import Skipped, SkipReason, WorktreeState
from holdfast.checkpoints.ignored_files import IgnoredChoice, choose_ignored
from holdfast.checkpoints.limits import MEGABYTE, SnapshotLimits, is_cache
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.checkpoints.selection import Listing, Selection, select
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from holdfast.adapters.git.repository import PrivateRepository
    from holdfast.checkpoints.ports import FileInfo

ReportProgress = Callable[[str], None]

_STATUS = (
    "status",
    "--porcelain=v2",
    "-z",
    "--no-renames",
    "--ignore-submodules=all",
    "-uall",
    "--ignored=matching",
)
# Unlike `status` it writes no index; so it lists files too of which only the stat data changed.
_DIFF_FILES = ("diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=all")
# Of more files than this, `status` finds out faster which of them have changed in content.
_FEW = 200
_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Captured:
    """What a snapshot takes, with the ignored files among it, and what it skips.

    `uncaptured` is what git would list the next time; None if only git can tell.
    """

    selection: Selection
    ignored: dict[str, int]
    skipped: tuple[Skipped, ...]
    uncaptured: Listing | None


class Snapshot:
    """Snapshots of one worktree, under its lock."""

    def __init__(
        self,
        repository: PrivateRepository,
        git: Git,
        index: PrivateIndex,
        limits: SnapshotLimits,
        report: ReportProgress,
        *,
        excluded: Iterable[str] = (),
    ) -> None:
        """Leave the paths in `excluded`, which belong to Holdfast, out of the ignored files."""
        self._repository = repository
        self._git = git
        self._index = index
        self._limits = limits
        self._report = report
        self._excluded = frozenset(excluded)
        self._disk = WorktreeFiles(repository.root, self._excluded, limits.ignored.folders)
        cache = repository.git_dir / "holdfast-directories"
        self._directories = WorktreeDirectories(repository.root, cache, self._excluded)
        self._folders = LeftOutFolders(repository.root, repository.git_dir / "holdfast-folders")
        self._ignored_file = repository.git_dir / "holdfast-ignored"

    def take(self) -> WorktreeState:
        """Return the files as they are now; seed the private index again if it is damaged."""
        try:
            return self._take()
        except GitFailed:
            self._index.forget()
        return self._take()

    def _take(self) -> WorktreeState:
        self._index.read_at = time.time_ns()
        is_known = self._index.matches_state() and self._index.state.held
        rules = self._read_rules()
        seeded = None
        if not self._index.can_reuse():
            seeded = seed_index(self._repository, self._index)

        user_signature, staged, intended = self._staged()
        self._report("looking for changed files")
        listing, unchanged, touched = self._list(rules, staged, is_new=seeded is not None)
        if seeded is not None:
            listing = self._with_converted(listing)

        kept = self._read_ignored()
        listing, kept, now_plain = self._classify(
            listing, rules, staged, kept, is_new=seeded is not None
        )
        captured = self._choose(listing, kept, now_plain)
        scanned = self._scan(captured, unchanged)
        uncaptured = captured.uncaptured
        if not scanned.is_complete:
            uncaptured = None

        captured = self._with_unlisted(captured, scanned)
        self._refuse_if_too_large(captured.selection)
        if captured.selection.take:
            self._report(f"capturing {len(captured.selection.take)} files")

        updated = self._update(captured.selection, is_known=is_known)
        again = {path: self._disk.inspect(path) for path in self._to_inspect(touched)}
        usual, modes = self._modes(captured.selection, updated, again, seeded, scanned)
        recent = self._recent(updated, again, seeded)
        self._index.set_back()
        self._write_ignored(kept, captured.ignored)
        state = self._index.state
        self._index.save(
            index=self._index.signature(),
            tree=updated.tree,
            held=state.held and updated.tree == state.tree,
            real=user_signature,
            staged=staged,
            intended=intended,
            rules=rules,
            settled=True,
            usual=usual,
            modes=modes,
            recent=recent,
            pipes=_paths_skipped(captured.skipped, "not a file"),
        )
        self._directories.save(uncaptured)
        return self._state(updated.tree, staged, captured, scanned)

    def _state(
        self, tree: str, staged: str | None, captured: Captured, scanned: ScannedDirectories
    ) -> WorktreeState:
        state = self._index.state
        nested = _paths_skipped(captured.skipped, "nested repository")
        # A folder with captured files that has become a repository is not skipped.
        repositories = dict.fromkeys((*state.gitlinks, *nested, *scanned.repositories))
        inner = digest_repositories(repositories, self._disk, self._git.deadline)
        # Git lists no file in the place of a submodule that is not filled.
        filled = [
            path for path in state.gitlinks if path in inner or self._disk.count_entries(path)
        ]
        submodules = [Skipped(path, "submodule") for path in filled]
        head, user = self._repository.head, self._repository.user
        return WorktreeState(
            tree,
            head.commit,
            head.branch,
            None,
            (*self._with_stamps(captured.skipped), *submodules),
            state.modes,
            tuple(state.usual),
            scanned.unusual(state.usual[2]),
            tuple(scanned.empty),
            inner,
            keeps_ignored=True,
            sparse=user is not None and user.is_sparse,
            staged_tree=staged,
            intended=tuple(state.intended),
        )

    def _with_stamps(self, skipped: Sequence[Skipped]) -> list[Skipped]:
        """Return what is skipped so that a restore can name it if it has changed or is gone."""
        folders = [each.path for each in skipped if self._is_counted(each)]
        files, counted_at = self._folders.count(folders, self._index.resolution())
        stamped: list[Skipped] = []
        for each in skipped:
            info = self._disk.inspect(each.path)
            if each.path in files:
                stamped.append(replace(each, files=files[each.path], counted_at=counted_at))
            elif each.path in folders:
                stamped.append(replace(each, files=-1))
            elif info.shape == "file":
                stamped.append(replace(each, stamp=f"{info.size} {info.changed_at}"))
            else:
                stamped.append(each)

        return stamped

    def _is_counted(self, skipped: Skipped) -> bool:
        """Return whether the files of what is skipped are counted: an ignored directory."""
        if not skipped.why.startswith("ignored") or is_cache(skipped.path):
            return False
        if skipped.path.endswith("/"):
            return False
        return self._disk.inspect(skipped.path).shape == "directory"

    # ------------------------------------------------------------------------------ what changed

    def _list(
        self, rules: list[Any], staged: str | None, *, is_new: bool
    ) -> tuple[Listing, UnchangedDirectories | None, tuple[str, ...]]:
        """Return what changed, the directories if none did, and the files of which only stat did.

        Where no directory and no rule has changed, there is no new file to look for.
        """
        if not is_new and not self._have_rules_changed(rules, staged):
            unchanged = self._directories.recheck()
            changed = None if unchanged is None else self._changed_files()
            if unchanged is not None and changed is not None:
                return replace(unchanged.uncaptured, changed=changed), unchanged, ()

        before = self._index.file.with_name("index.before")
        atomic_write.drop(before)
        with suppress(FileNotFoundError):
            os.link(self._index.file, before)

        known = signature(before)
        listing = self._with_replaced(self._query())
        touched: tuple[str, ...] = ()
        if known is not None and not is_new:
            touched = self._find_touched(before, known)

        atomic_write.drop(before)
        return listing, None, touched

    def _changed_files(self) -> tuple[str, ...] | None:
        """Return the captured files whose stat data changed, to be read again.

        Return None where `status` has to look: for many files, for those that are gone, and where
        other files may be ignored now.
        """
        fields = self._index.git.run(*_DIFF_FILES).split(b"\0")
        changed = tuple(map(to_text, fields[1::2]))
        is_gone = any(each.endswith(b"D") for each in fields[::2])
        if is_gone or len(changed) > _FEW or _has_rules(changed):
            return None
        return changed

    def _with_replaced(self, listing: Listing) -> Listing:
        """Return the listing, with what is in directories that have replaced files.

        Git lists no ignored file below a name that the index has.
        """
        replaced = [path for path in listing.gone if self._is_directory(path)]
        if not replaced:
            return listing

        stdin = join_names(replaced)
        self._index.git.run("update-index", "--force-remove", "-z", "--stdin", stdin=stdin)
        again = self._query()
        return replace(again, gone=(*again.gone, *replaced))

    def _is_directory(self, path: str) -> bool:
        return self._disk.inspect(path).shape == "directory" and not self._disk.is_beyond_link(path)

    def _query(self) -> Listing:
        """Return what git lists; it writes the stat data of unchanged files to the index."""
        git = self._index.git.with_variables(optional_locks="1")
        return parse_status(git.run(*_STATUS))

    def _find_touched(self, before: Path, known: list[int]) -> tuple[str, ...]:
        """Return the files that are unchanged but for their stat data.

        Git writes the stat data of such files to the index. If it did, they are those whose entries
        differ from the index as it was before.
        """
        if _is_same_file(known, signature(self._index.file)):
            return ()
        changed = changed_entries(before.read_bytes(), self._index.load())
        return tuple(to_text(path) for path in changed)

    def _with_converted(self, listing: Listing) -> Listing:
        """Return the listing with all files of which the user's blob may not be the bytes."""
        deadline = self._git.deadline or 0.0
        listed = {*listing.changed, *listing.gone, *listing.new}
        converted = find_converted(self._repository, self._index, self._disk, listing.new, deadline)
        return replace(listing, changed=listing.changed + _without(converted, listed))

    def _read_rules(self) -> list[Any]:
        """Return a signature of the ignore rules outside the worktree, and copy the user's own."""
        user = self._repository.user
        if user is None:
            return []

        exclude = user.common_dir / "info" / "exclude"
        rules = [str(user.excludes_file), signature(user.excludes_file), signature(exclude)]
        if rules != self._index.state.rules:
            data = b""
            with suppress(OSError):
                data = exclude.read_bytes()
            atomic_write.put(self._repository.git_dir / "info" / "exclude", data, sync=False)

        return rules

    def _staged(self) -> tuple[list[int] | None, str | None, list[str]]:
        """Return the signature of the user's index, its tree, and the files of `git add -N`."""
        state = self._index.state
        user_signature = self._index.user_signature()
        if user_signature == state.real:
            return user_signature, state.staged, state.intended

        staged, intended = self._index.staged()
        if staged != state.staged:
            link_user_objects(self._repository)

        return user_signature, staged, intended

    # ------------------------------------------------------------------------------ ignore rules

    def _classify(
        self,
        listing: Listing,
        rules: list[Any],
        staged: str | None,
        kept: dict[str, int] | None,
        *,
        is_new: bool,
    ) -> tuple[Listing, dict[str, int], tuple[str, ...]]:
        """Return the listing, the ignored files in the index, and files that are ignored since.

        Of the last, which are in the index too, the budget decides whether they stay.
        """
        if is_new:
            return listing, {}, ()
        if kept is not None and not self._may_ignore_others(listing, rules, staged):
            return listing, kept, ()

        tracked, private = self._index.ignored()
        ignored = private - tracked
        known = {path: size for path, size in (kept or {}).items() if path in ignored}
        listed = {*listing.changed, *listing.gone}
        since = sorted(ignored - known.keys() - listed)
        forced = [path for path in sorted(tracked - private) if self._exists(path)]
        hidden = _without(listing.ignored, forced)
        listing = replace(listing, new=(*listing.new, *forced), ignored=hidden)
        for path in ignored & listed:
            known.setdefault(path, 0)

        return listing, known, tuple(since)

    def _may_ignore_others(self, listing: Listing, rules: list[Any], staged: str | None) -> bool:
        """Return whether other files may be ignored now than in the last snapshot."""
        if self._have_rules_changed(rules, staged):
            return True
        return _has_rules(listing.changed + listing.gone + listing.new + listing.ignored)

    def _have_rules_changed(self, rules: list[Any], staged: str | None) -> bool:
        """Return whether what is not in the worktree makes git ignore other files now."""
        state = self._index.state
        if not state.settled or rules != state.rules or staged != state.staged:
            return True
        # During a merge nothing is known to be staged.
        return staged is None and self._index.user_signature() is not None

    def _exists(self, path: str) -> bool:
        return self._disk.inspect(path).shape != "absent"

    # ------------------------------------------------------------------------------------ choice

    def _choose(self, listing: Listing, kept: dict[str, int], since: tuple[str, ...]) -> Captured:
        """Return what to capture; ignored files by their own budget."""
        changed_kept = [path for path in listing.changed if path in kept]
        stays = dict(kept)
        for path in (*changed_kept, *listing.gone):
            stays.pop(path, None)

        candidates = (*listing.ignored, *changed_kept, *since)
        choice = choose_ignored(candidates, stays, self._limits.ignored, self._disk)
        plain = replace(listing, changed=_without(listing.changed, kept))
        selection = self._select(plain)
        dropped = [path for path in (*changed_kept, *since) if path not in choice.take]
        taken = _without(choice.take, since)
        selection = replace(
            selection,
            drop=(*selection.drop, *dropped),
            take=(*selection.take, *taken),
            size=selection.size + sum(choice.take[path] for path in taken),
        )
        skipped = (*selection.skipped, *_named_once(choice, selection.skipped))
        uncaptured = self._uncaptured(selection, choice)
        return Captured(selection, {**stays, **choice.take}, skipped, uncaptured)

    def _uncaptured(self, selection: Selection, choice: IgnoredChoice) -> Listing | None:
        """Return what git would list the next time: what is skipped now."""
        if any(each.path.endswith("/") for each in choice.skipped):
            # A summary of many files, which only git can list.
            return None
        new = [self._as_listed(each.path) for each in selection.skipped]
        ignored = [self._as_listed(each.path) for each in choice.skipped]
        return Listing((), (), tuple(new), tuple(ignored))

    def _as_listed(self, path: str) -> str:
        """Return a path as git lists it: a directory with a slash."""
        if self._disk.inspect(path).shape == "directory":
            return f"{path}/"
        return path

    def _select(self, listing: Listing) -> Selection:
        selection = select(listing, self._disk, self._limits.new_file)
        too_large = _paths_skipped(selection.skipped, "too large")
        # What the user tracks is not new, so the limit does not apply.
        tracked = self._index.tracked(too_large)
        if not tracked:
            return selection

        return select(listing, self._disk, self._limits.new_file, tracked)

    def _scan(
        self, captured: Captured, unchanged: UnchangedDirectories | None
    ) -> ScannedDirectories:
        """Return the directories but those of skipped files, whose permissions are not kept.

        A directory that was skipped before has to be read first, although it has not changed.
        """
        if unchanged is not None and unchanged.uncaptured == captured.uncaptured:
            return unchanged.scanned
        skipped = [each.path for each in captured.skipped]
        left_out = [*skipped, *self._index.state.gitlinks]
        return self._directories.scan(left_out, self._index.newer_than())

    def _with_unlisted(self, captured: Captured, scanned: ScannedDirectories) -> Captured:
        """Add what git does not list: pipes, sockets, devices, and unreadable directories."""
        listed = {each.path for each in captured.skipped}
        special = dict.fromkeys((*self._index.state.pipes, *scanned.special))
        unlisted = _without(special, listed)
        pipes = [Skipped(path, "not a file") for path in unlisted if self._is_pipe(path)]
        unreadable = sorted(set(scanned.unreadable) - listed)
        closed = [Skipped(path, "unreadable") for path in unreadable]
        return replace(captured, skipped=(*captured.skipped, *pipes, *closed))

    def _is_pipe(self, path: str) -> bool:
        return self._disk.inspect(path).shape == "other" and not self._disk.is_beyond_link(path)

    def _refuse_if_too_large(self, selection: Selection) -> None:
        cure = "ignore what need not be kept (.gitignore)"
        if selection.size > self._limits.new_bytes:
            raise CheckpointFailed(
                f"{selection.size // MEGABYTE} MB in {len(selection.take)} files would have to be "
                f"captured; {cure}, and try again."
            )

        refuse_without_space(
            self._repository.git_dir,
            selection.size,
            self._limits.reserve,
            "captured",
            f"make room, or {cure}",
        )

    # ------------------------------------------------------------------------------- tree, modes

    def _update(self, selection: Selection, *, is_known: bool) -> UpdatedIndex:
        """Capture what is selected; the tree is the last one, if nothing is."""
        tree = self._index.state.tree
        if tree is None or not is_known or selection.drop or selection.take:
            return self._index.update(selection.drop, selection.take)
        return UpdatedIndex(tree, {})

    def _to_inspect(self, touched: Iterable[str]) -> set[str]:
        """Return the files whose permissions may differ although their content does not.

        Those with a stored mode, and those that had just changed.
        """
        state = self._index.state
        return {*state.modes, *state.recent, *touched}

    def _modes(
        self,
        selection: Selection,
        updated: UpdatedIndex,
        again: Mapping[str, FileInfo],
        seeded: SeededIndex | None,
        scanned: ScannedDirectories,
    ) -> tuple[list[int], dict[str, int]]:
        """Return the usual modes, and the modes of all other files."""
        state = self._index.state
        seeded_modes = (seeded or NOTHING_SEEDED).by_permissions
        usual = state.usual
        if not usual:
            counted = Counter({mode: len(paths) for mode, paths in seeded_modes.items()})
            counted.update(file.permissions for file in updated.files.values() if file.permissions)
            usual = usual_modes(counted, scanned.most_common())

        seen: list[tuple[str, int | None]] = []
        for mode, paths in seeded_modes.items():
            if mode != usual_mode(usual, executable=bool(mode & 0o100)):
                seen += [(to_text(path), mode) for path in paths]

        seen += [(path, info.file_mode) for path, info in again.items()]
        seen += [(path, file.permissions) for path, file in updated.files.items()]
        seen += [(path, None) for path in selection.drop]
        return usual, update_modes(state.modes, seen, usual)

    def _recent(
        self,
        updated: UpdatedIndex,
        again: Mapping[str, FileInfo],
        seeded: SeededIndex | None,
    ) -> list[str]:
        """Return the files that changed in the second of this snapshot: see `IndexState`."""
        second = self._index.newer_than() // _SECOND * _SECOND
        changed = {path: info.changed_at for path, info in again.items()}
        changed.update({path: file.changed_at for path, file in updated.files.items()})
        recent = dict.fromkeys((seeded or NOTHING_SEEDED).recent)
        for path, changed_at in changed.items():
            if changed_at >= second:
                recent[path] = None

        return list(recent)

    # ----------------------------------------------------------------------------- ignored files

    def _read_ignored(self) -> dict[str, int] | None:
        """Return the ignored files in the index with their sizes; None if that is not known."""
        try:
            fields = json.loads(self._ignored_file.read_bytes())
            return {str(path): int(size) for path, size in fields.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return None

    def _write_ignored(self, before: dict[str, int], ignored: dict[str, int]) -> None:
        if before != ignored or not self._ignored_file.exists():
            data = json.dumps(ignored).encode("ascii")
            atomic_write.put(self._ignored_file, data, sync=False)


def parse_status(data: bytes) -> Listing:
    """Parse the output of `status --porcelain=v2 -z`."""
    changed: list[str] = []
    gone: list[str] = []
    new: list[str] = []
    ignored: list[str] = []
    for entry in data.split(b"\0"):
        kind = entry[:2]
        if kind == b"1 ":
            fields = entry.split(b" ", 8)
            letter = fields[1][1:]
            if letter == b"D":
                gone.append(to_text(fields[8]))
            elif letter != b".":
                changed.append(to_text(fields[8]))
        elif kind == b"u ":
            changed.append(to_text(entry.split(b" ", 10)[10]))
        elif kind == b"? ":
            new.append(to_text(entry[2:]))
        elif kind == b"! ":
            ignored.append(to_text(entry[2:]))

    return Listing(tuple(changed), tuple(gone), tuple(new), tuple(ignored))


def _is_same_file(before: list[int], after: list[int] | None) -> bool:
    """Return whether a file was not replaced; its second time changes with the number of links."""
    return after is not None and [before[0], *before[2:]] == [after[0], *after[2:]]


def _has_rules(paths: Iterable[str]) -> bool:
    return any(is_named(path, ".gitignore") for path in paths)


def _named_once(choice: IgnoredChoice, skipped: Iterable[Skipped]) -> list[Skipped]:
    known = {each.path for each in skipped}
    return [each for each in choice.skipped if each.path not in known]


def _without(paths: Iterable[str], excluded: Collection[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if path not in excluded)


def _paths_skipped(skipped: Iterable[Skipped], reason: SkipReason) -> list[str]:
    return [each.path for each in skipped if each.why == reason]
