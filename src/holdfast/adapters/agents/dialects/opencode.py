"""The dialect of `opencode run --format json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.adapters.agents.dialects.dialect import Dialect, StatedEnd, Value, note, say, think
from holdfast.vocab.events import UsageReported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentStop, AgentUpdate

STOPS: dict[str, AgentStop] = {"length": "max_tokens", "content-filter": "refused"}


class OpencodeDialect(Dialect):
    """Lines of the types `text`, `reasoning`, `tool_use`, `step_finish` and `error`."""

    def read_value(self, value: Value) -> Iterator[AgentUpdate]:
        """Yield the updates of a line."""
        match value.get("type"):
            case "text":
                yield from say(value["part"]["text"])
            case "reasoning":
                yield from think(value["part"]["text"])
            case "tool_use":
                yield from self.read_tool(value["part"])
            case "step_finish":
                yield from self.read_step(value["part"])
            case "error":
                self.fail(error_message(value["error"]))
            case "step_start":
                return
            case _:
                yield note(value)

    def read_tool(self, part: Value) -> Iterator[AgentUpdate]:
        """Yield the state of a tool call."""
        state = part["state"]
        status = state["status"]
        begun = self.begin_call(part["callID"], part["tool"], state.get("input"))
        if status not in {"completed", "error"}:
            yield begun
            return

        if begun.kind == "plan":
            yield begun

        text = str(state.get("output") or state.get("error") or "")
        yield from self.end_call(part["callID"], text, failed=status == "error")

    def read_step(self, part: Value) -> Iterator[AgentUpdate]:
        """Note the end of a call of the model, its tokens and its reason; yield its context."""
        tokens = part.get("tokens") or {}
        cache = tokens.get("cache") or {}
        self.add_usage(tokens.get("input"), tokens.get("output"))
        counts = (tokens.get("input"), tokens.get("output"), cache.get("read"), cache.get("write"))
        context = sum(int(count or 0) for count in counts)
        if context:
            yield UsageReported(0, 0, context=context)

        reason = str(part.get("reason"))
        if reason != "tool-calls" and self.end is None:
            self.end = StatedEnd(STOPS.get(reason, "done"))


def error_message(error: Any) -> str:
    """Return what an error of opencode says.

    >>> error_message({"name": "APIError", "data": {"message": "no credit"}})
    'no credit'
    """
    data = error.get("data") or {}
    return str(data.get("message") or error.get("message") or error.get("name") or "error")
