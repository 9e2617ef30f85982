"""Commands of a model that look as if they only read: they are asked for, and where nobody can be asked, nothing runs."""

from __future__ import annotations

import subprocess

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import Project, Ran

pytestmark = pytest.mark.e2e

MORE_THAN_ONE = "it is more than one command"


def run_commands(project: Project, *commands: str) -> Ran:
    script = [call("run_command", command=command) for command in commands]
    with ScriptedServer([*script, say("Done.")]) as server:
        return project.run("Look around.", server=server)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("ls &>/dev/null touch pwned", "it contains &>, which shells interpret differently"),
        ('echo `echo "\\\\$(touch pwned)"`', MORE_THAN_ONE),
        ("sort a.py -*", "the shell decides what -* expands to"),
        ("sed p *", "the shell decides what * expands to"),
        ("cd bare && git status", MORE_THAN_ONE),
        ("date -uf/etc/passwd", "date with -uf/etc/passwd may set the clock, or read a file"),
        ("file -m/etc/passwd a.py", "-m/etc/passwd may name a file outside the project, or a secret"),
        ("cat id_r*", "the shell decides what id_r* expands to"),
        ("git grep -h KEY", "git grep with -h does more than read"),
        ("cat a.py | head -1", MORE_THAN_ONE),
    ],
)
def test_what_only_looks_like_reading_is_asked_for_and_does_not_run(
    project: Project, command: str, why: str
) -> None:
    project.write("-opwned", "x")
    project.write("--expression=1e touch pwned", "x")
    project.write("id_rsa", "KEY")
    project.write("bare/HEAD", "ref: refs/heads/main\n")
    project.write(
        "bare/config",
        '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch pwned; false"\n',
    )
    for folder in ("objects", "refs"):
        (project.root / "bare" / folder).mkdir()
    before = project.texts()
    ran = run_commands(project, command)
    asked = [
        (event["subject"], event["why"])
        for event in ran.events
        if event["kind"] == "approval_asked"
    ]
    assert (ran.code, ran.ended["stop_reason"], asked) == (3, "needs_approval", [(command, why)])
    assert not [event for event in ran.events if event["kind"] == "command_ran"]
    assert project.texts() == before


def test_git_runs_unasked_and_no_program_that_the_repository_names(project: Project) -> None:
    pwned = project.place / "pwned"

    def git(*words: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        subprocess.run(
            ["git", "-C", str(project.root), *identity, *words], check=True, capture_output=True
        )

    project.write(".gitattributes", "*.py diff=x\n")
    git("add", ".")
    git("commit", "-qm", "one")
    project.write("a.py", "x = 3\n")
    touch = f"touch {pwned}; false"
    git("config", "diff.x.textconv", f"touch {pwned}; cat")
    git("config", "core.fsmonitor", touch)
    git("config", "diff.external", touch)
    git("config", "log.showSignature", "true")
    git("config", "core.pager", touch)
    hook = project.root / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {pwned}\n")
    hook.chmod(0o755)
    commands = (
        "git status --short",
        "git diff",
        "git log -p",
        "git show HEAD",
        "git blame a.py",
        "git -C . status",
    )
    ran = run_commands(project, *commands)
    outputs = {
        event["command"]: event["output"] for event in ran.events if event["kind"] == "command_ran"
    }
    assert (ran.code, tuple(outputs)) == (0, commands)
    assert outputs["git status --short"] == " M a.py"
    assert "+x = 3" in outputs["git diff"]
    assert "+x = 1" in outputs["git show HEAD"]
    assert not pwned.exists()
    # The same repository does run them where nothing keeps it from that.
    subprocess.run(["git", "-C", str(project.root), "diff"], check=False, capture_output=True)
    assert pwned.exists()


def test_a_bare_repository_in_the_project_is_not_used(project: Project) -> None:
    project.write("bare/HEAD", "ref: refs/heads/main\n")
    project.write(
        "bare/config",
        '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch pwned; false"\n',
    )
    for folder in ("objects", "refs"):
        (project.root / "bare" / folder).mkdir()
    ran = run_commands(project, "git -C bare status")
    [done] = [event for event in ran.events if event["kind"] == "command_ran"]
    assert "cannot use bare repository" in done["output"]
    assert not list(project.root.rglob("pwned"))
