"""What an ACP agent reports, as our events.

The bodies are read leniently: an agent that is newer than we are must not lose its report for a
word that we do not know.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.changes.diff import diff_of
from holdfast.changes.swaps import Content
from holdfast.usecases.agents.ports import AgentUsage, PermissionRequest
from holdfast.vocab.agent_events import AgentCall, AgentNote, PlanEntry, PlanStated
from holdfast.vocab.events import ReasoningArrived, TextArrived, UsageReported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.usecases.agents.ports import AgentUpdate
    from holdfast.vocab.agent_events import AgentCallStatus

_STATUS: dict[str, AgentCallStatus] = {
    "pending": "pending",
    "in_progress": "running",
    "completed": "done",
    "failed": "failed",
}
_CHUNKS: dict[str, type[TextArrived | ReasoningArrived]] = {
    "agent_message_chunk": TextArrived,
    "agent_thought_chunk": ReasoningArrived,
}
_LONGEST_OUTPUT = 50_000
"""Characters of a tool's output that an event has."""
_LONGEST_DIFF = 400_000
"""Characters of two texts for which a diff is made; it takes time."""


class AcpUpdates:
    """Translates the updates of one session. It knows the state of each tool call so far."""

    def __init__(self, directory: str) -> None:
        """Set the directory of the session; paths in it are shortened."""
        self._directory = directory
        self._calls: dict[str, AgentCall] = {}

    def translate(self, body: Mapping[str, Any]) -> AgentUpdate | None:
        """Return the event for the body of a `session/update`; None if it says nothing new."""
        kind = str(body.get("sessionUpdate", "unknown"))
        if kind in _CHUNKS:
            return _CHUNKS[kind](_text_of(body.get("content")))

        match kind:
            case "tool_call" | "tool_call_update" if isinstance(body.get("toolCallId"), str):
                return self._merge(body)
            case "plan" if isinstance(body.get("entries"), list):
                return PlanStated(tuple(map(_plan_entry, body["entries"])))
            case "usage_update" if isinstance(body.get("used"), int):
                window = _number(body.get("size")) or None
                return UsageReported(0, 0, context=body["used"], window=window)
            case "user_message_chunk":
                # Our own prompt.
                return None

        rest = {name: value for name, value in body.items() if name != "sessionUpdate"}
        return AgentNote(kind, rest)

    def permission(self, body: Mapping[str, Any]) -> tuple[AgentCall | None, PermissionRequest]:
        """Return the event of the call that an agent asks about, if it is new, and the question.

        qwen and gemini report a call nowhere else.
        """
        call = body if isinstance(body.get("toolCallId"), str) else {**body, "toolCallId": "?"}
        event = self._merge(call)
        state = self._calls[call["toolCallId"]]
        return event, PermissionRequest(state, _command_of(call.get("rawInput")))

    def end_open_calls(self) -> list[AgentCall]:
        """Return the calls that have not ended, as failed, and forget all calls."""
        opened = [call for call in self._calls.values() if call.status in {"pending", "running"}]
        self._calls.clear()
        return [replace(call, status="failed") for call in opened]

    def forget_calls(self) -> None:
        """Forget the calls: the turn has ended."""
        self._calls.clear()

    def _merge(self, body: Mapping[str, Any]) -> AgentCall | None:
        """Return the whole state of a call with what is new in `body`; None if nothing is."""
        call_id = body["toolCallId"]
        before = self._calls.get(call_id)
        call = before or AgentCall(call_id, str(body.get("title") or call_id))
        if body.get("title"):
            call = replace(call, title=str(body["title"]))

        if body.get("kind"):
            call = replace(call, tool_kind=str(body["kind"]))

        if body.get("status") in _STATUS:
            call = replace(call, status=_STATUS[body["status"]])

        if isinstance(body.get("locations"), list):
            places = [place for place in body["locations"] if isinstance(place, dict)]
            paths = dict.fromkeys(self._short(str(place.get("path", ""))) for place in places)
            call = replace(call, paths=tuple(paths))

        if isinstance(body.get("content"), list):
            call = self._with_content(call, body["content"])
        elif isinstance(body.get("rawOutput"), str) and not call.text:
            call = replace(call, text=_shortened(body["rawOutput"]))

        self._calls[call_id] = call
        return None if call == before else call

    def _with_content(self, call: AgentCall, content: list[Any]) -> AgentCall:
        items = [item for item in content if isinstance(item, dict)]
        diffs = [item for item in items if item.get("type") == "diff"]
        texts = [_text_of(item.get("content")) for item in items if item.get("type") == "content"]
        edited = dict.fromkeys(self._short(str(item.get("path", ""))) for item in diffs)
        return replace(
            call,
            text=_shortened("\n".join(texts)) if texts else call.text,
            diff="".join(map(self._diff, diffs)) if diffs else call.diff,
            paths=call.paths or tuple(edited),
        )

    def _diff(self, item: Mapping[str, Any]) -> str:
        path = self._short(str(item.get("path", "")))
        old, new = item.get("oldText"), str(item.get("newText") or "")
        if len(old or "") + len(new) > _LONGEST_DIFF:
            return f"--- a/{path}\n+++ b/{path}\n(too long to show)\n"

        before = None if old is None else Content(str(old).encode("utf-8", "surrogatepass"))
        after = Content(new.encode("utf-8", "surrogatepass"))
        return diff_of(path, path, before, after)

    def _short(self, path: str) -> str:
        """Return a path in the worktree relative to it."""
        if not path.startswith(self._directory + os.sep):
            return path
        return path[len(self._directory) + 1 :]


def usage_of(body: Mapping[str, Any]) -> AgentUsage:
    """Return the tokens that the result of a prompt counts; gemini has them in `_meta.quota`."""
    usage = body.get("usage")
    if isinstance(usage, dict):
        return AgentUsage(_number(usage.get("inputTokens")), _number(usage.get("outputTokens")))

    counted: Any = body.get("_meta")
    for name in ("quota", "token_count"):
        counted = counted.get(name) if isinstance(counted, dict) else None

    if isinstance(counted, dict):
        return AgentUsage(
            _number(counted.get("input_tokens")), _number(counted.get("output_tokens"))
        )

    return AgentUsage()


def _number(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _text_of(content: Any) -> str:
    """Return a content block as text; a block that is no text by its kind and name."""
    if not isinstance(content, dict):
        return ""
    if isinstance(content.get("text"), str):
        return str(content["text"])

    resource = content.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):
        return str(resource["text"])

    name = content.get("name") or content.get("uri") or ""
    return f"[{content.get('type', 'content')} {name}]".replace(" ]", "]")


def _plan_entry(entry: Any) -> PlanEntry:
    if not isinstance(entry, dict):
        return PlanEntry(str(entry))
    return PlanEntry(str(entry.get("content", "")), str(entry.get("status", "pending")))


def _command_of(arguments: Any) -> str | None:
    """Return the command line among the arguments of a tool, as the agents name it."""
    if not isinstance(arguments, dict):
        return None
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, list):
        return shlex.join(map(str, command))
    return str(command) if command else None


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST_OUTPUT:
        return text
    half = _LONGEST_OUTPUT // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n… ({left_out} characters left out) …\n{text[-half:]}"
