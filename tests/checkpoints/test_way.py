"""The way back is planned from what differs, what the checkpoint left out, and what is on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdfast.checkpoints.checkpoint import Skipped
from holdfast.checkpoints.selection import Look
from holdfast.checkpoints.way import GITLINK, Blocked, Difference, Entry, Plan, plan

FILE = Entry("100644", "a" * 40)
OTHER = Entry("100644", "b" * 40)


@dataclass
class Ground:
    """A disk in memory: what is at each path."""

    there: dict[str, Look] = field(default_factory=dict)
    repositories: tuple[str, ...] = ()

    def look(self, path: str) -> Look:
        return self.there.get(path, Look("absent"))

    def below(self, directory: str) -> Iterator[str]:
        return (
            path for path, look in self.there.items() if path.startswith(f"{directory}/") and look.shape != "directory"
        )

    def in_nested_repository(self, path: str) -> bool:
        return any(path.startswith(f"{each}/") for each in self.repositories)


def _plan(*differences: Difference, ground: Ground | None = None, **known: frozenset[str]) -> Plan | Blocked:
    skipped = [Skipped(path, "too large") for path in known.get("skipped", ())]
    ignored, absent = known.get("ignored", frozenset()), known.get("absent", frozenset())
    return plan(differences, skipped, ignored, absent, ground or Ground())


def test_plain_differences_need_nothing() -> None:
    made, changed, gone = Difference("a", None, FILE), Difference("b", OTHER, FILE), Difference("c", FILE, None)
    assert _plan(made, changed, gone) == Plan((), ())


def test_what_lies_where_a_file_is_to_come_is_captured_first() -> None:
    ground = Ground({"a": Look("file", 3), "l": Look("link")})
    assert _plan(Difference("a", None, FILE), Difference("l/x", None, FILE), ground=ground) == Plan(("a", "l"), ())


def test_nothing_is_looked_at_beyond_a_symlink() -> None:
    ground = Ground({"l": Look("link"), "l/x": Look("file"), "l/y": Look("file")})
    made = Difference("l/x", None, FILE), Difference("l/y", None, FILE)
    assert _plan(*made, ground=ground) == Plan(("l",), ())
    assert _plan(*made, Difference("l", Entry("120000", "c" * 40), None), ground=ground) == Plan((), ())


def test_a_directory_with_captured_files_only_gives_way() -> None:
    ground = Ground({"d": Look("directory"), "d/a": Look("file")})
    assert _plan(Difference("d", None, FILE), Difference("d/a", FILE, None), ground=ground) == Plan((), ())


def test_a_directory_with_any_other_file_blocks() -> None:
    ground = Ground({"d": Look("directory"), "d/a": Look("file"), "d/ignored": Look("file")})
    blocked = _plan(Difference("d", None, FILE), Difference("d/a", FILE, None), ground=ground)
    assert isinstance(blocked, Blocked)
    assert blocked.path == "d/ignored"


def test_what_cannot_be_captured_blocks() -> None:
    for look in (Look("other"), Look("file", readable=False)):
        blocked = _plan(Difference("p", None, FILE), ground=Ground({"p": look}))
        assert blocked == Blocked("p", "p: this cannot be kept in a checkpoint, and p is to stand there")


def test_removals_that_the_checkpoint_skipped_ignored_or_that_are_in_a_repository_stay() -> None:
    gone = [Difference(path, FILE, None) for path in ("big", "nested/x", "a.log", "repo/y", "plain")]
    planned = _plan(
        *gone,
        ground=Ground(repositories=("repo",)),
        skipped=frozenset({"big", "nested"}),
        ignored=frozenset({"a.log"}),
    )
    assert planned == Plan((), tuple(gone[:4]))


def test_submodules_and_what_a_sparse_checkout_keeps_off_the_disk_stay() -> None:
    link = Entry(GITLINK, "d" * 40)
    odd = [Difference("sub", link, None), Difference("sub2", None, link), Difference("off", OTHER, FILE)]
    assert _plan(*odd, absent=frozenset({"off"})) == Plan((), tuple(odd))
