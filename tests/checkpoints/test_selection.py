"""What a snapshot keeps, drops and skips."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.checkpoints.checkpoint import Skipped
from holdfast.checkpoints.ports import FileInfo
from holdfast.checkpoints.selection import Listing, Selection, select, skip_reason


@dataclass
class Disk:
    there: dict[str, FileInfo] = field(default_factory=dict)
    beyond: tuple[str, ...] = ()

    def inspect(self, path: str) -> FileInfo:
        return self.there.get(path, FileInfo("absent"))

    def is_beyond_link(self, path: str) -> bool:
        return path in self.beyond


def test_changed_and_new_files_are_taken_with_their_sizes() -> None:
    disk = Disk(
        {"a": FileInfo("file", 5, 0o600), "n": FileInfo("file", 7, 0o644), "l": FileInfo("link", 3)}
    )
    selection = select(Listing(("a", "l"), (), ("n",)), disk, 100)
    assert selection == Selection((), ("a", "l", "n"), (), 15)


def test_what_is_gone_is_dropped_by_force_only_where_a_symlink_or_a_directory_has_taken_its_place() -> (
    None
):
    disk = Disk({"d": FileInfo("directory")}, beyond=("l/x",))
    selection = select(Listing((), ("a", "l/x", "d"), ()), disk, 100)
    assert selection == Selection(("l/x", "d"), ("a",), (), 0)


def test_repositories_large_unreadable_and_other_things_are_skipped() -> None:
    disk = Disk(
        {
            "big": FileInfo("file", 101),
            "grown": FileInfo("file", 101),
            "tracked": FileInfo("file", 101),
            "locked": FileInfo("file", readable=False),
            "pipe": FileInfo("other"),
            "repo": FileInfo("directory"),
        }
    )
    listing = Listing(("grown", "tracked", "pipe", "repo"), (), ("big", "locked", "nested/"))
    selection = select(listing, disk, 100, exempt=["tracked"])
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


def test_a_file_of_the_limit_itself_is_taken_and_only_files_are_measured() -> None:
    disk = Disk(
        {
            "full": FileInfo("file", 100, 0o644),
            "link": FileInfo("link", 101),
            "over": FileInfo("file", 101),
        }
    )
    selection = select(Listing((), (), ("full", "link", "over")), disk, 100)
    assert selection == Selection((), ("full", "link"), (Skipped("over", "too large"),), 201)


def test_a_link_is_taken_though_what_it_leads_to_cannot_be_read() -> None:
    assert skip_reason("a", FileInfo("link", readable=False), 100) is None
    assert skip_reason("a", FileInfo("file", readable=False), None) == "unreadable"


def test_what_went_away_meanwhile_is_taken_as_gone() -> None:
    selection = select(Listing(("a",), (), ("n",)), Disk(), 100)
    assert selection == Selection((), ("a", "n"), (), 0)
