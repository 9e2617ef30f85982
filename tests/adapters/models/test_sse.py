"""Events out of bytes, however the bytes are cut."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.models.sse import LARGEST_EVENT, Events

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def read(*parts: bytes) -> list[str]:
    events = Events()
    return [event for part in parts for event in events.feed(part)] + events.finish()


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b'data: {"a": 1}\n\ndata: [DONE]\n\n', ['{"a": 1}', "[DONE]"]),
        (b'data:{"a": 1}\n\n', ['{"a": 1}']),
        (b'data: {"a": 1}\r\n\r\ndata: 2\r\n\r\n', ['{"a": 1}', "2"]),
        (b"data: 1\r\rdata: 2\r\r", ["1", "2"]),
        (b": keep-alive\n\n:\n\ndata: 1\n\n: ping\n\n", ["1"]),
        (b"event: message\nid: 7\nretry: 10\ndata: 1\n\n", ["1"]),
        (b'data: {"a":\ndata: 1}\n\n', ['{"a":\n1}']),
        (b'data: {"a": 1}\ndata: {"a": 2}\ndata: [DONE]\n', ['{"a": 1}', '{"a": 2}', "[DONE]"]),
        (b"data: 1", ["1"]),
        (b"\xef\xbb\xbfdata: 1\n\n", ["1"]),
        (b"data\n\n", []),
        (b"", []),
        ('data: "a\u2028b\x0cc\x85d"\n\n'.encode(), ['"a\u2028b\x0cc\x85d"']),
    ],
)
def test_a_stream_gives_the_data_of_its_events(stream: bytes, expected: list[str]) -> None:
    assert read(stream) == expected
    assert read(*(bytes([byte]) for byte in stream)) == expected


@given(
    st.lists(JSON, max_size=5),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.lists(st.integers(0, 400)),
)
def test_events_do_not_depend_on_where_the_bytes_are_cut(
    values: list[object], end: bytes, cuts: list[int]
) -> None:
    stream = b"".join(
        b"data: " + json.dumps(value, ensure_ascii=False).encode() + end + end for value in values
    )
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    parts = [stream[start:stop] for start, stop in pairwise(edges)]

    assert [json.loads(event) for event in read(*parts)] == values


def test_bytes_that_are_no_utf_8_do_not_stop_the_stream() -> None:
    assert read(b'data: "a\xff"\n\ndata: 1\n\n') == ['"a\ufffd"', "1"]


@pytest.mark.parametrize(
    ("flood", "parts"),
    [
        (b"x" * 65_536, LARGEST_EVENT // 65_536 + 1),
        (b"data: " + b"1" * 65_530, LARGEST_EVENT // 65_536 + 1),
        (b"data: [\n", 1_001),
        (b"data: 1,\r\n", 1_001),
    ],
)
def test_an_event_without_an_end_is_dropped(flood: bytes, parts: int) -> None:
    events = Events()
    for _ in range(parts):
        assert not events.too_large
        assert events.feed(flood) == []
    assert events.too_large
    assert events.feed(b"\n\ndata: 1\n\n") == []
    assert events.finish() == []


def test_an_event_as_large_as_a_file_is_whole() -> None:
    text = json.dumps("y" * (LARGEST_EVENT - 10))
    data = f"data: {text}\n\n".encode()
    parts = [data[at : at + 65_536] for at in range(0, len(data), 65_536)]
    assert read(*parts) == [text]
