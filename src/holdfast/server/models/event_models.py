"""The events of `holdfast.vocab.events` as models, one for each kind, and their union.

They are made from the dataclasses, so that a new event is in the OpenAPI document at once. Only the
sentinels are written out: their bodies are free in the vocabulary, and contracts for the page.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, ConfigDict, Field, create_model

from holdfast.vocab import agent_events, approvals, events, outcomes, requests, sandbox
from holdfast.vocab.tool_calls import FailureKind, ToolCall
from holdfast.vocab.transcript import Sentinel, SentinelKind, StopReason

_CONFIG = ConfigDict(json_schema_serialization_defaults_required=True)


class _SentinelBase(BaseModel):
    model_config = _CONFIG
    text: str


class MistakeRecoveryBody(BaseModel):
    """Several errors in a row; escalated: the turn was stopped."""

    failure_kinds: list[FailureKind]
    count: int
    escalated: bool
    can_continue: bool = False


class MistakeRecoverySentinel(_SentinelBase):
    """Several errors in a row."""

    kind: Literal["mistake_recovery"]
    body: MistakeRecoveryBody


class DoomLoopBody(BaseModel):
    """The pattern of a model that repeats itself; escalated: the turn was stopped."""

    pattern: str
    count: int
    escalated: bool
    can_continue: bool = False


class DoomLoopSentinel(_SentinelBase):
    """A model that repeats itself."""

    kind: Literal["doom_loop"]
    body: DoomLoopBody


class CapHitBody(BaseModel):
    """The number of steps."""

    steps: int
    can_continue: bool = True


class CapHitSentinel(_SentinelBase):
    """A turn that used all its steps."""

    kind: Literal["cap_hit"]
    body: CapHitBody


class CompactionBody(BaseModel):
    """How many messages, and the estimates of tokens."""

    messages: int
    tokens_before: int
    tokens_after: int


class CompactionSentinel(_SentinelBase):
    """A history that was compacted."""

    kind: Literal["compaction"]
    body: CompactionBody


class CompactionOffBody(BaseModel):
    """How often it was tried."""

    passes: int


class CompactionOffSentinel(_SentinelBase):
    """A history that compaction cannot make shorter."""

    kind: Literal["compaction_off"]
    body: CompactionOffBody


class ChantBody(BaseModel):
    """Where the model repeated itself: `text` or `reasoning`."""

    channel: str


class ChantSentinel(_SentinelBase):
    """A reply that was cut because it repeated itself."""

    kind: Literal["chant"]
    body: ChantBody


class InterruptedBody(BaseModel):
    """That the turn can go on."""

    can_continue: bool = True


class InterruptedSentinel(_SentinelBase):
    """A turn whose process died or was ended."""

    kind: Literal["interrupted"]
    body: InterruptedBody


class NeedsApprovalBody(BaseModel):
    """The tool that needs approval."""

    tool: str
    can_continue: bool = True


class NeedsApprovalSentinel(_SentinelBase):
    """A call that needs approval, without anybody to ask."""

    kind: Literal["needs_approval"]
    body: NeedsApprovalBody


SentinelBody: TypeAlias = Annotated[
    MistakeRecoverySentinel
    | DoomLoopSentinel
    | CapHitSentinel
    | CompactionSentinel
    | CompactionOffSentinel
    | ChantSentinel
    | InterruptedSentinel
    | NeedsApprovalSentinel,
    Field(discriminator="kind"),
]

# What the annotations of the vocabulary name, and import for the type checker only.
_NAMES: dict[str, Any] = {
    "Mapping": Mapping,
    "Any": Any,
    "Literal": Literal,
    "ToolCall": ToolCall,
    "Sentinel": Sentinel,
    "SentinelKind": SentinelKind,
    "StopReason": StopReason,
    "FailureKind": FailureKind,
    **vars(approvals),
    **vars(outcomes),
    **vars(requests),
    **vars(sandbox),
    **vars(agent_events),
    **vars(events),
}
_HEAD: dict[str, Any] = {
    "v": (int, ...),
    "seq": (int, ...),
    "at": (str, ...),
    "session": (str | None, ...),
    "turn": (str | None, ...),
}
_made: dict[type, type[BaseModel]] = {}


def _model_of(record: type, head: Mapping[str, Any] | None = None) -> type[BaseModel]:
    """Return the model of a dataclass, with the fields of `head` before its own."""
    if record in _made:
        return _made[record]

    hints = get_type_hints(record, vars(sys.modules[record.__module__]), _NAMES)
    own = {each.name: (_type_of(hints[each.name]), ...) for each in fields(record)}
    doc = (record.__doc__ or "").partition("\n")[0]
    model: Any = create_model(
        record.__name__, __config__=_CONFIG, __doc__=doc, **{**(head or {}), **own}
    )
    _made[record] = model
    return _made[record]


def _type_of(hint: Any) -> Any:
    """Return the type of a field as JSON has it."""
    if hint is Sentinel:
        return SentinelBody
    if isinstance(hint, type) and is_dataclass(hint):
        return _model_of(hint)

    origin, parts = get_origin(hint), get_args(hint)
    if origin is tuple:
        return list[_type_of(parts[0])]  # type: ignore[misc]  # a type that is made at run time
    if origin is Mapping:
        return dict[str, Any]
    if parts and origin is not Literal:
        return Union[tuple(_type_of(part) for part in parts)]  # noqa: UP007 - made at run time

    return hint


EVENT_MODELS: dict[str, type[BaseModel]] = {}
"""The model of each kind of event."""
for _event in get_args(events.Event):
    _kind = next(each.default for each in fields(_event) if each.name == "kind")
    EVENT_MODELS[str(_kind)] = _model_of(_event, _HEAD)

if TYPE_CHECKING:
    EventBody: TypeAlias = BaseModel
else:
    # The members are made above, at run time.
    EventBody = Annotated[Union[tuple(EVENT_MODELS.values())], Field(discriminator="kind")]  # noqa: UP007 - made at run time
