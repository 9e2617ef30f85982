"""The overlay: proposed changes seen before they are on the disk."""

from __future__ import annotations

from holdfast.changes.change import Change, RequestedEdits
from holdfast.changes.overlay import Overlay
from holdfast.changes.plan import ChangePlan
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.ports import FileFound, FileMissing, Files, FileUnfit
from holdfast.testing import MemoryFiles
from holdfast.vocab.requests import FileRequest, Replace, WriteFile


def proposed(name: str, files: Files, *requests: FileRequest, overwrite: bool = False) -> Change:
    planned = plan_requests(requests, files, overwrite=overwrite)
    assert isinstance(planned, ChangePlan), planned
    return Change(name, "proposed", "proposal", RequestedEdits(requests, overwrite), planned)


def edit(old: str, new: str, path: str = "a.py") -> FileRequest:
    return FileRequest(path, "edit", Replace(old, new))


def test_a_later_edit_sees_an_earlier_proposal_and_the_file_does_not_change() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n"})
    first = proposed("one", files, edit("x = 1", "x = 2"))
    over = Overlay(files, [first])
    assert over.look("a.py") == FileFound("a.py", b"x = 2\n", 0o644)
    second = proposed("two", over, edit("x = 2", "x = 3"))
    assert Overlay(files, [first, second]).look("a.py") == FileFound("a.py", b"x = 3\n", 0o644)
    assert files.files == {"a.py": b"x = 1\n"}


def test_files_that_are_made_and_removed_are_seen_so_in_looks_and_names() -> None:
    files = MemoryFiles({"a.py": b"a\n", "b.py": b"b\n"})
    change = proposed(
        "one",
        files,
        FileRequest("d/new.py", "create", WriteFile("n\n")),
        FileRequest("b.py", "rename", None, "c.py"),
    )
    over = Overlay(files, [change])
    assert over.look("d/new.py") == FileFound("d/new.py", b"n\n", 0o644)
    assert over.look("b.py") == FileMissing("b.py")
    assert over.look("c.py") == FileFound("c.py", b"b\n", 0o644)
    assert sorted(over.names("x")) == ["a.py", "c.py", "d/new.py"]
    assert over.look("d") == FileUnfit(
        "conflict", "d: a proposed change makes this a directory; use another name."
    )
    assert over.look("c.py/below") == FileUnfit(
        "conflict", "c.py/below: a proposed change makes c.py a file, so no file can be in it."
    )
    assert over.covered == {"b.py", "c.py", "d/new.py"}
    assert sorted(over.named) == ["b.py", "c.py", "d/new.py"]
    assert over.look("e.py") == FileMissing("e.py")


def test_a_file_that_moved_on_below_gets_the_proposal_again() -> None:
    files = MemoryFiles({"a.py": b"x = 1\ny = 1\n"})
    change = proposed("one", files, edit("x = 1", "x = 2"))
    files.files["a.py"] = b"x = 1\ny = 1\nz = 1\n"
    assert Overlay(files, [change]).look("a.py") == FileFound(
        "a.py", b"x = 2\ny = 1\nz = 1\n", 0o644
    )


def test_a_proposal_that_no_longer_fits_is_reported_and_the_others_are_kept() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n", "b.py": b"x = 1\n"})
    first = proposed("one", files, edit("x = 1", "x = 2"))
    other = proposed("two", files, edit("x = 1", "x = 2", "b.py"))
    files.files["a.py"] = b"another\n"
    over = Overlay(files, [first, other])
    assert [(stuck.change.id, stuck.refusals[0].refused.reason) for stuck in over.stuck] == [
        ("one", "not_found")
    ]
    assert over.look("a.py") == FileFound("a.py", b"another\n", 0o644)
    assert over.look("b.py") == FileFound("b.py", b"x = 2\n", 0o644)


def test_a_whole_file_does_not_overwrite_what_was_edited_since() -> None:
    files = MemoryFiles({"a.py": b"a\nb\nc\n"})
    change = proposed(
        "one", files, FileRequest("a.py", "create", WriteFile("A\nb\nc\n")), overwrite=True
    )
    files.files["a.py"] = b"a\nb\nC\n"
    assert Overlay(files, [change]).look("a.py") == FileFound("a.py", b"A\nb\nC\n", 0o644)
    files.files["a.py"] = b"x\nb\nc\n"
    over = Overlay(files, [change])
    assert [stuck.refusals[0].refused.message for stuck in over.stuck] == [
        "a.py: this has changed since the edit was proposed, and both edits touch the same lines; propose it again."
    ]


def test_a_delete_does_not_remove_what_was_edited_since() -> None:
    files = MemoryFiles({"a.py": b"a\n"})
    change = proposed("one", files, FileRequest("a.py", "delete"))
    files.files["a.py"] = b"b\n"
    over = Overlay(files, [change])
    assert over.look("a.py") == FileFound("a.py", b"b\n", 0o644)
    assert [stuck.refusals[0].refused.reason for stuck in over.stuck] == ["conflict"]


def test_a_name_that_leads_elsewhere_now_lands_there_or_not_at_all() -> None:
    files = MemoryFiles({"real.py": b"x = 1\n", "other.py": b"y = 1\n"}, {"a.py": "real.py"})
    change = proposed("one", files, edit("x = 1", "x = 2"))
    assert change.paths == {"real.py"}
    files.links["a.py"] = "other.py"
    over = Overlay(files, [change])
    assert over.look("real.py") == FileFound("real.py", b"x = 1\n", 0o644)
    assert [stuck.change.id for stuck in over.stuck] == ["one"]


def test_the_disk_says_what_is_unfit_a_link_or_of_which_mode() -> None:
    files = MemoryFiles({"real.py": b"x = 1\n", "dir/x": b""}, {"a.py": "real.py"})
    over = Overlay(files, [proposed("one", files, edit("x = 1", "x = 2"))])
    assert over.look("dir") == FileUnfit(
        "conflict", "dir: this is a directory; only regular files can be edited."
    )
    assert over.look("a.py") == FileFound("real.py", b"x = 2\n", 0o644, linked=True)
    assert over.look("real.py") == FileFound("real.py", b"x = 2\n", 0o644)


def test_a_file_that_is_made_and_removed_again_is_missing_with_its_directory_and_in_no_names() -> (
    None
):
    files = MemoryFiles({"a.py": b"a\n"})
    made = proposed("one", files, FileRequest("d/n.py", "create", WriteFile("n\n")))
    gone = proposed("two", Overlay(files, [made]), FileRequest("d/n.py", "delete"))
    over = Overlay(files, [made, gone])
    assert over.look("d/n.py") == FileMissing("d/n.py", ("d",))
    assert over.look("d") == FileMissing("d")
    assert over.names("x") == ["a.py"]
    assert over.stuck == []


def test_a_file_that_is_edited_is_named_once() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n"})
    assert Overlay(files, [proposed("one", files, edit("x = 1", "x = 2"))]).names("x") == ["a.py"]
