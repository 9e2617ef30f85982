"""What the events of an opencode server mean."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from holdfast.adapters.agents.dialects.opencode import STOPS, OpencodeDialect, error_message
from holdfast.usecases.agents.ports import AgentTurnResult, PermissionRequest
from holdfast.vocab.agent_events import AgentCall, AgentNote
from holdfast.vocab.events import ReasoningArrived, TextArrived

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.usecases.agents.ports import AgentUpdate

_SKIPPED = {
    "message.part.removed", "message.removed", "permission.replied", "session.created",
    "session.diff", "session.error", "session.idle", "session.status", "session.updated",
    "todo.updated",
}  # fmt: skip


class OpencodeEvents:
    """The messages of a session. Only those that the running turn has made count."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._dialect = OpencodeDialect()
        self._roles: dict[str, str] = {}
        self._old: frozenset[str] = frozenset()
        self._sent: dict[str, int] = {}
        self._kinds: dict[str, str] = {}
        self._complete: dict[str, asyncio.Event] = {}

    def begin_turn(self) -> None:
        """Ignore all messages so far: an event of an aborted turn can come late."""
        self._old |= self._roles.keys()
        self._dialect = OpencodeDialect()
        self._dialect.directory = self._directory
        self._sent.clear()
        self._complete.clear()

    @property
    def dialect(self) -> OpencodeDialect:
        """The calls and the tokens of the running turn."""
        return self._dialect

    def end_open_calls(self) -> list[AgentUpdate]:
        """Return the calls that have no result, as failed."""
        return self._dialect.end_open_calls()

    async def until_complete(self, message: str) -> None:
        """Wait until the event came that says that this message is complete."""
        await self._complete.setdefault(message, asyncio.Event()).wait()

    def read(self, kind: str, properties: Mapping[str, Any]) -> list[AgentUpdate]:
        """Return the updates of an event of this session."""
        try:
            return list(self._read(kind, properties))
        except (KeyError, TypeError, ValueError, AttributeError):
            # A known name with another content: a newer version of opencode.
            return [AgentNote(kind, properties)]

    def _read(self, kind: str, properties: Mapping[str, Any]) -> Iterator[AgentUpdate]:
        match kind:
            case "message.updated":
                info = properties["info"]
                self._roles[info["id"]] = info["role"]
                if (info.get("time") or {}).get("completed"):
                    self._complete.setdefault(info["id"], asyncio.Event()).set()
            case "message.part.updated":
                part = properties["part"]
                if self._is_ours(part["messageID"]):
                    yield from self._read_part(part)
            case "message.part.delta":
                if self._is_ours(properties["messageID"]) and properties.get("field") == "text":
                    part_id, delta = properties["partID"], properties["delta"]
                    self._sent[part_id] = self._sent.get(part_id, 0) + len(delta)
                    yield from _told(self._kinds.get(part_id, "text"), delta)
            case name if name in _SKIPPED:
                return
            case _:
                yield AgentNote(kind, properties)

    def _is_ours(self, message: str) -> bool:
        return self._roles.get(message) == "assistant" and message not in self._old

    def _read_part(self, part: Mapping[str, Any]) -> Iterator[AgentUpdate]:
        match part["type"]:
            case "text" | "reasoning" as kind:
                self._kinds[part["id"]] = kind
                # The whole text so far, of which a part was sent before.
                new = part["text"][self._sent.get(part["id"], 0) :]
                self._sent[part["id"]] = len(part["text"])
                yield from _told(kind, new)
            case "tool":
                if part["state"]["status"] != "pending":
                    yield from self._dialect.read_tool(part)
            case "step-finish":
                yield from self._dialect.read_step(part)
            case "step-start" | "snapshot" | "patch" | "compaction":
                return
            case kind:
                yield AgentNote(str(kind), part)


def turn_result(
    info: Mapping[str, Any], events: OpencodeEvents, *, cancelled: bool
) -> AgentTurnResult:
    """Return how a turn ended, by its last message: status 200 can have an error."""
    usage = events.dialect.usage
    if cancelled:
        return AgentTurnResult("cancelled", cancelled=True, usage=usage)

    error = info.get("error")
    if error:
        if error.get("name") == "MessageOutputLengthError":
            return AgentTurnResult("max_tokens", usage=usage, message=error_message(error))
        return AgentTurnResult("failed", usage=usage, message=error_message(error))

    return AgentTurnResult(STOPS.get(str(info.get("finish")), "done"), usage=usage)


def permission_of(properties: Mapping[str, Any], events: OpencodeEvents) -> PermissionRequest:
    """Return what a permission request asks."""
    tool = properties.get("tool") or {}
    metadata = properties.get("metadata") or {}
    patterns = tuple(map(str, properties.get("patterns") or ()))
    kind = str(properties.get("permission", "other"))
    command = None
    if kind == "bash":
        command = str(metadata.get("command") or " ".join(patterns))

    call = events.dialect.find_call(str(tool.get("callID", properties["id"])))
    if call is None:
        path = events.dialect.shorten(metadata.get("filepath"))
        call = AgentCall(
            str(tool.get("callID", properties["id"])),
            command or f"{kind} {' '.join(patterns)}".strip(),
            tool_kind="execute" if kind == "bash" else kind,
            paths=(str(path),) if path else (),
            diff=str(metadata.get("diff", "")),
        )

    return PermissionRequest(call, command)


def _told(kind: str, text: str) -> Iterator[AgentUpdate]:
    if not text:
        return
    if kind == "reasoning":
        yield ReasoningArrived(text)
    else:
        yield TextArrived(text)
