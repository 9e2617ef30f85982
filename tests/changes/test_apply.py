"""Plans: every request landed in memory, on the files as a port shows them."""

from __future__ import annotations

from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.swaps import Content, Swap
from holdfast.testing import MemoryFiles
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, Patch, Replace, WriteFile


def planned(*requests: FileRequest, files: MemoryFiles, overwrite: bool = False) -> ChangePlan:
    made = plan_requests(requests, files, overwrite=overwrite)
    assert isinstance(made, ChangePlan), made
    return made


def refused(
    *requests: FileRequest, files: MemoryFiles, overwrite: bool = False
) -> tuple[FileRefused, ...]:
    made = plan_requests(requests, files, overwrite=overwrite)
    assert isinstance(made, tuple), made
    return made


def edit(path: str, old: str, new: str) -> FileRequest:
    return FileRequest(path, "edit", Replace(old, new))


def test_an_edit_becomes_a_swap_and_a_whole_diff() -> None:
    made = planned(edit("a.py", "x = 1", "x = 2"), files=MemoryFiles({"a.py": b"x = 1\ny = 1\n"}))
    assert made == ChangePlan(
        (
            FileLanded(
                "a.py",
                "edit",
                "exact",
                1.0,
                "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n",
            ),
        ),
        (Swap("a.py", Content(b"x = 1\ny = 1\n", 0o644), Content(b"x = 2\ny = 1\n", 0o644)),),
        (),
    )


def test_several_edits_of_one_file_land_one_on_the_other_and_are_one_file() -> None:
    files = MemoryFiles({"a.py": b"first = 1\nsecond = 2\n"}, links={"link.py": "a.py"})
    made = planned(
        edit("a.py", "first = 1", "first = 10"),
        edit("link.py", "first = 10", "first = 100"),
        files=files,
    )
    assert [file.path for file in made.files] == ["a.py"]
    assert made.files[0].diff.count("@@ ") == 1
    assert "+first = 100\n" in made.files[0].diff
    assert made.swaps == (
        Swap(
            "a.py",
            Content(b"first = 1\nsecond = 2\n", 0o644),
            Content(b"first = 100\nsecond = 2\n", 0o644),
        ),
    )


def test_the_loosest_rung_and_the_lowest_similarity_of_a_files_requests_are_reported() -> None:
    files = MemoryFiles({"a.py": b"def f():\n\treturn 1\n\n\ndef g():\n\treturn 2\n"})
    made = planned(
        edit("a.py", "def f():\n    return 1\n", "def f():\n    return 10\n"),
        edit("a.py", "return 2", "return 20"),
        files=files,
    )
    assert made.files[0].rung == "whitespace"
    assert made.swaps[0].after == Content(
        b"def f():\n\treturn 10\n\n\ndef g():\n\treturn 20\n", 0o644
    )


def test_all_refusals_are_given_and_not_only_the_first() -> None:
    files = MemoryFiles({"a.py": b"x = 1\nx = 1\n", "b.py": b"y\n"})
    refusals = refused(
        edit("a.py", "x = 1", "x = 2"), edit("b.py", "y", "z"), edit("c.py", "a", "b"), files=files
    )
    assert [(each.path, each.refused.reason) for each in refusals] == [
        ("a.py", "ambiguous"),
        ("c.py", "not_found"),
    ]


def test_a_missing_file_is_refused_with_the_names_that_may_be_meant() -> None:
    files = MemoryFiles({"src/retry.py": b"", "src/greet.py": b"", "lib/retries.py": b""})
    assert refused(edit("src/retries.py", "a", "b"), files=files) == (
        FileRefused(
            "src/retries.py",
            Refused(
                "not_found",
                "src/retries.py: there is no such file; did you mean lib/retries.py or src/retry.py?",
                "lib/retries.py\nsrc/retry.py",
            ),
        ),
    )


def test_what_cannot_be_edited_is_refused_with_the_ports_own_words() -> None:
    refusals = refused(edit("src", "a", "b"), files=MemoryFiles({"src/a.py": b""}))
    message = "src: this is a directory; only regular files can be edited."
    assert refusals == (FileRefused("src", Refused("conflict", message)),)


def test_a_new_file_says_which_directories_it_needs() -> None:
    made = planned(FileRequest("a/b/c.py", "create", WriteFile("x\n")), files=MemoryFiles({}))
    assert made == ChangePlan(
        (
            FileLanded(
                "a/b/c.py",
                "create",
                "exact",
                1.0,
                "--- /dev/null\n+++ b/a/b/c.py\n@@ -0,0 +1 @@\n+x\n",
            ),
        ),
        (Swap("a/b/c.py", None, Content(b"x\n")),),
        ("a", "a/b"),
    )


def test_a_new_file_may_be_empty() -> None:
    made = planned(FileRequest("a/__init__.py", "create", WriteFile("")), files=MemoryFiles({}))
    assert made.swaps == (Swap("a/__init__.py", None, Content(b"")),)


def test_a_create_over_the_same_text_is_already_applied_and_over_another_a_conflict() -> None:
    files = MemoryFiles({"a.py": b"x\n"})
    assert (
        refused(FileRequest("a.py", "create", WriteFile("x\n")), files=files)[0].refused.reason
        == "already_applied"
    )
    assert (
        refused(FileRequest("a.py", "create", WriteFile("y\n")), files=files)[0].refused.reason
        == "conflict"
    )


def test_a_whole_file_write_lands_on_the_file_that_is_there() -> None:
    files = MemoryFiles({"a.py": b"x\r\ny\r\n"})
    made = planned(FileRequest("a.py", "create", WriteFile("x\nz\n")), files=files, overwrite=True)
    assert made.files[0].action == "edit"
    assert made.swaps[0].after == Content(b"x\r\nz\r\n", 0o644)


def test_a_delete_that_shows_the_lines_must_show_all_of_them() -> None:
    files = MemoryFiles({"a.py": b"x = 1\ny = 2\nz = 3\n"})
    whole = "--- a/a.py\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-x = 1\n-y = 2\n-z = 3\n"
    part = "--- a/a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x = 1\n-y = 2\n"
    other = "--- a/a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-something = 1\n-else_ = 2\n"
    made = planned(FileRequest("a.py", "delete", Patch(whole)), files=files)
    assert made.swaps == (Swap("a.py", Content(b"x = 1\ny = 2\nz = 3\n", 0o644), None),)
    assert made.files[0].action == "delete"
    assert (
        refused(FileRequest("a.py", "delete", Patch(part)), files=files)[0].refused.reason
        == "conflict"
    )
    assert (
        refused(FileRequest("a.py", "delete", Patch(other)), files=files)[0].refused.reason
        == "not_found"
    )


def test_a_binary_file_can_be_deleted_and_renamed_but_not_edited() -> None:
    files = MemoryFiles({"a.bin": b"\x00\x01"})
    assert planned(FileRequest("a.bin", "delete"), files=files).swaps[0].after is None
    made = planned(FileRequest("a.bin", "rename", None, "b.bin"), files=files)
    assert made.swaps[0] == Swap("b.bin", None, Content(b"\x00\x01", 0o644))
    assert refused(edit("a.bin", "\x01", "\x02"), files=files)[0].refused.reason == "conflict"


def test_a_rename_with_an_edit_is_a_new_file_and_one_that_goes() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n"})
    made = planned(
        FileRequest("a.py", "rename", Replace("x = 1", "x = 2"), "new/b.py"), files=files
    )
    diff = (
        "diff --git a/a.py b/new/b.py\nrename from a.py\nrename to new/b.py\n"
        "--- a/a.py\n+++ b/new/b.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    )
    assert made == ChangePlan(
        (FileLanded("a.py", "rename", "exact", 1.0, diff, "new/b.py"),),
        (
            Swap("new/b.py", None, Content(b"x = 2\n", 0o644)),
            Swap("a.py", Content(b"x = 1\n", 0o644), None),
        ),
        ("new",),
    )


def test_a_rename_onto_a_file_that_is_there_is_a_conflict() -> None:
    files = MemoryFiles({"a.py": b"x\n", "b.py": b"y\n"})
    assert (
        refused(FileRequest("a.py", "rename", None, "b.py"), files=files)[0].refused.reason
        == "conflict"
    )
    assert (
        refused(FileRequest("a.py", "rename", None, "a.py"), files=files)[0].refused.reason
        == "no_change"
    )


def test_renames_in_a_row_and_edits_under_the_new_name_are_one_rename() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n"})
    made = planned(
        FileRequest("a.py", "rename", None, "b.py"),
        FileRequest("b.py", "rename", None, "c.py"),
        edit("c.py", "x = 1", "x = 2"),
        files=files,
    )
    assert [(file.path, file.action, file.to) for file in made.files] == [
        ("a.py", "rename", "c.py")
    ]
    assert {swap.path for swap in made.swaps} == {"a.py", "c.py"}


def test_a_rename_there_and_back_is_an_edit_or_no_change() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n"})
    there, back = (
        FileRequest("a.py", "rename", None, "b.py"),
        FileRequest("b.py", "rename", None, "a.py"),
    )
    assert [each.refused.reason for each in refused(there, back, files=files)] == ["no_change"]
    made = planned(there, edit("b.py", "x = 1", "x = 2"), back, files=files)
    assert [(file.path, file.action) for file in made.files] == [("a.py", "edit")]


def test_a_file_deleted_and_made_again_is_an_edit() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n"})
    made = planned(
        FileRequest("a.py", "delete"), FileRequest("a.py", "create", WriteFile("y\n")), files=files
    )
    assert [(file.path, file.action) for file in made.files] == [("a.py", "edit")]
    assert "-x = 1\n+y\n" in made.files[0].diff


def test_a_file_made_and_deleted_again_is_no_change() -> None:
    requests = [FileRequest("d/a.py", "create", WriteFile("y\n")), FileRequest("d/a.py", "delete")]
    assert [each.refused.reason for each in refused(*requests, files=MemoryFiles({}))] == [
        "no_change"
    ]


def test_a_renamed_file_that_is_then_deleted_is_a_delete() -> None:
    files = MemoryFiles({"a.py": b"x = 1\n"})
    made = planned(
        FileRequest("a.py", "rename", None, "b.py"), FileRequest("b.py", "delete"), files=files
    )
    assert [(file.path, file.action) for file in made.files] == [("a.py", "delete")]


def test_a_new_file_cannot_be_a_directory_of_another_new_file() -> None:
    requests = [
        FileRequest("a", "create", WriteFile("x\n")),
        FileRequest("a/b", "create", WriteFile("y\n")),
    ]
    assert [each.path for each in refused(*requests, files=MemoryFiles({}))] == ["a"]


def test_a_symlink_is_not_deleted_or_renamed_but_its_file_is_named() -> None:
    files = MemoryFiles({"real.py": b"x\n"}, links={"link.py": "real.py"})
    for request in (
        FileRequest("link.py", "delete"),
        FileRequest("link.py", "rename", None, "b.py"),
    ):
        refusal = refused(request, files=files)[0].refused
        assert refusal.reason == "conflict"
        assert "real.py" in refusal.message


def test_a_file_keeps_its_encoding() -> None:
    for encoding, mark in (
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-8", b"\xef\xbb\xbf"),
        ("latin-1", b""),
    ):
        files = MemoryFiles({"a.txt": mark + "né = 1\n".encode(encoding)})
        made = planned(edit("a.txt", "né = 1", "né = 2 # é"), files=files)
        assert made.swaps[0].after == Content(mark + "né = 2 # é\n".encode(encoding), 0o644)


def test_a_byte_order_mark_is_not_doubled_by_a_whole_file_that_has_one() -> None:
    files = MemoryFiles({"a.txt": b"\xef\xbb\xbfx\n"})
    made = planned(
        FileRequest("a.txt", "create", WriteFile("\ufeffy\n")), files=files, overwrite=True
    )
    assert made.swaps[0].after == Content(b"\xef\xbb\xbfy\n", 0o644)


def test_a_character_that_the_file_cannot_hold_is_refused_by_name() -> None:
    files = MemoryFiles({"a.txt": "né = 1\n".encode("latin-1")})
    refusal = refused(edit("a.txt", "né = 1", "né → 1"), files=files)[0].refused
    assert refusal == Refused(
        "conflict",
        "a.txt: the file is cp1252, which cannot encode U+2192; write the edit without it.",
    )
