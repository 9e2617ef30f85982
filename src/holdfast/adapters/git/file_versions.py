"""Both versions of the files that differ between two snapshots: bytes and permissions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from holdfast.adapters.git.file_modes import usual_mode, with_execute_bit
from holdfast.adapters.git.git_command import Git, check_ignore, to_text
from holdfast.adapters.git.worktree_files import is_named
from holdfast.checkpoints.ports import FileVersion, FileVersions
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.adapters.git.worktree_files import WorktreeFiles
    from holdfast.checkpoints.checkpoint import WorktreeState

_SHAPES: Mapping[str, Literal["file", "link"]] = {
    "100644": "file",
    "100755": "file",
    "120000": "link",
}
_NOTHING = "000000"
_USUAL = (0o644, 0o755, 0o755)


@dataclass(frozen=True, slots=True)
class ObjectEntry:
    """An entry of a tree: its mode and its object, as git prints them."""

    mode: str
    object_id: str

    @property
    def shape(self) -> Literal["file", "link", "other"]:
        """What the entry is."""
        return _SHAPES.get(self.mode, "other")

    @property
    def executable(self) -> bool:
        """Whether git has the file as executable."""
        return self.mode == "100755"


@dataclass(frozen=True, slots=True)
class EntryPair:
    """The entries of one path in two trees; None where a tree has none."""

    path: str
    before: ObjectEntry | None
    after: ObjectEntry | None

    @property
    def object_ids(self) -> list[str]:
        """The objects of the entries that have content."""
        entries = [entry for entry in (self.before, self.after) if entry is not None]
        return [entry.object_id for entry in entries if entry.shape != "other"]


class VersionReader:
    """Reads the versions of files in the snapshots of one worktree."""

    def __init__(
        self, git: Git, disk: WorktreeFiles, tracked: Callable[[Iterable[str]], frozenset[str]]
    ) -> None:
        """Read objects with `git`, and the present permissions from the disk.

        `tracked` returns those of some paths that the user tracks.
        """
        self._git = git
        self._disk = disk
        self._tracked = tracked

    def read(
        self, before: WorktreeState, after: WorktreeState, largest: int
    ) -> tuple[FileVersions, ...]:
        """Return both versions of each file that differs; see the port `Worktree`."""
        pairs = self._without_ignored(self._differing(before, after))
        data = self._data_of(pairs, largest)
        modes = _Modes(before, after)
        versions = []
        for pair in pairs:
            now = self._disk.inspect(pair.path)
            is_there = now.shape in {"file", "link"} and not self._disk.is_beyond_link(pair.path)
            if pair.after is None and is_there:
                # Still there: git has begun to ignore the file.
                continue
            mode_after = now.file_mode
            if mode_after is None:
                mode_after = modes.after(pair.path, pair.after)
            mode_before = modes.before(pair, mode_after)
            versions.append(
                FileVersions(
                    pair.path,
                    _version(pair.before, mode_before, data),
                    _version(pair.after, mode_after, data),
                    self._changed_at(pair.path),
                )
            )

        return tuple(versions)

    def _differing(self, before: WorktreeState, after: WorktreeState) -> list[EntryPair]:
        """Return the paths whose entries or stored permissions differ."""
        pairs = []
        if before.tree != after.tree:
            options = ("-r", "-z", "--raw", "--no-renames")
            raw = self._git.run("diff-tree", *options, before.tree, after.tree)
            pairs = parse_raw_pairs(raw)

        listed = {pair.path for pair in pairs}
        with_other_mode = _with_other_mode(before.modes, after.modes)
        rest = sorted(with_other_mode - listed)
        return pairs + self._unchanged(rest, after.tree)

    def _without_ignored(self, pairs: list[EntryPair]) -> list[EntryPair]:
        """Leave out files that git ignores; a snapshot may have small ones of them.

        Not so where the rules have changed too, and the file was there before: then it may be
        ignored only since.
        """
        if not pairs:
            return []

        # Of a path below a link git cannot say anything, and fails for all others too.
        paths = [pair.path for pair in pairs if not self._disk.is_beyond_link(pair.path)]
        # Without the index: that of a snapshot has the ignored files too.
        matched = check_ignore(self._git, paths)
        ignored = matched - self._tracked(matched)
        if any(is_named(pair.path, ".gitignore") for pair in pairs):
            ignored -= {pair.path for pair in pairs if pair.before is not None}

        return [pair for pair in pairs if pair.path not in ignored]

    def _unchanged(self, paths: Sequence[str], tree: str) -> list[EntryPair]:
        """Return the pairs of files whose permissions alone have changed."""
        if not paths:
            return []

        listing = self._git.run("ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths)
        pairs = []
        for line in filter(None, listing.split(b"\0")):
            head, path = line.split(b"\t", 1)
            mode, _, object_id = head.decode("ascii").split()
            entry = ObjectEntry(mode, object_id)
            pairs.append(EntryPair(to_text(path), entry, entry))

        return pairs

    def _data_of(
        self, pairs: Iterable[EntryPair], largest: int
    ) -> dict[str, tuple[int, bytes | None]]:
        """Return the size and, of objects that are not too large, the bytes by object id."""
        ids: set[str] = set()
        for pair in pairs:
            ids.update(pair.object_ids)

        if not ids:
            return {}

        wanted = sorted(ids)
        sizes = self._sizes(wanted)
        small = [each for each in sizes if sizes[each] <= largest]
        contents = self._contents(small)
        return {each: (sizes.get(each, 0), contents.get(each)) for each in wanted}

    def _sizes(self, object_ids: Sequence[str]) -> dict[str, int]:
        output = self._git.run("cat-file", "--batch-check", stdin=_lines(object_ids))
        sizes = {}
        for line in output.decode("ascii").splitlines():
            object_id, kind, *size = line.split()
            if kind != "missing":
                sizes[object_id] = int(size[0])

        return sizes

    def _contents(self, object_ids: Sequence[str]) -> dict[str, bytes]:
        if not object_ids:
            return {}

        output = self._git.run("cat-file", "--batch", stdin=_lines(object_ids))
        contents = {}
        at = 0
        for object_id in object_ids:
            start = output.index(b"\n", at) + 1
            size = int(output[at:start].split()[2])
            contents[object_id] = output[start : start + size]
            at = start + size + 1

        return contents

    def _changed_at(self, path: str) -> int:
        try:
            return os.lstat(self._disk.location(path)).st_ctime_ns
        except OSError:
            return 0


def _with_other_mode(before: Mapping[str, int], after: Mapping[str, int]) -> set[str]:
    """Return the paths whose stored permissions differ."""
    differing = set(before.items()) ^ set(after.items())
    return {path for path, _ in differing}


class _Modes:
    """The permissions in two snapshots, which store only unusual ones."""

    def __init__(self, before: WorktreeState, after: WorktreeState) -> None:
        self._before = before.modes
        self._after = after.modes
        self._usual = after.usual or _USUAL

    def after(self, path: str, entry: ObjectEntry | None) -> int:
        executable = entry is not None and entry.executable
        return self._after.get(path, usual_mode(self._usual, executable=executable))

    def before(self, pair: EntryPair, mode_after: int) -> int:
        stored = self._before.get(pair.path)
        executable = pair.before is not None and pair.before.executable
        if stored is not None:
            return stored
        if pair.after is None or pair.path in self._after:
            return usual_mode(self._usual, executable=executable)

        return with_execute_bit(mode_after, executable=executable)


def _version(
    entry: ObjectEntry | None, mode: int, data: Mapping[str, tuple[int, bytes | None]]
) -> FileVersion | None:
    if entry is None:
        return None
    if entry.shape == "other":
        return FileVersion("other", 0, 0, None)

    size, content = data[entry.object_id]
    if entry.shape == "link":
        mode = 0

    return FileVersion(entry.shape, mode, size, content)


def parse_raw_pairs(data: bytes) -> list[EntryPair]:
    """Parse the output of `diff-tree --raw -z`."""
    fields = data.split(b"\0")
    pairs = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old_id, new_id, _ = head.decode("ascii").lstrip(":").split()
        pairs.append(EntryPair(to_text(path), _entry(old_mode, old_id), _entry(new_mode, new_id)))
    return pairs


def _entry(mode: str, object_id: str) -> ObjectEntry | None:
    if mode == _NOTHING:
        return None
    return ObjectEntry(mode, object_id)


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode("ascii")
