from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.places.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A place for folders, with a state directory and a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(tmp_path / "user.toml"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return Desk(tmp_path, monkeypatch)
