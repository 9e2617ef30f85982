"""The scripted server, as clients of Responses, Messages and Gemini see it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import httpx
import pytest

from holdfast.testing import (
    Reply,
    ScriptedServer,
    call,
    calls,
    cut,
    fail,
    say,
    wrong_json,
)
from tests.waiting import LONGEST

RESPONSES = "/v1/responses"
MESSAGES = "/v1/messages"
GEMINI = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"
STREAMS = [RESPONSES, MESSAGES, GEMINI]


def ask(server: ScriptedServer, path: str, **body: Any) -> httpx.Response:
    headers = {"x-api-key": "k"}
    return httpx.post(server.origin + path, json=body, headers=headers, timeout=LONGEST)


def stream(script: Reply, path: str) -> list[dict[str, Any]]:
    """Return the data of the events; each name is the type of its data."""
    with ScriptedServer([script]) as server:
        answer = ask(server, path, **({} if path == GEMINI else {"model": "m", "stream": True}))
    assert answer.headers["content-type"] == "text/event-stream"
    return events(answer.text)


def events(text: str) -> list[dict[str, Any]]:
    found = []
    for event in text.removesuffix("\n\n").split("\n\n"):
        *name, data = event.split("\n")
        value = json.loads(data.removeprefix("data: "))
        assert name in ([], [f"event: {value.get('type')}"])
        found.append(value)
    return found


def test_a_response_has_reasoning_text_and_calls_as_items() -> None:
    reply = Reply("Hello, world.", "hm", call("shell", command="ls").calls)
    found = stream(reply, RESPONSES)

    assert [event["type"].removeprefix("response.") for event in found] == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    ended = found[-1]["response"]
    assert (ended["id"], ended["status"], ended["model"]) == ("resp_0", "completed", "m")
    assert ended["output"] == [
        {
            "type": "reasoning",
            "id": "rs_0",
            "summary": [{"type": "summary_text", "text": "hm"}],
        },
        {
            "type": "message",
            "id": "msg_0",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Hello, world.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_0_0",
            "status": "completed",
            "call_id": "call_0_0",
            "name": "shell",
            "arguments": '{"command": "ls"}',
        },
    ]
    assert ended["usage"]["output_tokens"] == 9
    # Every item is announced without its content, at its place.
    added = [event for event in found if event["type"] == "response.output_item.added"]
    assert [event["output_index"] for event in added] == [0, 1, 2]
    assert (added[1]["item"]["content"], added[2]["item"]["arguments"]) == ([], "")


def test_a_message_has_thinking_text_and_calls_as_blocks() -> None:
    reply = Reply("Hi.", "hm", call("Write", '{"file').calls)
    found = stream(reply, MESSAGES)

    assert [(event["type"], event.get("index")) for event in found] == [
        ("message_start", None),
        ("content_block_start", 0),
        ("content_block_delta", 0),
        ("content_block_delta", 0),
        ("content_block_stop", 0),
        ("content_block_start", 1),
        ("content_block_delta", 1),
        ("content_block_stop", 1),
        ("content_block_start", 2),
        ("content_block_delta", 2),
        ("content_block_stop", 2),
        ("message_delta", None),
        ("message_stop", None),
    ]
    deltas = [event["delta"] for event in found if event["type"] == "content_block_delta"]
    assert deltas == [
        {"type": "thinking_delta", "thinking": "hm"},
        {"type": "signature_delta", "signature": "c2NyaXB0ZWQ="},
        {"type": "text_delta", "text": "Hi."},
        {"type": "input_json_delta", "partial_json": '{"file'},
    ]
    block = {"type": "tool_use", "id": "call_0_0", "name": "Write", "input": {}}
    assert found[8]["content_block"] == block
    assert found[-2]["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}


def test_gemini_has_thoughts_text_and_calls_as_parts() -> None:
    reply = Reply("Hi.", "hm", call("write_file", path="a").calls)
    found = stream(reply, GEMINI)

    candidates = [event["candidates"][0] for event in found]
    parts = [part for each in candidates for part in each["content"]["parts"]]
    assert parts == [
        {"text": "hm", "thought": True},
        {"text": "Hi."},
        {"functionCall": {"id": "call_0_0", "name": "write_file", "args": {"path": "a"}}},
    ]
    assert [each.get("finishReason") for each in candidates] == [None, None, None, "STOP"]
    assert found[-1]["modelVersion"] == "gemini-x"
    assert found[-1]["usageMetadata"]["candidatesTokenCount"] == 5


def test_a_call_that_is_no_json_stops_gemini_as_it_does_the_real_one() -> None:
    found = stream(calls(call("write_file", '{"pa'), text="Now."), GEMINI)

    assert found[0]["candidates"][0]["content"]["parts"] == [{"text": "Now."}]
    assert found[-1]["candidates"][0]["finishReason"] == "MALFORMED_FUNCTION_CALL"


def test_a_reply_that_is_not_streamed_is_one_object() -> None:
    reply = calls(call("f", a=1), text="Hi.")
    with ScriptedServer([reply] * 3) as server:
        response = ask(server, RESPONSES, input="x").json()
        message = ask(server, MESSAGES, messages=[]).json()
        gemini = ask(server, "/v1beta/models/g:generateContent", contents=[]).json()

    assert [item["type"] for item in response["output"]] == ["message", "function_call"]
    assert message["content"] == [
        {"type": "text", "text": "Hi."},
        {"type": "tool_use", "id": "call_1_0", "name": "f", "input": {"a": 1}},
    ]
    assert gemini["candidates"][0]["content"]["parts"][0] == {"text": "Hi."}


def test_a_reply_at_the_limit_on_tokens_says_so() -> None:
    reply = Reply("Hi.", finish="length")

    assert stream(reply, RESPONSES)[-1]["type"] == "response.incomplete"
    assert stream(reply, MESSAGES)[-2]["delta"]["stop_reason"] == "max_tokens"
    assert stream(reply, GEMINI)[-1]["candidates"][0]["finishReason"] == "MAX_TOKENS"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            RESPONSES,
            {
                "error": {
                    "message": "slow",
                    "type": "rate_limit_error",
                    "param": None,
                    "code": None,
                }
            },
        ),
        (MESSAGES, {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}),
        (
            GEMINI,
            {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}},
        ),
    ],
)
def test_an_error_has_the_shape_of_its_api(path: str, body: dict[str, Any]) -> None:
    with ScriptedServer([fail(429, "slow", retry_after=2)]) as server:
        answer = ask(server, path, stream=True)

    assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
    assert answer.json() == body


@pytest.mark.parametrize("path", STREAMS)
def test_a_cut_stream_ends_after_so_many_pieces_in_every_api(path: str) -> None:
    with (
        ScriptedServer([cut(say("Hello, world."), after=1)]) as server,
        httpx.stream("POST", server.origin + path, json={"stream": True}) as answer,
    ):
        came = b""
        with suppress(httpx.RemoteProtocolError, httpx.ReadError):
            for piece in answer.iter_raw():
                came += piece
    assert b"Hello, world" in came
    assert came.endswith(b"\n\n")
    assert b'"."' not in came


@pytest.mark.parametrize("path", STREAMS)
def test_a_broken_chunk_is_no_json_in_any_api(path: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        stream(wrong_json(say("a")), path)


def test_one_script_answers_all_apis_and_the_log_has_their_messages() -> None:
    with ScriptedServer([say("one"), say("two"), say("three"), say("four")]) as server:
        ask(server, RESPONSES, input="hello", stream=True)
        ask(server, RESPONSES, input=[{"role": "user", "content": "again"}], stream=True)
        ask(server, MESSAGES, messages=[{"role": "user", "content": "hey"}], stream=True)
        last = ask(server, GEMINI, contents=[{"role": "user", "parts": [{"text": "ahoy"}]}])

    assert "four" in last.text
    assert [request.messages for request in server.requests] == [
        [{"role": "user", "content": "hello"}],
        [{"role": "user", "content": "again"}],
        [{"role": "user", "content": "hey"}],
        [{"role": "user", "parts": [{"text": "ahoy"}]}],
    ]


def test_counting_tokens_takes_no_reply_of_the_script() -> None:
    with ScriptedServer([say("one")]) as server:
        counted = ask(server, "/v1/messages/count_tokens", messages=[]).json()
        total = ask(server, "/v1beta/models/g:countTokens", contents=[]).json()

    assert (counted, total) == ({"input_tokens": 3}, {"totalTokens": 3})
    assert server.requests == []


@pytest.mark.parametrize("path", STREAMS)
def test_a_key_is_wanted_where_the_api_has_it(path: str) -> None:
    with ScriptedServer([say("a")], key="secret") as server:
        refused = ask(server, path, stream=True)
        headers = {"x-api-key": "secret", "x-goog-api-key": "secret"}
        allowed = httpx.post(server.origin + path, json={"stream": True}, headers=headers)

    assert (refused.status_code, allowed.status_code) == (401, 200)
