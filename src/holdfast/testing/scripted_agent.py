"""A scripted agent: an ACP agent in a process of its own, which does what the prompt says.

`python -m holdfast.testing.scripted_agent [--fault FAULT]` speaks JSON-RPC on its standard input
and output. It is written without the SDK, so that it can send what no SDK would.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from holdfast.testing.agent_script import ScriptedEnd, ScriptedMemory, ScriptedTurn
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.testing.agent_script import ScriptedCall

AgentFault: TypeAlias = Literal["none", "exit", "deaf", "login", "session"]
"""What goes wrong at the start: the process ends; `initialize` gets no answer; `session/new` wants
a login; `session/new` fails."""

_MODES = ("ask", "auto")


@dataclass(frozen=True, slots=True)
class ScriptedAgent:
    """The command that starts a scripted agent."""

    fault: AgentFault = "none"

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the command."""
        fault = () if self.fault == "none" else ("--fault", self.fault)
        return (sys.executable, "-m", "holdfast.testing.scripted_agent", *fault)


class _Session:
    """A conversation: its directory, and what the agent remembers of it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.memory = ScriptedMemory()
        self.mode = "ask"
        self.turn: ScriptedTurn | None = None


class _Agent:
    """The agent's side of the protocol. Each prompt is acted on in a thread of its own."""

    def __init__(self, fault: AgentFault) -> None:
        self._fault = fault
        self._sessions: dict[str, _Session] = {}
        self._lock = threading.Lock()
        self._answers: dict[str, tuple[threading.Event, list[Any]]] = {}

    @property
    def stubborn(self) -> bool:
        return any(session.memory.stubborn for session in self._sessions.values())

    def serve(self) -> None:
        """Read messages until the input ends."""
        if self._fault == "exit":
            sys.stderr.write("scripted agent: no settings were found\n")
            sys.exit(3)

        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "method" not in message:
                self._take_answer(message)
            elif "id" in message:
                self._take_request(message["id"], message["method"], message["params"])
            elif message["method"] == "session/cancel":
                self._cancel(message["params"]["sessionId"])

        while self.stubborn:
            time.sleep(60)

    def send(self, **fields: Any) -> None:
        """Write one message."""
        self.send_raw(json.dumps({"jsonrpc": "2.0", **fields}).encode() + b"\n")

    def send_raw(self, data: bytes) -> None:
        """Write bytes to the output."""
        with self._lock:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request and wait for the answer; return its result, None for an error."""
        id_ = f"agent-{len(self._answers)}"
        arrived, answer = self._answers[id_] = (threading.Event(), [])
        self.send(id=id_, method=method, params=params)
        arrived.wait()
        return answer[0].get("result")

    def _take_answer(self, message: dict[str, Any]) -> None:
        arrived, answer = self._answers[message["id"]]
        answer.append(message)
        arrived.set()

    def _take_request(self, id_: Any, method: str, params: dict[str, Any]) -> None:
        if method == "initialize":
            if self._fault == "deaf":
                return
            capabilities = {"loadSession": True, "promptCapabilities": {"embeddedContext": True}}
            self.send(id=id_, result={"protocolVersion": 1, "agentCapabilities": capabilities})
        elif method == "session/new":
            self._open(id_, params)
        elif method == "session/set_mode":
            self._sessions[params["sessionId"]].mode = params["modeId"]
            self.send(id=id_, result={})
        elif method == "session/prompt":
            thread = threading.Thread(target=self._act, args=(id_, params), daemon=True)
            thread.start()
        else:
            error = {"code": -32601, "message": "Method not found", "data": {"method": method}}
            self.send(id=id_, error=error)

    def _open(self, id_: Any, params: dict[str, Any]) -> None:
        if self._fault == "login":
            self.send(id=id_, error={"code": -32000, "message": "Authentication required"})
            return
        if self._fault == "session":
            self.send(id=id_, error={"code": -32603, "message": "no model is configured"})
            return

        name = f"session-{len(self._sessions) + 1}"
        self._sessions[name] = _Session(Path(params["cwd"]))
        modes = [{"id": mode, "name": mode.title()} for mode in _MODES]
        state = {"currentModeId": "ask", "availableModes": modes}
        self.send(id=id_, result={"sessionId": name, "modes": state})

    def _act(self, id_: Any, params: dict[str, Any]) -> None:
        session = self._sessions[params["sessionId"]]
        text = "\n".join(block["text"] for block in params["prompt"] if block["type"] == "text")
        voice = _AcpVoice(self, params["sessionId"])
        turn = ScriptedTurn(text, session.directory, voice, session.memory, session.mode)
        session.turn = turn
        try:
            end = turn.run()
        except (OSError, ValueError) as error:
            end = ScriptedEnd(error=str(error), code=-32603)

        if end.error:
            self.send(id=id_, error={"code": end.code, "message": end.error})
            return

        prompt, completion = session.memory.tokens
        usage = {
            "inputTokens": prompt,
            "outputTokens": completion,
            "totalTokens": prompt + completion,
        }
        self.send(id=id_, result={"stopReason": end.stop, "usage": usage})

    def _cancel(self, name: str) -> None:
        turn = self._sessions[name].turn
        if turn is not None:
            turn.cancelled.set()


class _AcpVoice:
    """The notation of ACP (port `Voice`)."""

    def __init__(self, agent: _Agent, session: str) -> None:
        self._agent = agent
        self._session = session

    def say(self, text: str) -> None:
        self._update("agent_message_chunk", content={"type": "text", "text": text})

    def think(self, text: str) -> None:
        self._update("agent_thought_chunk", content={"type": "text", "text": text})

    def report(self, call: ScriptedCall) -> None:
        if call.status == "pending":
            self._update("tool_call", **_whole(call))
            return

        # As agents do, an update has only what is new.
        body = _whole(call)
        new = ("toolCallId", "status", "content")
        self._update("tool_call_update", **{key: body[key] for key in new if key in body})

    def plan(self, entries: Sequence[str]) -> None:
        states = ["in_progress", *["pending"] * len(entries)]
        body = [
            {"content": entry, "priority": "medium", "status": state}
            for entry, state in zip(entries, states, strict=False)
        ]
        self._update("plan", entries=body)

    def fill_context(self, used: int, size: int) -> None:
        self._update("usage_update", used=used, size=size)

    def ask(self, call: ScriptedCall) -> bool:
        options = [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        params = {"sessionId": self._session, "toolCall": _whole(call), "options": options}
        answer = self._agent.request("session/request_permission", params)
        return bool(answer) and answer["outcome"].get("optionId") in {"yes", "always"}

    def unknown(self) -> None:
        self._update("mood_update", mood="cheerful")
        self._agent.send(method="_vendor/news", params={"headline": "none"})
        refused = self._agent.request("_vendor/ask", {"question": "none"})
        self.say(f"The answer is {refused}.\n")

    def send_raw(self, data: bytes) -> None:
        self._agent.send_raw(data)

    def _update(self, kind: str, /, **fields: Any) -> None:
        body = {"sessionUpdate": kind, **fields}
        params = {"sessionId": self._session, "update": body}
        self._agent.send(method="session/update", params=params)


def _whole(call: ScriptedCall) -> dict[str, Any]:
    """Return a tool call as ACP has it."""
    content: list[dict[str, Any]] = []
    body: dict[str, Any] = {
        "toolCallId": call.id,
        "title": call.title,
        "kind": call.kind,
        "status": call.status,
    }
    if call.path:
        body["locations"] = [{"path": call.path}]
        content.append(
            {"type": "diff", "path": call.path, "oldText": call.old, "newText": call.new}
        )

    if call.command:
        body["rawInput"] = {"command": call.command}

    if call.output:
        content.append({"type": "content", "content": {"type": "text", "text": call.output}})

    if content:
        body["content"] = content

    return body


def main(arguments: list[str] | None = None) -> None:
    """Serve one client on the standard input and output."""
    parser = argparse.ArgumentParser(prog="python -m holdfast.testing.scripted_agent")
    parser.add_argument("--fault", choices=get_args(AgentFault), default="none")
    agent = _Agent(parser.parse_args(arguments).fault)

    def end(number: int, _frame: object) -> None:
        if not agent.stubborn:
            os._exit(128 + number)

    signal.signal(signal.SIGTERM, end)
    agent.serve()


if __name__ == "__main__":
    main()
