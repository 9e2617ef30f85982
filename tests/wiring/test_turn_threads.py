"""Eight turns at once, in threads of one process, on one store and one folder."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast.testing import RecordedRequest, Reply, ScriptedServer, call, say
from holdfast.usecases.sessions.message_ports import NewMessage
from holdfast.vocab.events import TurnEnded
from holdfast.wiring.projects.open_project import OpenProject
from holdfast.wiring.projects.session_turns import queue_message, run_session_turn
from tests.waiting import LONGEST, wait_until
from tests.wiring.test_open_project import new_session, project, settings_of

pytestmark = pytest.mark.integration

__all__ = ["project"]
TURNS = 8


def answer(request: RecordedRequest) -> Reply:
    """Write the file that the prompt names; then say so."""
    prompt = next(each for each in request.messages if each["role"] == "user")["content"]
    if request.messages[-1]["role"] == "tool":
        return say(f"Wrote {prompt}.")
    return call("write_file", path=prompt, content=f"{prompt}\n")


def test_eight_turns_in_threads_lose_nothing_and_a_follower_sees_all(project: OpenProject) -> None:
    sessions = [new_session(project, title=f"s{number}") for number in range(TURNS)]
    settings = settings_of(project)
    begun_at = project.events.last()
    followed: list[int] = []
    follower = project.watch.follow(lambda: None, after=begun_at)
    assert follower.replay() is None
    together = threading.Barrier(TURNS)

    def run(number: int) -> TurnEnded:
        session = sessions[number]
        queue_message(project, session, NewMessage(f"f{number}.txt"), settings)
        message = project.queue.first(session)
        together.wait(LONGEST)
        flags = {"base_url": server.base_url, "approve": "auto"}
        ended = run_session_turn(
            project, session, message=message, asker=None, cancel=threading.Event(), flags=flags
        )
        assert isinstance(ended, TurnEnded), ended
        return ended

    with ScriptedServer(answer) as server, ThreadPoolExecutor(TURNS) as pool:
        ended = list(pool.map(run, range(TURNS)))
    assert [each.stop_reason for each in ended] == ["done"] * TURNS
    for number in range(TURNS):
        name = f"f{number}.txt"
        assert (project.root / name).read_text(encoding="utf-8") == f"{name}\n"
    logged = project.events.after(begun_at)
    assert [event.seq for event in logged] == list(range(begun_at + 1, project.events.last() + 1))
    for session in sessions:
        kinds = [event.kind for event in logged if event.session == session]
        assert (kinds.count("turn_started"), kinds.count("turn_ended")) == (1, 1)
        assert kinds[-1] == "turn_ended"

    def has_all() -> bool:
        taken = follower.take()
        assert not taken.cut_off
        followed.extend(event.seq for event in taken.events)
        return bool(followed) and followed[-1] == logged[-1].seq

    assert wait_until(has_all)
    assert followed == [event.seq for event in logged]
