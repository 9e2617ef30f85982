"""The way back is planned from what differs, what the checkpoint left out, and what is on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdfast.checkpoints.checkpoint import Skipped
from holdfast.checkpoints.restore_plan import (
    GITLINK,
    Blocked,
    Difference,
    RestorePlan,
    TreeEntry,
    plan,
    removals,
)
from holdfast.checkpoints.selection import Look

FILE = TreeEntry("100644", "a" * 40)
OTHER = TreeEntry("100644", "b" * 40)


@dataclass
class Ground:
    """A disk in memory: what is at each path."""

    there: dict[str, Look] = field(default_factory=dict)
    repositories: tuple[str, ...] = ()

    def look(self, path: str) -> Look:
        return self.there.get(path, Look("absent"))

    def below(self, directory: str) -> Iterator[str]:
        return (
            path
            for path, look in self.there.items()
            if path.startswith(f"{directory}/") and look.shape != "directory"
        )

    def in_nested_repository(self, path: str) -> bool:
        return any(path.startswith(f"{each}/") for each in self.repositories)


def _plan(
    *differences: Difference, ground: Ground | None = None, **known: frozenset[str]
) -> RestorePlan | Blocked:
    skipped = [Skipped(path, "too large") for path in known.get("skipped", ())]
    ignored, absent = known.get("ignored", frozenset()), known.get("absent", frozenset())
    return plan(
        differences,
        skipped,
        ignored,
        absent,
        ground or Ground(),
        hidden=known.get("hidden", frozenset()),
    )


def test_plain_differences_need_nothing() -> None:
    made, changed, gone = (
        Difference("a", None, FILE),
        Difference("b", OTHER, FILE),
        Difference("c", FILE, None),
    )
    assert _plan(made, changed, gone) == RestorePlan((), ())


def test_what_lies_where_a_file_is_to_come_is_captured_first() -> None:
    ground = Ground({"a": Look("file", 3), "l": Look("link")})
    assert _plan(
        Difference("a", None, FILE), Difference("l/x", None, FILE), ground=ground
    ) == RestorePlan(("a", "l"), ())


def test_nothing_is_looked_at_beyond_a_symlink() -> None:
    ground = Ground({"l": Look("link"), "l/x": Look("file"), "l/y": Look("file")})
    made = Difference("l/x", None, FILE), Difference("l/y", None, FILE)
    assert _plan(*made, ground=ground) == RestorePlan(("l",), ())
    assert _plan(
        *made, Difference("l", TreeEntry("120000", "c" * 40), None), ground=ground
    ) == RestorePlan((), ())


def test_a_directory_with_captured_files_only_gives_way() -> None:
    ground = Ground({"d": Look("directory"), "d/a": Look("file")})
    assert _plan(
        Difference("d", None, FILE), Difference("d/a", FILE, None), ground=ground
    ) == RestorePlan((), ())


def test_a_directory_with_any_other_file_blocks() -> None:
    ground = Ground({"d": Look("directory"), "d/a": Look("file"), "d/ignored": Look("file")})
    blocked = _plan(Difference("d", None, FILE), Difference("d/a", FILE, None), ground=ground)
    assert blocked == Blocked(
        "d/ignored", "d/ignored: this is in no checkpoint, and the file d is to stand there"
    )


def test_what_cannot_be_captured_blocks() -> None:
    for look in (Look("other"), Look("file", readable=False)):
        blocked = _plan(Difference("p", None, FILE), ground=Ground({"p": look}))
        assert blocked == Blocked(
            "p", "p: this cannot be kept in a checkpoint, and p is to stand there"
        )


def test_removals_that_the_checkpoint_skipped_ignored_or_that_are_in_a_repository_stay() -> None:
    gone = [
        Difference(path, FILE, None) for path in ("big", "nested/x", "a.log", "repo/y", "plain")
    ]
    planned = _plan(
        *gone,
        ground=Ground(repositories=("repo",)),
        skipped=frozenset({"big", "nested"}),
        ignored=frozenset({"a.log"}),
    )
    assert planned == RestorePlan((), tuple(gone[:4]))


def test_submodules_and_what_a_sparse_checkout_keeps_off_the_disk_stay() -> None:
    link = TreeEntry(GITLINK, "d" * 40)
    odd = [
        Difference("sub", link, None),
        Difference("sub2", None, link),
        Difference("off", OTHER, FILE),
    ]
    assert _plan(*odd, absent=frozenset({"off"})) == RestorePlan((), tuple(odd))


def test_only_what_comes_anew_can_meet_something_that_no_snapshot_has() -> None:
    """A path that the present snapshot has is captured already, and a submodule stays as it is."""
    ground = Ground({"b": Look("other"), "sub": Look("other"), "gone": Look("other")})
    submodule = Difference("sub", None, TreeEntry(GITLINK, "d" * 40))
    changed, gone = Difference("b", OTHER, FILE), Difference("gone", FILE, None)
    assert _plan(changed, submodule, gone, ground=ground) == RestorePlan((), (submodule,))


def test_what_a_sparse_checkout_keeps_off_the_disk_meets_nothing() -> None:
    arriving = Difference("off", None, FILE)
    assert _plan(
        arriving, ground=Ground({"off": Look("other")}), absent=frozenset({"off"})
    ) == RestorePlan((), (arriving,))


def test_a_path_on_the_way_that_is_captured_once_is_not_looked_at_again() -> None:
    ground = Ground({"f": Look("file"), "g": Look("file"), "d": Look("directory")})
    made = [Difference(path, None, FILE) for path in ("f/x", "f/y/z", "g", "d/new", "free/x")]
    assert _plan(*made, ground=ground) == RestorePlan(("f", "g"), ())


def test_what_is_hidden_by_a_rule_by_now_stays_whether_it_would_go_or_change() -> None:
    gone, changed = Difference("gone", FILE, None), Difference("changed", OTHER, FILE)
    plain = Difference("plain", OTHER, FILE)
    assert _plan(gone, changed, plain, hidden=frozenset({"gone", "changed"})) == RestorePlan(
        (), (gone, changed)
    )


def test_what_changes_is_not_kept_because_the_checkpoint_ignored_or_skipped_it() -> None:
    changed = [Difference(path, OTHER, FILE) for path in ("a.log", "big", "repo/y")]
    planned = _plan(
        *changed,
        ground=Ground(repositories=("repo",)),
        skipped=frozenset({"big"}),
        ignored=frozenset({"a.log"}),
    )
    assert planned == RestorePlan((), ())


def test_what_stands_in_the_way_of_an_arriving_path_cannot_stay() -> None:
    """A file where a directory is to come, and what is below a directory where a file is to come."""
    in_the_way = [Difference("f", FILE, None), Difference("d/a", FILE, None)]
    beside = Difference("e", FILE, None)
    arriving = [Difference("f/x", None, FILE), Difference("d", None, FILE)]
    names = frozenset({"f", "d/a", "e"})
    ground = Ground(
        {"f": Look("file"), "d": Look("directory"), "d/a": Look("file"), "e": Look("file")}
    )
    assert _plan(*in_the_way, beside, *arriving, ground=ground, ignored=names) == RestorePlan(
        (), (beside,)
    )
    assert _plan(*in_the_way, beside, *arriving, ground=ground, hidden=names) == RestorePlan(
        (), (beside,)
    )


def test_removals_are_the_paths_that_the_target_does_not_have() -> None:
    made, changed, gone = (
        Difference("a", None, FILE),
        Difference("b", OTHER, FILE),
        Difference("c", FILE, None),
    )
    assert removals([made, changed, gone]) == ("c",)
