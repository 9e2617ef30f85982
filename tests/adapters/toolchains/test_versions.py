"""The version of a tool: printed by the tool once, and known until its program changes."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from pathlib import Path

import pytest

from holdfast.adapters.toolchains import installed_tool
from holdfast.adapters.toolchains.installed_tool import ToolProgram, find_tool
from tests.waiting import LONGEST

WHOLE = ToolProgram("bash-like", "", is_whole=True)
PROXY = ToolProgram("bash-like", "")


class MemoryAnswers:
    """Answers in memory (port `Answers`)."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def put(self, key: str, response: bytes) -> None:
        self.kept[key] = response


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH with one compiled program, which prints its version."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(shutil.which("bash") or "/bin/bash", folder / "bash-like")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def version_of(tool: ToolProgram, root: Path, versions: MemoryAnswers) -> str:
    """Ask as a new process would, which has nothing in memory."""
    installed_tool._known_versions.clear()
    deadline = time.monotonic() + LONGEST
    found = find_tool(tool, root / "project", "a.py", deadline, own_code=True, versions=versions)
    assert found is not None
    return found.version


def test_the_version_of_a_compiled_tool_is_kept_for_the_next_process(
    tools: Path, tmp_path: Path
) -> None:
    versions = MemoryAnswers()
    printed = version_of(WHOLE, tmp_path, versions)
    assert list(versions.kept.values()) == [printed.encode()]
    versions.kept = dict.fromkeys(versions.kept, b"9.8.7")
    assert version_of(WHOLE, tmp_path, versions) == "9.8.7"
    versions.kept = dict.fromkeys(versions.kept, b"nonsense")
    assert version_of(WHOLE, tmp_path, versions) == printed
    (tools / "bash-like").touch()
    versions.kept = dict.fromkeys(versions.kept, b"9.8.7")
    assert version_of(WHOLE, tmp_path, versions) == printed


def test_the_version_of_a_proxy_or_a_script_is_not_kept(tools: Path, tmp_path: Path) -> None:
    versions = MemoryAnswers()
    assert version_of(PROXY, tmp_path, versions) != "unknown"
    (tools / "bash-like").write_text("#!/bin/sh\necho version 1.2.3\n")
    assert version_of(WHOLE, tmp_path, versions) == "1.2.3"
    assert versions.kept == {}


def test_the_python_that_runs_this_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    monkeypatch.setattr(installed_tool, "run_tool", None)
    tool = ToolProgram("python3", "")
    assert version_of(tool, tmp_path, MemoryAnswers()) == platform.python_version()


@pytest.mark.parametrize("own_code", [False, True])
def test_a_tool_outside_starts_no_program_of_a_project_that_is_not_trusted(
    tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, own_code: bool
) -> None:
    theirs = tmp_path / "project" / "bin"
    theirs.mkdir(parents=True)
    for folder, version in ((theirs, "6.6.6"), (tools, "1.2.3")):
        (folder / "interpreter").write_text(f"#!/bin/sh\necho {version}\n")
        (folder / "interpreter").chmod(0o755)
    (tools / "script").write_text("#!/usr/bin/env interpreter\n")
    (tools / "script").chmod(0o755)
    monkeypatch.setenv("PATH", f"{theirs}:{os.environ['PATH']}")
    installed_tool._known_versions.clear()
    deadline = time.monotonic() + LONGEST
    script = ToolProgram("script", "")
    found = find_tool(script, tmp_path / "project", "a.py", deadline, own_code=own_code)
    assert found is not None
    assert found.version == ("6.6.6" if own_code else "1.2.3")
