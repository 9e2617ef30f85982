"""The plan of a rewind: the batch that undoes a change, or each reason why there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.changes.change import OBSERVED, Change, RequestedEdits
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.rewind import plan_rewind
from holdfast.changes.swaps import Batch, Content, Swap
from holdfast.testing import MemoryFiles
from holdfast.vocab.outcomes import Refused

OLD, NEW = b"1\n2\n3\n4\n5\n", b"one\n2\n3\n4\n5\n"
ELSEWHERE, BOTH_GONE = b"one\n2\n3\n4\nfive\n", b"1\n2\n3\n4\nfive\n"
EDIT = Swap("a", Content(OLD), Content(NEW))


def applied(*swaps: Swap, name: str = "first", makes: tuple[str, ...] = ()) -> Change:
    return Change(name, "applied", "apply", RequestedEdits(), ChangePlan((), swaps, makes))


def rewind(
    change: Change, files: dict[str, bytes], *later: Change, unfit: tuple[str, ...] = ()
) -> Batch | tuple[FileRefused, ...]:
    return plan_rewind(
        change,
        MemoryFiles({**files, **{f"{name}/x": b"" for name in unfit}}),
        later,
        left_by="the edit",
    )


def refused(path: str, why_and_cure: str) -> tuple[FileRefused]:
    return (
        FileRefused(
            path,
            Refused("conflict", f"{path}: this is no longer what the edit left {why_and_cure}."),
        ),
    )


def test_what_is_as_it_was_left_is_undone_in_reverse_order_and_its_directories_go() -> None:
    made = Swap("d/e/n", None, Content(b"n\n"))
    batch = rewind(applied(made, EDIT, makes=("d", "d/e")), {"a": NEW, "d/e/n": b"n\n"})
    assert batch == Batch(
        "first", (EDIT.reversed(), made.reversed()), (), ("d/e", "d"), rewinds=True
    )


def test_a_deleted_file_comes_back_with_its_directory() -> None:
    gone = Swap("d/n", Content(b"n\n"), None)
    assert rewind(applied(gone), {}) == Batch("first", (gone.reversed(),), ("d",), (), rewinds=True)


def test_a_change_through_a_link_is_undone_at_the_real_path() -> None:
    report = FileLanded("link", "edit", "exact", 1.0, "", real=("a",))
    change = replace(applied(EDIT), plan=ChangePlan((report,), (EDIT,), ()))
    assert rewind(change, {"a": NEW}) == Batch("first", (EDIT.reversed(),), (), (), rewinds=True)


def test_an_observed_change_without_the_old_content_is_refused() -> None:
    report = FileLanded("b", "edit", "exact", 1.0, "It was too large.")
    change = replace(applied(EDIT), origin=OBSERVED, plan=ChangePlan((report,), (EDIT,), ()))
    refusals = rewind(change, {"a": NEW})
    assert isinstance(refusals, tuple)
    assert [(each.path, each.refused.reason) for each in refusals] == [("b", "not_found")]
    assert "does not have its old content. It was too large." in refusals[0].refused.message


def test_a_later_edit_beside_it_stays() -> None:
    later = applied(Swap("a", Content(NEW), Content(ELSEWHERE)), name="second")
    swap = Swap("a", Content(ELSEWHERE, 0o644), Content(BOTH_GONE, 0o644))
    assert rewind(applied(EDIT), {"a": ELSEWHERE}, later) == Batch(
        "first", (swap,), (), (), rewinds=True
    )


@pytest.mark.parametrize(
    ("swap", "files", "expected"),
    [
        (
            EDIT,
            {"a": b"ONE\n2\n3\n4\n5\n"},
            "(later edits touch the same lines); remove its lines by hand",
        ),
        (EDIT, {}, "(it is gone); restore it"),
        (
            Swap("a", Content(OLD), None),
            {"a": NEW},
            "(there is a file now); move that file away",
        ),
        (
            Swap("a", None, Content(NEW)),
            {"a": OLD},
            "(it was edited, and would have to be removed whole); remove it by hand",
        ),
        (
            Swap("a", Content(NEW, 0o600), Content(NEW, 0o755), modes=True),
            {"a": NEW},
            "(its mode or its text was changed again); restore its old text and mode by hand",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason_and_the_cure(
    swap: Swap, files: dict[str, bytes], expected: str
) -> None:
    assert rewind(applied(swap), files) == refused("a", f"{expected}, and run this again")


def test_a_directory_in_its_place_is_refused() -> None:
    why = "(there is something else now); move that away, and run this again"
    assert rewind(applied(EDIT), {}, unfit=("a",)) == refused("a", why)


def test_the_first_later_change_of_the_file_is_named() -> None:
    over = [
        applied(Swap(path, Content(b"x"), Content(b"y")), name=name)
        for path, name in (("b", "2"), ("a", "3"), ("a", "4"))
    ]
    why = "(later edits touch the same lines); rewind change 3 first, or remove its lines by hand"
    assert rewind(applied(EDIT), {"a": b"y"}, *over) == refused("a", why)


@pytest.mark.parametrize(
    ("there", "back_again"),
    [
        pytest.param(
            Swap("a", Content(NEW), None),
            Swap("a", None, Content(NEW)),
            id="deleted and made again",
        ),
        pytest.param(
            Swap("a", Content(NEW), Content(b"x\n")),
            Swap("a", Content(b"x\n"), Content(NEW)),
            id="edited and back",
        ),
    ],
)
def test_a_file_that_looks_right_by_chance_waits_for_the_later_changes(
    there: Swap, back_again: Swap
) -> None:
    later = (applied(there, name="2"), applied(back_again, name="3"))
    why = "(later edits touch the same lines); rewind change 2 first, or remove its lines by hand"
    assert rewind(applied(EDIT), {"a": NEW}, *later) == refused("a", why)


def test_a_file_that_was_made_waits_for_later_changes_of_it_too() -> None:
    made = Swap("a", None, Content(NEW))
    later = (
        applied(Swap("a", Content(NEW), Content(OLD)), name="2"),
        applied(Swap("a", Content(OLD), Content(NEW)), name="3"),
    )
    why = "(later edits touch the same lines); rewind change 2 first, or remove its lines by hand"
    assert rewind(applied(made), {"a": NEW}, *later) == refused("a", why)
    assert rewind(applied(made), {"a": NEW}) == Batch(
        "first", (made.reversed(),), (), (), rewinds=True
    )
