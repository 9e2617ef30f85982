"""Events of an external agent: its tool calls, its plan, its state, and what we do not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

AgentCallStatus: TypeAlias = Literal["pending", "running", "done", "failed"]
Transport: TypeAlias = Literal["acp", "server", "oneshot"]
AgentStatus: TypeAlias = Literal["starting", "warm", "busy", "crashed", "closed"]


@dataclass(frozen=True, slots=True)
class AgentCall:
    """The whole state of a tool call of an agent; a later one with the same `call_id` replaces it.

    `tool_kind` is the agent's word for the kind of tool, such as `edit`; `text` is what the tool
    answered, `diff` the change as the agent reports it.
    """

    call_id: str
    title: str
    tool_kind: str = "other"
    status: AgentCallStatus = "pending"
    paths: tuple[str, ...] = ()
    text: str = ""
    diff: str = ""
    kind: Literal["agent_call"] = "agent_call"


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """A step of a plan; `status` is the agent's word, such as `pending` or `completed`."""

    text: str
    status: str = "pending"


@dataclass(frozen=True, slots=True)
class PlanStated:
    """What the agent intends to do; it replaces the plan before."""

    entries: tuple[PlanEntry, ...] = ()
    kind: Literal["plan"] = "plan"


@dataclass(frozen=True, slots=True)
class AgentStateChanged:
    """The process of an agent has another state.

    `fresh` says that the agent has no memory of the chat, so that the transcript goes with the
    prompt. `message` says what happened, for people.
    """

    agent: str
    transport: Transport
    status: AgentStatus
    fresh: bool = False
    message: str = ""
    kind: Literal["agent_state"] = "agent_state"


@dataclass(frozen=True, slots=True)
class AgentNote:
    """Something that an agent sent and that Holdfast has no event for: shown, not dropped."""

    note_kind: str
    body: Mapping[str, Any]
    kind: Literal["agent_note"] = "agent_note"
