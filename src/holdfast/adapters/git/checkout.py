"""Restores: compare the working tree with a checkpoint, and check it out with the private index."""

from __future__ import annotations

import os
import shutil
import stat
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.disk.left_out_folders import look_at_files
from holdfast.adapters.git.file_modes import update_modes, usual_mode, with_execute_bit
from holdfast.adapters.git.git_command import (
    Git,
    GitFailed,
    check_ignore,
    ignores_case,
    split_names,
    to_bytes,
    to_text,
)
from holdfast.adapters.git.objects.file_writer import FileWriter, RestoredFile
from holdfast.adapters.git.objects.object_id import algorithm_of, blob_id
from holdfast.adapters.git.objects.tree_difference import TreeComparison, UnreadableTreeError
from holdfast.adapters.git.worktree_files import WorktreeFiles, is_named, refuse_without_space
from holdfast.changes.ports import FileInUse
from holdfast.checkpoints.difference import Difference, TreeEntry
from holdfast.checkpoints.limits import MEGABYTE
from holdfast.checkpoints.ports import Blocked, PreparedRestore, RestoreDone, RestoreFailed
from holdfast.checkpoints.restore_plan import (
    KeptDifference,
    RestorePlan,
    is_under,
    parents_of,
    plan_restore,
    removals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from holdfast.adapters.git.objects.object_store import ObjectStore
    from holdfast.adapters.git.private_index import PrivateIndex
    from holdfast.adapters.git.repository import PrivateRepository
    from holdfast.checkpoints.checkpoint import Skipped, WorktreeState

_BLOCK = 4096
_JOURNAL_SIZE = 64 * 1024
# With less than this many times the needed room on the disk, the room is computed exactly.
_PLENTY = 64 * 1024 * 1024
_INNER_CHANGED = "a repository inside has changed, and its own files are not restored"
_BECAME_REPOSITORY = "it has become a repository, whose history and new files stay"
_SPECIAL = "the pipe, socket or device there; the file of the checkpoint has replaced it"
_INNER_GONE = "a repository inside, of which the checkpoint has no history"
_LINK = "120000"
_FILE = "100644"
_EXECUTABLE = "100755"
_FILE_MODES = frozenset({_FILE, _EXECUTABLE, _LINK})
# Git writes what is more than this, piece by piece.
_MANY_FILES = 500
_MUCH_CONTENT = 32 * MEGABYTE
# Names that no file may have: git refuses them.
_FORBIDDEN = frozenset({"", ".", "..", ".git"})


class TreeCheckout:
    """Prepares and applies restores of one worktree, under its lock."""

    def __init__(
        self,
        repository: PrivateRepository,
        git: Git,
        index: PrivateIndex,
        objects: ObjectStore,
        reserve: int,
        *,
        kept_from_commands: Callable[[Iterable[str]], AbstractContextManager[None]],
    ) -> None:
        """Leave `reserve` bytes of the disk free.

        Files are written in the context `kept_from_commands`, which raises `FileInUse`.
        """
        self._reserve = reserve
        self._kept_from_commands = kept_from_commands
        self._objects = objects
        self._repository = repository
        self._git = git
        self._index = index
        self._disk = WorktreeFiles(repository.root)
        self._writer = FileWriter(repository.root)

    # ----------------------------------------------------------------------------------- prepare

    def prepare(
        self,
        present: WorktreeState,
        target: WorktreeState,
        *,
        exact: bool,
        keep: Collection[str] = (),
    ) -> PreparedRestore | Blocked:
        """Plan a restore, and capture the files that it would overwrite.

        With `exact`, neither ignore rules nor a sparse checkout keep a file that is newer. Paths in
        `keep` stay in any case.
        """
        differences = self.differences(present.tree, target.tree)
        plan = self._plan(differences, target, exact=exact, keep=keep)
        if isinstance(plan, Blocked):
            return plan

        if plan.captures:
            present = self._capture(present, plan.captures)
            differences = self.differences(present.tree, target.tree)
            plan = self._plan(differences, target, exact=exact, keep=keep)
            if isinstance(plan, Blocked):
                return plan

        return self._describe(plan, present, target, differences)

    def _describe(
        self,
        plan: RestorePlan,
        present: WorktreeState,
        target: WorktreeState,
        differences: Sequence[Difference],
    ) -> PreparedRestore:
        """Return what a plan writes, keeps and cannot bring back."""
        kept = {each.difference.path: each.reason for each in plan.keep}
        changes = tuple(each for each in differences if each.path not in kept)
        self._refuse_without_space(changes)
        tree = target.tree
        if plan.keep:
            tree = self._join(target.tree, plan.keep)

        kept.update(_uncaptured(present, target))
        lost = self._lost(target)
        for each in target.skipped:
            if each.path not in lost:
                self._compare_folder(each, lost, kept)

        lost.update(dict.fromkeys(plan.special, _SPECIAL))
        for path in plan.special:
            kept.pop(path, None)

        return PreparedRestore(
            present,
            target,
            tree,
            changes,
            dict(sorted(kept.items())),
            dict(sorted(lost.items())),
            plan.special,
            changes_attributes=self._changes_attributes(present, target, kept),
        )

    def _lost(self, target: WorktreeState) -> dict[str, str]:
        """Return what the target had left out and what is gone."""
        lost: dict[str, str] = {}
        for each in target.skipped:
            shape = self._disk.inspect(each.path.rstrip("/")).shape
            if shape == "absent":
                lost[each.path] = f"the checkpoint had left it out: {each.why}"

        for path in target.inner:
            if self._disk.inspect(f"{path}/.git").shape == "absent":
                lost[path] = _INNER_GONE

        return lost

    def _compare_folder(self, skipped: Skipped, lost: dict[str, str], kept: dict[str, str]) -> None:
        """Add an ignored folder to what is lost, or to what is kept, if it is not as it was."""
        path, why = skipped.path, skipped.why
        if skipped.files < 0:
            kept[path] = f"it has too many folders to tell what has changed in it: {why}"
        if not skipped.counted_at:
            return

        now = look_at_files(self._disk.location(path), skipped.counted_at)
        missing = skipped.files - now.unchanged
        newer = now.files - now.unchanged
        if missing > 0:
            what = "gone or changed" if newer else "gone"
            verb = "is" if missing == 1 else "are"
            lost[path] = (
                f"{missing} of its {skipped.files} files {verb} {what}, and no checkpoint has "
                f"them: {why}"
            )
        elif newer > 0:
            verb = "is" if newer == 1 else "are"
            kept[path] = f"{newer} of its files {verb} newer than the checkpoint: {why}"

    def _changes_attributes(
        self, present: WorktreeState, target: WorktreeState, kept: Mapping[str, str]
    ) -> bool:
        if not target.usual:
            return bool(_with_other_modes(present, target, kept))
        if _with_other_modes(present, target, kept) or present.empty != target.empty:
            return True
        return dict(present.directories) != dict(target.directories)

    def differences(self, before: str, after: str) -> tuple[Difference, ...]:
        """Return the paths that differ between two trees."""
        if before == after:
            return ()

        comparison = TreeComparison(self._objects.batch().read, self._objects.hash_size)
        try:
            return comparison.compare(before, after)
        except UnreadableTreeError:
            return self._query_differences(before, after)

    def _query_differences(self, before: str, after: str) -> tuple[Difference, ...]:
        """Return the paths that differ between two trees that only git can read."""
        options = ("-r", "-z", "--raw", "--no-renames")
        fields = self._git.run("diff-tree", *options, before, after).split(b"\0")
        pairs = zip(fields[::2], fields[1::2], strict=False)
        return tuple(_parse_difference(head.decode("ascii"), to_text(path)) for head, path in pairs)

    def _refuse_without_space(self, writing: Sequence[Difference]) -> None:
        """Raise before anything is written: a disk that is full halfway prevents going back too."""
        free = shutil.disk_usage(self._repository.root).free
        if free > self._reserve + len(writing) * _PLENTY:
            return

        oids = [each.after.oid for each in writing if each.after]
        # Whole blocks for each file, and one for a directory at worst.
        blocks = sum(-(-size // _BLOCK) + 1 for size in self._sizes(oids))
        index = self._index.signature() or [0, 0, 0]
        needed = blocks * _BLOCK + index[2] + _JOURNAL_SIZE
        refuse_without_space(self._repository.root, needed, self._reserve, "written", "make room")

    def _sizes(self, oids: Sequence[str]) -> list[int]:
        """Return the sizes of blobs; those that do not exist are left out."""
        if not oids:
            return []
        stdin = "".join(f"{oid}\n" for oid in oids).encode("ascii")
        output = self._git.run("cat-file", "--batch-check=%(objectsize)", stdin=stdin)
        return [int(word) for word in output.split() if word.isdigit()]

    # -------------------------------------------------------------------------------------- plan

    def _plan(
        self,
        differences: Sequence[Difference],
        target: WorktreeState,
        *,
        exact: bool,
        keep: Collection[str],
    ) -> RestorePlan | Blocked:
        removed = removals(differences)
        new_rules = [path.rpartition("/")[0] for path in removed if is_named(path, ".gitignore")]
        skipped = {each.path for each in target.skipped}
        whole = [path for path in target.inner if not is_under(path, skipped)]
        return plan_restore(
            differences,
            target.skipped,
            self._ignored(differences, target, exact=exact),
            self._disk,
            outside=self._outside(removed, target, exact=exact),
            old_directories=self._directories_in(target.tree, new_rules),
            asked=keep,
            known_whole=whole if exact else (),
        )

    def _ignored(
        self, differences: Sequence[Difference], target: WorktreeState, *, exact: bool
    ) -> frozenset[str]:
        """Return the removals that are ignored data: see `RestoreFacts`."""
        removed = removals(differences)
        if exact and target.keeps_ignored:
            # The target has the ignored files that were there; what is newer is in the checkpoint
            # that the undo takes.
            return frozenset()

        ignored_then = self._ignored_by_target(differences)
        on_disk = [path for path in removed if not self._disk.is_beyond_link(path)]
        ignored_now = check_ignore(self._index.git, on_disk)
        if ignored_now:
            tracked, _ = self._index.ignored()
            ignored_now -= tracked

        return ignored_now | ignored_then

    def _outside(
        self, removed: Sequence[str], target: WorktreeState, *, exact: bool
    ) -> frozenset[str]:
        """Return the removals that were staged then, and off the disk in a sparse checkout."""
        if exact or not target.sparse or target.staged_tree is None or not removed:
            return frozenset()
        return self._existing(target.staged_tree, removed)

    def _directories_in(self, tree: str, directories: Sequence[str]) -> frozenset[str]:
        """Return those of the directories that a tree has."""
        return self._existing(tree, [name for name in directories if name])

    def _existing(self, tree: str, paths: Sequence[str]) -> frozenset[str]:
        """Return those of the paths that a tree has."""
        if not paths:
            return frozenset()
        git = self._git.with_variables(literal_pathspecs="1")
        output = git.run("ls-tree", "-z", "--name-only", "--full-tree", tree, "--", *paths)
        return frozenset(split_names(output))

    def _capture(self, present: WorktreeState, paths: Sequence[str]) -> WorktreeState:
        """Return the state with these paths captured too, whatever the ignore rules are."""
        tree = self._index.update((), paths).tree
        modes = dict(present.modes)
        for path in paths:
            mode = self._disk.inspect(path).file_mode
            if mode is not None:
                modes[path] = mode

        self._index.save(
            index=self._index.signature(), tree=tree, held=False, settled=False, modes=modes
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

        scratch = self._repository.git_dir / "rules"
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

    def _join(self, tree: str, keep: Sequence[KeptDifference]) -> str:
        """Return the target's tree, with the present entries of the paths that stay."""
        scratch = self._repository.git_dir / "join"
        atomic_write.drop(scratch)
        atomic_write.drop(self._repository.git_dir / "join.lock")
        git = self._git.with_variables(index_file=scratch)
        no_entry = TreeEntry("0", "0" * len(tree))
        entries: list[bytes] = []
        for each in keep:
            entry = each.difference.before or no_entry
            entries.append(to_bytes(f"{entry.mode} {entry.oid}\t{each.difference.path}\0"))

        options = ("--replace", "--add", "-z", "--index-info")
        try:
            git.run("read-tree", tree)
            git.run("update-index", *options, stdin=b"".join(entries))
            return git.read_line("write-tree", "--missing-ok")
        finally:
            atomic_write.drop(scratch)

    # ------------------------------------------------------------------------------------- apply

    def apply(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Write the files of a prepared restore, unless one of them changed meanwhile.

        A directory of ours that is not writable is made so until the end. If the process is killed
        before, the restore that settles the journal sets the permissions of the checkpoint.
        """
        paths = [f"{self._repository.root}/{path}" for path in prepared.writes]
        try:
            with self._kept_from_commands(paths):
                return self._apply_alone(prepared)
        except FileInUse as error:
            return RestoreFailed(f"nothing was restored: {error.filename}: {error.strerror}.")

    def _apply_alone(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        opened = self._open_directories(prepared)
        outcome = self._apply(prepared, opened)
        if isinstance(outcome, RestoreFailed) or not prepared.target.usual:
            self._set_directory_modes(opened)
        return outcome

    def _apply(
        self, prepared: PreparedRestore, opened: Mapping[str, int]
    ) -> RestoreDone | RestoreFailed:
        modes_before = self._modes_of(prepared.writes)
        if prepared.present.tree != prepared.tree:
            self._index.read_at = time.time_ns()
            contents = self._read_contents(prepared, modes_before)
            # Right before the first file is written: what is edited from here on is not seen.
            failed = self._refuse(prepared) or self._check_out(prepared, contents)
            if failed:
                return failed
            self._index.set_back()

        seen = self._restore_modes(prepared, modes_before)
        if prepared.target.usual:
            self._restore_directories(prepared, opened)

        modes = update_modes(prepared.present.modes, seen, self._index.state.usual)
        recent = dict.fromkeys((*self._index.state.recent, *(path for path, _ in seen)))
        # Other rules apply now, and the index may contain files that they ignore.
        rules_changed = any(is_named(path, ".gitignore") for path in prepared.writes)
        self._index.save(
            index=self._index.signature(),
            tree=prepared.tree,
            held=False,
            settled=self._index.state.settled and not rules_changed,
            modes=modes,
            recent=list(recent),
        )
        return RestoreDone()

    def _open_directories(self, prepared: PreparedRestore) -> dict[str, int]:
        """Make the directories above what is written writable; return their permissions before.

        Only the owner can. What stays closed is refused where it has to be written.
        """
        empty = set(prepared.present.empty) ^ set(prepared.target.empty)
        opened: dict[str, int] = {}
        for path in self._disk.find_closed_directories((*prepared.writes, *empty)):
            location = self._disk.location(path)
            mode = stat.S_IMODE(location.lstat().st_mode)
            with suppress(PermissionError):
                self._writer.set_mode(to_bytes(path), mode | stat.S_IRWXU)
                opened[path] = mode
        return opened

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

        for each in prepared.changes:
            if not self._matches(each, each.before):
                return RestoreFailed(_changed_meanwhile(each.path))

        return None

    def _check_out(
        self, prepared: PreparedRestore, contents: Sequence[RestoredFile] | None
    ) -> RestoreFailed | None:
        """Write the files, and compare them with the tree: the exit code of git is not all."""
        for path in prepared.special:
            if self._disk.inspect(path).shape == "other":
                self._writer.remove_file(to_bytes(path))

        if contents is None:
            problem = self._check_out_with_git(prepared)
        else:
            problem = self._write_files(prepared, contents)

        differing = [each for each in prepared.changes if not self._matches(each, each.after)]
        if problem is None and not differing:
            return None

        atomic_write.drop(self._index.file.with_name("index.lock"))
        report = problem or f"{differing[0].path} is not as the checkpoint has it"
        edited = [each for each in differing if not self._matches(each, each.before)]
        has_begun = len(differing) < len(prepared.changes)
        if has_begun or any(self._is_partly_written(each) for each in edited):
            return RestoreFailed(f"it stopped halfway: {report}", unsettled=True)
        if edited:
            return RestoreFailed(_changed_meanwhile(edited[0].path))

        return RestoreFailed(
            f"the files cannot be written, so nothing was restored: {report}; "
            "fix this, and try again."
        )

    def _check_out_with_git(self, prepared: PreparedRestore) -> str | None:
        """Let git write the files and the index; return what git reports if it fails."""
        command = ("read-tree", "-m", "-u", "--no-sparse-checkout")
        process = self._index.git.start(*command, prepared.present.tree, prepared.tree)
        try:
            process.finish()
        except GitFailed as error:
            return process.stderr.strip() or str(error)

        return None

    def _write_files(
        self, prepared: PreparedRestore, contents: Sequence[RestoredFile]
    ) -> str | None:
        """Write the files and the index in this process; return what fails."""
        removed = [to_bytes(each.path) for each in prepared.changes if each.after is None]
        entries: dict[bytes, bytes | None] = dict.fromkeys(removed)
        try:
            self._writer.remove(removed)
            for file in contents:
                entries[file.path] = self._writer.write(file)
        except OSError as error:
            return f"{to_text(os.fsencode(error.filename or ''))}: {error.strerror}"

        if self._index.change(entries) != prepared.tree:
            return "the index is not as the checkpoint has it"

        return None

    def _read_contents(
        self, prepared: PreparedRestore, modes_before: Mapping[str, int]
    ) -> list[RestoredFile] | None:
        """Return the files to be written; None if git has to write them."""
        changes = prepared.changes
        if len(changes) > _MANY_FILES or ignores_case(self._repository.root):
            return None
        if not all(map(self._is_plain, changes)):
            return None

        batch = self._objects.batch()
        contents: list[RestoredFile] = []
        size = 0
        for each in changes:
            if each.after is None:
                continue
            oid = bytes.fromhex(each.after.oid)
            content = batch.read(oid, at_most=_MUCH_CONTENT - size)
            if content is None:
                return None
            size += len(content)
            executable = each.after.mode == _EXECUTABLE
            permissions = _wanted_mode(
                each.path, prepared.target, modes_before, executable=executable
            )
            mode = int(each.after.mode, 8)
            contents.append(RestoredFile(to_bytes(each.path), mode, oid, content, permissions))

        return contents

    def _is_plain(self, difference: Difference) -> bool:
        """Return whether a path is or becomes a file or a symlink, in a directory."""
        for entry in (difference.before, difference.after):
            if entry is not None and entry.mode not in _FILE_MODES:
                return False

        path = difference.path
        if not _FORBIDDEN.isdisjoint(path.lower().split("/")):
            return False

        is_directory = self._disk.inspect(path).shape == "directory"
        return not is_directory and not self._disk.is_beyond_link(path)

    def _is_partly_written(self, difference: Difference) -> bool:
        """Return whether git may have begun to write a path: it is gone, or cut short."""
        info = self._disk.inspect(difference.path)
        if info.shape == "absent" or difference.after is None:
            return True
        if info.shape != "file":
            return False

        content = self._git.run("cat-file", "blob", difference.after.oid)
        return content.startswith(self._disk.location(difference.path).read_bytes())

    def _matches(self, difference: Difference, entry: TreeEntry | None) -> bool:
        """Return whether the disk has an entry of a tree at the path of a difference."""
        path = difference.path
        if self._disk.is_beyond_link(path):
            return entry is None

        info = self._disk.inspect(path)
        if entry is None:
            return info.shape not in {"file", "link"}

        location = self._disk.location(path)
        algorithm = algorithm_of(entry.oid)
        try:
            if info.shape == "link":
                content = os.fsencode(location.readlink())
                return entry.mode == _LINK and blob_id(content, algorithm) == entry.oid
            is_executable = bool(info.mode & 0o100)
            mode = _EXECUTABLE if is_executable else _FILE
            if info.shape != "file" or entry.mode != mode:
                return False
            return blob_id(location.read_bytes(), algorithm) == entry.oid
        except OSError:
            return False

    # -------------------------------------------------------------------------- modes, directories

    def _restore_modes(
        self, prepared: PreparedRestore, modes_before: Mapping[str, int]
    ) -> list[tuple[str, int | None]]:
        """Set the permissions of files that were written, or differ in these alone."""
        present, target = prepared.present, prepared.target
        paths = (*prepared.writes, *_with_other_modes(present, target, prepared.kept))
        return [(path, self._restore_mode(path, target, modes_before)) for path in paths]

    def _restore_mode(
        self, path: str, target: WorktreeState, modes_before: Mapping[str, int]
    ) -> int | None:
        """Set the permissions of a file; return them, None for no file."""
        info = self._disk.inspect(path)
        if info.shape != "file" or self._disk.is_beyond_link(path):
            return None

        wanted = _wanted_mode(path, target, modes_before, executable=bool(info.mode & 0o100))
        if wanted is None:
            return info.mode

        if wanted != info.mode:
            self._writer.set_mode(to_bytes(path), wanted)

        return wanted

    def _restore_directories(self, prepared: PreparedRestore, opened: Mapping[str, int]) -> None:
        """Create and remove empty directories, and set the permissions of directories."""
        present, target = prepared.present, prepared.target
        gone = set(present.empty) - set(target.empty) - {each.path for each in target.skipped}
        for path in sorted(gone, reverse=True):
            # A directory above may be empty now. One that the target has is created again below.
            for each in (path, *reversed(parents_of(path))):
                self._remove_empty(each)

        for path in target.empty:
            if self._disk.inspect(path).shape == "absent" and not self._disk.is_beyond_link(path):
                self._writer.make_folder(to_bytes(path))

        self._restore_directory_modes(prepared, opened)

    def _restore_directory_modes(
        self, prepared: PreparedRestore, opened: Mapping[str, int]
    ) -> None:
        """Set the permissions of directories, also of those that were removed and created again.

        Those that were `opened` get their own back where the target has no others.
        """
        present, target = prepared.present, prepared.target
        unusual = {*present.directories, *target.directories}
        written = [each.path for each in prepared.changes if each.after]
        parents = {parent for path in (*written, *target.empty) for parent in parents_of(path)}
        usual = self._directories_in(target.tree, sorted(unusual - target.directories.keys()))
        wanted = dict(opened)
        wanted.update(dict.fromkeys((*usual, *parents, *target.empty), target.usual[2]))
        wanted.update(target.directories)
        self._set_directory_modes(wanted)

    def _set_directory_modes(self, modes: Mapping[str, int]) -> None:
        # Those on the inside first: a directory may be closed.
        for path in sorted(modes, reverse=True):
            if self._disk.inspect(path).shape == "directory":
                self._set_directory_mode(path, modes[path])

    def _remove_empty(self, path: str) -> None:
        if self._disk.inspect(path).shape != "directory" or self._disk.is_beyond_link(path):
            return

        try:
            self._writer.remove_folder(to_bytes(path))
        except OSError:
            # Something is in it by now.
            return

    def _set_directory_mode(self, path: str, mode: int) -> None:
        location = self._disk.location(path)
        if self._disk.is_beyond_link(path) or stat.S_IMODE(location.lstat().st_mode) == mode:
            return
        self._writer.set_mode(to_bytes(path), mode)


def _wanted_mode(
    path: str, target: WorktreeState, modes_before: Mapping[str, int], *, executable: bool
) -> int | None:
    """Return the permissions of a file in the target; None if they are not known."""
    stored = target.modes.get(path)
    if stored is not None:
        return stored
    if target.usual:
        return usual_mode(target.usual, executable=executable)

    # A checkpoint of release 0.1 has no permissions but the bit to run.
    mode = modes_before.get(path)
    if not mode:
        return None

    return with_execute_bit(mode, executable=executable)


def _uncaptured(present: WorktreeState, target: WorktreeState) -> dict[str, str]:
    """Return what no snapshot has, and what the checkpoint did not have so."""
    kept: dict[str, str] = {}
    skipped = {each.path: each for each in target.skipped}
    for each in present.skipped:
        then = skipped.get(each.path)
        if then is None:
            kept[each.path] = f"no checkpoint has it: {each.why}"
        elif then.stamp and then.stamp != each.stamp:
            kept[each.path] = f"it has changed, and the checkpoint had left it out: {each.why}"

    for path, digest in present.inner.items():
        if path not in target.inner and path not in skipped:
            kept.setdefault(path, _BECAME_REPOSITORY)
        elif target.inner.get(path, digest) != digest:
            kept[path] = _INNER_CHANGED

    return kept


def _with_other_modes(
    present: WorktreeState, target: WorktreeState, kept: Mapping[str, str]
) -> list[str]:
    """Return the files whose permissions differ from the target's."""
    names = set(target.modes)
    if target.usual:
        names.update(present.modes)

    differing = [
        path for path in sorted(names) if present.modes.get(path) != target.modes.get(path)
    ]
    return [path for path in differing if path not in kept]


def _changed_meanwhile(path: str) -> str:
    return f"{path}: this changed during the restore, so nothing was restored; try again."


def _ignore_files(paths: Iterable[str]) -> list[str]:
    """Return the `.gitignore` of every directory above one of the paths, the root's first."""
    directories: dict[str, None] = {}
    for path in paths:
        directories.update(dict.fromkeys(parents_of(path)))
    return [".gitignore", *(f"{directory}/.gitignore" for directory in directories)]


def _parse_difference(head: str, path: str) -> Difference:
    """Parse one entry of `diff-tree --raw`."""
    before_mode, after_mode, before, after, _ = head.removeprefix(":").split(" ")
    return Difference(path, _entry(before_mode, before), _entry(after_mode, after))


def _entry(mode: str, oid: str) -> TreeEntry | None:
    if mode == "000000":
        return None
    return TreeEntry(mode, oid)
