"""Send a message: one turn, from the prompt to its end.

On record as it happens, with a checkpoint before it.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.changes.change import ChangeOwner
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import JournalDamaged
from holdfast.loop.context.history import rebuild
from holdfast.loop.turn import run_turn
from holdfast.tools.digest_observer import DigestObserver
from holdfast.usecases.checkpoints import checkpoint
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.redaction import RedactedToolbox, redact
from holdfast.usecases.turns.approvals import ApprovalContext, Approvals
from holdfast.usecases.turns.ports import TurnBegun, TurnNotBegun, TurnRequest
from holdfast.usecases.turns.recorder import TurnRecorder
from holdfast.usecases.turns.repair_ports import EditedTurn, TurnRepairs
from holdfast.usecases.turns.stop_watch import StopWatch
from holdfast.usecases.turns.turn_editor import ReviewedFiles, TurnEditor
from holdfast.usecases.turns.turn_observer import TurnObserver
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.change_events import EditLanded
from holdfast.vocab.events import CheckpointMissed, SentinelRaised, TurnEnded, TurnStarted
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import Sentinel, SystemText

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from holdfast.changes.ports import Files
    from holdfast.loop.limits import LoopLimits
    from holdfast.loop.ports import Model, Toolbox
    from holdfast.tools.ports import ApprovalGate, Author, Editor, FileObserver, WorktreeDigests
    from holdfast.usecases.approvals.ports import CommandGrants, TurnQuestions
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.turns.approvals import ApprovalMode, Asker
    from holdfast.usecases.turns.ports import TurnRecords
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event
    from holdfast.vocab.sandbox import SandboxStatus


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user sends.

    `session` is the one to go on with; `plan` offers the tools that only read.
    """

    prompt: str | None
    session: str | None = None
    plan: bool = False


@dataclass(frozen=True, slots=True)
class TurnDependencies:
    """What takes part in a turn.

    `bind` returns the tools for the files, editor, gate and observer of this turn. `digests` finds
    changed files where there are no checkpoints; files for which `is_cache` holds do not count as
    changed. `secrets` are words that no model, log or person is to see. `repairs` is None where a
    turn's edits are not checked. `marking` returns the context in which processes are marked as
    those of the turn with this id. `sandbox` is what confines the commands of the turn.
    """

    model: Model
    bind: Callable[[Files, Editor, ApprovalGate, FileObserver], Toolbox]
    system: str
    tools: str
    workspace: Workspace
    worktrees: Worktrees
    digests: WorktreeDigests
    is_cache: Callable[[str], bool]
    records: TurnRecords
    questions: TurnQuestions
    grants: CommandGrants
    asker: Asker | None
    mode: ApprovalMode
    limits: LoopLimits
    now: Callable[[], float]
    secrets: tuple[str, ...] = ()
    repairs: TurnRepairs | None = None
    marking: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()
    sandbox: SandboxStatus | None = None


@dataclass(frozen=True, slots=True)
class NotSent:
    """No turn has run; `message` says why, and what to do."""

    message: str
    stop_reason: Literal["failed", "unreachable", "needs_login", "needs_approval", "cancelled"] = (
        "failed"
    )


def send(
    message: UserMessage,
    dependencies: TurnDependencies,
    show: Callable[[Event], None],
    say: Callable[[str], None],
    cancel: Cancel,
) -> TurnEnded | NotSent:
    """Run one turn for a message, and return its end.

    `show` is called with every event as it happens, `say` with notes beside the events.
    """
    # A key may be in the project's own rules, or be pasted by mistake.
    message = redact(message, dependencies.secrets)
    sandbox = dependencies.sandbox
    if sandbox is not None and sandbox.kind == "none":
        say(f"no command runs without approval, because there is no sandbox: {sandbox.why}")
    system = redact(dependencies.system, dependencies.secrets)
    try:
        # Neither the checkpoint nor the model is to see half of an edit or of a restore; and a
        # restore that is finished after the prompt is recorded would remove the prompt.
        for note in settle_first(dependencies.workspace).notes:
            say(note)
        for session in dependencies.records.mark_interrupted(*_INTERRUPTED):
            say(f"session {session} was interrupted; to go on: holdfast run --continue {session}")
        opening = TurnRequest(
            message.prompt, dependencies.model.name, system, dependencies.tools, message.session
        )
        begun = dependencies.records.begin(
            opening, lambda begun: [_started(begun, message, dependencies)]
        )
    except (RecordsUnavailable, LogUnavailable, JournalDamaged) as error:
        return NotSent(f"the turn cannot be recorded: {error}")
    if isinstance(begun, TurnNotBegun):
        return NotSent(begun.message)
    recorder = TurnRecorder(begun, dependencies.records, show, dependencies.now)
    return _run_recorded(begun, message, dependencies, recorder, cancel)


def _run_recorded(
    begun: TurnBegun,
    message: UserMessage,
    dependencies: TurnDependencies,
    recorder: TurnRecorder,
    cancel: Cancel,
) -> TurnEnded:
    """Run a turn that is on record, and record its end, however it ends."""
    watch = StopWatch(lambda: dependencies.records.looking(begun), cancel)
    try:
        with watch, dependencies.marking(begun.turn):
            return _run(begun, message, dependencies, recorder, watch)
    except TurnStopped as stopped:
        return recorder.end_stopped(str(stopped))
    except (RecordsUnavailable, LogUnavailable) as error:
        return recorder.give_up(f"The turn could not be recorded any more, and was ended: {error}")
    except OSError as error:
        problem = error.strerror
        if error.filename:
            problem = f"{error.filename}: {error.strerror}"
        return recorder.give_up(f"The turn was ended: {problem}.")
    except BaseException:
        # The caller reports the error; the turn must not stay on record as running.
        recorder.give_up("The turn was ended by an error.")
        raise


_CUT = "The process ended in the middle of this turn."
_INTERRUPTED = (
    (SentinelRaised(Sentinel("interrupted", _CUT, {"can_continue": True})),),
    TurnEnded("interrupted", _CUT, 0, 0, 0, ended_by="recovery"),
)
"""The last events of a turn whose process has died."""


def _started(begun: TurnBegun, message: UserMessage, dependencies: TurnDependencies) -> TurnStarted:
    return TurnStarted(
        begun.session,
        begun.turn,
        dependencies.model.name,
        message.prompt or "",
        continued=message.session is not None,
        chat_id=begun.chat,
        prompt_message_id=begun.prompt_message,
        message_id=begun.message,
        sandbox=dependencies.sandbox.kind if dependencies.sandbox else "",
    )


def _run(
    begun: TurnBegun,
    message: UserMessage,
    dependencies: TurnDependencies,
    recorder: TurnRecorder,
    watch: StopWatch,
) -> TurnEnded:
    recorder.emit(_started(begun, message, dependencies))
    owner = ChangeOwner(begun.session, begun.turn)
    observer = TurnObserver(
        dependencies.worktrees,
        dependencies.workspace,
        owner,
        DigestObserver(dependencies.digests),
        is_cache=dependencies.is_cache,
    )
    for event in _take_checkpoint(begun, message, dependencies, observer):
        recorder.emit(event)
    recorder.flush()
    review = dependencies.mode == "review"
    files: Files = dependencies.workspace.files
    if review:
        files = ReviewedFiles(dependencies.workspace)
    gate = Approvals(_approval_context(begun, dependencies, recorder, watch))
    editor = TurnEditor(dependencies.workspace, owner, review=review, wrote=observer.wrote)
    toolbox = dependencies.bind(files, editor, gate, observer)
    if dependencies.secrets:
        toolbox = RedactedToolbox(toolbox, dependencies.secrets)
    history = rebuild(begun.past, SystemText(begun.system))
    ended = run_turn(history, dependencies.model, toolbox, recorder, dependencies.limits, watch)
    if observer.looked:
        # What a command has left running may have written since.
        _look(observer, "outside", recorder)
    ended = _with_observed(ended, observer)
    if dependencies.repairs is not None and not review and not message.plan:
        turn = EditedTurn(owner, dependencies.model, gate, dependencies.workspace, watch)
        ended = _repair(ended, turn, dependencies.repairs, recorder, observer)
    if watch.sentence is not None:
        ended = replace(ended, stop_reason="cancelled", message=watch.sentence, ended_by="stop")
    recorder.end(ended)
    return ended


def _approval_context(
    begun: TurnBegun, dependencies: TurnDependencies, recorder: TurnRecorder, watch: StopWatch
) -> ApprovalContext:
    return ApprovalContext(
        mode=dependencies.mode,
        asker=dependencies.asker,
        grants=dependencies.grants,
        questions=dependencies.questions,
        sink=recorder,
        cancel=watch,
        session=begun.session,
        turn=begun.turn,
        secrets=dependencies.secrets,
    )


def _look(observer: TurnObserver, by: Author, recorder: TurnRecorder) -> None:
    """Record and show what has changed behind the tools."""
    # What waits came before.
    recorder.flush()
    for event in observer.look(by).events:
        recorder.emit(event)


def _with_observed(ended: TurnEnded, observer: TurnObserver) -> TurnEnded:
    """Return the end of a turn with the files that changed behind its tools."""
    observed = observer.paths.command | observer.paths.outside
    message = ended.message
    if observer.problem and observer.problem not in message:
        message = f"{message} Not all that its commands changed is on record: {observer.problem}"
    return replace(
        ended,
        message=message,
        files=tuple(dict.fromkeys((*ended.files, *sorted(observed)))),
        observed=tuple(sorted(observed)),
    )


def _repair(
    ended: TurnEnded,
    turn: EditedTurn,
    repairs: TurnRepairs,
    recorder: TurnRecorder,
    observer: TurnObserver,
) -> TurnEnded:
    """Check and repair what a turn has changed that came to its end.

    Return its end with what that took. What only others have changed meanwhile is left alone.
    """
    others = observer.paths.outside - observer.paths.command
    edited = tuple(path for path in ended.files if path not in others)
    if ended.stop_reason != "done" or not edited or turn.cancel.is_set():
        return ended
    from holdfast.usecases.turns.repair_after_turn import repair_turn  # noqa: PLC0415 - turns that change no file do without

    # What waits came before the edits of the repair.
    recorder.flush()
    observer.begin_checks()

    def emit(event: Event) -> None:
        recorder.emit(event)
        if isinstance(event, EditLanded):
            observer.know(event.path)

    ended = repair_turn(ended, edited, turn, repairs, emit)
    # A check runs commands of the project.
    _look(observer, "command", recorder)
    return _with_observed(ended, observer)


def _take_checkpoint(
    begun: TurnBegun,
    message: UserMessage,
    dependencies: TurnDependencies,
    observer: TurnObserver,
) -> tuple[Event, ...]:
    owner = checkpoint.CheckpointOwner(begun.session, begun.chat, begun.message, begun.turn)
    label = " ".join((message.prompt or "continue").split())[:60]
    taken = checkpoint.create_checkpoint(dependencies.worktrees, label, kind="turn", owner=owner)
    if isinstance(taken, NothingDone):
        why = " ".join(each.refused.message for each in taken.refusals)
        return (CheckpointMissed(why),)
    observer.begin(taken.checkpoint.present)
    return taken.events
