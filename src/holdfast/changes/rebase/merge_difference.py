"""The difference of two trees, merged into files that may have changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileFound, FileUnfit
from holdfast.changes.rebase.three_way import merge_bytes
from holdfast.changes.swaps import LINK
from holdfast.changes.tree_difference import plan_of_difference
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.plan import ChangePlan
    from holdfast.changes.ports import Files
    from holdfast.changes.tree_difference import TreeOf

FileState: TypeAlias = tuple[bytes, int] | None
"""The bytes and the mode of a file; None for no file."""

_EXECUTE = 0o111
_BOTH = "changed in the project and in the worktree"
_CURE = "update the worktree, or change one of the two"


def merge_difference(
    before: TreeOf, after: TreeOf, files: Files
) -> ChangePlan | tuple[FileRefused, ...]:
    """Return the plan that makes the difference of two trees in `files`, or the conflicts.

    What is in the files already is left out; so the plan can be empty.
    """
    present: dict[str, tuple[bytes, int]] = {}
    wanted: dict[str, tuple[bytes, int]] = {}
    conflicts: list[FileRefused] = []
    for path in sorted({*before, *after}):
        now = _look(files, path)
        if isinstance(now, FileRefused):
            conflicts.append(now)
            continue
        merged = _merge(path, before.get(path), after.get(path), now)
        if isinstance(merged, FileRefused):
            conflicts.append(merged)
            continue
        if now is not None:
            present[path] = now
        if merged is not None:
            wanted[path] = merged

    if conflicts:
        return tuple(conflicts)

    return plan_of_difference(present, wanted)


def _look(files: Files, path: str) -> tuple[bytes, int] | FileRefused | None:
    """Return the content and mode at a path, None without a file, or why there can be none."""
    target = files.link(path)
    if target is not None:
        return target, LINK

    looked = files.look(path)
    if isinstance(looked, FileUnfit):
        return FileRefused(path, Refused(looked.reason, looked.message))
    if looked.at != path:
        return _conflict(path, "a folder above it is a link in the project")
    if isinstance(looked, FileFound):
        return looked.data, looked.mode

    return None


def _merge(
    path: str, old: FileState, new: FileState, now: FileState
) -> tuple[bytes, int] | FileRefused | None:
    """Return what is to be at a path, None for no file, or the conflict."""
    if _same(now, new):
        return now
    if _same(now, old):
        return _with_mode(new, now)
    if old is None or new is None or now is None:
        return _conflict(path, _why_one_missing(new, now))

    merged: bytes | tuple[range, ...] = ()
    if LINK not in (old[1], new[1], now[1]):
        merged = merge_bytes(old[0], new[0], now[0])

    if isinstance(merged, bytes):
        return _with_mode((merged, new[1]), now, was=old)
    if not merged:
        return _conflict(path, f"this is not text, and was {_BOTH}")

    return _conflict(path, f"{_lines(merged)} of the project's file: {_BOTH}")


def _why_one_missing(new: FileState, now: FileState) -> str:
    if now is None:
        return "it was removed in the project, and changed in the worktree"
    if new is None:
        return "it was changed in the project, and removed in the worktree"
    return "it was made in the project and in the worktree, with other contents"


def _same(one: FileState, other: FileState) -> bool:
    """Return whether two files have the same bytes and are of one kind."""
    if one is None or other is None:
        return one is other
    return one[0] == other[0] and _kind(one[1]) == _kind(other[1])


def _kind(mode: int) -> int:
    """Return which of three a file is: a link, a program, neither."""
    if mode == LINK:
        return LINK
    return mode & _EXECUTE and 1


def _with_mode(
    new: FileState,
    now: FileState,
    was: FileState = None,
) -> tuple[bytes, int] | None:
    """Return the new file with the mode of the present one, unless the new one differs in kind."""
    if new is None or now is None:
        return new

    compared = was or now
    if LINK in (new[1], now[1]):
        return new
    if _kind(compared[1]) == _kind(new[1]):
        return new[0], now[1]
    if _kind(new[1]):
        # Whoever may read it may run it.
        return new[0], now[1] | (now[1] & 0o444) >> 2

    return new[0], now[1] & ~_EXECUTE


def _conflict(path: str, why: str) -> FileRefused:
    return FileRefused(path, Refused("conflict", f"{path}: {why}; {_CURE}."))


def _lines(ranges: Sequence[range]) -> str:
    """Return the numbers of lines in words."""
    words = [
        str(each.start) if len(each) == 1 else f"{each.start}-{each.stop - 1}" for each in ranges
    ]
    noun = "line" if len(ranges) == 1 and len(ranges[0]) == 1 else "lines"
    return f"{noun} {', '.join(words)}"
