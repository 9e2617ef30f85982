"""Calls in a text: found where they are meant, left alone where they are quoted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from holdfast.loop.parse_reply.quoted import QUOTE, skip_quote, start_of_text
from holdfast.loop.parse_reply.text_calls.found_call import CallsRead, FoundCall
from holdfast.loop.parse_reply.text_calls.marker_dialects import (
    HARMONY,
    KIMI,
    MARKER,
    NAMELESS,
    TOLD,
    read_marked,
    read_nameless,
    read_recipient,
    read_told,
)
from holdfast.loop.parse_reply.text_calls.whole_message import read_whole
from holdfast.loop.parse_reply.text_calls.xml_named_tags import NESTED, read_nested
from holdfast.loop.parse_reply.text_calls.xml_parameter_tags import OPENER, read_tagged

# A model that goes on to play the tool: what follows was never answered by one.
_PLAYED: Final = r"<(?:tool_response|tool_result|tool_results|function_results?|observation)>|\[TOOL_RESULTS\]|<\|tool_response\|?>"
# Each alternative begins with one letter, so that the search is fast over prose; `_HERE` then looks closely.
_START = re.compile(rf"<(?=[\w|｜‖])|\[(?=[A-Za-z])|to=functions\.|functions\.|{QUOTE}")
_HERE = re.compile(
    rf"(?P<played>{_PLAYED})|(?P<nameless>{NAMELESS})|(?P<recipient>{KIMI}|{HARMONY})|(?P<told>{TOLD})"
    rf"|(?P<tag>{OPENER})|(?P<marker>{MARKER})|(?P<inner>{NESTED})",
    re.IGNORECASE,
)
_BARE_CHANNEL = re.compile(r"(?:assistant)?(?:commentary|analysis)\s*\Z")
_READERS: Final[dict[str, Callable[[str, re.Match[str]], CallsRead | None]]] = {
    "nameless": read_nameless,
    "recipient": read_recipient,
    "told": read_told,
    "tag": read_tagged,
    "marker": read_marked,
    "inner": read_nested,
}
_MOST: Final = 64
"""Places that are looked at: each may cost a look over the whole rest of the text."""
_MARKER = re.compile(MARKER, re.IGNORECASE)
_QUOTES: Final = frozenset("\"'`“”‘’«»")


@dataclass(frozen=True, slots=True)
class Scanned:
    """The calls of a text, in order, and the text without them."""

    calls: tuple[FoundCall, ...]
    text: str


def scan(text: str, known: Callable[[FoundCall], bool]) -> Scanned:
    """Find the calls of a text. `known` says whether a call names a tool that is offered."""
    whole = read_whole(text, known)
    if whole:
        return Scanned(whole, "")
    calls: list[FoundCall] = []
    kept: list[str] = []
    last, at, looks = 0, start_of_text(text), 0
    while looks < _MOST and (start := _START.search(text, at)) is not None:
        if start.group()[0] in "`~\n":
            at = skip_quote(text, start.start())
            continue
        place = _HERE.match(text, start.start())
        at = start.end()
        if place is None or (place.group("played") and not calls):
            continue
        if place.group("played"):
            kept.append(text[last : place.start()])
            return Scanned(tuple(calls), "".join(kept))
        looks += 1
        taken = _READERS[_kind(place)](text, place)
        if taken is None or not _is_meant(text, place, taken, known):
            continue
        calls.extend(taken.calls)
        kept.append(_BARE_CHANNEL.sub("", text[last : place.start()]))
        last = at = max(taken.end, place.end())
    kept.append(text[last:])
    return Scanned(tuple(calls), "".join(kept))


def _kind(place: re.Match[str]) -> str:
    return next(kind for kind in _READERS if place.group(kind) is not None)


def _is_meant(
    text: str, place: re.Match[str], taken: CallsRead, known: Callable[[FoundCall], bool]
) -> bool:
    """Whether this is a call, and not a word about calls."""
    before = text[text.rfind("\n", 0, place.start()) + 1 : place.start()]
    before = _BARE_CHANNEL.sub("", _MARKER.sub("", before))
    if before[-1:] in _QUOTES or (place.group("told") and before.strip()):
        return False
    line_end = text.find("\n", taken.end)
    ended = text[taken.end - 1 : taken.end] == "\n"
    after = "" if ended else text[taken.end : line_end if line_end >= 0 else len(text)]
    # `Write <tool_call>{…}</tool_call> to call it.`: it stands inside a sentence.
    if before.strip() and after.strip() and not after.lstrip().startswith(("<", "[")):
        return False
    if all(known(call) for call in taken.calls):
        return True
    # A tool that there is not, in a notation that has no other use: the model has to hear of it.
    return (
        taken.loud and not before.strip() and all(call.ending == "closed" for call in taken.calls)
    )
