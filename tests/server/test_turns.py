"""Turns of the server: sent, queued, cancelled, continued, asked about, ended with the server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.store.store import Store
from holdfast.testing import ScriptedServer, call, hang, say
from tests.server.harness import Follower, RunningServer
from tests.waiting import LONGEST, wait_until

pytestmark = pytest.mark.slow  # each starts a server and runs turns: `make quick` does without


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


@pytest.fixture
def script(gate: threading.Event) -> Any:
    """Return a model that does what the last prompt says."""

    def answer(request: Any) -> Any:
        last = request.messages[-1]
        # Of a turn that was cancelled before an answer, the prompt is in the same message.
        words = str(last.get("content")).strip().splitlines()[-1]
        if last["role"] == "tool":
            return say("Done.")
        if "hang" in words:
            return hang(gate, say("Late."))
        if "edit" in words:
            return call("edit_file", path="a.py", old="x = 1\n", new="x = 2\n")
        if "touch" in words:
            return call("run_command", command="touch made.txt")
        return say(f"Heard {words[:40]}.")

    return answer


def test_a_message_becomes_a_turn_with_the_ids_that_were_answered(
    server: RunningServer, root: Path
) -> None:
    session = server.new_session()
    sent = server.turn(session, "edit it")
    assert (root / "a.py").read_text() == "x = 2\n"
    page = server.get(f"/sessions/{session}/messages")
    answer, prompt = page["messages"]
    assert (prompt["id"], prompt["text"], prompt["turn_id"]) == (
        sent["message_id"],
        "edit it",
        sent["turn_id"],
    )
    assert (answer["role"], answer["state"], answer["text"]) == ("assistant", "done", "Done.")
    assert answer["checkpoint_id"] == prompt["checkpoint_id"] is not None
    assert [event["kind"] for event in answer["events"]][-1] == "turn_ended"
    assert page["before"] is None
    assert page["seq"] == server.get(f"/projects/{server.project}")["last_seq"]


def test_the_same_client_id_starts_nothing_a_second_time(server: RunningServer) -> None:
    session = server.new_session()
    first = server.turn(session, "one", client_id="same")
    again = server.send(session, "two", client_id="same")
    assert again == first
    assert [each["role"] for each in server.get(f"/sessions/{session}/messages")["messages"]] == [
        "assistant",
        "user",
    ]


def test_a_message_while_a_turn_runs_waits_and_can_be_edited_and_removed(
    server: RunningServer, gate: threading.Event
) -> None:
    session = server.new_session()
    server.send(session, "hang")
    server.wait_for(session, "running")
    second = server.send(session, "second")
    third = server.send(session, "third")
    assert second["queued"]
    assert third["queued"]
    server.patch(f"/sessions/{session}/queue/{second['message_id']}", {"text": "the second"})
    server.delete(f"/sessions/{session}/queue/{third['message_id']}")
    assert [each["text"] for each in server.get(f"/sessions/{session}/queue")["queue"]] == [
        "the second"
    ]
    assert (
        server.delete(f"/sessions/{session}/queue/{third['message_id']}", 404)["code"]
        == "not_found"
    )
    gate.set()
    assert wait_until(lambda: server.get(f"/sessions/{session}")["messages"] == 4)
    server.wait_for(session, "done")
    texts = [each["text"] for each in server.get(f"/sessions/{session}/messages")["messages"]]
    assert texts == ["Heard the second.", "the second", "Late.", "hang"]


def test_a_turn_is_cancelled_by_its_id_and_what_waits_waits_on(
    server: RunningServer, gate: threading.Event
) -> None:
    session = server.new_session()
    sent = server.send(session, "hang")
    server.wait_for(session, "running")
    server.send(session, "later")
    told = server.post(f"/turns/{sent['turn_id']}/cancel")
    assert told["outcome"] == "cancelled"
    found = server.wait_for(session, "stopped")
    assert (found["queued"], found["can_continue"]) == (1, True)
    again = server.post(f"/turns/{sent['turn_id']}/cancel")
    assert again["outcome"] == "nothing_running"
    assert server.post("/turns/nosuchturn/cancel", status=404)["code"] == "not_found"


def test_a_message_is_sent_now_in_place_of_the_turn_that_runs(
    server: RunningServer, gate: threading.Event
) -> None:
    session = server.new_session()
    server.send(session, "hang")
    server.wait_for(session, "running")
    server.send(session, "second")
    third = server.send(session, "third")
    server.post(f"/sessions/{session}/queue/{third['message_id']}/send", status=202)
    assert wait_until(lambda: server.get(f"/sessions/{session}")["messages"] == 6)
    server.wait_for(session, "done")
    texts = [each["text"] for each in server.get(f"/sessions/{session}/messages")["messages"]]
    assert texts[:4] == ["Heard second.", "second", "Heard third.", "third"]


def test_a_stopped_session_is_continued(server: RunningServer, gate: threading.Event) -> None:
    session = server.new_session()
    sent = server.send(session, "hang")
    server.wait_for(session, "running")
    assert server.post(f"/sessions/{session}/continue", status=409)["code"] == "turn_running"
    server.post(f"/turns/{sent['turn_id']}/cancel")
    gate.set()
    begun = server.post(f"/sessions/{session}/continue", status=202)
    assert begun["turn_id"] != sent["turn_id"]
    server.wait_for(session, "done")
    assert server.post(f"/sessions/{session}/continue", status=409)["code"] == "nothing_to_continue"


def test_of_many_answers_to_a_question_the_first_counts_and_the_others_are_told(
    server: RunningServer, root: Path
) -> None:
    session = server.new_session(mode="ask")
    server.send(session, "touch it")
    server.wait_for(session, "waiting")
    (asked,) = server.get("/approvals")["approvals"]
    assert (asked["what"], asked["subject"], asked["session"]) == (
        "command",
        "touch made.txt",
        session,
    )
    answers: list[Any] = []

    def answer(word: str) -> None:
        body = {"answer": word, "reason": "because" if word == "deny" else ""}
        answers.append(server.client.post(f"/api/approvals/{asked['id']}", json=body))

    threads = [threading.Thread(target=answer, args=(word,)) for word in ("once", "deny") * 5]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.status_code for each in answers) == [200] + [409] * 9
    (won,) = [each.json() for each in answers if each.status_code == 200]
    for lost in (each.json() for each in answers if each.status_code == 409):
        assert lost["code"] == "answered"
        assert won["answer"] in lost["detail"]
    server.wait_for(session, "done")
    assert (root / "made.txt").exists() == (won["answer"] == "once")


def test_the_reason_of_a_denial_is_told_to_the_model(
    server: RunningServer, model: ScriptedServer
) -> None:
    session = server.new_session(mode="ask")
    server.send(session, "touch it")
    server.wait_for(session, "waiting")
    (asked,) = server.get("/approvals")["approvals"]
    server.post(f"/approvals/{asked['id']}", {"answer": "deny", "reason": "not on a Monday"})
    server.wait_for(session, "done")
    assert "not on a Monday" in str(model.requests[-1].messages)


def test_eight_sessions_have_their_turns_at_once(
    server: RunningServer, model: ScriptedServer, gate: threading.Event
) -> None:
    sessions = [server.new_session() for _ in range(8)]
    for session in sessions:
        server.send(session, "hang")
    assert wait_until(lambda: len(model.requests) == 8)
    assert server.get("/health")["turns"] == 8
    gate.set()
    for session in sessions:
        server.wait_for(session, "done")


def test_a_held_up_store_does_not_hold_up_the_loop(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = server.new_session()
    query = Store.query
    entered, release = threading.Semaphore(0), threading.Event()

    def held_up(self: Store, *args: Any, **options: Any) -> Any:
        entered.release()
        release.wait(LONGEST)
        return query(self, *args, **options)

    monkeypatch.setattr(Store, "query", held_up)
    held = [
        threading.Thread(target=server.client.get, args=(f"/api/sessions/{session}",))
        for _ in range(30)
    ]
    for thread in held:
        thread.start()
    try:
        assert entered.acquire(timeout=LONGEST)
        for _ in range(5):
            assert server.get("/health")["status"] == "ok"
        # All five were answered while the others were held up.
        assert sum(thread.is_alive() for thread in held) == 30
    finally:
        release.set()
        for thread in held:
            thread.join()


def test_a_server_that_stops_marks_its_turns_as_interrupted_and_tells_followers(
    start: Callable[..., RunningServer],
    model: ScriptedServer,
    gate: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("holdfast.server.turn_threads.STEP_SECONDS", 0.2)
    server = start()
    session = server.new_session()
    follower = Follower(server, after=0)
    server.send(session, "hang")
    server.wait_for(session, "running")
    server.stop()
    follower.wait_for(lambda seen: bool(seen) and seen[-1]["kind"] == "stopping")
    last = [each for each in follower.seen if each["kind"] == "turn_ended"][-1]
    assert last["stop_reason"] == "interrupted"
    gate.set()
    again = start()
    found = again.get(f"/sessions/{session}")
    assert (found["state"], found["can_continue"]) == ("stopped", True)
    again.post(f"/sessions/{session}/continue", status=202)
    again.wait_for(session, "done")


def test_a_step_that_ends_in_time_is_let_end_and_no_other_begins(
    start: Callable[..., RunningServer], model: ScriptedServer, gate: threading.Event, root: Path
) -> None:
    server = start()
    session = server.new_session()
    server.send(session, "hang")
    server.wait_for(session, "running")
    assert wait_until(lambda: len(model.requests) == 1)
    threading.Timer(1.0, gate.set).start()
    server.stop()
    again = start()
    answer = again.get(f"/sessions/{session}/messages")["messages"][0]
    assert (answer["text"], answer["state"]) == ("Late.", "done")


def test_a_project_is_not_removed_while_the_server_works_there(
    server: RunningServer, gate: threading.Event
) -> None:
    session = server.new_session()
    turn = server.send(session, "hang")["turn_id"]
    assert wait_until(lambda: server.state(session) == "running")
    refused = server.delete(f"/projects/{server.project}", 409)
    assert (refused["code"], refused["detail"]) == (
        "turn_running",
        f"The server works on sessions of this project: {session}.",
    )
    gate.set()
    server.wait_for(session, "done")
    (ended,) = [each for each in server.events(session) if each["kind"] == "turn_ended"]
    assert (ended["turn"], ended["stop_reason"]) == (turn, "done")
    project = server.project
    assert wait_until(lambda: not server.get("/health")["turns"])

    def is_removed() -> bool:
        # The thread of the session looks at the queue once more after the end of its turn.
        return server.client.delete(f"/api/projects/{project}").status_code == 200

    assert wait_until(is_removed)
    assert server.get("/projects") == {"projects": []}
