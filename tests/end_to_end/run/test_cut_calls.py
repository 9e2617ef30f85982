"""A printed call that was cut changes no file, whatever the server says about the end of the reply."""

from __future__ import annotations

import pytest

from holdfast.testing import Call, Reply, ScriptedServer, say
from tests.end_to_end.run.project import TEXT, Project

CUT = {
    "write": "<function=write_file>\n<parameter=path>a.py\n<parameter=text>",
    "edit": "<function=edit_file>\n<parameter=path>a.py\n<parameter=old>y = 2\n<parameter=new>",
    "write, after prose": 'I write it.\n\n<invoke name="write_file">\n<parameter name="path">a.py\n<parameter name="text">x = 1\ny',
}


@pytest.mark.parametrize(
    ("name", "finish"),
    [
        ("write", "stop"),
        ("write", "tool_calls"),
        ("write", ""),
        ("edit", "stop"),
        ("write, after prose", "stop"),
    ],
)
def test_a_printed_call_that_was_cut_is_refused_and_changes_nothing(
    project: Project, name: str, finish: str
) -> None:
    with ScriptedServer(
        [Reply(text=CUT[name], finish=finish)], otherwise=say("All finished.")
    ) as server:
        ran = project.run("Do it.", "--approve", "auto", server=server)
    failures = [event["failure"] for event in ran.events if event["kind"] == "call_ended"]
    assert (ran.code, failures, project.texts()) == (0, ["schema_reject"], {"a.py": TEXT}), ran
    assert "its arguments end in the middle" in str(server.requests[1].messages[-1]["content"])


def test_the_indentation_of_an_open_field_is_written_as_it_stands(project: Project) -> None:
    text = (
        "<function=write_file>\n<parameter=path>a.yaml\n<parameter=text>  a: 1\n  b: 2\n</function>"
    )
    with ScriptedServer(
        [Reply(text=text, finish="stop")], otherwise=say("All finished.")
    ) as server:
        ran = project.run("Do it.", "--approve", "auto", server=server)
    assert (ran.code, project.texts()) == (0, {"a.py": TEXT, "a.yaml": "  a: 1\n  b: 2"}), ran


@pytest.mark.parametrize("finish", ["max_output_tokens", "incomplete"])
def test_a_call_of_a_reply_that_the_server_cut_changes_nothing(
    project: Project, finish: str
) -> None:
    write = Call("write_file", '{"path": "a.py", "text": ""}')
    with ScriptedServer(
        [Reply(calls=(write,), finish=finish)], otherwise=say("All finished.")
    ) as server:
        ran = project.run("Do it.", "--approve", "auto", server=server)
    failures = [event["failure"] for event in ran.events if event["kind"] == "call_ended"]
    assert (ran.code, failures, project.texts()) == (0, ["schema_reject"], {"a.py": TEXT}), ran
    assert "the reply was cut short" in str(server.requests[1].messages[-1]["content"])
