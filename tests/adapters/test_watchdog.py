"""Whoever kills us ends what we have started; what was left on purpose, when all went well, stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import FOREVER, LONGEST, is_alive, wait_until_gone

pytestmark = pytest.mark.slow

BEGIN = """\
import os, signal, subprocess, sys, threading
from holdfast.adapters.processes import watchdog
from holdfast.adapters.processes.child_process import run_process
never = threading.Event()
def run(*words, take=lambda data: True):
    return run_process(words, "/", dict(os.environ), 600.0, never, on_output=take)
def die(data=b""):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def python(script: str, *words: str) -> int:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + script, *words], check=False, timeout=LONGEST
    ).returncode


def test_what_runs_is_ended_with_its_children_when_we_are_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"trap '' TERM HUP; {FOREVER} & echo $! $$ > {pids}; echo; wait"
    assert python("run('sh', '-c', sys.argv[1], take=die)", script) == -signal.SIGKILL
    assert all(wait_until_gone(int(pid)) for pid in pids.read_text().split())


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(),
    reason="a mark can be looked for only where there is /proc",
)
def test_what_has_just_been_started_is_ended_before_anybody_could_tell_its_number(
    tmp_path: Path,
) -> None:
    script = """
with watchdog.watching() as (mark, started):
    child = subprocess.Popen(["sleep", "600"], env={**os.environ, **mark}, start_new_session=True)
    open(sys.argv[1], "w").write(str(child.pid))
    die()
"""
    assert python(script, str(tmp_path / "pid")) == -signal.SIGKILL
    assert wait_until_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(),
    reason="a mark can be looked for only where there is /proc",
)
def test_what_left_its_group_is_ended_when_we_are_killed(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"setsid sh -c 'echo $$ > {pid}; exec {FOREVER}' & while [ ! -s {pid} ]; do :; done; echo; wait"
    assert python("run('sh', '-c', sys.argv[1], take=die)", script) == -signal.SIGKILL
    assert wait_until_gone(int(pid.read_text()))


def test_the_watchdog_of_a_holdfast_in_a_command_has_no_mark_by_which_another_would_end_it(
    tmp_path: Path,
) -> None:
    script = """
os.environ.update({"_HOLDFAST_RUN": "outer", "HOLDFAST_TURN": "outer"})
watchdog._send("> mark\\n")
sys.exit(b"outer" in open(f"/proc/{watchdog._running[0].pid}/environ", "rb").read())
"""
    assert python(script) == 0


def test_what_left_its_group_on_purpose_outlives_us_when_all_went_well(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"setsid sh -c 'echo $$ > {pid}; exec {FOREVER}' > /dev/null 2>&1 & while [ ! -s {pid} ]; do :; done"
    assert python("run('sh', '-c', sys.argv[1])", script) == 0
    left = int(pid.read_text())
    assert is_alive(left)
    os.kill(left, signal.SIGKILL)


def test_the_watchdog_goes_with_us(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    assert (
        python("run('true'); open(sys.argv[1], 'w').write(str(watchdog._running[0].pid))", str(pid))
        == 0
    )
    assert not is_alive(int(pid.read_text()))


def test_one_that_somebody_has_ended_is_replaced() -> None:
    script = """
for _ in range(3):
    assert run("true").code == 0
    watchdog._running[0].kill()
    watchdog._running[0].wait()
assert run("true").code == 0
assert run("true").code == 0
assert watchdog._running[0].poll() is None
"""
    assert python(script) == 0
