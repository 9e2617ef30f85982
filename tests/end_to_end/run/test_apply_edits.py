"""The tool `apply_edits` takes the JSON edits that `holdfast apply` takes."""

from __future__ import annotations

import json
from typing import Any

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import Project

LINES = "a\nb\nc\nb\ne\n"
EDITS: dict[str, Any] = {
    "path": "t.txt",
    "edits": [{"range": {"start": 4, "end": 4}, "oldText": "b", "newText": "B"}],
}


def test_the_tool_and_the_command_land_the_same_edits_on_the_same_lines(project: Project) -> None:
    project.write("t.txt", LINES)
    with ScriptedServer(
        [call("read_file", path="t.txt"), call("apply_edits", **EDITS)],
        otherwise=say("All finished."),
    ) as server:
        ran = project.run("Do it.", "--approve", "auto", server=server)
    calls = [
        (event["name"], event["failure"]) for event in ran.events if event["kind"] == "call_ended"
    ]
    assert (ran.code, calls) == (0, [("read_file", None), ("apply_edits", None)]), ran
    assert project.texts()["t.txt"] == "a\nb\nc\nB\ne\n"

    project.write("t.txt", LINES)
    applied = project.holdfast("apply", "-", given=json.dumps(EDITS))
    assert applied.code == 0, applied
    assert project.texts()["t.txt"] == "a\nb\nc\nB\ne\n"
