"""A project that a server keeps open: sessions, their messages and their turns, without a command line."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoints.ports import FileVersion
from holdfast.config.settings import Settings
from holdfast.testing import ScriptedServer, call, say, slow
from holdfast.usecases.checkpoints.file_history import FilesCompared
from holdfast.usecases.checkpoints.preview import RestorePreview, preview_restore
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.sessions.message_ports import Attachment, NewMessage
from holdfast.usecases.sessions.session import (
    SessionRefused,
    archive_session,
    rename_session,
    show_session,
)
from holdfast.usecases.sessions.session_records import SessionQuery
from holdfast.usecases.settle_outcome import Restored
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.events import TurnEnded
from holdfast.wiring.projects.forks import fork_session
from holdfast.wiring.projects.new_sessions import SessionMade, SessionRequest, create_session
from holdfast.wiring.projects.open_project import OpenProject
from holdfast.wiring.projects.session_diffs import compare_session, session_file
from holdfast.wiring.projects.session_turns import queue_message, run_session_turn
from holdfast.wiring.settings import settings_at
from tests.waiting import LONGEST, wait_until

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenProject]:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(tmp_path / "user.toml"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("x = 1\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *author, *words], cwd=root, check=True)
    with OpenProject(root) as opened:
        yield opened


def settings_of(project: OpenProject) -> Settings:
    settings = settings_at(project.root)
    assert isinstance(settings, Settings)
    return settings


def new_session(project: OpenProject, **request: Any) -> str:
    made = create_session(project, SessionRequest(**request), settings_of(project))
    assert isinstance(made, SessionMade), made
    return made.session.id


def send(project: OpenProject, session: str, text: str, server: ScriptedServer) -> TurnEnded:
    queue_message(project, session, NewMessage(text), settings_of(project))
    ended = run_next(project, session, server.base_url)
    assert isinstance(ended, TurnEnded), ended
    return ended


def run_next(project: OpenProject, session: str, base_url: str) -> TurnEnded | NotSent:
    flags = {"base_url": base_url, "approve": "auto"}
    message = project.queue.first(session)
    return run_session_turn(
        project, session, message=message, asker=None, cancel=threading.Event(), flags=flags
    )


def test_a_message_gets_the_ids_that_were_reserved_for_it(project: OpenProject) -> None:
    session = new_session(project, title="mine")
    queued, is_new = queue_message(
        project,
        session,
        NewMessage("do it", (Attachment("notes.txt", "see this"),), "one"),
        settings_of(project),
    )
    again = queue_message(project, session, NewMessage("other", (), "one"), settings_of(project))
    assert (is_new, again) == (True, (queued, False))
    with ScriptedServer([say("Done here.")]) as server:
        ended = run_next(project, session, server.base_url)
        assert isinstance(ended, TurnEnded)
        prompt = server.requests[0].messages[-1]["content"]
        assert prompt == 'do it\n\n<context of="notes.txt">\nsee this\n</context>'
    page = project.messages.page(session)
    answer, asked = page.messages
    assert (asked.id, asked.turn_id, answer.turn_id) == (queued.id, queued.turn_id, queued.turn_id)
    assert asked.checkpoint_id == answer.checkpoint_id is not None
    assert [part.body["text"] for part in answer.parts if part.kind == "said"] == ["Done here."]
    kinds = [event.kind for event in answer.events]
    assert "text" not in kinds
    assert (kinds[0], kinds[-1]) == ("message_queued", "turn_ended")
    assert page.seq == project.events.last()
    assert project.queue.waiting(session) == ()
    gone = project.queue.get(session, queued.id)
    assert gone is not None
    assert gone.state == "begun"


def test_a_message_whose_turn_cannot_begin_is_refused_and_can_be_sent_again(
    project: OpenProject,
) -> None:
    session = new_session(project)
    queued, _ = queue_message(project, session, NewMessage("do it"), settings_of(project))
    ended = run_next(project, session, "http://127.0.0.1:9/v1")
    assert isinstance(ended, NotSent)
    (refused,) = project.queue.waiting(session)
    assert (refused.id, refused.state) == (queued.id, "refused")
    assert "127.0.0.1:9" in refused.why
    assert project.queue.first(session) is None
    project.queue.edit(session, queued.id, "do it now")
    with ScriptedServer([say("Yes.")]) as server:
        ended = run_next(project, session, server.base_url)
    assert isinstance(ended, TurnEnded)
    states = [
        event.body["state"] for event in project.events.after(0) if event.kind == "message_queued"
    ]
    assert states == ["waiting", "refused", "waiting", "begun"]


def test_a_message_that_was_edited_as_its_turn_began_is_not_answered_with_the_old_text(
    project: OpenProject,
) -> None:
    session = new_session(project)
    queue_message(project, session, NewMessage("old"), settings_of(project))
    old = project.queue.first(session)
    assert old is not None
    project.queue.edit(session, old.id, "new")
    with ScriptedServer([say("Yes.")]) as server:
        flags = {"base_url": server.base_url, "approve": "auto"}
        ended = run_session_turn(
            project, session, message=old, asker=None, cancel=threading.Event(), flags=flags
        )
        assert isinstance(ended, NotSent)
        assert "was edited" in ended.message
        assert not [each for each in server.requests if each.messages]
    (waiting,) = project.queue.waiting(session)
    assert (waiting.text, waiting.state) == ("new", "waiting")


def test_a_message_goes_on_waiting_while_another_turn_of_its_session_runs(
    project: OpenProject,
) -> None:
    session = new_session(project)
    gate = threading.Event()
    with ScriptedServer([slow(say("First one."), gate), say("Second.")]) as server:
        queue_message(project, session, NewMessage("one"), settings_of(project))
        worker = threading.Thread(target=run_next, args=(project, session, server.base_url))
        worker.start()
        assert wait_until(lambda: project.sessions.list()[0].state == "running")
        queue_message(project, session, NewMessage("two"), settings_of(project))
        too_early = run_next(project, session, server.base_url)
        assert isinstance(too_early, NotSent)
        assert "still running" in too_early.message
        (waiting,) = project.queue.waiting(session)
        assert (waiting.text, waiting.state) == ("two", "waiting")
        gate.set()
        worker.join(LONGEST)
        assert isinstance(run_next(project, session, server.base_url), TurnEnded)
    shown = show_session(session, project.sessions)
    assert not isinstance(shown, SessionRefused)
    assert (shown.title, shown.turns, shown.queued) == ("one", 2, 0)


def test_sessions_are_listed_with_what_became_of_them(project: OpenProject) -> None:
    first = new_session(project, title="first", mode="auto", model="scripted")
    second = new_session(project, title="second")
    with ScriptedServer(
        [
            call("write_file", path="b.py", content="y = 2\n"),
            say("Wrote it."),
            say("The ÄPFEL are ripe."),
        ]
    ) as server:
        send(project, first, "write b", server)
        send(project, second, "which fruit?", server)
    listed = project.sessions.list()
    assert [each.id for each in listed] == [second, first]
    shown = listed[1]
    assert (shown.state, shown.files_changed, shown.last_words) == ("done", 1, "Wrote it.")
    assert (shown.model, shown.mode, shown.place, shown.turns) == (
        "scripted",
        "auto",
        "in_place",
        1,
    )
    found = project.sessions.list(SessionQuery(text="äpfel"))
    assert [each.id for each in found] == [second]
    assert project.sessions.list(SessionQuery(text="said")) == ()
    assert project.messages.ledger(first).modified == {"b.py"}


def test_a_session_is_renamed_and_put_away(project: OpenProject) -> None:
    session = new_session(project, title="old")
    renamed = rename_session(session[:6], "  new\n title ", project.sessions)
    assert not isinstance(renamed, SessionRefused)
    assert renamed.title == "new title"
    archived = archive_session(session, project.sessions)
    assert not isinstance(archived, SessionRefused)
    assert archived.archived
    assert project.sessions.list(SessionQuery()) == ()
    assert [each.id for each in project.sessions.list(SessionQuery(archived=True))] == [session]
    archive_session(session, project.sessions, archived=False)
    assert [each.id for each in project.sessions.list(SessionQuery())] == [session]
    actions = [event.body.get("action") for event in project.events.after(0)]
    assert actions == ["created", "renamed", "archived", "unarchived"]
    refused = show_session("nothing", project.sessions)
    assert isinstance(refused, SessionRefused)
    assert "no such session" in refused.message


def test_a_session_of_a_worktree_works_there(project: OpenProject) -> None:
    session = new_session(project, title="apart", place="worktree")
    shown = show_session(session, project.sessions)
    assert not isinstance(shown, SessionRefused)
    assert (shown.place, shown.branch) == ("worktree", f"holdfast/{session}/work")
    with ScriptedServer(
        [call("write_file", path="b.py", content="y = 2\n"), say("Wrote it.")]
    ) as server:
        send(project, session, "write b", server)
    assert not (project.root / "b.py").exists()
    root = project.root_of(session)
    assert isinstance(root, Path)
    assert (root / "b.py").read_text(encoding="utf-8") == "y = 2\n"


def checkpoint_before(project: OpenProject, session: str) -> str:
    """Return the checkpoint before the first turn of a session."""
    found = project.messages.page(session, limit=1000).messages[-1].checkpoint_id
    assert found is not None
    return found


def edited(project: OpenProject) -> str:
    """Let a session write b.py and c.py; then somebody else changes a.py and c.py."""
    session = new_session(project)
    with ScriptedServer(
        [
            call("write_file", path="b.py", content="y = 2\n"),
            call("write_file", path="c.py", content="z = 3\n"),
            say("Wrote them."),
        ]
    ) as server:
        send(project, session, "write", server)
    (project.root / "a.py").write_text("mine = 1\n", encoding="utf-8")
    (project.root / "c.py").write_text("mine = 3\n", encoding="utf-8")
    return session


def test_a_preview_names_the_files_and_who_changed_them(project: OpenProject) -> None:
    session = edited(project)
    wanted = checkpoint_before(project, session)
    with project.workspace_at(project.root) as workspace:
        worktrees = project.checkpoints_at(project.root)
        preview = preview_restore(wanted, worktrees, workspace, project.events, session=session)
        elsewhere = preview_restore(
            wanted, project.checkpoints_at(project.root), workspace, project.events, session="other"
        )
    assert isinstance(preview, RestorePreview), preview
    assert [(each.path, each.status, each.by) for each in preview.files] == [
        ("a.py", "modified", "other"),
        ("b.py", "deleted", "session"),
        ("c.py", "deleted", "other"),
    ]
    assert (preview.messages, preview.will_stop_turn) == (1, False)
    assert (project.root / "b.py").exists()
    assert isinstance(elsewhere, NothingDone)


def test_a_restore_leaves_the_files_that_are_to_be_kept(project: OpenProject) -> None:
    session = edited(project)
    wanted = checkpoint_before(project, session)
    restored = restore(
        wanted, project.checkpoints_at(project.root), session=session, keep=["a.py", "c.py"]
    )
    assert isinstance(restored, Restored), restored
    assert restored.kept == ("a.py", "c.py")
    assert set(restored.kept_why.values()) == {"you asked to keep it"}
    files = {path.name: path.read_text(encoding="utf-8") for path in project.root.glob("*.py")}
    assert files == {"a.py": "mine = 1\n", "c.py": "mine = 3\n"}
    undone = undo_restore(project.checkpoints_at(project.root), session=session)
    assert isinstance(undone, Restored), undone
    assert (project.root / "b.py").exists()


def test_the_files_of_a_session_are_compared_with_its_base_and_with_a_turn(
    project: OpenProject,
) -> None:
    session = edited(project)
    (turn, checkpoint), *_ = project.messages.checkpoints(session)
    for against in ("base", f"checkpoint:{checkpoint}", f"turn:{turn}"):
        compared = compare_session(project, session, against)
        assert isinstance(compared, FilesCompared), compared
        assert [(each.path, each.status) for each in compared.files] == [
            ("a.py", "modified"),
            ("b.py", "added"),
            ("c.py", "added"),
        ]
        assert [each.path for each in compared.hunks] == ["a.py", "b.py", "c.py"]
    found = session_file(project, session, "a.py", f"turn:{turn}")
    assert isinstance(found, FileVersion), found
    assert found.data == b"x = 1\n"
    for wrong in ("b.py", "../root/a.py", "/etc/passwd", "a.py\0", "", "."):
        missing = session_file(project, session, wrong)
        assert isinstance(missing, SessionRefused), wrong
        assert missing.reason == "not_found"
    refused = compare_session(project, session, "turn:nothing")
    assert isinstance(refused, SessionRefused)
    assert "no checkpoint" in refused.message


def test_the_base_of_a_worktree_is_its_commit(project: OpenProject) -> None:
    session = new_session(project, place="worktree")
    with ScriptedServer(
        [call("write_file", path="b.py", content="y = 2\n"), say("Wrote it.")]
    ) as server:
        send(project, session, "write b", server)
    compared = compare_session(project, session)
    assert isinstance(compared, FilesCompared), compared
    assert [(each.path, each.status) for each in compared.files] == [("b.py", "added")]
    found = session_file(project, session, "a.py")
    assert isinstance(found, FileVersion), found
    assert found.data == b"x = 1\n"


def test_a_fork_has_the_files_and_the_messages_of_then_and_leaves_the_other_session_alone(
    project: OpenProject,
) -> None:
    session = new_session(project, title="first", mode="auto")
    with ScriptedServer(
        [
            call("write_file", path="b.py", content="one\n"),
            say("One."),
            call("write_file", path="b.py", content="two\n"),
            say("Two."),
            say("Other."),
        ]
    ) as server:
        send(project, session, "write one", server)
        send(project, session, "write two", server)
        before = project.messages.page(session)
        second = before.messages[0].checkpoint_id
        assert second is not None
        forked = fork_session(project, session, second, settings_of(project))
        assert isinstance(forked, SessionMade), forked
        new = forked.session
        assert (new.place, new.title, new.mode) == ("worktree", "fork of first", "auto")
        root = project.root_of(new.id)
        assert isinstance(root, Path)
        assert (root / "b.py").read_text(encoding="utf-8") == "one\n"
        assert (project.root / "b.py").read_text(encoding="utf-8") == "two\n"
        assert project.messages.page(session).messages == before.messages
        send(project, new.id, "now otherwise", server)
        told = [each["content"] for each in server.requests[-1].messages if each["role"] == "user"]
        # The checkpoint is before the answer to this prompt; the two are sent as one.
        assert told == ["write one", "write two\n\nnow otherwise"]
    roles = [each.role for each in project.messages.page(new.id).messages]
    assert roles == ["assistant", "user", "user", "assistant", "user"]
    refused = fork_session(project, new.id, second, settings_of(project))
    assert isinstance(refused, SessionRefused)
    assert "no such checkpoint" in refused.message
