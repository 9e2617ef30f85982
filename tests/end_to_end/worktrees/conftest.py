from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder, standard
from tests.end_to_end.worktrees.session_worktrees import Project


@pytest.fixture(autouse=True)
def _no_surprises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the state, and keep the settings of whoever runs this out."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(tmp_path / "user.toml"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with committed, staged, unstaged, untracked and ignored files, and a stash."""
    return Project(standard(Folder(tmp_path / "root")))
