"""The dialect of `pi -p --mode json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.agents.dialects.dialect import (
    Dialect,
    StatedEnd,
    Value,
    join_texts,
    note,
    say,
    think,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentUpdate

_SKIPPED = {"session", "agent_start", "turn_start", "turn_end", "message_start"}


class PiDialect(Dialect):
    """Lines about messages, the execution of tools, and the end of the agent."""

    def read_value(self, value: Value) -> Iterator[AgentUpdate]:
        """Yield the updates of a line."""
        match value.get("type"):
            case "message_update":
                event = value["assistantMessageEvent"]
                if event["type"] == "text_delta":
                    yield from say(event["delta"])
                elif event["type"] == "thinking_delta":
                    yield from think(event["delta"])
            case "message_end":
                self._read_end(value["message"])
            case "tool_execution_start":
                yield self.begin_call(value["toolCallId"], value["toolName"], value.get("args"))
            case "tool_execution_update":
                return
            case "tool_execution_end":
                text = join_texts((value.get("result") or {}).get("content"))
                failed = bool(value.get("isError"))
                yield from self.end_call(value["toolCallId"], text, failed=failed)
            case "agent_end":
                self.end = self.end or StatedEnd("done")
            case kind if kind in _SKIPPED:
                return
            case _:
                yield note(value)

    def _read_end(self, message: Value) -> None:
        """Note how a message of the model ended; pi exits with 0 also after an error."""
        if message["role"] != "assistant":
            return

        usage = message.get("usage") or {}
        self.add_usage(usage.get("input"), usage.get("output"))
        match message.get("stopReason"):
            case "error":
                self.fail(str(message.get("errorMessage", "error")))
            case "aborted":
                self.end = StatedEnd("cancelled")
            case "length":
                self.end = StatedEnd("max_tokens")
            case _:
                # An earlier message failed, and was asked for again.
                self.end = None
