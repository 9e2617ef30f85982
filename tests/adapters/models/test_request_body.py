"""The bytes of a question."""

from __future__ import annotations

import json
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.models.request_body import RequestBody
from holdfast.adapters.models.server_quirks import Field, ServerQuirks
from holdfast.adapters.models.servers import ServerKind
from holdfast.loop.ports import ModelRequest
from holdfast.testing import call, say
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText
from tests.adapters.models.asking import HELLO, READ, WITH_TOOLS, WRITE, ask, serving

AS_TEXT = ServerQuirks(dropped=frozenset({"tools"}))
NAMED = {"type": "function", "function": {"name": "read_file"}}
HISTORY: tuple[Message, ...] = (
    SystemText("Be brief."),
    UserText("Read a."),
    AssistantSaid(
        "",
        (ToolCall("1", "read_file", {"path": "a"}), ToolCall("2", "read_file", {"b": 1, "a": [2]})),
        "hm",
    ),
    ToolAnswered("1", "read_file", "one"),
    ToolAnswered("2", "read_file", "two"),
    AssistantSaid("Done."),
)


def body(question: ModelRequest, kind: ServerKind = "other", *dropped: Field) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(
        RequestBody("m").body(question, ServerQuirks(kind, frozenset(dropped)))
    )
    return value


def test_each_message_has_its_form() -> None:
    def function(arguments: str) -> dict[str, str]:
        return {"name": "read_file", "arguments": arguments}

    assert body(ModelRequest(HISTORY))["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Read a."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "1", "type": "function", "function": function('{"path": "a"}')},
                {"id": "2", "type": "function", "function": function('{"a": [2], "b": 1}')},
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "one"},
        {"role": "tool", "tool_call_id": "2", "content": "two"},
        {"role": "assistant", "content": "Done."},
    ]


def test_with_calls_as_text_roles_take_turns_and_nothing_is_lost() -> None:
    wire = RequestBody("m")
    messages = json.loads(wire.body(ModelRequest(HISTORY, (READ,)), AS_TEXT))["messages"]

    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert messages[0]["content"].startswith("Be brief.\n\n# Tools\n")
    assert messages[2]["content"].startswith(
        '<tool_call>\n{"arguments": {"path": "a"}, "name": "read_file"}\n</tool_call>'
    )
    assert messages[3]["content"].count("<tool_response>") == 2
    assert "tools" not in json.loads(wire.body(ModelRequest(HISTORY, (READ,)), AS_TEXT))


def test_the_messages_come_last_and_the_model_first() -> None:
    assert list(body(WITH_TOOLS)) == [
        "model",
        "stream",
        "stream_options",
        "tools",
        "tool_choice",
        "messages",
    ]


def test_a_reply_that_went_in_circles_is_asked_for_with_other_sampling() -> None:
    usual, changed = body(HELLO), body(ModelRequest(HELLO.messages, sampling="changed"))

    assert changed == {**usual, "temperature": 0.9, "top_p": 0.95, "frequency_penalty": 0.4}
    assert body(ModelRequest(HELLO.messages, sampling="changed"), "other", "sampling") == usual


@pytest.mark.parametrize(
    ("kind", "choice", "tools", "bound"),
    [
        ("other", NAMED, 2, False),
        ("vllm", NAMED, 2, False),
        ("hosted", NAMED, 2, False),
        ("llama_cpp", "required", 1, False),
        ("lm_studio", "required", 1, False),
        ("ollama", "required", 1, True),
    ],
)
def test_a_forced_tool_is_asked_for_as_the_server_knows_it(
    kind: ServerKind, choice: Any, tools: int, bound: bool
) -> None:
    sent = body(ModelRequest(HELLO.messages, (READ, WRITE), force="read_file"), kind)

    assert (sent["tool_choice"], len(sent["tools"]), "response_format" in sent) == (
        choice,
        tools,
        bound,
    )


def test_a_forced_tool_is_the_only_one_where_tool_choice_is_refused() -> None:
    sent = body(
        ModelRequest(HELLO.messages, (READ, WRITE), force="read_file"), "other", "tool_choice"
    )

    assert [tool["function"]["name"] for tool in sent["tools"]] == ["read_file"]


def test_a_server_that_does_not_pass_tools_to_its_model_receives_them_as_text() -> None:
    sent = body(WITH_TOOLS, "llama_cpp_python")

    assert "tools" not in sent
    assert "<tool_call>" in sent["messages"][0]["content"]


@pytest.mark.parametrize(
    ("kind", "strict"), [("vllm", True), ("hosted", False), ("other", False), ("ollama", False)]
)
def test_strict_decoding_is_asked_of_servers_that_offer_it(kind: ServerKind, strict: bool) -> None:
    assert body(WITH_TOOLS, kind)["tools"][0]["function"].get("strict", False) is strict


def test_what_json_does_not_have_is_null_and_half_a_pair_is_a_question_mark() -> None:
    arguments = MappingProxyType({"n": float("nan"), "deep": [float("inf")], "t": "\ud800"})
    raw = RequestBody("m").body(
        ModelRequest((AssistantSaid("\udfff", (ToolCall("1", "x", arguments),)),)), ServerQuirks()
    )
    said = json.loads(raw.decode())["messages"][0]

    assert said["content"] == "?"
    assert json.loads(said["tool_calls"][0]["function"]["arguments"]) == {
        "n": None,
        "deep": [None],
        "t": "?",
    }


# ----------------------------------------------------------------------------------------------------- the prefix


@pytest.mark.parametrize("text", [False, True])
def test_each_of_sixty_bodies_is_the_beginning_of_the_next(text: bool) -> None:
    from holdfast.testing import fail

    messages: list[Message] = [SystemText("Be brief."), UserText("Go.")]
    start = [fail(400, "this model does not support tools")] if text else []
    script = [*start, *(call("read_file", path=f"{n}.py") for n in range(60)), say("Done.")]
    with serving(script) as (model, server):
        for n in range(60):
            ask(model, ModelRequest(tuple(messages), (READ, WRITE), max_tokens=512))
            arguments = {"path": f"{n}.py", "lines": [n, n + 1]}
            messages += [
                AssistantSaid(f"Step {n}.", (ToolCall(f"c{n}", "read_file", arguments),)),
                ToolAnswered(f"c{n}", "read_file", "é\n" * n),
            ]
        bodies = [request.raw for request in server.requests[len(start) :]]

    assert len(bodies) == 60
    for before, after in pairwise(bodies):
        assert before.endswith(b"]}")
        assert after.startswith(before[:-2] + b",")


TEXTS = st.text(max_size=20)
MESSAGES = st.lists(
    st.builds(UserText, TEXTS)
    | st.builds(SystemText, TEXTS)
    | st.builds(ToolAnswered, TEXTS, TEXTS, TEXTS)
    | st.builds(
        AssistantSaid,
        TEXTS,
        st.just(()) | st.builds(lambda text: (ToolCall("1", text, {text: text}),), TEXTS),
    ),
    max_size=8,
)


@given(MESSAGES, st.integers(0, 8), st.booleans())
def test_what_is_kept_of_a_message_is_what_is_made_of_it_anew(
    messages: list[Message], first: int, text: bool
) -> None:
    manner, wire = AS_TEXT if text else ServerQuirks(), RequestBody("m")
    wire.body(ModelRequest(tuple(messages[:first]), (READ,)), manner)

    assert wire.body(ModelRequest(tuple(messages), (READ,)), manner) == RequestBody("m").body(
        ModelRequest(tuple(messages), (READ,)), manner
    )


def test_nothing_is_kept_of_a_message_that_is_no_longer_sent() -> None:
    wire = RequestBody("m")
    wire.body(ModelRequest(HISTORY), ServerQuirks())
    wire.body(HELLO, ServerQuirks())

    assert len(wire._cache) == 1
