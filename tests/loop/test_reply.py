from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.loop.ports import (
    CallPiece,
    FailPiece,
    FinishPiece,
    ReasoningPiece,
    RetryPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
)
from holdfast.loop.reply import ModelReply, collect
from holdfast.vocab.tool_calls import RawCall


def test_pieces_are_joined_and_each_is_passed_on_as_it_comes() -> None:
    pieces: list[StreamPiece] = [
        ReasoningPiece("hm"),
        TextPiece("I "),
        TextPiece("read."),
        CallPiece(0, "a", "read_file"),
        CallPiece(0, "a", "read_file", '{"path"'),
        CallPiece(1, "b", "list_dir", "{}"),
        CallPiece(0, arguments=': "a.py"}'),
        UsagePiece(10, 5),
        FinishPiece("tool_calls"),
    ]
    passed: list[StreamPiece] = []

    reply = collect(iter(pieces), passed.append)

    assert passed == pieces
    calls = (RawCall("a", "read_file", '{"path": "a.py"}'), RawCall("b", "list_dir", "{}"))
    assert reply == ModelReply("I read.", "hm", calls, "tool_calls", UsagePiece(10, 5))
    assert reply.whole


def test_a_repetition_ends_the_request_and_is_part_of_the_reply() -> None:
    closed: list[bool] = []

    def chanting() -> Iterator[StreamPiece]:
        try:
            while True:
                yield TextPiece("I will end the turn now.\n")
        finally:
            closed.append(True)

    reply = collect(chanting(), lambda piece: None)

    assert closed == [True]
    assert reply.repetition is not None
    assert reply.repetition.channel == "text"
    assert not reply.whole
    assert len(reply.text) < 5000


def test_each_channel_is_listened_to_apart() -> None:
    def chanting(piece: StreamPiece) -> Iterator[StreamPiece]:
        for _ in range(2_000):
            yield piece

    reasoning = collect(chanting(ReasoningPiece("Wait, let me think again. ")), lambda piece: None)
    arguments = collect(
        chanting(CallPiece(0, arguments="and the same line again\\n")), lambda piece: None
    )

    assert reasoning.repetition is not None
    assert reasoning.repetition.channel == "reasoning"
    assert arguments.repetition is not None
    assert arguments.repetition.channel == "arguments"


def test_a_failure_is_the_last_piece_and_the_reply_is_not_whole() -> None:
    failure = FailPiece("cut", "the stream ended")
    reply = collect(iter([TextPiece("I"), failure, TextPiece(" never")]), lambda piece: None)

    assert reply == ModelReply("I", failure=failure)
    assert not reply.whole


def test_what_came_before_a_retry_is_another_reply() -> None:
    pieces: list[StreamPiece] = [
        TextPiece("half"),
        RetryPiece("503"),
        TextPiece("whole"),
        FinishPiece("stop"),
    ]
    assert collect(iter(pieces), lambda piece: None) == ModelReply("whole", finish="stop")


def test_a_stream_that_never_says_that_it_is_over_is_not_whole() -> None:
    assert not collect(iter([TextPiece("so")]), lambda piece: None).whole


def test_the_request_is_ended_when_a_listener_fails() -> None:
    closed: list[bool] = []

    def stream() -> Iterator[StreamPiece]:
        try:
            yield TextPiece("a")
            yield TextPiece("b")
        finally:
            closed.append(True)

    def listen(piece: StreamPiece) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(stream(), listen)
    assert closed == [True]


def cut_up(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)]


short = st.text(max_size=60)
cuts = st.lists(st.integers(0, 60), max_size=6)


@given(short, short, short, cuts)
def test_a_stream_cut_into_pieces_anywhere_gives_the_same_reply(
    text: str, reasoning: str, arguments: str, where: list[int]
) -> None:
    pieces: list[StreamPiece] = [
        *(ReasoningPiece(part) for part in cut_up(reasoning, where)),
        *(TextPiece(part) for part in cut_up(text, where)),
        CallPiece(0, "c", "read_file"),
        *(CallPiece(0, "c", "read_file", part) for part in cut_up(arguments, where)),
        FinishPiece("stop"),
    ]

    reply = collect(iter(pieces), lambda piece: None)

    assert reply == ModelReply(text, reasoning, (RawCall("c", "read_file", arguments),), "stop")
