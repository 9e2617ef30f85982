"""A scripted one-shot agent: one turn, told by the prompt, in the notation of `claude -p`.

`python -m holdfast.testing.scripted_oneshot [-p] [PROMPT]` prints JSON lines as `claude -p
--output-format stream-json` does; without a prompt it reads its standard input. Other options are
ignored. Nobody can be asked: what needs a permission is denied, unless
`--dangerously-skip-permissions` is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.testing.agent_script import ScriptedEnd, ScriptedMemory, ScriptedTurn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.testing.agent_script import ScriptedCall

_SESSION = "00000000-0000-4000-8000-000000000001"


class _LineVoice:
    """The notation of `claude -p --output-format stream-json` (port `Voice`)."""

    def __init__(self, *, permits: bool) -> None:
        self._permits = permits
        self.said = ""
        self.context: tuple[int, int] | None = None
        self.denied: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        self.said += text
        self._tell({"type": "text", "text": text})

    def think(self, text: str) -> None:
        self._tell({"type": "thinking", "thinking": text, "signature": ""})

    def report(self, call: ScriptedCall) -> None:
        if call.status == "pending":
            self._tell(_tool_use(call))
        elif call.status in {"completed", "failed"}:
            result = {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": call.output or "done",
                "is_error": call.status == "failed",
            }
            self.send(type="user", message={"role": "user", "content": [result]})

    def plan(self, entries: Sequence[str]) -> None:
        todos = [{"content": entry, "status": "pending", "activeForm": entry} for entry in entries]
        body = {"type": "tool_use", "id": "plan", "name": "TodoWrite", "input": {"todos": todos}}
        self._tell(body)

    def fill_context(self, used: int, size: int) -> None:
        self.context = (used, size)
        message = {"role": "assistant", "content": [], "usage": {"input_tokens": used}}
        self.send(type="assistant", message=message)

    def ask(self, call: ScriptedCall) -> bool:
        tool = _tool_use(call)
        self._tell(tool)
        if not self._permits:
            denied = {"tool_name": tool["name"], "tool_use_id": call.id}
            self.denied.append({**denied, "tool_input": tool["input"]})
        return self._permits

    def unknown(self) -> None:
        self.send(type="mood", mood="cheerful")

    def send_raw(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def send(self, **fields: Any) -> None:
        self.send_raw(json.dumps({**fields, "session_id": _SESSION}).encode() + b"\n")

    def _tell(self, block: dict[str, Any]) -> None:
        message = {"role": "assistant", "content": [block]}
        self.send(type="assistant", message=message)


def _tool_use(call: ScriptedCall) -> dict[str, Any]:
    body = {"type": "tool_use", "id": call.id}
    if call.path:
        return {**body, "name": "Write", "input": {"file_path": call.path, "content": call.new}}
    return {**body, "name": "Bash", "input": {"command": call.command}}


def main(arguments: list[str] | None = None) -> int:
    """Run the one turn; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m holdfast.testing.scripted_oneshot")
    parser.add_argument("prompt", nargs="?")
    parser.add_argument("-p", "--print", action="store_true")
    parser.add_argument("--output-format")
    parser.add_argument("--dangerously-skip-permissions", action="store_true")
    options, _ = parser.parse_known_args(arguments)
    prompt = options.prompt if options.prompt is not None else sys.stdin.read()
    voice = _LineVoice(permits=options.dangerously_skip_permissions)
    voice.send(type="system", subtype="init", cwd=str(Path.cwd()), model="scripted", tools=[])
    memory = ScriptedMemory()
    try:
        end = ScriptedTurn(prompt, Path.cwd(), voice, memory).run()
    except (OSError, ValueError) as error:
        end = ScriptedEnd(error=str(error), code=1)

    prompt_tokens, completion_tokens = memory.tokens
    window = voice.context[1] if voice.context else 0
    voice.send(
        type="result",
        # As claude does: the subtype says success although there was an error.
        subtype="error_max_turns" if end.stop == "max_turn_requests" else "success",
        is_error=bool(end.error),
        result=end.error or voice.said,
        stop_reason=end.stop,
        permission_denials=voice.denied,
        usage={"input_tokens": prompt_tokens, "output_tokens": completion_tokens},
        modelUsage={"scripted": {"contextWindow": window}},
    )
    return 1 if end.error else 0


if __name__ == "__main__":
    sys.exit(main())
