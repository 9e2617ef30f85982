"""Two processes at once, killed anywhere: the tree is one that somebody asked for, and log, tables and tree agree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory, if there is a disk in memory: many scenes are copied."""
    place = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else tmp_path
    place = place / f"holdfast-{tmp_path.name}-{os.getpid()}"
    place.mkdir()
    yield place
    shutil.rmtree(place)


def _kill(place: Path, seed: int, steps: int) -> dict[str, int]:
    program = "tests.end_to_end.going_back.combined_kills"
    ran = subprocess.run(
        [sys.executable, "-m", program, str(place), str(seed), str(steps)],
        cwd=PROJECT,
        env=os.environ | {"HOME": str(place)},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    printed = json.loads(ran.stdout)
    assert printed["failures"] == []
    kills: dict[str, int] = printed["kills"]
    return kills


@pytest.mark.e2e
def test_two_commands_that_die_leave_a_tree_that_somebody_asked_for(place: Path) -> None:
    assert sum(_kill(place, 1, 8).values()) >= 8


@pytest.mark.slow
@pytest.mark.skipif("HOLDFAST_ALL_EXAMPLES" not in os.environ, reason="in `make soak`")
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_commands_that_die_leave_a_tree_that_somebody_asked_for(
    place: Path, seed: int
) -> None:
    assert len(_kill(place, seed, 120)) == 6
