"""Projection: recorded swaps on the files of now, or the reason why one does not fit."""

from __future__ import annotations

import pytest

from holdfast.changes.rebase.rebase_swaps import Clash, RebasedSwaps, rebase_swaps
from holdfast.changes.swaps import LINK, Content, Swap
from holdfast.testing import MemoryFiles

OLD = b"1\n2\n3\n4\n5\n6\n"
NEW = b"1\n2\n3\n4\nfive\n6\n"
ELSEWHERE = b"one\n2\n3\n4\n5\n6\n"
BOTH = b"one\n2\n3\n4\nfive\n6\n"
SAME_LINE = b"1\n2\n3\n4\nFIVE\n6\n"

EDIT = Swap("a", Content(OLD), Content(NEW))
CREATE = Swap("d/e/a", None, Content(NEW))
DELETE = Swap("a", Content(OLD), None)


def of_mode(before: int, after: int) -> Swap:
    return Swap("a", Content(OLD, before), Content(OLD, after), modes=True)


def fits(swap: Swap, *makes: str) -> RebasedSwaps:
    return RebasedSwaps((swap,), makes, ())


def clash(swap: Swap, why: str) -> RebasedSwaps:
    return RebasedSwaps((), (), (Clash(swap.path, why),))  # type: ignore[arg-type]  # the case of the test is a literal


DONE = RebasedSwaps((), (), ())


@pytest.mark.parametrize(
    ("swap", "present", "expected"),
    [
        (EDIT, OLD, fits(EDIT)),
        (EDIT, ELSEWHERE, fits(Swap("a", Content(ELSEWHERE, 0o644), Content(BOTH, 0o644)))),
        (EDIT, SAME_LINE, clash(EDIT, "touched")),
        (EDIT, None, clash(EDIT, "gone")),
        (EDIT, NEW, DONE),
        (EDIT, BOTH, DONE),
        (CREATE, None, fits(CREATE, "d", "d/e")),
        (CREATE, OLD, clash(CREATE, "there")),
        (CREATE, NEW, DONE),
        (DELETE, OLD, fits(DELETE)),
        (DELETE, ELSEWHERE, clash(DELETE, "changed")),
        (DELETE, None, DONE),
        (of_mode(0o644, 0o755), OLD, fits(of_mode(0o644, 0o755))),
        (of_mode(0o755, 0o644), OLD, DONE),
        (of_mode(0o755, 0o600), OLD, clash(EDIT, "mode")),
        (of_mode(0o644, 0o755), ELSEWHERE, clash(EDIT, "mode")),
        (
            Swap("a", Content(OLD, 0o755), Content(NEW, 0o755), modes=True),
            BOTH,
            clash(EDIT, "mode"),
        ),
    ],
)
def test_a_swap_fits_is_done_already_or_clashes_for_a_reason(
    swap: Swap, present: bytes | None, expected: RebasedSwaps
) -> None:
    files = MemoryFiles({} if present is None else {swap.path: present})
    assert rebase_swaps([swap], files) == expected


@pytest.mark.parametrize(
    ("present", "why"), [(NEW, "touched"), (BOTH, "touched"), (SAME_LINE, "touched")]
)
def test_at_a_path_that_is_never_done_the_same_text_is_chance_and_clashes(
    present: bytes, why: str
) -> None:
    assert rebase_swaps([EDIT], MemoryFiles({"a": present}), never_done={"a"}) == clash(EDIT, why)


@pytest.mark.parametrize(("swap", "why"), [(CREATE, "there"), (DELETE, "gone")])
def test_at_a_path_that_is_never_done_a_file_that_came_or_went_clashes(
    swap: Swap, why: str
) -> None:
    files = MemoryFiles({"d/e/a": NEW})
    assert rebase_swaps([swap], files, never_done={swap.path}) == clash(swap, why)


def test_only_the_named_paths_are_never_done() -> None:
    other = Swap("b", EDIT.before, EDIT.after)
    found = rebase_swaps([EDIT, other], MemoryFiles({"a": NEW, "b": NEW}), never_done={"b"})
    assert found == clash(other, "touched")


def test_a_swap_that_changes_nothing_fits_and_is_not_done() -> None:
    """So that the change it belongs to is seen to have this file."""
    same = Swap("a", Content(OLD), Content(OLD))
    assert rebase_swaps([same], MemoryFiles({"a": OLD})) == fits(same)


def test_a_path_that_cannot_be_a_file_or_leads_elsewhere_by_now_clashes() -> None:
    assert rebase_swaps([EDIT], MemoryFiles({"a/x": b""})) == clash(EDIT, "unfit")
    assert rebase_swaps([EDIT], MemoryFiles({"b": OLD}, {"a": "b"})) == clash(EDIT, "unfit")


def test_all_swaps_are_carried_over_and_each_missing_directory_is_named_once() -> None:
    second = Swap("d/e/b", None, Content(NEW))
    gone = Swap("gone", Content(OLD), Content(NEW))
    found = rebase_swaps([CREATE, gone, second, EDIT], MemoryFiles({"a": OLD}))
    assert found == RebasedSwaps((CREATE, second, EDIT), ("d", "d/e"), (Clash("gone", "gone"),))


def test_a_link_is_compared_by_where_it_leads() -> None:
    swap = Swap("a", Content(b"old", LINK), Content(b"new", LINK))
    assert rebase_swaps([swap], MemoryFiles(links={"a": "old"})) == fits(swap)
    assert rebase_swaps([swap], MemoryFiles(links={"a": "new"})) == DONE
    assert rebase_swaps([swap], MemoryFiles(links={"a": "now"})) == clash(swap, "mode")
    assert rebase_swaps([swap], MemoryFiles({"a": b"old"})) == clash(swap, "mode")


def test_an_edit_of_a_file_does_not_fit_a_link_that_took_its_place() -> None:
    files = MemoryFiles({"b": OLD}, links={"a": "b"})
    assert rebase_swaps([EDIT], files) == clash(EDIT, "unfit")
