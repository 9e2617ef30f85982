"""Almost JSON: how deep it may be nested, and how much of a text is read."""

from __future__ import annotations

import pytest

from holdfast.loop.parse_reply.text_calls.scan import scan
from holdfast.syntax.loose_json import Loose, read_loose

CALL = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_almost_json_is_read_63_levels_deep_and_no_deeper(opening: str, closing: str) -> None:
    def nested(depth: int) -> object:
        return read_loose(opening * depth + "'x'" + closing * depth, 0)

    assert isinstance(nested(63), Loose)
    assert not isinstance(nested(64), Loose)


def test_only_the_first_64_places_of_a_text_are_read_as_calls() -> None:
    scanned = scan(f"{CALL}\n\nwords\n\n" * 70, lambda _: True, lambda _: True)
    assert len(scanned.calls) == 64
    assert scanned.text.count("<tool_call>") == 6


@pytest.mark.parametrize(("after", "count"), [("", 1), (" to call it.", 0), (" <|im_end|>", 1)])
def test_a_call_in_a_sentence_is_about_calls(after: str, count: int) -> None:
    assert len(scan(f"Write {CALL}{after}", lambda _: True, lambda _: True).calls) == count
