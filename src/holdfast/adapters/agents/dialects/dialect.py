"""A dialect: what one line of an agent's output means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.adapters.agents.dialects.tool_arguments import describe_tool, plan_of
from holdfast.usecases.agents.ports import AgentUsage
from holdfast.vocab.agent_events import AgentCall, AgentNote
from holdfast.vocab.events import ReasoningArrived, TextArrived
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentStop, AgentUpdate

Value = Mapping[str, Any]
_LONGEST_NOTE = 2_000


@dataclass(frozen=True, slots=True)
class StatedEnd:
    """How the agent says that its turn has ended."""

    stop_reason: AgentStop
    message: str = ""


class Dialect:
    """Reads the output of one turn, line by line. A subclass knows the lines of one agent.

    `end` is how the agent says that the turn has ended; None as long as it has not said.
    `directory` is where the agent works: paths in it are told relative to it.
    `is_silent`: the agent never says, so that its exit code decides.
    """

    is_silent = False

    def __init__(self) -> None:
        self.directory = ""
        self.end: StatedEnd | None = None
        self.usage = AgentUsage()
        self._calls: dict[str, AgentCall] = {}
        self._plans: set[str] = set()

    def read(self, line: str) -> list[AgentUpdate]:
        """Return the updates of a line; a line that is not understood is a note."""
        if not line.strip():
            return []

        try:
            value = json.loads(line)
            if "\\ud" in line.lower():
                # Half of a surrogate pair is valid JSON, and nothing that can be stored as text.
                text = json.dumps(value, ensure_ascii=False)
                value = json.loads(text.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return list(self.read_text(line))

        if not isinstance(value, dict):
            return list(self.read_text(line))

        try:
            return list(self.read_value(value))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            # A known name with another content: a newer version of the agent.
            return [note(value)]

    def read_text(self, line: str) -> Iterator[AgentUpdate]:
        """Yield the updates of a line that is not a JSON object."""
        yield AgentNote("output", {"text": line[:_LONGEST_NOTE]})

    def read_value(self, value: Value) -> Iterator[AgentUpdate]:
        """Yield the updates of a line."""
        raise NotImplementedError

    def begin_call(self, call_id: str, tool: str, arguments: Any) -> AgentUpdate:
        """Return the update for a call of a tool: a plan, or a running call."""
        fields = arguments if isinstance(arguments, Mapping) else {}
        fields = {name: self.shorten(value) for name, value in fields.items()}
        plan = plan_of(tool, fields)
        if plan is not None:
            self._plans.add(call_id)
            return plan

        call = replace(describe_tool(call_id, tool, fields), status="running")
        self._calls[call_id] = call
        return call

    def end_call(self, call_id: str, text: str, *, failed: bool) -> Iterator[AgentUpdate]:
        """Yield the call with its result; nothing for a call that was a plan."""
        if call_id in self._plans:
            return
        call = self._calls.get(call_id, AgentCall(call_id, call_id))
        call = replace(call, status="failed" if failed else "done", text=text)
        self._calls[call_id] = call
        yield call

    def shorten(self, value: Any) -> Any:
        """Return a path in the directory relative to it; any other value as it is."""
        if self.directory and isinstance(value, str):
            return value.removeprefix(f"{self.directory}/")
        return value

    def find_call(self, call_id: str) -> AgentCall | None:
        """Return the state of a call, as far as the agent has told; None of an unknown call."""
        return self._calls.get(call_id)

    def end_open_calls(self) -> list[AgentUpdate]:
        """Return the calls that have no result at the end of the turn, as failed."""
        running = [call for call in self._calls.values() if call.status == "running"]
        return [replace(call, status="failed") for call in running]

    def fail(self, message: str) -> None:
        """Note that the turn has failed, with the agent's own word for it."""
        self.end = StatedEnd("failed", message)

    def add_usage(self, prompt: Any, completion: Any) -> None:
        """Add the tokens of a call of the model."""
        self.usage = AgentUsage(
            self.usage.prompt + int(prompt or 0), self.usage.completion + int(completion or 0)
        )


def say(text: Any) -> Iterator[AgentUpdate]:
    """Yield a piece of text, unless it is empty."""
    if text:
        yield TextArrived(str(text))


def think(text: Any) -> Iterator[AgentUpdate]:
    """Yield a piece of reasoning, unless it is empty."""
    if text:
        yield ReasoningArrived(str(text))


def note(value: Value) -> AgentNote:
    """Return a line as a note."""
    return AgentNote(str(value.get("type", "unknown")), value)


def join_texts(content: Any) -> str:
    r"""Return the texts of a content: a text, or a list of parts with texts.

    >>> join_texts([{"text": "a"}, {"type": "image"}, {"text": "b"}])
    'a\nb'
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [str(part["text"]) for part in content if isinstance(part, Mapping) and "text" in part]
    return "\n".join(texts)
