"""Diffs: what lands, wherever its numbers point, and what is refused."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, land, land_reply

FILE = (
    "import os\n\n\ndef first():\n    one()\n    two()\n\n\ndef second():\n    one()\n    three()\n"
)


def diff(*lines: str, header: str = "@@ -4,3 +4,3 @@") -> str:
    return "\n".join(["--- a/f.py", "+++ b/f.py", header, *lines, ""])


CHANGE_TWO = (" def first():", "     one()", "-    two()", "+    zwei()")


@pytest.mark.parametrize(
    "header",
    ["@@ -4,3 +4,3 @@", "@@ -40,3 +40,3 @@", "@@ -4,9 +4,1 @@", "@@", "@@ @@", "@@ ... @@", "@@ def first():", "@@ -4 +4 @@ x"],
)  # fmt: skip
def test_numbers_and_counts_are_a_hint_never_the_truth(header: str) -> None:
    outcome = land(FILE, Patch(diff(*CHANGE_TWO, header=header)))
    assert isinstance(outcome, Landed)
    assert outcome.text == FILE.replace("two()", "zwei()")


def test_hunks_come_in_any_order_and_are_matched_against_the_original() -> None:
    hunks = ["@@ -9,3 +9,4 @@", " def second():", "     one()", "+    extra()", "     three()"]
    both = diff(*hunks, "@@ -4,3 +4,3 @@", *CHANGE_TWO).replace("@@ -4,3 +4,3 @@\n", "", 1)
    outcome = land(FILE, Patch(both))
    assert isinstance(outcome, Landed)
    assert outcome.text == FILE.replace("two()", "zwei()").replace(
        "    three()", "    extra()\n    three()"
    )
    assert len(outcome.spans) == 2


def test_one_hunk_that_fails_leaves_all_undone_and_is_named() -> None:
    hunks = (*CHANGE_TWO, "@@ -9,2 +9,2 @@", " def second():", "-    nowhere()", "+    there()")
    outcome = land(FILE, Patch(diff(*hunks)))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "not_found"
    assert "hunk 2" in outcome.message


def test_an_exact_number_picks_one_of_two_twins_and_a_wrong_one_does_not() -> None:
    twins = "a()\nb()\n\na()\nb()\n"
    right = land(twins, Patch(diff(" a()", "-b()", "+c()", header="@@ -4,2 +4,2 @@")))
    assert isinstance(right, Landed)
    assert right.text == "a()\nb()\n\na()\nc()\n"
    wrong = land(twins, Patch(diff(" a()", "-b()", "+c()", header="@@ -3,2 +3,2 @@")))
    assert isinstance(wrong, Refused)
    assert (wrong.reason, wrong.candidates) == ("ambiguous", (1, 4))
    again = land(right.text, Patch(diff(" a()", "-b()", "+c()", header="@@ -4,2 +4,2 @@")))
    assert isinstance(again, Refused)
    assert again.reason == "already_applied"


def test_an_anchor_picks_the_place_below_it() -> None:
    text = "class A:\n    def run(self):\n        go()\n\n\nclass B:\n    def run(self):\n        go()\n"
    outcome = land(
        text, Patch("@@ class B:\n     def run(self):\n-        go()\n+        stop()\n")
    )
    assert isinstance(outcome, Landed)
    assert (
        outcome.text
        == text[: text.index("class B")] + "class B:\n    def run(self):\n        stop()\n"
    )


def test_the_end_of_file_marker_picks_the_last_place() -> None:
    text = "a()\nb()\na()\nb()\n"
    outcome = land(text, Patch("@@\n a()\n-b()\n+c()\n*** End of File\n"))
    assert isinstance(outcome, Landed)
    assert outcome.text == "a()\nb()\na()\nc()\n"


def test_only_plus_lines_have_no_place() -> None:
    outcome = land("class A:\n    x = 1\n", Patch("@@ class A:\n+    y = 2\n"))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    assert "context" in outcome.message


def test_context_that_lost_its_leading_blank_is_context() -> None:
    outcome = land(FILE, Patch(diff("def first():", "    one()", "-    two()", "+    zwei()")))
    assert isinstance(outcome, Landed)
    assert outcome.text == FILE.replace("two()", "zwei()")


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("a\nb", ("-b", r"\ No newline at end of file", "+c"), "a\nc\n"),
        ("a\nb\n", ("-b", "+c", r"\ No newline at end of file"), "a\nc"),
        ("a\nb", ("-b", r"\ No newline at end of file", "+b"), "a\nb\n"),
        ("a\nb\n", ("-b", "+b", r"\ No newline at end of file"), "a\nb"),
        # A note below a line that stays says nothing about it.
        ("a\nd\nb\n", ("-d", "+c", " b", r"\ No newline at end of file"), "a\nc\nb\n"),
        ("a\nd\nb", ("-d", "+c", " b", r"\ No newline at end of file"), "a\nc\nb"),
        ("a\nb", ("-b", "+c"), "a\nc"),
        ("a\nb", (" b", "+c"), "a\nb\nc"),
        ("a\nb", ("-b",), "a"),
    ],
)
def test_the_newline_at_the_end_is_as_the_diff_says_or_as_it_was(
    before: str, body: tuple[str, ...], after: str
) -> None:
    outcome = land(before, Patch(diff(" a", *body, header="@@ -1,2 +1,2 @@")))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == after


def test_a_diff_in_lf_lands_on_a_file_in_crlf() -> None:
    text = FILE.replace("\n", "\r\n")
    outcome = land(text, Patch(diff(*CHANGE_TWO)))
    assert isinstance(outcome, Landed)
    assert outcome.text == text.replace("two()", "zwei()")


def test_a_diff_from_nothing_makes_the_file() -> None:
    new = Patch("--- /dev/null\n+++ b/f.py\n@@ -0,0 +1,2 @@\n+a\n+b\n")
    outcome = land("", new)
    assert isinstance(outcome, Landed)
    assert outcome.text == "a\nb\n"
    assert land("a\nb\n", new).reason == "already_applied"  # type: ignore[union-attr]
    assert land("c\n", new).reason == "conflict"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "```diff\n" + diff(*CHANGE_TWO) + "```\n",
        "Here is the diff:\n\n" + diff(*CHANGE_TWO),
        diff(*CHANGE_TWO) + "\nThis makes it work.\n",
        "<tool_call>\n" + diff(*CHANGE_TWO) + "</tool_call>\n",
    ],
)
def test_a_wrapper_is_refused_unless_unwrapping_is_asked_for(text: str) -> None:
    outcome = land(FILE, Patch(text))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    unwrapped = land(FILE, Patch(text, unwrap=True))
    assert isinstance(unwrapped, Landed), unwrapped
    assert unwrapped.text == FILE.replace("two()", "zwei()")


def test_fences_and_tags_inside_a_diff_are_content() -> None:
    text = "# Title\n\n```py\nold()\n```\n\n<tool_call>\nx\n</tool_call>\n"
    body = (
        " # Title",
        " ",
        "-```py",
        "+```python",
        " old()",
        " ```",
        " ",
        "-<tool_call>",
        "+<function_call>",
        " x",
    )
    outcome = land(text, Patch(diff(*body, header="@@ -1,8 +1,8 @@")))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("```py\n", "```python\n").replace(
        "<tool_call>", "<function_call>"
    )


@pytest.mark.parametrize("text", ["", "hello", "@@ -1 +1 @@\n context only\n", "--- a/x\n+++ b/x\n", "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n"])  # fmt: skip
def test_what_is_no_diff_is_malformed(text: str) -> None:
    outcome = land("a\n", Patch(text))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"


def test_a_diff_of_two_files_is_not_one_files_share() -> None:
    two = diff(*CHANGE_TWO) + diff(*CHANGE_TWO).replace("f.py", "g.py")
    assert land(FILE, Patch(two)).reason == "malformed"  # type: ignore[union-attr]


def test_the_refusal_of_hunks_that_overlap_names_only_the_lines_that_both_change() -> None:
    first = "@@ -1,3 +1,3 @@\n-a = 1\n+a = 10\n b = 2\n-c = 3\n+c = 30\n"
    second = "@@ -3,2 +3,2 @@\n-c = 3\n+c = 33\n d = 4\n"
    outcome = land("a = 1\nb = 2\nc = 3\nd = 4\n", Patch(first + second))
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == ("overlap", (3,))


def test_hunks_that_change_the_same_line_overlap() -> None:
    outcome = land(FILE, Patch(diff(*CHANGE_TWO, "@@ -6 +6 @@", "-    two()", "+    deux()")))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "overlap"


def test_a_header_may_name_the_known_file_by_its_absolute_path() -> None:
    absolute = (
        diff(*CHANGE_TWO)
        .replace("a/f.py", "/home/me/src/f.py")
        .replace("b/f.py", "/home/me/src/f.py")
    )
    assert isinstance(land(FILE, Patch(absolute), path="src/f.py"), Landed)
    assert land(FILE, Patch(absolute), path="src/g.py").reason == "malformed"  # type: ignore[union-attr]
    assert land(FILE, Patch(absolute)).reason == "malformed"  # type: ignore[union-attr]


def test_a_line_that_is_removed_and_added_again_keeps_the_bytes_of_the_file() -> None:
    text = "a: 1\nb: ''\nc: 3\n"
    diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a: 1\n+a: 2\n-b:  ''\n+b:  ''\n c: 3\n"
    outcome = land(text, Patch(diff), "a.yml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a: 2\nb: ''\nc: 3\n"
    # Its twin: the line is added with a change.
    other = land(text, Patch(diff.replace("+b:  ''", "+b: '4'")), "a.yml")
    assert isinstance(other, Landed)
    assert other.text == "a: 2\nb: '4'\nc: 3\n"


def test_context_that_lost_its_blank_is_found_in_plain_characters_too() -> None:
    text = "class A:\n    def f(self, a):\n        b = 1\n        c = []\n\n    def g(self, a):\n"
    diff = (
        "@@\n    def f\uff08self\uff0c a\uff09\uff1a\n        b = 1\n+        d = 2\n"
        "        c = []\n\n    def g\uff08self\uff0c a\uff09\uff1a\n"
    )
    outcome = land(text, Patch(diff), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("b = 1\n", "b = 1\n        d = 2\n")


def test_a_section_of_latex_goes_up_to_the_next_section_and_not_to_the_next_command() -> None:
    text = "\\section{One}\n\\label{a}\nText b.\n\n\\section{Two}\n\\label{c}\nText b.\n"
    reply = "*** Begin Patch\n*** Update File: a.tex\n@@ \\section{Two}\n-Text b.\n+Text d.\n*** End Patch\n"
    outcome = land_reply(reply, {"a.tex": text})
    assert outcome.landed, outcome
    assert outcome.files == {"a.tex": text[:-8] + "Text d.\n"}


def test_an_insertion_is_not_done_twice_although_a_word_of_its_context_is_misspelt() -> None:
    """The judge looks at the lines beside the place, not only for all new lines in a row."""
    head = "    # Save the filters and {} them, to leave them unchanged.\n    # The import adds a filter of warnings.\n    with (filters(),\n"
    added = "          build_empty_invoice(7207),\n"
    tail = "          warnings_helper.check_warnings(\n"
    text = (
        f"def f():\n{head.format('restore')}{added}{tail}            deprecated)):\n        run()\n"
    )
    context = "".join(f" {line}\n" for line in head.format("rtstore").splitlines())
    diff = f"@@ -2,4 +2,5 @@\n{context}+{added} {tail}"
    outcome = land(text, Patch(diff), "a.py")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "already_applied"
    assert isinstance(land(text.replace(added, ""), Patch(diff), "a.py"), Landed)


SECTIONS = "def a():\n    one()\n    two()\n\n\ndef b():\n    one()\n    three()\n"


@pytest.mark.parametrize(
    ("anchor", "hunk", "landed"),
    [
        ("def a():", " def b():\n     one()\n-    three()\n", True),
        ("def b():", " def b():\n     one()\n-    three()\n", True),
        ("def a():", "     one()\n-    three()\n", False),
        ("def b():", " def a():\n     one()\n-    two()\n", False),
        ("def a():", " one()\n-three()\n", False),
    ],
    ids=["the section above", "its own block", "another block", "above it", "lost indentation"],
)
def test_an_anchor_is_the_block_of_a_hunk_or_the_section_above_its_own(
    anchor: str, hunk: str, landed: bool
) -> None:
    patch = f"*** Begin Patch\n*** Update File: a.py\n@@ {anchor}\n{hunk}*** End Patch\n"
    assert land_reply(patch, {"a.py": SECTIONS}).landed is landed


def test_a_line_that_is_removed_and_added_again_must_be_in_the_file() -> None:
    text = "def f(name):\n    if name in a:\n        return a[name]\n    return get(name, b)\n"
    hunk = "-    if name in a:\n+    if names in a:\n         return a[name]\n-    return get(names, b)\n+    return get(names, b)\n"
    outcome = land(text, Patch(f"--- a/a.py\n+++ b/a.py\n@@ -2,3 +2,3 @@\n{hunk}"), path="a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "not_found"
    # Its twin: the file has it, and it stays.
    same = hunk.replace("names, b", "name, b")
    landed = land(text, Patch(f"--- a/a.py\n+++ b/a.py\n@@ -2,3 +2,3 @@\n{same}"), path="a.py")
    assert isinstance(landed, Landed)
    assert landed.text == text.replace("if name", "if names")
