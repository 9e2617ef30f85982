"""The scripted server, as any client of Chat Completions sees it."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

import pytest

from holdfast.testing import (
    RecordedRequest,
    Reply,
    ScriptedServer,
    call,
    calls,
    chunks,
    cut,
    drop,
    fail,
    hang,
    overflow,
    raw,
    say,
    text_call,
    think,
    truncated,
    whole,
    wrong_json,
)
from tests.waiting import LONGEST, wait_until


def post(server: ScriptedServer, **body: Any) -> tuple[int, http.client.HTTPMessage, bytes]:
    """Ask with nothing but the standard library; the body as far as it comes."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LONGEST)
    try:
        connection.request(
            "POST", "/v1/chat/completions", json.dumps({"model": "m", "messages": [], **body})
        )
        answer = connection.getresponse()
        try:
            data = answer.read()
        except http.client.IncompleteRead as broken:
            data = broken.partial
        return answer.status, answer.headers, data
    finally:
        connection.close()


def get(server: ScriptedServer, path: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LONGEST)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def events(data: bytes) -> list[Any]:
    found = [line.removeprefix("data: ") for line in data.decode().split("\n") if line]
    assert found[-1] == "[DONE]"
    return [json.loads(event) for event in found[:-1]]


def test_a_reply_is_streamed_or_whole_as_it_was_asked_for() -> None:
    with ScriptedServer([say("Hello, world."), say("Hello, world.")]) as server:
        _, headers, streamed = post(server, stream=True)
        _, _, at_once = post(server)

    assert headers["content-type"] == "text/event-stream"
    assert [chunk["choices"][0]["delta"].get("content") for chunk in events(streamed)[:-2]] == [
        "",
        "Hello, world",
        ".",
    ]
    assert events(streamed)[-1]["usage"]["completion_tokens"] == 4
    assert json.loads(at_once)["choices"][0]["message"] == {
        "role": "assistant",
        "content": "Hello, world.",
    }


def test_replies_come_in_the_order_of_the_script_and_then_there_are_no_more() -> None:
    with ScriptedServer([say("one"), fail(429, "slow down", retry_after=3)]) as server:
        assert b"one" in post(server)[2]
        status, headers, data = post(server)
        assert (status, headers["retry-after"], json.loads(data)["error"]["message"]) == (
            429,
            "3",
            "slow down",
        )
        assert post(server)[0] == 410
    assert len(server.requests) == 3


def test_a_script_can_be_a_function_of_the_request() -> None:
    def echo(request: RecordedRequest) -> Reply:
        return say(request.messages[-1]["content"])

    with ScriptedServer(echo) as server:
        assert b"ahoy" in post(server, messages=[{"role": "user", "content": "ahoy"}])[2]


def test_otherwise_goes_on_for_ever() -> None:
    with ScriptedServer([say("one")], otherwise=say("more")) as server:
        assert [b"more" in post(server)[2] for _ in range(3)] == [False, True, True]


def test_requests_are_kept_as_they_came() -> None:
    with ScriptedServer([say("one")]) as server:
        post(server, temperature=0.5)

    assert server.requests[0].raw == b'{"model": "m", "messages": [], "temperature": 0.5}'
    assert server.requests[0].body["temperature"] == 0.5


def test_several_calls_have_ids_of_their_own_also_between_replies() -> None:
    both = calls(call("read_file", path="a"), call("run_command", '{"command": '), text="Both.")
    with ScriptedServer([both, both]) as server:
        messages = [json.loads(post(server)[2])["choices"][0]["message"] for _ in range(2)]

    made = [call for message in messages for call in message["tool_calls"]]
    assert len({call["id"] for call in made}) == 4
    assert [call["function"]["arguments"] for call in made[:2]] == ['{"path": "a"}', '{"command": ']


@pytest.mark.parametrize(
    ("reply", "status", "data"),
    [
        (overflow(4096), 400, b"exceeds the available context size (4096 tokens)"),
        (raw(b"any", b"thing"), 200, b"anything"),
        (chunks({"x": 1}), 200, b'data: {"x": 1}\n\ndata: [DONE]\n\n'),
        (truncated(say("a"), 17), 200, b'"prompt_tokens": 17'),
        (think("hm"), 200, b'"reasoning_content": "hm"'),
        (text_call("read_file", path="a"), 200, b"<tool_call>"),
        (text_call("read_file", "function", path="a"), 200, b"<tool_call>\\n"),
        (text_call("read_file", "mistral", path="a"), 200, b"[TOOL_CALLS]"),
        (text_call("read_file", "fenced", path="a"), 200, b"```json"),
        (whole(say("a")), 200, b'"object": "chat.completion", '),
    ],
)
def test_each_reply_and_fault_is_what_it_says(reply: Reply, status: int, data: bytes) -> None:
    with ScriptedServer([reply]) as server:
        answer = post(server, stream=True)

    assert answer[0] == status
    assert data in answer[2]


def test_a_broken_chunk_is_no_json() -> None:
    with ScriptedServer([wrong_json(say("a"))]) as server, pytest.raises(json.JSONDecodeError):
        events(post(server, stream=True)[2])


def test_a_cut_stream_ends_after_so_many_pieces() -> None:
    with ScriptedServer([cut(say("Hello, world."), after=1)]) as server:
        data = post(server, stream=True)[2]

    assert b"Hello, world" in data
    assert b'finish_reason": "stop' not in data


def test_a_dropped_request_has_no_answer() -> None:
    with (
        ScriptedServer([drop()]) as server,
        pytest.raises((http.client.RemoteDisconnected, ConnectionError)),
    ):
        post(server)


def test_a_request_hangs_until_it_is_released() -> None:
    release, answers = threading.Event(), list[bytes]()
    with ScriptedServer([hang(release, say("at last"))]) as server:
        asking = threading.Thread(target=lambda: answers.append(post(server)[2]))
        asking.start()
        assert wait_until(lambda: bool(server.requests))
        assert answers == []
        release.set()
        asking.join()

    assert b"at last" in answers[0]


def test_closing_lets_whoever_hangs_go() -> None:
    server = ScriptedServer([hang(threading.Event())])
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LONGEST)
    connection.request("POST", "/v1/chat/completions", "{}")
    assert wait_until(lambda: bool(server.requests))
    server.close()

    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        connection.getresponse()
    connection.close()


def test_what_goes_wrong_in_a_script_is_raised_at_the_close() -> None:
    def wrong(request: RecordedRequest) -> Reply:
        raise ZeroDivisionError

    server = ScriptedServer(wrong)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        post(server)
    with pytest.raises(ZeroDivisionError):
        server.close()


def test_models_are_listed_and_a_key_is_wanted_if_there_is_one() -> None:
    with ScriptedServer([], models=["a", "b"]) as server:
        assert [entry["id"] for entry in get(server, "/v1/models")["data"]] == ["a", "b"]
        assert get(server, "/nothing") == {"error": "not found"}
    with ScriptedServer([], key="k") as server:
        assert get(server, "/v1/models") == {"error": {"message": "no key"}}
        assert post(server)[0] == 401
        assert server.requests == []
