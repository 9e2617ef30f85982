"""A proposed change lands again on the files of now, or is refused with the reason."""

from __future__ import annotations

import pytest

from holdfast.changes.change import Change, RequestedEdits
from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.plan_requests import plan_requests
from holdfast.changes.rebase.rebase_change import rebase_change
from holdfast.changes.swaps import Content, Swap
from holdfast.changes.tree_difference import plan_of_difference
from holdfast.testing import MemoryFiles
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, Replace, WriteFile

OLD = b"1\n2\n3\n4\n5\n6\n"
NEW = b"1\n2\n3\n4\nfive\n6\n"
ELSEWHERE = b"0\n1\n2\n3\n4\n5\n6\n"
BOTH = b"0\n1\n2\n3\n4\nfive\n6\n"

WRITE = FileRequest("a", "edit", WriteFile(NEW.decode()))
REPLACE = FileRequest("a", "edit", Replace("5", "five"))
DELETE = FileRequest("a", "delete")
CREATE = FileRequest("d/new", "create", WriteFile("n\n"))


def proposed(*requests: FileRequest, files: MemoryFiles) -> Change:
    planned = plan_requests(requests, files, overwrite=True)
    assert isinstance(planned, ChangePlan), planned
    return Change("c", "proposed", "proposal", RequestedEdits(requests, overwrite=True), planned)


def on_a(*requests: FileRequest) -> Change:
    return proposed(*requests, files=MemoryFiles({"a": OLD}))


def refused(path: str, why: str) -> tuple[FileRefused]:
    message = f"{path}: this has changed since the edit was proposed, {why}."
    return (FileRefused(path, Refused("conflict", message)),)


@pytest.mark.parametrize("request_", [WRITE, REPLACE, DELETE, CREATE])
def test_on_the_same_files_it_is_the_plan_as_it_was_made(request_: FileRequest) -> None:
    change = on_a(request_)
    assert rebase_change(change, MemoryFiles({"a": OLD})) == change.plan


def test_on_the_same_files_the_report_is_not_made_anew() -> None:
    """A report that was made anew would have lost the lines about the mode."""
    observed = plan_of_difference({"a": (OLD, 0o644)}, {"a": (NEW, 0o755)})
    assert observed.files[0].diff.startswith("old mode 644\nnew mode 755\n--- a/a\n")
    change = Change("c", "proposed", "observed", RequestedEdits(), observed)
    assert rebase_change(change, MemoryFiles({"a": OLD})) == observed


def test_a_file_of_another_mode_is_not_the_one_the_change_was_made_against() -> None:
    observed = plan_of_difference({"a": (OLD, 0o600)}, {"a": (OLD, 0o755)})
    change = Change("c", "proposed", "observed", RequestedEdits(), observed)
    assert rebase_change(change, MemoryFiles({"a": OLD})) == refused(
        "a", "in its mode or its text; look at it, and propose it again"
    )


def test_directories_are_made_only_where_they_are_missing_now() -> None:
    change = on_a(CREATE)
    assert change.plan.makes == ("d",)
    again = rebase_change(change, MemoryFiles({"a": OLD, "d/other": b""}))
    assert again == ChangePlan(change.plan.files, change.plan.swaps, ())


@pytest.mark.parametrize("request_", [WRITE, REPLACE])
def test_an_edit_is_carried_over_to_a_text_that_differs_elsewhere_and_its_diff_is_that_of_now(
    request_: FileRequest,
) -> None:
    before, after = Content(ELSEWHERE, 0o644), Content(BOTH, 0o644)
    diff = diff_of("a", "a", before, after)
    assert "-5\n+five\n" in diff
    assert "@@ -3,5 +3,5 @@" in diff
    again = rebase_change(on_a(request_), MemoryFiles({"a": ELSEWHERE}))
    assert again == ChangePlan(
        (FileLanded("a", "edit", "exact", 1.0, diff),), (Swap("a", before, after),), ()
    )


def test_a_change_without_requests_is_carried_over_by_its_texts() -> None:
    whole = on_a(REPLACE)
    part = Change("p", "proposed", "split", RequestedEdits(part_of="c"), whole.plan)
    assert rebase_change(part, MemoryFiles({"a": ELSEWHERE})) == rebase_change(
        whole, MemoryFiles({"a": ELSEWHERE})
    )


@pytest.mark.parametrize(
    ("request_", "files", "expected"),
    [
        (WRITE, {"a": b"1\n2\n3\n4\nV\n6\n"}, refused("a", "and both edits touch the same lines; propose it again")),
        (WRITE, {"a": NEW}, refused("a", "and both edits touch the same lines; propose it again")),
        (WRITE, {}, refused("a", "the file is gone; restore it, or reject the change")),
        (DELETE, {}, refused("a", "the file is gone; restore it, or reject the change")),
        (
            DELETE,
            {"a": ELSEWHERE},
            refused("a", "and only a file that is exactly as it was can be removed; look at it, and propose it again"),
        ),
        (
            CREATE,
            {"a": OLD, "d/new": b"other\n"},
            refused("d/new", "there is a file now; move it away, or propose an edit of it"),
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(
    request_: FileRequest, files: dict[str, bytes], expected: tuple[FileRefused]
) -> None:
    assert rebase_change(on_a(request_), MemoryFiles(files)) == expected


def test_a_path_that_became_a_directory_or_a_link_is_refused() -> None:
    why = "no file can be written there now; reject the change"
    assert rebase_change(on_a(WRITE), MemoryFiles({"a/x": b""})) == refused("a", why)
    assert rebase_change(on_a(WRITE), MemoryFiles({"b": OLD}, {"a": "b"})) == refused("a", why)


def test_a_path_that_became_a_link_to_another_file_of_the_change_is_refused() -> None:
    why = "no file can be written there now; reject the change"
    other = FileRequest("b", "edit", WriteFile("B\n"))
    change = proposed(WRITE, other, files=MemoryFiles({"a": OLD, "b": OLD}))
    assert rebase_change(change, MemoryFiles({"b": OLD}, {"a": "b"})) == refused("a", why)


def test_a_link_that_leads_elsewhere_by_now_is_followed_anew() -> None:
    """The bytes at the old real path are as they were; the name does not lead there any more."""
    files = {"one": OLD, "two": ELSEWHERE}
    change = proposed(
        FileRequest("link", "edit", Replace("5", "five")), files=MemoryFiles(files, {"link": "one"})
    )
    again = rebase_change(change, MemoryFiles(files, {"link": "two"}))
    assert isinstance(again, ChangePlan)
    assert again.swaps == (Swap("two", Content(ELSEWHERE, 0o644), Content(BOTH, 0o644)),)


def test_one_file_that_differs_is_enough_for_all_to_be_carried_over() -> None:
    other = FileRequest("b", "edit", WriteFile("B\n"))
    change = proposed(WRITE, other, files=MemoryFiles({"a": OLD, "b": b"b\n"}))
    again = rebase_change(change, MemoryFiles({"a": OLD, "b": b"other\n"}))
    assert again == refused("b", "and both edits touch the same lines; propose it again")


def test_the_reports_of_created_and_deleted_files_stay_beside_a_carried_edit() -> None:
    change = proposed(
        WRITE, CREATE, FileRequest("gone", "delete"), files=MemoryFiles({"a": OLD, "gone": b"g\n"})
    )
    again = rebase_change(change, MemoryFiles({"a": ELSEWHERE, "gone": b"g\n"}))
    assert isinstance(again, ChangePlan)
    first, *others = change.plan.files
    assert [file.path for file in again.files] == ["a", "d/new", "gone"]
    assert again.files[0].diff != first.diff
    assert list(again.files[1:]) == others
    assert again.makes == ("d",)
