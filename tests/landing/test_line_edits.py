"""Edits by line number: old text and range must agree, and numbers alone only count for what was shown."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Refused, land

FILE = "one\ntwo\nthree\nfour\nfive\n"


def edit(*edits: LineEdit, text: str = FILE, shown: str | None = FILE) -> Landed | Refused:
    return land(text, LineEdits(edits, shown))


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ((LineEdit(2, 2, "zwei"),), "one\nzwei\nthree\nfour\nfive\n"),
        ((LineEdit(2, 3, "x\ny\nz\n"),), "one\nx\ny\nz\nfour\nfive\n"),
        ((LineEdit(2, 3, ""),), "one\nfour\nfive\n"),
        ((LineEdit(1, 0, "zero"),), "zero\none\ntwo\nthree\nfour\nfive\n"),
        ((LineEdit(6, 5, "six"),), "one\ntwo\nthree\nfour\nfive\nsix\n"),
        ((LineEdit(4, 4, "vier"), LineEdit(1, 1, "eins")), "eins\ntwo\nthree\nvier\nfive\n"),
        ((LineEdit(3, 2, "new"), LineEdit(3, 3, "drei")), "one\ntwo\nnew\ndrei\nfour\nfive\n"),
    ],
)
def test_numbers_count_in_the_text_that_was_shown(
    edits: tuple[LineEdit, ...], expected: str
) -> None:
    outcome = edit(*edits)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == expected


def test_without_old_text_and_never_shown_the_numbers_mean_nothing() -> None:
    outcome = edit(LineEdit(2, 2, "zwei"), shown=None)
    assert isinstance(outcome, Refused)
    assert outcome.reason == "stale"
    assert "oldText" in outcome.message


def test_two_edits_in_succession_do_not_hit_shifted_lines() -> None:
    once = edit(LineEdit(1, 1, "a\nb\nc"))
    assert isinstance(once, Landed)
    second = edit(LineEdit(4, 4, "vier"), text=once.text)
    assert isinstance(second, Landed)
    assert second.text == "a\nb\nc\ntwo\nthree\nvier\nfive\n"


def test_lines_that_changed_since_they_were_shown_are_stale() -> None:
    outcome = edit(LineEdit(2, 2, "zwei"), text="one\nTWO\nthree\nfour\nfive\n")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "stale"
    assert "2| TWO" in outcome.closest


def test_an_insertion_between_lines_that_came_apart_is_stale() -> None:
    outcome = edit(LineEdit(3, 2, "x"), text="one\ntwo\nmiddle\nthree\nfour\nfive\n")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "stale"


@pytest.mark.parametrize("start", [1, 2, 4, 40, -3])
def test_the_first_line_may_be_off_where_old_text_and_range_have_the_same_size(start: int) -> None:
    outcome = edit(LineEdit(start, start, "zwei", old="two"), shown=None)
    assert isinstance(outcome, Landed)
    assert outcome.text == FILE.replace("two", "zwei")


def test_where_old_text_stands_twice_the_exact_number_decides() -> None:
    text = "a\nb\na\n"
    outcome = edit(LineEdit(3, 3, "c", old="a"), text=text, shown=None)
    assert isinstance(outcome, Landed)
    assert outcome.text == "a\nb\nc\n"
    wrong = edit(LineEdit(2, 2, "c", old="a"), text=text, shown=None)
    assert isinstance(wrong, Refused)
    assert (wrong.reason, wrong.candidates) == ("ambiguous", (1, 3))


def test_a_second_run_of_an_edit_beside_a_twin_is_applied() -> None:
    outcome = edit(LineEdit(3, 3, "c", old="a"), text="a\nb\nc\n", shown=None)
    assert isinstance(outcome, Refused)
    assert outcome.reason == "already_applied"


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ((LineEdit(3, 1, "x"),), "out_of_bounds"),
        ((LineEdit(0, 0, "x"),), "out_of_bounds"),
        ((LineEdit(6, 6, "x"),), "out_of_bounds"),
        ((LineEdit(9, 8, "x"),), "out_of_bounds"),
        ((LineEdit(1, 2, "x"), LineEdit(2, 3, "y")), "overlap"),
        ((LineEdit(1, 3, "x"), LineEdit(2, 1, "y")), "overlap"),
        ((LineEdit(2, 2, "two"),), "no_change"),
        ((), "no_change"),
        ((LineEdit(2, 2, "x", old="absent line"),), "not_found"),
        ((LineEdit(1, 5, "one\n# ... rest unchanged ..."),), "elision"),
    ],
)
def test_what_cannot_be_meant_is_refused(edits: tuple[LineEdit, ...], reason: str) -> None:
    outcome = edit(*edits)
    assert isinstance(outcome, Refused)
    assert outcome.reason == reason


def test_edits_whose_old_texts_share_a_line_overlap() -> None:
    outcome = edit(
        LineEdit(1, 2, "a\ntwo", old="one\ntwo"), LineEdit(2, 3, "two\nc", old="two\nthree")
    )
    assert isinstance(outcome, Refused)
    assert outcome.reason == "overlap"


def test_the_missing_last_newline_stays_missing() -> None:
    text = "a\r\nb"
    outcome = edit(LineEdit(2, 2, "x\ny"), text=text, shown=text)
    assert isinstance(outcome, Landed)
    assert outcome.text == "a\r\nx\r\ny"


AREA = "def area(w, h):\n    size = w * h\n    return size\n"


@pytest.mark.parametrize(
    "old", ["def area(w, h):\n", "def area(w, h):  ", "def area(w, h):\n    size = w * h", AREA]
)
@pytest.mark.parametrize("shown", [None, AREA])
@pytest.mark.parametrize("below", ["", "\n\nx = 1\ny = 2\n"])
def test_an_old_text_that_begins_its_range_means_the_whole_range(
    old: str, shown: str | None, below: str
) -> None:
    shown = None if shown is None else shown + below
    request = LineEdits((LineEdit(1, 3, "def area(w, h):\n    return w * h\n", old=old),), shown)
    outcome = land(AREA + below, request, path="a.py")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.warning) == ("def area(w, h):\n    return w * h\n" + below, None)
    again = land(outcome.text, request, path="a.py")
    assert isinstance(again, Refused)
    assert again.reason in {"already_applied", "conflict", "stale", "not_found"}


def test_a_short_old_text_follows_its_range_to_where_the_shown_lines_are_now() -> None:
    edits = (LineEdit(1, 3, "def area(w, h):\n    return w * h\n", old="def area(w, h):"),)
    outcome = land("import os\n\n\n" + AREA, LineEdits(edits, shown=AREA))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "import os\n\n\ndef area(w, h):\n    return w * h\n"


@pytest.mark.parametrize(
    ("start", "end", "old", "new"),
    [
        (2, 4, "one", "eins"),  # shorter than the range, and not where the range begins
        (2, 4, "three", "drei"),  # a part of the range, but not its beginning
        (1, 2, "two\nthree\nfour", "2 to 4"),  # longer than the range, and elsewhere
        (2, 2, "two\nthree", "zwei"),  # longer than the range, with the last line changed
        (2, 4, "two", "new\ntwo"),  # an insertion above line 2, or a new text for lines 2 to 4
        (5, 6, "five", "fuenf"),  # the range leaves the file
        (1, 3, "  one", "eins"),  # the beginning of the range, but indented otherwise
    ],
)
def test_an_old_text_and_a_range_that_name_different_lines_are_a_conflict(
    start: int, end: int, old: str, new: str
) -> None:
    outcome = edit(LineEdit(start, end, new, old=old), shown=None)
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "conflict"
    first = FILE.split("\n")[start - 1]
    assert f"\n{old}\n" in outcome.message
    assert f"{start}| {first}" in outcome.closest
    assert outcome.closest in outcome.message


@pytest.mark.parametrize("end", [3, 4, 5])
def test_a_miscounted_end_does_no_harm_where_the_change_ends_above_a_kept_line(end: int) -> None:
    outcome = edit(
        LineEdit(1, end, "one\nzwei\nthree\nfour", old="one\ntwo\nthree\nfour"), shown=None
    )
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == FILE.replace("two", "zwei")


def test_blank_lines_left_out_of_the_old_text_do_not_change_the_size_of_the_place() -> None:
    outcome = edit(LineEdit(1, 3, "c\nb", old="a\nb"), text="x\na\n\nb\ny\n", shown=None)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "x\nc\n\nb\ny\n"


def test_a_fence_around_lines_that_are_inserted_into_code_is_dropped() -> None:
    text = "a()\nb()\nc()\n"
    edit = LineEdit(2, 1, "```js\nif (d) {\n  e()\n}\n\n```\n")
    outcome = land(text, LineEdits((edit,), shown=text), "a.js")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a()\nif (d) {\n  e()\n}\n\nb()\nc()\n"


def test_a_blank_last_line_of_the_range_is_in_texts_that_were_joined_without_a_newline() -> None:
    text = "a = 1\n\nb = 2\n"
    outcome = land(text, LineEdits((LineEdit(1, 2, "a = 3\n", old="a = 1\n"),)), "a.toml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a = 3\n\nb = 2\n"


def test_a_blank_line_that_only_new_shows_at_the_end_of_the_range_is_not_doubled() -> None:
    text = "package a\n\nimport b\n"
    edit = LineEdit(1, 2, "package c\n\n", "package a\n")
    outcome = land(text, LineEdits((edit,)), "a.kt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "package c\n\nimport b\n"


@pytest.mark.parametrize(
    "new", ["count += 7;\nlog(count);\nrender(options);", "first(options);\ncount += 8;"]
)
@pytest.mark.parametrize("others", [(), (LineEdit(4, 4, "return {};", old="return 0;"),)])
def test_a_line_beside_the_range_is_not_written_twice(
    new: str, others: tuple[LineEdit, ...]
) -> None:
    """The model has repeated the line above or below; without a path landing is splicing."""
    text = "first(options);\ncount += 7;\nrender(options);\nreturn 0;\n"
    request = LineEdits((*others, LineEdit(2, 2, new, old="count += 7;")))
    outcome = land(text, request, "a.cpp")
    assert isinstance(outcome, Refused), outcome
    assert "would be there twice" in outcome.message
    assert isinstance(land(text, request), Landed)


@pytest.mark.parametrize("number", ["{}| ", "{}\t", "{}: "])
def test_the_numbers_of_its_own_range_are_no_part_of_new_lines(number: str) -> None:
    """New lines alone show no line of the file; the range shows what the numbers are."""
    text = "a {\n    color: red;\n}\n"
    numbered = f"{number.format(2)}    margin: 0;\n{number.format(3)}    padding: 1px;\n"
    outcome = land(text, LineEdits((LineEdit(2, 1, numbered),), shown=text), "a.css")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a {\n    margin: 0;\n    padding: 1px;\n    color: red;\n}\n"
    assert outcome.warning is not None


def test_numbers_that_the_file_has_too_are_content() -> None:
    text = "1: one\n2: two\n4: four\n"
    outcome = land(text, LineEdits((LineEdit(3, 2, "3: three\n"),), shown=text), "a.yaml")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "1: one\n2: two\n3: three\n4: four\n"


def test_a_new_text_that_begins_with_one_word_keeps_it() -> None:
    """The word is the tag of a lost fence only if it names a language."""
    edit = LineEdit(3, 3, "else\n  x = 2\nend\n", old="end\n")
    outcome = land("if a\n  x = 1\nend\n", LineEdits((edit,)), "a.rb")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "if a\n  x = 1\nelse\n  x = 2\nend\n"


def test_a_number_of_the_blank_line_above_the_old_text_is_one_line_off() -> None:
    text = "a = 1\n\n[b]\nc = 1\nd = 2\n"
    edit = LineEdit(2, 4, "[b]\n", old="[b]\nc = 1\nd = 2\n")
    outcome = land(text, LineEdits((edit,)), "a.ini")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a = 1\n\n[b]\n"
    # Its twin: the new text is at the named line, and the old one elsewhere.
    other = land(f"{outcome.text}\n{text}", LineEdits((edit,)), "a.ini")
    assert isinstance(other, Refused)


def test_a_range_whose_first_line_is_old_and_new_is_no_edit_without_effect() -> None:
    outcome = land("a\nb\nc\n", LineEdits((LineEdit(2, 3, "b\n", old="b\n"),)))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "conflict"
    assert "send all lines of the range as oldText" in outcome.message


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("]\n", "2\n]\n", "[\n2\n]\n\n\nf()\n"),
        ("]\n\n", "2\n]\n\n", "[\n2\n]\n\n\nf()\n"),
    ],
)
def test_lines_that_were_joined_without_a_newline_at_the_end_keep_the_blank_lines(
    old: str, new: str, meant: str
) -> None:
    text = "[\n]\n\n\nf()\n"
    edit = LineEdit(2, 2 + old.count("\n"), new, old=old)
    outcome = land(text, LineEdits((edit,)), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == meant
