"""`holdfast serve` as a command: one line, one token, an end by a signal, and what a kill leaves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from holdfast.testing import ScriptedServer, call, hang, say
from tests.waiting import LONGEST, wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


@pytest.fixture
def script(gate: threading.Event) -> Any:
    def answer(request: Any) -> Any:
        words = str(request.messages[-1].get("content")).strip().splitlines()[-1]
        if words == "hang":
            return hang(gate, say("Late."))
        if words == "edit":
            return call("edit_file", path="a.py", old="x = 1\n", new="x = 2\n")
        return say("Done.")

    return answer


class Served:
    """The process of a server, and a client of it."""

    def __init__(self, root: Path, *words: str) -> None:
        command = [sys.executable, "-m", "holdfast.cli.main", "serve", "--no-open"]
        self.process = subprocess.Popen(
            [*command, "--root", str(root), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)\n", self.line)
        assert found, (self.line, self.process.communicate())
        self.token = found[2]
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{found[1]}/api",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=LONGEST,
            trust_env=False,
        )

    def session_with_a_turn(self) -> str:
        session = str(self.client.post("/sessions", json={"mode": "auto"}).json()["id"])
        self.send(session, "hang")
        assert wait_until(lambda: self.session(session)["state"] == "running")
        return session

    def send(self, session: str, text: str) -> None:
        body = {"text": text}
        self.client.post(f"/sessions/{session}/messages", json=body).raise_for_status()

    def session(self, session: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/sessions/{session}").json()
        return found

    def has_ended(self, session: str, *, turns: int) -> bool:
        found = self.session(session)
        return (found["turns"], found["state"]) == (turns, "done")


@contextmanager
def served(root: Path, *words: str) -> Iterator[Served]:
    server = Served(root, *words)
    try:
        yield server
    finally:
        server.client.close()
        server.process.kill()
        server.process.communicate()


@pytest.mark.waits
def test_one_line_is_printed_and_a_signal_ends_the_server_with_its_turns_interrupted(
    root: Path, model: ScriptedServer, gate: threading.Event
) -> None:
    with served(root) as server:
        session = server.session_with_a_turn()
        assert wait_until(lambda: len(model.requests) == 1)
        server.process.send_signal(signal.SIGTERM)
        out, err = server.process.communicate(timeout=LONGEST)
        assert (server.process.returncode, out) == (0, "")
        assert server.token not in err
    gate.set()
    with served(root) as again:
        assert again.token != server.token
        found = again.session(session)
        assert (found["state"], found["stop_reason"], found["can_continue"]) == (
            "stopped",
            "interrupted",
            True,
        )


def test_after_a_kill_the_next_start_marks_the_turn_and_it_is_continued(
    root: Path, model: ScriptedServer, gate: threading.Event
) -> None:
    with served(root) as server:
        session = server.session_with_a_turn()
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    gate.set()
    with served(root) as again:
        found = again.session(session)
        assert (found["state"], found["last_turn"]) == ("stopped", "interrupted")
        answer = again.client.post(f"/sessions/{session}/continue")
        assert answer.status_code == 202, answer.text
        assert wait_until(lambda: again.session(session)["state"] == "done")


def test_a_rejection_that_waits_survives_a_kill_and_the_model_is_told_its_reason(
    root: Path, model: ScriptedServer, gate: threading.Event
) -> None:
    with served(root) as server:
        session = str(server.client.post("/sessions", json={"mode": "auto"}).json()["id"])
        server.send(session, "edit")
        assert wait_until(lambda: server.has_ended(session, turns=1))
        (change,) = server.client.get(f"/sessions/{session}/changes").json()["changes"]
        server.send(session, "hang")
        assert wait_until(lambda: server.session(session)["state"] == "running")
        body = {"reason": "one is enough"}
        told = server.client.post(f"/changes/{change['id']}/reject", json=body).json()
        assert told["outcome"] == "waits"
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    assert (root / "a.py").read_text() == "x = 2\n"
    gate.set()
    with served(root) as again:
        assert wait_until(lambda: (root / "a.py").read_text() == "x = 1\n")
        again.send(session, "go on")
        assert wait_until(lambda: again.has_ended(session, turns=3))
    assert "rejected the edits of a.py, and says: one is enough" in str(model.requests[-1])


def test_another_interface_needs_a_token_file_and_says_what_that_means(
    root: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "holdfast.cli.main", "serve", "--no-open", "--root", str(root)]
    ran = subprocess.run(
        [*command, "--host", "0.0.0.0"],  # noqa: S104 - it is refused
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    told = " ".join(re.sub(r"[│╭╮╰╯─]", " ", ran.stderr).split())
    assert "can read this project and run commands as you" in told
    assert "--token-file" in told


def test_a_token_of_a_file_is_used(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdefghij\n")
    file.chmod(0o600)
    with served(root, "--token-file", str(file)) as server:
        assert server.token == "0123456789abcdefghij"
        assert server.client.get("/health").status_code == 200
