"""The growth part's texts are what they say and can be read; the times themselves are not tested."""

from __future__ import annotations

import pytest

from bench.growth.measure import MOST_GROWTH, MOST_MS, Growth, read
from bench.growth.texts import NOTATIONS, REPLIES, LongText

TEXT = LongText("letters", "answer", "<head>", "abc", "<tail>")


def test_a_text_is_a_head_whole_pieces_and_a_tail() -> None:
    assert TEXT.of(10) == "<head>abcabcabc<tail>"


@pytest.mark.parametrize(
    "text", [*NOTATIONS, *REPLIES], ids=lambda text: f"{text.reader}: {text.name}"
)
def test_every_text_can_be_read(text: LongText) -> None:
    read(text, 1000)


def test_a_text_is_over_by_its_growth_or_by_its_time() -> None:
    assert Growth(TEXT, short_ms=100, long_ms=100 * MOST_GROWTH).kept
    assert not Growth(TEXT, short_ms=50, long_ms=50 * MOST_GROWTH + 1).kept
    assert not Growth(TEXT, short_ms=1000, long_ms=MOST_MS + 1).kept


def test_a_time_that_is_noise_is_not_judged_by_its_growth() -> None:
    assert Growth(TEXT, short_ms=0.1, long_ms=10).kept
