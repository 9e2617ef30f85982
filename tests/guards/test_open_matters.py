"""What a turn has left open: how it is opened, closed, counted and described."""

from __future__ import annotations

import pytest

from holdfast.guards.open_matters import (
    OpenMatters,
    describe,
    question,
    record_bad_call,
    record_call,
)
from holdfast.vocab.events import CommandRan, EditRefused, OpenMatter
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome

EDIT = ToolCall("1", "edit_file", {"path": "a.py"})
RUN = ToolCall("1", "run_command", {"command": "make  all"})


def refused(path: str, message: str = "not found\nmore") -> EditRefused:
    return EditRefused(path, "not_found", message)


def ran(code: int | None, command: str = "make  all") -> CommandRan:
    return CommandRan(command, code, "")


@pytest.mark.parametrize(
    ("call", "outcome", "opened"),
    [
        (EDIT, ToolOutcome("ok"), ()),
        (EDIT, ToolOutcome("no\nx", "exec_error"), (OpenMatter("edit", "a.py", "no"),)),
        (RUN, ToolOutcome("no", "exec_error"), (OpenMatter("command", "make all", "no"),)),
        (
            RUN,
            ToolOutcome("no", "permission_denied"),
            (OpenMatter("command", "make all", "no", denied=True),),
        ),
        (
            ToolCall("1", "apply_edits", {"path": 3, "command": None}),
            ToolOutcome("no", "exec_error"),
            (OpenMatter("call", "apply_edits", "no"),),
        ),
        (RUN, ToolOutcome("", events=(ran(0),)), ()),
        (
            RUN,
            ToolOutcome("", events=(ran(2),)),
            (OpenMatter("command", "make all", "exit code 2"),),
        ),
        (
            RUN,
            ToolOutcome("late", "exec_error", events=(ran(None),)),
            (OpenMatter("command", "make all", "it was ended before its end"),),
        ),
        (RUN, ToolOutcome("", events=(ran(1, "grep x a.py"),)), ()),
        (RUN, ToolOutcome("", "exec_error", events=(ran(1, "grep x a.py"),)), ()),
        (EDIT, ToolOutcome("", events=(refused("b.py"),)), ()),
        (
            EDIT,
            ToolOutcome("", "exec_error", events=(refused("b.py"), refused("c.py"))),
            (OpenMatter("edit", "b.py", "not found"), OpenMatter("edit", "c.py", "not found")),
        ),
        (
            EDIT,
            ToolOutcome("", "exec_error", events=(refused(""),)),
            (OpenMatter("call", "edit_file", "not found"),),
        ),
    ],
)
def test_what_a_call_leaves_open(call: ToolCall, outcome: ToolOutcome, opened: OpenMatters) -> None:
    assert record_call((), call, outcome) == opened


@pytest.mark.parametrize(
    ("call", "outcome", "closed"),
    [
        (EDIT, ToolOutcome("", modified=("a.py",)), {"edit", "call"}),
        (EDIT, ToolOutcome("", "exec_error", modified=("a.py",), events=(ran(0, "x"),)), {"edit"}),
        (EDIT, ToolOutcome("", events=(refused("a.py"),)), {"edit", "call"}),
        (RUN, ToolOutcome("", "exec_error", events=(ran(0),)), {"command"}),
        (EDIT, ToolOutcome("", modified=("b.py",)), {"call"}),
    ],
)
def test_what_a_call_closes(call: ToolCall, outcome: ToolOutcome, closed: set[str]) -> None:
    matters: OpenMatters = (
        OpenMatter("edit", "a.py", ""),
        OpenMatter("command", "make all", ""),
        OpenMatter("call", "edit_file", ""),
    )
    assert {each.what for each in matters} - {
        each.what for each in record_call(matters, call, outcome)
    } == closed


def test_a_matter_that_is_opened_again_is_the_last_and_counts_its_tries() -> None:
    matters = record_bad_call((), "edit_file", "bad\nx")
    matters = record_bad_call(matters, "write_file", "bad")
    assert record_bad_call(matters, "edit_file", "worse") == (
        OpenMatter("call", "write_file", "bad"),
        OpenMatter("call", "edit_file", "worse", tries=2),
    )


@pytest.mark.parametrize(
    ("matters", "words"),
    [
        ((), ""),
        ((OpenMatter("edit", "a", ""),), "1 edit was refused and not retried"),
        ((OpenMatter("edit", "a", "", 2),), "1 edit was refused and did not land"),
        (
            (OpenMatter("edit", "a", ""), OpenMatter("edit", "b", "", 2)),
            "2 edits were refused and did not land",
        ),
        (
            (OpenMatter("edit", "a", ""), OpenMatter("edit", "b", "")),
            "2 edits were refused and not retried",
        ),
        (
            (OpenMatter("call", "t", ""), OpenMatter("command", "m", "", 3)),
            "1 command failed; 1 call was not understood (t)",
        ),
        (
            (OpenMatter("call", "t{}", ""), OpenMatter("call", "u", "")),
            "2 calls were not understood (t{}, u)",
        ),
        ((OpenMatter("command", "m", ""), OpenMatter("command", "n", "")), "2 commands failed"),
        (
            (OpenMatter("command", "m", ""), OpenMatter("command", "n", "", denied=True)),
            "1 command failed; 1 command was not allowed",
        ),
        ((OpenMatter("edit", "a", "", 2, denied=True),), "1 edit was not allowed"),
        ((OpenMatter("call", "t", "", denied=True),), "1 call was not allowed (t)"),
    ],
)
def test_open_matters_are_described(matters: OpenMatters, words: str) -> None:
    assert describe(matters) == words


@pytest.mark.parametrize(("count", "last"), [(9, "s8"), (10, "s9"), (11, "1 more"), (12, "2 more")])
def test_the_question_lists_ten_of_them(count: int, last: str) -> None:
    matters = tuple(OpenMatter("command", f"s{number}", "no") for number in range(count))
    listed = [line for line in question(matters).split("\n") if line.startswith("- ")]
    assert len(listed) == min(count, 11)
    assert last in listed[-1]


def test_the_question_names_each_kind() -> None:
    kinds: OpenMatters = (
        OpenMatter("edit", "a.py", "x"),
        OpenMatter("command", "make", "y"),
        OpenMatter("call", "edit_file", "z"),
        OpenMatter("command", "rm -rf /", "no", denied=True),
    )
    assert question(kinds).split("\n")[1:5] == [
        "- the edit of a.py was refused: x",
        "- the command `make` failed: y",
        "- a call of edit_file could not be run: z",
        "- the command `rm -rf /` was not allowed: no",
    ]
