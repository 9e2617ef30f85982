"""A check that holds only what came with a turn against its files."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, cast

import pytest

from holdfast.changes.change import AT_ONCE, Change, ChangeOwner, RequestedEdits
from holdfast.changes.plan import ChangePlan
from holdfast.changes.swaps import LINK, Content, Swap
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from holdfast.testing.memory_edit_guard import MemoryEditGuard
from holdfast.usecases.turns.baseline import Baseline, SinceCheck, texts_before
from holdfast.usecases.turns.repair_ports import EditedTurn
from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from tests.changes.memory_log import MemoryLog

THEN = b"one\ntwo\nthree\n"


def error(line: int | None, message: str = "a slip", path: str = "a.py") -> Diagnostic:
    area = Area(line, 1, line, 1) if line is not None else None
    return Diagnostic("own", "1", "", "error", message, message, (), path, area)


def said(*errors: Diagnostic) -> Checked:
    return Checked(ok=not errors, diagnostics=errors, oracle="own 1", output="as it was printed")


class _Check:
    """Says the same of every text, and counts (port `Check`)."""

    target: Target = "python"

    def __init__(self, says: Checked | CheckTimedOut) -> None:
        self._says = says
        self.runs = 0

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        self.runs += 1
        return self._says


def since(
    now: Checked | CheckTimedOut,
    before: Checked | None,
    text: bytes = b"one\ntwo\nthree\nfour\n",
    then: Mapping[str, bytes | None] | None = None,
) -> Checked | CheckTimedOut:
    """Give what is left of `now`, said of this text, if `before` was said of what was there."""
    was = Baseline((lambda: before) if before is not None else None)
    return SinceCheck(_Check(now), was, {"a.py": THEN} if then is None else then, {}, {}).run(
        "a.py", text
    )


def test_an_error_that_was_there_is_left_out_wherever_it_stands_now() -> None:
    now = said(error(3))
    assert since(now, said(error(2)), b"new\none\ntwo\nthree\n") == Checked(
        True, (), "own 1", now.output
    )


def test_another_error_and_one_more_of_the_same_are_kept() -> None:
    assert since(said(error(2), error(2, "worse")), said(error(2))) == said(error(2, "worse"))
    assert since(said(error(2), error(3)), said(error(2))) == said(error(3))


def test_an_error_in_a_line_that_the_turn_wrote_is_its_own_though_it_was_there_before() -> None:
    now = said(error(2))
    assert since(now, said(error(2)), b"one\ntwo, anew\nthree\n") == now


def test_an_error_in_a_file_that_the_turn_left_alone_is_old_if_it_was_there() -> None:
    other = error(7, path="b.py")
    assert since(said(other), said(other)) == Checked(True, (), "own 1", "as it was printed")
    assert since(said(other), said()) == said(other)


def test_an_error_in_the_checked_file_is_old_if_the_turn_left_that_file_alone() -> None:
    old = said(error(2))
    left = since(old, old, then={"b.py": THEN})
    assert left == Checked(True, (), "own 1", "as it was printed")


def test_without_a_place_an_error_is_known_by_all_its_words_but_the_time_it_took() -> None:
    was = said(error(None, "2 failed in 0.31s"))
    assert since(said(error(None, "2 failed in 12 ms")), was) == Checked(
        True, (), "own 1", "as it was printed"
    )
    worse = said(error(None, "3 failed in 0.31s"))
    assert since(worse, was) == worse


def test_warnings_stay_and_do_not_fail_it() -> None:
    warning = Diagnostic("own", "1", "", "warning", "hm", "hm", (), "a.py", None)
    now = Checked(ok=False, diagnostics=(warning, error(2)), oracle="own 1")
    assert since(now, said(error(2))) == Checked(True, (warning,), "own 1")


@pytest.mark.parametrize(
    "trouble", [ToolchainMissing("none"), CheckCrashed("crashed"), CheckTimedOut("own 1", 1)]
)
def test_of_a_project_that_could_not_be_checked_before_all_is_new(
    trouble: ToolchainMissing | CheckCrashed | CheckTimedOut,
) -> None:
    def run() -> CheckTimedOut:
        if isinstance(trouble, Exception):
            raise trouble
        return trouble

    now = said(error(2))
    assert SinceCheck(_Check(now), Baseline(run), {"a.py": THEN}, {}, {}).run("a.py", THEN) == now


def test_what_was_before_is_asked_once_and_only_if_something_fails() -> None:
    then = _Check(said(error(2)))
    before = Baseline(lambda: then.run("a.py", THEN))
    assert SinceCheck(_Check(said()), before, {}, {}, {}).run("a.py", THEN) == said()
    assert then.runs == 0
    failing = SinceCheck(_Check(said(error(2))), before, {"a.py": THEN}, {}, {})
    for _ in range(2):
        assert isinstance(failing.run("a.py", THEN), Checked)
    assert then.runs == 1


def test_what_is_known_of_a_text_is_not_asked_again() -> None:
    check, known = _Check(said()), {("a.py", THEN): said(error(1))}
    tested = SinceCheck(check, Baseline(None), {}, {}, known)
    assert (tested.run("a.py", THEN), check.runs) == (said(error(1)), 0)
    assert (tested.run("a.py", b"other"), check.runs) == (said(), 1)
    known.clear()
    assert (tested.run("a.py", THEN), check.runs) == (said(), 2)


def test_a_run_that_was_ended_says_nothing_of_before() -> None:
    late = CheckTimedOut("own 1", 5)
    assert since(late, said(error(1))) == late


class _Workspace:
    """Only a log (part of the port `Workspace`)."""

    def __init__(self) -> None:
        self.log = MemoryLog()


def test_what_a_file_held_before_a_turn_is_what_its_first_change_found() -> None:
    workspace = _Workspace()
    swaps = [
        Swap("a.py", Content(b"1\n"), Content(b"2\n")),
        Swap("a.py", Content(b"2\n"), Content(b"3\n")),
        Swap("new.py", None, Content(b"n\n")),
        Swap("new.py", Content(b"n\n"), Content(b"m\n")),
        Swap("link", None, Content(b"target", LINK)),
    ]
    owners = [("s", "t")] * len(swaps)
    others = [Swap("other.py", Content(b"1\n"), Content(b"2\n"))] * 2
    owners += [("s", "t0"), ("s", "t")]
    states = ["applied"] * (len(swaps) + 1) + ["rewound"]
    for number, (swap, owner, state) in enumerate(
        zip([*swaps, *others], owners, states, strict=True)
    ):
        plan = ChangePlan((), (swap,), ())
        session, of_turn = owner
        change = Change(
            f"c{number}",
            cast("Any", state),
            AT_ONCE,
            RequestedEdits(),
            plan,
            session=session,
            turn=of_turn,
        )
        workspace.log.add(change, lambda _: ())
    turn = EditedTurn(
        ChangeOwner("s", "t"),
        cast("Any", None),
        cast("Any", None),
        cast("Any", workspace),
        MemoryEditGuard(),
        threading.Event(),
    )
    assert texts_before(turn) == {"a.py": b"1\n", "new.py": None}
