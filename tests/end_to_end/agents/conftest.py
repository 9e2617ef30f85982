from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.agents.agent_project import AgentProject
from tests.waiting import wait_until


@pytest.fixture
def project(tmp_path: Path) -> Iterator[AgentProject]:
    """Yield a project; after the test no process of an agent lives."""
    project = AgentProject(tmp_path)
    yield project
    assert wait_until(lambda: project.marked() == [], longest=60.0), project.marked()
