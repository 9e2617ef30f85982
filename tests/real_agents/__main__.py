"""Drive real agents against the scripted model, and print a table of what worked and how long it took.

`python -m tests.real_agents [NAME] [NAME:TRANSPORT] …`; exit code 1 if anything failed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from holdfast.adapters.processes.turn_processes import find_marked
from holdfast.adapters.processes.watchdog import MARK
from holdfast.testing import ScriptedServer
from holdfast.usecases.agents.ports import (
    AgentCrashed,
    AgentPrompt,
    AgentTurnResult,
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
)
from holdfast.vocab.cancellation import Cancel
from tests.real_agents.agents import INSTALLED, REAL_AGENTS, RealAgent
from tests.real_agents.scripted_coder import ScriptedCoder

_LONGEST = 300.0


class Drive:
    """One agent in a new repository, through all steps. `cells` has what each step showed."""

    def __init__(self, real: RealAgent, place: Path, server: ScriptedServer, coder: ScriptedCoder):
        self.real = real
        self.root = place / "project"
        self.root.mkdir()
        home = place / "home"
        home.mkdir()
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.server = server
        self.coder = coder
        self.agent = real.make(self.root, home, server.origin)
        self.answer: PermissionAnswer = "once"
        self.asked: list[PermissionRequest] = []
        self.updates: list[AgentUpdate] = []
        self.cells: dict[str, str] = {}
        self.first = 0.0

    def run(self) -> None:
        """Run every step; a step that fails does not keep the next from running."""
        for name, step in STEPS.items():
            try:
                self.cells[name] = step(self)
            except Exception as error:  # noqa: BLE001 - it goes into the table
                self.cells[name] = f"FAILED: {type(error).__name__}: {error}"[:300]
        self.agent.close()
        left = [each.pid for each in find_marked(MARK) if each.turn.startswith(f"{os.getpid()}-")]
        self.cells["no process left"] = f"FAILED: {left}" if left else "yes"

    def turn(self, task: str, transcript: str = "") -> AgentTurnResult:
        prompt = AgentPrompt(f"Please do this task.\nHOLDFAST-TASK {task}", transcript)
        return self.agent.turn(prompt, self.updates.append, self._decide)

    def _decide(self, request: PermissionRequest, _withdrawn: Cancel) -> PermissionAnswer:
        self.asked.append(request)
        return self.answer

    def edit(self, name: str) -> tuple[AgentTurnResult, float]:
        begun = time.monotonic()
        result = self.turn(f"write {self.root / name} hello {name}", "user: the first message")
        seconds = time.monotonic() - begun
        _check(result.stop_reason == "done", f"{result}")
        text = (self.root / name).read_text(encoding="utf-8")
        _check(text == f"hello {name}\n", f"the file has {text!r}")
        return result, seconds

    def pids(self) -> list[int]:
        mark = f"{os.getpid()}-"
        return [each.pid for each in find_marked(MARK) if each.turn.startswith(mark)]


def _edit(drive: Drive) -> str:
    result, drive.first = drive.edit("a.txt")
    _check(result.fresh, "the first turn is not fresh")
    asked = f", asked {len(drive.asked)}" if drive.asked else ""
    return f"{drive.first:.1f} s{asked}"


def _second(drive: Drive) -> str:
    result, seconds = drive.edit("b.txt")
    _check(result.fresh == (drive.real.transport == "oneshot"), f"fresh is {result.fresh}")
    return f"{seconds:.1f} s = {seconds / drive.first:.2f}"


def _deny(drive: Drive) -> str:
    if not drive.real.asks:
        return "asks nobody"
    before = len(drive.asked)
    drive.answer = "deny"
    try:
        result = drive.turn(f"write {drive.root / 'denied.txt'} no")
    finally:
        drive.answer = "once"
    _check(len(drive.asked) > before, "it did not ask")
    _check(not (drive.root / "denied.txt").exists(), "it wrote all the same")
    return f"denied, {result.stop_reason}"


def _fail(drive: Drive) -> str:
    result = drive.turn("fail 400")
    _check(result.stop_reason == "failed", f"{result}")
    return "failed"


def _cancel(drive: Drive) -> str:
    drive.coder.waiting.clear()
    seconds: list[float] = []

    def cancel() -> None:
        drive.coder.waiting.wait(_LONGEST)
        seconds.append(time.monotonic())
        drive.agent.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    result = drive.turn("wait")
    took = time.monotonic() - seconds[0]
    thread.join()
    _check((result.stop_reason, result.cancelled) == ("cancelled", True), f"{result}")
    return f"{took:.1f} s"


def _kill(drive: Drive) -> str:
    drive.coder.waiting.clear()

    def kill() -> None:
        drive.coder.waiting.wait(_LONGEST)
        for pid in drive.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        result = drive.turn("wait")
    except AgentCrashed:
        thread.join()
    else:
        raise AssertionError(f"no crash: {result}")
    result, seconds = drive.edit("c.txt")
    _check(result.fresh, "the turn after the crash is not fresh")
    return f"crashed; next {seconds:.1f} s"


def _forget(drive: Drive) -> str:
    """Close the agent, as a restore does: the next request must not have the earlier turns."""
    drive.turn("say SECRET-WORD")
    drive.agent.close()
    before = len(drive.server.requests)
    drive.edit("d.txt")
    for request in drive.server.requests[before:]:
        _check(b"SECRET-WORD" not in request.raw, "the discarded text was sent")
    _check(
        any(b"the first message" in each.raw for each in drive.server.requests[before:]),
        "the transcript was not sent",
    )
    return "forgotten"


STEPS: dict[str, Callable[[Drive], str]] = {
    "edit": _edit,
    "second turn, ratio": _second,
    "permission denied": _deny,
    "model fails": _fail,
    "cancel": _cancel,
    "kill -9": _kill,
    "restore": _forget,
}


def main(words: list[str]) -> int:
    """Drive the agents that are named, or all; return the exit code."""
    if not INSTALLED.exists():
        sys.stderr.write("The agents are not installed: make test-agents\n")
        return 2
    failed = False
    for real in REAL_AGENTS:
        if words and not {real.name, f"{real.name}:{real.transport}"} & set(words):
            continue
        coder = ScriptedCoder()
        with tempfile.TemporaryDirectory() as place, ScriptedServer(coder) as server:
            drive = Drive(real, Path(place), server, coder)
            drive.run()
            coder.release.set()
        failed = failed or any(each.startswith("FAILED") for each in drive.cells.values())
        sys.stdout.write(f"{real.name} {real.version} over {real.transport}\n")
        for name, cell in drive.cells.items():
            sys.stdout.write(f"  {name:20} {cell}\n")
        sys.stdout.flush()
    return 1 if failed else 0


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
