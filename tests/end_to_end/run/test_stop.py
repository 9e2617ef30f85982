"""A turn in one process is stopped by a command in another, before a file is restored."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import RecordedRequest, Reply, ScriptedServer, call, hang, say
from tests.end_to_end.run.project import Project, Ran, finish, read_until
from tests.samples import sample
from tests.waiting import LONGEST, has_text, is_alive, wait_until, wait_until_gone

pytestmark = pytest.mark.e2e

QUIET_SECONDS = float(os.environ.get("HOLDFAST_TEST_QUIET_SECONDS", "1.5"))
"""How long the restored files are watched; `make soak` watches longer."""
WRITES = "i=0; while :; do i=$((i+1)); echo $i > noise.txt; echo $i > a.py; sleep 0.05; done"
DAEMON = (
    f"setsid sh -c 'trap \"\" TERM HUP; echo $$ > pid; {WRITES}' </dev/null >/dev/null 2>&1 & "
    "while [ ! -s noise.txt ]; do sleep 0.01; done"
)
"""A shell command that leaves a process in a session of its own, which ignores SIGTERM."""
FACTS = {
    "checkpoint_id",
    "messages_deleted",
    "worktree_reset",
    "backend_reset",
    "undo_checkpoint_id",
}
SCOPES = [("--files",), ()]


@pytest.fixture(autouse=True)
def unconfined(project: Project) -> None:
    """Run commands without a sandbox: in one, a process has another number, and none outlives its command."""
    project.variables["HOLDFAST_SANDBOX"] = "off"


@pytest.fixture(autouse=True)
def leave_no_process(project: Project) -> Iterator[None]:
    """Kill what a command of this test has left, if no restore has."""
    yield
    left = project.root / "pid"
    if left.exists() and is_alive(int(left.read_text())):
        os.kill(int(left.read_text()), signal.SIGKILL)


def stays(project: Project, texts: dict[str, str]) -> bool:
    """Return whether the files are so, and stay so for a while."""
    until = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < until:
        if project.texts() != texts:
            return False
        time.sleep(0.02)
    return True


def facts(ran: Ran) -> dict[str, Any]:
    told = json.loads(ran.out)
    return {name: told[name] for name in FACTS}


def ends(project: Project) -> list[dict[str, Any]]:
    """Return the ends of turns in the log."""
    logged = project.holdfast("events", "--json").events
    return [event for event in logged if event["kind"] == "turn_ended"]


@contextmanager
def at_work(
    project: Project, server: ScriptedServer, *words: str
) -> Iterator[tuple[subprocess.Popen[bytes], str, str]]:
    """Run a turn; yield its process, session and checkpoint."""
    with project.running("Do it.", *words, "--approve", "auto", server=server) as process:
        begun = read_until(process.stdout, "checkpoint_taken")
        yield process, begun[0]["session"], begun[-1]["checkpoint_id"]


def judge(
    project: Project,
    stopped: Ran,
    restored: Ran,
    checkpoint: str,
    before: dict[str, str],
    scope: tuple[str, ...],
) -> None:
    """Compare what both processes have said with the files and the records."""
    assert (restored.code, stopped.code) == (0, 130), (restored, stopped)
    sentence = f"Stopped: a restore of checkpoint {checkpoint} was asked for."
    ended = stopped.ended
    assert (ended["stop_reason"], ended["ended_by"]) == ("cancelled", "stop")
    assert ended["message"] == sentence
    told = facts(restored)
    assert told == {
        "checkpoint_id": checkpoint,
        "messages_deleted": 0 if scope else 1,
        "worktree_reset": True,
        "backend_reset": True,
        "undo_checkpoint_id": told["undo_checkpoint_id"],
    }
    assert stays(project, before)
    assert project.turns() == [("cancelled", "cancelled")]
    assert [(each["message"], each["ended_by"]) for each in ends(project)] == [(sentence, "stop")]


@pytest.mark.parametrize("scope", sample(SCOPES, 1))
def test_a_restore_during_a_model_call(project: Project, scope: tuple[str, ...]) -> None:
    before = project.texts()
    script = [call("write_file", path="b.py", text="x\n"), hang(threading.Event())]
    with ScriptedServer(script) as server, at_work(project, server) as (process, session, taken):
        assert wait_until(lambda: len(server.requests) == 2)
        parts = project.transcript(session)
        changed = project.texts()
        assert changed != before
        restored = project.holdfast("checkpoint", "restore", taken, "--json", *scope)
        judge(project, finish(process), restored, taken, before, scope)
        assert server.wait_for_disconnect(LONGEST)
    undone = json.loads(project.holdfast("checkpoint", "undo", "--json").out)
    assert undone["messages_brought_back"] == (0 if scope else 1)
    assert project.texts() == changed
    assert project.transcript(session) == parts


@pytest.mark.parametrize("scope", SCOPES)
def test_a_restore_during_a_command_that_writes_all_the_time(
    project: Project, scope: tuple[str, ...]
) -> None:
    before = project.texts()
    with (
        ScriptedServer([call("run_command", command=WRITES), say("unreached")]) as server,
        at_work(project, server) as (process, session, taken),
    ):
        assert wait_until(lambda: has_text(project.root / "noise.txt"))
        restored = project.holdfast("checkpoint", "restore", taken, "--json", *scope)
        judge(project, finish(process), restored, taken, before, scope)
        assert len(server.requests) == 1
    project.holdfast("checkpoint", "undo")
    assert project.texts().keys() == {"a.py", "noise.txt"}
    assert [kind for _, kind, _ in project.transcript(session)][:2] == ["text", "said"]


@pytest.mark.parametrize("scope", sample(SCOPES, 1))
def test_a_restore_while_edits_land_one_after_the_other(
    project: Project, scope: tuple[str, ...]
) -> None:
    before = project.texts()

    def edit(request: RecordedRequest) -> Reply:
        return call("write_file", path=f"e{len(request.messages)}.py", text="edited\n")

    with (
        ScriptedServer(edit) as server,
        at_work(project, server, "--max-steps", "1000") as (process, _, taken),
    ):
        assert wait_until(lambda: len(list(project.root.glob("e*.py"))) > 2)
        restored = project.holdfast("checkpoint", "restore", taken, "--json", *scope)
        judge(project, finish(process), restored, taken, before, scope)
        assert project.holdfast("changes", "list").code == 0
        assert stays(project, before)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        # The turn has recorded what its command wrote: that is the last change.
        (("undo",), {"b.py": "x\n"}),
        (("undo", "--turn"), {}),
        (("changes", "rewind", "CHANGE"), {"noise.txt": "again\n"}),
    ],
)
def test_a_change_of_a_turn_that_runs_is_taken_back_after_the_turn_was_stopped(
    project: Project, words: tuple[str, ...], left: dict[str, str]
) -> None:
    before = project.texts()
    # Killed between the opening and the writing of the file, it would leave an empty one.
    loop = "while :; do [ -s noise.txt ] || echo again > noise.txt; sleep 0.05; done"
    script = [call("write_file", path="b.py", text="x\n"), call("run_command", command=loop)]
    with ScriptedServer(script) as server, at_work(project, server) as (process, session, _):
        assert wait_until(lambda: has_text(project.root / "noise.txt"))
        change = json.loads(project.holdfast("changes", "list", "--json").out)["changes"][0]["id"]
        told = [word.replace("CHANGE", change) for word in words]
        taken_back = json.loads(project.holdfast(*told, "--json").out)
        ended = finish(process).ended
    sentence = f"Stopped: an undo of change {change} was asked for."
    assert (ended["stop_reason"], ended["message"]) == ("cancelled", sentence)
    turn = ends(project)[-1]["turn"]
    assert taken_back["notes"][0] == f"stopped turn {turn} of session {session}."
    assert stays(project, before | left)


def test_a_rewind_of_what_is_rewound_already_stops_no_turn(project: Project) -> None:
    gate = threading.Event()
    script = [
        call("write_file", path="b.py", text="x\n"),
        say("Written."),
        hang(gate, say("Done.")),
    ]
    with ScriptedServer(script) as server:
        session = project.run("Do it.", "--approve", "auto", server=server).session
        change = json.loads(project.holdfast("changes", "list", "--json").out)["changes"][0]["id"]
        assert project.holdfast("changes", "rewind", change).code == 0
        with at_work(project, server, "--continue", session) as (process, _, _):
            assert wait_until(lambda: len(server.requests) == 3)
            refused = project.holdfast("changes", "rewind", change)
            gate.set()
            ended = finish(process).ended
    assert (refused.code, ended["stop_reason"]) == (1, "done")


def test_a_process_that_left_the_command_and_ignores_signals_is_ended_too(
    project: Project,
) -> None:
    before = project.texts()
    script = [call("run_command", command=DAEMON), hang(threading.Event())]
    with ScriptedServer(script) as server, at_work(project, server) as (process, _, taken):
        assert wait_until(lambda: has_text(project.root / "noise.txt"))
        daemon = int((project.root / "pid").read_text())
        assert wait_until(lambda: len(server.requests) == 2)
        assert is_alive(daemon)
        restored = project.holdfast("checkpoint", "restore", taken, "--json", "--files")
        judge(project, finish(process), restored, taken, before, ("--files",))
        assert not is_alive(daemon)
        assert f"ended processes that turns had started: {daemon}" in restored.err


def test_what_a_killed_turn_left_running_is_ended_before_the_files_are_restored(
    project: Project,
) -> None:
    before = project.texts()
    script = [call("run_command", command=DAEMON), hang(threading.Event())]
    with ScriptedServer(script) as server, at_work(project, server) as (process, _, taken):
        assert wait_until(lambda: len(server.requests) == 2)
        assert wait_until(lambda: has_text(project.root / "noise.txt"))
        process.kill()
        process.wait()
        daemon = int((project.root / "pid").read_text())
        assert is_alive(daemon)
        restored = project.holdfast("checkpoint", "restore", taken, "--json")
    assert facts(restored)["backend_reset"] is True
    assert not is_alive(daemon)
    assert stays(project, before)
    assert project.turns() == [("cancelled", "restore")]
    assert len(ends(project)) == 1


def test_a_restore_where_nothing_runs_resets_nothing(project: Project) -> None:
    with ScriptedServer([say("Done.")]) as server:
        project.run("Do it.", server=server)
    (taken,) = [row[0] for row in project.query("select id from checkpoints")]
    assert (
        facts(project.holdfast("checkpoint", "restore", taken, "--json"))["backend_reset"] is False
    )


def test_a_turn_of_another_session_in_the_same_files_is_stopped_too(project: Project) -> None:
    project.holdfast("checkpoint", "create")
    (manual,) = [row[0] for row in project.query("select id from checkpoints")]
    before = project.texts()
    (project.root / "sub").mkdir()
    with (
        ScriptedServer([call("run_command", command=WRITES)]) as server,
        at_work(project, server) as (process, _, _),
    ):
        assert wait_until(lambda: has_text(project.root / "noise.txt"))
        restored = project.holdfast("checkpoint", "restore", manual, "--json")
        judge(project, finish(process), restored, manual, before, ("--files",))


def test_cancel_stops_the_turn_and_its_command(project: Project) -> None:
    with (
        ScriptedServer([call("run_command", command=f"echo $$ > pid; {WRITES}")]) as server,
        at_work(project, server) as (process, session, _),
    ):
        assert wait_until(lambda: has_text(project.root / "noise.txt"))
        told = project.holdfast("cancel", session[:6], "--json")
        (turn,) = [row[0] for row in project.query("select id from turns")]
        assert (told.code, json.loads(told.out)) == (
            0,
            {
                "session": session,
                "turns": [turn],
                "stopped": True,
                "message": f"session {session}: stopped turn {turn}.",
            },
        )
        ran = finish(process)
        assert wait_until_gone(int((project.root / "pid").read_text()))
        assert stays(project, project.texts())
    assert (ran.code, ran.ended["message"]) == (130, "Stopped by `holdfast cancel`.")
    assert [each["message"] for each in ends(project)] == ["Stopped by `holdfast cancel`."]
    again = project.holdfast("cancel", session)
    assert (again.code, again.out) == (0, f"session {session}: nothing is running.\n")


def test_cancel_of_a_session_that_is_not_there_is_refused(project: Project) -> None:
    told = project.holdfast("cancel", "nowhere", "--json")
    assert told.code == 1
    assert json.loads(told.out)["problems"] == [
        "nowhere: there is no such session in this project; `holdfast events` names them."
    ]


def test_a_command_of_a_turn_cannot_stop_its_own_turn(project: Project) -> None:
    words = " ".join(project.words("checkpoint", "create", "--json"))
    restore = " ".join(project.words("checkpoint", "restore", "--files", "$(cat id)"))
    create = f'{words} > made; sed \'s/.*"id": "\\([0-9a-f]*\\)".*/\\1/\' made > id; {restore}'
    with ScriptedServer([call("run_command", command=create), say("Done.")]) as server:
        ran = project.run("Do it.", "--approve", "auto", server=server)
    (answer,) = [event["text"] for event in ran.events if event["kind"] == "call_ended"]
    assert "this command was started by turn" in answer
    assert ran.code == 0


@pytest.mark.waits
def test_a_turn_whose_process_does_not_react_is_ended_with_its_process(project: Project) -> None:
    before = project.texts()
    script = [call("write_file", path="b.py", text="x\n"), hang(threading.Event())]
    with ScriptedServer(script) as server, at_work(project, server) as (process, _, taken):
        assert wait_until(lambda: len(server.requests) == 2)
        process.send_signal(signal.SIGSTOP)
        restored = project.holdfast("checkpoint", "restore", taken, "--json")
        assert (restored.code, facts(restored)["backend_reset"]) == (0, True)
        assert process.wait(LONGEST) == -signal.SIGKILL
    assert stays(project, before)
    assert project.turns() == [("cancelled", "cancelled")]
    assert [each["message"] for each in ends(project)] == [
        f"Stopped: a restore of checkpoint {taken} was asked for."
    ]


@pytest.mark.waits
def test_a_turn_whose_process_is_stopped_while_it_writes_to_the_store_is_ended(
    project: Project,
) -> None:
    before = project.texts()
    reads = [call("read_file", path="a.py", limit=number) for number in range(1, 400)]
    with ScriptedServer(reads) as server, at_work(project, server) as (process, _, taken):
        stop_while_writing(process, project.state / "holdfast.sqlite3.queue")
        restored = project.holdfast("checkpoint", "restore", taken, "--json")
        assert (restored.code, facts(restored)["backend_reset"]) == (0, True)
        assert process.wait(LONGEST) == -signal.SIGKILL
    assert stays(project, before)
    assert project.turns() == [("cancelled", "cancelled")]


def stop_while_writing(process: subprocess.Popen[bytes], queue: Path) -> None:
    """Send SIGSTOP at a moment at which the process has the store's write queue."""
    with queue.open("rb") as file:
        for _ in range(100_000):
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            fcntl.flock(file, fcntl.LOCK_UN)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.0005)
    raise AssertionError
