from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.going_back.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with two committed files."""
    return Project(tmp_path).init()
