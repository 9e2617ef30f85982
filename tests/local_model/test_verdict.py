"""The judge of the turns with a real model finds what must not be. The turns themselves: `make test-local-model`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from holdfast.changes.swaps import Content, Swap
from tests.local_model.tasks import PROJECTS, tasks
from tests.local_model.verdict import Ran, faults, fold

ENDED = {"kind": "turn_ended", "stop_reason": "done", "message": "Done.", "steps": 1}


def ran(code: int = 0, end: Mapping[str, object] = ENDED, **others: Any) -> Ran:
    output: dict[str, Any] = {"stdout": json.dumps(end) + "\n", "stderr": "", "before": {"a": b"1"}}
    return Ran(code=code, **(output | {"after": {"a": b"1"}, "swaps": ()} | others))


CHANGED = (Swap("a", Content(b"1"), Content(b"2")),)


@pytest.mark.parametrize(
    ("turn", "fault"),
    [
        (ran(), None),
        (ran(swaps=CHANGED, after={"a": b"2"}), None),
        (ran(12, {**ENDED, "stop_reason": "cap", "steps": 6}), None),
        (ran(1), "the exit code is 1, and the stop reason done"),
        (ran(13, {**ENDED, "stop_reason": "unreachable"}), "the stop reason is unreachable"),
        (ran(12, {**ENDED, "stop_reason": "cap", "steps": 3}), "the cap is 6 steps"),
        (ran(0, {**ENDED, "steps": 7}), "the turn ended after 7 steps"),
        (ran(0, {"kind": "said"}), "the last fact is said"),
        (ran(stdout="hello\n"), "what was printed is not JSON"),
        (ran(stderr="Traceback (most recent call last):"), "an exception"),
        (ran(after={"a": b"2"}), "the files are not what the recorded changes make of them"),
        (ran(swaps=CHANGED), "the files are not what the recorded changes make of them"),
        (ran(before={"a": b"\xff"}, after={"a": b"\xff"}), "a: can no longer be decoded"),
        (ran(running=1), "1 turns are on record as running"),
    ],
)
def test_a_turn_is_judged(turn: Ran, fault: str | None) -> None:
    found = list(faults(turn))
    assert len(found) == (fault is not None)
    assert fault is None or found[0].startswith(fault)


def test_swaps_are_folded_in_order_and_one_that_does_not_fit_is_seen() -> None:
    back = (Swap("a", Content(b"2"), None), Swap("b", None, Content(b"3")))
    assert fold({"a": b"1"}, (*CHANGED, *back)) == {"b": b"3"}
    assert fold({"a": b"0"}, CHANGED) is None


def test_there_are_thirty_tasks_on_projects_that_exist() -> None:
    assert len(list(tasks())) == len(set(tasks())) == 30
    assert {task.project for task in tasks()} == set(PROJECTS)
