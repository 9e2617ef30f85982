"""What a refusal shows, and blank lines and numbers that a model put between the lines of a file."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, Replace, land
from holdfast.landing.closest import closest_lines, numbered
from holdfast.landing.ladder.mark_columns import without_diff_marks
from holdfast.landing.ladder.unmangle import with_single_spacing
from holdfast.landing.text.lines import Doc

LONG = Doc("".join(f"line number {n} = {n * 7}\n" for n in range(40)))


def shown(first: int, stop: int) -> str:
    return "\n".join(f"{n + 1}| line number {n} = {n * 7}" for n in range(first, stop))


@pytest.mark.parametrize(
    ("old", "region", "closest"),
    [
        (["line number 32 = 225"], None, (shown(32, 33), 32)),
        (["line number 3 = 21", *["zzz"] * 20], None, (shown(3, 11), 3)),
        (["line number 3 = 21", "", "zzz"], None, (shown(3, 6), 3)),
        (["zzzzqqqq"], None, ("", 0)),
        ([""], None, ("", 0)),
        (["x"], (3, 4), (shown(3, 4), 3)),
        ([], (3, 30), (shown(3, 11), 3)),
        ([], (3, 3), (shown(3, 4), 3)),
        (["x", "y"], (38, 39), (shown(38, 40), 38)),
    ],
)
def test_at_most_eight_lines_like_the_old_ones_are_shown(
    old: list[str], region: tuple[int, int] | None, closest: tuple[str, int]
) -> None:
    assert closest_lines(LONG, old, region) == closest


def test_lines_are_shown_with_their_numbers_within_the_file_and_within_a_width() -> None:
    assert numbered(LONG, -2, 2) == shown(0, 2)
    assert numbered(LONG, 38, 60) == shown(38, 40)
    assert numbered(LONG, -3, -1) == ""
    assert numbered(Doc("x" * 200 + "\n" + "y" * 201), 0, 9) == f"1| {'x' * 200}\n2| {'y' * 200}…"


@pytest.mark.parametrize("count", [2, 3, 4, 12, 13])
def test_at_most_twelve_places_are_named_and_three_are_shown(count: int) -> None:
    outcome = land("same line\nother\n" * count, Replace("same line\n", "x\n"))
    assert isinstance(outcome, Refused)
    numbers = tuple(range(1, 2 * count, 2))
    some = ", ".join(map(str, numbers[:12])) + " and more" * (count > 12)
    places = ["1| same line\n2| other"]
    places += (f"{n - 1}| other\n{n}| same line\n{n + 1}| other" for n in numbers[1:3])
    closest = "\n\n".join(places)
    assert (outcome.candidates, outcome.closest) == (numbers, closest)
    assert outcome.message == (
        f"the old text is at lines {some}; add a line of context above or below it to pick one:\n{closest}"
    )


THREE = "one = 1\ntwo = 2\nthree = 3\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "read"),
    [
        (THREE, "one = 1\n\ntwo = 2\n\nthree = 3", "a\n\nb\n\nc", (THREE, "a\nb\nc\n")),
        (THREE, "one = 1\n\ntwo = 2", "a\n\nb\n\nc", ("one = 1\ntwo = 2\n", "a\nb\nc\n")),
        (THREE, "one = 1\n\ntwo = 2", "a\n\nb", None),
        (THREE, "one = 1\n\ntwo = 2", "a\n\nb\nx\nc", None),
        (THREE, "one = 1\n\ntwo = 2\nx\nthree = 3", "a\n\nb\n\nc", None),
        (THREE, "one = 1", "a\n\nb\n\nc", None),
        ("x\n", "one = 1\n\ntwo = 2", "a\n\nb\n\nc", None),
        ("one = 1\n\ntwo = 2\nthree = 3\n", "one = 1\n\ntwo = 2\n\nthree = 3", "a\n\nb\n\nc", None),
    ],
)
def test_blank_lines_behind_all_lines_go_where_the_file_has_none(
    text: str, old: str, new: str, read: tuple[str, str] | None
) -> None:
    reading = with_single_spacing(Doc(text), old.split("\n"), new.split("\n"))
    assert (None if reading is None else (reading.old, reading.new)) == read


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("-one\none\n  two\n", "-one\n-  two\n-y\n"),
        ("+x\none\n  two\n", "-one\n-  two\n"),
        ("-one\n-  two\none\n  two\n", "-one\n-  two\n"),
        ("one\n  two\n", "one\n  two\n"),
    ],
)
def test_marks_stay_where_the_file_has_such_lines(text: str, old: str) -> None:
    assert without_diff_marks(Doc(text), Doc(old).lines, ["+a"]) is None


TWO = "def one():\n    x = 1\n\ndef two():\n    x = 1\n"


@pytest.mark.parametrize(
    ("header", "number"),
    [
        ("@@ -1,2 +1,2 @@ def one():", 0),
        ("@@ -1,2 +1,2 @@ def two():", 1),
        ("@@ def two():", 1),
        ("@@ -1,2 +1,2 @@ def three():", None),
        ("@@ -9,2 +9,2 @@", None),
        ("@@ -2,1 +2,1 @@", 0),
        ("@@ -5,1 +5,1 @@", 1),
    ],
)
def test_the_section_of_a_hunk_picks_one_of_two_places(header: str, number: int | None) -> None:
    diff = f"--- a/a.py\n+++ b/a.py\n{header}\n-    x = 1\n+    x = 2\n"
    outcome = land(TWO, Patch(diff), "a.py")
    if number is None:
        assert isinstance(outcome, Refused)
        assert (outcome.reason, outcome.candidates) == ("ambiguous", (2, 5))
        return
    assert isinstance(outcome, Landed)
    parts = TWO.split("x = 1")
    values = ["x = 1", "x = 1"]
    values[number] = "x = 2"
    assert outcome.text == f"{parts[0]}{values[0]}{parts[1]}{values[1]}{parts[2]}"
