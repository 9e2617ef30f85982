"""What a snapshot keeps, drops and skips."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.checkpoints.checkpoint import Skipped
from holdfast.checkpoints.selection import Listing, Look, Selection, select


@dataclass
class Disk:
    there: dict[str, Look] = field(default_factory=dict)
    beyond: tuple[str, ...] = ()

    def look(self, path: str) -> Look:
        return self.there.get(path, Look("absent"))

    def is_beyond_link(self, path: str) -> bool:
        return path in self.beyond


def test_changed_and_new_files_are_taken_with_their_modes_and_sizes() -> None:
    disk = Disk({"a": Look("file", 5, 0o600), "n": Look("file", 7, 0o644), "l": Look("link", 3)})
    selection = select(Listing(("a", "l"), (), ("n",)), disk, 100)
    assert selection == Selection((), ("a", "l", "n"), (), (("a", 0o600), ("l", None), ("n", 0o644)), 15)


def test_what_is_gone_is_dropped_by_force_only_where_a_symlink_or_a_directory_has_taken_its_place() -> None:
    disk = Disk({"d": Look("directory")}, beyond=("l/x",))
    selection = select(Listing((), ("a", "l/x", "d"), ()), disk, 100)
    assert (selection.take, selection.drop) == (("a",), ("l/x", "d"))


def test_repositories_large_unreadable_and_other_things_are_skipped() -> None:
    disk = Disk(
        {
            "big": Look("file", 101),
            "grown": Look("file", 101),
            "tracked": Look("file", 101),
            "locked": Look("file", readable=False),
            "pipe": Look("other"),
            "repo": Look("directory"),
        }
    )
    listing = Listing(("grown", "tracked", "pipe", "repo"), (), ("big", "locked", "nested/"))
    selection = select(listing, disk, 100, spare=["tracked"])
    assert selection.take == ("tracked",)
    assert selection.drop == ("grown", "pipe", "repo")
    assert selection.skipped == (
        Skipped("grown", "too large"),
        Skipped("pipe", "not a file"),
        Skipped("repo", "nested repository"),
        Skipped("big", "too large"),
        Skipped("locked", "unreadable"),
        Skipped("nested", "nested repository"),
    )
