"""Time the readers on a short and a long version of a text, in CPU time, which a busy machine hardly changes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from bench.growth.texts import LongText
from holdfast.landing.formats.parse import parse
from holdfast.loop.classify import classify
from holdfast.loop.parse_reply import draft_calls, fit_calls
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import RawCall
from tests.loop.parse_reply.offered import SPECS

SHORT: Final = 100_000
LONG: Final = 1_000_000
MOST_GROWTH: Final = 30.0
"""Ten is linear, a hundred is quadratic."""
MOST_MS: Final = 3000.0
"""For a million characters; some hundred are usual."""

_NOISE_MS: Final = 20.0
"""A long text that takes less than this is not judged by its growth."""
_REPEATS: Final = 3


@dataclass(frozen=True, slots=True)
class Growth:
    """CPU milliseconds for the short and for the long version of a text."""

    text: LongText
    short_ms: float
    long_ms: float

    @property
    def ratio(self) -> float:
        """Return how many times longer the long version takes."""
        return self.long_ms / self.short_ms

    @property
    def kept(self) -> bool:
        """Return whether both limits hold."""
        if self.long_ms < _NOISE_MS:
            return True
        return self.ratio <= MOST_GROWTH and self.long_ms <= MOST_MS


def measure(text: LongText) -> Growth:
    """Return the fastest of some runs of the short version, and one run of the long one, which swings less."""
    return Growth(text, _fastest_ms(text, SHORT), _cpu_ms(text, LONG))


def read(text: LongText, size: int) -> None:
    """Read the text with its reader, once."""
    match text.reader:
        case "notation" | "unwrapped notation":
            parse(text.of(size), "auto", unwrap=text.reader == "unwrapped notation")
        case "arguments" | "answer":
            reply = reply_of(text, size)
            draft = draft_calls(reply, SPECS)
            classify(reply, draft, SPECS)
            fit_calls(draft, SPECS)


def reply_of(text: LongText, size: int) -> ModelReply:
    """Return the reply of a model that has the text as the arguments of a call, or as its answer."""
    if text.reader == "arguments":
        return ModelReply(calls=(RawCall("c", "write_file", text.of(size)),), finish="stop")
    return ModelReply(text.of(size), finish="stop")


def _fastest_ms(text: LongText, size: int) -> float:
    return min(_cpu_ms(text, size) for _ in range(_REPEATS))


def _cpu_ms(text: LongText, size: int) -> float:
    begun = time.process_time()
    read(text, size)
    return max(time.process_time() - begun, 1e-6) * 1000
