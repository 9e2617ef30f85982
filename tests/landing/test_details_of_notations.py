"""Diffs, blocks and listings that are cut, marked twice or decorated: what is read from them and what is refused."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, Replace, WriteFile, land
from holdfast.vocab.outcomes import Span


def told(outcome: Landed | Refused) -> str:
    """Return the new text, or what the refusal says up to its first semicolon or line break."""
    if isinstance(outcome, Landed):
        return outcome.text
    return outcome.message.split("\n")[0].split(";")[0]


CUT = (
    "line 4: the diff stops in the middle of a hunk: the last line has no newline, and the @@ line says that more lines "
    "follow. Send all lines"
)


@pytest.mark.parametrize(
    ("counts", "after"),
    [
        # All that the numbers promise is there.
        ("-1,2 +1,3", "a\nb\nx\nc\n"),
        # The new side lacks a line, or both sides do.
        ("-1,2 +1,4", CUT),
        ("-1,3 +1,4", CUT),
        # The old side has more lines than promised: the numbers are wrong, and say nothing.
        ("-1,1 +1,4", "a\nb\nx\nc\n"),
    ],
)
def test_a_diff_whose_last_newline_is_lost_is_cut_if_its_numbers_say_so(
    counts: str, after: str
) -> None:
    assert told(land("a\nb\nc\n", Patch(f"@@ {counts} @@\n a\n b\n+x"))) == after
    # With its newline the last line is whole: then only the numbers are wrong.
    assert told(land("a\nb\nc\n", Patch(f"@@ {counts} @@\n a\n b\n+x\n"))) == "a\nb\nx\nc\n"


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("/repo/src/a.py", "x = 2\n"),
        ("/repo/../src/a.py", None),
        ("/repo/src/b.py", None),
        ("/src/a.py", "x = 2\n"),
    ],
)
def test_an_absolute_path_is_that_of_the_file_if_it_ends_in_it(
    name: str, after: str | None
) -> None:
    outcome = land("x = 1\n", Patch(f"--- {name}\n+++ {name}\n@@\n-x = 1\n+x = 2\n"), "src/a.py")
    refusal = f"src/a.py: line 1: the path {name} is absolute"
    assert told(outcome) == (after or refusal)


def test_a_new_file_is_written_from_its_beginning() -> None:
    diff = "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert land("", Patch(diff), "n.py") == Landed(
        text="one\ntwo\n",
        diff="@@ -0,0 +1,2 @@\n+one\n+two\n",
        rung="exact",
        similarity=1.0,
        spans=(Span(0, 0, 1),),
    )


def test_a_diff_with_second_marks_is_refused_as_one_without_them() -> None:
    diff = "@@ -2,2 +2,2 @@\n   <b/>\n--  <c/>\n++  <d/>\n"
    text = "<a>\n  <b/>\n  <c/>\n</a>\n"
    assert told(land(text, Patch(diff), "a.xml")) == text.replace("<c/>", "<d/>")
    outcome = land(text.replace("<b/>", "<b>x</b>"), Patch(diff), "a.xml")
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.kind) == ("not_found", "patch_error")


@pytest.mark.parametrize(
    ("text", "diff", "after"),
    [
        # The first blank of a context line is its mark, unless only the lines with that blank are in the file.
        ("def f():\n    one()\n    two()\n", "    one()\n-    two()\n+    three()\n", "def f():\n    one()\n    three()\n"),
        ("def f():\n    one()\n    two()\n", "     one()\n-    two()\n+    three()\n", "def f():\n    one()\n    three()\n"),
        (" one()\n two()\n", " one()\n- two()\n+ three()\n", " one()\n three()\n"),
    ],
)  # fmt: skip
def test_a_context_line_may_have_lost_its_mark(text: str, diff: str, after: str) -> None:
    assert told(land(text, Patch(f"@@\n{diff}"), "a.py")) == after


@pytest.mark.parametrize("mark", ["-", "\N{MINUS SIGN}"])
def test_an_indentation_that_no_line_of_the_request_has_is_not_guessed(mark: str) -> None:
    text = "# one must be here\n    # two must be there\nthree()\n"
    diff = f"@@\n # one must be here\n{mark}# two must be there\n+# two may be there\n three()\n"
    outcome = land(text, Patch(diff))
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.closest) == (
        "not_found",
        "2|     # two must be there\n3| three()",
    )


@pytest.mark.parametrize(
    ("section", "body", "closest"),
    [
        ("## Two", " alpha line\n-beta line\n+gamma line\n", "4| alpha line\n5| beta line"),
        ("## Two", " ## One\n alpha line\n-beta line\n", "3| ## One\n4| alpha line\n5| beta line"),
    ],
)
def test_lines_of_another_section_are_shown_and_not_changed(
    section: str, body: str, closest: str
) -> None:
    text = "# A\n\n## One\nalpha line\nbeta line\n\n## Two\nalpha line\n"
    outcome = land(text, Patch(f"@@ {section}\n{body}"), "a.md")
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.closest) == ("not_found", closest)


def test_a_blank_line_below_the_names_of_the_files_begins_no_hunk() -> None:
    diff = "--- a/a.txt\n+++ b/a.txt\n\n a\n-b\n+x\n c\n"
    assert told(land("a\nb\nc\n", Patch(diff), "a.txt")) == "a\nx\nc\n"


@pytest.mark.parametrize("hunks", [3, 12])
def test_many_hunks_land_as_a_few_do(hunks: int) -> None:
    # For many hunks an index of all lines is built.
    text = "".join(f"call(\n    one_{n},\n)\n" for n in range(hunks))
    diff = "".join(f"@@\n call( \n-    one_{n},\n+    two_{n},\n )\n" for n in range(hunks))
    outcome = land(text, Patch(diff), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("one", "two")
    assert outcome.rung == "whitespace"
    assert [span.line for span in outcome.spans] == [3 * n + 2 for n in range(hunks)]


def test_one_of_many_hunks_whose_lines_are_in_two_places_is_refused() -> None:
    text = "".join(f"f{n}(\n    one,\n)\n" for n in range(12))
    diff = "".join(f"@@\n f{n}(\n-    one,\n+    two,\n )\n" for n in range(11))
    outcome = land(f"{text}f3(\n    one,\n)\n", Patch(diff), "a.py")
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == ("ambiguous", (10, 37))


MARKS = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "------- SEARCH", "+++++++ REPLACE")


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_of_a_block_at_an_end_of_the_old_text_is_none_of_it(mark: str) -> None:
    for old in (f"{mark}\nx = 1\n", f"x = 1\n{mark}\n", f"{mark}\nx = 1\n{mark}\n"):
        assert told(land("x = 1\ny = 2\n", Replace(old, "x = 3\n"), "a.py")) == "x = 3\ny = 2\n"


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_of_a_block_in_the_new_text_alone_is_refused(mark: str) -> None:
    outcome = land("x = 1\ny = 2\n", Replace("x = 1\n", f"x = 3\n{mark}\n"), "a.py")
    assert told(outcome) == (
        f"a.py: the request has marks around or in its lines, and `{mark}` would keep one that the file has nowhere. "
        "Send the lines alone, as the file has them"
    )


@pytest.mark.parametrize(
    "listing",
    [
        "1| a = 1\n2|\n3| b = 2\n",
        "1| a = 1\n2| \n3| b = 2\n",
        "1\ta = 1\n2\t\n3\tb = 2\n",
        # The line is blank, with no mark behind its number, or no number.
        "1\ta = 1\n2\n3\tb = 2\n",
        "1| a = 1\n\n3| b = 2\n",
    ],
)
def test_a_listing_may_have_a_blank_line_in_any_form(listing: str) -> None:
    request = Replace(listing, listing.replace("b = 2", "b = 3"))
    assert told(land("a = 1\n\nb = 2\n", request, "a.py")) == "a = 1\n\nb = 3\n"


DECORATED = "a.md: all lines have what `> one` begins with, and other lines change too"


@pytest.mark.parametrize(
    ("new", "after"),
    [
        # If nothing else changes, the marks are the edit.
        ("> one\n> two\n> three\n", "> one\n> two\n> three\n"),
        ("> one\n> two\n> 3\n> three\n", DECORATED),
        # A blank line needs no mark.
        ("> one\n> two\n\n> three\n", DECORATED),
    ],
)
def test_marks_before_all_lines_of_a_file_that_changes_are_refused(new: str, after: str) -> None:
    assert told(land("one\ntwo\nthree\n", WriteFile(new), "a.md")) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        # In a file of one or two lines all of them may well come twice.
        ("a1\nb2\n", "a1\nb2\na1\nb2\n"),
        ("a1\nb2\nc3\n", "a.txt: the file is in the text twice"),
    ],
)
def test_a_file_sent_twice_is_refused_where_that_is_no_chance(text: str, after: str) -> None:
    assert told(land(text, WriteFile(text * 2), "a.txt")) == after


@pytest.mark.parametrize("path", ["Makefile", "src/Makefile", "a/b/Makefile", "a\\b\\Makefile"])
def test_the_name_of_a_file_says_its_language_in_any_folder(path: str) -> None:
    text = "build:\n\techo one\n\nclean:\n\techo two\n"
    outcome = land(text, Replace("clean:\n\techo two\n", "clean:\nwipe:\n\techo two\n"), path)
    assert told(outcome) == "build:\n\techo one\n\nclean:\nwipe:\n\techo two\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        # What the new text says of the same words is there already, also if only marks come.
        ("if x == 1:\n", "x =", "x ==", None),
        ("f(a, b)\n", "f(a", "f(a, b", None),
        ("x = g(f(a))\n", "f(a)", "g(f(a))", None),
        # There it is not.
        ("if x = 1:\n", "x =", "x ==", "if x == 1:\n"),
        ("x = f(a)\n", "f(a)", "g(f(a))", "x = g(f(a))\n"),
    ],
)
def test_a_part_of_a_line_is_not_written_a_second_time(
    text: str, old: str, new: str, after: str | None
) -> None:
    done = "the new text is already in the file, at line 1"
    assert told(land(text, Replace(old, new))) == (after or done)


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("total = one", "log()\n    total = three", "    log()\n    total = three + two\n"),
        ("total = one", "log(\n    total) = three", "    log(\n    total) = three + two\n"),
        ("one + two", "(\n        one)\n", "    total = (\n        one)\n\n"),
    ],
)
def test_the_rest_of_a_line_stays_behind_new_text_of_several_lines(
    old: str, new: str, after: str
) -> None:
    assert told(land("    total = one + two\n", Replace(old, new))) == after


@pytest.mark.parametrize(
    "old",
    [
        "`x = 1\ny = 2`",
        '"""x = 1\ny = 2"""',
        '"x = 1\\ny = 2\\n"',
        "<![CDATA[x = 1\ny = 2\n]]>",
        "```\nx = 1\ny = 2\n```",
    ],
)
def test_lines_in_quotes_are_deleted_by_an_empty_text(old: str) -> None:
    # An empty text needs no quotes.
    assert told(land("a\nx = 1\ny = 2\nb\n", Replace(old, ""), "a.py")) == "a\nb\n"
