"""The dialect of `cline --json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from holdfast.adapters.agents.dialects.dialect import Dialect, StatedEnd, Value, note, say, think

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentStop, AgentUpdate

_SKIPPED = {"iteration_start", "iteration_end", "usage", "content_update", "done"}
_STOPS: dict[str, AgentStop] = {
    "completed": "done",
    "aborted": "cancelled",
    "max_iterations": "cap",
}


class ClineDialect(Dialect):
    """Lines of the types `agent_event`, `hook_event` and `run_result`."""

    def read_value(self, value: Value) -> Iterator[AgentUpdate]:
        """Yield the updates of a line."""
        match value.get("type"):
            case "agent_event":
                yield from self._read_event(value["event"])
            case "run_result":
                self._read_result(value)
            case "hook_event":
                return
            case _:
                yield note(value)

    def _read_event(self, event: Value) -> Iterator[AgentUpdate]:
        match event["type"], event.get("contentType"):
            case "content_start", "text":
                yield from say(event["text"])
            case "content_start", "reasoning":
                yield from think(event.get("reasoning") or event.get("text"))
            case "content_start", "tool":
                yield self.begin_call(event["toolCallId"], event["toolName"], event.get("input"))
            case "content_end", "tool":
                yield from self._end_tool(event)
            case "content_end", _:
                # The whole of what came in pieces.
                return
            case kind, _ if kind in _SKIPPED:
                return
            case _:
                yield note(event)

    def _end_tool(self, event: Value) -> Iterator[AgentUpdate]:
        output = event.get("output")
        failed = bool(event.get("error"))
        if isinstance(output, list):
            failed = failed or any(each.get("success") is False for each in output)
            text = "\n".join(str(each.get("result") or each.get("error") or "") for each in output)
        else:
            text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)

        yield from self.end_call(
            event["toolCallId"], str(event.get("error") or text), failed=failed
        )

    def _read_result(self, value: Value) -> None:
        usage = value.get("usage") or {}
        self.add_usage(usage.get("inputTokens"), usage.get("outputTokens"))
        stop = _STOPS.get(str(value.get("finishReason")), "failed")
        self.end = StatedEnd(stop, "" if stop == "done" else str(value.get("text", "")))
