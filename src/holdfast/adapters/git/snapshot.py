"""Take a snapshot: update the private index from the disk, and return its tree."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.adapters.git.file_modes import update_modes
from holdfast.adapters.git.git_command import Git, GitFailed, GitProcess, split_names, to_text
from holdfast.adapters.git.private_index import PrivateIndex, signature
from holdfast.adapters.git.worktree_files import WorktreeFiles, is_named, refuse_without_space
from holdfast.checkpoints.checkpoint import Skipped, SkipReason, WorktreeState
from holdfast.checkpoints.limits import MEGABYTE, SnapshotLimits
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.checkpoints.selection import Listing, Selection, select

if TYPE_CHECKING:
    from holdfast.adapters.git.repository import GitRepository

ReportProgress = Callable[[str], None]

# The most changed files, and the most megabytes of them, that are captured early.
_EARLY = 100
# The warning of git for a directory whose files it cannot list; git then goes on. (`git_command`
# sets the language of git to English.)
_CLOSED = re.compile(r"^warning: could not open directory '(.+)/': ", re.MULTILINE)
_TRUE = {"true", "yes", "on", "1", ""}


@dataclass(frozen=True, slots=True)
class EarlyCapture:
    """Changed files that were captured while git still listed the new ones; `tree` has them."""

    selection: Selection
    tree: str


class Snapshot:
    """Snapshots of one worktree, under its lock."""

    def __init__(
        self,
        repository: GitRepository,
        git: Git,
        index: PrivateIndex,
        limits: SnapshotLimits,
        report: ReportProgress,
        *,
        settings_query: GitProcess | None,
    ) -> None:
        """Use a `start_settings_query` that is under way, if there is one."""
        self._settings_query = settings_query
        self._repository = repository
        self._git = git
        self._index = index
        self._limits = limits
        self._report = report
        self._disk = WorktreeFiles(repository.root)

    def take(self) -> WorktreeState:
        """Return the files as they are now; seed the private index again if it is damaged."""
        try:
            return self._take()
        except GitFailed:
            self._index.forget()
        return self._take()

    def _take(self) -> WorktreeState:
        self._index.read_at = time.time_ns()
        rules, sparse = self._read_rules()
        seeded = self._index.prepare(sparse=sparse)
        self._report("looking for changed files")
        query = ("ls-files", "-o", "--exclude-standard", "-z")
        new_files = self._index.git.start(*query).in_background()
        changed = self._changed()
        user_signature, staged = self._staged()
        early = None
        if not seeded and not self._may_ignore_others(changed, rules, staged):
            early = self._capture_early(changed)
        listing = replace(Listing() if early else changed, new=split_names(new_files.finish()))
        now_ignored: tuple[str, ...] = ()
        if not seeded and self._may_ignore_others(listing, rules, staged):
            # Before any write: after a crash here, the next command still finds the rules changed.
            listing, now_ignored = self._apply_ignore_rules(listing)
        selection = self._select(listing, now_ignored)
        skipped = self._all_skipped(selection, new_files.stderr)
        self._refuse_if_too_large(selection)
        if selection.take:
            self._report(f"capturing {len(selection.take)} files")
        state = self._index.state
        self._index.update(selection.drop, selection.take)
        modes = update_modes(state.modes, self._seen_modes(selection, early))
        tree = self._known_tree(selection, early) or self._index.tree()
        self._index.set_back()
        self._index.save(
            index=signature(self._index.file) or [],
            tree=tree,
            held=state.held and tree == state.tree,
            real=user_signature,
            staged=staged,
            rules=rules,
            settled=True,
            modes=modes,
            pipes=_paths_skipped(skipped, "not a file"),
        )
        head = self._repository.head
        return WorktreeState(tree, head.commit, head.branch, staged, skipped, modes)

    def _known_tree(self, selection: Selection, early: EarlyCapture | None) -> str | None:
        """Return the last tree, if nothing has been captured since it was written."""
        if selection.drop or selection.take:
            return None
        if early:
            return early.tree
        state = self._index.state
        if state.held and self._index.matches_state():
            return state.tree
        return None

    def _seen_modes(
        self, selection: Selection, early: EarlyCapture | None
    ) -> list[tuple[str, int | None]]:
        """Return the permissions of all paths that were read; later ones replace earlier ones.

        Files with a stored mode are read again: git misses a chmod in the second of the last
        snapshot.
        """
        stored = self._index.state.modes
        seen = [(path, self._disk.inspect(path).file_mode) for path in stored]
        if early:
            seen.extend(early.selection.modes)
        seen.extend(selection.modes)
        seen.extend((path, None) for path in selection.drop)
        return seen

    # ------------------------------------------------------------------------------ what changed

    def _changed(self) -> Listing:
        options = ("--raw", "-z", "--no-renames", "--ignore-submodules=all")
        return parse_raw_diff(self._index.git.run("diff-files", *options))

    def _capture_early(self, changed: Listing) -> EarlyCapture | None:
        """Capture what changed while git still lists new files.

        Return None, and capture nothing, unless only a few plain files changed. After a crash here
        the index has the changes and the state does not, as after a crash in `update`.
        """
        if not changed.changed or changed.gone or len(changed.changed) > _EARLY:
            return None
        selection = select(changed, self._disk, self._limits.new_file)
        if selection.drop or selection.size > _EARLY * MEGABYTE:
            return None
        self._refuse_if_too_large(selection)
        self._index.update((), selection.take)
        return EarlyCapture(selection, self._index.tree())

    def _read_rules(self) -> tuple[list[Any], bool]:
        """Return a signature of the ignore rules outside the worktree, and whether it is sparse."""
        query = self._settings_query or start_settings_query(self._git)
        self._settings_query = None
        settings: dict[str, str] = {}
        for entry in split_names(query.finish(ok_codes=(0, 1))):
            name, _, value = entry.partition("\n")
            settings[name] = value
        home = os.environ.get("XDG_CONFIG_HOME") or f"{os.environ.get('HOME', '')}/.config"
        excludes = settings.get("core.excludesfile") or f"{home}/git/ignore"
        info = self._repository.common_dir / "info"
        rules = [excludes, signature(Path(excludes)), signature(info / "exclude")]
        sparse = settings.get("core.sparsecheckout", "false").lower() in _TRUE
        if self._repository.private or not sparse:
            return rules, False
        rules.append(signature(self._repository.git_dir / "info" / "sparse-checkout"))
        return rules, True

    def _staged(self) -> tuple[list[int] | None, str | None]:
        """Return the signature of the user's index, and the tree that is staged there."""
        user_signature = self._index.user_signature()
        if user_signature == self._index.state.real:
            return user_signature, self._index.state.staged
        return user_signature, self._index.staged_tree()

    # ------------------------------------------------------------------------------ ignore rules

    def _may_ignore_others(self, listing: Listing, rules: list[Any], staged: str | None) -> bool:
        """Return whether other files may be ignored now than in the last snapshot."""
        state = self._index.state
        if not state.settled or rules != state.rules or staged != state.staged:
            return True
        merging = staged is None and self._index.user_signature() is not None
        if merging:
            return True
        paths = listing.changed + listing.gone + listing.new
        return any(is_named(path, ".gitignore") for path in paths)

    def _apply_ignore_rules(self, listing: Listing) -> tuple[Listing, tuple[str, ...]]:
        """Remove paths that are ignored now; add ignored paths that the user tracks.

        Return the listing without the first and with the second, and the first.
        """
        tracked, captured = self._index.ignored()
        now_ignored = captured - tracked
        added = [path for path in sorted(tracked - captured) if self._exists(path)]
        changed = _without(listing.changed, now_ignored)
        gone = _without(listing.gone, now_ignored)
        applied = Listing(changed, gone, (*listing.new, *added))
        return applied, tuple(sorted(now_ignored))

    def _exists(self, path: str) -> bool:
        return self._disk.inspect(path).shape != "absent"

    def _select(self, listing: Listing, now_ignored: tuple[str, ...]) -> Selection:
        selection = select(listing, self._disk, self._limits.new_file)
        too_large = _paths_skipped(selection.skipped, "too large")
        # What the user tracks is not new, so the limit does not apply.
        tracked = self._index.tracked(too_large)
        if tracked:
            selection = select(listing, self._disk, self._limits.new_file, tracked)
        if not now_ignored:
            return selection
        return replace(selection, drop=now_ignored + selection.drop)

    def _all_skipped(self, selection: Selection, stderr: str) -> tuple[Skipped, ...]:
        """Return the skipped paths, with those that git does not list.

        These are pipes that git listed before, and directories that cannot be read.
        """
        listed = {each.path for each in selection.skipped}
        unlisted = _without(self._index.state.pipes, listed)
        pipes = [Skipped(path, "not a file") for path in unlisted if self._is_pipe(path)]
        named = _CLOSED.findall(stderr)
        closed = [Skipped(path, "unreadable") for path in named if self._is_directory(path)]
        return (*selection.skipped, *pipes, *closed)

    def _is_directory(self, path: str) -> bool:
        return self._disk.inspect(path).shape == "directory"

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
            self._repository.holdfast_dir,
            selection.size,
            self._limits.reserve,
            "captured",
            f"make room, or {cure}",
        )


def start_settings_query(git: Git) -> GitProcess:
    """Start to read the settings that a snapshot needs."""
    pattern = r"^core\.(excludesfile|sparsecheckout)$"
    return git.start("config", "-z", "--type=path", "--get-regexp", pattern).in_background()


def parse_raw_diff(data: bytes) -> Listing:
    """Parse the output of `diff-files --raw -z`: paths that changed, and paths that are gone.

    During a merge git lists a path more than once.
    """
    fields = data.split(b"\0")
    # Dictionaries, as sets that keep the order.
    changed: dict[str, None] = {}
    deleted: dict[str, None] = {}
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        paths = deleted if head.endswith(b"D") else changed
        paths[to_text(path)] = None
    return Listing(tuple(changed), _without(deleted, changed))


def _without(paths: Iterable[str], excluded: Collection[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if path not in excluded)


def _paths_skipped(skipped: Iterable[Skipped], reason: SkipReason) -> list[str]:
    return [each.path for each in skipped if each.why == reason]
