"""What `holdfast acp` does with bad input, stray output, and the end of its input."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import ScriptedServer, call, hang, say
from tests.end_to_end.acp.editor import editor_of
from tests.end_to_end.run.project import COMMAND, Project
from tests.waiting import FOREVER, LONGEST, has_text, wait_until, wait_until_gone

pytestmark = pytest.mark.e2e
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}


def test_garbage_is_answered_with_errors_and_the_next_message_counts(project: Project) -> None:
    lines = [
        b"this is no JSON",
        b"",
        b"[1, 2]",
        b'{"id": [1], "result": {}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "no/such/method"}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "session/new", "params": {}}',
        b'{"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": [1]}',
        b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "none"}}',
        b"[" * 100_000,
        json.dumps(INITIALIZE).encode(),
        b'{"half',
    ]
    done = subprocess.run(
        [*COMMAND, "acp"],
        input=b"\n".join(lines),
        env=project.environment(),
        capture_output=True,
        check=False,
        timeout=LONGEST,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    errors = sorted((str(each["id"]), each["error"]["code"]) for each in answers if "error" in each)
    assert errors == [
        ("7", -32601),
        ("8", -32602),
        ("9", -32602),
        ("None", -32700),
        ("None", -32700),
        ("None", -32700),
        ("None", -32600),
        ("None", -32600),
    ]
    (answered,) = [each for each in answers if each["id"] == 1]
    assert answered["result"]["protocolVersion"] == 1
    assert done.returncode == 0


def test_what_is_printed_by_accident_goes_to_standard_error(project: Project) -> None:
    program = (
        "import os, subprocess, sys\n"
        "from holdfast.acp.stdio import claim_stdio\n"
        "received, sent = claim_stdio()\n"
        "print('from Python', flush=True)\n"
        "os.write(1, b'from the descriptor\\n')\n"
        "subprocess.run(['sh', '-c', 'echo from a child; cat'])\n"
        "sent.write(received.readline())\n"
    )
    done = subprocess.run(
        [*COMMAND[:1], "-c", program],
        input=b"the protocol\n",
        env=project.environment(),
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"the protocol\n"
    assert done.stderr == b"from Python\nfrom the descriptor\nfrom a child\n"


def test_the_end_of_the_input_ends_a_running_turn_and_its_processes(project: Project) -> None:
    pids = project.place / "pids"
    command = call("run_command", command=f"echo $$ > {pids.name}; {FOREVER}")

    async def scenario() -> None:
        with ScriptedServer([command]) as server:
            async with editor_of(
                project, server, "--approve", "auto", "--sandbox", "off"
            ) as editor:
                session = (await editor.new(project)).session_id
                turn = asyncio.create_task(editor.say(session, "Wait."))
                started = project.root / pids.name
                assert await asyncio.to_thread(wait_until, lambda: has_text(started))
                assert editor.process.stdin
                editor.process.stdin.close()
                await asyncio.wait([turn])
                turn.exception() if not turn.cancelled() else None

    asyncio.run(scenario())
    assert wait_until_gone(int((project.root / pids.name).read_text()))
    assert project.turns() == [("stopped", "cancelled")]


def test_a_signal_ends_it_as_the_end_of_the_input_does(project: Project) -> None:
    gate = threading.Event()
    with ScriptedServer([hang(gate, say("Late."))]) as server:
        with talking(project, server) as (process, ask):
            ask(INITIALIZE)
            cwd = str(project.root)
            params: dict[str, Any] = {"cwd": cwd, "mcpServers": []}
            new = ask({"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": params})
            params = {
                "sessionId": new["result"]["sessionId"],
                "prompt": [{"type": "text", "text": "Wait."}],
            }
            tell(process, {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params})
            assert wait_until(lambda: bool(server.requests))
            process.send_signal(signal.SIGTERM)
            assert process.wait(LONGEST) == 128 + signal.SIGTERM
        gate.set()
    assert project.turns() == [("stopped", "cancelled")]


@contextmanager
def talking(project: Project, server: ScriptedServer) -> Iterator[tuple[Any, Any]]:
    """Start `holdfast acp`; yield the process, and a function that sends a request and returns its answer."""
    process = subprocess.Popen(
        [*COMMAND, "acp", "--base-url", server.base_url, "--model", "scripted"],
        env=project.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )

    def ask(message: dict[str, Any]) -> dict[str, Any]:
        tell(process, message)
        assert process.stdout
        while True:
            answer: dict[str, Any] = json.loads(process.stdout.readline())
            if answer.get("id") == message["id"]:
                return answer

    with process:
        try:
            yield process, ask
        finally:
            process.kill()


def tell(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def test_a_file_as_the_input_is_read_to_its_end(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "input"
    file.write_text(json.dumps(INITIALIZE) + "\n")
    with file.open("rb") as received:
        done = subprocess.run(
            [*COMMAND, "acp"],
            stdin=received,
            env=project.environment(),
            capture_output=True,
            check=False,
            timeout=LONGEST,
        )
    assert done.returncode == 0
    assert json.loads(done.stdout)["result"]["agentInfo"]["name"] == "holdfast"
