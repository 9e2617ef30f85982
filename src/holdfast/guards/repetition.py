"""Repetition.

A model that repeats itself while it streams, detected on a bounded tail in linear time.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

Channel: TypeAlias = Literal["text", "reasoning", "arguments"]

LONGEST_PERIOD = 600
_STRIDE = 64
"""The tail is checked each time this many characters have arrived, however they were split."""
_PROBE = 200
# Any repetition contains its last 200 characters twice, one period apart: 6 periods over at least
# 240 characters, or 3 of more than 150. So only the nearest earlier occurrence of the probe has to
# be tried.
_TAIL = 7_400
"""Twelve of the longest periods, plus a stride."""
_WINDOW = 63
"""Words are judged each time so many strides have arrived."""
_GRAM = 8
_NOVELTY = 0.04
_FEWEST_GRAMS = 60
"""A window with fewer word runs is data (one word a line, base64) and is not judged by words."""
_ENDLESS = 500
"""For how many strides an argument may repeat itself. A server cuts most replies before."""
_GENERATION = 4_096
_LONGEST_WORD = 256
"""Base64 is one endless word; keeping all of it would take quadratic time."""
_DRAWING = lazy_pattern(
    r"[-=_*~#.·•+:/\\|<>^ \t\r\n\u2500-\u259f]*|(?:\|[^\n]*\|[ \t]*\n)+", re.DOTALL
)
"""Lines and boxes, and the rows of a table."""
_DATA = lazy_pattern(r"[\W\d_]*(?:(?:0x|null|none|nan|true|false|[a-f])[\W\d_]*)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Repetition:
    """A detected repetition. `sample` is the repeated text, cut to one line, for people."""

    channel: Channel
    sample: str


@dataclass(frozen=True, slots=True)
class _Limits:
    """How often a period has to repeat, a long one half as often, and over how many characters."""

    times: int
    over: int

    def of(self, period: int) -> int:
        times = self.times
        if period > 150:
            times //= 2
        return max(self.over, period * times)


_PLAIN = _Limits(times=6, over=240)
_DRAWN = _Limits(times=24, over=960)
"""Drawn lines and table rows, which people write as well."""
_CODE = _Limits(times=24, over=2_000)
"""Code, which repeats itself: cases, fixtures, markup."""
_NUMBERS = _Limits(times=24, over=4_000)
"""Data, which repeats itself for longer: an array of zeros."""


class RepetitionWatch:
    r"""Watches the stream of one reply; make a new instance for each request.

    >>> watch = RepetitionWatch()
    >>> watch.feed("text", "I will just end the turn.\n" * 8)
    >>> watch.feed("text", "I will just end the turn.\n" * 8)
    Repetition(channel='text', sample='I will just end the turn.')
    """

    def __init__(self) -> None:
        """Start with no text."""
        self._channels: dict[Channel, _ChannelWatch] = {}

    def feed(self, channel: Channel, text: str) -> Repetition | None:
        """Add text of a channel; return the repetition as soon as there is one."""
        if channel not in self._channels:
            self._channels[channel] = _ChannelWatch(in_arguments=channel == "arguments")
        sample = self._channels[channel].feed(text)
        if sample is None:
            return None
        return Repetition(channel, sample.strip()[:80])


class _ChannelWatch:
    """One channel: its tail, whether the text is inside a fence, and the words so far."""

    def __init__(self, *, in_arguments: bool) -> None:
        self._in_arguments = in_arguments
        self._in_fence = False
        self._repeated = 0
        self._line = ""
        self._waiting = ""
        self._tail = ""
        self._novelty = _Novelty()

    def feed(self, text: str) -> str | None:
        """Add text and return what is repeated, or None.

        The result does not depend on how the text was split.
        """
        text = self._waiting + text
        whole = len(text) // _STRIDE * _STRIDE
        self._waiting = text[whole:]
        for start in range(0, whole, _STRIDE):
            found = self._look(text[start : start + _STRIDE])
            if found is not None:
                return found

        return None

    def _look(self, piece: str) -> str | None:
        self._follow_fence(piece)
        self._tail = (self._tail + piece)[-_TAIL:]
        found = self._period()
        if self._in_arguments:
            found = self._endless(found)

        if found is not None:
            return found
        if self._novelty.feed(piece, patience=self._patience()):
            return piece

        return None

    def _endless(self, found: str | None) -> str | None:
        """Return the period if it has gone on for long: a file may well repeat itself."""
        if found is None:
            self._repeated = 0
            return None

        self._repeated += 1
        if self._repeated < _ENDLESS:
            return None

        return found

    def _patience(self) -> int:
        if self._in_arguments:
            return 8
        if self._in_fence:
            return 4
        return 2

    def _follow_fence(self, piece: str) -> None:
        *ended, rest = piece.split("\n")
        for line in ended:
            if self._begin_of(line) in {"```", "~~~"}:
                self._in_fence = not self._in_fence
            self._line = ""

        self._line = self._begin_of(rest)

    def _begin_of(self, line: str) -> str:
        """Return as much of the line as is enough to know a fence."""
        return (self._line + line).lstrip(" ")[:3]

    def _period(self) -> str | None:
        tail = self._tail
        length = len(tail)
        probe = tail[-_PROBE:]
        at = tail.rfind(probe, max(0, length - _PROBE - LONGEST_PERIOD), length - 1)
        if at < 0:
            return None

        period = length - _PROBE - at
        unit = tail[-period:]
        needed = self._limits(unit).of(period)
        # Where the tail is shorter, the two parts have different lengths.
        if tail[-needed:-period] != tail[period - needed :]:
            return None

        return _rotated(unit)

    def _limits(self, unit: str) -> _Limits:
        # A repetition that opens and closes fences is not code.
        is_code = self._in_arguments or self._in_fence
        if is_code and "```" not in unit * 2:
            if _DATA.fullmatch(unit):
                return _NUMBERS
            return _CODE

        if _DRAWING.fullmatch(_rotated(unit)):
            return _DRAWN

        return _PLAIN


class _Novelty:
    """Counts how many of the runs of eight words are new, window by window."""

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._earlier: set[int] = set()
        self._words: list[str] = []
        self._half = ""
        self._strides = 0
        self._window: list[bool] = []
        self._stale_windows = 0

    def feed(self, piece: str, *, patience: int) -> bool:
        """Add a stride; return whether `patience` consecutive windows contained almost nothing new."""
        self._take(piece)
        self._strides += 1
        if self._strides < _WINDOW:
            return False

        self._stale_windows += 1
        grams, new = len(self._window), sum(self._window)
        if grams < _FEWEST_GRAMS or new >= _NOVELTY * grams:
            self._stale_windows = 0

        self._strides, self._window = 0, []
        return self._stale_windows >= patience

    def _take(self, piece: str) -> None:
        # The first and the last word may be incomplete: a mark behind the text is part of such a word.
        *words, last = f"{self._half}{piece}\0".split()
        self._half = last[:-1][-_LONGEST_WORD:]
        for word in words:
            self._words.append(word)
            if len(self._words) == _GRAM:
                self._count(hash(tuple(self._words)))
                del self._words[0]

    def _count(self, gram: int) -> None:
        self._window.append(gram not in self._recent and gram not in self._earlier)
        self._recent.add(gram)
        if len(self._recent) >= _GENERATION:
            self._earlier, self._recent = self._recent, set()


def _rotated(unit: str) -> str:
    """Return the period rotated to begin at the start of a line, because it may have been cut anywhere."""
    start = unit.find("\n") + 1
    return unit[start:] + unit[:start]
