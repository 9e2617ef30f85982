"""Digests of tool calls and their results, equal when nothing relevant differs."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

_MASK_LIMIT = 16_384
"""Of a longer result only both ends are masked, so that the time stays bounded."""
_SHORT = 240
"""A result this short that repeats an argument has little else: `x1.py: no such file`."""
_SPOKEN = 2_000
"""In a result up to this size, lines that repeat the call are ignored.

`echo "All is done"` brings nothing new.
"""
_SHORTEST_ECHO = 4

# Values that differ between two runs of the same command. A number without a unit of time stays: a
# poll waits for `42 %`, `3/10`, `17 passed`. Each expression begins with a set of characters, never
# with `\b` or an alternative: only then does `re` skip positions that cannot match, and a step must
# cost at most some hundred microseconds.
_NUMBERS = lazy_pattern(
    r"""
    \d(?<![\w.]\d)(?:
      (?P<date>\d{3}[-/]\d{2}[-/]\d{2}(?:[Tt ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?:\ ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)
    | (?P<clock>\d?:\d{2}:\d{2}(?:[.,]\d+)?|\d?:\d{2}\ ?[AaPp][Mm]\b)
    | (?P<epoch>(?<=1)[5-9]\d{8}(?:\.\d+|\d{3})?\b)
    | (?P<took>\d*+(?:[.,]\d+)?+(?:h\ ?\d+)?(?:m\ ?\d+(?:\.\d+)?)?\ ?
        (?:[nuµm]?s|h(?:ours?|rs?)?|min(?:ute)?s?|sec(?:ond)?s?|milliseconds?|microseconds?|days?\ ago)\b)
    )
    """,
    re.VERBOSE,
)
_MONTHS = lazy_pattern(
    r"[JFMASOND][a-z]{2}(?<=Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? +\d{1,2}\b(?:,? \d{4}\b)?"
)
_PROCESSES = lazy_pattern(r"[PpTt](?:p?id|PI?D|rocess(?: id)?|hread|ID)\b[ :=#]{0,3}\(?\d+")
_LOGGERS = lazy_pattern(r"\[\d{3,}\](?=:)")
_ADDRESSES = lazy_pattern(r"0[xX][0-9a-fA-F]{6,}")
# One name below the temporary directory, or the two of pytest: the project itself may be there, and
# its files are not all the same.
_TEMPORARY = lazy_pattern(
    r"""/(?:private/)?(?:var/)?(?:tmp/[^\s/'"`:,;)\]}>]+|folders/\w+/\w+/T(?:/[^\s/'"`:,;)\]}>]+)?)"""
    r"(?:/pytest-\d+\b)?"
)
_RANDOM_IDS = lazy_pattern(
    r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
)
_MARKS = lazy_pattern(r"\W+")


def digest_call(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a short key of a call; the order of the arguments does not matter.

    >>> digest_call("read_file", {"path": "a", "from": 1}) == digest_call("read_file", {"from": 1, "path": "a"})
    True
    >>> digest_call("read_file", {"path": "a"}) == digest_call("read_file", {"path": "b"})
    False
    """
    return _hash(f"{name}\0{json.dumps(arguments, sort_keys=True, default=str)}")


def digest_result(result: str, arguments: Mapping[str, Any]) -> str:
    """Return a short key of a result, ignoring times and other accidental values and the echo of the arguments.

    >>> digest_result("2 failed in 0.03s", {}) == digest_result("2 failed in 1.20s", {})
    True
    >>> digest_result("2 failed in 0.03s", {}) == digest_result("1 failed in 0.03s", {})
    False
    >>> digest_result("x.py: no such file", {"path": "x.py"}) == digest_result("y.py: no such file", {"path": "y.py"})
    True
    """
    return _hash(mask(_without_echo(result, arguments)))


def news_of(result: str, arguments: Mapping[str, Any]) -> tuple[frozenset[int], frozenset[int]]:
    r"""Return two sets of line keys.

    All lines of the result, and the lines that do not repeat the call.

    If all keys of either set were seen before, the result brings nothing new. Accidental values are
    masked in both.

    >>> news_of("b = 2\na = 1", {})[0] <= news_of("a = 1\nb = 2\nc = 3", {})[0]
    True
    >>> news_of("Done at last", {"command": "echo 'Done at last'"})[1] == news_of("Done", {"command": "echo Done"})[1]
    True
    """
    lines = _lines(mask(result))
    brought = lines
    if len(result) <= _SPOKEN:
        said = "\n".join(map(_plain, _texts(arguments)))
        others = _lines(mask(_without_echo(result, arguments)))
        brought = {line for line in others if not _is_echo(_plain(line), said)}

    # The keys are only compared within one process.
    return frozenset(map(hash, lines)), frozenset(map(hash, brought))


@lru_cache(maxsize=4)  # a result is looked at from two sides
def mask(text: str) -> str:
    """Return the text with dates, times, durations, process ids, addresses and temporary paths masked.

    >>> mask("[12:03:44] pid 4711 at 0x7f3a5c001b20: 3 of 10 done (42 %), 1m 3.5s, see /tmp/tmpab12/out.log")
    '[<clock>] <pid> at <place>: 3 of 10 done (42 %), <took>, see <tmp>/out.log'
    """
    if len(text) <= _MASK_LIMIT:
        return _mask(text)
    half = _MASK_LIMIT // 2
    return _mask(text[:half]) + text[half:-half] + _mask(text[-half:])


def _mask(text: str) -> str:
    text = _RANDOM_IDS.sub("<id>", text)
    text = _ADDRESSES.sub("<place>", text)
    text = _TEMPORARY.sub("<tmp>", text)
    text = _LOGGERS.sub("<pid>", text)
    text = _PROCESSES.sub("<pid>", text)
    text = _NUMBERS.sub(lambda found: f"<{found.lastgroup}>", text)
    return _MONTHS.sub("<date>", text)


def _without_echo(result: str, arguments: Mapping[str, Any]) -> str:
    """Mask the arguments in a short result; otherwise `: commit now 1`, then 2, would be new."""
    if len(result) > _SHORT:
        return result

    for value in _texts(arguments):
        if len(value) > 2:
            result = result.replace(value, "<argument>")

    return result


def _texts(arguments: Mapping[str, Any]) -> list[str]:
    return [value for value in arguments.values() if isinstance(value, str)]


def _lines(text: str) -> set[str]:
    return set(map(str.strip, text.split("\n")))


def _is_echo(line: str, said: str) -> bool:
    """Return whether a line is in what the call said. A word of a few letters may be by accident."""
    if 0 < len(line) < _SHORTEST_ECHO:
        return False
    return line in said


def _plain(text: str) -> str:
    """Return the words alone: a shell has removed quotes and escapes when it echoes them."""
    return _MARKS.sub(" ", text).strip()


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
