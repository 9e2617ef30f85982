"""kill -9 in the middle of a turn: the transcript can be read, the files are as recorded, the session goes on."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from holdfast.adapters.places.place_records import find_place
from holdfast.adapters.store.change_log import StoredChanges
from holdfast.adapters.store.store import open_store
from holdfast.testing import ScriptedServer, call, hang, say, slow
from tests.end_to_end.run.project import CHECKOUT, TEXT, Project, finish, read_until
from tests.waiting import LONGEST

pytestmark = pytest.mark.e2e

EDIT = call("edit_file", path="a.py", old="x = 1", new="x = 2")


def assert_interrupted_and_continued(project: Project, session: str) -> list[dict[str, object]]:
    """Have the next run say so, and the session go on; gives what the model was sent."""
    with ScriptedServer([say("Hello."), say("I go on.")]) as server:
        other = project.run("Something else.", server=server)
        assert (
            f"session {session} was interrupted; to go on: holdfast run --continue {session}"
            in other.err
        )
        assert project.turns()[0] == ("interrupted", "interrupted")
        sentinels = [
            body["sentinel"] for _, kind, body in project.transcript(session) if kind == "sentinel"
        ]
        assert [(each["kind"], each["body"]) for each in sentinels] == [
            ("interrupted", {"can_continue": True})
        ]
        ran = project.run("--continue", session, server=server)
        assert (ran.code, ran.session, ran.err) == (0, session, "")
        return server.requests[-1].messages


def test_in_mid_stream(project: Project) -> None:
    with (
        ScriptedServer([EDIT, slow(say("Once upon a time"), threading.Event())]) as server,
        project.running("Do it.", server=server) as process,
    ):
        session = read_until(process.stdout, "turn_started")[-1]["session"]
        read_until(process.stdout, "text")
        process.kill()
        process.wait()
    assert project.turns() == [("running", None)]
    kinds = [(role, kind) for role, kind, _ in project.transcript(session)]
    assert kinds == [("user", "text"), ("assistant", "said"), ("assistant", "call_ended")]
    assert project.texts() == {"a.py": TEXT.replace("1", "2")}
    sent = assert_interrupted_and_continued(project, session)
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]


def test_while_a_command_runs(project: Project) -> None:
    pipe = project.root / "pipe"
    os.mkfifo(pipe)
    with (
        ScriptedServer([call("run_command", command="cat pipe")]) as server,
        project.running("Do it.", "--approve", "auto", server=server) as process,
    ):
        session = read_until(process.stdout, "turn_started")[-1]["session"]
        writer = os.open(pipe, os.O_WRONLY)
        process.kill()
        process.wait()
        os.close(writer)
    assert [kind for _, kind, _ in project.transcript(session)] == ["text", "said"]
    sent = assert_interrupted_and_continued(project, session)
    assert str(sent[-1]["content"]).startswith("Interrupted before this finished")


def test_a_session_that_is_still_running_is_not_taken_over(project: Project) -> None:
    gate, asked = threading.Event(), threading.Event()
    with (
        ScriptedServer(
            [hang(gate, EDIT), say("Done.")], on_request=lambda _: asked.set()
        ) as server,
        project.running("Do it.", server=server) as process,
    ):
        session = read_until(process.stdout, "turn_started")[-1]["session"]
        assert asked.wait(LONGEST)
        second = project.run("Me too.", "--continue", session, server=server)
        assert (second.code, second.ended["stop_reason"]) == (1, "failed")
        assert f"session {session}: a turn of it is still running" in second.err
        gate.set()
        first = finish(process)
    assert (first.code, first.ended["files"]) == (0, ["a.py"])
    assert project.turns() == [("done", "done")]


def test_two_runs_at_once_in_one_project(project: Project) -> None:
    project.write("b.py", TEXT)
    edits = {name: call("edit_file", path=f"{name}.py", old="x = 1", new="x = 2") for name in "ab"}
    gates = {name: threading.Event() for name in "ab"}
    with (
        ScriptedServer(
            [hang(gates["a"], edits["a"]), say("Done.")], on_request=lambda _: gates["b"].set()
        ) as one,
        ScriptedServer(
            [hang(gates["b"], edits["b"]), say("Done.")], on_request=lambda _: gates["a"].set()
        ) as two,
        project.running("Change a.", server=one) as first,
        project.running("Change b.", server=two) as second,
    ):
        # Each is answered when the other one has asked: both are in the middle of their turns.
        ended = [finish(first), finish(second)]
    assert [(ran.code, ran.ended["files"], ran.err) for ran in ended] == [
        (0, ["a.py"], ""),
        (0, ["b.py"], ""),
    ]
    assert project.texts() == {"a.py": TEXT.replace("1", "2"), "b.py": TEXT.replace("1", "2")}


@pytest.mark.slow
def test_a_kill_at_any_effect_leaves_files_that_match_the_record(
    project: Project, tmp_path: Path
) -> None:
    script = [EDIT, call("write_file", path="b.py", content="b = 1\n"), say("Done.")]
    dying = {"PYTHONPATH": f"{CHECKOUT / 'tests/end_to_end/dying'}:{CHECKOUT}"}
    count = tmp_path / "count"
    with ScriptedServer(script) as server:
        assert project.run("Do it.", server=server, COUNT_INTO=str(count), **dying).code == 0
    effects = int(count.read_text())
    assert effects > 20
    reached = set()
    for part in (2, 4, 5, 6, 7):
        place = tmp_path / str(part)
        place.mkdir()
        one = Project(place)
        with ScriptedServer(script) as server:
            ran = one.run("Do it.", server=server, DIE_AT=str(effects * part // 8), **dying)
        assert ran.code == -signal.SIGKILL
        with ScriptedServer([say("Hello.")]) as server:
            assert one.run("Hello.", server=server).code == 0
        with open_store(str(one.state / "holdfast.sqlite3")) as store:
            log = StoredChanges(store, find_place(one.root, one.state))
            assert {change.state for change in log.list()} <= {"applied", "rejected"}
            applied = {path for change in log.list(state="applied") for path in change.paths}
        changed = {name for name, text in one.texts().items() if text != TEXT}
        assert changed == applied, part
        reached.add(len(applied))
    assert reached == {0, 1, 2}
