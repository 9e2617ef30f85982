"""Unified diffs: what is accepted, what is content, what is outside, and what is refused with the cure."""

from __future__ import annotations

import pytest

from holdfast.landing.formats.diff_scanner import EXAMPLE
from holdfast.landing.formats.hunks import FileDiff, Hunk, HunkLine, Malformed
from holdfast.landing.formats.unified import read_diff

HEAD = "--- a/f.py\n+++ b/f.py\n"
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n"
DIFF = HEAD + HUNK


def read(text: str, *, unwrap: bool = False) -> tuple[FileDiff, ...]:
    found = read_diff(text, unwrap=unwrap)
    assert not isinstance(found, Malformed), found.message
    return found


def marked(text: str, *, unwrap: bool = False) -> list[list[str]]:
    """Each hunk's lines, marker first, of a diff of one file."""
    (diff,) = read(text, unwrap=unwrap)
    return [[line.mark + line.text for line in hunk.lines] for hunk in diff.hunks]


def paths(text: str) -> list[tuple[str | None, str | None]]:
    return [(diff.old_path, diff.new_path) for diff in read(text)]


def refusal(text: str, *, unwrap: bool = False) -> str:
    found = read_diff(text, unwrap=unwrap)
    assert isinstance(found, Malformed), found
    sentence, _, example = found.message.partition("\n")
    assert example == EXAMPLE
    return sentence


def outside(line: int, quoted: str) -> str:
    cure = "send the diff alone, and begin each line of a hunk with a space, + or -:"
    return f'line {line}: "{quoted}" is outside the hunks; {cure}'


PLAIN = [[" one", "-two", "+zwei", " three"]]


def test_a_plain_diff_is_read_whole() -> None:
    assert read(DIFF) == (
        FileDiff(
            "f.py",
            "f.py",
            (
                Hunk(
                    (
                        HunkLine(" ", "one"),
                        HunkLine("-", "two"),
                        HunkLine("+", "zwei"),
                        HunkLine(" ", "three"),
                    ),
                    start=1,
                    counts=(3, 3),
                ),
            ),
        ),
    )


# ------------------------------------------------------------------------------------------------------ file headers


@pytest.mark.parametrize(
    ("minus", "plus", "expected"),
    [
        ("a/x.py", "b/x.py", ("x.py", "x.py")),
        ("x.py", "x.py", ("x.py", "x.py")),
        ("i/x.py", "w/x.py", ("x.py", "x.py")),
        ("c/x.py", "i/x.py", ("x.py", "x.py")),
        ("o/x.py", "w/x.py", ("x.py", "x.py")),
        ("b/x.py", "a/x.py", ("x.py", "x.py")),
        ("a/x.py", "x.py", ("x.py", "x.py")),
        ("x.py", "b/x.py", ("x.py", "x.py")),
        ("a/x.py", "a/x.py", ("a/x.py", "a/x.py")),
        ("b/x.py", "b/x.py", ("b/x.py", "b/x.py")),
        ("z/x.py", "y/x.py", ("z/x.py", "y/x.py")),
        ("./src/x.py", "./src//x.py", ("src/x.py", "src/x.py")),
        ("a/./x.py", "b/./x.py", ("x.py", "x.py")),
        ("/dev/null", "b/x.py", (None, "x.py")),
        ("dev/null", "b/x.py", (None, "x.py")),
        ("a/dev/null", "b/x.py", (None, "x.py")),
        ("a/x.py", "/dev/null", ("x.py", None)),
        ("/dev/null", "x.py", (None, "x.py")),
        ("/dev/null", "a/x.py", (None, "a/x.py")),
        ("a/x y.py", "b/x y.py", ("x y.py", "x y.py")),
        (
            "a/x.py\t2024-01-01 00:00:00.000000000 +0000",
            "b/x.py\t2024-01-02 00:00:00 +0100",
            ("x.py", "x.py"),
        ),
        (
            "a/x.py 2024-01-01 00:00:00.000000000 +0000",
            "b/x.py 2024-01-01T00:00:00Z",
            ("x.py", "x.py"),
        ),
        ("a/x.py\t(revision 12)", "b/x.py\t(working copy)", ("x.py", "x.py")),
        ('"a/\\303\\266 \\"q\\".txt"', '"b/\\303\\266 \\"q\\".txt"', ('ö "q".txt', 'ö "q".txt')),
        ('"a/caf\\351"', '"b/caf\\351"', ("caf\udce9", "caf\udce9")),
    ],
)
def test_the_header_names_the_file_without_prefix_timestamp_or_quotes(
    minus: str, plus: str, expected: tuple[str | None, str | None]
) -> None:
    assert paths(f"--- {minus}\n+++ {plus}\n@@ -1 +1 @@\n-a\n+b\n") == [expected]


GIT = "diff --git a/{0} b/{0}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            GIT.format("x")
            + "old mode 100644\nnew mode 100755\nindex 12ab..34cd\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            ("x", "x", False),
            id="mode lines beside a hunk",
        ),
        pytest.param(
            GIT.format("x")
            + "new file mode 100644\nindex 0000..34cd\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
            (None, "x", False),
            id="a new file",
        ),
        pytest.param(
            GIT.format("x")
            + "deleted file mode 100644\nindex 34cd..0000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
            ("x", None, False),
            id="a deleted file",
        ),
        pytest.param(
            GIT.format("empty file") + "new file mode 100644\nindex 0000000..e69de29\n",
            (None, "empty file", False),
            id="a new empty file",
        ),
        pytest.param(
            GIT.format("x") + "deleted file mode 100644\nindex e69de29..0000000\n",
            ("x", None, False),
            id="a deleted empty file",
        ),
        pytest.param(
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
            ("x", "y", True),
            id="a rename that changes no text",
        ),
        pytest.param(
            "diff --git a/x b/d/y\nsimilarity index 90%\nrename from x\nrename to d/y\nindex 1..2 100644\n"
            "--- a/x\n+++ b/d/y\n@@ -1 +1 @@\n-a\n+b\n",
            ("x", "d/y", True),
            id="a rename with a hunk",
        ),
        pytest.param(
            "rename from x\nrename to y\n", ("x", "y", True), id="a rename without git's first line"
        ),
        pytest.param(
            "diff --git i/b/x w/b/x\nnew file mode 100644\n--- /dev/null\n+++ w/b/x\n@@ -0,0 +1 @@\n+b\n",
            (None, "b/x", False),
            id="git's first line tells the prefix beside /dev/null",
        ),
        pytest.param(
            "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
            (None, "b/x", False),
            id="git's first line tells that there is no prefix",
        ),
        pytest.param(
            'diff --git "a/\\303\\266" "b/\\303\\266"\nnew file mode 100644\n',
            (None, "ö", False),
            id="a quoted first line",
        ),
        pytest.param(
            "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n",
            ("x", "x", False),
            id="git's first line alone",
        ),
        pytest.param(
            "diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+b\n",
            (None, "x", False),
            id="a new file that does not say /dev/null",
        ),
        pytest.param(
            "diff -u a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            ("x", "x", False),
            id="diff -u with its command",
        ),
    ],
)
def test_the_header_lines_that_tools_write_are_understood(
    text: str, expected: tuple[str | None, str | None, bool]
) -> None:
    (diff,) = read(text)
    assert (diff.old_path, diff.new_path, diff.rename) == expected


def test_several_files_are_read_in_order() -> None:
    text = (
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+n\n"
        "--- a/z\n+++ b/z\n@@\n-c\n+d\n\n"
        "--- a/x\n+++ b/x\n@@\n-e\n+f\n"
    )
    assert paths(text) == [("x", "x"), (None, "y"), ("z", "z"), ("x", "x")]
    assert [len(diff.hunks) for diff in read(text)] == [1, 1, 1, 1]


def test_a_diff_without_file_headers_names_no_file() -> None:
    assert paths(HUNK) == [("", "")]


def test_the_end_that_git_writes_below_a_patch_is_no_line() -> None:
    assert marked(f"{DIFF}-- \n2.40.1\n") == PLAIN


def test_a_byte_order_mark_before_the_diff_is_no_line() -> None:
    assert marked("\ufeff" + DIFF) == PLAIN


# ------------------------------------------------------------------------------------------------------ hunk headers


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("@@ -3,7 +3,8 @@", (3, (), "")),
        ("@@ -3 +3 @@", (3, (), "")),
        ("@@ -3,7 +3,8 @@ def f(x):", (3, (), "def f(x):")),
        ("@@-3,7 +3,8@@", (3, (), "")),
        ("@@ -3,7 +3,8", (3, (), "")),
        ("@@ -3,7 @@", (3, (), "")),
        ("@@ -0,0 +1,2 @@", (0, (), "")),
        ("@@ line 12 @@", (None, ("line 12",), "")),
        ("@@", (None, (), "")),
        ("@@ @@", (None, (), "")),
        ("@@ ... @@", (None, (), "")),
        ("@@ … @@", (None, (), "")),
        ("@@ -XX,XX +XX,XX @@", (None, (), "")),
        ("@@ -?,? +?,? @@", (None, (), "")),
        ("@@ ... existing code ... @@", (None, (), "")),
        ("@@ ... @@ def f(x):", (None, (), "def f(x):")),
        ("@@ def f(x):", (None, ("def f(x):",), "")),
        ("@@ def f(x): @@", (None, ("def f(x):",), "")),
        ("@@ @@counter = 0", (None, ("@@counter = 0",), "")),
        ("@@ class A:\n@@ def f(x):", (None, ("class A:", "def f(x):"), "")),
        ("@@ class A:\n@@ -3,7 +3,8 @@ def f(x):", (3, ("class A:",), "def f(x):")),
        ("@@ -3,7 +3,8 @@\n@@ def f(x):", (3, ("def f(x):",), "")),
        ("@@ -" + "9" * 5000 + ",1 +1,1 @@", (999999999, (), "")),
        ("@@ -3,7 +3,8 @@ " + "f" * 5000, (3, (), "f" * 984)),
        ("@@ " + "f" * 5000, (None, ("f" * 997,), "")),
    ],
)
def test_a_hunk_header_gives_what_it_has(
    header: str, expected: tuple[int | None, tuple[str, ...], str]
) -> None:
    ((hunk,),) = [diff.hunks for diff in read(f"{HEAD}{header}\n-a\n+b\n")]
    assert (hunk.start, hunk.anchors, hunk.section) == expected
    assert hunk.lines == (HunkLine("-", "a"), HunkLine("+", "b"))


@pytest.mark.parametrize(
    "header",
    [
        "@@ -1,3 +1,3 @@",
        "@@ -7,9 +9,7 @@",
        "@@ -1,2 +1,2 @@",
        "@@ -1,1 +1,9 @@",
        "@@ -0,0 +0,0 @@",
        "@@",
        "@@ f",
        "@@ -1 @@",
    ],
)
def test_wrong_numbers_and_counts_change_nothing_in_the_body(header: str) -> None:
    assert marked(f"{HEAD}{header}\n one\n-two\n+zwei\n three\n") == PLAIN


def test_hunks_out_of_order_keep_the_order_they_are_written_in() -> None:
    (diff,) = read(HEAD + "@@ -90 +90 @@\n-a\n+b\n@@ -5 +5 @@\n-c\n+d\n")
    assert [hunk.start for hunk in diff.hunks] == [90, 5]


def test_headers_without_any_hunk_header_make_one_hunk_without_a_number() -> None:
    (diff,) = read(HEAD + " one\n-two\n+zwei\n three\n")
    assert [hunk.start for hunk in diff.hunks] == [None]
    assert marked(HEAD + " \n one\n-two\n+zwei\n three\n") == [[" ", *PLAIN[0]]]


def test_marked_lines_need_a_hunk_header_above_them() -> None:
    sentence = '"-a" is in no hunk; write a line `@@` above the lines of each hunk:'
    assert refusal("-a\n+b\n") == f"line 1: {sentence}"
    assert refusal(" a\n-a\n+b\n") == outside(1, "a")


def test_the_end_of_file_line_of_another_notation_marks_the_hunk() -> None:
    (diff,) = read("@@ class A:\n@@ def f\n-a\n+b\n*** End of File\n@@\n-c\n+d\n")
    assert [(hunk.anchors, hunk.at_end) for hunk in diff.hunks] == [
        (("class A:", "def f"), True),
        ((), False),
    ]
    (counted,) = read("@@ -1 +1 @@\n-a\n+b\n*** End of File\n")
    assert counted.hunks[0].at_end


# ------------------------------------------------------------------------------------------------------------ bodies


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "@@ -1,3 +1,3 @@\none\n-two\n+zwei\n three\n",
            ["?one", "-two", "+zwei", " three"],
            id="lost space",
        ),
        pytest.param(
            "@@\none\n-two\n+zwei\nthree\n",
            ["?one", "-two", "+zwei", "?three"],
            id="lost spaces, no counts",
        ),
        pytest.param(
            "@@ -1,3 +1,3 @@\n\tone\n-two\n+zwei\n three\n",
            ["?\tone", "-two", "+zwei", " three"],
            id="lost, tab",
        ),
        pytest.param(
            "@@ -1,3 +1,3 @@\n\n-two\n+zwei\n three\n",
            [" ", "-two", "+zwei", " three"],
            id="empty is blank",
        ),
        pytest.param(
            "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n\n",
            [" one", "-two", "+zwei", " "],
            id="a last blank, counted",
        ),
        pytest.param(
            "@@ -1,4 +1,4 @@\n one\n-two\n+zwei\n\n\n\n",
            [" one", "-two", "+zwei", " ", " "],
            id="two of three",
        ),
        pytest.param(
            "@@\n one\n-two\n+zwei\n\n\n", [" one", "-two", "+zwei"], id="last blanks, not counted"
        ),
        pytest.param(
            "@@ -1,9 +1,9 @@\n one\n-two\n+zwei\n\n\n",
            [" one", "-two", "+zwei"],
            id="last blanks, counts wrong",
        ),
        pytest.param(
            "@@\n one\n-two\n+zwei\n \n",
            [" one", "-two", "+zwei", " "],
            id="a last blank with its marker",
        ),
        pytest.param("@@ -1 +1 @@\n-a\n+b", ["-a", "+b"], id="no newline at the end of the diff"),
        pytest.param(
            "@@\n-a\n+b\n\nint x;\n",
            ["-a", "+b", " ", "?int x;"],
            id="code behind a blank line is context",
        ),
        pytest.param(
            "@@\n-a\n+b\nint x;\n", ["-a", "+b", "?int x;"], id="attached lines are context"
        ),
        pytest.param(
            "@@\n-a\n+b\nThis is a line.\n",
            ["-a", "+b", "?This is a line."],
            id="attached prose too",
        ),
        pytest.param(
            "@@ -1,3 +1,3 @@\n-a\n+b\n\nThis is a line.\n",
            ["-a", "+b", " ", "?This is a line."],
            id="prose, counted",
        ),
        pytest.param(
            "@@ -1,2 +1,2 @@\n-a\n+b\n\n-c\n+d\n",
            ["-a", "+b", " ", "-c", "+d"],
            id="counts too low by a change",
        ),
        pytest.param(
            "@@ -1 +1 @@\n-a\n+b\n c\n\n d\n",
            ["-a", "+b", " c", " ", " d"],
            id="counts too low by context",
        ),
        pytest.param(
            "@@ -1 +1 @@\n-a\n+b\nc\n+d\n",
            ["-a", "+b", "?c", "+d"],
            id="counts too low, lost space",
        ),
    ],
)
def test_the_body_is_read_line_by_line(body: str, expected: list[str]) -> None:
    assert marked(HEAD + body) == [expected]


@pytest.mark.parametrize("counts", ["-1,2 +1,2", "-1,7 +1,8"])
def test_the_missing_newline_belongs_to_the_line_above(counts: str) -> None:
    text = f"{HEAD}@@ {counts} @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    assert [(line.mark, line.no_newline) for line in read(text)[0].hunks[0].lines] == [
        (" ", False),
        ("-", True),
        ("+", True),
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_of_the_diff_may_end_in_any_way(newline: str) -> None:
    assert read(DIFF.replace("\n", newline)) == read(DIFF)


def test_form_feeds_and_line_separators_are_content() -> None:
    text = "@@ -1,2 +1,2 @@\n a\x0cb\u2028c\x85d\n-\x0b\n+\x1c\n"
    assert marked(HEAD + text) == [[" a\x0cb\u2028c\x85d", "-\x0b", "+\x1c"]]


# --------------------------------------------------------------------------------- content that looks like structure


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "@@ -1,2 +1,2 @@\n--- a comment\n+++ a counter\n x\n",
            ["--- a comment", "+++ a counter", " x"],
            id="in between",
        ),
        pytest.param(
            "@@ -1,2 +1,2 @@\n x\n--- a comment\n+++ a counter\n",
            [" x", "--- a comment", "+++ a counter"],
            id="at the end",
        ),
        pytest.param(
            "@@\n--- a comment\n+++ a counter\n x\n",
            ["--- a comment", "+++ a counter", " x"],
            id="no counts, no hunk below",
        ),
        pytest.param(
            "@@\n x\n--- one\n+++ two\n",
            [" x", "--- one", "+++ two"],
            id="no counts, nothing below",
        ),
        pytest.param("@@\n--- only removed\n x\n", ["--- only removed", " x"], id="removed alone"),
        pytest.param("@@\n x\n+++ only added\n", [" x", "+++ only added"], id="added alone"),
    ],
)
def test_removed_and_added_lines_that_look_like_file_headers_are_changes(
    body: str, expected: list[str]
) -> None:
    assert marked(HEAD + body) == [expected]


def test_counts_tell_changes_that_look_like_file_headers_from_a_following_hunk() -> None:
    text = HEAD + "@@ -1,2 +1,2 @@\n x\n--- old\n+++ new\n@@ -9 +9 @@\n-a\n+b\n"
    assert marked(text) == [[" x", "--- old", "+++ new"], ["-a", "+b"]]


def test_without_counts_two_such_lines_above_a_hunk_name_a_file() -> None:
    assert paths(HEAD + "@@\n-x\n+y\n--- old/f\n+++ old/f\n@@\n-a\n+b\n") == [
        ("f.py", "f.py"),
        ("old/f", "old/f"),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [" ```diff", "-```", "+~~~", " ```"],
        [" <tool_call>", "-<tool_call>", "+</tool_call>", " </tool_call>"],
        [" <div>", "-<p>", "+<b>", " </div>"],
        [" *** Begin Patch", "-*** End Patch", "+*** End of File", " *** Update File: x"],
        [" <<<<<<< SEARCH", "-=======", "+>>>>>>> REPLACE", " ======="],
        [" Sure! Here is the change.", "-- an item", "++ another", " diff --git a/x b/x"],
        [" @@ -1 +1 @@", "-@@", "+@@ x", " index 12..34"],
    ],
)
@pytest.mark.parametrize("header", ["@@ -1,3 +1,3 @@", "@@", "@@ -7,7 +7,7 @@"])
@pytest.mark.parametrize("unwrap", [False, True])
def test_fences_markup_and_other_notations_with_a_marker_are_content(
    header: str, lines: list[str], unwrap: bool
) -> None:
    assert marked("\n".join([HEAD + header, *lines]) + "\n", unwrap=unwrap) == [lines]


@pytest.mark.parametrize("unwrap", [False, True])
def test_a_fence_without_a_marker_ends_the_hunk_also_if_the_counts_ask_for_more(
    unwrap: bool,
) -> None:
    for text in ("@@ -1,4 +1,4 @@\n```\n-a\n+b\n```\n end\n", "@@\n a\n+b\n```\n- c\n```\n"):
        assert refusal(HEAD + text, unwrap=unwrap)


# -------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "",
            "this is no unified diff: it has no @@ line, or no line that begins with + or -; write it so:",
        ),
        (
            "just words\n",
            outside(1, "just words"),
        ),
        (
            "some words\n+a\n",
            outside(1, "some words"),
        ),
        (
            HEAD + "@@ -1,2 +1,2 @@\n a\n b\n",
            "line 3: this hunk has no line that begins with + or -; show the change:",
        ),
        (HEAD + "@@\n", "line 3: this hunk has no line that begins with + or -; show the change:"),
        (
            DIFF + "@@ -9 +9 @@\n x\n",
            "line 8: this hunk has no line that begins with + or -; show the change:",
        ),
        (
            HEAD + "@@ -1 +1 @@\n@@ -2 +2 @@\n-a\n+b\n",
            "line 3: this hunk has no line that begins with + or -; show the change:",
        ),
        (HEAD, "line 1: this file has no hunk with a + or - line; show the change:"),
        (HEAD + DIFF, "line 1: this file has no hunk with a + or - line; show the change:"),
        (
            GIT.format("x") + "old mode 100644\nnew mode 100755\n",
            "line 1: this file has no hunk with a + or - line; show the change:",
        ),
        (
            f"```diff\n{DIFF}```\n",
            "line 1: a Markdown fence is outside the hunks; send the bare diff, without a fence:",
        ),
        (
            f"{DIFF}```\n",
            "line 8: a Markdown fence is outside the hunks; send the bare diff, without a fence:",
        ),
        (
            HEAD + "@@\n-a\n+b\n```\n",
            "line 6: a Markdown fence is outside the hunks; send the bare diff, without a fence:",
        ),
        (
            HEAD + "@@ -1,2 +1,2 @@\n-a\n+b\n```\n",
            "line 6: a Markdown fence is outside the hunks; send the bare diff, without a fence:",
        ),
        (
            f"~~~\n{DIFF}~~~\n",
            "line 1: a Markdown fence is outside the hunks; send the bare diff, without a fence:",
        ),
        (
            f"<tool_call>\n{DIFF}</tool_call>\n",
            "line 1: the markup <tool_call> is outside the hunks; send the bare diff:",
        ),
        (
            f"{DIFF}</patch>\n",
            "line 8: the markup </patch> is outside the hunks; send the bare diff:",
        ),
        (
            HEAD + "@@\n-a\n+b\n<|im_end|>\n",
            "line 6: the markup <|im_end|> is outside the hunks; send the bare diff:",
        ),
        (
            f"*** Begin Patch\n{DIFF}*** End Patch\n",
            "line 1: *** Begin Patch belongs to another notation; send a unified diff alone:",
        ),
        (
            "Sure! I changed the file.\n" + DIFF,
            outside(1, "Sure! I changed the file."),
        ),
        (
            DIFF + "\nThis is better.\n",
            outside(9, "This is better."),
        ),
        (
            DIFF + "This is better.\n",
            outside(8, "This is better."),
        ),
        (
            HEAD + "@@\n-a\n+b\n\nThis is better.\n",
            outside(7, "This is better."),
        ),
        (
            DIFF + "\n- I renamed two\n",
            outside(9, "- I renamed two"),
        ),
        (
            "From 1234 Mon Sep 17\nSubject: [PATCH] x\n\n" + DIFF,
            outside(1, "From 1234 Mon Sep 17"),
        ),
        (
            HEAD + "Now the change:\n" + HUNK,
            outside(3, "Now the change:"),
        ),
        (
            DIFF + "and then\n" + HUNK,
            outside(8, "and then"),
        ),
        (
            "diff --git a/x.png b/x.png\nindex 12..34 100644\nBinary files a/x.png and b/x.png differ\n",
            "line 3: a binary patch or the combined diff of a merge cannot be applied; send a plain diff of text files:",
        ),
        (
            "diff --git a/x.png b/x.png\nindex 12..34 100644\nGIT binary patch\nliteral 3\n",
            "line 3: a binary patch or the combined diff of a merge cannot be applied; send a plain diff of text files:",
        ),
        (
            "diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n--a\n++b\n",
            "line 1: a combined diff of a merge has two marker columns; write a plain diff against one version.",
        ),
        (
            HEAD + "@@@ -1,1 -1,1 +1,1 @@@\n--a\n++b\n",
            "line 3: a binary patch or the combined diff of a merge cannot be applied; send a plain diff of text files:",
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
            "line 1: a copy cannot be applied; write the new file as a diff from /dev/null.",
        ),
        (
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n",
            "line 1: a symbolic link or submodule cannot be applied; write only changes of text files.",
        ),
        (
            "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
            "line 1: both sides are /dev/null; name the file on one of them.",
        ),
    ],
)
def test_what_is_not_a_bare_diff_is_refused_with_the_place_and_the_cure(
    text: str, sentence: str
) -> None:
    assert refusal(text) == sentence


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (
            "/etc/passwd",
            "the path /etc/passwd is absolute; write it from the project root, such as src/a.py.",
        ),
        (
            "a/../../x",
            "the path ../../x leaves the project; write it from the project root, such as src/a.py.",
        ),
        (
            "../x",
            "the path ../x leaves the project; write it from the project root, such as src/a.py.",
        ),
        (
            "C:\\x.py",
            "the path C:\\x.py is absolute; write it from the project root, such as src/a.py.",
        ),
        (
            "C:/x.py",
            "the path C:/x.py is absolute; write it from the project root, such as src/a.py.",
        ),
        (
            "src\\x.py",
            "the path src\\x.py has backslashes; write it with /, from the project root.",
        ),
        ('"a/x\\ny"', "the path x y contains a control character; write the file's plain name."),
    ],
)
def test_a_path_that_leaves_the_project_is_refused(path: str, sentence: str) -> None:
    new = path.replace("a/", "b/", 1)
    assert refusal(f"--- {path}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n") == f"line 1: {sentence}"


@pytest.mark.parametrize("name", ["rename from ../x\nrename to y", "rename from x\nrename to /y"])
def test_a_rename_that_leaves_the_project_is_refused(name: str) -> None:
    assert "write it from the project root" in refusal(f"diff --git a/x b/y\n{name}\n")


def test_a_caller_who_knows_the_file_may_let_any_path_pass() -> None:
    found = read_diff(
        "--- /home/u/x.py\n+++ /home/u/x.py\n@@ -1 +1 @@\n-a\n+b\n", judge_paths=False
    )
    assert not isinstance(found, Malformed)
    assert (found[0].old_path, found[0].new_path) == ("/home/u/x.py", "/home/u/x.py")


# -------------------------------------------------------------------------------------------------------- unwrapping


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```diff\n{DIFF}```\n", id="a fence"),
        pytest.param(f"~~~\n{DIFF}~~~", id="a fence of tildes"),
        pytest.param(f"````\n{DIFF}````\n", id="a longer fence"),
        pytest.param(
            f"Sure! Here it is:\n\n```diff\n{DIFF}```\n\nThis is better.\n- It is short\n",
            id="a fence in prose",
        ),
        pytest.param(
            f"```diff\n{DIFF}```\nNow run:\n```sh\nmake test\n```\n",
            id="a fence, and another without a diff",
        ),
        pytest.param(
            f"Run this first:\n```sh\nmake\n```\n\n```diff\n{DIFF}```\n",
            id="a fence behind another without a diff",
        ),
        pytest.param(f"Sure! Here it is:\n{DIFF}", id="prose before"),
        pytest.param(f"{DIFF}\nThis is better.\n", id="prose behind a blank line"),
        pytest.param(f"{DIFF}This is better.\n", id="prose behind exact counts"),
        pytest.param(
            f"Sure:\n\n{DIFF}\nThis is better:\n\n- It is short\n* It is fast\n\n---\n",
            id="prose and a list",
        ),
        pytest.param(
            f"{HEAD}@@\n one\n-two\n+zwei\n three\n\nThis is better.\n", id="prose, no counts"
        ),
        pytest.param(
            f"{HEAD}@@\n one\n-two\n+zwei\n three\n\nThis is better:\n\n- It is short\n  - really\n\n* It is fast\n",
            id="prose and a list, no counts",
        ),
        pytest.param(
            f"{HEAD}@@ -1,9 +1,9 @@\n one\n-two\n+zwei\n three\n\nWhat changed:\n- `two` is `zwei`\n",
            id="prose and a list, counts wrong",
        ),
        pytest.param(f"<tool_call>\n{DIFF}</tool_call>\n", id="tags"),
        pytest.param(f"Sure.\n<patch>\n{DIFF}</patch>\nDone.\n", id="tags in prose"),
        pytest.param(f'<diff file="f.py">\n{DIFF}</diff>\n', id="a tag with an attribute"),
        pytest.param(f"<think>\nLet me see.\n</think>\n{DIFF}", id="thoughts before"),
        pytest.param(f"{DIFF}<|im_end|>\n", id="a token behind"),
        pytest.param(
            f"From 12 Mon\nSubject: x\n\n---\n f.py | 2 +-\n\n{DIFF}-- \n2.40.1\n",
            id="git format-patch",
        ),
        pytest.param(
            f"```diff\n{HEAD}@@\n one\n-two\n+zwei\n three\n```\n", id="a fence, no counts"
        ),
        pytest.param(
            f"```diff\n{HEAD}@@ -1,4 +1,4 @@\n one\n-two\n+zwei\n three\n```\n",
            id="a fence, counts one too high",
        ),
        pytest.param(f"```diff\r\n{DIFF}```\r\n".replace("\n", "\r\n"), id="a fence with CRLF"),
        pytest.param(DIFF, id="nothing to unwrap"),
    ],
)
def test_one_clean_wrapper_is_taken_off_when_asked(text: str) -> None:
    assert marked(text, unwrap=True) == PLAIN


def test_only_what_needs_it_is_unwrapped() -> None:
    for text in (
        f"```diff\n{DIFF}```\n",
        f"Sure:\n{DIFF}",
        f"{DIFF}\nDone.\n",
        f"<patch>\n{DIFF}</patch>\n",
    ):
        assert refusal(text)
        assert marked(text, unwrap=True) == PLAIN


def test_two_fenced_diffs_are_both_read() -> None:
    other = DIFF.replace("f.py", "g.py")
    text = f"First:\n```diff\n{DIFF}```\nThen:\n\n```diff\n{other}```\nDone.\n"
    assert [diff.new_path for diff in read(text, unwrap=True)] == ["f.py", "g.py"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(
            f"```diff\n{DIFF}",
            "line 1: a Markdown fence is outside the hunks; send the bare diff, without a fence:",
            id="not closed",
        ),
        pytest.param(
            f"{DIFF}```\n",
            "line 8: a Markdown fence is outside the hunks; send the bare diff, without a fence:",
            id="not opened",
        ),
        pytest.param(
            f"<patch>\n{DIFF}",
            "line 1: the markup <patch> is outside the hunks; send the bare diff:",
            id="half a tag",
        ),
        pytest.param(
            f"```diff\n{DIFF}```\n{DIFF}",
            "one diff is in a fence or a tag, and another is not; send one bare diff:",
            id="a diff inside and one outside",
        ),
        pytest.param(
            f"```diff\n{DIFF}```\n+left over\n",
            'line 10: "+left over" is outside the diff but looks like an edit; send one bare diff:',
            id="a change outside the fence",
        ),
        pytest.param(
            f"{DIFF}\nAnd:\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
            'line 10: "<<<<<<< SEARCH" is outside the diff but looks like an edit; send one bare diff:',
            id="a block outside",
        ),
        pytest.param(
            f"{DIFF}\nAnd then this one:\n\n{HUNK}",
            outside(9, "And then this one:"),
            id="prose between hunks",
        ),
        pytest.param(
            "```diff\n--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n```\n",
            "line 2: the path ../x leaves the project; write it from the project root, such as src/a.py.",
            id="a bad path in a fence",
        ),
        pytest.param(
            f"<think>\n{DIFF}</think>\n{DIFF}",
            "one diff is in a fence or a tag, and another is not; send one bare diff:",
            id="a diff in the thoughts",
        ),
        pytest.param(
            "```python\nprint()\n```\n",
            "this is no unified diff: it has no @@ line, or no line that begins with + or -; write it so:",
            id="no diff at all",
        ),
    ],
)
def test_a_wrapper_that_is_not_clean_is_refused_even_when_asked_to_unwrap(
    text: str, sentence: str
) -> None:
    assert refusal(text, unwrap=True) == sentence


def test_the_same_text_gives_the_same_sentence() -> None:
    assert refusal("```\n" + DIFF) == refusal("```\n" + DIFF)


def test_a_long_line_is_quoted_short() -> None:
    assert len(refusal("x" * 5_000_000 + "\n" + DIFF)) < 200


def test_a_rename_may_begin_the_diff() -> None:
    files = read_diff("rename from a.py\nrename to b.py\n")
    assert not isinstance(files, Malformed)
    assert [(file.old_path, file.new_path, file.rename) for file in files] == [
        ("a.py", "b.py", True)
    ]


def test_an_edit_on_the_first_line_above_several_fences_is_not_dropped() -> None:
    fenced = "".join(f"```diff\n--- a/{x}\n+++ b/{x}\n@@ -1 +1 @@\n-a\n+b\n```\n\n" for x in "xy")
    assert not isinstance(read_diff(fenced, unwrap=True), Malformed)
    read = read_diff(f"+stray = 1\n{fenced}", unwrap=True)
    assert isinstance(read, Malformed)
    assert read.message.startswith('line 1: "+stray = 1" is outside the diff')


def test_stars_and_dashes_above_a_numbered_hunk_name_the_file() -> None:
    hunk = "@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n"
    starred, plain = (
        read_diff("*** a/x.py\n--- b/x.py\n" + hunk),
        read_diff("--- a/x.py\n+++ b/x.py\n" + hunk),
    )
    assert starred == plain
    assert isinstance(read_diff("*** a/x.py\n--- b/x.py\n a = 1\n-b = 2\n+b = 3\n"), Malformed)
