"""Stages for agents; after each test no process of an agent is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.adapters.agents.acp_stage import Stage, marked_processes


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    made: list[Stage] = []

    def make(**settings: object) -> Stage:
        made.append(Stage(tmp_path, **settings))
        return made[-1]

    yield make
    for each in made:
        each.agent.close()
    assert marked_processes() == []
