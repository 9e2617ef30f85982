"""`holdfast events --follow` as a process of its own, while other processes work on the project."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.run.project import Project, Ran
from tests.waiting import LONGEST


class Follower:
    """A process that follows the log; each line is read as it comes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.seen: list[dict[str, Any]] = []

    def read_until(self, kind: str) -> list[dict[str, Any]]:
        """Return the events up to the next one of a kind."""
        assert self.process.stdout is not None
        new: list[dict[str, Any]] = []
        while not new or new[-1]["kind"] != kind:
            line = self.process.stdout.readline()
            assert line, (new, self.process.poll())
            new.append(json.loads(line))
        self.seen += new
        return new


@contextmanager
def following(project: Project, *words: str) -> Iterator[Follower]:
    process = subprocess.Popen(
        project.words("events", "--follow", "--json", *words),
        env=project.environment(),
        cwd=project.place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield Follower(process)
        finally:
            process.kill()


def done(ran: Ran) -> dict[str, Any]:
    assert ran.code == 0, (ran.out, ran.err)
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def test_what_other_processes_do_is_followed_in_order_without_a_gap(project: Project) -> None:
    with following(project) as log:
        # It began before there was a store, and made none.
        reply = json.dumps({"path": "a.py", "old": "x = 1", "new": "x = 5"})
        done(project.holdfast("apply", "--json", given=reply))
        applied = log.read_until("edit_landed")
        done(project.holdfast("undo", "--json"))
        undone = log.read_until("change_moved")
        taken = done(project.holdfast("checkpoint", "create", "--json"))
        created = log.read_until("checkpoint_taken")
        project.write("a.py", "gone\n")
        done(project.holdfast("checkpoint", "restore", taken["id"], "--json"))
        restored = log.read_until("restored")
        project.write("b.py", "def f(:\n    pass\n")
        project.holdfast("repair", "b.py", "--no-model", "--json")
        repaired = log.read_until("repair")
        script = [call("write_file", path="c.txt", text="new\n"), say("Done.")]
        with ScriptedServer(script) as server:
            ran = project.run("Write it.", "--approve", "auto", server=server)
        assert ran.code == 0, ran.err
        turn = log.read_until("turn_ended")
        assert [event["seq"] for event in log.seen] == list(range(1, len(log.seen) + 1))
        log.process.send_signal(signal.SIGINT)
        assert log.process.wait(LONGEST) == 130
    assert [event["kind"] for event in applied] == ["change_moved", "change_moved", "edit_landed"]
    assert [event["state"] for event in undone] == ["rewound"]
    assert created[0]["checkpoint_id"] == taken["id"]
    assert (restored[0]["verb"], restored[0]["scope"], restored[0]["checkpoint_id"]) == (
        "restore",
        "files",
        taken["id"],
    )
    assert repaired[0]["path"] == "b.py"
    assert {event["session"] for event in applied + undone + created + restored} == {None}
    assert turn[0]["kind"] == "turn_started"
    assert {(event["session"], event["turn"]) for event in turn} == {(ran.session, turn[0]["turn"])}
    kinds = [event["kind"] for event in turn]
    assert kinds.index("call_started") < kinds.index("edit_landed") < kinds.index("call_ended")
    assert kinds.count("edit_landed") == kinds.count("checkpoint_taken") == 1
    # The lines of the turn are those that the log has, but for the pieces of the stream.
    shown = [event["kind"] for event in ran.events if event["kind"] not in {"text", "reasoning"}]
    assert [kind for kind in kinds if kind not in {"text", "reasoning"}] == shown


def test_a_gc_leaves_no_gap_for_who_follows_and_says_to_others_how_many_are_gone(
    project: Project,
) -> None:
    with ScriptedServer([], otherwise=say("Done.")) as server, following(project) as log:
        session = project.run("Hello.", server=server).session
        log.read_until("turn_ended")
        done(project.holdfast("sessions", "delete", session, "--yes", "--json"))
        log.read_until("session_deleted")
        removed = done(project.holdfast("gc", "--json"))["removed"]["events"]
        log.read_until("garbage_collected")
        done(project.holdfast("checkpoint", "create", "--json"))
        log.read_until("checkpoint_taken")
    assert [event["seq"] for event in log.seen] == list(range(1, len(log.seen) + 1))
    later = project.holdfast("events", "--json").events
    collected = [event for event in later if event["kind"] == "garbage_collected"]
    assert [event["events_removed"] for event in collected] == [removed]
    assert removed == len(log.seen) - len(later) > 0
    assert [event for event in log.seen if event in later] == later


def test_a_log_is_printed_from_a_number_on_and_for_a_session(project: Project) -> None:
    script = [call("write_file", path="c.txt", text="new\n"), say("Done.")]
    with ScriptedServer(script) as server:
        ran = project.run("Write it.", "--approve", "auto", server=server)
    done(project.holdfast("undo", "--json"))
    whole = project.holdfast("events", "--json").events
    assert [event["seq"] for event in whole] == list(range(1, len(whole) + 1))
    assert project.holdfast("events", "--json", "--after", "3").events == whole[3:]
    ours = project.holdfast("events", "--json", "--session", ran.session[:6]).events
    # The change that was undone belongs to the session in which it was made.
    assert ours == whole
    assert project.holdfast("events", "--json", "--session", "none").out == ""
    words = project.holdfast("events").out.splitlines()
    assert len(words) == len(whole)
    assert "turn_started" in words[0]


def test_to_read_makes_no_store(project: Project) -> None:
    ran = project.holdfast("events")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert not project.state.exists()


def test_a_follower_whose_reader_is_gone_ends(project: Project) -> None:
    with following(project) as log:
        assert log.process.stdout is not None
        log.process.stdout.close()
        assert log.process.wait(LONGEST) == 0
