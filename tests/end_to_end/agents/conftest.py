from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.config.settings import Settings
from holdfast.wiring.agents.warm import close_agents
from holdfast.wiring.settings import settings_at
from tests.end_to_end.agents.agent_project import AgentProject
from tests.waiting import wait_until


@pytest.fixture
def project(tmp_path: Path) -> Iterator[AgentProject]:
    """Yield a project; after the test no process of an agent lives."""
    project = AgentProject(tmp_path)
    yield project
    assert wait_until(lambda: project.marked() == []), project.marked()


@pytest.fixture(params=["acp", "server", "oneshot"])
def transport(request: pytest.FixtureRequest, project: AgentProject) -> str:
    """Let the agent `scripted` be reached over each of the transports."""
    found = str(request.param)
    project.use_transport(found)
    return found


@pytest.fixture
def settings(project: AgentProject, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Yield the settings of turns in this process, whose agents stay warm until its end."""
    for name, value in project.environment().items():
        monkeypatch.setenv(name, value)
    yield read_settings(project)
    close_agents()


def read_settings(project: AgentProject, approve: str = "auto") -> Settings:
    found = settings_at(project.root, {"approve": approve})
    assert isinstance(found, Settings)
    return found
