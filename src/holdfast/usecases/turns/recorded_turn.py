"""A turn on record, whoever does its work: begun, checkpointed, watched, ended.

A turn of a model and a turn of an external agent differ only in their work.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.changes.change import ChangeOwner
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.ports import JournalDamaged
from holdfast.guards.secrets import is_secret
from holdfast.tools.digest_observer import DigestObserver
from holdfast.usecases.checkpoints import checkpoint
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.turns.approvals import ApprovalContext, Approvals
from holdfast.usecases.turns.observed_changes import TurnObserver
from holdfast.usecases.turns.ports import TurnNotBegun
from holdfast.usecases.turns.recorder import TurnRecorder
from holdfast.usecases.turns.stop_watch import StopWatch
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.events import CheckpointMissed, SentinelRaised, TurnEnded
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import Sentinel

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from holdfast.tools.ports import Author, EditGuard, WorktreeDigests
    from holdfast.usecases.approvals.ports import CommandGrants, TurnQuestions
    from holdfast.usecases.checkpoints.ports import Worktrees
    from holdfast.usecases.turns.approvals import ApprovalMode, Asker
    from holdfast.usecases.turns.ports import ShowEvent, TurnBegun, TurnRecords, TurnRequest
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import TurnStarted
    from holdfast.vocab.sandbox import SandboxStatus


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What every turn needs.

    `digests` finds changed files where there are no checkpoints; files for which `is_cache` holds
    do not count as changed, and of those for which `is_secret` holds no event has the contents.
    `secrets` are words that no model, log or person is to see. `marking`
    returns the context in which processes are marked as those of the turn with this id. `sandbox`
    is what confines the commands of the turn, `edits` protects files from its edits.
    """

    workspace: Workspace
    worktrees: Worktrees
    digests: WorktreeDigests
    edits: EditGuard
    is_cache: Callable[[str], bool]
    records: TurnRecords
    questions: TurnQuestions
    grants: CommandGrants
    asker: Asker | None
    mode: ApprovalMode
    now: Callable[[], float]
    secrets: tuple[str, ...] = ()
    is_secret: Callable[[str], bool] = is_secret
    marking: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()
    sandbox: SandboxStatus | None = None


@dataclass(frozen=True, slots=True)
class NotSent:
    """No turn has run; `message` says why, and what to do."""

    message: str
    stop_reason: Literal["failed", "unreachable", "needs_login", "needs_approval", "cancelled"] = (
        "failed"
    )


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn that is on record as running, with a checkpoint before it if one could be taken."""

    begun: TurnBegun
    context: TurnContext
    recorder: TurnRecorder
    watch: StopWatch
    observer: TurnObserver

    @property
    def owner(self) -> ChangeOwner:
        """The owner of the changes of the turn."""
        return ChangeOwner(self.begun.session, self.begun.turn)

    def approvals(self) -> Approvals:
        """Return the approval gate of the turn."""
        context = self.context
        return Approvals(
            ApprovalContext(
                mode=context.mode,
                asker=context.asker,
                grants=context.grants,
                questions=context.questions,
                sink=self.recorder,
                cancel=self.watch,
                session=self.begun.session,
                turn=self.begun.turn,
                secrets=context.secrets,
            )
        )

    def look(self, by: Author) -> None:
        """Record and show what has changed behind the tools."""
        # What waits came before.
        self.recorder.flush()
        self.look_unflushed(by)

    def look_unflushed(self, by: Author) -> None:
        """Do as `look`, but leave what waits to the end of the turn: the turn is to stop."""
        for event in self.observer.look(by).events:
            self.recorder.emit(event)

    def with_observed(self, ended: TurnEnded) -> TurnEnded:
        """Return the end of the turn with the files that changed behind its tools."""
        observer = self.observer
        observed = observer.paths.command | observer.paths.outside
        message = ended.message
        if observer.problem and observer.problem not in message:
            message = (
                f"{message} Not all that its commands changed is on record: {observer.problem}"
            )

        return replace(
            ended,
            message=message,
            files=tuple(dict.fromkeys((*ended.files, *sorted(observed)))),
            observed=tuple(sorted(observed)),
        )


def run_recorded(
    opening: TurnRequest,
    context: TurnContext,
    started: Callable[[TurnBegun], TurnStarted],
    work: Callable[[RecordedTurn], TurnEnded],
    *,
    show: ShowEvent,
    say: Callable[[str], None],
    cancel: Cancel,
) -> TurnEnded | NotSent:
    """Run one turn: record that it begins, take a checkpoint, let `work` do it, record its end."""
    try:
        # Neither the checkpoint nor the model is to see half of an edit or of a restore; and a
        # restore that is finished after the prompt is recorded would remove the prompt.
        for note in settle_first(context.workspace).notes:
            say(note)
        for session in context.records.mark_interrupted(*INTERRUPTED):
            say(f"session {session} was interrupted; to go on: holdfast run --continue {session}")
        begun = context.records.begin(opening, lambda begun: [started(begun)])
    except (RecordsUnavailable, LogUnavailable, JournalDamaged) as error:
        return NotSent(f"the turn cannot be recorded: {error}")

    if isinstance(begun, TurnNotBegun):
        return NotSent(begun.message)

    recorder = TurnRecorder(begun, context.records, show, context.now)
    watch = StopWatch(lambda: context.records.looking(begun), cancel)
    try:
        with watch, recorder.flushing(), context.marking(begun.turn):
            recorder.emit(started(begun))
            turn = RecordedTurn(begun, context, recorder, watch, _observer(begun, context))
            _take_checkpoint(turn, opening.prompt or "continue")
            return _end(turn, work(turn))
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
_STOPPED_WITH_PROCESS = "The server was stopped in the middle of this turn."
INTERRUPTED = (
    (SentinelRaised(Sentinel("interrupted", _CUT, {"can_continue": True})),),
    TurnEnded("interrupted", _CUT, 0, 0, 0, ended_by="recovery"),
)
"""The last events of a turn whose process has died."""


def _observer(begun: TurnBegun, context: TurnContext) -> TurnObserver:
    return TurnObserver(
        context.worktrees,
        context.workspace,
        ChangeOwner(begun.session, begun.turn),
        DigestObserver(context.digests),
        is_cache=context.is_cache,
        is_secret=context.is_secret,
    )


def _take_checkpoint(turn: RecordedTurn, prompt: str) -> None:
    """Take a checkpoint of the files, or record why there is none."""
    begun = turn.begun
    owner = checkpoint.CheckpointOwner(begun.session, begun.chat, begun.message, begun.turn)
    label = " ".join(prompt.split())[:60]
    taken = checkpoint.create_checkpoint(turn.context.worktrees, label, kind="turn", owner=owner)
    if isinstance(taken, NothingDone):
        why = " ".join(each.refused.message for each in taken.refusals)
        turn.recorder.emit(CheckpointMissed(why))
    else:
        turn.observer.begin(taken.checkpoint.present, taken.checkpoint.draft.logged)
        for event in taken.events:
            turn.recorder.emit(event)

    turn.recorder.flush()


def _end(turn: RecordedTurn, ended: TurnEnded) -> TurnEnded:
    sentence = turn.watch.sentence
    if sentence is not None:
        ended = replace(ended, stop_reason="cancelled", message=sentence, ended_by="stop")
    elif ended.stop_reason == "cancelled" and turn.watch.interrupts:
        message = _STOPPED_WITH_PROCESS
        turn.recorder.emit(SentinelRaised(Sentinel("interrupted", message, {"can_continue": True})))
        ended = replace(ended, stop_reason="interrupted", message=message)

    turn.recorder.end(ended)
    return ended
