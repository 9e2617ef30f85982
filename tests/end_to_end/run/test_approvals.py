"""Somebody sits at a terminal and is asked."""

from __future__ import annotations

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import TEXT, Project
from tests.end_to_end.run.terminal import on_terminal

pytestmark = pytest.mark.e2e

ASKED = "Allow this command? (y: once, s: for this session, a: always this command, n: no) "
ASKED_EDIT = "Allow this edit? (y: once, s: for this session, n: no) "


def test_once_for_this_session_always_and_no(project: Project) -> None:
    commands = [
        "touch once",
        "touch once",
        "touch session",
        "touch session",
        "touch always",
        "touch no",
    ]
    script = [call("run_command", command=command) for command in commands]
    with ScriptedServer([*script, say("Done.")]) as server:
        with on_terminal(project, "Do it.", server=server) as terminal:
            for subject, answer in [
                ("touch once", "y\n"),
                ("touch once", "perhaps\nonce\n"),
                ("touch session", "s\n"),
                ("touch always", "always\n"),
                ("touch no", "n\n"),
            ]:
                terminal.wait_for(f"  {subject}\n")
                terminal.wait_for(ASKED)
                terminal.type(answer)
            assert terminal.finish() == 0, terminal.screen
        answers = [
            message["content"]
            for message in server.requests[-1].messages
            if message["role"] == "tool"
        ]
    assert project.texts() == {"a.py": TEXT, "once": "", "session": "", "always": ""}
    assert "the user does not allow this" in answers[-1]
    # Always is for the next run, too, and also where nobody can be asked; the others are not.
    with ScriptedServer([script[4], script[2]]) as server:
        ran = project.run("Again.", server=server)
    subjects = [event["subject"] for event in ran.events if event["kind"] == "approval_asked"]
    assert (ran.code, subjects) == (3, ["touch session"])


def test_an_edit_is_shown_and_asked_about(project: Project) -> None:
    edits = [
        call("edit_file", path="a.py", old=f"x = {number}", new=f"x = {number + 1}")
        for number in (1, 1, 2, 3)
    ]
    with (
        ScriptedServer([*edits, say("Done.")]) as server,
        on_terminal(project, "Do it.", server=server) as terminal,
    ):
        for shown, answer in [("+x = 2", "n"), ("+x = 2", "y"), ("+x = 3", "s")]:
            terminal.wait_for(f"{shown}\n")
            terminal.wait_for(ASKED_EDIT)
            assert (
                project.root / "a.py"
            ).read_text() == f"x = {2 if shown == '+x = 3' else 1}\ny = 2\n"
            terminal.type(f"{answer}\n")
        assert terminal.finish() == 0, terminal.screen
    assert project.texts() == {"a.py": "x = 4\ny = 2\n"}


def test_ctrl_c_at_the_question_is_a_no_and_the_end(project: Project) -> None:
    with ScriptedServer([call("run_command", command="touch z"), say("unreached")]) as server:
        with on_terminal(project, "Do it.", server=server) as terminal:
            terminal.wait_for(ASKED)
            terminal.type("\x03")
            assert terminal.finish() == 130
        assert len(server.requests) == 1
    assert "to go on: holdfast run --continue " in terminal.screen
    assert project.texts() == {"a.py": TEXT}


@pytest.mark.parametrize(("mode", "lands"), [("auto", True), ("review", False)])
def test_nobody_is_asked_about_edits_otherwise(project: Project, mode: str, *, lands: bool) -> None:
    with (
        ScriptedServer(
            [call("edit_file", path="a.py", old="x = 1", new="x = 2"), say("Done.")]
        ) as server,
        on_terminal(project, "Do it.", "--approve", mode, server=server) as terminal,
    ):
        assert terminal.finish() == 0
    assert "Allow this" not in terminal.screen
    assert project.texts() == {"a.py": TEXT.replace("1", "2") if lands else TEXT}


def test_in_between_json_nobody_is_asked(project: Project) -> None:
    with (
        ScriptedServer([call("run_command", command="touch z")]) as server,
        on_terminal(project, "Do it.", "--json", server=server) as terminal,
    ):
        assert terminal.finish() == 3
    assert "Allow this" not in terminal.screen


def test_a_terminal_shows_colours(project: Project) -> None:
    with (
        ScriptedServer(
            [call("edit_file", path="a.py", old="x = 1", new="x = 2"), say("Done.")]
        ) as server,
        on_terminal(
            project,
            "Do it.",
            "--approve",
            "auto",
            server=server,
            NO_COLOR="",
            TERM="xterm-256color",
        ) as terminal,
    ):
        terminal.finish()
    assert "\x1b[32m+x = 2\x1b[0m" in terminal.screen
    assert "\x1b[31m-x = 1\x1b[0m" in terminal.screen
