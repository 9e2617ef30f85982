from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder, standard


@pytest.fixture(autouse=True)
def _no_surprises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the state, and keep the settings of whoever runs this out."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A directory without git."""
    return Folder(tmp_path / "root")


@pytest.fixture
def repo(folder: Folder) -> Folder:
    """A repository with one of each: committed, staged, unstaged, untracked and ignored files, and a stash."""
    return standard(folder)
