"""A git project and a scripted agent; most commands run in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.changes.change_json import plan_from_json
from holdfast.testing import ScriptedAgent
from tests.end_to_end.run.in_process import QuickProject
from tests.end_to_end.run.project import Ran, read_until

GIT = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid"]


@dataclass(frozen=True, slots=True)
class RunningAgent:
    """The process of a turn, its session and its checkpoint."""

    process: subprocess.Popen[bytes]
    session: str
    checkpoint: str


class AgentProject(QuickProject):
    """A project with one commit, and an agent `scripted` in the user's file."""

    def __init__(self, place: Path, name: str = "root", *, git: bool = True) -> None:
        super().__init__(place, name, git=git)
        self.configure(ScriptedAgent())
        if git:
            self.git("add", "-A")
            self.git("commit", "-qm", "one")

    def configure(self, agent: ScriptedAgent, **settings: object) -> None:
        """Write the user's file."""
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        words = json.dumps(list(agent.command))
        self.user_file.write_text("\n".join(["[agents.scripted]", f"command = {words}", *lines]))

    def use_transport(self, transport: str, **settings: object) -> None:
        """Let the agent `scripted` be reached so: a stand-in for opencode's server, or `claude -p`."""
        command = list(ScriptedAgent().command)
        if transport == "server":
            command = [sys.executable, "-m", "holdfast.testing.scripted_opencode"]
        if transport == "oneshot":
            # What it prints is known by the name of its program.
            program = self.place / "claude"
            program.write_text(
                f'#!/bin/sh\nexec {sys.executable} -m holdfast.testing.scripted_oneshot "$@"\n'
            )
            program.chmod(0o755)
            command = [str(program), "-p"]
        lines = {"command": command, "transport": transport, **settings}
        text = "\n".join(f"{name} = {json.dumps(value)}" for name, value in lines.items())
        self.user_file.write_text(f"[agents.scripted]\n{text}\n")

    def equals_its_record(self, session: str, base: dict[str, str]) -> None:
        """Assert that the worktree has the base with the recorded changes, and nothing else."""
        recorded: dict[str, str | None] = dict(base)
        query = "select files from changes where session_id = ? and state = 'applied' order by seq"
        for (files,) in self.query(query, session):
            for swap in plan_from_json(json.loads(files)).swaps:
                recorded[swap.path] = swap.after.data.decode() if swap.after else None
        there = {name: text for name, text in recorded.items() if text is not None}
        assert self.files(session) == there

    def git(self, *words: str) -> str:
        command = [*GIT, "-C", str(self.root), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def agent(self, *lines: str, words: tuple[str, ...] = ()) -> Ran:
        """Run a turn of the scripted agent to its end, in this process."""
        return self.run("\n".join(lines), "--agent", "scripted", *words, server=None)

    def go_on(self, session: str, *lines: str, words: tuple[str, ...] = ()) -> Ran:
        """Go on with a session, by its id alone."""
        return self.run("\n".join(lines), "--continue", session, *words, server=None)

    @contextmanager
    def agent_at_work(self, *lines: str, words: tuple[str, ...] = ()) -> Iterator[RunningAgent]:
        """Run a turn in a process of its own, which is killed if need be when this is left."""
        prompt = ["run", "\n".join(lines), "--agent", "scripted", "--json", *words]
        process = subprocess.Popen(
            self.words(*prompt),
            env=self.environment(),
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with process:
            try:
                begun = read_until(process.stdout, "checkpoint_taken")
                yield RunningAgent(process, begun[0]["session"], begun[-1]["checkpoint_id"])
            finally:
                process.kill()

    def worktree(self, session: str) -> Path:
        return self.state / "worktrees" / session

    def made_worktrees(self) -> list[Path]:
        """Return the worktrees of all sessions."""
        return [path.parent for path in self.state.glob("worktrees/*/.git")]

    def at_worktree(self, session: str, *words: str) -> dict[str, Any]:
        """Run a command at the worktree of a session, and return its JSON."""
        ran = self.plain_command(*words, "--json", "--root", str(self.worktree(session)))
        assert ran.code == 0, (ran.out, ran.err)
        told: dict[str, Any] = json.loads(ran.out)
        return told

    def files(self, session: str) -> dict[str, str]:
        """Return the files of the worktree of a session."""
        return files_below(self.worktree(session))

    def agent_states(self) -> list[tuple[str, int]]:
        """Return the status and the generation of every agent session."""
        rows = self.query("select status, generation from agent_sessions order by created_at")
        return [(str(status), int(generation)) for status, generation in rows]

    def marked(self) -> list[str]:
        """Return the command lines of the processes that agents of this project have left."""
        return marked_below(self.state)


def marked_below(state: Path) -> list[str]:
    """Return the command lines of the marked processes of a state directory."""
    found = []
    for pid in marked_pids(state):
        with suppress(OSError):
            found.append(Path(f"/proc/{pid}/cmdline").read_bytes().decode())
    return found


def marked_pids(state: Path) -> list[int]:
    """Return the processes that agents have started with this state directory."""
    wanted = f"HOLDFAST_STATE_DIR={state}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        with suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if wanted in variables and any(v.startswith(b"_HOLDFAST_RUN=") for v in variables):
                found.append(int(folder.name))
    return found


def files_below(root: Path) -> dict[str, str]:
    """Return every file but git's own."""
    files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(root)): path.read_text() for path in files if path.name != ".git"}


def kinds(ran: Ran) -> list[str]:
    return [event["kind"] for event in ran.events]


def text_of(ran: Ran) -> str:
    return "".join(event["text"] for event in ran.events if event["kind"] == "text")


def states(ran: Ran) -> list[tuple[str, bool]]:
    """Return the states of the agent, and whether it was fresh."""
    found = [event for event in ran.events if event["kind"] == "agent_state"]
    return [(event["status"], event["fresh"]) for event in found]
