"""The part of a turn that runs in the thread of its caller, the same for every transport."""

from __future__ import annotations

import queue
import time
from functools import partial
from typing import TYPE_CHECKING

from holdfast.adapters.agents.turn_queue import AgentQuestion
from holdfast.usecases.agents.ports import AgentTimeout, AgentTurnResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from holdfast.adapters.agents.event_loop import AgentLoop
    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.adapters.agents.turn_queue import TurnQueue
    from holdfast.usecases.agents.ports import AgentUpdate, Decide


def follow_turn(
    turn: TurnQueue,
    launch: AgentLaunch,
    sink: Callable[[AgentUpdate], None],
    decide: Decide,
    loop: AgentLoop,
) -> AgentTurnResult | Exception:
    """Handle what the agent sends until the turn ends; return its result or its error.

    Raise `AgentTimeout` if the agent is silent for too long, or its turn takes too long.
    """
    deadline = time.monotonic() + launch.turn_timeout
    while True:
        remaining = deadline - time.monotonic()
        try:
            item = turn.get(min(remaining, launch.silence_timeout))
        except queue.Empty:
            raise AgentTimeout(_timeout(launch, remaining)) from None
        if isinstance(item, AgentTurnResult | Exception):
            return item
        if isinstance(item, AgentQuestion):
            asked = time.monotonic()
            answer = decide(item.request, item.withdrawn)
            loop.post(partial(item.answer, answer))
            # The time of a person is not the agent's.
            deadline += time.monotonic() - asked
            continue
        sink(item)
        if time.monotonic() > deadline:
            raise AgentTimeout(_timeout(launch, 0.0))


def pass_error(turn: TurnQueue, running: Future[None]) -> None:
    """End a turn whose coroutine failed: an error of ours must not look like a silent agent."""
    error = None if running.cancelled() else running.exception()
    if isinstance(error, Exception):
        turn.put(error)


def _timeout(launch: AgentLaunch, remaining: float) -> str:
    if remaining <= launch.silence_timeout:
        return f"The turn of {launch.name} took {launch.turn_timeout:g} seconds; it was ended."
    return f"{launch.name} was silent for {launch.silence_timeout:g} seconds; it was ended."
