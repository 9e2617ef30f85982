"""Send a message: one turn of a model, from the prompt to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.loop.context.history import rebuild
from holdfast.loop.turn import run_turn
from holdfast.usecases.redaction import RedactedToolbox, redact
from holdfast.usecases.turns.ports import TurnBegun, TurnRequest
from holdfast.usecases.turns.recorded_turn import NotSent, RecordedTurn, TurnContext, run_recorded
from holdfast.usecases.turns.redacted_model import RedactedModel
from holdfast.usecases.turns.repair_ports import EditedTurn, TurnRepairs
from holdfast.usecases.turns.turn_editor import ReviewedFiles, TurnEditor
from holdfast.vocab.events import TurnEnded, TurnStarted
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import SystemText

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.changes.ports import Files
    from holdfast.loop.limits import LoopLimits
    from holdfast.loop.ports import Model, Toolbox
    from holdfast.tools.ports import ApprovalGate, Editor, FileObserver
    from holdfast.usecases.sessions.message_ports import QueuedMessage
    from holdfast.usecases.turns.ports import ShowEvent
    from holdfast.vocab.cancellation import Cancel


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user sends.

    `session` is the one to go on with; `plan` offers the tools that only read. `new_session` is the
    id for a session that begins; None: any. `queued` is the message on record that the prompt is
    from.
    """

    prompt: str | None
    session: str | None = None
    plan: bool = False
    new_session: str | None = None
    queued: QueuedMessage | None = None


@dataclass(frozen=True, slots=True)
class TurnDependencies:
    """What takes part in a turn of a model.

    `bind` returns the tools for the files, editor, gate and observer of this turn. `repairs` is
    None where a turn's edits are not checked.
    """

    context: TurnContext
    model: Model
    bind: Callable[[Files, Editor, ApprovalGate, FileObserver], Toolbox]
    system: str
    tools: str
    limits: LoopLimits
    repairs: Callable[[], TurnRepairs] | None = None


def send(
    message: UserMessage,
    dependencies: TurnDependencies,
    show: ShowEvent,
    say: Callable[[str], None],
    cancel: Cancel,
) -> TurnEnded | NotSent:
    """Run one turn for a message, and return its end.

    `show` is called with every event as it happens, `say` with notes beside the events.
    """
    context = dependencies.context
    queued = message.queued
    # A key may be in the project's own rules, or be pasted by mistake.
    message = redact(message, context.secrets)
    if context.sandbox is not None and context.sandbox.kind == "none":
        say(f"no command runs without approval, because there is no sandbox: {context.sandbox.why}")

    system = redact(dependencies.system, context.secrets)
    return run_recorded(
        TurnRequest(
            message.prompt,
            dependencies.model.name,
            system,
            dependencies.tools,
            message.session,
            new_session=message.new_session,
            queued=queued,
        ),
        context,
        lambda begun: _started(begun, message, dependencies),
        lambda turn: _run(turn, message, dependencies),
        show=show,
        say=say,
        cancel=cancel,
    )


def _started(begun: TurnBegun, message: UserMessage, dependencies: TurnDependencies) -> TurnStarted:
    sandbox = dependencies.context.sandbox
    return TurnStarted(
        begun.session,
        begun.turn,
        dependencies.model.name,
        begun.prompt,
        continued=message.session is not None,
        chat_id=begun.chat,
        prompt_message_id=begun.prompt_message,
        message_id=begun.message,
        sandbox=sandbox.kind if sandbox else "",
        context=dependencies.limits.window(dependencies.model.context),
    )


def _run(turn: RecordedTurn, message: UserMessage, dependencies: TurnDependencies) -> TurnEnded:
    """Let the model work, and return how the turn ends."""
    context, observer, watch = turn.context, turn.observer, turn.watch
    review = context.mode == "review"
    files: Files = context.workspace.files
    if review:
        files = ReviewedFiles(context.workspace)

    gate = turn.approvals()
    editor = TurnEditor(context.workspace, turn.owner, review=review)
    toolbox = dependencies.bind(files, editor, gate, observer)
    model = dependencies.model
    if context.secrets:
        toolbox = RedactedToolbox(toolbox, context.secrets)
        model = RedactedModel(model, context.secrets)

    history = rebuild(turn.begun.past, SystemText(turn.begun.system))
    ended = run_turn(history, model, toolbox, turn.recorder, dependencies.limits, watch)
    if observer.looked:
        # What a command has left running may have written since.
        turn.look("outside")

    ended = turn.with_observed(ended)
    if dependencies.repairs is not None and not review and not message.plan:
        edited = EditedTurn(turn.owner, model, gate, context.workspace, context.edits, watch)
        ended = _repair(ended, edited, dependencies.repairs, turn)

    return ended


def _repair(
    ended: TurnEnded,
    edited: EditedTurn,
    repairs: Callable[[], TurnRepairs],
    turn: RecordedTurn,
) -> TurnEnded:
    """Check and repair what a turn has changed that came to its end.

    Return its end with what that took. What only others have changed meanwhile is left alone.
    """
    recorder, observer = turn.recorder, turn.observer
    others = observer.paths.outside - observer.paths.command
    paths = tuple(path for path in ended.files if path not in others)
    if ended.stop_reason != "done" or not paths or edited.cancel.is_set():
        return ended

    from holdfast.usecases.turns.repair_after_turn import repair_turn  # noqa: PLC0415 - turns that change no file do without

    # What waits came before the edits of the repair.
    recorder.flush()
    observer.begin_checks()
    ended = repair_turn(ended, paths, edited, repairs(), recorder.emit)
    # A check runs commands of the project.
    turn.look("command")
    return turn.with_observed(ended)
