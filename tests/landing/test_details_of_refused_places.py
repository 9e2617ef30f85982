"""What a refusal says and shows: the lines it names are those that the reader has to look at next."""

from __future__ import annotations

import pytest

from holdfast import (
    Landed,
    LineEdit,
    LineEdits,
    Patch,
    Refused,
    Replace,
    WriteFile,
    explain,
    land,
    parse,
)
from holdfast.vocab.requests import Request

TEXT = "a = 1\nb = 2\nc = 3\nd = 4\n"


def refused(outcome: object) -> Refused:
    assert isinstance(outcome, Refused), outcome
    return outcome


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        (Replace("z = 9", "z = 8"), "edit_error"),
        (LineEdits((LineEdit(9, 9, "z\n"),), shown=TEXT), "edit_error"),
        (WriteFile(TEXT), "edit_error"),
        (Patch("@@\n-z = 9\n+z = 8\n"), "patch_error"),
        (Patch("z = 8\n"), "patch_error"),
    ],
)
@pytest.mark.parametrize("path", [None, "a.py"])
def test_a_refusal_is_of_the_kind_of_its_notation(
    request_: Request, kind: str, path: str | None
) -> None:
    # A model that sent a diff is shown how to write a diff.
    assert refused(land(TEXT, request_, path)).kind == kind


def test_a_message_names_the_file_where_its_path_is_known() -> None:
    request = LineEdits((LineEdit(5, 5, "x\n"),), shown=TEXT)
    told = "line 5: the file has 4 lines; number them from 1."
    assert refused(land(TEXT, request)).message == told
    assert refused(land(TEXT, request, "a.py")).message == f"a.py: {told}"


def test_edits_that_overlap_are_named_by_the_first_line_of_each() -> None:
    edits = (LineEdit(3, 4, "y\n"), LineEdit(2, 3, "x\n"))
    assert land(TEXT, LineEdits(edits, shown=TEXT)) == Refused(
        "overlap",
        "two edits change the same place (line 2, 3); join them into one edit.",
        candidates=(2, 3),
    )


@pytest.mark.parametrize("first", [1, 2])
def test_a_line_that_would_be_there_twice_is_named_by_the_place_it_is_beside(first: int) -> None:
    text = "import os\n" * (first - 1) + "one = 1\nfirst = first_value\nimport sys\n"
    edit = LineEdit(first, first, "one = 2\nfirst = first_value\n")
    assert land(text, LineEdits((edit,), shown=text), "a.py") == Refused(
        "malformed",
        f"a.py: `first = first_value` is in the file already, beside the old text (line {first}), and would be there "
        "twice. Leave it out of new, or put it into old too.",
        candidates=(first,),
    )


def test_a_line_that_would_be_there_twice_is_seen_below_the_last_of_several_changes() -> None:
    text = "top = 1\nmiddle = 2\nbottom = 3\nlast_value = 4\n"
    new = "top = 5\nmiddle = 2\nbottom = 6\nlast_value = 4\n"
    # The blank at the end of a line says that the lines are compared one by one.
    outcome = refused(land(text, Replace("top = 1 \nmiddle = 2\nbottom = 3\n", new), "a.py"))
    assert (outcome.reason, outcome.candidates) == ("malformed", (3,))


PARTS = "alpha_one()\nbeta_two()\n\n\ngamma_three()\ndelta_four()\n"


@pytest.mark.parametrize(
    ("old", "shown"),
    [
        # From the first line that is like an old one to the last one, blank lines between them and all.
        ("beta_two()\nomega()\ngamma_three()\n", (2, 5)),
        ("alpha_one()\nomega()\n", (1, 2)),
        ("omega()\ndelta_four()\n", (5, 6)),
        ("alpha_one()\nbeta_two()\nomega()\ngamma_three()\ndelta_four()\n", (1, 6)),
    ],
)
def test_the_closest_lines_are_those_that_the_old_text_would_take(
    old: str, shown: tuple[int, int]
) -> None:
    lines = PARTS.split("\n")
    first, last = shown
    expected = "\n".join(f"{n}| {lines[n - 1]}" for n in range(first, last + 1))
    outcome = refused(land(PARTS, Replace(old, "new()\n"), "a.txt"))
    assert (outcome.reason, outcome.closest) == ("not_found", expected)


def test_a_bracket_that_both_have_is_no_closest_line() -> None:
    text = "void one() {\n    first();\n}\n"
    old = "void other_function() {\n    something_else_entirely();\n}\n"
    assert land(text, Replace(old, "x\n"), "a.c") == Refused(
        "not_found",
        "a.c: the old text is not in the file. Read the file and copy the lines to change.",
    )


def test_each_of_several_places_is_shown_with_the_lines_beside_it() -> None:
    assert land("a = 1\nb = 2\na = 1\n", Replace("a = 1", "a = 2")) == Refused(
        "ambiguous",
        "the old text is at lines 1, 3; add a line of context above or below it to pick one:\n"
        "1| a = 1\n2| b = 2\n\n2| b = 2\n3| a = 1",
        closest="1| a = 1\n2| b = 2\n\n2| b = 2\n3| a = 1",
        candidates=(1, 3),
    )


def test_the_first_of_the_lines_that_came_in_another_indentation_is_named() -> None:
    text = "func a() {\n\tone()\n\ttwo()\n\tthree()\n}\n"
    new = "func a() {\n    one()\n    two()\n    four()\n}\n"
    outcome = refused(land(text, WriteFile(new), "a.go"))
    assert (outcome.reason, outcome.message.split(";")[0]) == (
        "malformed",
        "a.go: `one()` is indented as no line of the file would be there",
    )


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("first()\nsecond()\n", 'line 6: "first()" is outside the hunks'),
        ("\nfirst()\nsecond()\n", 'line 7: "first()" is outside the hunks'),
        ("```\n+c\n", "line 6: a Markdown fence is outside the hunks"),
        ("</tool_call>\n<tool_call>\n", "line 6: the markup </tool_call> is outside the hunks"),
    ],
)
def test_the_first_line_that_is_no_part_of_a_diff_is_named(lines: str, told: str) -> None:
    diff = f"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n{lines}"
    assert refused(parse(diff)).message.split(";")[0] == told


@pytest.mark.parametrize(
    ("reply", "example"),
    [
        ('{"file": "a.py", "edits": [{"start": "x", "newText": "y"}]}', "range"),
        ('{"old": "a", "new": "b"}', "old"),
        ('{"edits": [{"range": {"start": 1, "end": 1}, "newText": "y"}]}', "range"),
        ('{"path": "a.py"}', "old"),
    ],
)
def test_a_fault_shows_the_notation_that_was_used(reply: str, example: str) -> None:
    examples = {
        "old": '{"path": "src/file.py", "old": "the old lines", "new": "the new lines"}',
        "range": '{"path": "src/file.py", "edits": [{"range": {"start": 3, "end": 4}, '
        '"oldText": "the old lines", "newText": "the new lines"}]}',
    }
    assert refused(parse(reply)).message.split("\n", 1)[1] == examples[example]


@pytest.mark.parametrize(
    ("places", "told"),
    [(1, "Landed at line 1."), (2, "Landed at lines 1, 3."), (3, "Landed at lines 1, 3, 5.")],
)
def test_a_landing_is_told_by_the_lines_of_all_its_places(places: int, told: str) -> None:
    outcome = land("b = 2\n\n" * places, Replace("b = 2", "b = 5", every=True))
    assert isinstance(outcome, Landed), outcome
    assert explain(outcome).split("\n") == [told, *["-b = 2", "+b = 5"] * places]


def test_a_new_line_that_the_next_line_is_already_is_named() -> None:
    text = "zero = 0\none = 1\nfirst = first_value\n"
    outcome = refused(land(text, Replace("one = 1\n", "first = first_value\n"), "a.py"))
    assert (outcome.reason, outcome.candidates) == ("malformed", (2,))
