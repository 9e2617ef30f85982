"""Send a message to an external agent: one turn, on record as a turn of a model is.

The order is: the assistant's message, the checkpoint, the agent, the difference of the files, the
end. What an agent did is what changed on the disk, not what it says.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from holdfast.loop import sentinels
from holdfast.usecases.agents.agent_run import AgentOutcome, AgentRun
from holdfast.usecases.agents.chat_text import chat_text
from holdfast.usecases.agents.permissions import Permissions
from holdfast.usecases.agents.ports import AgentPrompt, ChatMemory, ReservationCancelled
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.redaction import redact
from holdfast.usecases.turns.ports import TurnRequest
from holdfast.usecases.turns.recorded_turn import NotSent, RecordedTurn, TurnContext, run_recorded
from holdfast.vocab.events import SentinelRaised, TurnEnded, TurnStarted
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import UserText

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from holdfast.guards.commands import CommandRules
    from holdfast.usecases.agents.ports import (
        AgentRecords,
        ExternalAgent,
        ReservedAgent,
        WarmAgents,
    )
    from holdfast.usecases.sessions.message_ports import QueuedMessage
    from holdfast.usecases.turns.ports import ShowEvent, TurnBegun
    from holdfast.vocab.cancellation import Cancel

_GO_ON = "Continue."


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """What the user sends to an agent.

    `session` is the one that the message belongs to; None begins one. `continued`: the session had
    turns before. `queued` is the message on record that the prompt is from.
    """

    prompt: str | None
    session: str | None = None
    continued: bool = False
    queued: QueuedMessage | None = None


@dataclass(frozen=True, slots=True)
class AgentDependencies:
    """What takes part in a turn of an external agent.

    `make` returns the agent, not started, for a worktree. `rules` decide about its commands before
    anybody is asked. `root` is where the agent works.
    """

    context: TurnContext
    name: str
    make: Callable[[], ExternalAgent]
    pool: WarmAgents
    agents: AgentRecords
    rules: CommandRules
    root: str


def send_to_agent(
    message: AgentMessage,
    dependencies: AgentDependencies,
    show: ShowEvent,
    say: Callable[[str], None],
    cancel: Cancel,
) -> TurnEnded | NotSent:
    """Run one turn of an agent for a message, and return its end.

    A turn of a session waits until the agent has ended the turn before it; if the session was
    restored meanwhile, the turn does not begin.
    """
    queued = message.queued
    message = redact(message, dependencies.context.secrets)
    name, generation = dependencies.name, None
    with ExitStack() as held:
        reserved: ReservedAgent | None = None
        try:
            asked = None
            if message.session is not None:
                asked = dependencies.agents.ask_for(message.session, name)
            if asked is not None:
                generation = asked.generation
                reserved = held.enter_context(_reserve(asked.chat, dependencies, cancel))
        except RecordsUnavailable as error:
            return NotSent(f"the turn cannot be recorded: {error}")
        except ReservationCancelled:
            return NotSent("cancelled before the turn had begun.", "cancelled")

        def work(turn: RecordedTurn) -> TurnEnded:
            agent = reserved
            if agent is None:
                # A new chat, for which nobody can wait.
                agent = held.enter_context(_reserve(turn.begun.chat, dependencies, cancel))
            memory = ChatMemory(generation or 0, turn.begun.last_turn)
            return _work(turn, agent, memory, dependencies)

        return run_recorded(
            TurnRequest(
                message.prompt, name, "", "", message.session, name, generation, queued=queued
            ),
            dependencies.context,
            lambda begun: _started(begun, message, dependencies),
            work,
            show=show,
            say=say,
            cancel=cancel,
        )


def _reserve(
    chat: str, dependencies: AgentDependencies, cancel: Cancel
) -> AbstractContextManager[ReservedAgent]:
    return dependencies.pool.reserve(chat, dependencies.name, dependencies.make, cancel)


def _started(
    begun: TurnBegun, message: AgentMessage, dependencies: AgentDependencies
) -> TurnStarted:
    sandbox = dependencies.context.sandbox
    return TurnStarted(
        begun.session,
        begun.turn,
        dependencies.name,
        begun.prompt,
        continued=message.continued,
        agent=dependencies.name,
        chat_id=begun.chat,
        prompt_message_id=begun.prompt_message,
        message_id=begun.message,
        sandbox=sandbox.kind if sandbox else "",
        root=dependencies.root,
    )


def _work(
    turn: RecordedTurn,
    reserved: ReservedAgent,
    memory: ChatMemory,
    dependencies: AgentDependencies,
) -> TurnEnded:
    """Let the agent work, record what changed, and return how the turn ends."""
    turn.observer.prepare()
    agent = reserved.take(memory)
    run = AgentRun(dependencies.name, agent, turn)
    gate, secrets = turn.approvals(), turn.context.secrets
    permissions = Permissions(
        gate, dependencies.rules, dependencies.root, turn.context.edits, secrets, run.emit
    )
    outcome = run.run(_prompt(turn.begun), permissions)
    if outcome.stays:
        reserved.keep(ChatMemory(memory.generation, turn.begun.turn))
    else:
        # Before the files are compared: nothing is to write any more.
        agent.close()

    run.tell_state(outcome)
    if run.problem is not None:
        turn.look_unflushed("agent")
        raise run.problem

    turn.look("agent")
    if outcome.stop_reason == "needs_approval":
        sentinel = sentinels.needs_approval(permissions.unanswered or "")
        turn.recorder.emit(SentinelRaised(sentinel))

    return turn.with_observed(_ended(outcome))


def _prompt(begun: TurnBegun) -> AgentPrompt:
    """Return what the agent is asked: the last message of the user, and what was before it."""
    past = begun.past
    if past and isinstance(past[-1], UserText):
        return AgentPrompt(past[-1].text, chat_text(past[:-1]))
    return AgentPrompt(_GO_ON, chat_text(past))


def _ended(outcome: AgentOutcome) -> TurnEnded:
    usage = outcome.usage
    return TurnEnded(outcome.stop_reason, outcome.message, 1, usage.prompt, usage.completion)
