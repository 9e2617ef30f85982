"""What was done stays done when the answer cannot be printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("".join(f"line {n}\n" for n in range(20_000)))
    reply = {"path": "a.txt", "content": "".join(f"new {n}\n" for n in range(20_000))}
    (tmp_path / "reply.json").write_text(json.dumps(reply))
    return root


def apply(project: Path, *options: str, stdout: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "holdfast.cli.main", "apply", "../reply.json", *options]
    state = os.environ | {"HOLDFAST_STATE_DIR": str(project.parent / "state")}
    return subprocess.Popen(words, cwd=project, stdout=stdout, stderr=subprocess.PIPE, env=state)


def test_a_reader_that_goes_away_does_not_make_a_landing_a_refusal(project: Path) -> None:
    reader, writer = os.pipe()
    running = apply(project, stdout=writer)
    os.close(writer)
    os.read(reader, 10)
    os.close(reader)
    _, errors = running.communicate()
    assert (running.returncode, errors) == (0, b"")
    assert (project / "a.txt").read_text().startswith("new 0\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_full_disk_for_the_answer_is_said_and_the_landing_stays(
    project: Path, options: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("wb") as full:
        running = apply(project, *options, stdout=full.fileno())
        _, errors = running.communicate()
    assert running.returncode == 0
    assert b"could not be printed" in errors
    assert b"Traceback" not in errors
    assert (project / "a.txt").read_text().startswith("new 0\n")
