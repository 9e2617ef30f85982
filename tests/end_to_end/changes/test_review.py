"""Changes as processes see them: killed anywhere, side by side, on disks that refuse."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.fifty_files import snapshot
from tests.samples import WHOLE

PROJECT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "holdfast.cli.main"]
EDIT = '{"path": "a.py", "old": "x = 1", "new": "x = 2"}'


@pytest.mark.slow
def test_a_kill_at_any_effect_of_propose_apply_hunks_reject_and_rewind_leaves_files_and_log_agreed(
    tmp_path: Path,
) -> None:
    # In memory, if there is a disk in memory: some hundred projects are made.
    place = Path("/dev/shm") / tmp_path.name if os.access("/dev/shm", os.W_OK) else tmp_path
    place = place.with_name(f"{place.name}-{os.getpid()}")
    place.mkdir()
    paths = os.pathsep.join([str(PROJECT), str(PROJECT / "src")])
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "tests.end_to_end.changes.review_kills", str(place)],
            cwd=PROJECT,
            env=os.environ | {"PYTHONPATH": paths},
            capture_output=True,
            check=False,
        )
    finally:
        shutil.rmtree(place)
    assert ran.returncode == 0, ran.stderr.decode()
    answer = json.loads(ran.stdout)
    assert answer["failures"] == []
    assert set(answer["kills"]) == {
        "propose",
        "apply",
        "land again",
        "hunks",
        "reject",
        "rewind",
        "project back",
    }
    assert sum(answer["kills"].values()) > (200 if WHOLE else 80)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    (place / "a.py").write_text("x = 1\n")
    return place


def start(root: Path, *words: str, **more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *words, "--root", str(root), "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"HOLDFAST_STATE_DIR": str(root.parent / "state")} | more,
    )


def finish(process: subprocess.Popen[bytes], reply: str = "") -> tuple[int, dict[str, Any]]:
    out, err = process.communicate(reply.encode())
    assert out, err
    answer = json.loads(out)
    assert isinstance(answer, dict)
    return process.returncode, answer


def run(root: Path, *words: str, reply: str = "", **more: str) -> tuple[int, dict[str, Any]]:
    return finish(start(root, *words, **more), reply)


@pytest.mark.e2e
def test_of_several_processes_that_apply_a_change_at_the_same_time_one_does(root: Path) -> None:
    _, answer = run(root, "changes", "propose", reply=EDIT)
    racing = [start(root, "changes", "apply", answer["id"]) for _ in range(4)]
    outcomes = sorted(finish(process)[1]["outcome"] for process in racing)
    assert outcomes == ["applied", "refused", "refused", "refused"]
    assert (root / "a.py").read_text() == "x = 2\n"


@pytest.mark.e2e
def test_a_change_made_by_one_process_is_rewound_by_another_after_a_third_has_edited(
    root: Path,
) -> None:
    (root / "a.py").write_text("x = 1\n\ny = 1\n")
    assert run(root, "apply", reply=EDIT)[0] == 0
    assert run(root, "apply", reply='{"path": "a.py", "old": "y = 1", "new": "y = 2"}')[0] == 0
    second, first = (each["id"] for each in run(root, "changes", "list")[1]["changes"])
    assert run(root, "changes", "rewind", first)[0] == 0
    assert (root / "a.py").read_text() == "x = 1\n\ny = 2\n"
    assert run(root, "changes", "rewind", second)[0] == 0
    assert (root / "a.py").read_text() == "x = 1\n\ny = 1\n"


@pytest.mark.e2e
@pytest.mark.parametrize("words", [("apply",), ("changes", "propose")])
def test_a_state_directory_that_cannot_be_written_is_said_and_changes_nothing(
    root: Path, words: tuple[str, ...]
) -> None:
    (root.parent / "state").write_text("a file")
    before = snapshot(root)
    code, answer = run(root, *words, reply=EDIT)
    assert (code, answer["outcome"], answer["files"]) == (1, "refused", [])
    assert str(root.parent / "state") in answer["refusals"][0]["message"]
    assert snapshot(root) == before
