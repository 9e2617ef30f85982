"""The difference of two trees, merged into files that have changed since: exact, or a conflict."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.changes.plan import ChangePlan
from holdfast.changes.rebase.merge_difference import FileState, merge_difference
from holdfast.changes.rebase.three_way import merge_bytes
from holdfast.changes.swaps import LINK, Content, Swap

OLD = b"1\n2\n3\n4\n5\n"
NEW = b"1\n2\n3\n4\nfive\n"
NOW = b"one\n2\n3\n4\n5\n"
BOTH = b"one\n2\n3\n4\nfive\n"
CURE = "update the worktree, or change one of the two."
PLAIN, PROGRAM = 0o644, 0o755


def merged(root: Path, before: FileState, after: FileState) -> tuple[Swap, ...] | str:
    """Return the swaps of a merge of one file, or the message of its conflict."""
    files = DiskFiles(str(root))
    trees = [{} if state is None else {"a": state} for state in (before, after)]
    found = merge_difference(trees[0], trees[1], files)
    if isinstance(found, ChangePlan):
        return found.swaps
    [refused] = found
    assert refused.path == "a"
    return refused.refused.message


def swaps_of(root: Path, before: FileState, after: FileState) -> tuple[Swap, ...]:
    found = merged(root, before, after)
    assert not isinstance(found, str), found
    return found


def write(root: Path, content: bytes, mode: int = PLAIN) -> None:
    (root / "a").write_bytes(content)
    (root / "a").chmod(mode)


@pytest.mark.parametrize(
    ("now", "after"),
    [(OLD, NEW), (NOW, BOTH)],
    ids=["as before", "changed elsewhere"],
)
def test_an_edit_is_made_in_the_file_as_it_is_now(tmp_path: Path, now: bytes, after: bytes) -> None:
    write(tmp_path, now)
    [swap] = swaps_of(tmp_path, (OLD, PLAIN), (NEW, PLAIN))
    assert (swap.before, swap.after) == (Content(now, PLAIN), Content(after, PLAIN))


def test_what_is_there_already_is_left_out(tmp_path: Path) -> None:
    assert merged(tmp_path, (OLD, PLAIN), None) == ()
    write(tmp_path, NEW)
    assert merged(tmp_path, (OLD, PLAIN), (NEW, PLAIN)) == ()


@pytest.mark.parametrize(
    ("before", "after", "now", "why"),
    [
        (OLD, NEW, None, "it was removed in the project, and changed in the worktree"),
        (OLD, None, NOW, "it was changed in the project, and removed in the worktree"),
        (None, NEW, NOW, "it was made in the project and in the worktree, with other contents"),
        (
            OLD,
            NEW,
            b"1\n2\n3\n4\nV\n",
            "line 5 of the project's file: changed in the project and in the worktree",
        ),
        (
            b"\0old",
            b"\0new",
            b"\0now",
            "this is not text, and was changed in the project and in the worktree",
        ),
    ],
)
def test_what_both_sides_changed_is_a_conflict_with_its_reason(
    tmp_path: Path, before: bytes | None, after: bytes | None, now: bytes | None, why: str
) -> None:
    states = [None if each is None else (each, PLAIN) for each in (before, after)]
    if now is not None:
        write(tmp_path, now)
    assert merged(tmp_path, *states) == f"a: {why}; {CURE}"


@pytest.mark.parametrize(
    ("old", "new", "now", "mode"),
    [
        (PLAIN, PROGRAM, 0o640, 0o750),
        (PROGRAM, PLAIN, 0o750, 0o640),
        (PLAIN, PLAIN, 0o600, 0o600),
    ],
)
def test_a_new_mode_is_applied_to_the_present_one(
    tmp_path: Path, old: int, new: int, now: int, mode: int
) -> None:
    write(tmp_path, NOW, now)
    [swap] = swaps_of(tmp_path, (OLD, old), (NEW, new))
    assert swap.after == Content(BOTH, mode)


def test_a_link_is_replaced_whole_and_never_merged(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("now")
    assert merged(tmp_path, (b"old", LINK), (b"new", LINK)) == (
        f"a: this is not text, and was changed in the project and in the worktree; {CURE}"
    )
    [swap] = swaps_of(tmp_path, (b"now", LINK), (b"new", LINK))
    assert (swap.before, swap.after) == (Content(b"now", LINK), Content(b"new", LINK))


def test_a_file_below_a_link_to_a_folder_is_a_conflict(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to("real")
    trees = {"linked/a": (OLD, PLAIN)}, {"linked/a": (NEW, PLAIN)}
    found = merge_difference(*trees, DiskFiles(str(tmp_path)))
    assert isinstance(found, tuple)
    [refused] = found
    assert refused.refused.message == (
        f"linked/a: a folder above it is a link in the project; {CURE}"
    )


@pytest.mark.parametrize(
    ("wanted", "present", "expected"),
    [
        (b"A\nb\nc\nd\n", b"a\nb\nC\nd\n", b"A\nb\nC\nd\n"),
        # Edits without a line between them: their order is unknown.
        (b"A\nb\nc\nd\n", b"a\nB\nc\nd\n", (range(2, 3),)),
        (b"a\nB\nc\nd\n", b"A\nb\nc\nd\n", (range(1, 2),)),
        (b"a\nx\nb\nc\nd\n", b"a\ny\nb\nc\nd\n", (range(2, 3),)),
        (b"a\nb\nc\n", b"a\nb\nc\nd\ne\n", (range(5, 6),)),
    ],
)
def test_edits_that_touch_are_named_by_the_lines_of_the_present(
    wanted: bytes, present: bytes, expected: bytes | tuple[range, ...]
) -> None:
    assert merge_bytes(b"a\nb\nc\nd\n", wanted, present) == expected
