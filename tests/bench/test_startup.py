"""`make bench-startup`: what it measures are real runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.startup.__main__ import HOLDFAST, STARTS, apply_change, environment, project


def test_no_command_ends_with_wrong_usage(tmp_path: Path) -> None:
    root, variables = project(tmp_path), environment(tmp_path)
    apply_change(root, variables, 0)
    ended = {
        start.name: subprocess.run(
            [*HOLDFAST, *start.words], cwd=root, env=variables, check=False, capture_output=True
        ).returncode
        for start in STARTS
    }
    assert ended == {start.name: 0 for start in STARTS}
