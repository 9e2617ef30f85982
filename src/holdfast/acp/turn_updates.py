"""The events of a turn as updates of the protocol."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast, get_args

from acp import (
    plan_entry,
    start_tool_call,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
    update_user_message_text,
)
from acp.schema import PlanEntryStatus, ToolCallLocation

from holdfast.usecases.repair.descriptions import OUTCOME_WORDS
from holdfast.vocab.agent_events import PlanStated
from holdfast.vocab.change_events import EditLanded, EditObserved
from holdfast.vocab.events import (
    CallEnded,
    CallStarted,
    CheckpointMissed,
    CheckpointTaken,
    ReasoningArrived,
    RepairEnded,
    Retried,
    Said,
    SentinelRaised,
    StepStarted,
    TextArrived,
    TurnEnded,
    TurnStarted,
)
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from acp.helpers import SessionUpdate, ToolCallContentVariant
    from acp.schema import AgentMessageChunk, AgentThoughtChunk, ToolKind
    from acp.schema import PlanEntry as AcpPlanEntry

    from holdfast.acp.file_diffs import FileDiffs
    from holdfast.vocab.agent_events import PlanEntry
    from holdfast.vocab.events import Event
    from holdfast.vocab.tool_calls import ToolCall

_KINDS: Mapping[str, ToolKind] = {
    "read_file": "read",
    "list_dir": "search",
    "find_files": "search",
    "search": "search",
    "edit_file": "edit",
    "write_file": "edit",
    "write_patch": "edit",
    "apply_edits": "edit",
    "run_command": "execute",
}
_SUBJECTS = ("path", "command", "pattern", "query")
"""The arguments that say what a call is about, the first that is there."""
_TITLE = 120
_HUNK = lazy_pattern(r"^@@ -\d+(?:,\d+)? \+(\d+)", re.MULTILINE)


class TurnUpdates:
    """What a client sees of one turn.

    With `settled`, text comes from what the model said in the end, as in a turn that is over;
    without, it is streamed. `current_call` is the tool call that runs.
    """

    def __init__(self, diffs: FileDiffs, *, settled: bool = False) -> None:
        """Begin before the first event of a turn."""
        self._diffs = diffs
        self._settled = settled
        self._turn = ""
        self._messages = 0
        self._calls = 0
        self._streamed = False
        self._content: list[ToolCallContentVariant] = []
        self._locations: list[ToolCallLocation] = []
        self._call_id = ""
        self.current_call: str | None = None
        self.checkpoint: str | None = None

    def of(self, event: Event) -> list[SessionUpdate]:
        """Return what the client is told of an event; nothing for most kinds."""
        match event:
            case TurnStarted() | CheckpointTaken() | CheckpointMissed() | TurnEnded():
                return self._of_turn(event)
            case CallStarted() | CallEnded() | EditLanded() | EditObserved():
                return self._of_tool(event)
            case _:
                return self._of_model(event)

    def _of_turn(
        self, event: TurnStarted | CheckpointTaken | CheckpointMissed | TurnEnded
    ) -> list[SessionUpdate]:
        match event:
            case TurnStarted():
                self._turn = event.turn
                if self._settled and event.prompt:
                    return [update_user_message_text(event.prompt)]
            case CheckpointTaken():
                self.checkpoint = event.checkpoint_id
            case CheckpointMissed():
                return [self._own_message(f"No checkpoint before this turn: {event.message}")]
            case TurnEnded() if event.stop_reason != "done" or event.unresolved:
                return [self._own_message(event.message)]
            case _:
                pass

        return []

    def _of_model(self, event: Event) -> list[SessionUpdate]:
        match event:
            case StepStarted():
                self._messages += 1
                self._streamed = False
                return []
            case TextArrived() | ReasoningArrived():
                return self._streamed_chunk(event)
            case Said():
                return self._said(event)
            case Retried():
                return [self._thought(f"\n(retrying: {event.reason})\n")]
            case _:
                return self._of_guard(event)

    def _streamed_chunk(self, event: TextArrived | ReasoningArrived) -> list[SessionUpdate]:
        if self._settled or not event.text:
            return []
        if isinstance(event, ReasoningArrived):
            return [self._thought(event.text)]
        self._streamed = True
        return [self._text(event.text)]

    def _of_guard(self, event: Event) -> list[SessionUpdate]:
        match event:
            case SentinelRaised():
                sentinel = event.sentinel
                meta = {"sentinel": sentinel.kind, "body": dict(sentinel.body)}
                return [self._own_message(sentinel.text, meta)]
            case RepairEnded() if event.outcome != "FirstTrySuccess":
                about = OUTCOME_WORDS.get(event.outcome, "was not repaired")
                text = f"Check: {event.path or 'the project'}: {about}\n{event.message}"
                return [self._own_message(text)]
            case PlanStated():
                return [update_plan(map(_entry, event.entries))]
            case _:
                pass

        return []

    def _said(self, said: Said) -> list[SessionUpdate]:
        """Return what was not streamed of what the model said."""
        if self._settled:
            self._messages += 1

        updates: list[SessionUpdate] = []
        if self._settled and said.reasoning:
            updates.append(self._thought(said.reasoning))

        if said.text and not self._streamed:
            updates.append(self._text(said.text))

        return updates

    # -------------------------------------------------------------------------------------- tools

    def _of_tool(
        self, event: CallStarted | CallEnded | EditLanded | EditObserved
    ) -> list[SessionUpdate]:
        match event:
            case CallStarted():
                return [self._start(event.call)]
            case CallEnded():
                return self._end(event)
            case _:
                return self._edit(event)

    def _start(self, call: ToolCall) -> SessionUpdate:
        paths = [call.arguments.get("path")]
        self._locations = [_location(self._diffs.root, path) for path in paths if path]
        return self._begin_call(call.id, call.name, dict(call.arguments))

    def _begin_call(self, call_id: str, name: str, arguments: dict[str, Any]) -> SessionUpdate:
        self._calls += 1
        # Not the model's own id: some models use one id for every call.
        self.current_call = f"{self._turn}-{self._calls}"
        self._call_id = call_id
        self._content = []
        return start_tool_call(
            self.current_call,
            _title(name, arguments),
            kind=_KINDS.get(name, "other"),
            status="in_progress",
            locations=self._locations or None,
            raw_input=arguments,
        )

    def _end(self, event: CallEnded) -> list[SessionUpdate]:
        updates: list[SessionUpdate] = []
        if self.current_call is None or event.call_id != self._call_id:
            # A call that was refused before it ran.
            self._locations = []
            updates.append(self._begin_call(event.call_id, event.name, {}))

        known = {location.path for location in self._locations}
        for path in (*event.read, *event.modified):
            location = _location(self._diffs.root, path)
            if location.path not in known:
                known.add(location.path)
                self._locations.append(location)

        updates.append(
            update_tool_call(
                self.current_call or "",
                status="failed" if event.failure is not None else "completed",
                content=[*self._content, tool_content(text_block(event.text))],
                locations=self._locations or None,
            )
        )
        self.current_call = None
        return updates

    def _edit(self, event: EditLanded | EditObserved) -> list[SessionUpdate]:
        content = self._diffs.of(event)
        at = _HUNK.search(event.diff)
        line = None
        if at is not None:
            line = int(at.group(1))

        location = _location(self._diffs.root, event.to or event.path, line)
        if self.current_call is not None:
            self._content += content
            self._locations = [each for each in self._locations if each.path != location.path] + [
                location
            ]
            return [
                update_tool_call(
                    self.current_call, content=self._content, locations=self._locations
                )
            ]

        # Found after the call that caused it: by a command that went on, a repair, or others.
        self._calls += 1
        call = start_tool_call(
            f"{self._turn}-{self._calls}",
            f"{event.action} {event.path}",
            kind="edit",
            status="completed",
            content=content,
            locations=[location],
        )
        return [call]

    # ----------------------------------------------------------------------------------- messages

    def _text(self, text: str) -> AgentMessageChunk:
        chunk = update_agent_message_text(text)
        chunk.message_id = self._message_id()
        return chunk

    def _thought(self, text: str) -> AgentThoughtChunk:
        chunk = update_agent_thought_text(text)
        chunk.message_id = f"{self._message_id()}-thought"
        return chunk

    def _own_message(self, text: str, meta: Mapping[str, Any] | None = None) -> AgentMessageChunk:
        """Return a message that no other chunk belongs to."""
        self._messages += 1
        # Clients that do not know message ids join chunks: the blank lines keep it apart.
        chunk = update_agent_message_text(f"\n\n{text.strip()}\n\n")
        chunk.message_id = self._message_id()
        if meta is not None:
            chunk.field_meta = {"holdfast": dict(meta)}

        self._messages += 1
        return chunk

    def _message_id(self) -> str:
        return f"{self._turn}-m{self._messages}"


def _title(name: str, arguments: Mapping[str, Any]) -> str:
    for subject in _SUBJECTS:
        value = arguments.get(subject)
        if isinstance(value, str) and value:
            return f"{name} {' '.join(value.split())}"[:_TITLE]
    return name


def _location(root: Path, path: str, line: int | None = None) -> ToolCallLocation:
    return ToolCallLocation(path=str(root / path), line=line)


def _entry(entry: PlanEntry) -> AcpPlanEntry:
    status: PlanEntryStatus = "pending"
    if entry.status in get_args(PlanEntryStatus):
        status = cast("PlanEntryStatus", entry.status)
    return plan_entry(entry.text, status=status)
