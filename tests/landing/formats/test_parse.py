"""Which notation a reply is in, and which requests come of it."""

from __future__ import annotations

import pytest

from holdfast.landing.formats.parse import Format, parse
from holdfast.landing.land_reply import ReplyLanded, land_reply
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, OneOf, Patch, Replace, WriteFile

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"
BLOCK = "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\n"
JSON = '{"path": "a.py", "old": "x\\n", "new": "y\\n"}\n'

BY_DIFF = (FileRequest("a.py", "edit", Patch(DIFF)),)
BY_BLOCK = (FileRequest("a.py", "edit", Replace("x\n", "y\n")),)
BY_PATCH = (FileRequest("a.py", "edit", Patch("@@\n-x\n+y\n")),)


def refusal(text: str, notation: Format = "auto", *, unwrap: bool = False) -> str:
    found = parse(text, notation, unwrap)
    assert isinstance(found, Refused), found
    assert (found.reason, found.closest, found.candidates) == ("malformed", "", ())
    return found.message.partition("\n")[0]


# ---------------------------------------------------------------------------------------------------- which notation


@pytest.mark.parametrize(
    ("text", "notation", "expected"),
    [
        (DIFF, "diff", BY_DIFF),
        (BLOCK, "blocks", BY_BLOCK),
        (PATCH, "patch", BY_PATCH),
        (JSON, "json", BY_BLOCK),
        (f"\ufeff\n\n{DIFF}", "diff", BY_DIFF),
        (f"Sure, here you go:\n\n{BLOCK}\nDone.\n", "blocks", BY_BLOCK),
        (f"[Note] This is the change:\n{BLOCK}", "blocks", BY_BLOCK),
        (f" {PATCH}", "patch", BY_PATCH),
        (f"\n  [{JSON}]", "json", BY_BLOCK),
    ],
)
def test_the_notation_is_found_by_the_line_that_opens_it(
    text: str, notation: Format, expected: tuple[FileRequest, ...]
) -> None:
    assert parse(text) == expected
    assert parse(text, notation) == expected


CONTENT = {
    "diff": DIFF,
    "blocks": BLOCK.removeprefix("a.py\n"),
    "patch": PATCH,
    "json": JSON,
}


@pytest.mark.parametrize("mark", ["+", "-"])
@pytest.mark.parametrize("inner", ["diff", "blocks", "patch", "json"])
def test_other_notations_inside_a_diff_are_content(inner: str, mark: str) -> None:
    body = "".join(f"{mark}{line}\n" for line in CONTENT[inner].splitlines())
    text = f"--- a/d.md\n+++ b/d.md\n@@\n top\n{body} end\n"
    found = parse(text)
    assert found == (FileRequest("d.md", "edit", Patch(text)),)


@pytest.mark.parametrize("inner", ["diff", "patch", "json"])
def test_other_notations_inside_a_block_are_content(inner: str) -> None:
    content = CONTENT[inner]
    text = f"d.md\n<<<<<<< SEARCH\n{content}=======\nnone\n>>>>>>> REPLACE\n"
    assert parse(text) == (FileRequest("d.md", "edit", Replace(content, "none\n")),)


@pytest.mark.parametrize("inner", ["diff", "blocks", "json"])
def test_other_notations_inside_a_patch_are_content(inner: str) -> None:
    body = "".join(f"+{line}\n" for line in CONTENT[inner].splitlines())
    found = parse(f"*** Begin Patch\n*** Add File: d.md\n{body}*** End Patch\n")
    assert found == (FileRequest("d.md", "create", WriteFile(CONTENT[inner])),)


@pytest.mark.parametrize(
    "text",
    ["", "\n \n", "Nothing to change here.\n", "- one\n- two\n", "```python\nprint()\n```\n"],
)
def test_a_reply_without_an_edit_is_refused_with_a_notation_to_imitate(text: str) -> None:
    assert refusal(text).startswith("there is no edit here")


@pytest.mark.parametrize(
    "text",
    [
        f"```diff\n{DIFF}```\n",
        f"Sure, here you go:\n\n{DIFF}",
        f"{DIFF}\nThis is better now.\n",
        f"<tool_call>\n{DIFF}</tool_call>\n",
        f"```\n{PATCH}```\n",
        f"apply_patch <<'EOF'\n{PATCH}EOF\n",
        f"```json\n{JSON}```\n",
    ],
)
def test_wrappers_are_refused_with_automatic_format_too_unless_unwrapping_is_asked_for(
    text: str,
) -> None:
    assert refusal(text)
    assert parse(text, unwrap=True) in {BY_DIFF, BY_PATCH, BY_BLOCK}


@pytest.mark.parametrize("unwrap", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        f"{DIFF}\nAnd:\n\n{BLOCK}",
        f"{BLOCK}\nAnd:\n\n{DIFF}",
        f"{PATCH}\n{BLOCK}",
        f"{BLOCK}\n{PATCH}",
    ],
)
def test_a_reply_in_two_notations_is_refused_rather_than_half_read(text: str, unwrap: bool) -> None:
    assert refusal(text, unwrap=unwrap)


# ------------------------------------------------------------------------------------------------------ from a diff


def test_a_new_file_is_written_whole() -> None:
    text = "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,3 @@\n+one\n+\n+two\n"
    assert parse(text) == (FileRequest("n.py", "create", WriteFile("one\n\ntwo\n")),)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n", "one"),
        ("@@ -0,0 +1,3 @@\n+one\n\n+two\n", "one\n\ntwo\n"),
        ("@@\n+one\n+two\n", "one\ntwo\n"),
        ("+one\n+two\n", "one\ntwo\n"),
        ("@@ -0,0 +1,2 @@\n+one\r\n+two\r\n", "one\r\ntwo\r\n"),
        ("@@ -0,0 +1,2 @@\r\n+one\r\n+two\r\n\\ No newline at end of file\r\n", "one\r\ntwo"),
        ("@@ -0,0 +1,2 @@\n+one\r\n+two\n", "one\ntwo\n"),
    ],
)
def test_a_new_file_has_the_newlines_of_its_lines(body: str, expected: str) -> None:
    assert parse(f"--- /dev/null\n+++ b/n.py\n{body}") == (
        FileRequest("n.py", "create", WriteFile(expected)),
    )


def test_a_diff_that_was_converted_as_a_whole_tells_nothing_about_the_files_newlines() -> None:
    text = "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert parse(text.replace("\n", "\r\n")) == (
        FileRequest("n.py", "create", WriteFile("one\ntwo\n")),
    )


def test_an_empty_file_is_created_and_deleted_by_its_header_alone() -> None:
    text = "diff --git a/n b/n\nnew file mode 100644\nindex 000..e69\ndiff --git a/o b/o\ndeleted file mode 100644\n"
    assert parse(text) == (FileRequest("n", "create", WriteFile("")), FileRequest("o", "delete"))


def test_a_deletion_keeps_its_lines_so_that_they_can_be_verified() -> None:
    text = "--- a/o.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"
    assert parse(text) == (FileRequest("o.py", "delete", Patch(text)),)


def test_a_rename_names_both_paths() -> None:
    head = "diff --git a/o.py b/d/n.py\nsimilarity index 90%\nrename from o.py\nrename to d/n.py\n"
    hunk = "--- a/o.py\n+++ b/d/n.py\n@@ -1 +1 @@\n-x\n+y\n"
    assert parse(head) == (FileRequest("o.py", "rename", None, "d/n.py"),)
    assert parse(head + hunk) == (FileRequest("o.py", "rename", Patch(head + hunk), "d/n.py"),)


def test_each_file_gets_its_own_share_and_a_file_may_come_twice() -> None:
    other = DIFF.replace("a.py", "b.py")
    text = f"diff --git a/a.py b/a.py\nindex 12..34 100644\n{DIFF}\n{other}{DIFF}"
    found = parse(text)
    assert found == (
        FileRequest(
            "a.py", "edit", Patch(f"diff --git a/a.py b/a.py\nindex 12..34 100644\n{DIFF}")
        ),
        FileRequest("b.py", "edit", Patch(other)),
        FileRequest("a.py", "edit", Patch(DIFF)),
    )


@pytest.mark.parametrize("old", ["a.py.orig", "a.py.old", "a.py.bak", "a.py~"])
def test_a_backup_beside_the_file_is_not_another_file(old: str) -> None:
    text = f"--- {old}\t2024-01-01 00:00:00\n+++ a.py\t2024-01-01 00:00:00\n@@ -1 +1 @@\n-x\n+y\n"
    assert parse(text) == (FileRequest("a.py", "edit", Patch(text)),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "@@ -1 +1 @@\n-x\n+y\n",
            "the diff names no file; write its path into the --- and +++ lines:",
        ),
        (
            "--- \n+++ \n@@ -1 +1 @@\n-x\n+y\n",
            "the diff names no file; write its path into the --- and +++ lines:",
        ),
        (
            "--- \n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n",
            "the diff names no file; write its path into the --- and +++ lines:",
        ),
        (
            "--- a/o.py\n+++ b/n.py\n@@ -1 +1 @@\n-x\n+y\n",
            "--- o.py and +++ n.py must name one file, unless the lines `rename from` and `rename to` name two:",
        ),
        (
            "rename from x\nrename to x\n",
            "x is renamed to itself; leave these lines out, or show a change:",
        ),
        (
            "--- /dev/null\n+++ b/n.py\n@@ -1 +1,2 @@\n x\n+y\n",
            "n.py: a new file has one hunk, and all of its lines begin with +:",
        ),
        (
            "--- /dev/null\n+++ b/n.py\n@@\n+x\n@@\n+y\n",
            "n.py: a new file has one hunk, and all of its lines begin with +:",
        ),
        (
            "--- a/o.py\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+y\n",
            "o.py: a deleted file has no + lines; write /dev/null only where the whole file goes:",
        ),
    ],
)
def test_a_diff_that_contradicts_itself_about_the_file_is_refused(text: str, sentence: str) -> None:
    assert refusal(text) == sentence


def test_a_second_divider_gives_readings_to_choose_from() -> None:
    found = parse("a.md\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n")
    assert found == (
        FileRequest(
            "a.md",
            "edit",
            OneOf((Replace("a\n", "b\n=======\nc\n"), Replace("a\n=======\nb\n", "c\n"))),
        ),
    )


DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n x = 1\n-y = 2\n+y = 3\n*** End Patch\n"
BLOCK = "a.py\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n>>>>>>> REPLACE\n"


def indent(text: str) -> str:
    return "".join(f"   {line}\n" for line in text.split("\n")[:-1])


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(DIFF.replace("@@ -1,2 +1,2 @@\n", "@@ -1,2 +1,2 @@\n" * 2), id="@@ twice"),
        pytest.param(DIFF + "*** End Patch\n", id="the end of another notation"),
        pytest.param(BLOCK.replace("=======\n", "=======\n" * 2), id="divider twice"),
        pytest.param(BLOCK.replace("REPLACE", "SEARCH"), id="closed by the opening word"),
    ],
)  # fmt: skip
def test_marks_that_are_doubled_or_indented_are_read(reply: str) -> None:
    landed = land_reply(reply, {"a.py": "x = 1\ny = 2\n"}, unwrap=True)
    assert isinstance(landed, ReplyLanded)
    assert landed.files == {"a.py": "x = 1\ny = 3\n"}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        pytest.param(DIFF.replace("@@ -1,2 +1,2 @@\n", "@@ -1,2 +1,2 @@\n@@ -9,2 +9,2 @@\n"), "malformed", id="two @@ lines that differ"),
        pytest.param("*** Begin Patch\n" + PATCH, "malformed", id="begin twice"),
        pytest.param(BLOCK.replace("<<<<<<< SEARCH\n", "<<<<<<< SEARCH\n" * 2), "malformed", id="SEARCH twice"),
        pytest.param(indent(BLOCK), "malformed", id="an indented block"),
        pytest.param(PATCH.replace("@@\n", "@@\n*** Begin Patch\n"), "malformed", id="begin inside"),
        pytest.param(indent(DIFF).replace("   -y", "-y"), "malformed", id="a line that is not indented"),
    ],
)  # fmt: skip
def test_marks_that_are_not_quite_doubled_or_indented_are_refused(reply: str, reason: str) -> None:
    refused = land_reply(reply, {"a.py": "x = 1\ny = 2\n"}, unwrap=True)
    assert isinstance(refused, Refused)
    assert refused.reason == reason


def test_two_dividers_in_a_file_that_has_such_lines_are_not_one() -> None:
    block = "a.rst\n<<<<<<< SEARCH\nTitle\n=======\n=======\nName\n>>>>>>> REPLACE\n"
    landed = land_reply(block, {"a.rst": "Title\n=======\nText.\n"})
    assert not isinstance(landed, ReplyLanded)


JSON = '{"path": "a.py", "old": "y = 2", "new": "y = 3"}\n'
TWO_FILES = {"a.py": "x = 1\ny = 2\n", "b.py": "x\n"}
UNREAD = [
    "b.py\n<<<< SEARCH\nx\n===\nz\n>>>> REPLACE\n",
    "b.py\n<<<<<<<\nx\n=======\nz\n>>>>>>>\n",
    "b.py\nSEARCH\nx\n=======\nz\nREPLACE\n",
    "-- a/b.py\n++ b/b.py\n@ -1 +1 @\n-x\n+z\n",
    "** Update File: b.py\n-x\n+z\n",
    '{"path": "b.py", "old": "x", "new": "z"\n',
    '{\n  "path": "b.py",\n  "old": "x",\n  "new": "z"\n}\n',
]


@pytest.mark.parametrize("edit", [DIFF, PATCH, BLOCK, JSON])
@pytest.mark.parametrize("unread", UNREAD)
def test_an_edit_that_cannot_be_read_refuses_the_reply_in_every_notation(
    edit: str, unread: str
) -> None:
    for reply in (f"{edit}\nAnd this:\n\n{unread}", f"{unread}\nAnd this:\n\n{edit}"):
        assert isinstance(land_reply(reply, TWO_FILES, unwrap=True), Refused), reply
    beside = f"See `<<<<<<< SEARCH` below.\n\n{edit}\n- It was **a.py**.\n- Run >>> y.\n"
    assert isinstance(land_reply(beside, TWO_FILES, unwrap=True), ReplyLanded)
