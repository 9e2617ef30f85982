"""kill -9 during `gc` or `sessions delete`: the next gc finishes it, and the log and the tables agree."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_gc_or_a_delete_that_was_killed_is_finished_by_the_next_gc(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tests.end_to_end.run.gc_kills", str(tmp_path), "10"]
    ran = subprocess.run(program, cwd=CHECKOUT, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    told = json.loads(ran.stdout)
    assert told["failures"] == []
    assert min(told["kills"]["gc"], told["kills"]["delete"]) >= 8
