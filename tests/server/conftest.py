from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import ScriptedServer
from tests.server.harness import RunningServer

GIT = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid"]


def make_root(place: Path, patch: pytest.MonkeyPatch) -> Path:
    """Make a git repository with one commit; state and settings are beside it."""
    folder = place / "project"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    subprocess.run([*GIT, "init", "-q", "-b", "main"], cwd=folder, check=True)
    subprocess.run([*GIT, "add", "-A"], cwd=folder, check=True)
    subprocess.run([*GIT, "commit", "-qm", "one"], cwd=folder, check=True)
    patch.setenv("HOLDFAST_STATE_DIR", str(place / "state"))
    patch.setenv("HOLDFAST_CONFIG_FILE", str(place / "config.toml"))
    patch.delenv("HOLDFAST_DATABASE_URL", raising=False)
    return folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_root(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Yield a server for all tests of a module, with a project and no model."""
    with pytest.MonkeyPatch.context() as patch:
        running = RunningServer([make_root(tmp_path_factory.mktemp("shared"), patch)])
        yield running
        running.stop()


@pytest.fixture
def script() -> Any:
    """Return what the model answers; a test module may have its own."""
    return []


@pytest.fixture
def model(script: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(script) as server:
        monkeypatch.setenv("HOLDFAST_BASE_URL", server.base_url)
        monkeypatch.setenv("HOLDFAST_MODEL", "scripted")
        yield server


@pytest.fixture
def server(root: Path, model: ScriptedServer) -> Iterator[RunningServer]:
    running = RunningServer([root])
    yield running
    running.stop()


@pytest.fixture
def start(root: Path) -> Iterator[Callable[..., RunningServer]]:
    """Return what starts a server; it is stopped after the test."""
    started: list[RunningServer] = []

    def begin(*roots: Path, **options: Any) -> RunningServer:
        started.append(RunningServer(list(roots) or [root], **options))
        return started[-1]

    yield begin
    for each in started:
        each.stop()
