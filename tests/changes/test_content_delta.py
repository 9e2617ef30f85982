"""A text as its difference to another: it comes back exactly, and what is repeated is not stored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.changes.content_delta import (
    ContentDelta,
    delta_from_bytes,
    delta_to_bytes,
    difference,
    patched,
)

lines = st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"d\r", b"\0\xff", b"long line\n"])
texts = st.lists(lines, max_size=30).map(b"".join) | st.binary(max_size=60)


@given(texts, texts)
def test_any_text_comes_back_from_any_other(old: bytes, new: bytes) -> None:
    delta = delta_from_bytes(delta_to_bytes(difference(old, new)))
    assert patched(old, delta) == new


def test_a_changed_line_is_all_that_is_added() -> None:
    old = b"one\n\ntwo\n\nthree\n\nfour\n"
    new = b"one\n\nTWO\n\nthree\n\nFOUR\n"
    delta = ContentDelta(((0, 5), (-1, 4), (9, 8), (-1, 4), (21, 1)), b"TWO\nFOUR")
    assert difference(old, new) == delta


def test_a_moved_block_is_copied_from_where_it_was() -> None:
    old = b"head\nfirst\nsecond\nlast\nend\n"
    new = b"head\nlast\nfirst\nsecond\nend\n"
    # Of the line before the common end only its line end is common.
    assert difference(old, new).added == b"second"


def test_a_text_without_line_ends_is_compared_by_bytes() -> None:
    old = b"x" * 5_000 + b"old" + b"y" * 5_000
    new = b"x" * 5_000 + b"new" + b"y" * 5_000
    assert difference(old, new) == ContentDelta(((0, 5_000), (-1, 3), (5_003, 5_000)), b"new")
