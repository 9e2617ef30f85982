"""Restores: compare the working tree with a checkpoint, and check it out with the private index."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.file_modes import update_modes, with_execute_bit
from holdfast.adapters.git.filter_dry_run import FilterDryRun, read_required, start_required_query
from holdfast.adapters.git.git_command import (
    Git,
    GitFailed,
    GitProcess,
    join_names,
    split_names,
    to_bytes,
    to_text,
)
from holdfast.adapters.git.private_index import PrivateIndex, signature
from holdfast.adapters.git.worktree_files import WorktreeFiles, is_named, refuse_without_space
from holdfast.checkpoints.ports import Blocked, PreparedRestore, RestoreDone, RestoreFailed
from holdfast.checkpoints.restore_plan import (
    Difference,
    RestorePlan,
    TreeEntry,
    parents_of,
    plan_restore,
    removals,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from holdfast.adapters.git.repository import GitRepository
    from holdfast.checkpoints.checkpoint import WorktreeState

# The error of git when it has checked the files and has written nothing. (`git_command` sets the
# language of git to English.)
_REFUSED = re.compile(r"^error: (?:Entry|Updating|Untracked working tree file) '", re.MULTILINE)
# The warning of git for a file that it could not remove; git then goes on.
_NOT_REMOVED = re.compile(r"^warning: unable to unlink '", re.MULTILINE)

_BLOCK = 4096
_JOURNAL_SIZE = 64 * 1024


class TreeCheckout:
    """Prepares and applies restores of one worktree, under its lock."""

    def __init__(
        self, repository: GitRepository, git: Git, index: PrivateIndex, reserve: int
    ) -> None:
        """Leave `reserve` bytes of the disk free."""
        self._reserve = reserve
        self._repository = repository
        self._git = git
        self._index = index
        self._disk = WorktreeFiles(repository.root)
        self._dry_run = FilterDryRun(repository, git, index)
        self._required_query: GitProcess | None = None

    # ----------------------------------------------------------------------------------- prepare

    def prepare(self, present: WorktreeState, target: WorktreeState) -> PreparedRestore | Blocked:
        """Plan a restore, and capture the files that it would overwrite."""
        self._required_query = None
        if not self._repository.private:
            self._required_query = start_required_query(self._git)
        absent = self._index.absent()
        differences = self.differences(present.tree, target.tree)
        hidden = self._hidden(differences, absent)
        plan = self._plan(differences, target, absent, hidden)
        if isinstance(plan, Blocked):
            return plan
        if plan.captures:
            present = self._capture(present, plan.captures)
            differences = self.differences(present.tree, target.tree)
            plan = self._plan(differences, target, absent, hidden)
            if isinstance(plan, Blocked):
                return plan
        return self._describe(plan, present, target, differences, absent)

    def _describe(
        self,
        plan: RestorePlan,
        present: WorktreeState,
        target: WorktreeState,
        differences: Sequence[Difference],
        absent: frozenset[str],
    ) -> PreparedRestore:
        """Return what a plan writes, keeps and cannot bring back."""
        keep = {each.path for each in plan.keep}
        writing = [each for each in differences if each.path not in keep]
        self._refuse_without_space(writing)
        tree = target.tree
        if plan.keep:
            tree = self._join(target.tree, plan.keep)
        skipped = {each.path for each in target.skipped}
        newly_skipped = {each.path for each in present.skipped} - skipped
        kept = (keep - absent) | newly_skipped
        lost = [path for path in skipped if self._disk.inspect(path).shape == "absent"]
        return PreparedRestore(
            present,
            target,
            tree,
            writes=tuple(each.path for each in writing),
            arriving=frozenset(each.path for each in writing if each.before is None),
            kept=tuple(sorted(kept)),
            lost=tuple(sorted(lost)),
        )

    def differences(self, before: str, after: str) -> tuple[Difference, ...]:
        """Return the paths that differ between two trees."""
        options = ("-r", "-z", "--raw", "--no-renames")
        fields = self._git.run("diff-tree", *options, before, after).split(b"\0")
        pairs = zip(fields[::2], fields[1::2], strict=False)
        return tuple(_parse_difference(head.decode("ascii"), to_text(path)) for head, path in pairs)

    def _refuse_without_space(self, writing: Sequence[Difference]) -> None:
        """Raise before anything is written: a disk that is full halfway prevents going back too."""
        oids = [each.after.oid for each in writing if each.after]
        # Whole blocks for each file, and one for a directory at worst.
        blocks = sum(-(-size // _BLOCK) + 1 for size in self._sizes(oids))
        index = signature(self._index.file) or [0, 0, 0]
        needed = blocks * _BLOCK + index[2] + _JOURNAL_SIZE
        refuse_without_space(self._repository.root, needed, self._reserve, "written", "make room")

    def _sizes(self, oids: Sequence[str]) -> list[int]:
        """Return the sizes of blobs; those that do not exist are left out."""
        if not oids:
            return []
        stdin = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        output = self._git.run("cat-file", "--batch-check=%(objectsize)", stdin=stdin)
        return [int(word) for word in output.split() if word.isdigit()]

    def _plan(
        self,
        differences: Sequence[Difference],
        target: WorktreeState,
        absent: frozenset[str],
        hidden: frozenset[str],
    ) -> RestorePlan | Blocked:
        ignored = self._ignored_by_target(differences)
        return plan_restore(differences, target.skipped, ignored, absent, self._disk, hidden=hidden)

    def _hidden(self, differences: Sequence[Difference], absent: frozenset[str]) -> frozenset[str]:
        """Return captured paths that are ignored now and that the user does not track.

        A snapshot contains an ignore rule only if it captures that `.gitignore`, and a `.gitignore`
        may ignore itself.
        """
        paths: list[str] = []
        for each in differences:
            is_on_disk = each.before is not None and each.path not in absent
            if is_on_disk and not self._disk.is_beyond_link(each.path):
                paths.append(each.path)
        ignored = check_ignore(self._index.git, paths)
        if not ignored:
            return ignored
        tracked, _ = self._index.ignored()
        return ignored - tracked

    def _capture(self, present: WorktreeState, paths: Sequence[str]) -> WorktreeState:
        """Return the state with these paths captured too, whatever the ignore rules are."""
        self._index.update((), paths)
        tree = self._index.tree()
        self._index.set_back()
        modes = dict(present.modes)
        for path in paths:
            mode = self._disk.inspect(path).file_mode
            if mode is not None:
                modes[path] = mode
        self._index.save(
            index=signature(self._index.file),
            tree=tree,
            held=False,
            settled=False,
            modes=modes,
        )
        captured = frozenset(paths)
        skipped = tuple(each for each in present.skipped if each.path not in captured)
        return replace(present, tree=tree, skipped=skipped, modes=modes)

    def _ignored_by_target(self, differences: Sequence[Difference]) -> frozenset[str]:
        """Return the removals that the target's own rules ignore.

        The rules are written to an empty worktree: the target's `.gitignore` files, and those on
        the disk that no snapshot has because they ignore themselves.
        """
        removed = removals(differences)
        if not removed:
            return frozenset()
        scratch = self._repository.holdfast_dir / "rules"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(0o700)
        try:
            self._write_rules(scratch, removed, differences)
            git = replace(self._git, directory=scratch)
            git = git.with_variables(work_tree=scratch, index_file=scratch / ".git-none")
            return check_ignore(git, removed)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _write_rules(
        self, scratch: Path, removed: Sequence[str], differences: Sequence[Difference]
    ) -> None:
        """Write the `.gitignore` files that apply to the removed paths."""
        changed = {each.path: each.after for each in differences}
        for name in _ignore_files(removed):
            rules = self._read_rules(name, changed)
            if rules is not None:
                file = scratch / os.fsdecode(to_bytes(name))
                file.parent.mkdir(parents=True, exist_ok=True)
                atomic_write.put(file, rules, sync=False)

    def _read_rules(self, name: str, changed: Mapping[str, TreeEntry | None]) -> bytes | None:
        """Return the content of a `.gitignore` in the target, or None if the target has none."""
        if name not in changed:
            return self._read_file(name)
        entry = changed[name]
        if entry is None:
            return None
        return self._git.run("cat-file", "blob", entry.oid)

    def _read_file(self, name: str) -> bytes | None:
        if self._disk.is_beyond_link(name) or self._disk.inspect(name).shape != "file":
            return None
        try:
            return self._disk.location(name).read_bytes()
        except OSError:
            return None

    def _join(self, tree: str, keep: Sequence[Difference]) -> str:
        """Return the target's tree, with the present entries of the paths that stay."""
        scratch = self._repository.holdfast_dir / "join"
        atomic_write.drop(scratch)
        atomic_write.drop(self._repository.holdfast_dir / "join.lock")
        git = self._git.with_variables(index_file=scratch)
        no_entry = TreeEntry("0", "0" * len(tree))
        entries: list[bytes] = []
        for each in keep:
            entry = each.before or no_entry
            entries.append(to_bytes(f"{entry.mode} {entry.oid}\t{each.path}\0"))
        options = ("--replace", "--add", "-z", "--index-info")
        try:
            git.run("read-tree", tree)
            git.run("update-index", *options, stdin=b"".join(entries))
            return git.read_line("write-tree")
        finally:
            atomic_write.drop(scratch)

    # ------------------------------------------------------------------------------------- apply

    def apply(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Write the files of a prepared restore.

        Git refuses before it writes if one of the files changed meanwhile.
        """
        modes_before = self._modes_of(prepared.writes)
        if prepared.present.tree != prepared.tree:
            failed = self._refuse(prepared) or self._check_out(prepared)
            if failed:
                return failed
            self._index.set_back()
        paths = (*prepared.writes, *_with_other_modes(prepared))
        seen = [(path, self._restore_mode(path, prepared, modes_before)) for path in paths]
        modes = update_modes(prepared.present.modes, seen)
        # Other rules apply now, and the index may contain files that they ignore.
        rules_changed = any(is_named(path, ".gitignore") for path in prepared.writes)
        self._index.save(
            index=signature(self._index.file) or [],
            tree=prepared.tree,
            held=False,
            settled=self._index.state.settled and not rules_changed,
            modes=modes,
        )
        return RestoreDone()

    def _modes_of(self, paths: Iterable[str]) -> dict[str, int]:
        modes: dict[str, int] = {}
        for path in paths:
            if not self._disk.is_beyond_link(path):
                modes[path] = self._disk.inspect(path).mode
        return modes

    def _refuse(self, prepared: PreparedRestore) -> RestoreFailed | None:
        """Return a failure that git would only find halfway, before anything is written."""
        closed = self._disk.find_closed_directory(prepared.writes)
        if closed is not None:
            return RestoreFailed(
                f"{closed}: this directory is not writable, so nothing was restored; "
                "make it writable, and try again."
            )
        if self._required_query is None:
            return None
        drivers = read_required(self._required_query)
        attributes_change = any(is_named(path, ".gitattributes") for path in prepared.writes)
        # When the attributes change too, the filters of the target are not known yet.
        if not drivers or attributes_change:
            return None
        differences = self.differences(prepared.present.tree, prepared.tree)
        files = [each.path for each in differences if _is_regular_file(each.after)]
        error = self._dry_run.find_failure(drivers, prepared.tree, files)
        if not error:
            return None
        return RestoreFailed(_cannot_write(error))

    def _check_out(self, prepared: PreparedRestore) -> RestoreFailed | None:
        command = ("read-tree", "-m", "-u", "--no-sparse-checkout")
        process = self._index.git.start(*command, prepared.present.tree, prepared.tree)
        try:
            process.finish()
        except GitFailed as error:
            return self._explain_failure(prepared, error.stderr.strip())
        if _NOT_REMOVED.search(process.stderr):
            return RestoreFailed(f"git stopped halfway: {process.stderr.strip()}", unsettled=True)
        return None

    def _explain_failure(self, prepared: PreparedRestore, error: str) -> RestoreFailed:
        """Return whether git refused at once or stopped halfway."""
        atomic_write.drop(self._index.file.with_name("index.lock"))
        if _REFUSED.search(error):
            return RestoreFailed(
                "files changed during the restore, so nothing was restored; try again. "
                f"Git reports: {error}"
            )
        if self._has_written(prepared):
            return RestoreFailed(f"git stopped halfway: {error}", unsettled=True)
        return RestoreFailed(_cannot_write(error))

    def _has_written(self, prepared: PreparedRestore) -> bool:
        """Return whether git has changed, removed or created one of the files to write."""
        options = ("--name-only", "-z", "--ignore-submodules=all")
        touched = split_names(self._index.git.run("diff-files", *options))
        if not frozenset(prepared.writes).isdisjoint(touched):
            return True
        for path in prepared.writes:
            if path in prepared.arriving and self._disk.inspect(path).shape != "absent":
                return True
        return False

    def _restore_mode(
        self, path: str, prepared: PreparedRestore, modes_before: Mapping[str, int]
    ) -> int | None:
        """Set the permissions of a file that git has written; return them, None for no file."""
        info = self._disk.inspect(path)
        if info.shape != "file" or self._disk.is_beyond_link(path):
            return None
        mode = prepared.target.modes.get(path) or modes_before.get(path)
        if not mode:
            return info.mode
        wanted = with_execute_bit(mode, executable=bool(info.mode & 0o100))
        if wanted != info.mode:
            self._disk.location(path).chmod(wanted)
        return wanted


def check_ignore(git: Git, paths: Sequence[str]) -> frozenset[str]:
    """Return those of the paths that the ignore rules match, tracked or not."""
    if not paths:
        return frozenset()
    # With "./" before each: git would read a name such as `:(top)x` as a pattern.
    stdin = join_names([f"./{path}" for path in paths])
    output = git.run("check-ignore", "--no-index", "-z", "--stdin", stdin=stdin, ok_codes=(0, 1))
    return frozenset(name[2:] for name in split_names(output))


def _with_other_modes(prepared: PreparedRestore) -> list[str]:
    """Return the files whose content stays and whose permissions differ from the target's."""
    present = prepared.present.modes
    handled = frozenset((*prepared.writes, *prepared.kept))
    paths: list[str] = []
    for path, mode in prepared.target.modes.items():
        if path not in handled and present.get(path) != mode:
            paths.append(path)
    return paths


def _cannot_write(error: str) -> str:
    return (
        "the files cannot be written, so nothing was restored; fix what git reports, and try "
        f"again. Git reports: {error}"
    )


def _ignore_files(paths: Iterable[str]) -> list[str]:
    """Return the `.gitignore` of every directory above one of the paths, the root's first."""
    directories: dict[str, None] = {}
    for path in paths:
        directories.update(dict.fromkeys(parents_of(path)))
    return [".gitignore", *(f"{directory}/.gitignore" for directory in directories)]


def _is_regular_file(entry: TreeEntry | None) -> bool:
    return entry is not None and entry.mode.startswith("100")


def _parse_difference(head: str, path: str) -> Difference:
    """Parse one entry of `diff-tree --raw`."""
    before_mode, after_mode, before, after, _ = head.removeprefix(":").split(" ")
    return Difference(path, _entry(before_mode, before), _entry(after_mode, after))


def _entry(mode: str, oid: str) -> TreeEntry | None:
    if mode == "000000":
        return None
    return TreeEntry(mode, oid)
