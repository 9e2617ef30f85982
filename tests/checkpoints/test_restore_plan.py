"""A restore is planned from what differs, what the checkpoint left out, and what is on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from holdfast.checkpoints.checkpoint import Skipped
from holdfast.checkpoints.difference import Difference, TreeEntry
from holdfast.checkpoints.ports import Blocked, FileInfo
from holdfast.checkpoints.restore_plan import (
    GITLINK,
    RestoreFacts,
    RestorePlan,
    plan_restore,
    removals,
    rule_for,
)

FILE = TreeEntry("100644", "a" * 40)
OTHER = TreeEntry("100644", "b" * 40)


@dataclass
class MemoryWorktree:
    """A disk in memory: what is at each path."""

    there: dict[str, FileInfo] = field(default_factory=dict)
    repositories: tuple[str, ...] = ()

    def inspect(self, path: str) -> FileInfo:
        return self.there.get(path, FileInfo("absent"))

    def below(self, directory: str) -> Iterator[str]:
        return (
            path
            for path, info in self.there.items()
            if path.startswith(f"{directory}/") and info.shape != "directory"
        )

    def in_nested_repository(self, path: str) -> bool:
        return any(path.startswith(f"{each}/") for each in self.repositories)


@dataclass(frozen=True)
class Planned:
    """What is captured first, what stays, and what is replaced although nothing captures it."""

    captures: tuple[str, ...]
    keep: tuple[Difference, ...]
    special: tuple[str, ...] = ()


def _plan(
    *differences: Difference, worktree: MemoryWorktree | None = None, **known: frozenset[str]
) -> Planned | Blocked:
    none: frozenset[str] = frozenset()
    planned = plan_restore(
        differences,
        [Skipped(path, "too large") for path in known.get("skipped", none)],
        known.get("ignored", none),
        worktree or MemoryWorktree(),
        outside=known.get("outside", none),
    )
    if isinstance(planned, Blocked):
        return planned
    assert isinstance(planned, RestorePlan)
    kept = tuple(each.difference for each in planned.keep)
    return Planned(planned.captures, kept, planned.special)


def test_plain_differences_need_nothing() -> None:
    made, changed, gone = (
        Difference("a", None, FILE),
        Difference("b", OTHER, FILE),
        Difference("c", FILE, None),
    )
    assert _plan(made, changed, gone) == Planned((), ())


def test_what_lies_where_a_file_is_to_come_is_captured_first() -> None:
    worktree = MemoryWorktree({"a": FileInfo("file", 3), "l": FileInfo("link")})
    assert _plan(
        Difference("a", None, FILE), Difference("l/x", None, FILE), worktree=worktree
    ) == Planned(("a", "l"), ())


def test_nothing_is_looked_at_beyond_a_symlink() -> None:
    worktree = MemoryWorktree(
        {"l": FileInfo("link"), "l/x": FileInfo("file"), "l/y": FileInfo("file")}
    )
    made = Difference("l/x", None, FILE), Difference("l/y", None, FILE)
    assert _plan(*made, worktree=worktree) == Planned(("l",), ())
    assert _plan(
        *made, Difference("l", TreeEntry("120000", "c" * 40), None), worktree=worktree
    ) == Planned((), ())


def test_a_directory_with_captured_files_only_gives_way() -> None:
    worktree = MemoryWorktree({"d": FileInfo("directory"), "d/a": FileInfo("file")})
    assert _plan(
        Difference("d", None, FILE), Difference("d/a", FILE, None), worktree=worktree
    ) == Planned((), ())


def test_a_directory_with_any_other_file_blocks() -> None:
    worktree = MemoryWorktree(
        {"d": FileInfo("directory"), "d/a": FileInfo("file"), "d/ignored": FileInfo("file")}
    )
    blocked = _plan(Difference("d", None, FILE), Difference("d/a", FILE, None), worktree=worktree)
    assert blocked == Blocked(
        "d/ignored", "d/ignored: this is in no checkpoint, and the file d would replace it"
    )


def test_what_cannot_be_read_blocks() -> None:
    unreadable = MemoryWorktree({"p": FileInfo("file", readable=False)})
    assert _plan(Difference("p", None, FILE), worktree=unreadable) == Blocked(
        "p", "p: this cannot be read, so no checkpoint has it, and p would replace it"
    )


def test_a_pipe_is_replaced_also_where_a_directory_was() -> None:
    worktree = MemoryWorktree({"p": FileInfo("other"), "d": FileInfo("other")})
    made = [Difference(path, None, FILE) for path in ("p", "d/a", "d/b")]
    assert _plan(*made, worktree=worktree) == Planned((), (), ("p", "d"))


def test_removals_that_the_checkpoint_skipped_ignored_or_that_are_in_a_repository_stay() -> None:
    gone = [
        Difference(path, FILE, None) for path in ("big", "nested/x", "a.log", "repo/y", "plain")
    ]
    planned = _plan(
        *gone,
        worktree=MemoryWorktree(repositories=("repo",)),
        skipped=frozenset({"big", "nested"}),
        ignored=frozenset({"a.log"}),
    )
    assert planned == Planned((), tuple(gone[:4]))


def test_submodules_stay_and_what_was_outside_a_sparse_checkout() -> None:
    link = TreeEntry(GITLINK, "d" * 40)
    odd = [
        Difference("sub", link, None),
        Difference("sub2", None, link),
        Difference("off", OTHER, None),
    ]
    assert _plan(*odd, outside=frozenset({"off"})) == Planned((), tuple(odd))


def test_only_what_comes_anew_can_meet_something_that_no_snapshot_has() -> None:
    """A path that the present snapshot has is captured already, and a submodule stays as it is."""
    worktree = MemoryWorktree(
        {"b": FileInfo("other"), "sub": FileInfo("other"), "gone": FileInfo("other")}
    )
    submodule = Difference("sub", None, TreeEntry(GITLINK, "d" * 40))
    changed, gone = Difference("b", OTHER, FILE), Difference("gone", FILE, None)
    assert _plan(changed, submodule, gone, worktree=worktree) == Planned((), (submodule,))


def test_a_path_on_the_way_that_is_captured_once_is_not_looked_at_again() -> None:
    worktree = MemoryWorktree(
        {"f": FileInfo("file"), "g": FileInfo("file"), "d": FileInfo("directory")}
    )
    made = [Difference(path, None, FILE) for path in ("f/x", "f/y/z", "g", "d/new", "free/x")]
    assert _plan(*made, worktree=worktree) == Planned(("f", "g"), ())


def test_what_changes_is_not_kept_because_the_checkpoint_ignored_or_skipped_it() -> None:
    changed = [Difference(path, OTHER, FILE) for path in ("a.log", "big", "repo/y")]
    planned = _plan(
        *changed,
        worktree=MemoryWorktree(repositories=("repo",)),
        skipped=frozenset({"big"}),
        ignored=frozenset({"a.log"}),
    )
    assert planned == Planned((), ())


def test_what_stands_in_the_way_of_an_arriving_path_cannot_stay() -> None:
    """A file where a directory is to come, and what is below a directory where a file is to come."""
    in_the_way = [Difference("f", FILE, None), Difference("d/a", FILE, None)]
    beside = Difference("e", FILE, None)
    arriving = [Difference("f/x", None, FILE), Difference("d", None, FILE)]
    names = frozenset({"f", "d/a", "e"})
    worktree = MemoryWorktree(
        {
            "f": FileInfo("file"),
            "d": FileInfo("directory"),
            "d/a": FileInfo("file"),
            "e": FileInfo("file"),
        }
    )
    assert _plan(*in_the_way, beside, *arriving, worktree=worktree, ignored=names) == Planned(
        (), (beside,)
    )


def test_removals_are_the_paths_that_the_target_does_not_have() -> None:
    made, changed, gone = (
        Difference("a", None, FILE),
        Difference("b", OTHER, FILE),
        Difference("c", FILE, None),
    )
    assert removals([made, changed, gone]) == ("c",)


SUBMODULE = TreeEntry(GITLINK, "d" * 40)


def _facts(**known: frozenset[str]) -> RestoreFacts:
    names = ("skipped", "ignored", "outside", "old_directories", "arriving", "arriving_parents")
    none: frozenset[str] = frozenset()
    sets = {name: known.get(name, none) for name in names}
    return RestoreFacts(**sets, worktree=MemoryWorktree(repositories=("repo",)))


@pytest.mark.parametrize(
    ("difference", "facts", "action", "reason"),
    [
        (
            Difference("p", OTHER, None),
            _facts(outside=frozenset({"p"})),
            "keep",
            "the sparse checkout has it since",
        ),
        (
            Difference("p", FILE, SUBMODULE),
            _facts(),
            "keep",
            "a submodule has a history of its own",
        ),
        (
            Difference("p", SUBMODULE, None),
            _facts(arriving_parents=frozenset({"p"})),
            "keep",
            "a submodule has a history of its own",
        ),
        (
            Difference("d/p", FILE, None),
            _facts(arriving=frozenset({"d"}), ignored=frozenset({"d/p"})),
            "write",
            "a path of the target needs its place",
        ),
        (
            Difference("p", FILE, None),
            _facts(arriving_parents=frozenset({"p"}), ignored=frozenset({"p"})),
            "write",
            "a path of the target needs its place",
        ),
        (
            Difference("d/.gitignore", OTHER, None),
            _facts(ignored=frozenset({"d/.gitignore"}), old_directories=frozenset({"d"})),
            "write",
            "the target has other ignore rules",
        ),
        (
            Difference("new/.gitignore", OTHER, None),
            _facts(ignored=frozenset({"new/.gitignore"})),
            "keep",
            "it is ignored, and newer than the checkpoint",
        ),
        (
            Difference("repo/p", OTHER, FILE),
            _facts(ignored=frozenset({"repo/p"}), skipped=frozenset({"repo/p"})),
            "write",
            "the target has the path",
        ),
        (
            Difference("p", FILE, None),
            _facts(ignored=frozenset({"p"})),
            "keep",
            "it is ignored, and newer than the checkpoint",
        ),
        (
            Difference("d/p", FILE, None),
            _facts(skipped=frozenset({"d"})),
            "keep",
            "the checkpoint had left it out",
        ),
        (
            Difference("repo/p", FILE, None),
            _facts(),
            "keep",
            "a repository inside has a history of its own",
        ),
        (
            Difference("p", FILE, None),
            _facts(),
            "write",
            "the target does not have the path",
        ),
    ],
)
def test_the_first_rule_that_applies_decides_and_names_its_reason(
    difference: Difference, facts: RestoreFacts, action: str, reason: str
) -> None:
    rule = rule_for(difference, facts)
    assert (rule.action, rule.reason) == (action, reason)
