"""The event stream: every event once and in order, from the store and live, for fast and slow followers."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.server import event_hub
from holdfast.testing import ScriptedServer, say
from tests.server.harness import TOKEN, Follower, RunningServer
from tests.waiting import wait_until

pytestmark = pytest.mark.slow  # each starts a server and runs turns: `make quick` does without


@pytest.fixture
def script() -> Any:
    return lambda _: say("One two three.")


def seqs(events: list[dict[str, Any]]) -> list[int]:
    return [each["seq"] for each in events]


def test_a_follower_gets_every_event_once_and_in_order_from_the_store_and_live(
    server: RunningServer,
) -> None:
    session = server.new_session()
    server.turn(session, "first")
    early = Follower(server, after=0)
    early.wait_for(bool)
    server.turn(session, "second")
    last = server.get(f"/projects/{server.project}")["last_seq"]
    early.wait_for(lambda seen: seen[-1]["seq"] == last)
    assert seqs(early.seen) == list(range(1, last + 1))
    late = Follower(server, after=5)
    late.wait_for(lambda seen: bool(seen) and seen[-1]["seq"] == last)
    assert late.seen == early.seen[5:]


def test_the_last_event_id_counts_before_after(server: RunningServer) -> None:
    session = server.new_session()
    server.turn(session, "first")
    last = server.get(f"/projects/{server.project}")["last_seq"]
    url = f"/api/projects/{server.project}/events"
    headers = {"Last-Event-ID": str(last - 2)}
    with server.client.stream("GET", url, params={"after": 0}, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        ids = []
        for line in answer.iter_lines():
            if line.startswith("id: "):
                ids.append(int(line[4:]))
            if ids and ids[-1] == last:
                break
    assert ids == [last - 1, last]


@pytest.mark.parametrize("last", ["nothing", "", "-5"])
def test_a_last_event_id_that_is_no_number_is_no_fault(server: RunningServer, last: str) -> None:
    with server.client.stream(
        "GET", f"/api/projects/{server.project}/events", headers={"Last-Event-ID": last}
    ) as answer:
        assert answer.status_code == 200
        assert next(answer.iter_lines()) == "retry: 1000"


@pytest.mark.parametrize("ahead", [1, 10**19])
def test_a_number_that_the_log_does_not_have_yet_is_refused_and_nobody_else_waits(
    server: RunningServer, ahead: int
) -> None:
    session = server.new_session()
    last = server.get(f"/projects/{server.project}")["last_seq"]
    url = f"/api/projects/{server.project}/events"
    told = server.client.get(url, headers={"Last-Event-ID": str(last + ahead)})
    assert (told.status_code, told.json()["code"]) == (409, "conflict")
    assert told.json()["detail"].startswith(f"The log ends at event {last}; ")
    follower = Follower(server, after=last)
    server.turn(session, "first")
    newest = server.get(f"/projects/{server.project}")["last_seq"]
    follower.wait_for(lambda seen: bool(seen) and seen[-1]["seq"] == newest)
    assert seqs(follower.seen) == list(range(last + 1, newest + 1))


def test_fifty_followers_of_a_session_see_that_it_is_deleted_also_those_that_come_back_later(
    server: RunningServer,
) -> None:
    session, other = server.new_session(), server.new_session()
    server.turn(session, "first")
    left = server.get(f"/projects/{server.project}")["last_seq"]
    followers = [Follower(server, after=0, session=session) for _ in range(50)]
    assert wait_until(lambda: server.get("/health")["followers"] == 50)
    deleted = server.delete(f"/sessions/{session}")["seq"]
    late = Follower(server, after=left, session=session)
    for follower in (*followers, late):
        follower.wait_for(lambda seen: bool(seen) and seen[-1]["seq"] == deleted)
        assert follower.seen[-1]["kind"] == "session_deleted"
    assert server.get(f"/sessions/{session}", 404)["code"] == "not_found"
    assert server.get(f"/sessions/{other}")["id"] == other


def test_a_filtered_stream_skips_numbers_and_never_falls(server: RunningServer) -> None:
    one, other = server.new_session(), server.new_session()
    follower = Follower(server, after=0, session=one)
    server.turn(other, "x")
    server.turn(one, "y")
    follower.wait_for(lambda seen: any(each["kind"] == "turn_ended" for each in seen))
    assert {each["session"] for each in follower.seen} == {one}
    assert seqs(follower.seen) == sorted(set(seqs(follower.seen)))
    assert seqs(follower.seen) == seqs(server.events(session=one))


def test_a_stream_has_the_json_of_the_command_events(server: RunningServer) -> None:
    session = server.new_session()
    server.turn(session, "x")
    command = [sys.executable, "-m", "holdfast.cli.main", "events", "--json", "--root"]
    root = str(server.projects.all()[0].root)
    told = subprocess.run([*command, root], capture_output=True, text=True, check=True).stdout
    assert [json.loads(line) for line in told.splitlines()] == server.events()


def test_a_turn_in_another_process_is_followed(
    server: RunningServer, model: ScriptedServer
) -> None:
    follower = Follower(server, after=0)
    command = [sys.executable, "-m", "holdfast.cli.main", "run", "do it", "--approve", "auto"]
    root = str(server.projects.all()[0].root)
    subprocess.run([*command, "--root", root, "--quiet"], check=True, capture_output=True)
    follower.wait_for(lambda seen: bool(seen) and seen[-1]["kind"] == "turn_ended")
    assert seqs(follower.seen) == list(range(1, len(follower.seen) + 1))


def test_a_quiet_stream_has_a_beat(
    start: Callable[..., RunningServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_hub, "BEAT_SECONDS", 0.1)
    server = start()
    url = f"/api/projects/{server.project}/events"
    with server.client.stream("GET", url) as answer:
        lines = answer.iter_lines()
        assert any(line == ": beat" for line in lines)


def test_a_follower_that_is_too_slow_is_cut_off_and_comes_back_by_its_last_id(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "holdfast.usecases.events.log_watch.LogWatch.follow.__kwdefaults__",
        {"after": 0, "session": None, "most": 1},
    )
    session = server.new_session()
    first = Follower(server, after=0)
    first.wait_for(bool)
    server.turn(session, "x")
    assert wait_until(lambda: first.ended)
    monkeypatch.undo()
    last = server.get(f"/projects/{server.project}")["last_seq"]
    again = Follower(server, after=first.seen[-1]["seq"])
    again.wait_for(lambda seen: bool(seen) and seen[-1]["seq"] == last)
    assert seqs(first.seen + again.seen) == list(range(1, last + 1))


def test_a_follower_that_reads_nothing_slows_no_turn_and_no_other_follower(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = (
        f"GET /api/projects/{server.project}/events?after=0 HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    )
    with socket.socket() as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.connect(("127.0.0.1", server.port))
        stuck.sendall(request.encode())
        session = server.new_session()
        follower = Follower(server, after=0)
        assert wait_until(lambda: server.get("/health")["followers"] == 2)
        for number in range(3):
            server.turn(session, f"{number} " + "long " * 5_000)
        last = server.get(f"/projects/{server.project}")["last_seq"]
        follower.wait_for(lambda seen: seen[-1]["seq"] == last)
        assert seqs(follower.seen) == list(range(1, last + 1))


def test_a_follower_that_has_gone_is_forgotten(server: RunningServer) -> None:
    server.new_session()
    for _ in range(5):
        server.events()
    watch = server.projects.all()[0].watch
    assert wait_until(lambda: server.get("/health")["followers"] == 0)
    assert wait_until(lambda: not watch._followers)


def test_events_of_a_project_that_is_not_served_are_not_found(server: RunningServer) -> None:
    assert server.get("/projects/0123abcd/events", 404)["code"] == "not_found"
