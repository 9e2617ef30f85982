"""A git project and a scripted agent; most commands run in this process."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        wanted = f"HOLDFAST_STATE_DIR={self.state}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal() or int(folder.name) == os.getpid():
                continue
            try:
                variables = (folder / "environ").read_bytes().split(b"\0")
                if wanted in variables and any(v.startswith(b"_HOLDFAST_RUN=") for v in variables):
                    found.append((folder / "cmdline").read_bytes().decode())
            except OSError:
                continue
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
