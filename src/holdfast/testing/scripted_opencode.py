"""A scripted opencode: the routes of `opencode serve` that Holdfast uses; the prompt is its script.

`python -m holdfast.testing.scripted_opencode [--hostname H] [--port N]` prints where it listens. It
wants the password of `OPENCODE_SERVER_PASSWORD`. After an abort `session.idle` is sent twice, as
opencode does.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import os
import queue
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.testing.agent_script import ScriptedEnd, ScriptedMemory, ScriptedTurn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.testing.agent_script import ScriptedCall

_STATES = {"in_progress": "running", "completed": "completed", "failed": "error"}
_SESSION = "ses_1"
_DONE = True


class _Opencode:
    """The state of the server: one session, its listeners, its open permission requests."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)
        self.listeners: list[queue.SimpleQueue[bytes]] = []
        self.permissions: dict[str, queue.SimpleQueue[str]] = {}
        self.memory = ScriptedMemory()
        self.turn: ScriptedTurn | None = None

    def publish(self, kind: str, **properties: Any) -> None:
        body = {"type": kind, "properties": {"sessionID": _SESSION, **properties}}
        self.send_raw(b"data: " + json.dumps(body).encode() + b"\n\n")

    def send_raw(self, data: bytes) -> None:
        for listener in self.listeners:
            listener.put(data)

    def run(self, text: str) -> dict[str, Any]:
        """Run a turn; return the last message, as the answer to the request that began the turn."""
        user, assistant = f"msg_{next(self.numbers)}", f"msg_{next(self.numbers)}"
        self.publish("message.updated", info={"id": user, "role": "user", "time": {"created": 1}})
        part = {"type": "text", "text": text, "messageID": user, "id": f"prt_{next(self.numbers)}"}
        self.publish("message.part.updated", part=part)
        info: dict[str, Any] = {"id": assistant, "parentID": user, "role": "assistant"}
        self.publish("message.updated", info={**info, "time": {"created": 1}})
        turn = ScriptedTurn(text, Path.cwd(), _EventVoice(self, assistant), self.memory)
        self.turn = turn
        try:
            end = turn.run()
        except (OSError, ValueError) as error:
            end = ScriptedEnd(error=str(error), code=1)

        self.turn = None
        prompt, completion = self.memory.tokens
        tokens = {"input": prompt, "output": completion, "reasoning": 0}
        finish = {"end_turn": "stop", "max_tokens": "length", "refusal": "content-filter"}
        reason = finish.get(end.stop, "stop")
        if end.error:
            info["error"] = {"name": "APIError", "data": {"message": end.error}}
        elif end.stop == "cancelled":
            info["error"] = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
            self.publish("session.idle")
        else:
            info["finish"] = reason
            step = {"type": "step-finish", "reason": reason, "tokens": tokens}
            step |= {"messageID": assistant, "id": f"prt_{next(self.numbers)}"}
            self.publish("message.part.updated", part=step)

        info |= {"time": {"created": 1, "completed": 2}, "tokens": tokens}
        self.publish("message.updated", info=info)
        self.publish("session.idle")
        return {"info": info, "parts": []}


class _EventVoice:
    """The notation of opencode's events (port `Voice`)."""

    def __init__(self, server: _Opencode, message: str) -> None:
        self._server = server
        self._message = message
        self._parts = itertools.count(1)

    def say(self, text: str) -> None:
        self._tell("text", text)

    def think(self, text: str) -> None:
        self._tell("reasoning", text)

    def report(self, call: ScriptedCall) -> None:
        state: dict[str, Any] = {"status": _STATES.get(call.status, "pending"), "input": {}}
        if call.status != "pending":
            state["input"] = _input_of(call)

        if call.status == "completed":
            state["output"] = call.output

        if call.status == "failed":
            state["error"] = call.output or "failed"

        tool = "write" if call.path else "bash"
        self._part(f"tool_{call.id}", type="tool", tool=tool, callID=call.id, state=state)

    def plan(self, entries: Sequence[str]) -> None:
        todos = [{"content": entry, "status": "pending"} for entry in entries]
        state = {"status": "completed", "input": {"todos": todos}, "output": ""}
        self._part("plan", type="tool", tool="todowrite", callID="plan", state=state)

    def fill_context(self, used: int, size: int) -> None:  # noqa: ARG002 - opencode does not say the size
        tokens = {"input": used, "output": 0, "reasoning": 0}
        self._part("step", type="step-finish", reason="tool-calls", tokens=tokens)

    def ask(self, call: ScriptedCall) -> bool:
        identity = f"per_{next(self._server.numbers)}"
        answer = self._server.permissions[identity] = queue.SimpleQueue()
        metadata = {"filepath": call.path} if call.path else {"command": call.command}
        self._server.publish(
            "permission.asked",
            id=identity,
            permission="edit" if call.path else "bash",
            patterns=[call.path or call.command],
            metadata=metadata,
            tool={"messageID": self._message, "callID": call.id},
        )
        return answer.get() in {"once", "always"}

    def unknown(self) -> None:
        self._server.publish("mood.updated", mood="cheerful")

    def send_raw(self, data: bytes) -> None:
        self._server.send_raw(
            b"data: " + data.rstrip(b"\n").replace(b"\n", b"\n\ndata: ") + b"\n\n"
        )

    def _tell(self, kind: str, text: str) -> None:
        part = f"prt_{self._message}_{next(self._parts)}"
        self._part(part, type=kind, text="")
        names = {"messageID": self._message, "partID": part, "field": "text"}
        self._server.publish("message.part.delta", **names, delta=text)
        self._part(part, type=kind, text=text)

    def _part(self, part: str, **fields: Any) -> None:
        body = {"id": part, "messageID": self._message, **fields}
        self._server.publish("message.part.updated", part=body)


def _input_of(call: ScriptedCall) -> dict[str, str]:
    if call.path:
        return {"filePath": call.path, "content": call.new}
    return {"command": call.command}


class _Handler(BaseHTTPRequestHandler):
    server_state: _Opencode
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's signature
        """Log nothing."""

    def do_GET(self) -> None:
        if not self._is_allowed():
            return
        if self.path != "/event":
            self._send(404, {"error": "not found"})
            return

        listener: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.server_state.listeners.append(listener)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b'data: {"type": "server.connected", "properties": {}}\n\n')
        while True:
            self.wfile.write(listener.get())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if not self._is_allowed():
            return

        state = self.server_state
        match self.path.strip("/").split("/"):
            case ["session"]:
                self._send(200, {"id": _SESSION, "directory": str(Path.cwd()), **body})
            case ["session", _, "message"]:
                text = "\n".join(part["text"] for part in body["parts"])
                self._send(200, state.run(text))
            case ["session", _, "abort"]:
                if state.turn is not None:
                    state.turn.cancelled.set()
                self._send(200, _DONE)
            case ["permission", identity, "reply"]:
                state.permissions.pop(identity).put(body["reply"])
                self._send(200, _DONE)
            case _:
                self._send(404, {"error": "not found"})

    def _is_allowed(self) -> bool:
        password = os.environ.get("OPENCODE_SERVER_PASSWORD", "")
        wanted = "Basic " + base64.b64encode(f"opencode:{password}".encode()).decode()
        if self.headers.get("authorization") == wanted:
            return True
        self._send(401, {"error": "no password"})
        return False

    def _send(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main(arguments: list[str] | None = None) -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(prog="python -m holdfast.testing.scripted_opencode")
    parser.add_argument("--hostname", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    _Handler.server_state = _Opencode()
    server = ThreadingHTTPServer((options.hostname, options.port), _Handler)
    server.daemon_threads = True
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    sys.stdout.write(f"opencode server listening on http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
