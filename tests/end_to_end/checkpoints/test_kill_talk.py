"""kill -9 at any step of a restore in a session: files, transcript and refs are together in one state or the other."""

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
    """A directory in memory, if there is a disk in memory: some hundred stores and repositories are made."""
    place = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else tmp_path
    place = place / f"holdfast-talk-{tmp_path.name}-{os.getpid()}"
    place.mkdir()
    yield place
    shutil.rmtree(place)


@pytest.mark.slow
def test_a_kill_in_a_restore_with_a_conversation_leaves_files_and_transcript_together(
    place: Path,
) -> None:
    program = [sys.executable, "-m", "tests.end_to_end.checkpoints.kills_talk", str(place)]
    # The store of whoever runs this is not to be touched.
    environment = {
        name: value for name, value in os.environ.items() if name != "HOLDFAST_DATABASE_URL"
    }
    ran = subprocess.run(program, cwd=PROJECT, env=environment, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    told = json.loads(ran.stdout)
    assert told["failures"] == []
    assert min(told["kills"].values()) > 25
