"""The `*** Begin Patch` notation."""

from __future__ import annotations

import pytest

from holdfast.landing.formats.begin_patch import EXAMPLE, read_patch
from holdfast.landing.formats.hunks import Hunk, HunkLine, Malformed
from holdfast.landing.formats.unified import read_diff
from holdfast.vocab.requests import FileRequest, Patch, WriteFile

EDIT = FileRequest("a.py", "edit", Patch("@@\n-x\n+y\n"))


def patch(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


def refusal(text: str, *, unwrap: bool = False) -> str:
    found = read_patch(text, unwrap=unwrap)
    assert isinstance(found, Malformed), found
    sentence, _, example = found.message.partition("\n")
    assert example == EXAMPLE
    return sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(patch("*** Update File: a.py\n@@\n-x\n+y\n"), [EDIT], id="an update"),
        pytest.param(
            patch("*** Update File: a.py\n-x\n+y\n"), [EDIT], id="a first chunk without @@"
        ),
        pytest.param(
            patch("*** Add File: d/n.py\n+one\n+\n+two\n"),
            [FileRequest("d/n.py", "create", WriteFile("one\n\ntwo\n"))],
            id="a new file",
        ),
        pytest.param(
            patch("*** Add File: n.py\n+one\n\n+two\n\n"),
            [FileRequest("n.py", "create", WriteFile("one\n\ntwo\n"))],
            id="an empty line that lost its plus",
        ),
        pytest.param(
            patch("*** Add File: n.py\n"),
            [FileRequest("n.py", "create", WriteFile(""))],
            id="an empty new file",
        ),
        pytest.param(
            patch("*** Add File: n.py\n+*** End Patch\n"),
            [FileRequest("n.py", "create", WriteFile("*** End Patch\n"))],
            id="a directive with a plus is content",
        ),
        pytest.param(
            patch("*** Delete File: a.py\n"), [FileRequest("a.py", "delete")], id="a deletion"
        ),
        pytest.param(
            patch("*** Update File: a.py\n*** Move to: d/b.py\n@@\n-x\n+y\n"),
            [FileRequest("a.py", "rename", Patch("@@\n-x\n+y\n"), "d/b.py")],
            id="a move with a change",
        ),
        pytest.param(
            patch("*** Update File: a.py\n*** Move to: d/b.py\n"),
            [FileRequest("a.py", "rename", None, "d/b.py")],
            id="a move alone",
        ),
        pytest.param(
            patch("*** Update File: a.py\n*** Move to: ./a.py\n@@\n-x\n+y\n"),
            [EDIT],
            id="a move to the same place",
        ),
        pytest.param(
            patch(
                "*** Update File: a.py\n@@\n-x\n+y\n\n*** Delete File: b.py\n\n*** Add File: c.py\n+c\n"
            ),
            [EDIT, FileRequest("b.py", "delete"), FileRequest("c.py", "create", WriteFile("c\n"))],
            id="several sections, blank lines between",
        ),
        pytest.param(
            patch("*** Update File: a.py\n@@\n-x\n+y\n*** Update File: a.py\n@@\n-x\n+y\n"),
            [EDIT, EDIT],
            id="one file twice",
        ),
        pytest.param("*** Update File: a.py\n@@\n-x\n+y\n", [EDIT], id="neither begin nor end"),
        pytest.param(
            patch("*** Update File: a.py\n@@\n-x\n+y\n") + "\n" + patch("*** Delete File: b.py\n"),
            [EDIT, FileRequest("b.py", "delete")],
            id="two patches",
        ),
        pytest.param(
            " *** Begin Patch\n*** Update File: a.py \n@@\n-x\n+y\n*** End Patch \n",
            [EDIT],
            id="blanks before and behind",
        ),
        pytest.param(
            patch("*** Update File: ./a.py\n@@\n-x\n+y\n"), [EDIT], id="a path with a dot"
        ),
        pytest.param(
            patch("*** Update File: `a.py`\n@@\n-x\n+y\n"), [EDIT], id="a path in backticks"
        ),
        pytest.param(
            patch("*** Update File: a.py\n--- a/a.py\n+++ b/a.py\n@@\n-x\n+y\n"),
            [EDIT],
            id="a diff's headers inside",
        ),
        pytest.param(
            patch("*** Update File: a.py\n@@\n-x\n+y\n").replace("\n", "\r\n"), [EDIT], id="CRLF"
        ),
        pytest.param(
            patch("*** Update File: a.py\n@@\n ```\n-x\n+<tool_call>\n *** Update File: b.py\n"),
            [
                FileRequest(
                    "a.py", "edit", Patch("@@\n ```\n-x\n+<tool_call>\n *** Update File: b.py\n")
                )
            ],
            id="fences, markup and directives with a marker are content",
        ),
        pytest.param(
            patch("*** Update File: a.py\n *** Begin Patch\n-x\n+y\n *** End Patch\n"),
            [FileRequest("a.py", "edit", Patch("@@\n *** Begin Patch\n-x\n+y\n *** End Patch\n"))],
            id="context that looks like the envelope",
        ),
    ],
)
def test_each_section_becomes_a_request(text: str, expected: list[FileRequest]) -> None:
    assert read_patch(text) == tuple(expected)


def test_the_patch_of_an_update_reads_back_with_anchors_and_the_end_of_the_file() -> None:
    found = read_patch(
        patch(
            "*** Update File: a.py\n@@ class A:\n@@ def f(self):\n x\n\n-y\n+z\n@@\n-last\n+end\n*** End of File\n"
        )
    )
    assert not isinstance(found, Malformed)
    request = found[0].request
    assert isinstance(request, Patch)
    read = read_diff(request.diff)
    assert not isinstance(read, Malformed)
    assert (read[0].old_path, read[0].new_path) == ("", "")
    assert read[0].hunks == (
        Hunk(
            (HunkLine(" ", "x"), HunkLine(" ", ""), HunkLine("-", "y"), HunkLine("+", "z")),
            anchors=("class A:", "def f(self):"),
        ),
        Hunk((HunkLine("-", "last"), HunkLine("+", "end")), at_end=True),
    )


def test_an_anchor_with_only_added_lines_is_kept_for_the_lander_to_judge() -> None:
    found = read_patch(patch("*** Update File: a.py\n@@ class A:\n+    x = 1\n"))
    assert found == (FileRequest("a.py", "edit", Patch("@@ class A:\n+    x = 1\n")),)


WHOLE = patch("*** Update File: a.py\n@@\n-x\n+y\n")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```\n{WHOLE}```\n", id="a fence"),
        pytest.param(f"apply_patch <<'EOF'\n{WHOLE}EOF\n", id="a heredoc"),
        pytest.param(
            f"```bash\ncd x && apply_patch <<PATCH\n{WHOLE}PATCH\n```\n", id="a heredoc in a fence"
        ),
        pytest.param(f"Sure, here is the patch:\n\n{WHOLE}\nDone.\n", id="prose"),
    ],
)
def test_a_wrapper_is_taken_off_only_when_asked(text: str) -> None:
    assert read_patch(text, unwrap=True) == (EDIT,)
    assert refusal(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "",
            "the patch names no file with `*** Update File:`, `*** Add File:` or `*** Delete File:`:",
        ),
        (
            patch(""),
            "the patch names no file with `*** Update File:`, `*** Add File:` or `*** Delete File:`:",
        ),
        (
            patch("hello\n*** Update File: a.py\n-x\n+y\n"),
            'line 2: "hello" is above the first `*** Update File:` line; name the file first:',
        ),
        (
            patch("*** Update File: a.py\n"),
            "line 2: a.py: this hunk has no line that begins with + or -; show the change:",
        ),
        (
            patch("*** Update File: a.py\n@@\n x\n"),
            "line 2: a.py: this hunk has no line that begins with + or -; show the change:",
        ),
        (
            patch("*** Add File: a.py\n+x\ny\n"),
            "line 4: a.py: every line of an added file begins with +; this one does not:",
        ),
        (
            patch("*** Delete File: a.py\n-x\n"),
            "line 2: a.py: nothing may follow `*** Delete File:`; remove these lines:",
        ),
        (
            patch("*** Update File: /a.py\n-x\n+y\n"),
            "line 2: the path /a.py is absolute; write it from the project root, such as src/a.py.",
        ),
        (
            patch("*** Delete File: ../a.py\n"),
            "line 2: the path ../a.py leaves the project; write it from the project root, such as src/a.py.",
        ),
        (
            patch("*** Add File:\n+x\n"),
            "line 2: the path is empty; write it from the project root, such as src/a.py.",
        ),
        (
            patch("*** Update File: a.py\n*** Move to: ../b.py\n-x\n+y\n"),
            "line 3: the path ../b.py leaves the project; write it from the project root, such as src/a.py.",
        ),
        (
            patch("*** Update File: a.py\n-x\n+y\n*** Begin Patch\n"),
            "line 5: a second `*** Begin Patch` is inside the first; write one patch:",
        ),
        (
            patch("*** Update File: a.py\n@@\n-x\n+y\n--- a/b.py\n+++ b/b.py\n@@\n-x\n+y\n"),
            "line 2: a.py: lines that begin with --- and +++ belong to another notation:",
        ),
        (
            WHOLE + "Done.\n",
            'line 7: "Done." is outside `*** Begin Patch` and `*** End Patch`; send the patch alone:',
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_place_and_the_cure(text: str, sentence: str) -> None:
    assert refusal(text) == sentence


@pytest.mark.parametrize("tail", ["", "```\n", "EOF\n", "```\nAnd:\n+z\n"])
def test_a_patch_without_its_end_may_be_cut_off_and_is_refused(tail: str) -> None:
    text = f"*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n{tail}"
    sentence = "the patch does not end with `*** End Patch`, so it may be cut off; send it whole:"
    assert (refusal(text), refusal(text, unwrap=True)) == (sentence, sentence)


@pytest.mark.parametrize(
    "left_over", ["*** Update File: b.py", "-x", "+y", "@@ f", "<<<<<<< SEARCH", "--- a/b.py"]
)
def test_an_edit_outside_the_patch_is_never_dropped(left_over: str) -> None:
    assert "is outside" in refusal(f"{WHOLE}\n{left_over}\n", unwrap=True)


def test_a_patch_without_its_last_line_may_be_cut() -> None:
    patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n fn a() {\n-    x();\n+    z();\n     y();\n }\n"
    assert isinstance(read_patch(patch), Malformed)
    assert isinstance(read_patch(patch[:-1]), Malformed)
    assert isinstance(read_patch(patch.removesuffix("     y();\n }\n")), Malformed)
