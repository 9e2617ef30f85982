"""Hunks: numbered over a change, and a change split by them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.changes.apply import plan
from holdfast.changes.batch import Content, Swap
from holdfast.changes.change import Asked, Change
from holdfast.changes.hunks import hunks_of, split
from holdfast.changes.observed import plan_of_difference
from holdfast.changes.plan import FileLanded, Plan
from holdfast.testing import MemoryFiles
from holdfast.vocab.requests import FileRequest, Replace, WriteFile

TWENTY = "".join(f"line {number}\n" for number in range(1, 21))


def change_of(planned: Plan) -> Change:
    return Change("whole", "proposed", "proposal", Asked(), planned)


def proposed(*requests: FileRequest, files: MemoryFiles) -> Change:
    planned = plan(requests, files, overwrite=True)
    assert isinstance(planned, Plan), planned
    return change_of(planned)


def twenty_with(*numbers: int) -> bytes:
    text = TWENTY
    for number in numbers:
        text = text.replace(f"line {number}\n", f"LINE {number}\n")
    return text.encode()


def test_hunks_are_numbered_over_all_files_and_a_file_that_comes_or_goes_is_one() -> None:
    files = MemoryFiles({"a.txt": TWENTY.encode(), "gone.txt": b"x\n", "real.txt": b"y\n"}, {"link.txt": "real.txt"})
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
    accepted, rest = split(change, {1, 3}, "one", "two")
    middle = Content(twenty_with(1, 20), 0o644)
    assert accepted.plan.swaps == (Swap("a.txt", Content(TWENTY.encode(), 0o644), middle),)
    assert accepted.plan.makes == ()
    assert rest.plan.swaps == (
        Swap("new/n.txt", None, Content(b"n\n")),
        Swap("a.txt", middle, Content(twenty_with(1, 12, 20), 0o644)),
    )
    assert rest.plan.makes == ("new",)
    assert "LINE 12" not in accepted.plan.files[0].diff
    assert (accepted.id, accepted.state, accepted.origin, rest.id) == ("one", "proposed", "split", "two")


def test_files_that_change_places_are_one_hunk() -> None:
    swaps = (Swap("a", Content(b"1"), Content(b"2")), Swap("b", Content(b"2"), Content(b"1")))
    (hunk,) = hunks_of(change_of(Plan((FileLanded("a", "rename", "exact", 1.0, "", "b"),) * 2, swaps, ())))
    assert hunk.number == 1


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "", "d\n", "\n"]), max_size=30).map("".join)


@given(lines, lines, st.data())
def test_the_two_parts_of_any_split_make_what_the_whole_makes(before: str, after: str, data: st.DataObject) -> None:
    trees = [{"a": (text.encode(), 0o644)} for text in (before, after)]
    trees[1]["b"] = (b"new\n", 0o644)
    change = change_of(plan_of_difference(*trees))
    numbers = [hunk.number for hunk in hunks_of(change)]
    taken = data.draw(st.sets(st.sampled_from(numbers)))
    accepted, rest = split(change, taken, "one", "two")
    contents: dict[str, Content | None] = {"a": Content(before.encode(), 0o644), "b": None}
    for part in (accepted, rest):
        for swap in part.plan.swaps:
            assert contents[swap.path] == swap.before
            contents[swap.path] = swap.after
    assert contents == {name: Content(*entry) for name, entry in trees[1].items()}
