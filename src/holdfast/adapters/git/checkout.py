"""The way back: compare the present tree with a checkpoint's, and have git check it out through the private index."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.file_modes import fitting, noted
from holdfast.adapters.git.filter_dry_run import FilterDryRun, ask_required, read_required
from holdfast.adapters.git.git_command import Git, GitFailed, Running, lines, names, raw, text
from holdfast.adapters.git.private_index import PrivateIndex, signature
from holdfast.adapters.git.repository import Repository
from holdfast.adapters.git.worktree_files import WorktreeFiles, refuse_without_room
from holdfast.checkpoints.checkpoint import WorktreeState
from holdfast.checkpoints.ports import Blocked, PreparedRestore, RestoreDone, RestoreFailed
from holdfast.checkpoints.restore_plan import (
    Difference,
    RestorePlan,
    TreeEntry,
    parents_of,
    plan_restore,
    removals,
)

# What git says when it has looked, and before it has written anything. (`calls` has it speak English.)
_REFUSED = re.compile(r"^error: (?:Entry|Updating|Untracked working tree file) '", re.MULTILINE)
# What it says of a file that it could not remove, and then goes on.
_LEFT = re.compile(r"^warning: unable to unlink '", re.MULTILINE)

_BLOCK = 4096
_NOTES = 64 * 1024


class TreeCheckout:
    """Finds and walks ways in one worktree, under its lock."""

    def __init__(self, place: Repository, git: Git, index: PrivateIndex, spare: int) -> None:
        """Join what it works with; so many bytes must be left free on the disk."""
        self._spare = spare
        self._place = place
        self._git = git
        self._index = index
        self._disk = WorktreeFiles(place.root)
        self._trial = FilterDryRun(place, git, index)
        self._required: Running | None = None

    # -------------------------------------------------------------------------------------------------------- finding

    def find(self, present: WorktreeState, target: WorktreeState) -> PreparedRestore | Blocked:
        """Compare, capture what lies in the way, and say where the way ends."""
        self._required = None if self._place.private else ask_required(self._git)
        absent = self._index.absent()
        differences = self.differences(present.tree, target.tree)
        hidden = self._hidden(differences, absent)
        planned = self._plan(differences, target, absent, hidden)
        if isinstance(planned, Blocked):
            return planned
        if planned.captures:
            present = self._capture(present, planned.captures)
            differences = self.differences(present.tree, target.tree)
            planned = self._plan(differences, target, absent, hidden)
            if isinstance(planned, Blocked):
                return planned
        keep = {each.path for each in planned.keep}
        writing = [each for each in differences if each.path not in keep]
        self._refuse_without_room(writing)
        tree = self._join(target.tree, planned.keep) if planned.keep else target.tree
        left = {each.path for each in target.skipped}
        newly_skipped = [each.path for each in present.skipped if each.path not in left]
        kept = [path for path in keep if path not in absent] + newly_skipped
        lost = [path for path in left if self._disk.inspect(path).shape == "absent"]
        return PreparedRestore(
            present,
            target,
            tree,
            writes=tuple(each.path for each in writing),
            arriving=frozenset(each.path for each in writing if each.before is None),
            kept=tuple(sorted(set(kept))),
            lost=tuple(sorted(lost)),
        )

    def differences(self, before: str, after: str) -> tuple[Difference, ...]:
        """Say which paths two trees do not agree on."""
        fields = self._git.run(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", before, after
        ).split(b"\0")
        return tuple(
            _difference(head.decode("ascii"), text(path))
            for head, path in zip(fields[::2], fields[1::2], strict=False)
        )

    def _refuse_without_room(self, writing: Sequence[Difference]) -> None:
        """Refuse before anything is written: a disk that is full halfway leaves no room to go back either."""
        oids = [each.after.oid for each in writing if each.after]
        asked = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        sizes = (
            self._git.run("cat-file", "--batch-check=%(objectsize)", given=asked) if oids else b""
        )
        index = signature(self._index.file) or [0, 0, 0]
        # Whole blocks, a directory for each file at worst, a new index, and what is written down about it.
        files = sum(-(-int(size) // _BLOCK) + 1 for size in sizes.split() if size.isdigit())
        needed = files * _BLOCK + index[2] + _NOTES
        refuse_without_room(self._place.root, needed, self._spare, "written", "make room")

    def _plan(
        self,
        differences: Sequence[Difference],
        target: WorktreeState,
        absent: frozenset[str],
        hidden: frozenset[str],
    ) -> RestorePlan | Blocked:
        ignored = self._ignored_by(differences)
        return plan_restore(differences, target.skipped, ignored, absent, self._disk, hidden=hidden)

    def _hidden(self, differences: Sequence[Difference], absent: frozenset[str]) -> frozenset[str]:
        """Name what was captured once, is ignored by now, and is not the user's to track.

        A snapshot sees a rule only in a `.gitignore` that it captures, and one may ignore itself.
        """
        there = [each.path for each in differences if each.before and each.path not in absent]
        asked = [path for path in there if not self._disk.is_beyond_link(path)]
        ignored = check_ignore(self._index.git, asked)
        return ignored - self._index.ignored()[0] if ignored else ignored

    def _capture(self, present: WorktreeState, paths: Sequence[str]) -> WorktreeState:
        """Have the undo point hold these too, whatever the ignore rules say."""
        self._index.update((), paths)
        tree = self._index.tree()
        self._index.set_back()
        captured = frozenset(paths)
        looks = {path: self._disk.inspect(path) for path in paths}
        modes = {
            **present.modes,
            **{path: look.mode for path, look in looks.items() if look.shape == "file"},
        }
        self._index.save(
            index=signature(self._index.file),
            tree=tree,
            held=False,
            settled=False,
            modes=dict(modes),
        )
        skipped = tuple(each for each in present.skipped if each.path not in captured)
        return replace(present, tree=tree, skipped=skipped, modes=modes)

    def _ignored_by(self, differences: Sequence[Difference]) -> frozenset[str]:
        """Name the removals that the target's own rules ignore.

        The rules are laid out in an empty worktree: the target's `.gitignore` files, and those on the disk that no
        snapshot holds because they ignore themselves.
        """
        gone = removals(differences)
        if not gone:
            return frozenset()
        scratch = self._place.ours / "rules"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(0o700)
        try:
            self._lay_out_rules(scratch, gone, differences)
            git = replace(self._git, place=scratch).having(
                work_tree=scratch, index_file=scratch / ".git-none"
            )
            return check_ignore(git, gone)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _lay_out_rules(
        self, scratch: Path, gone: Sequence[str], differences: Sequence[Difference]
    ) -> None:
        changed = {each.path: each.after for each in differences}
        directories = dict.fromkeys(["", *(parent for path in gone for parent in parents_of(path))])
        for directory in directories:
            name = f"{directory}/.gitignore" if directory else ".gitignore"
            if name in changed:
                entry = changed[name]
                rules = self._git.run("cat-file", "blob", entry.oid) if entry else None
            else:
                rules = self._rules_on_disk(name)
            if rules is not None:
                place = scratch / os.fsdecode(raw(name))
                place.parent.mkdir(parents=True, exist_ok=True)
                atomic_write.put(place, rules, sync=False)

    def _rules_on_disk(self, name: str) -> bytes | None:
        if self._disk.is_beyond_link(name) or self._disk.inspect(name).shape != "file":
            return None
        try:
            return self._disk.place_of(name).read_bytes()
        except OSError:
            return None

    def _join(self, tree: str, keep: Sequence[Difference]) -> str:
        """Give the target's tree, with the present's entries where something stays."""
        scratch = self._place.ours / "join"
        atomic_write.drop(scratch)
        atomic_write.drop(self._place.ours / "join.lock")
        git = self._git.having(index_file=scratch)
        zero = "0" * len(tree)
        entries = [
            raw(
                f"{each.before.mode} {each.before.oid}\t{each.path}\0"
                if each.before
                else f"0 {zero}\t{each.path}\0"
            )
            for each in keep
        ]
        try:
            git.run("read-tree", tree)
            git.run(
                "update-index", "--replace", "--add", "-z", "--index-info", given=b"".join(entries)
            )
            return git.line("write-tree")
        finally:
            atomic_write.drop(scratch)

    # -------------------------------------------------------------------------------------------------------- walking

    def walk(self, way: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Give the files their target's content. Git refuses before it writes if one of them changed meanwhile."""
        before = {
            path: self._disk.inspect(path).mode
            for path in way.writes
            if not self._disk.is_beyond_link(path)
        }
        if way.present.tree != way.tree:
            stayed = self._refuse(way) or self._check_out(way)
            if stayed:
                return stayed
            self._index.set_back()
        seen = [
            (path, self._give_mode(path, way, before)) for path in (*way.writes, *_chmodded(way))
        ]
        modes = noted(way.present.modes, seen)
        # Other rules are in force now, and what they ignore may still be in the index.
        settled = self._index.state.settled and not any(
            path.rpartition("/")[2] == ".gitignore" for path in way.writes
        )
        index = signature(self._index.file) or []
        self._index.save(index=index, tree=way.tree, held=False, settled=settled, modes=modes)
        return RestoreDone()

    def _refuse(self, way: PreparedRestore) -> RestoreFailed | None:
        """Refuse before anything is written what git would find out halfway."""
        closed = self._disk.closed_directory(way.writes)
        if closed is not None:
            cure = "make it writable, and try again"
            return RestoreFailed(
                f"{closed}: this directory may not be written to, so nothing was restored; {cure}."
            )
        drivers = read_required(self._required) if self._required else frozenset()
        # Where the attributes change too, which filters there will be is not known before.
        if not drivers or any(path.rpartition("/")[2] == ".gitattributes" for path in way.writes):
            return None
        differences = self.differences(way.present.tree, way.tree)
        files = [
            each.path for each in differences if each.after and each.after.mode.startswith("100")
        ]
        told = self._trial.failure(drivers, way.tree, files)
        return RestoreFailed(_cannot_write(told)) if told else None

    def _check_out(self, way: PreparedRestore) -> RestoreFailed | None:
        git = self._index.git
        running = git.start(
            "read-tree", "-m", "-u", "--no-sparse-checkout", way.present.tree, way.tree
        )
        try:
            running.finish()
        except GitFailed as error:
            return self._after_failure(way, error.told.strip())
        left = _LEFT.search(running.told)
        return (
            RestoreFailed(f"git stopped halfway: {running.told.strip()}", unsettled=True)
            if left
            else None
        )

    def _after_failure(self, way: PreparedRestore, told: str) -> RestoreFailed:
        """Tell whether git refused at once or stopped halfway."""
        atomic_write.drop(self._index.file.with_name("index.lock"))
        if not _REFUSED.search(told):
            writes = frozenset(way.writes)
            touched = names(
                self._index.git.run("diff-files", "--name-only", "-z", "--ignore-submodules=all")
            )
            if any(path in writes for path in touched) or any(
                self._has_appeared(path, way) for path in way.writes
            ):
                return RestoreFailed(f"git stopped halfway: {told}", unsettled=True)
            return RestoreFailed(_cannot_write(told))
        return RestoreFailed(
            f"files changed while this was under way, so nothing was restored; try again. Git says: {told}"
        )

    def _has_appeared(self, path: str, way: PreparedRestore) -> bool:
        return path in way.arriving and self._disk.inspect(path).shape != "absent"

    def _give_mode(self, path: str, way: PreparedRestore, before: Mapping[str, int]) -> int | None:
        """Give a file that git has made anew its permissions; None if it is no file."""
        look = self._disk.inspect(path)
        if look.shape != "file" or self._disk.is_beyond_link(path):
            return None
        mode = way.target.modes.get(path) or before.get(path)
        wanted = fitting(mode, runs=bool(look.mode & 0o100)) if mode else look.mode
        if wanted != look.mode:
            self._disk.place_of(path).chmod(wanted)
        return wanted


def _chmodded(way: PreparedRestore) -> list[str]:
    """Name the files whose content stays, and whose permissions were others."""
    then, now = way.target.modes, way.present.modes
    others = frozenset((*way.writes, *way.kept))
    return [path for path, mode in then.items() if path not in others and now.get(path) != mode]


def _cannot_write(told: str) -> str:
    cure = "mend what is wrong there, and try again"
    return f"the files cannot be written, so nothing was restored; {cure}. Git says: {told}"


def check_ignore(git: Git, paths: Sequence[str]) -> frozenset[str]:
    """Name those of the paths that the rules ignore, tracked or not."""
    if not paths:
        return frozenset()
    # "./" before each: a name such as `:(top)x` would be taken for a pattern.
    asked = lines([f"./{path}" for path in paths])
    told = git.run("check-ignore", "--no-index", "-z", "--stdin", given=asked, fine=(0, 1))
    return frozenset(name[2:] for name in names(told))


def _difference(head: str, path: str) -> Difference:
    before_mode, after_mode, before, after, _ = head.removeprefix(":").split(" ")
    return Difference(path, _entry(before_mode, before), _entry(after_mode, after))


def _entry(mode: str, oid: str) -> TreeEntry | None:
    return None if mode == "000000" else TreeEntry(mode, oid)
