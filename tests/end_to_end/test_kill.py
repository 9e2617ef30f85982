"""kill -9 at any instant of an apply: afterwards all files are old or all are new, and nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end import fifty_files
from tests.end_to_end.fifty_files import snapshot
from tests.samples import WHOLE

PROJECT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "holdfast.cli.main"]


@pytest.mark.slow
def test_a_kill_at_any_effect_of_apply_undo_and_recovery_leaves_no_mix(tmp_path: Path) -> None:
    # In memory, if there is a disk in memory: some thousand projects of fifty files are made.
    place = Path("/dev/shm") / tmp_path.name if os.access("/dev/shm", os.W_OK) else tmp_path
    place = place.with_name(f"{place.name}-{os.getpid()}")
    place.mkdir()
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "tests.end_to_end.kills", str(place)],
            cwd=PROJECT,
            env=_environment(),
            capture_output=True,
            check=False,
        )
    finally:
        shutil.rmtree(place)
    assert ran.returncode == 0, ran.stderr.decode()
    report = json.loads(ran.stdout)
    assert report["failures"] == []
    assert len(report["effects"]) > 250
    least = 250 if WHOLE else 15
    kills = report["kills"]
    assert min(kills["apply"], kills["undo"], kills["recovery"], report["refusals"]) > least


@pytest.mark.e2e
@pytest.mark.slow
def test_three_kills_of_a_real_process(tmp_path: Path) -> None:
    root = tmp_path / "root"
    state = tmp_path / "state"
    reply = tmp_path / "reply.diff"
    reply.write_text(fifty_files.reply())
    fifty_files.build(root)
    old = snapshot(root)
    count = tmp_path / "count"
    environment = _environment(state) | {"COUNT_INTO": str(count)}
    subprocess.run(
        [*COMMAND, "apply", str(reply), "--root", str(root)],
        env=environment,
        check=True,
        capture_output=True,
    )
    new = snapshot(root)
    third = int(count.read_text()) // 3
    chance = random.Random(6)
    points = [chance.randrange(part * third, (part + 1) * third) for part in range(3)]
    for point in points:
        fifty_files.restore(root, old)
        fifty_files.restore(state, {})
        killed = subprocess.run(
            [*COMMAND, "apply", str(reply), "--root", str(root)],
            env=_environment(state) | {"DIE_AT": str(point)},
            check=False,
            capture_output=True,
        )
        assert killed.returncode == -signal.SIGKILL
        following = subprocess.run(
            [*COMMAND, "apply", "--root", str(root), "--json"],
            input=b'{"path": "no/such/file.py", "old": "a", "new": "b"}',
            env=_environment(state, dying=False),
            check=False,
            capture_output=True,
        )
        assert json.loads(following.stdout)["refusals"][0]["reason"] == "not_found"
        assert snapshot(root) in (old, new)
        assert {
            path.name for path in state.rglob("*") if path.is_file() and "sqlite3" not in path.name
        } == {"lock", "place.json"}


def _environment(state: Path | None = None, *, dying: bool = True) -> dict[str, str]:
    paths = [PROJECT / "tests/end_to_end/dying"] if state and dying else []
    paths += [PROJECT, PROJECT / "src"]
    given = os.environ | {
        "PYTHONPATH": os.pathsep.join([*map(str, paths), os.environ.get("PYTHONPATH", "")])
    }
    return given | ({"HOLDFAST_STATE_DIR": str(state)} if state else {})
