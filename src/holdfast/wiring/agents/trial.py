"""Try whether an agent works: find it, start it, open a session, end it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Literal

from holdfast.adapters.agents.known_agents import login_of
from holdfast.usecases.agents.ports import AgentCrashed, AgentLoginNeeded, AgentStartError
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.agents.choice import choose_agent
from holdfast.wiring.agents.warm import make_agent

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.config.settings import Settings
    from holdfast.vocab.agent_events import Transport


@dataclass(frozen=True, slots=True)
class TrialStep:
    """A step that was reached, so many seconds after the trial began."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class AgentTrial:
    """How a trial ended. `stderr` is the end of the agent's standard error if it does not work.

    `message` says why it does not, or what was not tried.
    """

    agent: str
    transport: Transport | None
    outcome: Literal["ok", "failed", "needs_login"]
    steps: tuple[TrialStep, ...] = ()
    message: str = ""
    stderr: str = ""


def try_agent(name: str, transport: Transport | None, settings: Settings, root: Path) -> AgentTrial:
    """Start an agent and open a session; end it in any case."""
    begun = time.monotonic()
    chosen = choose_agent(name, transport, settings)
    if isinstance(chosen, NotSent):
        return AgentTrial(name, transport, "failed", (), chosen.message)

    steps: list[TrialStep] = []
    lock = threading.Lock()

    def on_step(step: str) -> None:
        with lock:
            steps.append(TrialStep(step, round(time.monotonic() - begun, 3)))

    on_step("found")
    if chosen.transport == "oneshot" and login_of(chosen.known) == "needed":
        message = f"{name} needs a login: {chosen.known.login}"
        return AgentTrial(name, "oneshot", "needs_login", tuple(steps), message)

    agent = make_agent(chosen, root.resolve(), settings, on_step)
    try:
        agent.start()
    except AgentLoginNeeded as error:
        return _failed(name, chosen.transport, "needs_login", steps, error)
    except (AgentStartError, AgentCrashed) as error:
        return _failed(name, chosen.transport, "failed", steps, error)
    finally:
        agent.close()

    message = ""
    if chosen.transport == "oneshot":
        message = f"{name} is installed (oneshot); it starts with a turn, so no more was tried."

    return AgentTrial(name, chosen.transport, "ok", tuple(steps), message)


def _failed(
    name: str,
    transport: Transport,
    outcome: Literal["failed", "needs_login"],
    steps: list[TrialStep],
    error: AgentStartError | AgentCrashed,
) -> AgentTrial:
    return AgentTrial(name, transport, outcome, tuple(steps), str(error), error.stderr)
