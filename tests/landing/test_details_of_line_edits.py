"""Edits by line number: which lines are meant if the file, the numbers or the old text are not what they were."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Refused, Replace, land, parse
from holdfast.vocab.requests import FileRequest

SHOWN = "one\ntwo\nthree\nfour\nfive\nsix\n"


def outcome_of(text: str, *edits: LineEdit, shown: str | None = SHOWN) -> str | tuple[str, str]:
    """Return the new text, or the reason and the message of the refusal up to its first line break."""
    outcome = land(text, LineEdits(edits, shown=shown))
    if isinstance(outcome, Landed):
        return outcome.text
    return outcome.reason, outcome.message.partition("\n")[0]


def stale(lines: str) -> tuple[str, str]:
    return "stale", f"{lines}: changed since the file was shown; read it again. Now:"


@pytest.mark.parametrize(
    ("text", "edit", "after"),
    [
        # Lines that came or went above only move the place.
        (f"zero\n{SHOWN}", LineEdit(3, 3, "new\n"), "zero\none\ntwo\nnew\nfour\nfive\nsix\n"),
        (f"zero\n{SHOWN}", LineEdit(3, 4, "new\n"), "zero\none\ntwo\nnew\nfive\nsix\n"),
        ("two\nthree\nfour\nfive\nsix\n", LineEdit(4, 3, "new\n"), "two\nthree\nnew\nfour\nfive\nsix\n"),
        (f"{SHOWN}seven\n", LineEdit(3, 4, "new\n"), "one\ntwo\nnew\nfive\nsix\nseven\n"),
        ("one\ntwo\nthree\n2\n3\nfour\nfive\nsix\n", LineEdit(6, 6, "new\n"), "one\ntwo\nthree\n2\n3\nfour\nfive\nnew\n"),
        # A blank at the end of a line is no change.
        (SHOWN.replace("two", "two "), LineEdit(3, 3, "new\n"), "one\ntwo \nnew\nfour\nfive\nsix\n"),
        (SHOWN.replace("three", "three "), LineEdit(3, 3, "new\n"), "one\ntwo\nnew\nfour\nfive\nsix\n"),
        # A line that is not next to the range may be another one.
        (SHOWN.replace("one", "1"), LineEdit(3, 3, "new\n"), "1\ntwo\nnew\nfour\nfive\nsix\n"),
        (SHOWN.replace("five", "5"), LineEdit(3, 3, "new\n"), "one\ntwo\nnew\nfour\n5\nsix\n"),
        (SHOWN.replace("two", "2").replace("five", "5"), LineEdit(4, 3, "new\n"), "one\n2\nthree\nnew\nfour\n5\nsix\n"),
        # At an end of the file there is a neighbour on one side only.
        (f"zero\n{SHOWN}", LineEdit(7, 6, "new\n"), f"zero\n{SHOWN}new\n"),
        (f"{SHOWN}seven\n", LineEdit(1, 0, "new\n"), f"new\n{SHOWN}seven\n"),
        # A line is in the characters of the file where only another one changes.
        ("it’s\ntwo\n", LineEdit(1, 2, "it's\n2\n"), None),
        # What the range has already is no edit of it.
        (SHOWN, LineEdit(3, 4, "three\nfour\n"), ("no_change", "old and new are the same; send the text as it should become in new.")),
        # Another line is there, or beside it.
        (SHOWN.replace("three", "3"), LineEdit(3, 3, "new\n"), stale("line 3")),
        (SHOWN.replace("two", "2"), LineEdit(3, 3, "new\n"), stale("line 3")),
        (SHOWN.replace("four", "4"), LineEdit(3, 3, "new\n"), stale("line 3")),
        (SHOWN.replace("five", "5"), LineEdit(3, 4, "new\n"), stale("lines 3 to 4")),
        (SHOWN.replace("three", "three\n3"), LineEdit(3, 4, "new\n"), stale("lines 3 to 4")),
        (SHOWN.replace("three", "three\n3"), LineEdit(4, 3, "new\n"), stale("before line 4")),
        # What is new at an end may be this very insertion.
        (f"zero\n{SHOWN}", LineEdit(1, 0, "new\n"), stale("before line 1")),
        (f"{SHOWN}seven\n", LineEdit(7, 6, "new\n"), stale("before line 7")),
        # No such lines.
        (SHOWN, LineEdit(6, 7, "new\n"), ("out_of_bounds", "lines 6 to 7: the file has 6 lines; number them from 1.")),
        (SHOWN, LineEdit(8, 7, "new\n"), ("out_of_bounds", "before line 8: the file has 6 lines; number them from 1.")),
        (SHOWN, LineEdit(0, 1, "new\n"), ("out_of_bounds", "lines 0 to 1: the file has 6 lines; number them from 1.")),
        (
            SHOWN,
            LineEdit(4, 2, "new\n"),
            ("out_of_bounds", "the range 4 to 2 ends before it starts; to insert before line 4 use start 4, end 3."),
        ),
    ],
)  # fmt: skip
def test_numbers_name_the_lines_that_were_shown(
    text: str, edit: LineEdit, after: str | tuple[str, str] | None
) -> None:
    if after is None:
        assert outcome_of(text, edit, shown=text) == "it’s\n2\n"
    else:
        assert outcome_of(text, edit) == after


def test_lines_that_are_in_the_file_once_are_found_in_long_texts_that_differ_throughout() -> None:
    # Of long texts no alignment is made: that takes quadratic time.
    shown = "".join(f"a {n}\n" for n in range(3_000)) + "first\nsecond\nthird\nend\n"
    text = "".join(f"b {n}\n" for n in range(3_000)) + "first\nsecond\nthird\nfinish\n"
    edit = LineEdit(3_002, 3_002, "new\n")
    assert outcome_of(text, edit, shown=shown) == text.replace("second", "new")
    twice = text.replace("finish", "finish\nsecond")
    assert outcome_of(twice, edit, shown=shown) == stale("line 3002")


def conflict(lines: str) -> tuple[str, str]:
    message = (
        f"{lines} and oldText name different lines. Send all lines of the range as oldText, or the range of the lines in "
        "oldText. oldText has 2 lines:"
    )
    return "conflict", message


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (LineEdit(3, 4, "new\n", "three\nfour\n"), "one\ntwo\nnew\nfive\nsix\n"),
        # The number is off, and the text says which lines are meant.
        (LineEdit(2, 3, "new\n", "three\nfour\n"), "one\ntwo\nnew\nfive\nsix\n"),
        (LineEdit(4, 5, "new\n", "three\nfour\n"), "one\ntwo\nnew\nfive\nsix\n"),
        # The text is the beginning of the range.
        (LineEdit(3, 5, "new\n", "three\nfour\n"), "one\ntwo\nnew\nsix\n"),
        (LineEdit(3, 6, "new\n", "three\nfour\n"), "one\ntwo\nnew\n"),
        # Old and new end in the same line: what is below is not meant.
        (LineEdit(3, 5, "3\nfour\n", "three\nfour\n"), "one\ntwo\n3\nfour\nfive\nsix\n"),
        # The range has not as many lines, and does not begin where the text does.
        (LineEdit(2, 5, "new\n", "three\nfour\n"), conflict("lines 2 to 5")),
        (LineEdit(3, 3, "new\n", "three\nfour\n"), conflict("line 3")),
        # There are no such lines at the end of the range.
        (LineEdit(3, 7, "new\n", "three\nfour\n"), conflict("lines 3 to 7")),
        (LineEdit(3, 4, "three\nfour\n", "three\nfour\n"), ("no_change", "old and new are the same; send the text as it should become in new.")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shown", [None, SHOWN])
def test_the_old_text_and_the_size_of_the_range_say_which_lines_are_meant(
    edit: LineEdit, after: str | tuple[str, str], shown: str | None
) -> None:
    assert outcome_of(SHOWN, edit, shown=shown) == after


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        # With a newline at the end, the blank line below is not in the old text.
        (LineEdit(1, 3, "x\ny\n", "a\nb\n"), "x\ny\n\nc\n"),
        # Lines that were joined without one are all of the range.
        (LineEdit(1, 3, "x\ny", "a\nb"), "x\ny\nc\n"),
        (LineEdit(1, 3, "x\ny\n", "a\nb\n\n"), "x\ny\nc\n"),
        (LineEdit(1, 3, "x\ny\n\n", "a\nb\n\n"), "x\ny\n\nc\n"),
    ],
)
def test_a_blank_line_at_the_end_of_the_range_is_in_the_old_text_or_stays(
    edit: LineEdit, after: str
) -> None:
    assert outcome_of("a\nb\n\nc\n", edit, shown="a\nb\n\nc\n") == after


@pytest.mark.parametrize(
    ("item", "edit"),
    [
        ('"start": 2, "end": 4, "oldText": "b\\n", "newText": "x\\n"', LineEdit(2, 4, "x\n", "b\n")),
        ('"start": 2, "end": 4, "newText": "x\\n"', LineEdit(2, 4, "x\n")),
        ('"start": 2, "end": 1, "newText": "x\\n"', LineEdit(2, 1, "x\n")),
        # Without an end: as many lines as the old text has, or one.
        ('"start": 2, "oldText": "b\\nc\\n", "newText": "x\\n"', LineEdit(2, 3, "x\n", "b\nc\n")),
        ('"start": 2, "oldText": "b\\nc", "newText": "x\\n"', LineEdit(2, 3, "x\n", "b\nc")),
        ('"start": 2, "oldText": "", "newText": "x\\n"', LineEdit(2, 2, "x\n", "")),
        ('"start": 2, "newText": "x\\n"', LineEdit(2, 2, "x\n")),
        ('"range": {"start": 2, "end": 3}, "newText": "x\\n"', LineEdit(2, 3, "x\n")),
    ],
)  # fmt: skip
def test_the_range_of_an_edit_is_read_from_either_notation(item: str, edit: LineEdit) -> None:
    reply = f'{{"path": "a.py", "edits": [{{{item}}}]}}'
    assert parse(reply) == (FileRequest("a.py", "edit", LineEdits((edit,))),)


CALLS = (
    r'[{"function": {"name": "edit", "arguments": "{\"path\": \"a.py\", \"old\": \"a\", \"new\": \"b\"}"}},'
    ' {"path": "c.py", "old": "c", "new": "d"}]'
)
"""A call with its arguments as a string, and an edit beside it."""


@pytest.mark.parametrize(
    ("reply", "requests"),
    [
        (
            '[{"name": "edit", "arguments": {"path": "a.py", "old": "a", "new": "b"}}]',
            (FileRequest("a.py", "edit", Replace("a", "b")),),
        ),
        (
            CALLS,
            (
                FileRequest("a.py", "edit", Replace("a", "b")),
                FileRequest("c.py", "edit", Replace("c", "d")),
            ),
        ),
    ],
)
def test_edits_in_calls_of_a_tool_are_read_in_order(
    reply: str, requests: tuple[FileRequest, ...]
) -> None:
    assert parse(reply, unwrap=True) == requests


def test_a_number_is_no_edit() -> None:
    outcome = parse('{"function": {"arguments": 3}}', "json", unwrap=True)
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"


def test_a_list_of_edits_is_no_call_of_a_tool() -> None:
    # Around an edit without its old text, a call says what the edit means; a list says nothing.
    edit = '{"path": "a.py", "start": 2, "newText": "x"}'
    request = FileRequest("a.py", "edit", LineEdits((LineEdit(2, 2, "x"),)))
    assert parse(f"[{edit}]", unwrap=True) == (request,)
    call = parse(f'[{{"name": "insert", "arguments": {edit}}}]', unwrap=True)
    assert isinstance(call, Refused)
    assert call.message.startswith("a call of a tool is around an edit without its old text")
