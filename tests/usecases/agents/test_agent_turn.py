"""A turn of an external agent: what it says is on record, and its end is judged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from holdfast.adapters.store.store import open_store
from holdfast.guards.commands import CommandRules
from holdfast.usecases.agents.agent_turn import AgentDependencies, AgentMessage, send_to_agent
from holdfast.usecases.agents.ports import (
    AgentCrashed,
    AgentLoginNeeded,
    AgentPrompt,
    AgentRequest,
    AgentStartError,
    AgentTimeout,
    AgentTurnResult,
    AgentUpdate,
    AgentUsage,
    ChatMemory,
    Decide,
    ExternalAgent,
    PermissionRequest,
    ReservationCancelled,
)
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.agent_events import AgentCall, AgentStateChanged
from holdfast.vocab.cancellation import Cancel, TurnStopped
from holdfast.vocab.events import (
    ReasoningArrived,
    Said,
    SentinelRaised,
    TextArrived,
    TurnEnded,
    TurnStarted,
)
from tests.usecases.turn_scene import TurnScene
from tests.usecases.world import World
from tests.waiting import LONGEST

pytestmark = pytest.mark.integration

Sink = Callable[[AgentUpdate], None]
RESULT = AgentTurnResult("done", usage=AgentUsage(3, 4))


class Agent:
    """An agent that does what the test says (port `ExternalAgent`)."""

    transport: Any = "acp"

    def __init__(self) -> None:
        self.alive = False
        self.dies = False
        self.start_error: Exception | None = None
        self.work: Callable[[Sink, Decide], AgentTurnResult] = lambda *_: RESULT
        self.prompts: list[AgentPrompt] = []
        self.cancelled = threading.Event()
        self.closed = 0

    def start(self) -> None:
        if self.start_error is not None:
            raise self.start_error
        self.alive = True

    def turn(self, prompt: AgentPrompt, sink: Sink, decide: Decide) -> AgentTurnResult:
        self.prompts.append(prompt)
        try:
            return self.work(sink, decide)
        finally:
            self.alive = not self.dies

    def cancel(self) -> None:
        self.cancelled.set()

    def close(self) -> None:
        self.closed += 1
        self.alive = False


class Pool:
    """One agent that stays warm (ports `WarmAgents`, `ReservedAgent` and `AgentRecords`)."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.taken: list[ChatMemory] = []
        self.kept: list[ChatMemory] = []
        self.reserved: list[str] = []
        self.error: Exception | None = None
        self.request: AgentRequest | None = None

    @contextmanager
    def reserve(
        self, chat: str, agent: str, make: Callable[[], ExternalAgent], cancel: Cancel
    ) -> Iterator[Pool]:
        if self.error is not None:
            raise self.error
        self.reserved.append(chat)
        yield self

    def take(self, memory: ChatMemory) -> Agent:
        self.taken.append(memory)
        return self.agent

    def keep(self, memory: ChatMemory) -> None:
        self.kept.append(memory)

    def ask_for(self, session: str, agent: str) -> AgentRequest | None:
        return self.request


class Scene(TurnScene):
    """A turn of the agent `bot`."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.agent = Agent()
        self.pool = Pool(self.agent)
        self.rules = CommandRules()

    def ask(self, message: AgentMessage | None = None) -> TurnEnded | NotSent:
        dependencies = AgentDependencies(
            self.context,
            "bot",
            lambda: self.agent,
            self.pool,
            self.pool,
            self.rules,
            str(self.root),
        )
        asked = message or AgentMessage("Go.")
        return send_to_agent(asked, dependencies, self.show, self.notes.append, self.cancel)

    def states(self) -> list[tuple[str, bool]]:
        return [(event.status, event.fresh) for event in self.of(AgentStateChanged)]


@pytest.fixture
def scene(world: World) -> Iterator[Scene]:
    with (
        world.workspace() as workspace,
        open_store(str(world.state / "holdfast.sqlite3")) as store,
    ):
        yield Scene(store, world.root, world.state, workspace)


def ended(outcome: TurnEnded | NotSent) -> TurnEnded:
    assert isinstance(outcome, TurnEnded), outcome
    return outcome


def test_a_turn_of_a_new_chat_starts_the_agent_and_keeps_it(scene: Scene) -> None:
    done = ended(scene.ask())
    assert (done.stop_reason, done.message) == ("done", "Done.")
    assert (done.steps, done.prompt_tokens, done.completion_tokens) == (1, 3, 4)
    assert scene.states() == [("starting", True), ("busy", True), ("warm", False)]
    [started] = scene.of(TurnStarted)
    assert (started.agent, started.model, started.root) == ("bot", "bot", str(scene.root))
    assert scene.agent.prompts == [AgentPrompt("Go.", "")]
    assert scene.pool.taken == [ChatMemory(0, None)]
    assert scene.pool.kept == [ChatMemory(0, started.turn)]
    assert (scene.pool.reserved, scene.agent.closed) == ([started.chat_id], 0)


def test_the_next_turn_goes_on_with_the_warm_agent(scene: Scene) -> None:
    ended(scene.ask())
    [first] = scene.of(TurnStarted)
    scene.pool.request = AgentRequest(first.session, first.chat_id or "", 0)
    scene.events.clear()
    ended(scene.ask(AgentMessage(None, first.session, continued=True)))
    assert scene.states() == [("busy", False), ("warm", False)]
    assert scene.pool.taken[1] == ChatMemory(0, first.turn)
    assert scene.pool.reserved == [first.chat_id] * 2
    [started] = scene.of(TurnStarted)
    assert started.continued


def test_a_turn_without_a_prompt_says_continue_after_what_the_agent_has_said(scene: Scene) -> None:
    def work(sink: Sink, _: Decide) -> AgentTurnResult:
        sink(TextArrived("I did it."))
        return RESULT

    scene.agent.work = work
    ended(scene.ask())
    [first] = scene.of(TurnStarted)
    scene.pool.request = AgentRequest(first.session, first.chat_id or "", 0)
    ended(scene.ask(AgentMessage(None, first.session)))
    assert scene.agent.prompts[1].text == "Continue."
    assert "I did it." in scene.agent.prompts[1].transcript


def test_what_the_agent_says_is_a_part_of_the_transcript_at_each_new_call(scene: Scene) -> None:
    call = AgentCall("c1", "Edit", "edit", "running")

    def work(sink: Sink, _: Decide) -> AgentTurnResult:
        sink(ReasoningArrived("hm"))
        sink(TextArrived("I will use "))
        sink(TextArrived("sk-12345678."))
        sink(call)
        sink(TextArrived("Done"))
        sink(call)
        sink(TextArrived(" it."))
        return RESULT

    scene.agent.work = work
    scene.context = replace(scene.context, secrets=("sk-12345678",))
    ended(scene.ask())
    said = scene.of(Said)
    assert [event.text for event in said] == [
        "I will use [a key of Holdfast, not shown].",
        "Done it.",
    ]
    assert [event.reasoning for event in said] == ["hm", ""]
    assert "sk-12345678" not in repr(scene.events)


@pytest.mark.parametrize(
    ("error", "reason", "message", "state"),
    [
        (
            AgentStartError("install bot.", "no such file"),
            "failed",
            "install bot.\nThe end of its standard error:\nno such file",
            "crashed",
        ),
        (AgentStartError("install bot."), "failed", "install bot.", "crashed"),
        (AgentLoginNeeded("run `bot login`."), "needs_login", "run `bot login`.", "closed"),
    ],
)
def test_an_agent_that_does_not_start_says_what_to_do(
    scene: Scene, error: Exception, reason: str, message: str, state: str
) -> None:
    scene.agent.start_error = error
    done = ended(scene.ask())
    assert (done.stop_reason, done.message) == (reason, message)
    assert scene.states() == [("starting", True), (state, False)]
    assert (scene.pool.kept, scene.agent.closed) == ([], 1)
    told = scene.of(AgentStateChanged)[-1].message
    assert told == (message if state == "crashed" else "")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (AgentCrashed("exit code 1", "exit code 1"), "bot ended unexpectedly: exit code 1"),
        (
            AgentCrashed("exit code 1", " oops\n"),
            "bot ended unexpectedly: exit code 1\nThe end of its standard error:\noops",
        ),
        (AgentTimeout("it was silent."), "bot was ended: it was silent."),
    ],
)
def test_an_agent_that_breaks_off_is_a_failed_turn_with_what_it_said(
    scene: Scene, error: Exception, message: str
) -> None:
    def work(sink: Sink, _: Decide) -> AgentTurnResult:
        sink(TextArrived("I begin."))
        raise error

    scene.agent.work = work
    done = ended(scene.ask())
    assert (done.stop_reason, done.message) == ("failed", message)
    assert [event.text for event in scene.of(Said)] == ["I begin."]
    assert scene.states()[-1] == ("crashed", False)


@pytest.mark.parametrize("error", [None, AgentCrashed("killed"), AgentStartError("killed")])
def test_a_turn_that_the_user_cancels_is_cancelled_however_the_agent_ends(
    scene: Scene, error: Exception | None
) -> None:
    def work(*_: object) -> AgentTurnResult:
        scene.cancel.set()
        assert scene.agent.cancelled.wait(LONGEST)
        if error is not None:
            raise error
        return RESULT

    scene.agent.work = work
    done = ended(scene.ask())
    assert (done.stop_reason, done.message) == ("cancelled", "Cancelled.")
    assert scene.states()[-1] == ("warm" if error is None else "closed", False)


@pytest.mark.parametrize(
    ("result", "reason", "message"),
    [
        (AgentTurnResult("done", cancelled=True), "cancelled", "Cancelled."),
        (AgentTurnResult("cancelled"), "cancelled", "Cancelled."),
        (AgentTurnResult("failed"), "failed", "bot failed"),
        (AgentTurnResult("failed", message="no quota"), "failed", "bot failed: no quota"),
        (AgentTurnResult("refused"), "refused", "bot refused to go on"),
        (
            AgentTurnResult("max_tokens"),
            "max_tokens",
            "bot stopped: its model has reached the limit of tokens",
        ),
        (AgentTurnResult("cap"), "cap", "bot stopped: it has reached the limit of its steps"),
    ],
)
def test_the_end_of_an_agent_is_the_end_of_its_turn(
    scene: Scene, result: AgentTurnResult, reason: str, message: str
) -> None:
    scene.agent.work = lambda *_: result
    done = ended(scene.ask())
    assert (done.stop_reason, done.message) == (reason, message)


def test_an_agent_that_has_ended_by_itself_is_not_kept(scene: Scene) -> None:
    scene.agent.dies = True
    ended(scene.ask())
    assert scene.states()[-1] == ("closed", False)
    assert (scene.pool.kept, scene.agent.closed) == ([], 1)


def test_a_permission_that_nobody_can_give_ends_the_turn(scene: Scene) -> None:
    def work(_: Sink, decide: Decide) -> AgentTurnResult:
        call = AgentCall("c1", "rm -rf x", "execute", "running")
        assert decide(PermissionRequest(call, "rm -rf x"), scene.cancel) == "cancelled"
        assert scene.agent.cancelled.wait(LONGEST)
        return AgentTurnResult("cancelled")

    scene.agent.work = work
    done = ended(scene.ask())
    assert (done.stop_reason, done.message) == (
        "needs_approval",
        "rm -rf x needs approval, and no user is present to ask.",
    )
    assert len(scene.of(SentinelRaised)) == 1


def test_a_turn_that_can_no_longer_be_recorded_closes_its_agent(scene: Scene) -> None:
    keep = scene.log.keep

    def stop(begun: Any, events: Any) -> int:
        if any(isinstance(event, Said) for event in events):
            raise TurnStopped("Stopped by a test.")
        return keep(begun, events)

    scene.log.keep = stop  # type: ignore[method-assign]

    def work(sink: Sink, _: Decide) -> AgentTurnResult:
        sink(TextArrived("I begin."))
        return RESULT

    scene.agent.work = work
    done = ended(scene.ask())
    assert (done.stop_reason, done.message) == ("cancelled", "Stopped by a test.")
    assert (scene.pool.kept, scene.agent.closed) == ([], 1)


def test_a_turn_that_cannot_have_its_agent_is_not_sent(scene: Scene) -> None:
    scene.pool.request = AgentRequest("s", "c", 0)
    asked = AgentMessage("Go.", "s")
    scene.pool.error = ReservationCancelled()
    assert scene.ask(asked) == NotSent("cancelled before the turn had begun.", "cancelled")
    scene.pool.error = RecordsUnavailable("the store is away.")
    assert scene.ask(asked) == NotSent("the turn cannot be recorded: the store is away.")
    assert scene.events == []
