"""The files of a session's worktree, compared with a commit (port `SessionFiles`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import join_names, split_names, to_text
from holdfast.adapters.git.linked.file_reader import FileReader
from holdfast.changes.swaps import LINK
from holdfast.checkpoints.ports import CheckpointFailed, FileDifference
from holdfast.usecases.worktrees.ports import FileSide, TreeDifference
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from holdfast.adapters.git.git_command import Git

_DIFF = (
    "diff-tree",
    "-r",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    # Git would run itself in the submodule, with the submodule's config.
    "--submodule=short",
)
_GITLINK = "160000"
_SYMLINK = "120000"
_EXECUTABLE = "100755"
_NONE = "000000"
_CONVERTING = ("text", "eol", "crlf", "ident", "filter", "working-tree-encoding")
_LARGEST = 50_000_000
_STATUS = {"A": "added", "D": "deleted", "T": "retyped"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A path that differs: its mode, its object and its letter in the output of git."""

    path: str
    old_mode: str
    new_mode: str
    old: str
    letter: str


class CapturedSession:
    """The files of a worktree as the tree `tree`, on the commit `head`."""

    def __init__(self, root: Path, git: Git, tree: str, head: str, *, converts: bool) -> None:
        """Use git in the worktree; it has the objects of the tree.

        `converts`: a setting may change the bytes of any file in a checkout.
        """
        self._converts = converts
        self._root = root
        self._git = git
        self.tree = tree
        self.head = head

    def tree_of(self, commit: str) -> str:
        """Return the tree of a commit."""
        return self._git.read_line("rev-parse", "--verify", f"{commit}^{{tree}}")

    def patch(self, base: str) -> str:
        """Return the difference from a commit as a patch."""
        return to_text(self._git.run(*_DIFF, "-p", "--no-color", base, self.tree))

    def compare(self, base: str) -> tuple[FileDifference, ...]:
        """Return the paths that differ from a commit, with the numbers of their lines."""
        counts: dict[str, tuple[int | None, int | None]] = {}
        for line in self._git.run(*_DIFF, "-z", "--numstat", base, self.tree).split(b"\0"):
            if line:
                added, removed, path = line.split(b"\t", 2)
                counts[to_text(path)] = (_number(added), _number(removed))

        differences = []
        for entry in self._entries(base):
            added_lines, removed_lines = counts.get(entry.path, (None, None))
            status = _STATUS.get(entry.letter, "modified")
            differences.append(
                FileDifference(entry.path, status, added_lines, removed_lines)  # type: ignore[arg-type]
            )

        return tuple(differences)

    def difference(self, base: str) -> TreeDifference:
        """Return both sides of every file that differs from a commit, as they are on the disk."""
        entries = self._entries(base)
        submodules = [each.path for each in entries if _GITLINK in (each.old_mode, each.new_mode)]
        files = [each for each in entries if each.path not in submodules]
        with FileReader(self._root) as reader:
            large = [each.path for each in files if _size(each, reader) > _LARGEST]
            if large or submodules:
                return TreeDifference({}, {}, tuple(submodules), tuple(large))

            before = self._before(files)
            after = {}
            for each in files:
                if each.new_mode != _NONE:
                    after[each.path] = self._after(each, reader)

        return TreeDifference(before, after)

    def _entries(self, base: str) -> list[_Entry]:
        fields = self._git.run(*_DIFF, "-z", "--raw", base, self.tree).split(b"\0")
        entries = []
        for described, path in zip(fields[::2], fields[1::2], strict=False):
            words = described.decode("ascii").removeprefix(":").split(" ")
            old_mode, new_mode, old, _, letter = words
            entries.append(_Entry(to_text(path), old_mode, new_mode, old, letter))

        return entries

    def _after(self, entry: _Entry, reader: FileReader) -> FileSide:
        try:
            if entry.new_mode == _SYMLINK:
                return reader.read_link(entry.path), LINK
            return reader.read(entry.path), _mode(entry.new_mode)
        except OSError as error:
            path = self._root / entry.path
            raise CheckpointFailed(f"{path}: {error.strerror}; try again.") from error

    def _before(self, entries: Sequence[_Entry]) -> dict[str, FileSide]:
        """Return the old side of files, with the conversions of a checkout."""
        there = [each for each in entries if each.old_mode != _NONE]
        converted = self._converted([each.path for each in there if each.old_mode != _SYMLINK])
        sides: dict[str, FileSide] = {}
        for each, raw in zip(there, self._read(there), strict=True):
            data = raw
            if each.path in converted:
                words = ("cat-file", "--filters", f"--path={each.path}", each.old)
                data = self._git.run(*words)
            mode = LINK if each.old_mode == _SYMLINK else _mode(each.old_mode)
            sides[each.path] = (data, mode)

        return sides

    def _converted(self, paths: Sequence[str]) -> set[str]:
        """Return the paths whose bytes a checkout may change."""
        if self._converts:
            return set(paths)

        words = ("check-attr", "-z", "--stdin", *_CONVERTING)
        fields = split_names(self._git.run(*words, stdin=join_names(paths)))
        found = set()
        for path, _, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            if value not in {"unspecified", "unset"}:
                found.add(path)

        return found

    def _read(self, entries: Sequence[_Entry]) -> list[bytes]:
        """Return the contents of the old objects."""
        asked = "".join(f"{each.old}\n" for each in entries).encode("ascii")
        output = self._git.run("cat-file", "--batch", stdin=asked)
        contents = []
        at = 0
        for _ in entries:
            end = output.index(b"\n", at)
            size = int(output[at:end].split(b" ")[-1])
            contents.append(output[end + 1 : end + 1 + size])
            at = end + size + 2

        return contents


def _size(entry: _Entry, reader: FileReader) -> int:
    try:
        return reader.status(entry.path).st_size
    except OSError:
        return 0


def _mode(mode: str) -> int:
    return 0o755 if mode == _EXECUTABLE else 0o644


def _number(word: bytes) -> int | None:
    if word == b"-":
        return None
    return int(word)
