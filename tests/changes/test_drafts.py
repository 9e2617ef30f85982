"""Drafts: each refusal in its own words, and what a chain of requests on one file leaves of it."""

from __future__ import annotations

import pytest

from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.swaps import Content, Swap
from holdfast.testing import MemoryFiles
from holdfast.vocab.outcomes import Reason, Refused
from holdfast.vocab.requests import FileRequest, Patch, Replace, WriteFile

FILES = {
    "a": b"x\n",
    "b": b"y\n",
    "binary": b"\0",
    "latin": "\xe9\n".encode("latin-1"),
    "empty": b"",
}
LINKS = {"link": "a"}


def planned(
    *requests: FileRequest, overwrite: bool = False
) -> ChangePlan | tuple[FileRefused, ...]:
    return plan_requests(requests, MemoryFiles({**FILES, "dir/x": b""}, LINKS), overwrite=overwrite)


@pytest.mark.parametrize(
    ("request_", "reason", "message"),
    [
        (
            FileRequest("dir", "delete"),
            "conflict",
            "dir: this is a directory; only regular files can be edited.",
        ),
        (
            FileRequest("a", "rename", None, "dir"),
            "conflict",
            "dir: this is a directory; only regular files can be edited.",
        ),
        (FileRequest("a", "edit"), "malformed", "a: the request does not say what to change."),
        (
            FileRequest("link", "delete"),
            "conflict",
            "link: this is a symlink to a; delete the file it leads to.",
        ),
        (
            FileRequest("link", "rename", None, "new"),
            "conflict",
            "link: this is a symlink to a; rename the file it leads to.",
        ),
        (
            FileRequest("a", "rename", None, "a"),
            "no_change",
            "a: the new name is the old one; use another name, or edit the file.",
        ),
        (
            FileRequest("a", "rename", None, "b"),
            "conflict",
            "a: cannot become b, which exists already; use another name, or delete that file first.",
        ),
        (
            FileRequest("binary", "edit", Replace("a", "b")),
            "conflict",
            "binary: this is a binary file (there is a NUL in it); only text can be edited.",
        ),
        (
            FileRequest("a", "create", WriteFile("x\n")),
            "already_applied",
            "a: the file exists already, with exactly this text.",
        ),
        (
            FileRequest("a", "create", WriteFile("y\n")),
            "conflict",
            "a: the file to create exists already, with other text; edit it, or delete it first.",
        ),
        (
            FileRequest("empty", "create"),
            "already_applied",
            "empty: the file exists already, with exactly this text.",
        ),
        (
            FileRequest("b", "delete", Patch("--- a/b\n+++ /dev/null\n@@ -1 +1 @@\n-y\n+z\n")),
            "conflict",
            "b: the file has more text than the patch removes; read it again and remove all of it.",
        ),
        (
            FileRequest("latin", "edit", WriteFile("\u4e2d\n")),
            "conflict",
            "latin: the file is cp1252, which cannot encode U+4E2D; write the edit without it.",
        ),
        (
            FileRequest("new", "create", WriteFile("a\ud800\n")),
            "conflict",
            "new: the file is utf-8, which cannot encode U+D800; write the edit without it.",
        ),
        (
            FileRequest("zzzzzz", "delete"),
            "not_found",
            "zzzzzz: there is no such file; use the path of an existing file, or create it.",
        ),
    ],
)
def test_a_refusal_says_why_and_what_to_do(
    request_: FileRequest, reason: Reason, message: str
) -> None:
    assert planned(request_) == (FileRefused(request_.path, Refused(reason, message)),)


def test_a_reply_that_leaves_every_file_as_it_is_has_nothing_to_do() -> None:
    there_and_back = (FileRequest("a", "rename", None, "c"), FileRequest("c", "rename", None, "a"))
    message = "all edits together leave every file as it is; nothing to do."
    assert planned(*there_and_back) == (FileRefused("", Refused("no_change", message)),)


def test_a_name_cannot_become_a_file_and_a_directory() -> None:
    both = (
        FileRequest("d", "create", WriteFile("1\n")),
        FileRequest("d/x", "create", WriteFile("2\n")),
    )
    message = "d: the reply makes this a file and a directory."
    assert planned(*both) == (FileRefused("d", Refused("conflict", message)),)


def test_a_file_that_is_deleted_and_created_anew_is_an_edit_with_the_whole_diff() -> None:
    diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+new\n"
    assert planned(
        FileRequest("a", "delete"), FileRequest("a", "create", WriteFile("new\n"))
    ) == ChangePlan(
        (FileLanded("a", "edit", "exact", 1.0, diff),),
        (Swap("a", Content(b"x\n", 0o644), Content(b"new\n", 0o644)),),
        (),
    )


def test_a_new_file_that_is_renamed_is_created_under_its_last_name() -> None:
    diff = "--- /dev/null\n+++ b/last\n@@ -0,0 +1 @@\n+n\n"
    assert planned(
        FileRequest("n", "create", WriteFile("n\n")), FileRequest("n", "rename", None, "last")
    ) == ChangePlan(
        (FileLanded("last", "create", "exact", 1.0, diff),),
        (Swap("last", None, Content(b"n\n")),),
        (),
    )


def test_a_file_that_is_renamed_and_deleted_is_deleted_under_its_first_name() -> None:
    diff = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert planned(FileRequest("a", "rename", None, "c"), FileRequest("c", "delete")) == ChangePlan(
        (FileLanded("a", "delete", "exact", 1.0, diff),),
        (Swap("a", Content(b"x\n", 0o644), None),),
        (),
    )


def test_a_file_that_is_renamed_back_with_an_edit_is_edited() -> None:
    requests = (
        FileRequest("a", "rename", None, "c"),
        FileRequest("c", "rename", Replace("x", "z"), "a"),
    )
    diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+z\n"
    assert planned(*requests) == ChangePlan(
        (FileLanded("a", "edit", "exact", 1.0, diff),),
        (Swap("a", Content(b"x\n", 0o644), Content(b"z\n", 0o644)),),
        (),
    )


def test_an_empty_file_is_deleted_by_a_patch_that_shows_nothing() -> None:
    assert planned(FileRequest("empty", "delete", Patch(""))) == ChangePlan(
        (FileLanded("empty", "delete", "exact", 1.0, ""),),
        (Swap("empty", Content(b"", 0o644), None),),
        (),
    )
