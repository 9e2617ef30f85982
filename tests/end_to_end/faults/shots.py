"""A command that is shot at a moment drawn by lot, and what must hold after it."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.end_to_end.run.project import Project, Ran, finish
from tests.waiting import wait_until

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Shot:
    """A signal, and when it comes: the share of the time that the command takes unharmed.

    The start of Python itself does not count: no line of ours has run, and Python answers.
    """

    number: signal.Signals
    moment: float


def draw(seed: str, count: int) -> list[Shot]:
    """Draw shots; each signal has its turn."""
    lots = random.Random(seed)
    return [Shot(SIGNALS[at % len(SIGNALS)], lots.random()) for at in range(count)]


def fire(
    project: Project, words: Sequence[str], shot: Shot, seconds: float, *, given: bytes = b""
) -> Ran:
    """Run a command, shoot it, and wait for its end. What is left of it must be nothing."""
    temporary = project.place / "tmp"
    temporary.mkdir(exist_ok=True)
    start = measure(project, [words[0], "-c", "pass"])
    process = subprocess.Popen(
        words,
        env=project.environment(TMPDIR=str(temporary)),
        cwd=project.place,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            assert process.stdin is not None
            process.stdin.write(given)
            process.stdin.close()
            process.stdin = None
            time.sleep(start + shot.moment * max(seconds - start, 0.0))
            process.send_signal(shot.number)
            return finish(process)
        finally:
            process.kill()


def measure(project: Project, words: Sequence[str], *, given: bytes = b"") -> float:
    """Return how long the command takes unharmed."""
    began = time.monotonic()
    done = subprocess.run(
        words,
        input=given,
        env=project.environment(),
        cwd=project.place,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done
    return time.monotonic() - began


def check_code(ran: Ran, shot: Shot) -> None:
    """It was done before the shot, or ended as documented; no traceback is shown to anybody."""
    ends = {0, -shot.number}
    if shot.number != signal.SIGKILL:
        ends.add(130)
    if "init_import_site" in ran.err:
        ends.add(1)  # Python ended by itself while it started
    assert ran.code in ends, (shot, ran)
    assert "Traceback" not in ran.err or _was_starting(ran), (shot, ran)


def _was_starting(ran: Ran) -> bool:
    """Whether Python itself was starting: no function of ours had been called."""
    return "holdfast/cli/main.py" not in ran.err


def check_no_process(project: Project) -> None:
    """No process has our state directory in its environment any more."""
    assert wait_until(lambda: not _processes_of(project.state)), _processes_of(project.state)


def _processes_of(state: Path) -> list[str]:
    mark = f"HOLDFAST_STATE_DIR={state}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in variables and words:
            found.append(f"{folder.name}: {words}")
    return found


def check_no_file(project: Project, expected: Mapping[str, Sequence[str]]) -> None:
    """Each file has one of the texts that it may have, and there is no other file."""
    texts = project.texts()
    own = {name: text for name, text in texts.items() if not name.startswith(".holdfast/")}
    assert set(own) <= set(expected), own
    for name, allowed in expected.items():
        if name in own:
            assert own[name] in allowed, (name, own[name])


def changes_of(project: Project) -> list[str]:
    """The states of the changes on record, the latest first."""
    ran = project.holdfast("changes", "list", "--json")
    assert ran.code == 0, ran
    return [change["state"] for change in json.loads(ran.out)["changes"]]
