"""The snapshot: bring the private index up to date with the disk, and give its tree."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from holdfast.adapters.git.file_modes import noted
from holdfast.adapters.git.git_command import Git, GitFailed, Running, names, text
from holdfast.adapters.git.private_index import PrivateIndex, signature
from holdfast.adapters.git.repository import Repository
from holdfast.adapters.git.worktree_files import WorktreeFiles, refuse_without_room
from holdfast.checkpoints.checkpoint import Skipped, WorktreeState
from holdfast.checkpoints.limits import MEGABYTE, SnapshotLimits
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.checkpoints.selection import Listing, Selection, select

Say = Callable[[str], None]

# How many changed files, and megabytes of them, are captured before it is known whether it is too much.
_LITTLE = 100
# What git says of a directory whose files it cannot list, and then goes on. (`calls` has it speak English.)
_CLOSED = re.compile(r"^warning: could not open directory '(.+)/': ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ahead:
    """What was captured ahead of the rest, and the tree with it."""

    selection: Selection
    tree: str


class Snapshot:
    """Takes the tree of one worktree, under its lock."""

    def __init__(
        self,
        place: Repository,
        git: Git,
        index: PrivateIndex,
        budget: SnapshotLimits,
        say: Say,
        *,
        asked: Running | None,
    ) -> None:
        """Join what it works with; `asked` is an `ask_settings` that is under way."""
        self._asked = asked
        self._place = place
        self._git = git
        self._index = index
        self._budget = budget
        self._say = say
        self._disk = WorktreeFiles(place.root)

    def take(self) -> WorktreeState:
        """Give the files as they are now; a private index that cannot be used is made anew, once."""
        try:
            return self._take()
        except GitFailed:
            self._index.forget()
        return self._take()

    def _take(self) -> WorktreeState:
        self._index.read_at = time.time_ns()
        rules, sparse = self._rules()
        seeded = self._index.prepare(sparse=sparse)
        self._say("looking for changed files")
        others = self._index.git.start("ls-files", "-o", "--exclude-standard", "-z").in_background()
        changed = self._changed()
        real, staged = self._staged()
        ahead = (
            None if seeded or self._must_sift(changed, rules, staged) else self._run_ahead(changed)
        )
        listing = replace(Listing() if ahead else changed, new=names(others.finish()))
        stale: tuple[str, ...] = ()
        if not seeded and self._must_sift(listing, rules, staged):
            # Before anything else is written: if we die now, the changed rules are still seen as changed next time.
            listing, stale = self._sift(listing)
        selection = self._select(listing, stale)
        skipped = self._all_skipped(selection, others.told)
        self._refuse_if_too_much(selection)
        if selection.take:
            self._say(f"capturing {len(selection.take)} files")
        state = self._index.state
        self._index.update(selection.drop, selection.take)
        seen = [*self._known_modes(), *(ahead.selection.modes if ahead else ()), *selection.modes]
        modes = noted(state.modes, [*seen, *((path, None) for path in selection.drop)])
        tree = self._known_tree(selection, ahead) or self._index.tree()
        self._index.set_back()
        self._index.save(
            index=signature(self._index.file) or [],
            tree=tree,
            held=state.held and tree == state.tree,
            real=real,
            staged=staged,
            rules=rules,
            settled=True,
            modes=modes,
            pipes=[each.path for each in skipped if each.why == "not a file"],
        )
        head = self._place.head
        return WorktreeState(tree, head.commit, head.branch, staged, skipped, modes)

    def _known_tree(self, selection: Selection, ahead: Ahead | None) -> str | None:
        """Give the tree, if nothing has been captured since it was written."""
        if selection.drop or selection.take:
            return None
        if ahead:
            return ahead.tree
        state = self._index.state
        return state.tree if state.held and self._index.fits() else None

    def _known_modes(self) -> list[tuple[str, int | None]]:
        """Look at the private files once more: git does not see a chmod in the second of the last snapshot."""
        looks = [(path, self._disk.inspect(path)) for path in self._index.state.modes]
        return [(path, look.mode if look.shape == "file" else None) for path, look in looks]

    # ------------------------------------------------------------------------------------------------------- looking

    def _changed(self) -> Listing:
        raw = self._index.git.run(
            "diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=all"
        )
        return Listing(*read_raw(raw))

    def _run_ahead(self, changed: Listing) -> Ahead | None:
        """Capture what changed while git still looks for new files; None unless it is little, and plain files only.

        If we die after this, what changed is in the index and unknown to the state, as after a death in `update`.
        """
        if not changed.changed or changed.gone or len(changed.changed) > _LITTLE:
            return None
        selection = select(changed, self._disk, self._budget.new_file)
        if selection.drop or selection.size > _LITTLE * MEGABYTE:
            return None
        self._refuse_if_too_much(selection)
        self._index.update((), selection.take)
        return Ahead(selection, self._index.tree())

    def _rules(self) -> tuple[list[Any], bool]:
        """Tell one state of the ignore rules outside the worktree from another; and whether the checkout is sparse."""
        asked, self._asked = self._asked or ask_settings(self._git), None
        settings: dict[str, str] = {}
        for entry in names(asked.finish(fine=(0, 1))):
            name, _, value = entry.partition("\n")
            settings[name] = value
        home = os.environ.get("XDG_CONFIG_HOME") or f"{os.environ.get('HOME', '')}/.config"
        excludes = settings.get("core.excludesfile") or f"{home}/git/ignore"
        sparse = settings.get("core.sparsecheckout", "false").lower() in {
            "true",
            "yes",
            "on",
            "1",
            "",
        }
        sparse = sparse and not self._place.private
        info = self._place.common_dir / "info"
        rules = [excludes, signature(Path(excludes)), signature(info / "exclude")]
        if sparse:
            rules.append(signature(self._place.git_dir / "info" / "sparse-checkout"))
        return rules, sparse

    def _staged(self) -> tuple[list[int] | None, str | None]:
        real = self._index.real_signature()
        if real == self._index.state.real:
            return real, self._index.state.staged
        return real, self._index.staged_tree()

    # ------------------------------------------------------------------------------------------------------- sifting

    def _must_sift(self, listing: Listing, rules: list[Any], staged: str | None) -> bool:
        """Whether other files may be ignored now than last time."""
        state = self._index.state
        merging = staged is None and self._index.real_signature() is not None
        if not state.settled or rules != state.rules or merging or staged != state.staged:
            return True
        seen = listing.changed + listing.gone + listing.new
        return any(path.rpartition("/")[2] == ".gitignore" for path in seen)

    def _sift(self, listing: Listing) -> tuple[Listing, tuple[str, ...]]:
        """Find the files that are ignored by now, and those that are but that the user has added all the same."""
        theirs, ours = self._index.ignored()
        stale = ours - theirs
        added = tuple(
            path for path in sorted(theirs - ours) if self._disk.inspect(path).shape != "absent"
        )
        return (
            Listing(
                tuple(path for path in listing.changed if path not in stale),
                tuple(path for path in listing.gone if path not in stale),
                listing.new + added,
            ),
            tuple(sorted(stale)),
        )

    def _select(self, listing: Listing, stale: tuple[str, ...]) -> Selection:
        selection = select(listing, self._disk, self._budget.new_file)
        large = [each.path for each in selection.skipped if each.why == "too large"]
        # What the user tracks is not new, however large it has become.
        tracked = self._index.tracked(large)
        if tracked:
            selection = select(listing, self._disk, self._budget.new_file, tracked)
        return replace(selection, drop=stale + selection.drop) if stale else selection

    def _all_skipped(self, selection: Selection, told: str) -> tuple[Skipped, ...]:
        """Add what git has no name for in its lists: pipes that were told before, directories that cannot be read."""
        known = {each.path for each in selection.skipped}
        pipes = [
            path for path in self._index.state.pipes if path not in known and self._is_pipe(path)
        ]
        closed = [
            path for path in _CLOSED.findall(told) if self._disk.inspect(path).shape == "directory"
        ]
        return (
            *selection.skipped,
            *(Skipped(path, "not a file") for path in pipes),
            *(Skipped(path, "unreadable") for path in closed),
        )

    def _is_pipe(self, path: str) -> bool:
        return self._disk.inspect(path).shape == "other" and not self._disk.is_beyond_link(path)

    def _refuse_if_too_much(self, selection: Selection) -> None:
        cure = "ignore what need not be kept (.gitignore)"
        if selection.size > self._budget.new_bytes:
            raise CheckpointFailed(
                f"{selection.size // MEGABYTE} MB in {len(selection.take)} files would have to be captured; {cure}, "
                "and try again."
            )
        refuse_without_room(
            self._place.ours,
            selection.size,
            self._budget.reserve,
            "captured",
            f"make room, or {cure}",
        )


def ask_settings(git: Git) -> Running:
    """Begin to ask for the settings that a snapshot needs."""
    asked = (
        "config",
        "-z",
        "--type=path",
        "--get-regexp",
        r"^core\.(excludesfile|sparsecheckout)$",
    )
    return git.start(*asked).in_background()


def read_raw(data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read `diff-files --raw -z`: the paths that changed, and those that are gone."""
    fields = data.split(b"\0")
    changed: dict[str, None] = {}
    gone: dict[str, None] = {}
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        (gone if head.endswith(b"D") else changed)[text(path)] = None
    return tuple(changed), tuple(path for path in gone if path not in changed)
