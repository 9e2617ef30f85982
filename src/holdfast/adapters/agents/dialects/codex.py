"""The dialect of `codex exec --json`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.agents.dialects.dialect import Dialect, StatedEnd, Value, note, say, think
from holdfast.vocab.agent_events import AgentCall, PlanEntry, PlanStated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentUpdate
    from holdfast.vocab.agent_events import AgentCallStatus

_STATES: dict[str, AgentCallStatus] = {
    "in_progress": "running",
    "completed": "done",
    "failed": "failed",
    "declined": "failed",
}
_SKIPPED = {"thread.started", "turn.started"}


class CodexDialect(Dialect):
    """Lines about a thread, a turn, and the items of the turn."""

    def read_value(self, value: Value) -> Iterator[AgentUpdate]:
        """Yield the updates of a line."""
        match value.get("type"):
            case "item.started" | "item.updated" | "item.completed":
                is_done = value["type"] == "item.completed"
                yield from self._read_item(value["item"], is_done=is_done)
            case "turn.completed":
                usage = value.get("usage") or {}
                self.add_usage(usage.get("input_tokens"), usage.get("output_tokens"))
                self.end = StatedEnd("done")
            case "turn.failed":
                self.fail(_message(value["error"].get("message", "")))
            case kind if kind in _SKIPPED:
                return
            case _:
                yield note(value)

    def _read_item(self, item: Value, *, is_done: bool) -> Iterator[AgentUpdate]:
        match item["type"]:
            case "agent_message":
                if is_done:
                    yield from say(item["text"])
            case "reasoning":
                if is_done:
                    yield from think(item["text"])
            case "todo_list":
                entries = [
                    PlanEntry(
                        str(each["text"]), "completed" if each.get("completed") else "pending"
                    )
                    for each in item["items"]
                ]
                yield PlanStated(tuple(entries))
            case "command_execution" | "file_change" | "mcp_tool_call" | "web_search":
                call = _call_of(item)
                call = replace(call, paths=tuple(map(self.shorten, call.paths)))
                default: AgentCallStatus = "done" if is_done else "running"
                yield replace(call, status=_STATES.get(str(item.get("status")), default))
            case _:
                yield note(item)


def _call_of(item: Value) -> AgentCall:
    """Return the call of an item, without its state."""
    match item["type"]:
        case "command_execution":
            text = str(item.get("aggregated_output", ""))
            return AgentCall(item["id"], str(item["command"]), "execute", text=text)
        case "file_change":
            paths = tuple(str(each["path"]) for each in item.get("changes", ()))
            return AgentCall(item["id"], f"Edit {', '.join(paths)}", "edit", paths=paths)
        case "mcp_tool_call":
            answer = item.get("error") or item.get("result")
            text = json.dumps(answer, ensure_ascii=False) if answer else ""
            return AgentCall(item["id"], f"{item.get('server')}: {item.get('tool')}", text=text)

    return AgentCall(item["id"], str(item.get("query", "search")), "search")


def _message(text: str) -> str:
    """Return the message of an error, which is often the whole body of the server's answer."""
    try:
        return str(json.loads(text)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return text
