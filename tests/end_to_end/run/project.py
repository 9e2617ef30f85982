"""A project, a scripted model, and `holdfast run` as a process of its own."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from holdfast.testing import ScriptedServer
from tests.waiting import LONGEST
from tests.warm_command import run_holdfast

CHECKOUT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "holdfast.cli.main"]
TEXT = "x = 1\ny = 2\n"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The lines of `--json`."""
        return events_of(self.out)

    @property
    def ended(self) -> dict[str, Any]:
        """The last line of `--json`."""
        last = self.events[-1]
        assert last["kind"] == "turn_ended"
        return last

    @property
    def session(self) -> str:
        """The session that the turn belongs to."""
        session = self.ended["session"]
        assert isinstance(session, str)
        return session


def events_of(out: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines()]
    assert all(event["v"] == 1 for event in events)
    return events


class Project:
    """A root with `a.py` in it, a state directory and a user's file, all of their own."""

    def __init__(self, place: Path, name: str = "root", *, git: bool = True) -> None:
        self.place = place
        self.root = place / name
        self.state = place / "state"
        self.user_file = place / "user.toml"
        self.home = place / "home"
        self.variables: dict[str, str] = {}
        self.root.mkdir()
        self.home.mkdir(exist_ok=True)
        self.write("a.py", TEXT)
        if git:
            subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def texts(self) -> dict[str, str]:
        """Give every file but git's own."""
        files = [
            path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts
        ]
        return {str(path.relative_to(self.root)): path.read_text() for path in files}

    def environment(self, **more: str) -> dict[str, str]:
        """Give what the process sees: nothing of whoever runs this test but the path."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("HOLDFAST_", "GIT_"))
        }
        own = {
            "HOLDFAST_STATE_DIR": str(self.state),
            "HOLDFAST_CONFIG_FILE": str(self.user_file),
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "NO_COLOR": "1",
        }
        return kept | own | self.variables | more

    def words(self, *words: str, server: ScriptedServer | None = None) -> list[str]:
        asked = [] if server is None else ["--base-url", server.base_url, "--model", "scripted"]
        return [*COMMAND, *words, "--root", str(self.root), *asked]

    def holdfast(
        self, *words: str, server: ScriptedServer | None = None, given: str = "", **more: str
    ) -> Ran:
        """Run a command to its end; without a terminal."""
        done = run_holdfast(
            self.words(*words, server=server)[len(COMMAND) :],
            given=given.encode(),
            env=self.environment(**more),
            cwd=self.place,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def run(self, *words: str, server: ScriptedServer | None, given: str = "", **more: str) -> Ran:
        """Run `holdfast run --json` to its end; without a terminal."""
        return self.holdfast("run", *words, "--json", server=server, given=given, **more)

    @contextmanager
    def running(
        self, *words: str, server: ScriptedServer | None, **more: str
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run `holdfast run --json`; when this is left, it is killed if need be."""
        process = subprocess.Popen(
            self.words("run", *words, "--json", server=server),
            env=self.environment(**more),
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with process:
            try:
                yield process
            finally:
                process.kill()

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read the store as anybody can who has the file."""
        with closing(sqlite3.connect(self.state / "holdfast.sqlite3")) as store:
            return store.execute(sql, values).fetchall()

    def transcript(self, session: str) -> list[tuple[str, str, dict[str, Any]]]:
        """Give role, kind and body of every part of a session's messages, in order."""
        rows = self.query(
            "select m.role, p.kind, coalesce(e.body, p.body) from messages m"
            " join message_parts p on p.message_id = m.id left join events e on e.part_id = p.id"
            " join chats c on c.id = m.chat_id where c.session_id = ? and m.left_with is null order by m.seq, p.seq",
            session,
        )
        return [(role, kind, json.loads(body)) for role, kind, body in rows]

    def turns(self) -> list[tuple[str, str | None]]:
        """Give status and stop reason of every turn, in order."""
        return [
            (row[0], row[1])
            for row in self.query("select status, stop_reason from turns order by started_at")
        ]


def read_until(stream: IO[bytes] | None, kind: str) -> list[dict[str, Any]]:
    """Read lines of `--json` until there is one of a kind."""
    assert stream is not None
    events: list[dict[str, Any]] = []
    while not events or events[-1]["kind"] != kind:
        line = stream.readline()
        assert line, events
        events.append(json.loads(line))
    return events


def finish(process: subprocess.Popen[bytes]) -> Ran:
    """Wait for the end, and give the rest of what was printed."""
    out, err = process.communicate(timeout=LONGEST)
    return Ran(process.returncode, out.decode(), err.decode())
