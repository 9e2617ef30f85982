"""How many tokens a payload has: from its characters, then calibrated by what the server counts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from holdfast.vocab.tool_calls import ToolSpec
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

BYTES_PER_TOKEN = 4
_WRAPPER = 4  # a template's own tokens around each message
_CALL = 8  # and around each call
_FEWEST = 256  # below this a count is taken for one of new tokens only: some servers leave out what they had cached
_BIG = 512  # a smaller difference is not worth a compaction
_SMALLEST = 512  # no server has a smaller window; a smaller count has another cause
_SLACK = 16


def weigh_text(text: str) -> int:
    """Tokens of a text, roughly: UTF-8 bytes by four, where a run of blanks counts half (vocabularies have runs)."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-(size - text.count("  ")) // BYTES_PER_TOKEN)


def weigh(message: Message) -> int:
    """Tokens of a message, roughly. Reasoning is not sent back and weighs nothing."""
    match message:
        case SystemText(text) | UserText(text) | ToolAnswered(text=text):
            return _WRAPPER + weigh_text(text)
        case AssistantSaid(text, calls):
            arguments = sum(
                weigh_text(json.dumps(dict(call.arguments), ensure_ascii=False)) + _CALL
                for call in calls
            )
            return _WRAPPER + weigh_text(text) + arguments


def weigh_specs(specs: tuple[ToolSpec, ...]) -> int:
    """Tokens of the tools' descriptions, roughly."""
    return sum(
        weigh_text(spec.description + json.dumps(dict(spec.schema))) + _CALL for spec in specs
    )


@dataclass(frozen=True, slots=True)
class Believed:
    """A count of the server that fits what was sent: messages of this weight came to so many tokens."""

    weight: int = 0
    tokens: int = 0


NOTHING = Believed()


@dataclass(frozen=True, slots=True)
class Gauge:
    """How our weights become the server's tokens. `factor` is measured, 1 until the server has reported once.

    `window` is how many tokens fit, prompt and reply together: what the server says until it proves otherwise.
    `output` is kept free for the reply, `overhead` is the weight of what goes with every payload beside its messages.
    `doubted` says that the last count fell short, `varied` that there were different counts; `counts` says whether the
    server's counts are believed at all.
    """

    window: int
    output: int
    overhead: int
    factor: float = 1.0
    believed: Believed = NOTHING
    varied: bool = False
    doubted: bool = False
    counts: bool = True

    def tokens(self, weight: int) -> int:
        """Tokens of a payload whose messages have this weight."""
        return round((weight + self.overhead) * self.factor)

    @property
    def budget(self) -> int:
        """How many tokens the messages may have."""
        return max(0, self.window - self.output - round(self.overhead * self.factor))

    def fill(self, weight: int) -> float:
        """What share of the budget messages of this weight take."""
        return weight * self.factor / self.budget if self.budget else float("inf")

    def room(self, share: float) -> int:
        """How many characters a share of the budget is."""
        return round(self.budget * share * BYTES_PER_TOKEN / self.factor)

    def heard(self, weight: int, reported: int) -> Gauge:
        """Give the gauge after the server counted `reported` tokens for a payload whose messages have this weight.

        Where it counts far fewer than were sent, it has silently dropped the front: `window` becomes what it kept.
        """
        if not self.counts or reported < _FEWEST or not weight:
            return self
        # Against the last count that was believed, not against the factor alone: a window that is full counts the same
        # again and again, and a factor that followed it would explain that away. And without the overhead: some servers
        # count it and some do not.
        start = self.believed if self.believed.weight <= weight else NOTHING
        grown = (weight - start.weight) * self.factor
        if reported >= start.tokens + grown / 2 - _SLACK:
            # Bounded, so that one odd report cannot make the next payload look empty or endless.
            factor = min(4.0, max(0.5, reported / (weight + self.overhead)))
            varied = self.varied or reported != self.believed.tokens != 0
            return replace(
                self,
                factor=factor,
                believed=Believed(weight, reported),
                varied=varied,
                doubted=False,
            )
        expected = round(start.tokens + grown)
        short = expected - reported
        far = 2 * reported < expected or (self.doubted and self.varied and 5 * short >= expected)
        if reported < _SMALLEST or short < _BIG or not far:
            return replace(self, doubted=True)
        # A window that is full still counts at least half of what once fitted (llama.cpp drops half of it at a time).
        # A server that counts less than that counts only what it had not cached; one that always says the same number
        # counts nothing.
        made_up = not self.varied and reported == self.believed.tokens
        if made_up or reported >= self.window or 2.2 * reported < self.believed.tokens:
            return replace(self, counts=False)
        return replace(self.shrunk(reported), doubted=False)

    def shrunk(self, window: int) -> Gauge:
        """Give the gauge of a server that holds only this many tokens."""
        return replace(self, window=window, output=min(self.output, window // 4))
