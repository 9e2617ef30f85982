"""The dialect of `claude -p --output-format stream-json`, which `qwen -o stream-json` shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.adapters.agents.dialects.dialect import (
    Dialect,
    StatedEnd,
    Value,
    join_texts,
    note,
    say,
    think,
)
from holdfast.vocab.events import UsageReported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentStop, AgentUpdate

_STOPS: dict[str, AgentStop] = {"max_tokens": "max_tokens", "refusal": "refused"}
_COUNTS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
"""What of a call's usage is in the context after it."""


class ClaudeDialect(Dialect):
    """Lines of the types `system`, `assistant`, `user`, `stream_event` and `result`."""

    def __init__(self) -> None:
        super().__init__()
        self._is_streamed = False
        self._context = 0

    def read_value(self, value: Value) -> Iterator[AgentUpdate]:
        """Yield the updates of a line."""
        match value.get("type"):
            case "assistant" | "user":
                yield from self._read_message(value)
            case "stream_event":
                yield from self._read_event(value)
            case "result":
                yield from self._read_result(value)
            case "system" if value.get("subtype") == "init":
                return
            case _:
                yield note(value)

    def _read_message(self, value: Value) -> Iterator[AgentUpdate]:
        content = value["message"]["content"]
        if not value.get("parent_tool_use_id"):
            self._context = _tokens_of(value["message"].get("usage")) or self._context

        # The prompt of a subagent is a text; what an agent says is a list.
        if isinstance(content, str):
            return
        for block in content:
            yield from self._read_block(block, value)

    def _read_block(self, block: Value, value: Value) -> Iterator[AgentUpdate]:
        # The words of a subagent are not the answer; nor is a text that came in pieces before.
        is_said = value["type"] == "assistant" and not value.get("parent_tool_use_id")
        is_said = is_said and not self._is_streamed
        match block.get("type"):
            case "text":
                if is_said:
                    yield from say(block["text"])
            case "thinking":
                if is_said:
                    yield from think(block["thinking"])
            case "tool_use":
                yield self.begin_call(block["id"], block["name"], block.get("input"))
            case "tool_result":
                text = join_texts(block.get("content"))
                failed = bool(block.get("is_error"))
                yield from self.end_call(block["tool_use_id"], text, failed=failed)
            case _:
                yield note(block)

    def _read_event(self, value: Value) -> Iterator[AgentUpdate]:
        event = value["event"]
        delta: dict[str, Any] = event.get("delta") or {}
        match delta.get("type"):
            case "text_delta" if not value.get("parent_tool_use_id"):
                self._is_streamed = True
                yield from say(delta["text"])
            case "thinking_delta" if not value.get("parent_tool_use_id"):
                self._is_streamed = True
                yield from think(delta["thinking"])
            case None if event.get("type") == "goal_state":
                yield note(event)

    def _read_result(self, value: Value) -> Iterator[AgentUpdate]:
        windows = [_number(used.get("contextWindow")) for used in _models_of(value)]
        if self._context:
            yield UsageReported(0, 0, context=self._context, window=max(windows, default=0) or None)

        usage = value.get("usage") or {}
        self.add_usage(usage.get("input_tokens"), usage.get("output_tokens"))
        subtype = str(value.get("subtype", ""))
        error = value.get("error")
        message = error.get("message") if isinstance(error, dict) else value.get("result")
        if subtype == "error_max_turns":
            self.end = StatedEnd("cap", "The agent has reached its own limit of turns.")
        # The subtype of a failed turn can be `success`.
        elif value.get("is_error") or subtype.startswith("error"):
            self.fail(str(message or subtype))
        else:
            self.end = StatedEnd(_STOPS.get(str(value.get("stop_reason")), "done"))


def _tokens_of(usage: Any) -> int:
    """Return how many tokens the usage of a message counts."""
    if not isinstance(usage, dict):
        return 0
    return sum(_number(usage.get(name)) for name in _COUNTS)


def _models_of(result: Value) -> list[Value]:
    """Return what the result of a turn says of each model that was used."""
    used = result.get("modelUsage")
    if not isinstance(used, dict):
        return []
    return [value for value in used.values() if isinstance(value, dict)]


def _number(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
