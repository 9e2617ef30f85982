from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    return Project(tmp_path / "root")
