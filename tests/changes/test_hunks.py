"""Hunks: numbered over a change, and a change split by them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.changes.change import Change, RequestedEdits
from holdfast.changes.diff import diff_of
from holdfast.changes.hunks import ChangeHunk, hunks_of, split_change
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.swaps import Content, Swap
from holdfast.changes.tree_difference import plan_of_difference
from holdfast.testing import MemoryFiles
from holdfast.vocab.requests import FileRequest, Replace, WriteFile

TWENTY = "".join(f"line {number}\n" for number in range(1, 21))


def change_of(planned: ChangePlan) -> Change:
    return Change("whole", "proposed", "proposal", RequestedEdits(), planned)


def proposed(*requests: FileRequest, files: MemoryFiles) -> Change:
    planned = plan_requests(requests, files, overwrite=True)
    assert isinstance(planned, ChangePlan), planned
    return change_of(planned)


def twenty_with(*numbers: int) -> bytes:
    text = TWENTY
    for number in numbers:
        text = text.replace(f"line {number}\n", f"LINE {number}\n")
    return text.encode()


def test_hunks_are_numbered_over_all_files_and_a_file_that_comes_or_goes_is_one() -> None:
    files = MemoryFiles(
        {"a.txt": TWENTY.encode(), "gone.txt": b"x\n", "real.txt": b"y\n"}, {"link.txt": "real.txt"}
    )
    change = proposed(
        FileRequest("a.txt", "edit", WriteFile(twenty_with(1, 12, 20).decode())),
        FileRequest("new.txt", "create", WriteFile("n\n")),
        FileRequest("gone.txt", "delete"),
        FileRequest("link.txt", "edit", Replace("y", "z")),
        files=files,
    )
    hunks = hunks_of(change)
    assert [(hunk.number, hunk.path) for hunk in hunks] == [
        (1, "a.txt"),
        (2, "a.txt"),
        (3, "a.txt"),
        (4, "new.txt"),
        (5, "gone.txt"),
        (6, "link.txt"),
    ]
    assert "+LINE 12\n" in hunks[1].diff
    assert hunks[1].diff.startswith("@@ -9,7 +9,7 @@\n")


def test_the_accepted_hunks_are_one_change_and_the_rest_is_made_on_top_of_it() -> None:
    files = MemoryFiles({"a.txt": TWENTY.encode()})
    change = proposed(
        FileRequest("a.txt", "edit", WriteFile(twenty_with(1, 12, 20).decode())),
        FileRequest("new/n.txt", "create", WriteFile("n\n")),
        files=files,
    )
    accepted, rest = split_change(change, {1, 3}, "one", "two")
    middle = Content(twenty_with(1, 20), 0o644)
    assert accepted.plan.swaps == (Swap("a.txt", Content(TWENTY.encode(), 0o644), middle),)
    assert accepted.plan.makes == ()
    assert rest.plan.swaps == (
        Swap("new/n.txt", None, Content(b"n\n")),
        Swap("a.txt", middle, Content(twenty_with(1, 12, 20), 0o644)),
    )
    assert rest.plan.makes == ("new",)
    assert "LINE 12" not in accepted.plan.files[0].diff
    assert (accepted.id, accepted.state, accepted.origin, rest.id) == (
        "one",
        "proposed",
        "split",
        "two",
    )


def test_files_that_change_places_are_one_hunk() -> None:
    swaps = (Swap("a", Content(b"1"), Content(b"2")), Swap("b", Content(b"2"), Content(b"1")))
    (hunk,) = hunks_of(
        change_of(ChangePlan((FileLanded("a", "rename", "exact", 1.0, "", "b"),) * 2, swaps, ()))
    )
    assert hunk.number == 1


def test_files_that_change_places_are_reported_by_the_first_of_them_with_all_their_diffs() -> None:
    swaps = (Swap("a", Content(b"1"), Content(b"2")), Swap("b", Content(b"2"), Content(b"1")))
    reports = (
        FileLanded("a", "rename", "exact", 1.0, "A\n", "b"),
        FileLanded("b", "rename", "exact", 1.0, "B\n", "a"),
    )
    change = change_of(ChangePlan(reports, swaps, ()))
    assert hunks_of(change) == (ChangeHunk(1, "a", "A\nB\n"),)
    accepted, rest = split_change(change, {1}, "one", "two")
    assert accepted.plan == ChangePlan(reports[:1], swaps, ())
    assert rest.plan == ChangePlan((), (), ())


def test_swaps_that_no_report_speaks_of_are_one_hunk_of_an_edit() -> None:
    swaps = (Swap("a", Content(b"1"), Content(b"2")),)
    accepted, _ = split_change(change_of(ChangePlan((), swaps, ())), {1}, "one", "two")
    assert accepted.plan == ChangePlan((FileLanded("a", "edit", "exact", 1.0, ""),), swaps, ())


OLD = Content(TWENTY.encode())
NEW = Content(twenty_with(1, 20))


def edit_of(swap: Swap, diff: str) -> Change:
    return change_of(ChangePlan((FileLanded("a", "edit", "exact", 1.0, diff),), (swap,), ()))


@pytest.mark.parametrize(
    "swap",
    [
        pytest.param(Swap("a", None, NEW), id="no old side"),
        pytest.param(Swap("a", Content(b"\0" + OLD.data), NEW), id="old side is binary"),
        pytest.param(Swap("a", OLD, Content(b"\0" + NEW.data)), id="new side is binary"),
        pytest.param(
            Swap("a", OLD, Content(b"\xef\xbb\xbf" + NEW.data)), id="a byte order mark more"
        ),
        pytest.param(
            Swap("a", OLD, Content(NEW.data + b"more\n")), id="a line more than the diff says"
        ),
    ],
)
def test_an_edit_is_not_taken_apart_unless_its_hunks_make_the_new_bytes_of_the_old(
    swap: Swap,
) -> None:
    diff = diff_of("a", "a", OLD, NEW)
    assert hunks_of(edit_of(swap, diff)) == (ChangeHunk(1, "a", diff),)


def test_a_hunk_has_its_lines_of_the_old_and_the_new_text() -> None:
    diff = diff_of("a", "a", OLD, NEW)
    first, second = hunks_of(edit_of(Swap("a", OLD, NEW), diff))
    assert (first.old, first.new) == (range(4), range(4))
    assert (second.old, second.new) == (range(16, 20), range(16, 20))
    assert first.diff + second.diff == diff.partition("+++ b/a\n")[2]


def test_a_single_hunk_is_the_file_as_a_whole() -> None:
    swap = Swap("a", Content(b""), Content(b"1\n"))
    assert hunks_of(edit_of(swap, "@@ -0,0 +1 @@\n+1\n")) == (
        ChangeHunk(1, "a", "@@ -0,0 +1 @@\n+1\n"),
    )


def test_a_header_leaves_out_a_size_of_one_and_names_the_line_before_where_there_are_none() -> None:
    diff = "@@ -1 +1 @@\n-a\n+A\n@@ -9,0 +10 @@\n+new\n"
    swap = Swap("a", Content(b"a\n" + b"x\n" * 9), Content(b"A\n" + b"x\n" * 8 + b"new\nx\n"))
    hunks = hunks_of(edit_of(swap, diff))
    assert [(hunk.old, hunk.new) for hunk in hunks] == [
        (range(1), range(1)),
        (range(9, 9), range(9, 10)),
    ]


def test_each_part_keeps_the_mode_and_the_directories_of_its_own_files() -> None:
    before = {"a": (TWENTY.encode(), 0o755)}
    after = {"a": (twenty_with(1, 20), 0o755), "d/one": (b"1\n", 0o644), "e/two": (b"2\n", 0o644)}
    change = change_of(plan_of_difference(before, after))
    assert [(hunk.number, hunk.path) for hunk in hunks_of(change)] == [
        (1, "a"),
        (2, "a"),
        (3, "d/one"),
        (4, "e/two"),
    ]
    accepted, rest = split_change(change, {2, 3}, "one", "two")
    middle = Content(twenty_with(20), 0o755)
    assert accepted.plan.makes == ("d",)
    assert rest.plan.makes == ("e",)
    assert accepted.plan.swaps[1] == Swap("a", Content(TWENTY.encode(), 0o755), middle)
    assert rest.plan.swaps[1] == Swap("a", middle, Content(twenty_with(1, 20), 0o755))
    assert accepted.plan.files[0].diff == diff_of("a", "a", Content(TWENTY.encode()), middle)
    assert rest.plan.files[0].diff == diff_of("a", "a", middle, Content(twenty_with(1, 20)))


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "", "d\n", "\n"]), max_size=30).map(
    "".join
)


@given(lines, lines, st.data())
def test_the_two_parts_of_any_split_make_what_the_whole_makes(
    before: str, after: str, data: st.DataObject
) -> None:
    trees = [{"a": (text.encode(), 0o644)} for text in (before, after)]
    trees[1]["b"] = (b"new\n", 0o644)
    change = change_of(plan_of_difference(*trees))
    numbers = [hunk.number for hunk in hunks_of(change)]
    taken = data.draw(st.sets(st.sampled_from(numbers)))
    accepted, rest = split_change(change, taken, "one", "two")
    contents: dict[str, Content | None] = {"a": Content(before.encode(), 0o644), "b": None}
    for part in (accepted, rest):
        for swap in part.plan.swaps:
            assert contents[swap.path] == swap.before
            contents[swap.path] = swap.after
    assert contents == {name: Content(*entry) for name, entry in trees[1].items()}


def test_an_edit_without_lines_in_its_diff_is_one_hunk() -> None:
    text = b"#!/bin/sh\n"
    made_executable = plan_of_difference({"run.sh": (text, 0o644)}, {"run.sh": (text, 0o755)})
    (hunk,) = hunks_of(change_of(made_executable))
    assert (hunk.number, hunk.path) == (1, "run.sh")
