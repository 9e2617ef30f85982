"""The sandbox of a turn and of a repair, with the real command: what it stops, and what it says of itself."""

from __future__ import annotations

import json

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import Project, Ran
from tests.end_to_end.run.terminal import on_terminal

pytestmark = pytest.mark.e2e


def run_command(project: Project, command: str, *flags: str) -> tuple[Ran, str]:
    """Have a model run a command with `--approve auto`; return the run and what the model was told."""
    script = [call("run_command", command=command), say("Done.")]
    with ScriptedServer(script) as server:
        ran = project.run("Go.", "--approve", "auto", *flags, server=server)
    [told] = [event["text"] for event in ran.events if event["kind"] == "call_ended"]
    return ran, str(told)


def kind_of(ran: Ran) -> str:
    return str(ran.events[0]["sandbox"])


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_command_of_a_turn_is_confined(project: Project, kind: str) -> None:
    project.user_file.write_text('weak_sandbox = "run"\n')
    (project.home / "notes.txt").write_text("hunter2")
    outside = project.place / "outside.txt"
    ran, told = run_command(
        project,
        f"cat {project.home}/notes.txt; touch {outside}; echo $OPENAI_API_KEY$HOLDFAST_API_KEY; echo x > made.txt; ls {project.state}",
        "--sandbox",
        kind,
    )
    if kind_of(ran) != kind:
        pytest.skip(f"there is no {kind} here")
    assert "hunter2" not in told
    assert not outside.exists()
    assert "journal" not in told
    assert project.texts()["made.txt"] == "x\n"


WEAK_COMMAND = "echo x > .git/hooks/post-commit; touch made.txt"
GAPS = (
    "files with secrets in the project can be read; .git and .holdfast can be changed; "
    "modes, owners and times of files outside the project can be changed"
)


def test_landlock_cannot_protect_git_so_auto_asks_and_the_question_says_what_is_open(
    project: Project,
) -> None:
    ran, told = run_command(project, WEAK_COMMAND, "--sandbox", "landlock")
    skip_without_landlock(ran)
    assert (ran.code, ran.ended["stop_reason"]) == (3, "needs_approval")
    [asked] = [event for event in ran.events if event["kind"] == "approval_asked"]
    assert (asked["what"], asked["subject"]) == ("command", WEAK_COMMAND)
    assert asked["why"] == f"it redirects with >; {GAPS}"
    assert told == (
        f"{WEAK_COMMAND}: this needs approval, and this session has no user to ask; the user can "
        'install bubblewrap, or accept what is not protected with weak_sandbox = "run" in their own'
        " settings."
    )
    assert "made.txt" not in project.texts()
    assert not (project.root / ".git/hooks/post-commit").exists()


def test_on_a_terminal_auto_asks_where_landlock_leaves_gaps(project: Project) -> None:
    probe = project.holdfast("config", "show", "--json", HOLDFAST_SANDBOX="landlock")
    if json.loads(probe.out)["sandbox"]["kind"] != "landlock":
        pytest.skip("there is no Landlock here")
    script = [call("run_command", command="touch made.txt"), say("Done.")]
    words = ("Go.", "--approve", "auto", "--sandbox", "landlock")
    with ScriptedServer(script) as server, on_terminal(project, *words, server=server) as terminal:
        terminal.wait_for(".git and .holdfast can be changed")
        terminal.wait_for("n [REASON]: no) ")
        terminal.type("y\n")
        assert terminal.finish() == 0, terminal.screen
    assert "made.txt" in project.texts()


def test_landlock_with_auto_runs_what_only_reads(project: Project) -> None:
    ran, told = run_command(project, "cat a.py", "--sandbox", "landlock")
    skip_without_landlock(ran)
    assert (ran.code, told) == (0, "Exit code 0.\nx = 1\ny = 2")


def test_the_user_accepts_for_good_what_landlock_leaves_open(project: Project) -> None:
    project.user_file.write_text('weak_sandbox = "run"\n')
    ran, told = run_command(project, "touch made.txt", "--sandbox", "landlock")
    skip_without_landlock(ran)
    assert (ran.code, told) == (0, "Exit code 0.\nIt changed made.txt.\n(no output)")


def test_a_project_cannot_accept_what_landlock_leaves_open(project: Project) -> None:
    project.write(".holdfast/config.toml", 'weak_sandbox = "run"\n')
    ran = project.holdfast("run", "Go.", "--approve", "auto", "--sandbox", "landlock")
    assert ran.code == 2
    assert "weak_sandbox" in ran.err
    assert "made.txt" not in project.texts()


def skip_without_landlock(ran: Ran) -> None:
    if kind_of(ran) != "landlock":
        pytest.skip("there is no Landlock here")


def test_git_and_settings_are_not_changed_by_a_command(project: Project) -> None:
    config = (project.root / ".git/config").read_text()
    ran, _ = run_command(
        project,
        "git config core.fsmonitor 'touch pwned'; mkdir .holdfast; echo 'check = \"x\"' > .holdfast/config.toml",
    )
    if kind_of(ran) != "bubblewrap":
        pytest.skip("there is no bubblewrap here")
    assert (project.root / ".git/config").read_text() == config
    assert not (project.root / ".holdfast").exists()


def test_without_a_sandbox_the_first_line_says_so(project: Project) -> None:
    ran, told = run_command(project, f"touch {project.place}/outside.txt", "--sandbox", "off")
    assert ran.err.startswith(
        "holdfast: no command runs without approval, because there is no sandbox: the sandbox is switched off."
    ), ran.err
    assert kind_of(ran) == "none"
    assert (project.place / "outside.txt").exists(), told


def test_a_check_of_a_project_changes_nothing_outside_of_its_copy(project: Project) -> None:
    outside = project.place / "pwned"
    project.write("a.xyz", "x\n")
    project.write(
        "run.sh", f"#!/bin/sh\ntouch {outside} {project.root}/pwned ~/pwned here\ntest -f here\n"
    )
    (project.root / "run.sh").chmod(0o755)
    project.user_file.write_text('check = "./run.sh"\n')
    ran = project.holdfast("repair", "a.xyz", "--no-model", "--target", "any", "--trust")
    assert not outside.exists(), ran
    assert not (project.root / "pwned").exists()
    assert not (project.home / "pwned").exists()
