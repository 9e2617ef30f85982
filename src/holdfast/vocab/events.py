"""Events of a project, in the order in which they happened.

The store, the server and the page read the same records.

The use case that does a thing publishes its event, in the transaction that does it. `TextArrived`
and `ReasoningArrived` are the stream as it comes; `Said` is the same settled, once for each step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.agent_events import AgentCall, AgentNote, AgentStateChanged, PlanStated
from holdfast.vocab.change_events import (
    ChangeMoved,
    ChangesRemoved,
    EditLanded,
    EditObserved,
    Recovered,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.session_events import MessageQueued, RejectionQueued, SessionChanged
from holdfast.vocab.worktree_events import WorktreeChanged

if TYPE_CHECKING:
    from holdfast.vocab.approvals import ApprovalAnswer, ApprovalEnd, ApprovalSubject
    from holdfast.vocab.outcomes import Reason
    from holdfast.vocab.sandbox import SandboxKind
    from holdfast.vocab.tool_calls import FailureKind, ToolCall
    from holdfast.vocab.transcript import Sentinel, StopReason


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn has begun; `continued` says that it goes on with one that had stopped.

    `prompt_message_id` is the user's message, None if the turn goes on without one. `message_id` is
    the answer. Events of stores older than schema 0003 have no ids. `sandbox` is the kind of
    sandbox that the turn's commands run in; "" where an older Holdfast wrote the event. `root` is
    the directory that an external agent works in; "" for a turn of Holdfast's own model. `context`
    is how many tokens fit into the context of that model; None where that is not known.
    """

    session: str
    turn: str
    model: str
    prompt: str
    continued: bool = False
    agent: str = "holdfast"
    chat_id: str = ""
    prompt_message_id: str | None = None
    message_id: str = ""
    sandbox: SandboxKind | Literal[""] = ""
    root: str = ""
    context: int | None = None
    kind: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A path that a checkpoint left out, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class CheckpointTaken:
    """The files are kept as they were. `message_id` is the message that the checkpoint precedes."""

    checkpoint_id: str
    skipped: tuple[SkippedPath, ...] = ()
    message_id: str | None = None
    label: str = ""
    checkpoint_kind: str = "turn"
    chat_id: str | None = None
    kind: Literal["checkpoint_taken"] = "checkpoint_taken"


@dataclass(frozen=True, slots=True)
class CheckpointsRemoved:
    """Old checkpoints are gone for good."""

    checkpoint_ids: tuple[str, ...]
    kind: Literal["checkpoints_removed"] = "checkpoints_removed"


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
class ModelAwaited:
    """The model was called this many seconds ago, and nothing of its reply has come yet."""

    seconds: float
    kind: Literal["waiting"] = "waiting"


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
    """What a tool answered. `failure` is None for a success.

    `read` and `modified` go into the ledger.
    """

    call_id: str
    name: str
    text: str
    failure: FailureKind | None = None
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    kind: Literal["call_ended"] = "call_ended"


@dataclass(frozen=True, slots=True)
class CheckpointRestored:
    """A checkpoint was restored, or a restore undone.

    `undo_checkpoint_id` is what was there before, in `chat_id`.

    `messages_deleted` and `messages_brought_back` count the ids in `message_ids_deleted` and
    `message_ids_brought_back`. What is brought back has its old place. `changes_restored` are
    changes that have another state now, or another place: they are the last ones, in this order.
    """

    verb: Literal["restore", "undo"]
    scope: Literal["both", "files", "conversation"]
    checkpoint_id: str
    undo_checkpoint_id: str
    messages_deleted: int
    messages_brought_back: int
    worktree_reset: bool
    backend_reset: bool
    chat_id: str | None = None
    message_ids_deleted: tuple[str, ...] = ()
    message_ids_brought_back: tuple[str, ...] = ()
    checkpoint_ids_removed: tuple[str, ...] = ()
    checkpoint_ids_brought_back: tuple[str, ...] = ()
    turn_ids_removed: tuple[str, ...] = ()
    turn_ids_brought_back: tuple[str, ...] = ()
    change_ids_removed: tuple[str, ...] = ()
    change_ids_brought_back: tuple[str, ...] = ()
    changes_restored: tuple[BaselineChange, ...] = ()
    kind: Literal["restored"] = "restored"


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
    """Somebody has to say whether this may be done.

    `options` are the answers that count. A long `why` is without its middle. Events of stores older
    than schema 0005 have no id and no options.
    """

    what: ApprovalSubject
    subject: str
    why: str
    approval_id: str = ""
    options: tuple[ApprovalAnswer, ...] = ()
    kind: Literal["approval_asked"] = "approval_asked"


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    """How a question ended: `nobody` if nobody could be asked, `cancelled` if its turn ended first.

    `reason` is what the person said with the answer; with `always` it is the rule that is allowed
    from now on, if that is more than the command itself.
    """

    subject: str
    answer: ApprovalEnd
    approval_id: str = ""
    reason: str = ""
    kind: Literal["approval_given"] = "approval_given"


@dataclass(frozen=True, slots=True)
class SentinelRaised:
    """A message for people was added to the transcript."""

    sentinel: Sentinel
    kind: Literal["sentinel"] = "sentinel"


@dataclass(frozen=True, slots=True)
class Compacted:
    """The head of the history is now this summary; `tail` messages stay as they were.

    `messages` went into it.

    An empty `summary` says that only the tool output of the head was dropped. `read` and `modified`
    are the ledger.
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
    """A file was checked, and repaired if it had to be; `path` is "" for what is about no one file.

    `outcome` is the name of how that ended, or `NotRun` where nothing was checked; `message` says
    more. `rule_ids` are the rules that repaired the file, or that were learned from the repair.
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
    """Tokens of one model call, as the server counts them, or (`estimated`) as we do.

    An external agent reports instead how many tokens are in its `context` now, and how many fit
    into its `window`; None where that is not known.
    """

    prompt: int
    completion: int
    estimated: bool = False
    context: int | None = None
    window: int | None = None
    kind: Literal["usage"] = "usage"


@dataclass(frozen=True, slots=True)
class OpenMatter:
    """What a turn has left open: an edit that was refused, a command that failed.

    `call` is a call that could not be understood. `subject` is the path, the command line or the
    tool; `tries` counts how often it failed. `denied`: it was not allowed, and was not run.
    """

    what: Literal["edit", "command", "call"]
    subject: str
    why: str
    tries: int = 1
    denied: bool = False


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `message` says why, for people, and what to do next.

    `files` are all files that changed, `observed` those that changed behind the tools: by a
    command, or by another program meanwhile. `ended_by` is `stop` for a turn that another command
    stopped (`restore` in older logs), and `recovery` for one whose process died. `unresolved` is
    what was refused or failed, without a later success on the same subject.
    """

    stop_reason: StopReason
    message: str
    steps: int
    prompt_tokens: int
    completion_tokens: int
    files: tuple[str, ...] = ()
    ended_by: Literal["turn", "stop", "restore", "recovery"] = "turn"
    observed: tuple[str, ...] = ()
    unresolved: tuple[OpenMatter, ...] = ()
    kind: Literal["turn_ended"] = "turn_ended"

    @property
    def status(self) -> Literal["done", "stopped", "interrupted", "cancelled"]:
        """The status of the turn after this event."""
        if self.ended_by in {"stop", "restore"}:
            return "cancelled"
        if self.stop_reason in {"done", "interrupted"}:
            return self.stop_reason
        return "stopped"


@dataclass(frozen=True, slots=True)
class SessionDeleted:
    """A session is gone, with its chats, their messages, turns and checkpoints, and these changes.

    Other changes of the session stay, without a session.
    """

    session_id: str
    chat_ids: tuple[str, ...] = ()
    turn_ids: tuple[str, ...] = ()
    change_ids: tuple[str, ...] = ()
    kind: Literal["session_deleted"] = "session_deleted"


@dataclass(frozen=True, slots=True)
class GarbageCollected:
    """The number of unreachable refs, changes and events that `holdfast gc` removed."""

    refs_removed: int
    changes_removed: int
    events_removed: int
    kind: Literal["garbage_collected"] = "garbage_collected"


@dataclass(frozen=True, slots=True)
class BaselineChat:
    """A chat and its messages, in order."""

    chat_id: str
    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BaselineChange:
    """A change and its state."""

    change_id: str
    state: Literal["proposed", "applied", "rejected", "rewound"]


@dataclass(frozen=True, slots=True)
class BaselineCheckpoint:
    """A checkpoint; `trashed` says that it is in the trash of a restore and can come back."""

    checkpoint_id: str
    chat_id: str | None
    trashed: bool = False


@dataclass(frozen=True, slots=True)
class BaselineTurn:
    """A turn and its status."""

    turn_id: str
    status: str


@dataclass(frozen=True, slots=True)
class LogBaseline:
    """What the tables of an older store had when its log began, each in its order."""

    sessions: tuple[str, ...] = ()
    chats: tuple[BaselineChat, ...] = ()
    changes: tuple[BaselineChange, ...] = ()
    checkpoints: tuple[BaselineCheckpoint, ...] = ()
    turns: tuple[BaselineTurn, ...] = ()
    kind: Literal["baseline"] = "baseline"


Event: TypeAlias = (
    TurnStarted
    | CheckpointTaken
    | CheckpointMissed
    | CheckpointsRemoved
    | CheckpointRestored
    | StepStarted
    | TextArrived
    | ReasoningArrived
    | Retried
    | ModelAwaited
    | Said
    | CallStarted
    | CallEnded
    | EditLanded
    | EditObserved
    | EditRefused
    | ChangeMoved
    | ChangesRemoved
    | CommandRan
    | ApprovalAsked
    | ApprovalGiven
    | SentinelRaised
    | Compacted
    | RepairEnded
    | UsageReported
    | AgentCall
    | PlanStated
    | AgentStateChanged
    | AgentNote
    | WorktreeChanged
    | Recovered
    | TurnEnded
    | SessionChanged
    | MessageQueued
    | RejectionQueued
    | SessionDeleted
    | GarbageCollected
    | LogBaseline
)
