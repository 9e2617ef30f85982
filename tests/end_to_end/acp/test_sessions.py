"""Sessions of `holdfast acp`: listed, loaded by another process, restored and undone by slash commands."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp.exceptions import RequestError

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.acp.editor import Desk, Editor, editor_of
from tests.end_to_end.run.project import TEXT, Project

pytestmark = pytest.mark.e2e

EDIT = call("edit_file", path="a.py", old="x = 1", new="x = 2")
AGAIN = call("edit_file", path="a.py", old="x = 2", new="x = 3")


def shown(editor: Editor, session: str) -> list[Any]:
    """Return what a person sees of a session: who says what, and which calls ended how."""
    seen: list[Any] = []
    for at, update in editor.updates:
        if at != session:
            continue
        match update.session_update:
            case "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk":
                seen.append((update.session_update, update.content.text))
            case "tool_call":
                seen.append((update.title, update.kind))
            case "tool_call_update" if update.status:
                seen.append((update.status, [each.type for each in update.content]))
    return seen


def test_a_session_is_listed_and_loaded_by_another_process(project: Project) -> None:
    replies = [EDIT, say("Set.", reasoning="Hm."), say("I know: x.")]

    async def scenario() -> None:
        with ScriptedServer(replies) as server:
            async with editor_of(project, server) as editor:
                session = (await editor.new(project)).session_id
                await editor.say(session, "Set x to 2.")
            async with editor_of(project, server) as editor:
                listed = await editor.agent.list_sessions(cwd=str(project.root))
                everywhere = await editor.agent.list_sessions()
                elsewhere = await editor.agent.list_sessions(cwd=str(project.home))
                loaded = await editor.agent.load_session(
                    cwd=str(project.root), session_id=session, mcp_servers=[]
                )
                replayed = shown(editor, session)
                await editor.say(session, "What did you set?")
                with pytest.raises(RequestError, match="there is no such session") as missing:
                    await editor.agent.load_session(
                        cwd=str(project.root), session_id=session[:4], mcp_servers=[]
                    )
            history = [each["content"] for each in server.requests[-1].body["messages"]]
        assert [(each.session_id, each.title, each.cwd) for each in listed.sessions] == [
            (session, "Set x to 2.", str(project.root))
        ]
        assert everywhere.sessions == listed.sessions
        assert elsewhere.sessions == []
        assert loaded.modes
        assert loaded.modes.current_mode_id == "ask"
        assert replayed == [
            ("user_message_chunk", "Set x to 2."),
            ("edit_file a.py", "edit"),
            ("completed", ["diff", "content"]),
            ("agent_thought_chunk", "Hm."),
            ("agent_message_chunk", "Set."),
        ]
        assert "Set x to 2." in history
        assert history[-1] == "What did you set?"
        assert missing.value.code == -32002

    asyncio.run(scenario())


def test_restore_goes_back_before_the_last_turn_and_undo_takes_that_back(desk: Desk) -> None:
    editor = desk.begin([EDIT, say("Set."), AGAIN, say("Set again."), say("Nothing.")])
    project = desk.project()
    session = desk.run(editor.new(project)).session_id
    desk.run(editor.say(session, "Set x to 2."))
    desk.run(editor.say(session, "Set x to 3."))
    ended = desk.run(editor.say(session, "/restore"))
    assert ended.stop_reason == "end_turn"
    assert project.texts()["a.py"] == "x = 2\ny = 2\n"
    assert "Removed 1 message from the conversation." in editor.text()
    editor.updates.clear()
    desk.run(editor.agent.load_session(cwd=str(project.root), session_id=session, mcp_servers=[]))
    said = [text for kind, text in shown(editor, session) if "message" in kind]
    # The checkpoint is that before the answer: the prompt stays.
    assert said == ["Set x to 2.", "Set.", "Set x to 3."]
    desk.run(editor.say(session, "/undo"))
    assert project.texts()["a.py"] == "x = 3\ny = 2\n"
    desk.run(editor.say(session, "What now?"))
    history = str(desk.server.requests[-1].body["messages"])
    assert "Set again." in history


def test_undo_takes_the_last_turn_of_this_session_back_and_diff_shows_it(desk: Desk) -> None:
    other = call("write_file", path="other.py", content="o = 1\n")
    editor = desk.begin([EDIT, say("Set."), other, say("Wrote.")])
    project = desk.project()
    one = desk.run(editor.new(project)).session_id
    two = desk.run(editor.new(project)).session_id
    desk.run(editor.say(one, "Set x to 2."))
    desk.run(editor.say(two, "Write the other."))
    desk.run(editor.say(one, "/diff"))
    assert "-x = 1\n+x = 2\n" in editor.text(one)
    editor.updates.clear()
    desk.run(editor.say(one, "/undo"))
    assert editor.text(one) == "Undone: a.py. Redo this with `holdfast redo`."
    assert project.texts() == {"a.py": TEXT, "other.py": "o = 1\n"}
    editor.updates.clear()
    desk.run(editor.say(one, "/undo"))
    assert "Refused: there is nothing to undo" in editor.text(one)
    assert len(desk.server.requests) == 4


def test_a_slash_command_that_is_refused_says_why(desk: Desk) -> None:
    editor, project = desk.begin([say("Ok.")]), desk.project()
    session = desk.run(editor.new(project)).session_id
    desk.run(editor.say(session, "/restore"))
    assert editor.text() == "There is nothing to restore: no turn of this session has a checkpoint."
    desk.run(editor.say(session, "Hello."))
    editor.updates.clear()
    desk.run(editor.say(session, "/restore feed"))
    assert "Refused: feed: there is no such checkpoint here" in editor.text()


@pytest.mark.parametrize(
    ("cwd", "why"),
    [("relative", "must be an absolute path"), ("/no/such/folder", "this is not a directory")],
)
def test_a_bad_folder_is_refused_with_a_reason(desk: Desk, cwd: str, why: str) -> None:
    editor = desk.begin([])
    with pytest.raises(RequestError, match=why) as raised:
        desk.run(editor.agent.new_session(cwd=cwd, mcp_servers=[]))
    assert raised.value.code == -32602


def test_a_session_that_is_not_open_is_refused(desk: Desk) -> None:
    editor = desk.begin([])
    with pytest.raises(RequestError, match="is not open; use session/new") as raised:
        desk.run(editor.say("feedfeedfeed", "Hello."))
    assert raised.value.code == -32602
