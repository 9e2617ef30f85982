"""Drive real agents against the scripted model, in the sandbox, and print a table of what worked and how long it took.

`python -m tests.real_agents [NAME] [NAME:TRANSPORT] …`; exit code 1 if anything failed. All but the
two turns of a warm agent goes through the command `holdfast`, in a process of its own.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from holdfast.config.settings import Settings
from holdfast.testing import ScriptedServer
from holdfast.vocab.events import CheckpointTaken, Event, TurnEnded, TurnStarted
from holdfast.wiring.agents.requests import AgentTurnRequest
from holdfast.wiring.agents.turns import run_agent_turn_at
from holdfast.wiring.agents.warm import close_agents
from holdfast.wiring.settings import settings_at
from tests.end_to_end.agents.agent_project import files_below, marked_below, marked_pids
from tests.end_to_end.run.project import Project, Ran, finish, read_until
from tests.real_agents.agents import INSTALLED, REAL_AGENTS, RealAgent
from tests.real_agents.scripted_coder import ScriptedCoder
from tests.waiting import wait_until

_LONGEST = 300.0
_QUIET = float(os.environ.get("HOLDFAST_TEST_QUIET_SECONDS", "2"))
_AUTO = ("--approve", "auto")


class Drive(Project):
    """One agent in the worktree of a session, through all steps. `cells` has what each showed."""

    def __init__(self, real: RealAgent, place: Path, server: ScriptedServer, coder: ScriptedCoder):
        super().__init__(place)
        self.real = real
        self.server = server
        self.coder = coder
        real.put_on_path(place / "programs")
        self.variables["PATH"] = f"{place / 'programs'}:{os.environ['PATH']}"
        self.user_file.write_text(real.settings(self.home, server.origin), encoding="utf-8")
        for words in (("add", "-A"), ("commit", "-qm", "one")):
            identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
            subprocess.run(["git", *identity, "-C", str(self.root), *words], check=True)
        self.session = ""
        self.first = 0.0
        self.checkpoint = ""
        self.cells: dict[str, str] = {}

    def drive(self) -> None:
        """Run every step; only a first turn that fails keeps the others from running."""
        for name, step in STEPS.items():
            if self.cells and not self.session:
                break
            try:
                self.cells[name] = step(self)
            except Exception as error:  # noqa: BLE001 - it goes into the table
                self.cells[name] = f"FAILED: {type(error).__name__}: {error}"[:1500]
        close_agents()

    @property
    def worktree(self) -> Path:
        return self.state / "worktrees" / self.session

    def turn(self, task: str) -> tuple[list[Event], float]:
        """Run a turn in this process, in which the agent stays warm."""
        for name, value in self.environment().items():
            os.environ[name] = value
        settings = settings_at(self.root, {"approve": "auto"})
        _check(isinstance(settings, Settings), str(settings))
        events: list[Event] = []
        request = AgentTurnRequest(
            _prompt(task), self.real.name, session=self.session or None, place="default"
        )
        begun = time.monotonic()
        ended = run_agent_turn_at(
            self.root,
            settings,  # type: ignore[arg-type]
            request,
            show=lambda event, _: events.append(event),
            say=lambda _: None,
            asker=None,
            cancel=threading.Event(),
        )
        seconds = time.monotonic() - begun
        assert isinstance(ended, TurnEnded), ended
        _check(ended.stop_reason == "done", f"{ended.stop_reason}: {ended.message}")
        return events, seconds

    def go_on(self, task: str, *words: str) -> Ran:
        """Run a turn of the session by the command."""
        return self.run(_prompt(task), "--continue", self.session, *words, server=None)

    def edit(self, name: str) -> float:
        begun = time.monotonic()
        ran = self.go_on(f"write {name} hello {name}", *_AUTO)
        seconds = time.monotonic() - begun
        _check(ran.code == 0, f"exit code {ran.code}: {ran.ended['message']}")
        _check(ran.ended["files"] == [name], f"the turn changed {ran.ended['files']}")
        text = (self.worktree / name).read_text(encoding="utf-8")
        _check(text == f"hello {name}\n", f"the file has {text!r}")
        return seconds

    @contextmanager
    def at_work(self, task: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a turn of the session in the background until the model is asked."""
        self.coder.waiting.clear()
        with self.running(
            _prompt(task), "--continue", self.session, *words, server=None
        ) as process:
            yield process

    def tell(self, *words: str) -> dict[str, Any]:
        """Run a command at the worktree, and return its JSON."""
        done = subprocess.run(
            [sys.executable, "-m", "holdfast.cli.main", *words, "--json", "--root", self.worktree],
            env=self.environment(),
            check=False,
            capture_output=True,
        )
        _check(done.returncode == 0, done.stdout.decode() + done.stderr.decode())
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def marked(self) -> list[str]:
        return marked_below(self.state)


def _edit(drive: Drive) -> str:
    events, drive.first = drive.turn("write a.txt DISCARDED-WORD")
    (started,) = [event for event in events if isinstance(event, TurnStarted)]
    (taken,) = [event for event in events if isinstance(event, CheckpointTaken)]
    drive.session, drive.checkpoint = started.session, taken.checkpoint_id
    _check(files_below(drive.worktree).keys() == {"a.py", "a.txt"}, "another tree")
    _check(not (drive.root / "a.txt").exists(), "it wrote to the project")
    return f"{drive.first:.1f} s, sandbox {started.sandbox}"


def _second(drive: Drive) -> str:
    _, seconds = drive.turn("write b.txt DISCARDED-TOO")
    return f"{seconds:.1f} s = {seconds / drive.first:.2f}"


def _restore(drive: Drive) -> str:
    """Restore to before turn 1 while the agent is warm and idle in this process; undo it."""
    after, said = files_below(drive.worktree), drive.transcript(drive.session)
    told = drive.tell("checkpoint", "restore", drive.checkpoint)
    until = time.monotonic() + _QUIET
    while time.monotonic() < until:
        _check(files_below(drive.worktree).keys() == {"a.py"}, "the tree is not the checkpoint's")
        time.sleep(0.05)
    is_warm = drive.real.transport != "oneshot"
    _check(told["backend_reset"] == is_warm, f"backend_reset is {told['backend_reset']}")
    _check(told["messages_deleted"] == 3, f"messages_deleted is {told['messages_deleted']}")
    _check(wait_until(lambda: not drive.marked(), _LONGEST), f"left: {drive.marked()}")
    roles = [role for role, _, _ in drive.transcript(drive.session)]
    _check(roles == ["user"], f"the transcript has {roles}")
    drive.tell("checkpoint", "undo")
    _check(files_below(drive.worktree) == after, "undo: another tree")
    _check(drive.transcript(drive.session) == said, "undo: another transcript")
    drive.tell("checkpoint", "restore", drive.checkpoint)
    before = len(drive.server.requests)
    seconds = drive.edit("c.txt")
    for request in drive.server.requests[before:]:
        _check(b"DISCARDED" not in request.raw, "the discarded text was sent")
    _check(len(drive.server.requests) > before, "no request")
    return f"exact, undone, forgotten; next {seconds:.1f} s"


def _deny(drive: Drive) -> str:
    if not drive.real.asks:
        return "asks nobody"
    with drive.at_work("run touch denied.txt", "--wait-for-approval") as process:
        asked = read_until(process.stdout, "approval_asked")[-1]
        given = drive.holdfast("approvals", "answer", asked["approval_id"], "deny")
        _check(given.code == 0, given.err)
        ran = finish(process)
    _check(not (drive.worktree / "denied.txt").exists(), "it ran all the same")
    return f"{asked['what']} denied, {ran.ended['stop_reason']}"


def _fail(drive: Drive) -> str:
    ran = drive.go_on("fail 400", *_AUTO)
    _check((ran.code, ran.ended["stop_reason"]) == (1, "failed"), f"{ran.code}: {ran.ended}")
    return "failed"


def _cancel(drive: Drive) -> str:
    with drive.at_work("wait") as process, ThreadPoolExecutor(1) as reader:
        reading = reader.submit(finish, process)
        _check(drive.coder.waiting.wait(_LONGEST), "the model was not asked")
        begun = time.monotonic()
        told = drive.holdfast("cancel", drive.session)
        _check(told.code == 0, told.err)
        ran = reading.result()
    _check((ran.code, ran.ended["stop_reason"]) == (130, "cancelled"), f"{ran.code}: {ran.ended}")
    return f"{time.monotonic() - begun:.1f} s"


def _kill(drive: Drive) -> str:
    with drive.at_work("wait") as process, ThreadPoolExecutor(1) as reader:
        reading = reader.submit(finish, process)
        _check(drive.coder.waiting.wait(_LONGEST), "the model was not asked")
        for pid in marked_pids(drive.state):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        ran = reading.result()
    _check((ran.code, ran.ended["stop_reason"]) == (1, "failed"), f"{ran.code}: {ran.ended}")
    return f"failed; next {drive.edit('d.txt'):.1f} s"


def _kill_holdfast(drive: Drive) -> str:
    with drive.at_work("wait") as process:
        _check(drive.coder.waiting.wait(_LONGEST), "the model was not asked")
        process.kill()
        process.wait()
    _check(wait_until(lambda: not drive.marked(), _LONGEST), f"left: {drive.marked()}")
    return f"none left; next {drive.edit('e.txt'):.1f} s"


def _outside(drive: Drive) -> str:
    """Let the agent write to the user's checkout, to another branch and to Holdfast's state."""
    git = drive.root / ".git"
    targets = (drive.root / "out.txt", git / "refs/heads/out", drive.state / "out.txt")
    drive.go_on("run " + "; ".join(f"echo out > {target}" for target in targets), *_AUTO)
    for target in targets:
        _check(not target.exists(), f"it wrote {target}")
    return "not written"


def _nothing_left(drive: Drive) -> str:
    close_agents()
    _check(wait_until(lambda: not drive.marked(), _LONGEST), f"left: {drive.marked()}")
    return "yes"


STEPS: dict[str, Callable[[Drive], str]] = {
    "edit in a worktree": _edit,
    "second turn, ratio": _second,
    "restore, undo": _restore,
    "permission denied": _deny,
    "model fails": _fail,
    "cancel": _cancel,
    "kill -9 of the agent": _kill,
    "kill -9 of Holdfast": _kill_holdfast,
    "write outside": _outside,
    "no process left": _nothing_left,
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
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            coder = ScriptedCoder(Path(place, "state", "worktrees"))
            with ScriptedServer(coder) as server:
                drive = Drive(real, Path(place), server, coder)
                drive.drive()
                coder.release.set()
        failed = failed or any(each.startswith("FAILED") for each in drive.cells.values())
        sys.stdout.write(f"{real.name} {real.version} over {real.transport}\n")
        for name, cell in drive.cells.items():
            sys.stdout.write(f"  {name:20} {cell}\n")
        sys.stdout.flush()
    return 1 if failed else 0


def _prompt(task: str) -> str:
    return f"Please do this task.\nHOLDFAST-TASK {task}"


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
