"""The sandbox of a turn and of a repair, with the real command: what it stops, and what it says of itself."""

from __future__ import annotations

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import Project, Ran

pytestmark = pytest.mark.e2e


def run_command(project: Project, command: str, *flags: str) -> tuple[Ran, str]:
    """Have a model run a command with `--approve auto`; return the run and what the model was told."""
    script = [call("run_command", command=command), say("Done.")]
    with ScriptedServer(script) as server:
        ran = project.run("Go.", "--approve", "auto", *flags, server=server)
        messages = server.requests[-1].body["messages"]
    [told] = [each["content"] for each in messages if each["role"] == "tool"]
    return ran, str(told)


def kind_of(ran: Ran) -> str:
    return str(ran.events[0]["sandbox"])


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_command_of_a_turn_is_confined(project: Project, kind: str) -> None:
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
