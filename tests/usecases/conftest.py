from __future__ import annotations

from pathlib import Path

import pytest

from tests.usecases.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    return World(tmp_path)
