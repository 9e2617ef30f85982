"""What one-shot agents print, as it was recorded from the real ones, and what it means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.adapters.agents.dialects.dialect import StatedEnd
from holdfast.adapters.agents.dialects.registry import DIALECTS
from holdfast.usecases.agents.ports import AgentUsage
from holdfast.vocab.agent_events import AgentCall, AgentNote, PlanEntry, PlanStated
from holdfast.vocab.events import ReasoningArrived, TextArrived

if TYPE_CHECKING:
    from holdfast.adapters.agents.dialects.dialect import Dialect
    from holdfast.usecases.agents.ports import AgentUpdate

RECORDED = Path(__file__).with_name("recorded")
AGENTS = ["claude", "cline", "codex", "goose", "opencode", "pi", "qwen"]


def read(dialect: str, *lines: Any) -> tuple[Dialect, list[AgentUpdate]]:
    reader = DIALECTS[dialect]()
    updates: list[AgentUpdate] = []
    for line in lines:
        updates.extend(reader.read(line if isinstance(line, str) else json.dumps(line)))
    return reader, updates


def recorded(agent: str, what: str) -> tuple[Dialect, list[AgentUpdate]]:
    text = (RECORDED / f"{agent}-{what}.jsonl").read_text(encoding="utf-8")
    return read(agent, *text.split("\n"))


@pytest.mark.parametrize("agent", AGENTS)
def test_an_edit_is_one_call_with_its_whole_state_and_then_the_answer(agent: str) -> None:
    reader, updates = recorded(agent, "edit")

    calls = [update for update in updates if isinstance(update, AgentCall)]
    assert {call.call_id for call in calls} == {calls[0].call_id}
    assert calls[-1].status == "done"
    assert f"{agent}.txt" in calls[-1].title
    if calls[-1].tool_kind == "edit":
        assert calls[-1].paths == (f"/project/{agent}.txt",)
        assert calls[-1].diff.endswith("@@ -0,0 +1 @@\n+hello world\n")
    text = "".join(update.text for update in updates if isinstance(update, TextArrived))
    assert text == "Done."
    assert reader.end == StatedEnd("done")
    assert reader.usage.prompt > 1000
    assert reader.usage.completion > 10


@pytest.mark.parametrize("agent", AGENTS)
def test_an_error_of_the_model_is_a_failed_turn_whatever_the_exit_code(agent: str) -> None:
    reader, _ = recorded(agent, "fail")

    assert reader.end is not None
    assert reader.end.stop_reason == "failed"
    assert "the scripted model fails" in reader.end.message


def test_a_denied_call_has_failed_and_the_turn_has_not() -> None:
    reader, updates = recorded("claude", "denied")

    last = [update for update in updates if isinstance(update, AgentCall)][-1]
    assert last.status == "failed"
    assert "haven't granted it" in last.text
    assert reader.end == StatedEnd("done")


@pytest.mark.parametrize("agent", AGENTS)
def test_garbage_and_unknown_lines_are_notes(agent: str) -> None:
    values: list[Any] = [{"type": "mood", "mood": "cheerful"}, {"type": None}, {}]
    _, updates = read(agent, *values)

    assert updates == [
        AgentNote("mood", values[0]),
        AgentNote("None", values[1]),
        AgentNote("unknown", values[2]),
    ]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("line", ["half a {", '"text"', "[1, 2]", "null", "[" * 100_000, "\x00"])
def test_what_is_no_object_does_not_stop_the_reader(agent: str, line: str) -> None:
    reader, updates = read(agent, line)

    assert all(isinstance(update, AgentNote) for update in updates)
    assert reader.end is None


@pytest.mark.parametrize("agent", AGENTS)
def test_known_lines_with_other_content_are_notes(agent: str) -> None:
    text = (RECORDED / f"{agent}-edit.jsonl").read_text(encoding="utf-8")
    kinds = {json.loads(line)["type"] for line in text.split("\n") if line.startswith("{")}
    for kind in sorted(kinds):
        reader, updates = read(agent, {"type": kind, "message": 3, "part": [], "item": "x"})
        assert all(isinstance(update, AgentNote) for update in updates), kind
        assert reader.end is None or reader.end.stop_reason in {"done", "failed"}


def test_a_success_of_claude_with_is_error_is_a_failure() -> None:
    line = {"type": "result", "subtype": "success", "is_error": True, "result": "no credit"}
    reader, _ = read("claude", line)

    assert reader.end == StatedEnd("failed", "no credit")


@pytest.mark.parametrize(
    ("fields", "stop"),
    [
        ({"subtype": "error_max_turns", "is_error": True}, "cap"),
        ({"subtype": "success", "stop_reason": "refusal"}, "refused"),
        ({"subtype": "success", "stop_reason": "max_tokens"}, "max_tokens"),
    ],
)
def test_claude_says_why_it_stopped(fields: dict[str, Any], stop: str) -> None:
    reader, _ = read("claude", {"type": "result", **fields})

    assert reader.end is not None
    assert reader.end.stop_reason == stop


def test_text_in_pieces_is_not_said_twice() -> None:
    def piece(text: str) -> dict[str, Any]:
        delta = {"type": "text_delta", "text": text}
        return {"type": "stream_event", "event": {"type": "content_block_delta", "delta": delta}}

    message = {"content": [{"type": "text", "text": "Hello"}]}
    _, updates = read(
        "claude", piece("Hel"), piece("lo"), {"type": "assistant", "message": message}
    )

    assert updates == [TextArrived("Hel"), TextArrived("lo")]


def test_the_words_of_a_subagent_are_not_the_answer() -> None:
    message = {"content": [{"type": "text", "text": "inner"}]}
    _, updates = read(
        "claude", {"type": "assistant", "parent_tool_use_id": "t", "message": message}
    )

    assert updates == []


def test_a_to_do_list_is_a_plan_and_no_call() -> None:
    todos = [{"content": "Look", "status": "completed"}, {"content": "Write", "status": "pending"}]
    plan = PlanStated((PlanEntry("Look", "completed"), PlanEntry("Write", "pending")))
    block = {"type": "tool_use", "id": "t", "name": "TodoWrite", "input": {"todos": todos}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    _, updates = read(
        "claude",
        {"type": "assistant", "message": {"content": [block]}},
        {"type": "user", "message": {"content": [result]}},
    )
    items = [{"text": "Look", "completed": True}, {"text": "Write", "completed": False}]
    _, of_codex = read(
        "codex", {"type": "item.updated", "item": {"type": "todo_list", "items": items}}
    )

    assert updates == of_codex == [plan]


def test_reasoning_is_told_apart_from_text() -> None:
    block = {"type": "thinking", "thinking": "hm"}
    _, of_claude = read("claude", {"type": "assistant", "message": {"content": [block]}})
    item = {"type": "reasoning", "id": "i", "text": "hm"}
    _, of_codex = read("codex", {"type": "item.completed", "item": item})

    assert of_claude == of_codex == [ReasoningArrived("hm")]


def test_a_model_that_quotes_the_error_of_goose_does_not_fail() -> None:
    text = {"type": "text", "text": "Ran into this error: is what goose says."}
    message = {"role": "assistant", "content": [text], "metadata": {"inference": {}}}
    reader, _ = read("goose", {"type": "message", "message": message}, {"type": "complete"})

    assert reader.end == StatedEnd("done")


def test_files_that_codex_patched_are_the_paths_of_the_call() -> None:
    changes = [{"path": "a.py", "kind": "update"}, {"path": "b.py", "kind": "add"}]
    item = {"id": "i", "type": "file_change", "changes": changes, "status": "completed"}
    _, updates = read("codex", {"type": "item.completed", "item": item})

    paths = ("a.py", "b.py")
    assert updates == [AgentCall("i", "Edit a.py, b.py", "edit", "done", paths)]


def test_plain_text_is_text_and_says_nothing_about_the_end() -> None:
    reader, updates = read("text", "Hello", '{"type": "result"}')

    assert updates == [TextArrived("Hello\n"), TextArrived('{"type": "result"}\n')]
    assert (reader.end, reader.usage, reader.is_silent) == (None, AgentUsage(), True)
