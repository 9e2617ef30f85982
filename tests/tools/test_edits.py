"""edit_file, write_file, write_patch, apply_edits: what lands, what is refused, and the output for the model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.changes.change import RequestedEdits
from holdfast.changes.plan import ChangePlan
from holdfast.landing.land import land
from holdfast.loop.reply import ModelReply
from holdfast.tools.ports import Denied, NoApprover
from holdfast.vocab.change_events import ChangeMoved, EditLanded
from holdfast.vocab.events import EditRefused
from holdfast.vocab.outcomes import Outcome
from holdfast.vocab.requests import Request
from holdfast.vocab.tool_calls import RawCall, ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from tests.edit_forms import FOURTH_LINE
from tests.loop.parse_reply.offered import parse
from tests.tools.world import Somebody, World, open_world

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"


BEFORE = "def first():\n    return one\n\n\ndef second():\n    return two\n"
AFTER = BEFORE.replace("return two", "return twenty_two")
DIFF2 = "--- a/a.py\n+++ b/a.py\n@@ -4,3 +4,3 @@\n \n def second():\n-    return two\n+    return twenty_two\n"


# -------------------------------------------------------------------------------------------------------------- landing


def test_a_replacement_lands_and_is_reported_with_its_lines(world: World) -> None:
    world.write("a.py", "x = 1\ny = 2\n")
    outcome = world.call("edit_file", path="a.py", old="y = 2", new="y = 3\nz = 4")
    assert (
        outcome.text
        == "a.py: Landed at line 2. The lines below moved by +1.\n-y = 2\n+y = 3\n+z = 4"
    )
    assert (outcome.failure, outcome.modified) == (None, ("a.py",))
    assert world.read("a.py") == "x = 1\ny = 3\nz = 4\n"
    first, second, event = outcome.events
    assert isinstance(event, EditLanded)
    assert isinstance(second, ChangeMoved)
    assert (first, second) == (
        ChangeMoved(str(event.change_id), "proposed"),
        ChangeMoved(str(event.change_id), "applied", written=second.written),
    )
    digest = hashlib.sha256(b"x = 1\ny = 3\nz = 4\n").hexdigest()
    assert [(each.path, each.digest) for each in second.written] == [("a.py", digest)]
    assert (event.path, event.action, event.rung, event.proposed) == (
        "a.py",
        "edit",
        "exact",
        False,
    )
    assert event.change_id == world.workspace.log.list()[0].id
    assert event.diff.startswith("--- a/a.py\n+++ b/a.py\n@@ ")


def test_a_drifted_replacement_says_how_it_landed(world: World) -> None:
    world.write("a.py", "def f():\n\treturn 1\n")
    assert world.told(
        "edit_file", path="a.py", old="def f():\n    return 1", new="def f():\n    return 2"
    ) == ("a.py: Landed at line 2 (white space differed).\n-\treturn 1\n+\treturn 2")


def test_windows_line_ends_stay(world: World) -> None:
    world.write("a.txt", "a\r\nb\r\nc\r\n")
    assert world.told("edit_file", path="a.txt", old="b", new="B\nBB") == (
        "a.txt: Landed at line 2. The lines below moved by +1.\n-b\n+B\n+BB"
    )
    assert world.read("a.txt") == "a\r\nB\r\nBB\r\nc\r\n"


def test_one_of_several_places_is_picked_and_all_of_them_too(world: World) -> None:
    world.write("a.py", "x\n\nx\n\nx\n")
    assert world.error("edit_file", path="a.py", old="x", new="y")["candidates"] == [1, 3, 5]
    assert world.told("edit_file", path="a.py", old="x", new="y", near_line=3).startswith(
        "a.py: Landed at line 3."
    )
    assert world.told("edit_file", path="a.py", old="x", new="y", every=True).startswith(
        "a.py: Landed at lines 1, 5."
    )


def test_a_whole_file_is_written_new_or_anew(world: World) -> None:
    outcome = world.call("write_file", path="src/new.py", text="x = 1\ny = 2\n")
    assert (outcome.text, outcome.modified) == ("src/new.py: created, 2 lines.", ("src/new.py",))
    assert world.told("write_file", path="src/new.py", text="x = 1\ny = 3\n") == (
        "src/new.py: Landed at line 2.\n-y = 2\n+y = 3"
    )
    assert world.read("src/new.py") == "x = 1\ny = 3\n"
    assert world.told("write_file", path="empty.txt", text="") == "empty.txt: created, 0 lines."


def test_nothing_in_a_file_that_is_not_there_becomes_a_new_file(world: World) -> None:
    assert (
        world.told("edit_file", path="new.py", old="", new="x = 1\n") == "new.py: created, 1 line."
    )
    assert world.error("edit_file", path="new.py", old="", new="y")["reason"] == "empty_old"


def test_a_diff_lands_over_several_files_all_or_none(world: World) -> None:
    world.write("a.py", "x = 1\ny = 2\n")
    world.write("b.py", "b\n")
    new = "--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+c\n"
    gone = "--- a/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n"
    bad = DIFF.replace("y = 2", "q = 9")
    error = world.error("write_patch", diff=new + bad)
    assert (error["kind"], error["path"], error["reason"]) == ("patch_error", "a.py", "not_found")
    assert error["message"].endswith(
        "Nothing was written; the other edits of this call were not applied either."
    )
    outcome = world.call("write_patch", diff=DIFF + new + gone)
    assert (
        outcome.text
        == "a.py: Landed at line 2.\n-y = 2\n+y = 3\nc.py: created, 1 line.\nb.py: deleted."
    )
    assert outcome.modified == ("a.py", "c.py", "b.py")
    assert world.files() == {"a.py": b"x = 1\ny = 3\n", "c.py": b"c\n"}


def test_a_rename_is_reported(world: World) -> None:
    world.write("a.py", "x = 1\ny = 2\n")
    diff = "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n"
    outcome = world.call("write_patch", diff=diff)
    assert (outcome.text, outcome.modified) == ("a.py: renamed to b.py.", ("a.py", "b.py"))


def test_a_file_is_moved_to_a_path_that_begins_at_the_root(world: World) -> None:
    world.write("a.py", "x = 1\n")
    patch = (
        "*** Begin Patch\n*** Update File: ./a.py\n*** Move to: ./b.py\n"
        "@@\n-x = 1\n+x = 2\n*** End Patch\n"
    )
    outcome = world.call("write_patch", diff=patch)
    assert (outcome.failure, world.files()) == (None, {"b.py": b"x = 2\n"})


def test_other_notations_for_edits_are_taken_as_well(world: World) -> None:
    world.write("a.py", "x = 1\ny = 2\n")
    world.told("write_patch", diff="a.py\n<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n>>>>>>> REPLACE\n")
    assert world.read("a.py") == "x = 1\ny = 3\n"
    world.told(
        "write_patch",
        diff="*** Begin Patch\n*** Update File: a.py\n x = 1\n-y = 3\n+y = 4\n*** End Patch\n",
    )
    assert world.read("a.py") == "x = 1\ny = 4\n"


def test_edits_by_text_and_by_number_land_together(world: World) -> None:
    world.write("a.py", "a\nb\nc\nd\n")
    world.write("b.py", "x\n")
    world.told("read_file", path="a.py")
    outcome = world.call(
        "apply_edits",
        edits=[
            {"path": "a.py", "start": 1, "end": 1, "new": "A"},
            {"path": "a.py", "start": 3, "end": 2, "new": "between"},
            {"path": "a.py", "start": 4, "end": 4, "new": "D", "old": "d"},
            {"path": "b.py", "old": "x", "new": "y"},
            {"path": "c.py", "text": "new\n"},
        ],
    )
    assert outcome.failure is None, outcome
    assert world.files() == {"a.py": b"A\nb\nbetween\nc\nD\n", "b.py": b"y\n", "c.py": b"new\n"}
    assert outcome.modified == ("a.py", "b.py", "c.py")


def test_an_old_text_that_begins_its_range_means_the_whole_range(world: World) -> None:
    world.write("a.py", "def f(x):\n    y = x\n    return y\n\nz = 1\n")
    new = "def f(x):\n    return x\n"
    world.told(
        "apply_edits",
        edits=[{"path": "a.py", "start": 1, "end": 3, "old": "def f(x):", "new": new}],
    )
    assert world.read("a.py") == new + "\nz = 1\n"


def test_an_old_text_that_is_not_where_its_range_begins_is_a_conflict(world: World) -> None:
    world.write("a.py", "def f(x):\n    y = x\n    return y\n")
    edit = {"path": "a.py", "start": 2, "end": 3, "old": "def f(x):", "new": "def g(x):"}
    assert world.error("apply_edits", edits=[edit])["reason"] == "conflict"


def test_without_an_end_the_range_is_as_long_as_the_old_text(world: World) -> None:
    world.write("a.py", "a\nb\nc\n")
    world.told("apply_edits", edits=[{"path": "a.py", "start": 1, "old": "a\nb\n", "new": "x"}])
    assert world.read("a.py") == "x\nc\n"


def test_the_notation_of_the_command_line_is_understood(world: World) -> None:
    world.write("a.py", "a\nb\n")
    world.told("read_file", path="a.py")
    edits = [
        {
            "path": "a.py",
            "edits": [{"range": {"start": 2, "end": 2}, "oldText": "b", "newText": "B"}],
        }
    ]
    world.told("apply_edits", edits=edits)
    assert world.read("a.py") == "a\nB\n"
    world.told("apply_edits", edits=[{"path": "a.py", "delete": True}])
    assert world.files() == {}


@pytest.mark.parametrize("form", FOURTH_LINE)
def test_every_form_of_an_edit_lands_on_the_line_that_it_names(world: World, form: str) -> None:
    world.write("a.py", "a\nb\nc\nb\ne\n")
    world.told("read_file", path="a.py")
    reply = ModelReply(
        calls=(RawCall("c", "apply_edits", json.dumps(FOURTH_LINE[form])),), finish="tool_calls"
    )
    (call,) = parse(reply, world.toolbox.specs).calls
    assert isinstance(call, ToolCall), call
    world.told(call.name, **call.arguments)
    assert world.read("a.py") == "a\nb\nc\nB\ne\n"


def test_ranges_of_one_file_are_all_numbers_of_the_same_text(world: World) -> None:
    world.write("a.py", "a\nb\nc\n")
    world.told("read_file", path="a.py")
    edits = [
        {"path": "a.py", "range": {"start": 1, "end": 1}, "newText": "A\nA2"},
        {"path": "a.py", "range": {"start": 3, "end": 3}, "newText": "C"},
    ]
    world.told("apply_edits", edits=edits)
    assert world.read("a.py") == "A\nA2\nb\nC\n"


@pytest.mark.parametrize(
    "diff",
    [
        "@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n",
        "@@\n x = 1\n-y = 2\n+y = 3\n",
        "<<<<<<< SEARCH\ny = 2\n=======\ny = 3\n>>>>>>> REPLACE\n",
        DIFF,
    ],
)
def test_a_patch_that_names_no_file_takes_the_path_beside_it(world: World, diff: str) -> None:
    world.write("a.py", "x = 1\ny = 2\n")
    world.told("write_patch", diff=diff, path="a.py")
    assert world.read("a.py") == "x = 1\ny = 3\n"


# -------------------------------------------------------------------------------------------------------------- refusal


@pytest.mark.parametrize(
    "diff",
    [
        "```diff\n" + DIFF + "```\n",
        "Here is the patch:\n" + DIFF,
        "<tool_call>\n" + DIFF + "</tool_call>\n",
        "y = 3",
        "",
    ],
)
def test_what_is_no_raw_diff_is_answered_with_the_format(world: World, diff: str) -> None:
    world.write("a.py", "x = 1\ny = 2\n")
    error = world.error("write_patch", "schema_reject", diff=diff)
    assert error["kind"] == "patch_error"
    assert error["reason"] == "malformed"
    assert error["expected_format"].startswith("--- a/src/app.py\n+++ b/src/app.py\n@@")
    assert error["message"]


def test_a_refused_edit_shows_the_closest_lines(world: World) -> None:
    world.write("a.py", "def load_user():\n    return 1\n")
    outcome = world.call("edit_file", path="a.py", old="def load_users():\n    return 2", new="x")
    assert outcome.failure == "exec_error"
    error = json.loads(outcome.text)
    assert (error["kind"], error["reason"], error["path"]) == ("edit_error", "not_found", "a.py")
    assert "1| def load_user():" in error["closest"]
    assert outcome.events == (EditRefused("a.py", "not_found", error["message"]),)


def test_several_refusals_are_a_list(world: World) -> None:
    world.write("a.py", "a\n")
    error = world.error(
        "apply_edits",
        edits=[
            {"path": "a.py", "old": "q", "new": "x"},
            {"path": "none.py", "old": "q", "new": "x"},
        ],
    )
    assert error["kind"] == "edit_error"
    assert error["message"] == "2 edits were refused. Nothing was written."
    assert [each["path"] for each in error["refusals"]] == ["a.py", "none.py"]


def test_what_is_already_so_is_no_failure(world: World) -> None:
    world.write("a.py", AFTER)
    outcome = world.call("write_patch", diff=DIFF2)
    assert outcome.failure is None
    assert "already in the file" in outcome.text
    assert outcome.modified == ()
    assert [type(event) for event in outcome.events] == [EditRefused]
    assert "has this text already" in world.told("write_file", path="a.py", text=AFTER)


def test_what_is_already_so_beside_something_new_is_a_failure(world: World) -> None:
    world.write("a.py", AFTER)
    world.write("b.py", "b\n")
    error = world.error("write_patch", diff=DIFF2 + "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-b\n+c\n")
    assert error["reason"] == "already_applied"
    assert "the other edits of this call were not applied either" in error["message"]


def test_old_and_new_alike_are_a_failure(world: World) -> None:
    world.write("a.py", "x\n")
    assert world.error("edit_file", path="a.py", old="x", new="x")["reason"] == "no_change"


def test_an_elision_is_answered_with_the_format_of_the_tool(world: World) -> None:
    world.write("a.py", "x\ny\n")
    error = world.error("write_file", path="a.py", text="x\n# ... rest of the code unchanged ...\n")
    assert (error["reason"], json.loads(error["expected_format"])["path"]) == (
        "elision",
        "src/app.py",
    )


def test_the_second_refusal_on_a_file_carries_its_lines(world: World) -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"]
    names = [f"{words[i % 7]}_{words[i // 7 % 7]}_{words[i // 49]}" for i in range(200)]
    world.write("a.py", "".join(f"{name} = {i}\n" for i, name in enumerate(names, 1)))
    assert "current_lines" not in world.error(
        "edit_file", path="a.py", old=f"{names[149]} = 7", new="x"
    )
    lines = world.error("edit_file", path="a.py", old=f"{names[149]} = 7", new="x")[
        "current_lines"
    ].split("\n")
    assert len(lines) == 60
    assert f"150| {names[149]} = 150" in lines
    assert "current_lines" in world.error(
        "edit_file", path="a.py", old=f"{names[149]} = 8", new="x"
    )
    world.told("edit_file", path="a.py", old=f"{names[149]} = 150", new="x")
    assert "current_lines" not in world.error(
        "edit_file", path="a.py", old=f"{names[159]} = 7", new="x"
    )


def test_a_refusal_on_another_file_does_not_count(world: World) -> None:
    world.write("a.py", "aaa\n")
    world.write("b.py", "bbb\n")
    world.error("edit_file", path="a.py", old="qqq", new="x")
    assert "current_lines" not in world.error("edit_file", path="b.py", old="qqq", new="x")


# --------------------------------------------------------------------------------------------------- what was shown


def test_line_numbers_of_a_file_that_was_not_read_are_refused(world: World) -> None:
    world.write("a.py", "a\nb\n")
    error = world.error("apply_edits", edits=[{"path": "a.py", "start": 2, "end": 2, "new": "B"}])
    assert error["message"].startswith(
        "a.py: line numbers mean nothing for a file that was not read; read it first, or send the lines' text as old."
    )
    world.told(
        "apply_edits", edits=[{"path": "a.py", "start": 2, "end": 2, "new": "B", "old": "b"}]
    )


def test_line_numbers_are_those_of_the_text_that_was_shown(world: World) -> None:
    world.write("a.py", "a\nb\nc\nd\ne\n")
    world.told("read_file", path="a.py")
    world.write("a.py", "new\nnew\na\nb\nc\nd\ne\n")
    world.told("apply_edits", edits=[{"path": "a.py", "start": 3, "end": 3, "new": "C"}])
    assert world.read("a.py") == "new\nnew\na\nb\nC\nd\ne\n"


def test_line_numbers_of_lines_that_changed_since_are_stale(world: World) -> None:
    world.write("a.py", "a\nb\nc\n")
    world.told("read_file", path="a.py")
    world.write("a.py", "a\nB\nc\n")
    assert (
        world.error("apply_edits", edits=[{"path": "a.py", "start": 2, "end": 2, "new": "x"}])[
            "reason"
        ]
        == "stale"
    )


def test_line_numbers_after_an_edit_of_ones_own_hold_where_nothing_moved(world: World) -> None:
    """It may count with the old lines or with the new ones: where the two differ, nobody can know."""
    world.write("a.py", "a\nb\nc\nd\ne\nf\n")
    world.told("read_file", path="a.py")
    world.told("edit_file", path="a.py", old="d", new="d\nd2")
    world.told("apply_edits", edits=[{"path": "a.py", "start": 1, "end": 1, "new": "A"}])
    error = world.error("apply_edits", edits=[{"path": "a.py", "start": 6, "end": 6, "new": "F"}])
    assert (error["reason"], "an edit has moved its lines" in error["message"]) == ("stale", True)
    world.told("read_file", path="a.py")
    world.told("apply_edits", edits=[{"path": "a.py", "start": 7, "end": 7, "new": "F"}])
    assert world.read("a.py") == "A\nb\nc\nd\nd2\ne\nF\n"


def test_lines_that_a_search_has_shown_can_be_named(world: World) -> None:
    world.write("a.py", "a\nhit\n")
    world.told("search", pattern="hit")
    world.told("apply_edits", edits=[{"path": "a.py", "start": 2, "end": 2, "new": "x"}])
    assert world.read("a.py") == "a\nx\n"


def test_an_edit_of_a_text_that_is_gone_says_that_the_file_has_changed(world: World) -> None:
    world.write("a.py", "alpha = 1\n")
    world.told("read_file", path="a.py")
    world.write("a.py", "omega = 2\n")
    message = world.error("edit_file", path="a.py", old="alpha = 1", new="alpha = 3")["message"]
    assert message.endswith("The file has changed since it was shown to you; read it again.")


def ranged(first: int, last: int, /, **more: object) -> dict[str, object]:
    return {"range": {"start": first, "end": last}, "newText": "x", **more}


@pytest.mark.parametrize(
    ("edits", "reason", "sentence"),
    [
        ([ranged(9, 9)], "out_of_bounds", "line 9: the file has 3 lines; number them from 1."),
        (
            [ranged(0, 1)],
            "out_of_bounds",
            "lines 0 to 1: the file has 3 lines; number them from 1.",
        ),
        (
            [ranged(3, 1)],
            "out_of_bounds",
            "the range 3 to 1 ends before it starts; to insert before line 3 use start 3, end 2.",
        ),
        (
            [ranged(1, 2), ranged(2, 3)],
            "overlap",
            "two edits change the same place (line 1, 2); join them into one edit.",
        ),
    ],
)
def test_a_range_that_cannot_be_is_refused_in_its_own_sentence(
    world: World, edits: list[object], reason: str, sentence: str
) -> None:
    world.write("a.py", "a\nb\nc\n")
    world.told("read_file", path="a.py")
    error = world.error("apply_edits", path="a.py", edits=edits)
    assert error["reason"] == reason
    assert sentence in error["message"]
    assert world.read("a.py") == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"edits": [ranged(1, 1)]}, "edits[0].path: is missing; name the file:"),
        (
            {"path": "a.py", "edits": [{"range": {"start": 1, "end": 1}}]},
            "edits[0].new: is missing; give the new lines as a string:",
        ),
        (
            {"path": "a.py", "edits": [ranged(1, 1, start=2)]},
            "edits[0].start: is given beside range; give one of the two:",
        ),
        (
            {"path": "a.py", "edits": [ranged(1, 1), ranged(2, 2, path="b.py")]},
            "edits[1]: names a file inside the edits of another; name each file once:",
        ),
    ],
)
def test_a_range_that_says_too_little_or_too_much_is_named(
    world: World, arguments: dict[str, Any], sentence: str
) -> None:
    world.write("a.py", "a\nb\n")
    assert world.error("apply_edits", "schema_reject", **arguments)["message"].startswith(sentence)
    assert world.read("a.py") == "a\nb\n"


def test_a_range_without_an_end_is_named(world: World) -> None:
    message = world.refused(
        "apply_edits", "schema_reject", path="a.py", edits=[{"range": {"start": 1}, "new": "x"}]
    )
    assert message.startswith("apply_edits: edits.0.range.end is missing. It takes ")
    assert "range?: {start: integer, end: integer}" in message


@pytest.mark.parametrize(
    ("edits", "field"),
    [
        ([{"path": "a.py", "new": "x"}], "edits[0].old"),
        ([{"path": "a.py", "old": "x"}], "edits[0].new"),
        ([{"path": "a.py", "end": 3, "new": "x"}], "edits[0].start"),
        ([{"path": "a.py", "start": 3}], "edits[0].new"),
        ([{"path": "a.py"}], "edits[0]"),
        (
            [
                {"path": "a.py", "old": "a", "new": "b"},
                {"path": "a.py", "start": 1, "new": "x", "delete": True},
            ],
            "edits[1].delete",
        ),
    ],
)
def test_an_edit_that_says_too_little_is_named(
    world: World, edits: list[object], field: str
) -> None:
    world.write("a.py", "a\n")
    error = world.error("apply_edits", "schema_reject", edits=edits)
    assert error["message"].startswith(f"{field}")
    assert error["kind"] == "edit_error"


# -------------------------------------------------------------------------------------------------------- permission


@pytest.mark.parametrize(
    "path", ["/etc/hosts", "../out.txt", "a/../../out.txt", ".git/hooks/pre-commit", "~/x"]
)
def test_no_edit_leaves_the_root(world: World, path: str) -> None:
    outside = world.root.parent / "out.txt"
    outside.write_text("x\n")
    (world.root / ".git/hooks").mkdir(parents=True)
    world.refused("write_file", "permission_denied", path=path, text="pwned")
    world.refused("edit_file", "permission_denied", path=path, old="x", new="pwned")
    world.refused(
        "apply_edits", "permission_denied", edits=[{"path": path, "old": "x", "new": "pwned"}]
    )
    world.refused(
        "apply_edits", "permission_denied", edits=[{"path": path, "start": 1, "new": "pwned"}]
    )
    world.refused(
        "apply_edits", "permission_denied", path=path, edits=[{"start": 1, "new": "pwned"}]
    )
    world.refused(
        "write_patch",
        "permission_denied",
        diff=f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+pwned\n",
    )
    world.refused(
        "write_patch",
        "permission_denied",
        diff=f"--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+pwned\n",
    )
    assert outside.read_text() == "x\n"
    assert not (world.root / ".git/hooks/pre-commit").exists()


def test_no_edit_follows_a_symlink_out(world: World) -> None:
    outside = world.root.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("x\n")
    (world.root / "out").symlink_to(outside)
    (world.root / "link.txt").symlink_to(outside / "a.txt")
    for path in ("out/a.txt", "link.txt", "out/new.txt"):
        world.refused("write_file", "permission_denied", path=path, text="pwned")
    rename = "diff --git a/b.py b/out/b.py\nsimilarity index 100%\nrename from b.py\nrename to out/b.py\n"
    world.write("b.py", "b\n")
    world.refused("write_patch", "permission_denied", diff=rename)
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"a.txt": "x\n"}


def test_binary_files_and_directories_are_not_edited(world: World) -> None:
    world.write("a.bin", b"\0x\n")
    (world.root / "src").mkdir()
    assert "binary" in world.error("edit_file", path="a.bin", old="x", new="y")["message"]
    assert "directory" in world.error("write_file", path="src", text="y")["message"]


def test_a_huge_file_is_not_read_into_memory(world: World) -> None:
    with (world.root / "huge.log").open("wb") as file:
        file.truncate(3_000_000_000)
    outcome = world.call("edit_file", path="huge.log", old="x", new="y")
    assert (outcome.failure, outcome.text) == (
        "exec_error",
        "huge.log: this file has 3000 MB, too much to be edited here.",
    )


def test_a_file_that_is_written_in_between_is_left_alone(world: World, tmp_path: Path) -> None:
    world.write("a.py", "x\n")
    editor = world.toolbox._context.ports.editor
    land = editor.land

    def late(asked: RequestedEdits, plan: ChangePlan) -> object:
        world.write("a.py", "x = somebody else's\n")
        return land(asked, plan)

    editor.land = late  # type: ignore[assignment,method-assign]
    outcome = world.call("edit_file", path="a.py", old="x", new="y")
    assert outcome.failure == "exec_error"
    assert "this changed meanwhile, and was left as it is" in outcome.text
    assert world.read("a.py") == "x = somebody else's\n"


def test_an_edit_is_landed_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    landings: list[str] = []

    def counting(text: str, request: Request, path: str | None = None) -> Outcome:
        landings.append(text)
        return land(text, request, path)

    monkeypatch.setattr("holdfast.changes.file_drafts.land", counting)
    world.write("a.py", "x\n")
    world.told("edit_file", path="a.py", old="x", new="y")
    assert landings == ["x\n"]


def test_an_edit_that_is_denied_is_not_made(tmp_path: Path) -> None:
    with open_world(tmp_path, gate=Somebody(Denied("a.py: no."))) as world:
        world.write("a.py", "x\n")
        assert (
            world.refused("edit_file", "permission_denied", path="a.py", old="x", new="y")
            == "a.py: no."
        )
        assert world.gate.asked == [("edit", "a.py")]


def test_nobody_is_asked_about_an_edit_that_does_not_land(world: World) -> None:
    world.write("a.py", "x\n")
    world.error("edit_file", path="a.py", old="q", new="y")
    assert world.gate.asked == []


def test_without_a_person_to_ask_the_turn_is_notified(tmp_path: Path) -> None:
    with open_world(tmp_path, gate=Somebody(NoApprover())) as world:
        world.write("a.py", "x\n")
        outcome = world.call("edit_file", path="a.py", old="x", new="y")
        assert (outcome.failure, outcome.unanswered) == ("permission_denied", True)


def test_a_file_with_secrets_is_read_only_if_somebody_allows_it(tmp_path: Path) -> None:
    with open_world(tmp_path, gate=Somebody(reads=Denied(".env: no."))) as world:
        world.write(".env", "KEY=hunter2\n")
        world.write(".env.example", "KEY=\n")
        (world.root / "alias.txt").symlink_to(".env")
        assert world.refused("read_file", "permission_denied", path=".env") == ".env: no."
        world.refused("read_file", "permission_denied", path="alias.txt")
        assert world.told("read_file", path=".env.example").endswith("1| KEY=")
        assert world.gate.asked == [("read", ".env"), ("read", "alias.txt")]


def test_an_edit_of_a_file_with_secrets_does_not_show_its_lines(tmp_path: Path) -> None:
    with open_world(tmp_path, gate=Somebody(reads=Denied("no"))) as world:
        world.write(".env", "KEY=hunter2\nB=1\n")
        for _ in range(3):
            outcome = world.call("edit_file", path=".env", old="KEY=hunter3", new="KEY=1")
            assert outcome.failure == "exec_error"
            assert "hunter2" not in repr(outcome)
        outcome = world.call("write_file", path=".env", text="B=1\n")
        assert outcome.failure is None
        assert "hunter2" not in outcome.text


@pytest.mark.parametrize("tool", ["edit_file", "apply_edits", "write_patch"])
def test_the_event_of_a_refused_edit_has_what_the_model_was_told(world: World, tool: str) -> None:
    token = "ghp_" + "a1B2" * 9
    world.write("a.py", f"KEY = '{token}'\nB = 1\nC = 2\nD = 3\n")
    old = "KEY = 'other'\nB = 1\nC = 2\nD = 3"
    minus = old.replace("\n", "\n-")
    arguments: dict[str, dict[str, object]] = {
        "edit_file": {"path": "a.py", "old": old, "new": "x"},
        "apply_edits": {"edits": [{"path": "a.py", "old": old, "new": "x"}]},
        "write_patch": {"diff": f"--- a/a.py\n+++ b/a.py\n@@ -1,4 +1 @@\n-{minus}\n+x\n"},
    }
    outcome = world.call(tool, **arguments[tool])
    [event] = outcome.events
    assert isinstance(event, EditRefused)
    assert "[token removed]" in event.message
    assert token not in repr(outcome)
    assert json.loads(outcome.text)["message"].startswith(event.message.partition("\n")[0])


def test_a_hard_link_to_a_file_with_secrets_is_one_too(tmp_path: Path) -> None:
    with open_world(tmp_path, gate=Somebody(reads=Denied("no"))) as world:
        world.write(".env", "KEY=hunter2\n")
        (world.root / "notes.md").hardlink_to(world.root / ".env")
        world.write("a.md", "KEY\n")
        (world.root / "b.md").hardlink_to(world.root / "a.md")
        assert world.refused("read_file", "permission_denied", path="notes.md") == "no"
        assert world.refused("search", "permission_denied", pattern="K", path="notes.md") == "no"
        assert world.told("search", pattern="KEY").startswith("2 matches:\na.md:1")
        assert "hunter2" not in world.refused(
            "edit_file", "exec_error", path="notes.md", old="KEY=hunter3", new="KEY=1"
        )
        assert world.told("read_file", path="b.md").endswith("1| KEY")


def test_a_whole_file_among_the_edits_replaces_the_one_that_is_there(world: World) -> None:
    world.write("a.py", "old = 1\n")
    world.told("read_file", path="a.py")
    world.told("apply_edits", edits=[{"path": "a.py", "content": "new = 1\nmore = 2\n"}])
    assert (world.root / "a.py").read_text() == "new = 1\nmore = 2\n"


def test_an_edit_in_review_waits_and_is_what_later_calls_see(tmp_path: Path) -> None:
    with open_world(tmp_path, review=True) as world:
        world.write("a.py", "x\n")
        before = world.files()
        outcome = world.call("edit_file", path="a.py", old="x", new="hit")
        assert outcome.text.startswith("Proposed for review")
        assert [event.proposed for event in outcome.events if isinstance(event, EditLanded)] == [
            True
        ]
        world.told("write_file", path="new/b.py", text="hit\n")
        assert world.files() == before
        assert world.told("read_file", path="a.py") == "a.py: 1 line.\n1| hit"
        assert world.told("search", pattern="hit") == "2 matches:\na.py:1: hit\nnew/b.py:1: hit"
        assert world.told("find_files", pattern="*.py") == "2 files:\na.py\nnew/b.py"
        assert world.told("find_files", pattern="*.py", path="new") == (
            "1 file below new:\nnew/b.py"
        )
        assert world.told("list_dir") == ".: 2 entries.\nnew/\na.py (2 bytes)"
        assert world.told("list_dir", path="new") == "new: 1 entry.\nb.py (4 bytes)"
        world.told("write_patch", diff="--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-hit\n")
        assert world.told("list_dir") == ".: 1 entry.\nnew/"
        assert world.told("search", pattern="hit") == "1 match:\nnew/b.py:1: hit"
        assert world.told("find_files", pattern="*.py") == "1 file:\nnew/b.py"
        assert world.files() == before


# ------------------------------------------------------------------------------------------------ what the model knows


def by_line(world: World, text: str) -> ToolOutcome:
    edits = [{"path": "a.py", "range": {"start": 1, "end": 1}, "newText": text}]
    return world.call("apply_edits", edits=edits)


def test_line_numbers_count_for_a_file_that_the_model_wrote_itself(world: World) -> None:
    world.told("write_file", path="a.py", text="x = 1\ny = 2\n")
    assert by_line(world, "x = 3").failure is None
    assert world.read("a.py") == "x = 3\ny = 2\n"


def test_line_numbers_mean_nothing_for_a_file_that_was_edited_unread(world: World) -> None:
    world.write("a.py", "x = 1\ny = 2\n")
    world.told("edit_file", path="a.py", old="y = 2", new="y = 3")
    outcome = by_line(world, "x = 3")
    assert outcome.failure == "exec_error"
    assert "line numbers mean nothing for a file that was not read" in outcome.text


def test_line_numbers_mean_nothing_for_a_file_that_was_deleted_and_is_there_again(
    world: World,
) -> None:
    world.write("a.py", "x = 1\n")
    world.told("read_file", path="a.py")
    world.told("write_patch", diff="--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n")
    world.write("a.py", "y = 1\n")
    outcome = by_line(world, "x = 3")
    assert outcome.failure == "exec_error"
    assert "line numbers mean nothing for a file that was not read" in outcome.text
    assert world.read("a.py") == "y = 1\n"


def test_a_last_line_without_a_line_break_is_one_place_of_an_edit(world: World) -> None:
    world.write("a.py", "a\nb\nc")
    one = world.told("edit_file", path="a.py", old="c", new="d")
    world.write("b.py", "a\nb\nc\n")
    same = world.told("edit_file", path="b.py", old="c", new="d")
    assert one.split("\n")[0].replace("a.py", "b.py") == same.split("\n")[0]
