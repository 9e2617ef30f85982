"""Which ignored files a checkpoint keeps, and why it does not keep the others."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.checkpoints.checkpoint import Skipped
from holdfast.checkpoints.ignored_files import choose_ignored
from holdfast.checkpoints.limits import IgnoredBudget
from holdfast.checkpoints.ports import FileInfo

BUDGET = IgnoredBudget(file=100, files=3, total=150, folders=frozenset({"build"}))


@dataclass
class Disk:
    """Files by path, and directories whose entries cannot be read (port `IgnoredDisk`)."""

    sizes: dict[str, int]
    unreadable: set[str] = field(default_factory=set)

    def inspect(self, path: str) -> FileInfo:
        if path in self.sizes:
            return FileInfo("file", self.sizes[path])
        if any(name.startswith(f"{path}/") for name in self.sizes):
            return FileInfo("directory")
        return FileInfo("absent", readable=path not in self.unreadable)

    def is_excluded(self, path: str) -> bool:
        return path == ".holdfast-own"

    def files_in(self, directory: str, at_most: int) -> tuple[list[str], list[str]] | None:
        below = [name for name in self.sizes if name.startswith(f"{directory}/")]
        return None if len(below) > at_most else (below, [])


def test_a_directory_is_kept_whole_and_a_repository_in_it_is_not() -> None:
    disk = Disk({"notes/a": 1, "notes/b": 2, "other/.git/HEAD": 1, "other/c": 1})
    choice = choose_ignored(["notes/", "other/"], {}, BUDGET, disk)
    assert choice.take == {"notes/a": 1, "notes/b": 2}
    assert list(choice.skipped) == [Skipped("other", "nested repository")]


def test_a_directory_that_cannot_be_read_is_named() -> None:
    choice = choose_ignored(["shut/"], {}, BUDGET, Disk({}, {"shut/.git"}))
    assert list(choice.skipped) == [Skipped("shut", "unreadable")]


def test_what_exceeds_the_budget_is_named_single_files_come_first() -> None:
    disk = Disk({"one": 60, "two": 60, "three": 60, "large": 101, "d/a": 1, "d/b": 1, "d/c": 1})
    choice = choose_ignored(["d/", "one", "two", "three", "large", "build/x"], {}, BUDGET, disk)
    assert choice.take == {"one": 60, "three": 60}
    assert list(choice.skipped) == [
        Skipped("build", "ignored, in a build folder"),
        Skipped("large", "ignored, too large"),
        Skipped("d", "ignored, over the budget"),
        Skipped("two", "ignored, over the budget"),
    ]


def test_twenty_paths_over_the_budget_are_named_and_of_more_their_folder() -> None:
    """Each of them fits alone; three fit together."""

    def named(count: int) -> set[str]:
        sizes = {f"logs/{number}": 1 for number in range(count + BUDGET.files)}
        choice = choose_ignored(list(sizes), {}, BUDGET, Disk(sizes))
        assert len(choice.take) == BUDGET.files
        assert {each.why for each in choice.skipped} == {"ignored, over the budget"}
        return {each.path for each in choice.skipped}

    assert len(named(20)) == 20
    assert named(21) == {"logs/"}


def test_our_own_files_are_neither_kept_nor_named() -> None:
    choice = choose_ignored([".holdfast-own/"], {}, BUDGET, Disk({".holdfast-own/a": 1}))
    assert (choice.take, list(choice.skipped)) == ({}, [])


@dataclass
class Folders(Disk):
    """Directories with others in them that are not listed: repositories and build folders."""

    others: list[str] = field(default_factory=list)

    def files_in(self, directory: str, at_most: int) -> tuple[list[str], list[str]] | None:
        found = super().files_in(directory, at_most)
        return None if found is None else (found[0], self.others)


def test_folders_in_an_ignored_directory_are_named_by_what_they_are() -> None:
    disk = Folders({"notes/a": 1}, others=["notes/build", "notes/inner"])
    choice = choose_ignored(["notes/"], {}, BUDGET, disk)
    assert choice.take == {"notes/a": 1}
    assert list(choice.skipped) == [
        Skipped("notes/build", "ignored, in a build folder"),
        Skipped("notes/inner", "nested repository"),
    ]


def test_a_directory_whose_files_are_too_large_together_is_not_kept_in_part() -> None:
    disk = Disk({"d/a": 80, "d/b": 80, "last": 70})
    choice = choose_ignored(["d/", "last"], {}, BUDGET, disk)
    assert choice.take == {"last": 70}
    assert list(choice.skipped) == [Skipped("d", "ignored, over the budget")]


def test_a_budget_may_be_used_up_to_its_last_file_and_byte() -> None:
    disk = Disk({"a": 100, "b": 49, "c": 1})
    choice = choose_ignored(["a", "b", "c"], {}, BUDGET, disk)
    assert (choice.take, list(choice.skipped)) == ({"a": 100, "b": 49, "c": 1}, [])
    assert (choice.count, choice.size) == (3, 150)


def test_what_is_gone_meanwhile_is_neither_kept_nor_named() -> None:
    choice = choose_ignored(["gone"], {}, BUDGET, Disk({}))
    assert (choice.take, list(choice.skipped)) == ({}, [])
