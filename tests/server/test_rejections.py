"""Rejections: they wait for the end of a turn, wherever it runs, and survive the server."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.server.rejections import settle_rejections
from holdfast.testing import ScriptedServer, call, hang, say
from holdfast.usecases.changes.ports import NewRejection
from tests.server.harness import RunningServer
from tests.waiting import LONGEST, wait_until

pytestmark = pytest.mark.slow  # each starts a server and runs turns: `make quick` does without

BEFORE = "".join(f"line {number}\n" for number in range(1, 61))
AFTER = BEFORE.replace("line 3\n", "three\n").replace("line 50\n", "fifty\n")


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


@pytest.fixture
def script(gate: threading.Event) -> Any:
    """Return a model that writes long.txt, waits at the gate, or repeats what it hears."""

    def answer(request: Any) -> Any:
        last = request.messages[-1]
        if last["role"] == "tool":
            return say("Done.")
        if "write" in str(last["content"]):
            return call("write_file", path="long.txt", content=AFTER)
        if "hang" in str(last["content"]):
            return hang(gate, say("Late."))
        return say("Heard.")

    return answer


def changed(server: RunningServer, root: Path, **body: Any) -> tuple[str, str]:
    """Return a session and its change of long.txt, which has two hunks."""
    (root / "long.txt").write_text(BEFORE)
    session = server.new_session(**body)
    server.turn(session, "write")
    (change,) = server.get(f"/sessions/{session}/changes")["changes"]
    return session, change["id"]


def waits_for_running(server: RunningServer, session: str) -> None:
    assert wait_until(lambda: server.state(session) == "running")


def rejections(server: RunningServer, session: str) -> list[tuple[list[int], str]]:
    listed = server.get(f"/sessions/{session}/changes")["rejections"]
    return [(each["hunks"], each["state"]) for each in listed]


def test_a_rejection_during_a_turn_waits_on_record_and_is_done_at_its_end(
    server: RunningServer, root: Path, gate: threading.Event
) -> None:
    session, change = changed(server, root)
    server.send(session, "hang")
    waits_for_running(server, session)
    wrong = server.post(f"/changes/{change}/reject", {"hunks": [3]}, 409)
    assert wrong["refusals"][0]["reason"] == "out_of_bounds"
    for hunk in (1, 2, 2):
        told = server.post(f"/changes/{change}/reject", {"hunks": [hunk]})
        assert (told["outcome"], told["waits"]) == ("waits", True)
    assert rejections(server, session) == [([1], "waiting"), ([2], "waiting"), ([2], "waiting")]
    assert (root / "long.txt").read_text() == AFTER
    gate.set()
    server.wait_for(session, "done")
    assert wait_until(lambda: not rejections(server, session))
    assert (root / "long.txt").read_text() == BEFORE
    queued = [each for each in server.events(session) if each["kind"] == "rejection_queued"]
    assert [(each["hunks"], each["state"]) for each in queued] == [
        ([1], "waiting"),
        ([2], "waiting"),
        ([2], "waiting"),
        ([1], "done"),
        ([2], "done"),
        ([2], "done"),
    ]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_rewind_during_a_turn_stops_the_turn_first_wherever_it_runs(
    start: Callable[..., RunningServer], root: Path, model: ScriptedServer, *, elsewhere: bool
) -> None:
    here = start()
    there = start() if elsewhere else here
    session, change = changed(here, root)
    turn = there.send(session, "hang")["turn_id"]
    waits_for_running(here, session)
    waits = there.send(session, "later")
    told = here.post(f"/changes/{change}/rewind")
    assert (root / "long.txt").read_text() == BEFORE
    assert (told["outcome"], told["message"]) == (
        "rewound",
        f"stopped turn {turn} of session {session}.",
    )
    ends = [each for each in here.events(session) if each["kind"] == "turn_ended"]
    assert (ends[-1]["turn"], ends[-1]["stop_reason"], ends[-1]["message"]) == (
        turn,
        "cancelled",
        f"Stopped: an undo of change {change} was asked for.",
    )
    # What waited during the turn waits on.
    queue = here.get(f"/sessions/{session}/queue")["queue"]
    assert [each["id"] for each in queue] == [waits["message_id"]]
    again = here.post(f"/changes/{change}/rewind", None, 409)
    assert again["code"] == "refused"


def test_a_turn_in_another_process_is_waited_for_too(
    start: Callable[..., RunningServer], root: Path, model: ScriptedServer, gate: threading.Event
) -> None:
    here, there = start(), start()
    session, change = changed(here, root)
    there.send(session, "hang")
    waits_for_running(here, session)
    assert here.post(f"/changes/{change}/reject", {"hunks": [2]})["outcome"] == "waits"
    gate.set()
    assert wait_until(lambda: not rejections(here, session))
    assert (root / "long.txt").read_text() == BEFORE.replace("line 3\n", "three\n")


def test_of_two_servers_that_wait_for_the_same_end_one_rejects(
    start: Callable[..., RunningServer], root: Path, model: ScriptedServer
) -> None:
    here, there = start(), start()
    session, change = changed(here, root)
    mine, theirs = here.projects.all()[0], there.projects.all()[0]
    mine.rejections.add(session, NewRejection(change, (2,), ("long.txt",)), waits=True)
    with theirs.review_of(session):
        thread = threading.Thread(target=settle_rejections, args=(mine, session))
        thread.start()
        thread.join(1)
        assert thread.is_alive()
        theirs.rejections.settle(theirs.rejections.waiting(session))
    thread.join(LONGEST)
    # As if the other one had taken the hunk out: this one leaves the file alone.
    assert (root / "long.txt").read_text() == AFTER


def test_a_rejection_that_cannot_be_done_says_why_and_the_model_is_told(
    server: RunningServer, root: Path, model: ScriptedServer, gate: threading.Event
) -> None:
    session, change = changed(server, root)
    server.send(session, "hang")
    waits_for_running(server, session)
    server.post(f"/changes/{change}/reject", {"reason": "too long"})
    (root / "long.txt").write_text("somebody else's\n")
    gate.set()
    assert wait_until(lambda: rejections(server, session) == [([], "refused")])
    (refused,) = server.get(f"/sessions/{session}/changes")["rejections"]
    assert "long.txt" in refused["why"]
    server.turn(session, "go on")
    assert "(they are still in the files), and says: too long" in str(model.requests[-1])
    assert rejections(server, session) == []


@pytest.mark.parametrize("words", [[], ["and on"]])
def test_a_reason_is_told_by_whatever_command_goes_on_with_the_session(
    words: list[str], start: Callable[..., RunningServer], root: Path, model: ScriptedServer
) -> None:
    server = start()
    session, change = changed(server, root, mode="review")
    server.post(f"/changes/{change}/reject", {"hunks": [1], "reason": "not three"})
    server.stop()
    command = [sys.executable, "-m", "holdfast.cli.main", "run", "--continue", session, *words]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "rejected some edits of long.txt, and says: not three" in str(
        model.requests[-1].messages[-1]
    )


def test_a_reason_survives_the_server_and_is_told_once(
    start: Callable[..., RunningServer], root: Path, model: ScriptedServer
) -> None:
    first = start()
    session, change = changed(first, root, mode="review")
    first.post(f"/changes/{change}/reject", {"hunks": [1], "reason": "not three"})
    first.stop()
    second = start()
    second.turn(session, "go on")
    assert "rejected some edits of long.txt, and says: not three" in str(model.requests[-1])
    second.turn(session, "and on")
    assert "not three" not in str(model.requests[-1].messages[-1])
