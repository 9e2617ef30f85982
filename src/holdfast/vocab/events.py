"""Facts about a turn, in the order in which they happened. The store, the server and the page read the same records.

`TextArrived` and `ReasoningArrived` are the stream as it comes; `Said` is the same settled, once for each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdfast.vocab.outcomes import Reason, Rung
from holdfast.vocab.requests import Action
from holdfast.vocab.tool_calls import FailureKind, ToolCall
from holdfast.vocab.transcript import Sentinel, StopReason


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn has begun; `continued` says that it goes on with one that had stopped."""

    session: str
    turn: str
    model: str
    prompt: str
    continued: bool = False
    kind: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True)
class CheckpointTaken:
    """The files before the turn are kept."""

    checkpoint_id: str
    kind: Literal["checkpoint_taken"] = "checkpoint_taken"


@dataclass(frozen=True, slots=True)
class CheckpointMissed:
    """No checkpoint could be taken, and why; the turn goes on."""

    message: str
    kind: Literal["checkpoint_missed"] = "checkpoint_missed"


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The model is asked for the `step`-th time in this turn."""

    step: int
    kind: Literal["step_started"] = "step_started"


@dataclass(frozen=True, slots=True)
class TextArrived:
    """A piece of what the model says."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ReasoningArrived:
    """A piece of what the model thinks."""

    text: str
    kind: Literal["reasoning"] = "reasoning"


@dataclass(frozen=True, slots=True)
class Retried:
    """The model is asked again for the same step; what came of it before is dropped."""

    reason: str
    kind: Literal["retried"] = "retried"


@dataclass(frozen=True, slots=True)
class Said:
    """What the model said in a step, as it goes into the history."""

    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool is being run."""

    call: ToolCall
    kind: Literal["call_started"] = "call_started"


@dataclass(frozen=True, slots=True)
class CallEnded:
    """What a tool answered. `failure` is None for a success; `read` and `modified` go into the ledger."""

    call_id: str
    name: str
    text: str
    failure: FailureKind | None = None
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    kind: Literal["call_ended"] = "call_ended"


@dataclass(frozen=True, slots=True)
class EditLanded:
    """An edit landed on a file. `proposed` says that it waits for review and is not on the disk."""

    path: str
    action: Action
    rung: Rung
    similarity: float
    diff: str
    change_id: str | None = None
    to: str | None = None
    proposed: bool = False
    kind: Literal["edit_landed"] = "edit_landed"


@dataclass(frozen=True, slots=True)
class EditRefused:
    """An edit did not land; `message` is the sentence the model was told."""

    path: str
    reason: Reason
    message: str
    kind: Literal["edit_refused"] = "edit_refused"


@dataclass(frozen=True, slots=True)
class CommandRan:
    """A command has ended; `exit_code` is None if it was ended by the time limit or a signal."""

    command: str
    exit_code: int | None
    output: str
    kind: Literal["command_ran"] = "command_ran"


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """Somebody has to say whether this may be done."""

    what: Literal["edit", "command", "read"]
    subject: str
    why: str
    kind: Literal["approval_asked"] = "approval_asked"


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    """What was said; `nobody` if there was nobody to ask."""

    subject: str
    answer: Literal["once", "session", "always", "deny", "nobody"]
    kind: Literal["approval_given"] = "approval_given"


@dataclass(frozen=True, slots=True)
class SentinelRaised:
    """A message for people stands in the transcript."""

    sentinel: Sentinel
    kind: Literal["sentinel"] = "sentinel"


@dataclass(frozen=True, slots=True)
class Compacted:
    """The head of the history is now this summary; `tail` messages stay as they were. `messages` went into it.

    An empty `summary` says that only the tool output of the head was dropped. `read` and `modified` are the ledger.
    """

    summary: str
    tail: int
    messages: int
    tokens_before: int
    tokens_after: int
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    kind: Literal["compacted"] = "compacted"


@dataclass(frozen=True, slots=True)
class RepairEnded:
    """After a turn's edits a file was checked, and mended if it had to be; `path` is "" for what is about no one file.

    `outcome` is the name of how that ended, or `NotRun` where nothing was checked; `message` says more.
    `rule_ids` are the rules that mended it, or that were learned of it.
    """

    path: str
    outcome: str
    success: bool
    message: str
    rule_ids: tuple[str, ...] = ()
    change_id: str | None = None
    kind: Literal["repair"] = "repair"


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Tokens of one model call, as the server counts them, or (`estimated`) as we do."""

    prompt: int
    completion: int
    estimated: bool = False
    kind: Literal["usage"] = "usage"


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `message` says why, for people, and what to do next."""

    stop_reason: StopReason
    message: str
    steps: int
    prompt_tokens: int
    completion_tokens: int
    files: tuple[str, ...] = ()
    kind: Literal["turn_ended"] = "turn_ended"


Event: TypeAlias = (
    TurnStarted
    | CheckpointTaken
    | CheckpointMissed
    | StepStarted
    | TextArrived
    | ReasoningArrived
    | Retried
    | Said
    | CallStarted
    | CallEnded
    | EditLanded
    | EditRefused
    | CommandRan
    | ApprovalAsked
    | ApprovalGiven
    | SentinelRaised
    | Compacted
    | RepairEnded
    | UsageReported
    | TurnEnded
)
