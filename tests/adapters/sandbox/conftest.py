from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.processes.sandbox.probe import SandboxChoice
from tests.adapters.sandbox.attempt import open_at


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, a home with keys and a toolchain, and a state directory."""
    fill(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def fill(place: Path) -> None:
    files = {
        "root/a.txt": "text\n",
        "root/.env": "KEY=hunter2\n",
        "root/sub/.env": "KEY=hunter2\n",
        "root/sub/b.txt": "more\n",
        "home/.ssh/id_rsa": "hunter2\n",
        "home/notes.txt": "hunter2\n",
        "home/.cargo/credentials.toml": "hunter2\n",
        "home/.cargo/registry/crate.rs": "crate\n",
        "outside/c.txt": "hunter2\n",
        "state/grants.json": "hunter2\n",
    }
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for words in (
        ["init", "-q"],
        ["config", "user.name", "n"],
        ["config", "user.email", "n@x"],
        ["add", "a.txt"],
        ["commit", "-qm", "1"],
    ):
        subprocess.run(["git", *words], cwd=place / "root", check=True)


@pytest.fixture(params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest, place: Path) -> SandboxChoice:
    name: SandboxChoice = request.param
    require(name, place)
    return name


@pytest.fixture
def bubblewrap(place: Path) -> SandboxChoice:
    require("bubblewrap", place)
    return "bubblewrap"


@pytest.fixture
def landlock(place: Path) -> SandboxChoice:
    require("landlock", place)
    return "landlock"


def require(kind: SandboxChoice, place: Path) -> None:
    status = open_at(kind, place).status
    if status.kind != kind:
        pytest.skip(f"there is no {kind} here: {status.why}")
