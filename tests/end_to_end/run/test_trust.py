"""Hostile repositories: their code, their settings and their servers are not used unasked."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import Project, Ran
from tests.end_to_end.run.terminal import on_terminal

pytestmark = pytest.mark.e2e

CURE = "Trust it with `holdfast trust`, or for one command with --trust."


@pytest.fixture(autouse=True)
def _no_sandbox(project: Project) -> None:
    """Let trust alone stand between the project's code and the machine."""
    project.user_file.write_text('sandbox = "off"\n')


def program(project: Project, name: str) -> Path:
    """Write a program of the project that leaves a mark."""
    file = project.write(name, f"#!/bin/sh\ntouch {project.place}/pwned\n")
    file.chmod(0o755)
    return file


def is_pwned(project: Project) -> bool:
    """Return whether the mark is there, and remove it."""
    mark = project.place / "pwned"
    found = mark.exists()
    mark.unlink(missing_ok=True)
    return found


def repairs(ran: Ran) -> list[tuple[str, str]]:
    return [
        (event["outcome"], event["message"]) for event in ran.events if event["kind"] == "repair"
    ]


def turn(project: Project, path: str, text: str, *words: str) -> Ran:
    with ScriptedServer([call("write_file", path=path, content=text), say("Done.")]) as server:
        return project.run("Go.", *words, server=server)


# ----------------------------------------------------------------------------------- the project's code


def test_a_tool_of_the_project_is_not_run_after_a_turn_whatever_its_name(project: Project) -> None:
    project.write("go.mod", "module x\n")
    program(project, "node_modules/.bin/go")
    ran = turn(project, "a.go", "package main\n")
    assert ran.code == 0
    assert not is_pwned(project)
    [(outcome, message), *_] = repairs(ran)
    assert outcome == "NotRun"
    assert message == (
        f"not run, because it is not trusted: node_modules/.bin/go (tool, new). {CURE} "
        "The files were checked with tools outside the project."
    )


def test_a_tool_of_the_project_is_not_run_by_repair_until_it_is_trusted_as_it_is(
    project: Project,
) -> None:
    project.write("a.py", "x = (\n")
    tool = program(project, ".venv/bin/python3")
    ran = project.holdfast("repair", "a.py", "--no-model")
    assert not is_pwned(project)
    assert f"not trusted: .venv/bin/python3 (tool, new). {CURE}" in ran.err
    assert "'(' was never closed" in ran.out
    assert project.holdfast("trust").code == 3
    assert project.holdfast("trust", "--yes").code == 0
    project.holdfast("repair", "a.py", "--no-model")
    assert is_pwned(project)
    tool.write_text(f"{tool.read_text()}# changed\n")
    ran = project.holdfast("repair", "a.py", "--no-model")
    assert "not trusted: .venv/bin/python3 (tool, changed)" in ran.err
    assert not is_pwned(project)
    project.holdfast("repair", "a.py", "--no-model", "--trust")
    assert is_pwned(project)
    assert project.holdfast("trust", "--revoke").code == 0
    project.holdfast("repair", "a.py", "--no-model")
    assert not is_pwned(project)


def test_the_check_of_the_projects_settings_is_not_run_by_repair(project: Project) -> None:
    project.write(".holdfast/config.toml", f'check = "touch {project.place}/pwned"\n')
    project.write("a.xyz", "x\n")
    ran = project.holdfast("repair", "a.xyz", "--no-model", "--target", "any")
    assert ran.code == 1
    assert "would load code of the project that is not trusted" in ran.out
    assert not is_pwned(project)
    project.holdfast("trust", "--yes")
    project.holdfast("repair", "a.xyz", "--no-model", "--target", "any")
    assert is_pwned(project)


@pytest.mark.parametrize("nearest", ["mypy.ini", "sub/mypy.ini"])
def test_mypy_reads_the_settings_that_were_judged(project: Project, nearest: str) -> None:
    if not Path(sys.executable).with_name("mypy").exists():
        pytest.skip("mypy is not installed: pip install mypy")
    project.write("pyproject.toml", "")
    project.write("evil.py", f"open({str(project.place / 'pwned')!r}, 'w')\n")
    project.write("mypy.ini", "[mypy]\nplugins = evil.py\n")
    if nearest != "mypy.ini":
        project.write(nearest, "[mypy]\n")
    ran = turn(project, "sub/a.py", "x: int = 1\n")
    assert not is_pwned(project)
    outcomes = [outcome for outcome, _ in repairs(ran)]
    if nearest == "mypy.ini":
        assert outcomes == ["NotRun", "NotRun"]
        turn(project, "sub/b.py", "x: int = 1\n", "--trust")
        assert is_pwned(project)
    else:
        assert outcomes == ["FirstTrySuccess"]


def test_trust_lists_what_would_run_with_its_kind_hash_and_state(project: Project) -> None:
    project.write("Makefile", "check:\n\ttrue\n")
    project.write(".holdfast/config.toml", 'check = "make check"\nbase_url = "http://x/v1"\n')
    shown = json.loads(project.holdfast("trust", "--show", "--json").out)["items"]
    assert [(item["kind"], item["path"], item["state"]) for item in shown] == [
        ("check", ".holdfast/config.toml", "new"),
        ("build", "Makefile", "new"),
        ("server", ".holdfast/config.toml", "new"),
    ]
    assert all(len(item["hash"]) == 64 for item in shown)
    trusted = json.loads(project.holdfast("trust", "--yes", "--json").out)["items"]
    assert {item["state"] for item in trusted} == {"trusted"}
    project.write("Makefile", "check:\n\tfalse\n")
    changed = json.loads(project.holdfast("trust", "--show", "--json").out)["items"][1]
    assert (changed["state"], changed["trusted_text"], changed["text"]) == (
        "changed",
        "check:\n\ttrue\n",
        "check:\n\tfalse\n",
    )


def test_on_a_terminal_the_projects_code_is_asked_for_once(project: Project) -> None:
    project.write(".holdfast/config.toml", f'check = "touch {project.place}/pwned"\n')
    question = "Trust this until it changes? (y: yes, v: view all, n [REASON]: no) "
    for number, answer in enumerate(["n", "y", ""]):
        script = [call("write_file", path=f"{number}.txt", content="x\n"), say("Done.")]
        with (
            ScriptedServer(script) as server,
            on_terminal(project, "Go.", server=server) as terminal,
        ):
            terminal.wait_for("Allow this edit?")
            terminal.type("y\n")
            if answer:
                terminal.wait_for(f"+check = touch {project.place}/pwned")
                terminal.wait_for(question)
                terminal.type(f"{answer}\n")
            assert terminal.finish() == 0
            assert (question in terminal.screen) == bool(answer)
        assert is_pwned(project) == (answer != "n")


# ------------------------------------------------------------------------------------------- the server


def test_a_server_of_the_project_gets_nothing_until_it_is_trusted_and_never_the_key(
    project: Project,
) -> None:
    with ScriptedServer([say("Hello.")]) as stranger:
        project.write(".holdfast/config.toml", f'base_url = "{stranger.base_url}"\n')
        ran = project.run("hi", server=None, HOLDFAST_API_KEY="sk-hunter2")
        assert (ran.code, ran.ended["stop_reason"]) == (3, "needs_approval")
        assert ran.ended["message"] == (
            f"{project.root}/.holdfast/config.toml names the server {stranger.base_url}, which "
            "would see this project and is not trusted. Trust it with `holdfast trust`, or name "
            "the server with --base-url."
        )
        assert stranger.requests == []
        project.holdfast("trust", "--yes")
        ran = project.run("hi", server=None, HOLDFAST_API_KEY="sk-hunter2")
        assert ran.code == 0
        assert "authorization" not in {name.lower() for name in stranger.requests[0].headers}


def test_a_server_of_the_project_is_asked_for_once_on_a_terminal(project: Project) -> None:
    with ScriptedServer([say("Hello."), say("Again.")]) as stranger:
        project.write(".holdfast/config.toml", f'base_url = "{stranger.base_url}"\n')
        with on_terminal(project, "Go.", server=None) as terminal:
            terminal.wait_for(f"+base_url = {stranger.base_url}")
            terminal.wait_for("Trust it until it changes? [y/N]: ")
            terminal.type("y\n")
            assert terminal.finish() == 0
        with on_terminal(project, "Go.", server=None) as terminal:
            assert terminal.finish() == 0
            assert "Trust it" not in terminal.screen


# -------------------------------------------------------------------------------------- what configures


@pytest.mark.parametrize(
    "path",
    [
        ".holdfast/config.toml",
        "AGENTS.md",
        ".github/workflows/x.yml",
        "lefthook-local.yml",
        "prettier.config.js",
    ],
)
def test_what_configures_something_that_runs_is_not_written_unasked(
    project: Project, path: str
) -> None:
    before = project.texts()
    ran = turn(project, path, "x\n")
    assert (ran.code, ran.ended["stop_reason"]) == (3, "needs_approval")
    assert project.texts() == before
    [asked] = [event for event in ran.events if event["kind"] == "approval_asked"]
    assert (asked["what"], asked["subject"]) == ("protected", path)
    assert turn(project, path, "x\n", "--approve", "auto").code == 0
    assert (project.root / path).read_text() == "x\n"


@pytest.mark.parametrize("path", [".git /config", "GIT~1/config"])
def test_no_alias_of_git_is_written_in_any_mode(project: Project, path: str) -> None:
    before = project.texts()
    ran = turn(project, path, "x\n", "--approve", "auto")
    [ended] = [event for event in ran.events if event["kind"] == "call_ended"]
    assert ended["text"] == f"{path}: this belongs to git itself; edit the project's files instead."
    assert project.texts() == before


@pytest.mark.parametrize(
    "words",
    [["run", "Go."], ["undo"], ["trust", "--yes"], ["checkpoint", "create"]],
)
def test_a_state_directory_inside_the_project_is_refused(
    project: Project, words: list[str]
) -> None:
    state = project.root / ".state"
    ran = project.holdfast(*words, HOLDFAST_STATE_DIR=str(state))
    assert ran.code == 2
    assert "set HOLDFAST_STATE_DIR to a directory outside of it." in " ".join(ran.err.split())
    assert not state.exists()
