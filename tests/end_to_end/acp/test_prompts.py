"""Turns through `holdfast acp`, driven by the SDK's client over real pipes."""

from __future__ import annotations

import asyncio
import threading

import pytest
from acp import (
    PROTOCOL_VERSION,
    embedded_text_resource,
    image_block,
    resource_block,
    resource_link_block,
    text_block,
)
from acp.exceptions import RequestError

from holdfast.acp.prompt_text import PromptBlock
from holdfast.testing import call, calls, fail, hang, say, slow
from tests.end_to_end.acp.editor import Desk, Editor
from tests.end_to_end.run.project import TEXT, Project

pytestmark = pytest.mark.e2e

EDIT = call("edit_file", path="a.py", old="x = 1", new="x = 2")
AFTER = TEXT.replace("x = 1", "x = 2")


def answers(project: Project, session: str) -> list[str]:
    """Return how the questions of a session are answered on record."""
    query = "select answer from approvals where session_id = ?"
    return [answer for (answer,) in project.query(query, session)]


def test_it_says_what_it_can_do(desk: Desk) -> None:
    editor, project = desk.begin([]), desk.project()
    found = desk.run(editor.agent.initialize(protocol_version=PROTOCOL_VERSION))
    new = desk.run(editor.new(project))
    desk.run(editor.until(lambda: bool(editor.of("available_commands_update", new.session_id))))
    assert found.protocol_version == PROTOCOL_VERSION
    assert found.agent_info
    assert found.agent_info.name == "holdfast"
    capabilities = found.agent_capabilities
    assert capabilities
    assert capabilities.load_session
    assert capabilities.prompt_capabilities
    assert capabilities.prompt_capabilities.embedded_context
    assert capabilities.session_capabilities
    assert capabilities.session_capabilities.list is not None
    assert new.modes
    assert new.modes.current_mode_id == "ask"
    assert [mode.id for mode in new.modes.available_modes] == ["ask", "auto", "review", "plan"]
    (announced,) = editor.of("available_commands_update", new.session_id)
    names = [command.name for command in announced.available_commands]
    assert names == ["restore", "undo", "diff"]


def test_a_prompt_edits_a_file_and_streams_thoughts_calls_diffs_and_text(desk: Desk) -> None:
    editor, project = (
        desk.begin([EDIT, say("All done.", reasoning="Was that all?")]),
        desk.project(),
    )
    session = desk.run(editor.new(project)).session_id
    ended = desk.run(editor.say(session, "Set x to 2."))
    assert ended.stop_reason == "end_turn"
    assert project.texts()["a.py"] == AFTER
    assert editor.text() == "All done."
    thoughts = [each.content.text for each in editor.of("agent_thought_chunk")]
    assert "".join(thoughts) == "Was that all?"
    (start,) = editor.of("tool_call")
    assert (start.title, start.kind, start.status) == ("edit_file a.py", "edit", "in_progress")
    last = editor.of("tool_call_update")[-1]
    assert (last.tool_call_id, last.status) == (start.tool_call_id, "completed")
    path = str(project.root / "a.py")
    assert [(each.path, each.line) for each in last.locations] == [(path, 1)]
    diff = next(each for each in last.content if each.type == "diff")
    assert (diff.path, diff.old_text, diff.new_text) == (path, TEXT, AFTER)


def test_what_a_command_changes_is_a_diff_of_its_call(desk: Desk) -> None:
    editor = desk.begin([call("run_command", command="echo 3 > new.txt"), say("Done.")])
    project = desk.project()
    session = desk.run(editor.new(project)).session_id
    desk.run(editor.say(session, "Make it."))
    (start,) = editor.of("tool_call")
    assert (start.title, start.kind) == ("run_command echo 3 > new.txt", "execute")
    last = editor.of("tool_call_update")[-1]
    diff = next(each for each in last.content if each.type == "diff")
    path = str(project.root / "new.txt")
    assert (diff.path, diff.old_text, diff.new_text) == (path, None, "3\n")


def test_the_user_is_asked_about_an_edit_and_it_is_made_once_allowed(desk: Desk) -> None:
    editor, project = desk.begin([EDIT, say("Done.")]), desk.project()
    session = desk.run(editor.new(project)).session_id
    desk.run(editor.say(session, "Set x to 2."))
    ((about, options),) = editor.asked
    assert [(each.option_id, each.kind) for each in options] == [
        ("once", "allow_once"),
        ("session", "allow_always"),
        ("deny", "reject_once"),
    ]
    assert about.tool_call_id == editor.of("tool_call")[0].tool_call_id
    assert answers(project, session) == ["once"]
    assert project.texts()["a.py"] == AFTER


def test_an_edit_that_is_denied_is_not_made_and_the_model_is_told(desk: Desk) -> None:
    editor, project = desk.begin([EDIT, say("Then not.")], answer="deny"), desk.project()
    session = desk.run(editor.new(project)).session_id
    ended = desk.run(editor.say(session, "Set x to 2."))
    assert ended.stop_reason == "end_turn"
    assert project.texts()["a.py"] == TEXT
    told = desk.server.requests[-1].body["messages"][-1]["content"]
    assert "the user does not allow this" in told
    assert editor.of("tool_call_update")[-1].status == "failed"
    assert answers(project, session) == ["deny"]


def test_a_command_outside_of_the_sandbox_can_be_allowed_for_good(desk: Desk) -> None:
    editor = desk.begin(
        [call("run_command", command="git commit -qm x --allow-empty"), say("Done.")], "always"
    )
    project = desk.project()
    session = desk.run(editor.new(project)).session_id
    desk.run(editor.say(session, "Commit."))
    ((_, options),) = editor.asked
    assert [each.option_id for each in options] == ["once", "session", "always", "deny"]
    assert answers(project, session) == ["always"]


def test_what_is_allowed_for_the_session_is_not_asked_again(desk: Desk) -> None:
    again = call("edit_file", path="a.py", old="y = 2", new="y = 3")
    editor, project = desk.begin([EDIT, again, say("Done.")], answer="session"), desk.project()
    session = desk.run(editor.new(project)).session_id
    desk.run(editor.say(session, "Set both."))
    assert len(editor.asked) == 1
    assert project.texts()["a.py"] == "x = 2\ny = 3\n"


def test_a_question_that_the_client_cancels_cancels_the_turn(desk: Desk) -> None:
    editor, project = desk.begin([EDIT, say("Not reached.")], answer=None), desk.project()
    session = desk.run(editor.new(project)).session_id
    ended = desk.run(editor.say(session, "Set x to 2."))
    assert len(desk.server.requests) == 1
    assert ended.stop_reason == "cancelled"
    assert project.texts()["a.py"] == TEXT


def test_a_cancel_ends_a_turn_in_the_middle_of_its_answer(desk: Desk) -> None:
    gate = threading.Event()
    editor = desk.begin([slow(say("One two three four."), gate), say("Next.")])
    project = desk.project()

    async def scenario() -> None:
        session = (await editor.new(project)).session_id
        turn = asyncio.create_task(editor.say(session, "Count."))
        await editor.until(lambda: bool(editor.text()))
        await editor.agent.cancel(session_id=session)
        assert (await turn).stop_reason == "cancelled"
        gate.set()
        assert (await editor.say(session, "Go on.")).stop_reason == "end_turn"

    desk.run(scenario())


def test_a_cancel_right_after_a_prompt_is_not_lost(desk: Desk) -> None:
    gate = threading.Event()
    editor, project = desk.begin([hang(gate, say("Late."))]), desk.project()

    async def scenario() -> None:
        session = (await editor.new(project)).session_id
        turn = asyncio.create_task(editor.say(session, "Wait."))
        await asyncio.sleep(0)
        await editor.agent.cancel(session_id=session)
        assert (await turn).stop_reason == "cancelled"

    desk.run(scenario())
    gate.set()


def test_embedded_context_and_links_reach_the_model_as_text(desk: Desk) -> None:
    editor, project = desk.begin([say("I see.")]), desk.project()
    session = desk.run(editor.new(project)).session_id
    prompt: list[PromptBlock] = [
        text_block("Compare "),
        resource_link_block("b.py", (project.root / "b.py").as_uri()),
        text_block(" with "),
        resource_block(embedded_text_resource((project.root / "a.py").as_uri(), TEXT)),
        text_block("."),
    ]
    desk.run(editor.agent.prompt(session_id=session, prompt=prompt))
    sent = desk.server.requests[0].body["messages"][-1]["content"]
    assert sent == f'Compare `b.py` with `a.py`.\n\n<context of="a.py">\n{TEXT}\n</context>'


def test_a_failed_turn_is_an_error_and_not_an_end(desk: Desk) -> None:
    editor, project = desk.begin([fail(400, "no such thing")]), desk.project()
    session = desk.run(editor.new(project)).session_id
    with pytest.raises(RequestError, match="no such thing") as raised:
        desk.run(editor.say(session, "Do it."))
    assert raised.value.code == -32603


def test_a_sentinel_is_a_message_of_its_own(desk: Desk) -> None:
    wrong = call("edit_file", path="a.py", old="not there", new="x")
    editor, project = desk.begin(lambda request: wrong), desk.project()
    session = desk.run(editor.new(project)).session_id
    ended = desk.run(editor.say(session, "Look."))
    assert ended.stop_reason == "max_turn_requests"
    messages = editor.of("agent_message_chunk")
    sentinels = [each for each in messages if "sentinel" in _own(each)]
    assert "mistake_recovery" in {_own(each)["sentinel"] for each in sentinels}
    for each in sentinels:
        assert [other.message_id for other in messages].count(each.message_id) == 1


def _own(update: object) -> dict[str, object]:
    meta = getattr(update, "field_meta", None) or {}
    found: dict[str, object] = meta.get("holdfast", {})
    return found


def test_two_sessions_work_at_once(desk: Desk) -> None:
    gate = threading.Event()
    editor = desk.begin(
        lambda request: (
            hang(gate, say("Slow."))
            if "first" in str(request.body["messages"][-1])
            else say("Quick.")
        )
    )
    project = desk.project()

    async def scenario() -> None:
        one = (await editor.new(project)).session_id
        other = (await editor.new(project)).session_id
        waiting = asyncio.create_task(editor.say(one, "The first."))
        assert (await editor.say(other, "The second.")).stop_reason == "end_turn"
        assert not waiting.done()
        with pytest.raises(RequestError, match="is running"):
            await editor.say(one, "Once more.")
        gate.set()
        assert (await waiting).stop_reason == "end_turn"
        assert (editor.text(one), editor.text(other)) == ("Slow.", "Quick.")

    desk.run(scenario())


def test_each_mode_approves_as_it_says(desk: Desk) -> None:
    commands = calls(EDIT, call("run_command", command="touch made"))
    review = call("edit_file", path="b.py", old="z = 0", new="z = 1")
    script = [commands, say("Auto."), review, say("Review."), review, say("Plan.")]
    editor, project = desk.begin(script), desk.project()
    project.write("b.py", "z = 0\n")
    session = desk.run(editor.new(project)).session_id
    desk.run(_say_in(editor, session, "auto"))
    assert project.texts() == {"a.py": AFTER, "b.py": "z = 0\n", "made": ""}
    desk.run(_say_in(editor, session, "review"))
    assert project.texts()["b.py"] == "z = 0\n"
    desk.run(_say_in(editor, session, "plan"))
    assert project.texts()["b.py"] == "z = 0\n"
    assert editor.asked == []
    states = "select state from changes where session_id = ? order by seq"
    assert ("proposed",) in project.query(states, session)
    offered = [tool["function"]["name"] for tool in desk.server.requests[-1].body["tools"]]
    assert "read_file" in offered
    assert "edit_file" not in offered
    with pytest.raises(RequestError, match="wild: there is no such mode"):
        desk.run(editor.agent.set_session_mode(session_id=session, mode_id="wild"))


async def _say_in(editor: Editor, session: str, mode: str) -> None:
    await editor.agent.set_session_mode(session_id=session, mode_id=mode)
    ended = await editor.say(session, f"Work in {mode}.")
    assert ended.stop_reason == "end_turn"


def test_an_image_is_refused_with_a_reason(desk: Desk) -> None:
    editor, project = desk.begin([]), desk.project()
    session = desk.run(editor.new(project)).session_id
    prompt: list[PromptBlock] = [image_block("aGk=", "image/png")]
    with pytest.raises(RequestError, match="type image is not supported") as raised:
        desk.run(editor.agent.prompt(session_id=session, prompt=prompt))
    assert raised.value.code == -32602
