"""`holdfast agents`: which agents there are, and whether one works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdfast.cli.app import app
from holdfast.testing import ScriptedAgent


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(tmp_path / "user.toml"))
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    write_agent(tmp_path, ScriptedAgent())


def write_agent(place: Path, agent: ScriptedAgent) -> None:
    command = json.dumps(list(agent.command))
    (place / "user.toml").write_text(f"[agents.mine]\ncommand = {command}\n")


def holdfast(place: Path, *words: str) -> tuple[int, Any]:
    root = place / "root"
    root.mkdir(exist_ok=True)
    ran = CliRunner().invoke(app, [*words, "--json", "--root", str(root)])
    return ran.exit_code, json.loads(ran.stdout)


def put_program(place: Path, name: str, text: str) -> Path:
    program = place / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return program


def test_every_known_agent_is_listed_and_those_of_the_users_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = put_program(tmp_path, "claude", "echo '2.1.7 (Claude Code)'")
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    code, found = holdfast(tmp_path, "agents", "list")
    assert code == 0
    agents = {each["name"]: each for each in found}
    assert {"qwen", "goose", "codex", "claude", "gemini", "opencode", "cline", "pi"} <= set(agents)
    assert agents["claude"] == {
        "name": "claude",
        "installed": True,
        "version": "2.1.7",
        "path": str(program),
        "transports": ["oneshot"],
        "login": "unknown",
        "install": agents["claude"]["install"],
    }
    assert agents["qwen"] == {
        "name": "qwen",
        "installed": False,
        "version": None,
        "path": None,
        "transports": ["acp", "oneshot"],
        "login": "unknown",
        "install": "npm install -g @qwen-code/qwen-code",
    }
    assert agents["cline"]["login"] == "needed"
    assert (agents["mine"]["installed"], agents["mine"]["transports"]) == (True, ["acp"])


def test_a_key_in_the_environment_or_a_file_of_the_agent_is_a_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    file = tmp_path / "home" / ".codex" / "auth.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    _, found = holdfast(tmp_path, "agents", "list")
    logins = {each["name"]: each["login"] for each in found}
    assert (logins["claude"], logins["codex"]) == ("ok", "ok")


def test_a_test_reports_each_step_with_its_time(tmp_path: Path) -> None:
    code, trial = holdfast(tmp_path, "agents", "test", "mine")
    assert (code, trial["outcome"]) == (0, "ok")
    assert [step["name"] for step in trial["steps"]] == [
        "found",
        "started",
        "initialized",
        "session",
    ]
    times = [step["seconds"] for step in trial["steps"]]
    assert times == sorted(times)


def test_an_agent_that_does_not_start_or_wants_a_login_is_reported(tmp_path: Path) -> None:
    write_agent(tmp_path, ScriptedAgent("exit"))
    code, trial = holdfast(tmp_path, "agents", "test", "mine")
    assert (code, trial["outcome"]) == (1, "failed")
    assert "no settings were found" in trial["stderr"]
    write_agent(tmp_path, ScriptedAgent("login"))
    code, trial = holdfast(tmp_path, "agents", "test", "mine")
    assert (code, trial["outcome"]) == (3, "needs_login")
    code, trial = holdfast(tmp_path, "agents", "test", "nobody")
    assert (code, trial["steps"]) == (1, [])
    assert "there is no such agent" in trial["message"]


def test_of_a_one_shot_agent_only_the_program_and_the_login_can_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("claude", "cline"):
        program = put_program(tmp_path, name, "exit 1")
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    words = ("--transport", "oneshot")
    code, trial = holdfast(tmp_path, "agents", "test", "claude", *words)
    assert (code, [step["name"] for step in trial["steps"]]) == (0, ["found"])
    assert "no more was tried" in trial["message"]
    code, trial = holdfast(tmp_path, "agents", "test", "cline", *words)
    assert (code, trial["outcome"]) == (3, "needs_login")
    assert trial["message"] == "cline needs a login: cline auth"
