"""Estimate the tokens of a payload from its characters, calibrated by the server's counts."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

if TYPE_CHECKING:
    from holdfast.vocab.tool_calls import ToolSpec

BYTES_PER_TOKEN = 4
_WRAPPER = 4  # a template's own tokens around each message
_CALL = 8  # and around each call
_FEWEST = 256  # a smaller count is ignored: some servers leave out the tokens they had cached
_BIG = 512  # a smaller difference is not worth a compaction
_SMALLEST = 512  # no server has a smaller window; a smaller count has another cause
_SLACK = 16


def weigh_text(text: str) -> int:
    """Return about how many tokens a text has: a quarter of its UTF-8 bytes.

    A pair of blanks counts as one byte, because vocabularies have tokens for runs of blanks.
    """
    size = len(text)
    if not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    size -= text.count("  ")
    return math.ceil(size / BYTES_PER_TOKEN)


def weigh(message: Message) -> int:
    """Return about how many tokens a message has. Reasoning is not sent and weighs nothing."""
    match message:
        case SystemText(text) | UserText(text) | ToolAnswered(text=text):
            return _WRAPPER + weigh_text(text)
        case AssistantSaid(text, calls):
            weight = _WRAPPER + weigh_text(text)
            for call in calls:
                arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
                weight += _CALL + weigh_text(arguments)
            return weight


def weigh_specs(specs: tuple[ToolSpec, ...]) -> int:
    """Return about how many tokens the tools' descriptions have."""
    weight = 0
    for spec in specs:
        schema = json.dumps(dict(spec.schema))
        weight += _CALL + weigh_text(spec.description + schema)
    return weight


@dataclass(frozen=True, slots=True)
class TrustedCount:
    """A plausible count of the server: messages of this weight had this many tokens."""

    weight: int = 0
    tokens: int = 0


NO_COUNT = TrustedCount()


@dataclass(frozen=True, slots=True)
class Gauge:
    """Converts our weights to the server's tokens.

    - `window`: the tokens that fit, prompt and reply together, as claimed until disproved.
    - `output`: the tokens reserved for the reply.
    - `overhead`: the weight of the part of every payload beside its messages.
    - `factor`: tokens per weight, measured; 1 until the server has reported a count.
    - `trusted`: the last plausible count.
    - `varied`: whether the server has reported different counts.
    - `doubted`: whether the last count was too small.
    - `counts`: whether the server's counts are used at all.
    """

    window: int
    output: int
    overhead: int
    factor: float = 1.0
    trusted: TrustedCount = NO_COUNT
    varied: bool = False
    doubted: bool = False
    counts: bool = True

    def tokens(self, weight: int) -> int:
        """Return the tokens of a payload whose messages have this weight."""
        return round((weight + self.overhead) * self.factor)

    @property
    def budget(self) -> int:
        """The most tokens that the messages may have."""
        overhead = round(self.overhead * self.factor)
        return max(0, self.window - self.output - overhead)

    def fill(self, weight: int) -> float:
        """Return the share of the budget that messages of this weight use."""
        if not self.budget:
            return float("inf")
        return weight * self.factor / self.budget

    def room(self, share: float) -> int:
        """Return the number of characters in a share of the budget."""
        tokens = self.budget * share
        return round(tokens * BYTES_PER_TOKEN / self.factor)

    def calibrated(self, weight: int, reported: int) -> Gauge:
        """Return the gauge after the server counted `reported` tokens for messages of `weight`.

        If the server counts far fewer tokens than were sent, it has silently dropped the front of
        the payload: `window` becomes the number of tokens that it kept.
        """
        if not self.counts or not weight:
            return self
        if reported < _FEWEST:
            return self

        # Compare with the last trusted count, not with the factor alone: a full window reports the
        # same count again and again, and a factor adjusted to it would hide that. Leave the
        # overhead out: only some servers count it.
        start = self.trusted
        if start.weight > weight:
            start = NO_COUNT

        grown = (weight - start.weight) * self.factor
        if reported >= start.tokens + grown / 2 - _SLACK:
            return self._trust(weight, reported)

        expected = round(start.tokens + grown)
        if not self._lost_front(expected, reported):
            return replace(self, doubted=True)
        if not self._is_window(reported):
            return replace(self, counts=False)

        return replace(self.shrunk(reported), doubted=False)

    def shrunk(self, window: int) -> Gauge:
        """Return the gauge of a server with this window."""
        return replace(self, window=window, output=min(self.output, window // 4))

    def _trust(self, weight: int, reported: int) -> Gauge:
        # Bounded, so that one odd report cannot make the next payload seem empty or endless.
        factor = min(4.0, max(0.5, reported / (weight + self.overhead)))
        is_new = self.trusted.tokens not in {0, reported}
        return replace(
            self,
            factor=factor,
            trusted=TrustedCount(weight, reported),
            varied=self.varied or is_new,
            doubted=False,
        )

    def _lost_front(self, expected: int, reported: int) -> bool:
        """Return whether a count is so small that the server must have dropped messages."""
        short = expected - reported
        if reported < _SMALLEST:
            return False
        if short < _BIG:
            return False
        if 2 * reported < expected:
            return True
        # A fifth is enough if it is missing twice in a row from a server that really counts.
        if not self.doubted or not self.varied:
            return False

        return 5 * short >= expected

    def _is_window(self, reported: int) -> bool:
        """Return whether a small count is the size of the server's window."""
        # A server that always reports the same number counts nothing.
        if not self.varied and reported == self.trusted.tokens:
            return False
        if reported >= self.window:
            return False

        # A full window still counts at least half of what once fitted: llama.cpp drops half of it
        # at a time. A smaller count leaves out the cached tokens.
        return 2.2 * reported >= self.trusted.tokens
