"""Asking a server that fails, refuses, hangs or wants a key."""

from __future__ import annotations

import json
import logging
import socket
import threading
from dataclasses import replace
from typing import Any

import pytest

from holdfast.adapters.models.errors import RequestOrigin, read_break, read_status
from holdfast.adapters.models.openai_compatible import OpenAICompatible, Timeouts
from holdfast.loop.ports import (
    CallPiece,
    FailPiece,
    FinishPiece,
    ModelRequest,
    RetryPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
    WaitPiece,
)
from holdfast.testing import (
    FixedClock,
    RecordedRequest,
    Reply,
    ScriptedServer,
    call,
    cut,
    drop,
    fail,
    hang,
    overflow,
    raw,
    say,
    slow,
    truncated,
)
from tests.adapters.models.asking import HELLO, WITH_TOOLS, ask, last, pieces_of, retries, serving
from tests.waiting import LONGEST, set_when

KEY = "sk-very-secret-0123456789"


# -------------------------------------------------------------------------------------------------------- retries


@pytest.mark.parametrize(
    "failing",
    [fail(429), fail(500), fail(502), fail(503), fail(504), drop(), cut(say("Hello."), 0)],
)
def test_what_can_pass_is_asked_again(failing: Reply) -> None:
    clock = FixedClock()
    with serving([failing, failing, say("Hello.")], sleep=clock.sleep) as (model, server):
        pieces = ask(model)

    assert len(retries(pieces)) == 2
    assert pieces[2:] == [
        TextPiece("Hello."),
        UsagePiece(len(server.requests[2].raw) // 4, 2),
        FinishPiece("stop"),
    ]
    assert sum(clock.slept) == pytest.approx(0.5 + 1.0)
    assert [request.raw for request in server.requests] == [server.requests[0].raw] * 3


def test_retries_come_to_an_end_and_the_failure_says_where_and_what() -> None:
    with serving([], server={"otherwise": fail(503, "loading model")}) as (model, server):
        pieces = ask(model)

    assert [type(piece) for piece in pieces] == [RetryPiece] * 3 + [FailPiece]
    assert len(server.requests) == 4
    where = server.base_url
    assert last(pieces) == FailPiece(
        "server",
        f"{where} fails with 503 (loading model); look at the server's log, then continue.",
    )


def test_a_server_that_wore_out_all_tries_is_asked_once_after_a_pause_until_it_answers() -> None:
    clock = FixedClock()
    failing = [fail(503, "loading model")] * 5
    script = [*failing, say("Hello."), *failing[:4]]
    with serving(script, sleep=clock.sleep, clock=clock) as (model, server):
        assert [len(ask(model)) for _ in range(2)] == [4, 1]
        slept = sum(clock.slept)
        answered = ask(model)
        asked = len(server.requests)
        ask(model)

    assert slept == pytest.approx(0.5 + 1 + 2 + 4)
    assert answered[0] == TextPiece("Hello.")
    assert (asked, len(server.requests)) == (6, 10)


@pytest.mark.parametrize(("asked", "slept"), [(7, 7.0), (0, 0.0), (9999, 30.0)])
def test_retry_after_is_kept_up_to_a_limit(asked: float, slept: float) -> None:
    clock = FixedClock()
    with serving([fail(429, retry_after=asked), say("Hello.")], sleep=clock.sleep) as (model, _):
        ask(model)

    assert sum(clock.slept) == pytest.approx(slept)


@pytest.mark.parametrize("text", ["Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-1", "nan", "inf", ""])
def test_a_retry_after_that_is_no_number_is_left_to_our_own_pause(text: str) -> None:
    trouble = read_status(
        429, {"retry-after": text}, b"", RequestOrigin("http://x/v1", "m", "nowhere")
    )

    assert (trouble.again, trouble.after) == (True, None)


@pytest.mark.parametrize("status", [402, 404, 410])
def test_what_cannot_pass_is_not_asked_again(status: int) -> None:
    with serving([fail(status)]) as (model, server):
        pieces = ask(model)

    assert [last(pieces).kind, len(pieces), len(server.requests)] == ["refused", 1, 1]


def test_a_quota_that_is_used_up_is_not_waited_for() -> None:
    assert last(pieces_of(fail(429, "insufficient_quota"), timeouts=Timeouts())).kind == "refused"


def test_nothing_is_asked_again_once_the_model_has_spoken() -> None:
    with serving([cut(say("Hello, dear world of models"), 2)]) as (model, server):
        pieces = ask(model)

    assert pieces[:-1] == [TextPiece("Hello, dear "), TextPiece("world of mod")]
    assert last(pieces).kind == "cut"
    assert len(server.requests) == 1


def test_a_call_that_is_cut_gives_what_came_of_it_and_no_finish() -> None:
    pieces = pieces_of(cut(call("write_file", path="a.py", text="x = 1"), 2))

    assert all(isinstance(piece, CallPiece) for piece in pieces[:-1])
    assert last(pieces).kind == "cut"


def test_silence_before_the_first_piece_is_asked_again_and_silence_after_it_is_a_cut() -> None:
    never, clock, pieces = threading.Event(), FixedClock(), list[StreamPiece]()

    def time_passes_only_where_the_server_holds_back() -> float:
        asked = len(server.requests)
        if (asked == 1 and not pieces) or TextPiece("Hello, dear ") in pieces:
            clock.advance(1.0)
        return clock()

    script = [hang(never), slow(say("Hello, dear world"), never)]
    options: dict[str, Any] = {
        "clock": time_passes_only_where_the_server_holds_back,
        "timeouts": Timeouts(first=2.0, idle=2.0),
    }
    with serving(script, **options) as (model, server):
        for piece in model.stream(HELLO, threading.Event()):
            pieces.append(piece)

    assert [type(piece) for piece in pieces] == [RetryPiece, TextPiece, FailPiece]
    assert "silent for too long (2 s)" in retries(pieces)[0].reason
    assert last(pieces).kind == "cut"


# ---------------------------------------------------------------------------------------------------- unreachable


def test_where_nothing_listens_it_says_so_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(
            ("127.0.0.1", 0)
        )  # bound and not listening: nobody else gets it, and nobody answers
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with OpenAICompatible(url, "m") as model:
            pieces = ask(model)

    message = f"nothing answers at {url} (Connection refused); start the server there, or name another with --base-url."
    assert pieces == [FailPiece("unreachable", message)]


def test_a_certificate_that_is_not_trusted_is_not_taken_for_silence() -> None:
    why = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
    failure = read_break("certificate", why, RequestOrigin("https://x/v1", "m", "nowhere")).fail

    assert failure.kind == "unreachable"
    assert failure.message.startswith("the certificate of https://x/v1 is not trusted (")


@pytest.mark.parametrize("url", ["http://[::1", "ftp://example.com", "http://", "http://host:port"])
def test_an_address_that_is_none_is_a_failure_and_no_exception(url: str) -> None:
    with OpenAICompatible(url, "m") as model:
        assert last(ask(model)).kind == "unreachable"


def test_a_page_in_the_place_of_a_server_says_so() -> None:
    with serving([fail(404, "<html>")]) as (model, _):
        assert last(ask(model)).message.endswith("check the base URL, which usually ends in /v1.")


def test_a_server_that_speaks_no_http_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_answer_with_noise, args=(listening,))
        thread.start()
        with OpenAICompatible(
            f"http://127.0.0.1:{listening.getsockname()[1]}", "m", timeouts=Timeouts(retries=0)
        ) as model:
            failure = last(ask(model))
        thread.join()

    assert failure.kind == "server"


def _answer_with_noise(listening: socket.socket) -> None:
    client, _ = listening.accept()
    with client:
        client.recv(65536)
        client.sendall(b"noise\r\n\r\n")


# ------------------------------------------------------------------------------------------------------------ key


@pytest.mark.parametrize("wrong", ["sk-not-this-one-9876543210", None])
def test_a_wrong_key_is_unreachable_and_says_where_the_key_comes_from(wrong: str | None) -> None:
    with serving([], server={"key": KEY}, key=wrong) as (model, server):
        pieces = ask(model)

    state = (
        "wants a key, and there is none" if wrong is None else "refuses the key that it was sent"
    )
    source = "HOLDFAST_API_KEY in the environment, or `api_key` in the user's config file"
    assert pieces == [
        FailPiece("login", f"{server.base_url} {state} (401). The key comes from {source}.")
    ]


def test_the_right_key_is_sent_without_its_blanks() -> None:
    with serving([say("Hello.")], server={"key": KEY}, key=f" {KEY}\n") as (model, _):
        assert ask(model)[0] == TextPiece("Hello.")


@pytest.mark.parametrize(
    "reply",
    [
        fail(400, f"Bad request with key {KEY}"),
        fail(500, f"Incorrect key {KEY}"),
        fail(401, f"Incorrect API key provided: {KEY}"),
        fail(429, "sk-very-*********6789 is over its limit"),
        raw(json.dumps({"error": {"message": KEY}}).encode()),
        raw(f"<html><title>{KEY}</title>".encode()),
    ],
)
def test_the_key_is_in_no_message_log_or_repr(
    reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving([], server={"otherwise": reply}, key=KEY) as (model, server):
        pieces = ask(model)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        shown = [repr(pieces), repr(model), str(model), caplog.text, repr(server.requests)]

    assert not [text for text in shown if KEY in text or "6789" in text]


def test_a_key_that_no_header_can_carry_is_a_failure_without_the_key() -> None:
    with serving([], key="schlüssel\nx") as (model, _):
        failure = last(ask(model))

    assert failure.kind == "login"
    assert "schl" not in failure.message


def test_a_user_in_the_address_is_sent_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ScriptedServer([fail(402)]) as server:
        url = server.base_url.replace("http://", "http://me:hidden@")
        with OpenAICompatible(url, "m") as model:
            failure = last(ask(model))
            shown = repr(model) + failure.message + caplog.text
        assert server.requests[0].headers["authorization"] == "Basic bWU6aGlkZGVu"

    assert "hidden" not in shown


# --------------------------------------------------------------------------------------------------------- cancel


@pytest.mark.parametrize("spoken", [True, False])
def test_a_cancel_is_noticed_in_the_middle_and_the_connection_is_closed(spoken: bool) -> None:
    never, cancel = threading.Event(), threading.Event()
    reply = slow(say("Hello, dear world"), never) if spoken else hang(never)
    with serving([reply]) as (model, server):
        pieces = model.stream(HELLO, cancel)
        if spoken:
            assert next(pieces) == TextPiece("Hello, dear ")
            cancel.set()
        else:  # set from the other side, once the request is there: then the model waits for its first byte
            setter = set_when(cancel, lambda: bool(server.requests))
        # The server never goes on, so that only the cancel can end this.
        assert list(pieces) == [FailPiece("cancelled", "the request was cancelled.")]
        assert server.wait_for_disconnect(LONGEST)
        if not spoken:
            setter.join()


def test_to_close_the_iterator_ends_the_request() -> None:
    never = threading.Event()
    with serving([slow(say("Hello, dear world"), never)]) as (model, server):
        pieces = model.stream(HELLO, threading.Event())
        next(pieces)
        pieces.close()  # type: ignore[attr-defined]  # a generator, though the port does not promise one
        assert server.wait_for_disconnect(LONGEST)
    for thread in threading.enumerate():
        if thread.name == "holdfast-exchange":
            thread.join(LONGEST)
            assert not thread.is_alive()


def test_what_was_cancelled_before_is_not_asked() -> None:
    cancel = threading.Event()
    cancel.set()
    with serving([]) as (model, server):
        assert [
            piece.kind for piece in model.stream(HELLO, cancel) if isinstance(piece, FailPiece)
        ] == ["cancelled"]
        assert server.requests == []


def test_a_cancel_ends_the_pause_before_a_retry() -> None:
    cancel, slept = threading.Event(), list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            cancel.set()

    with serving([fail(429, retry_after=20)], sleep=sleep) as (model, _):
        pieces = list(model.stream(HELLO, cancel))

    assert [type(piece) for piece in pieces] == [RetryPiece, FailPiece]
    assert last(pieces).kind == "cancelled"
    assert slept == [0.05] * 3


# ------------------------------------------------------------------------------------------------------- refusals


def refusing(*fields: str, status: int = 400, words: str = "unsupported: {}") -> Any:
    """A server that refuses a body with one of these fields in it, wherever it stands."""

    def script(request: RecordedRequest) -> Reply:
        found = next((field for field in fields if f'"{field}"'.encode() in request.raw), None)
        return say("Hello.") if found is None else fail(status, words.format(found))

    return script


def left_out(server: ScriptedServer) -> set[str]:
    """Return what the first request has, and the last one has not."""
    first, last = server.requests[0].raw, server.requests[-1].raw
    marks = {name: f'"{name}"'.encode() for name in ("stream_options", *OF_TOOLS)}
    return {name for name, mark in marks.items() if mark in first and mark not in last}


OF_TOOLS = ("tools", "tool_choice", "strict", "anyOf")


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("words", ["unsupported: {}", "no"])
@pytest.mark.parametrize(
    ("fields", "gone"),
    [
        (["stream_options"], {"stream_options"}),
        (["tool_choice"], {"tool_choice"}),
        (["strict"], {"strict"}),
        (["anyOf"], {"anyOf"}),
        (["tools"], {*OF_TOOLS}),
        (["tools", "stream_options"], {*OF_TOOLS, "stream_options"}),
    ],
)
def test_what_a_server_refuses_is_left_out_and_stays_left_out(
    fields: list[str], gone: set[str], words: str, status: int
) -> None:
    with serving(refusing(*fields, status=status, words=words), kind="vllm") as (model, server):
        first = ask(model, WITH_TOOLS)
        asked = len(server.requests)
        ask(model, WITH_TOOLS)

    assert first[-3:-1][0] == TextPiece("Hello.")
    assert retries(first)
    if words != "no":
        assert left_out(server) == gone
        assert len(server.requests) == asked + 1
    else:  # not named: what costs less was left out before it
        assert left_out(server) >= gone
        # Tools are not given up for good on a guess.
        was_asked_again = len(server.requests) > asked + 1
        assert was_asked_again == (status == 500 and "tools" in fields)


def test_max_tokens_is_called_by_its_other_name_where_that_is_asked_for() -> None:
    words = (
        "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    )
    with serving(refusing("max_tokens", words=words)) as (model, server):
        pieces = ask(model, replace(HELLO, max_tokens=64))

    assert pieces[-1] == FinishPiece("stop")
    assert server.requests[-1].body["max_completion_tokens"] == 64


def test_if_omitting_fields_does_not_help_the_first_error_is_reported_and_nothing_is_remembered() -> (
    None
):
    with serving([], server={"otherwise": fail(400, "bad luck")}) as (model, server):
        failure = last(ask(model, WITH_TOOLS))
        assert len(server.requests) == 5
        ask(model, WITH_TOOLS)

    assert failure == FailPiece(
        "refused", f"{server.base_url} refuses the request with 400 (bad luck)."
    )
    assert server.requests[5].raw == server.requests[0].raw


def test_a_model_without_tools_receives_them_as_text() -> None:
    words = "registry.ollama.ai/library/gemma:2b does not support tools"
    with serving(refusing("tools", words=words)) as (model, server):
        ask(model, WITH_TOOLS)

    system = server.requests[-1].messages[0]
    assert system["role"] == "system"
    assert "- read_file: Reads a file." in system["content"]
    assert "<tool_call>" in system["content"]


def test_a_missing_model_is_named_with_the_next_step() -> None:
    with serving([fail(404, 'model "m" not found, try pulling it first')]) as (model, server):
        failure = last(ask(model))

    assert failure.kind == "refused"
    assert failure.message.startswith(f"{server.base_url} has no model m (")
    assert failure.message.endswith("name one that it lists, with --model.")


# ------------------------------------------------------------------------------------------------------- overflow

OVERFLOWS = [
    (
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        None,
    ),
    (
        "request (20001 tokens) exceeds the available context size (8192 tokens), try increasing it",
        8192,
    ),
    (
        "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
        4096,
    ),
    (
        "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.",
        7866,
    ),
    (
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).",
        4096,
    ),
    ("the input length exceeds the context length", None),
    ("Prompt is 11543 tokens but the model context window is 4096 tokens.", 4096),
    ("Requested tokens (5000) exceed context window of 2048", 2048),
    ("prompt is too long: 210000 tokens > 200000 maximum", None),
    ("input is too long for requested model", None),
]


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(("words", "tokens"), OVERFLOWS, ids=[words[:30] for words, _ in OVERFLOWS])
def test_a_payload_that_is_too_long_is_known_by_what_each_server_says(
    words: str, tokens: int | None, status: int
) -> None:
    with serving([fail(status, words)]) as (model, server):
        pieces = ask(model, WITH_TOOLS)

    assert len(pieces) == 1
    assert last(pieces).kind == "overflow"
    assert (model.context, len(server.requests)) == (tokens, 1)


@pytest.mark.parametrize(
    "error",
    [
        {"message": "too long", "type": "invalid_request_error", "code": "context_length_exceeded"},
        {
            "message": "no",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 9000,
            "n_ctx": 4096,
            "code": 400,
        },
    ],
)
def test_an_overflow_is_also_known_by_its_code_or_type(error: dict[str, Any]) -> None:
    assert last(pieces_of(raw(json.dumps({"error": error}).encode()))).kind == "overflow"


def test_a_context_that_was_configured_is_not_made_larger_by_what_a_server_says() -> None:
    with serving([overflow(8192)], context=4096) as (model, _):
        ask(model)
        assert model.context == 4096


def test_a_silently_truncated_prompt_shows_in_the_usage() -> None:
    assert UsagePiece(100, 2) in pieces_of(truncated(say("Hello."), 100))


# ------------------------------------------------------------------------------------------------------------ port


def test_two_threads_can_ask_one_model_at_once() -> None:
    def echo(request: RecordedRequest) -> Reply:
        return say(request.messages[-1]["content"])

    found: dict[str, list[StreamPiece]] = {}

    def run(model: OpenAICompatible, text: str) -> None:
        from holdfast.vocab.transcript import UserText

        found[text] = ask(model, ModelRequest((UserText(text),)))

    with serving(echo) as (model, _):
        threads = [threading.Thread(target=run, args=(model, f"number {n}")) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert {text: pieces[0] for text, pieces in found.items()} == {
        f"number {n}": TextPiece(f"number {n}") for n in range(8)
    }


def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    assert pieces_of(say("Hello."))[0] == TextPiece("Hello.")


def test_a_long_silence_before_the_first_word_is_reported_and_then_ends() -> None:
    release = threading.Event()
    clock = FixedClock(step=5.0)
    limits = Timeouts(first=100.0, notices=(20.0, 60.0, 180.0), retries=0)
    script = [hang(release)]
    with serving(script, timeouts=limits, clock=clock) as (model, server):
        pieces = ask(model)
        release.set()
    assert pieces[:2] == [WaitPiece(20.0), WaitPiece(60.0)]
    cure = "it may still load the model: try again, or look at its log"
    message = f"{server.base_url} was silent for too long (100 s); {cure}."
    assert pieces[2:] == [FailPiece("server", message)]


def _event(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


@pytest.mark.parametrize(
    ("flood", "what"),
    [
        (raw(b"data: " + b"x" * 5_000_000), "a line of more than 4 MB"),
        (raw(b'{"choices": "' + b"x" * 9_000_000), "an object of more than 8 MB"),
        (raw(*[_event(f"{n} " * 20_000) for n in range(40)]), "a reply without end"),
    ],
)
def test_a_reply_that_is_larger_than_any_is_not_read_to_its_end(flood: Reply, what: str) -> None:
    failure = last(pieces_of(flood))
    assert failure.kind == "bad"
    assert failure.message.endswith(f"answers with {what}; it was not read to its end.")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_json_that_is_nested_too_deeply_is_no_reply_and_no_exception(text: str) -> None:
    for body in (f"data: {text}\n\n".encode(), text.encode()):
        assert last(pieces_of(raw(body))).kind == "bad"
