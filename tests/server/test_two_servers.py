"""Two servers on one PostgreSQL follow one turn, and answer its question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.adapters.store.postgres import CannotStart, running_postgres
from tests.server.harness import Follower, RunningServer

pytestmark = pytest.mark.slow


@pytest.fixture
def script() -> Any:
    def answer(request: Any) -> Any:
        if request.messages[-1]["role"] == "tool":
            return say("Done.")
        return call("run_command", command="touch made.txt")

    return answer


@pytest.fixture
def _postgres(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the store be a PostgreSQL; it outlives the servers."""
    try:
        with running_postgres() as server, server.database() as url:
            monkeypatch.setenv("HOLDFAST_DATABASE_URL", url)
            yield
    except CannotStart as error:
        pytest.skip(str(error))


@pytest.fixture
def two(
    _postgres: None, start: Callable[..., RunningServer]
) -> tuple[RunningServer, RunningServer]:
    return start(), start()


def test_two_servers_follow_one_turn_and_either_can_answer_its_question(
    two: tuple[RunningServer, RunningServer], model: ScriptedServer, root: Path
) -> None:
    one, other = two
    session = one.new_session(mode="ask")
    followers = [Follower(each, after=0) for each in two]
    one.send(session, "do it")
    one.wait_for(session, "waiting")
    (asked,) = other.get("/approvals")["approvals"]
    other.post(f"/approvals/{asked['id']}", {"answer": "once"})
    assert one.post(f"/approvals/{asked['id']}", {"answer": "deny"}, 409)["code"] == "answered"
    one.wait_for(session, "done")
    assert (root / "made.txt").exists()
    last = other.get(f"/projects/{other.project}")["last_seq"]
    for follower in followers:
        follower.wait_for(lambda seen: bool(seen) and seen[-1]["seq"] == last)
        assert [each["seq"] for each in follower.seen] == list(range(1, last + 1))
    assert followers[0].seen == followers[1].seen
