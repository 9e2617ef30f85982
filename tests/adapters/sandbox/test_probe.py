"""The choice of a sandbox: by what starts here, remembered, and with the reason."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.processes.sandbox import landlock, probe
from holdfast.adapters.processes.sandbox.probe import open_sandbox
from holdfast.vocab.sandbox import SandboxStatus


@pytest.fixture(autouse=True)
def without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_known", {})


def make_bwrap(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return program


def only_on_path(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Have no bwrap but the one in this folder, not even the bundled one."""
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(probe, "find_spec", lambda _: None)


def test_one_that_does_not_start_is_named_and_landlock_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_bwrap(tmp_path / "bin", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    only_on_path(monkeypatch, tmp_path / "bin")
    status = open_sandbox("auto", tmp_path / "root", tmp_path / "state").status
    if status.kind == "none":
        pytest.skip("this kernel has no Landlock")
    assert status == SandboxStatus(
        "landlock",
        "bubblewrap does not work here (setting up uid map: Permission denied). "
        "Landlock is used, which protects less.",
    )


def test_what_is_missing_is_named_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_on_path(monkeypatch, tmp_path / "bin")
    monkeypatch.setattr(landlock, "version", lambda: 0)
    status = open_sandbox("auto", tmp_path / "root", tmp_path / "state").status
    assert status == SandboxStatus(
        "none",
        "bubblewrap is not installed: install bubblewrap, or `pip install 'holdfast[sandbox]'`. "
        "This kernel has no Landlock either.",
    )


@pytest.mark.parametrize("at", ["root", "linked"])
def test_a_bwrap_of_the_project_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    root = tmp_path / "root"
    Git(tmp_path).run("init", "-q", str(root))
    Git(root).run("commit", "-qm", "one", "--allow-empty")
    Git(root).run("worktree", "add", "-q", str(tmp_path / "linked"))
    make_bwrap(root / "bin", f"echo > {tmp_path}/pwned")
    only_on_path(monkeypatch, root / "bin")
    status = open_sandbox("bubblewrap", tmp_path / at, tmp_path / "state").status
    assert status.kind == "none"
    assert not (tmp_path / "pwned").exists()


def test_it_is_tried_once_until_the_program_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make_bwrap(tmp_path / "bin", f"echo x >> {tmp_path}/started")
    only_on_path(monkeypatch, tmp_path / "bin")
    root = tmp_path / "root"
    for _ in range(3):
        monkeypatch.setattr(probe, "_known", {})
        assert open_sandbox("auto", root, tmp_path / "state").status.kind == "bubblewrap"
    started = (tmp_path / "started").read_text().count("x")
    os.utime(program, ns=(1, 1))
    monkeypatch.setattr(probe, "_known", {})
    open_sandbox("auto", root, tmp_path / "state")
    assert (tmp_path / "started").read_text().count("x") == 2 * started
    record = json.loads((tmp_path / "state/sandbox/found.json").read_text())
    assert record["found"]["bwrap"] == str(program)


def test_a_state_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    status = open_sandbox("bubblewrap", tmp_path / "root", tmp_path / "state").status
    assert status.kind == "none"
    assert "state" in status.why


def test_off_is_none_and_starts_nothing(tmp_path: Path) -> None:
    status = open_sandbox("off", tmp_path, tmp_path / "state").status
    assert status == SandboxStatus("none", "the sandbox is switched off.", switched_off=True)
    assert not (tmp_path / "state").exists()
