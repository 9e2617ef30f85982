"""Files as they would be after some swaps, and the one batch that is the sum of several."""

from __future__ import annotations

from holdfast.changes.ports import FileFound, FileMissing, FileUnfit
from holdfast.changes.swapped_files import SwappedFiles, sum_of
from holdfast.changes.swaps import LINK, Batch, Content, Swap


class Files:
    """Two files, a link and a directory (port `Files`)."""

    def look(self, path: str) -> FileFound | FileMissing | FileUnfit:
        if path == "dir":
            return FileUnfit("not_found", "dir: this is a directory.")
        if path in {"a", "via"}:
            return FileFound("a", b"1", 0o755, linked=path == "via")
        return FileMissing(path)

    def link(self, path: str) -> bytes | None:
        return b"target" if path == "link" else None

    def names(self, near: str) -> list[str]:
        return ["a"]


def swapped(*swaps: Swap) -> SwappedFiles:
    files = SwappedFiles(Files())
    files.swap(swaps)
    return files


def test_a_file_that_is_edited_keeps_its_mode_unless_the_swap_has_modes() -> None:
    edit = Swap("a", Content(b"1"), Content(b"2", 0o600))
    assert swapped(edit).look("a") == FileFound("a", b"2", 0o755)
    assert swapped(edit).look("via") == FileFound("a", b"2", 0o755, linked=True)
    with_mode = Swap("a", Content(b"1", 0o755), Content(b"2", 0o600), modes=True)
    assert swapped(with_mode).look("a") == FileFound("a", b"2", 0o600)


def test_a_new_file_has_the_mode_of_the_swap_or_the_usual_one() -> None:
    assert swapped(Swap("n", None, Content(b"2", 0o600))).look("n") == FileFound("n", b"2", 0o600)
    assert swapped(Swap("n", None, Content(b"2"))).look("n") == FileFound("n", b"2", 0o644)


def test_what_is_deleted_is_missing_and_the_rest_is_as_it_is() -> None:
    files = swapped(Swap("a", Content(b"1"), None))
    assert files.look("a") == FileMissing("a")
    assert files.look("other") == FileMissing("other")
    assert isinstance(files.look("dir"), FileUnfit)
    assert files.names("a") == ["a"]


def test_a_link_is_that_of_the_last_swap() -> None:
    assert swapped().link("link") == b"target"
    assert swapped(Swap("link", Content(b"target", LINK), None)).link("link") is None
    assert swapped(Swap("link", None, Content(b"file"))).link("link") is None
    assert swapped(Swap("link", None, Content(b"new", LINK))).link("link") == b"new"


def test_the_sum_has_one_swap_for_each_path_that_is_not_as_it_was() -> None:
    files = swapped(
        Swap("a", Content(b"1"), Content(b"2")),
        Swap("b", Content(b"1"), Content(b"2")),
        Swap("n", None, Content(b"2")),
        Swap("a", Content(b"2"), Content(b"3"), modes=True),
        Swap("b", Content(b"2"), Content(b"1")),
    )
    assert files.sum() == (
        Swap("n", None, Content(b"2")),
        Swap("a", Content(b"1"), Content(b"3"), modes=True),
    )


def test_the_sum_of_batches_makes_and_clears_each_directory_once() -> None:
    swap = Swap("d/a", None, Content(b"1"))
    first = Batch("one", (swap,), ("d",), ("e",), rewinds=True)
    second = Batch("two", (swap,), ("d", "f"), ("e/in", "e", "g"))
    assert sum_of([first, second], (swap,)) == Batch(
        "one", (swap,), ("d", "f"), ("g", "e/in", "e"), rewinds=True, others=("two",)
    )
