"""Find the calls in a text, except in its quoted parts."""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from holdfast.loop.parse_reply.control_tokens import cut_tokens
from holdfast.loop.parse_reply.quoted_parts import QUOTE, skip_quote, start_of_text
from holdfast.loop.parse_reply.text_calls.closing_marks import CallSpan, missing_marks
from holdfast.loop.parse_reply.text_calls.found_call import drop_repeats
from holdfast.loop.parse_reply.text_calls.labelled_lines import (
    LABELLED_LINES,
    NAMED_LINE,
    is_same_notation,
    read_lines,
)
from holdfast.loop.parse_reply.text_calls.last_block import LastBlock, read_last_block
from holdfast.loop.parse_reply.text_calls.marker_dialects import (
    HARMONY,
    KIMI,
    MARKER,
    NAMELESS,
    REPORTED,
    read_marked,
    read_nameless,
    read_recipient,
    read_reported,
)
from holdfast.loop.parse_reply.text_calls.other_speakers import (
    DIALOGUE,
    INVENTED,
    OTHER_SPEAKER,
    RESULT_LABEL,
)
from holdfast.loop.parse_reply.text_calls.whole_message import read_whole
from holdfast.loop.parse_reply.text_calls.xml_named_tags import NESTED, read_nested
from holdfast.loop.parse_reply.text_calls.xml_parameter_tags import OPENER, read_tagged
from holdfast.syntax.spans import find_or_end
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.loop.parse_reply.text_calls.found_call import CallsRead, FoundCall

_BEGINS_DIALOGUE = lazy_pattern(DIALOGUE)
_ANSWERED = lazy_pattern(r"^(?:Assistant|AI):", re.MULTILINE)
# Each alternative begins with a literal, so the search is fast over prose; `_HERE` then matches
# exactly.
_START = lazy_pattern(
    r"<(?=[\w|｜‖])|\[(?=[A-Za-z])|to=functions\.|functions\.|functools\["
    rf"|{QUOTE}|{DIALOGUE}|{RESULT_LABEL}|(?i:{NAMED_LINE})"
)
_OPENERS: Final = (
    rf"(?P<invented>{INVENTED})|(?P<speaker>{OTHER_SPEAKER})|(?P<nameless>{NAMELESS})"
    rf"|(?P<recipient>{KIMI}|{HARMONY})|(?P<reported>{REPORTED})|(?P<tag>{OPENER})|(?P<marker>{MARKER})"
    rf"|(?P<inner>{NESTED})"
)
CALL_OPENER: Final = lazy_pattern(_OPENERS, re.IGNORECASE)
"""The start of a call in a notation that has hardly any other use."""
_HERE = lazy_pattern(
    rf"{_OPENERS}|(?P<lines>{LABELLED_LINES})|(?P<dialogue>{DIALOGUE})",
    re.IGNORECASE,
)
_BARE_CHANNEL = lazy_pattern(r"(?:assistant)?(?:commentary|analysis)\s*\Z")
_READERS: Final[dict[str, Callable[[str, re.Match[str]], CallsRead | None]]] = {
    "nameless": read_nameless,
    "recipient": read_recipient,
    "reported": read_reported,
    "tag": read_tagged,
    "marker": read_marked,
    "inner": read_nested,
    "lines": read_lines,
}
_MOST: Final = 64
"""The most places to read: each may cost a search over the rest of the text."""
_MARKER = lazy_pattern(MARKER, re.IGNORECASE)
QUOTES: Final = frozenset("\"'`“”‘’«»")


@dataclass(frozen=True, slots=True)
class Scanned:
    """The calls of a text, in order, and the text without them."""

    calls: tuple[FoundCall, ...]
    text: str


def scan(
    text: str, known: Callable[[FoundCall], bool], meant: Callable[[FoundCall], bool]
) -> Scanned:
    """Find the calls of a text.

    `known` returns whether a call names a tool that is offered, `meant` whether a call without
    markup is one even after words, where it may be an example.
    """
    whole = read_whole(text, known)
    if whole:
        return Scanned(tuple(drop_repeats(whole)), "")

    marked = _find_marked(text, known, meant)
    calls, last, own = _mark_open(text, marked), marked.last, marked.own
    shown = _without_invented(text, own)
    if not calls:
        block = read_last_block(text[:own], known)
        if block is not None and _is_certain(block, meant):
            return Scanned(tuple(drop_repeats(block.calls)), block.before)

    # Words behind a call that changes something: it may be an example, or an offer.
    may_be_offer = _has_words(text[last:own]) and not all(map(meant, calls))
    if may_be_offer or marked.may_be_example:
        return Scanned((), shown)

    return Scanned(tuple(calls), "".join([*marked.kept, shown[last:]]))


@dataclass(slots=True)
class _Marked:
    """The calls with a notation of their own, and the text between them.

    `last` is the end of the last call, `own` where the model begins to speak for somebody else.
    """

    own: int
    last: int = 0
    may_be_example: bool = False
    calls: list[FoundCall] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    spans: list[CallSpan] = field(default_factory=list)


def _find_marked(
    text: str, known: Callable[[FoundCall], bool], meant: Callable[[FoundCall], bool]
) -> _Marked:
    found = _Marked(own=len(text))
    at = start_of_text(text)
    reads = 0
    openers: list[re.Match[str]] = []
    while reads < _MOST and (start := _START.search(text, at)) is not None:
        if start.group()[0] in "`~\n":
            at = skip_quote(text, start.start())
            continue
        at = start.end()
        place = _HERE.match(text, start.start())
        if place is None:
            continue
        reads += 1
        if _is_by_other(place, text, found.calls, known):
            found.own = place.start()
            break
        read = _read_at(place, text, known)
        if read is None:
            openers.append(place)
            continue
        if place.lastgroup == "lines" and not is_same_notation(text[: place.start()]):
            # Words before a call in plain lines.
            found.may_be_example |= not all(map(meant, read.calls))
        found.spans.extend(_spans(read, _start_of_marks(text, openers, place)))
        before = text[found.last : place.start()]
        found.calls.extend(drop_repeats(read.calls, _calls_before(found.calls, before)))
        found.kept.append(_BARE_CHANNEL.sub("", before))
        at = max(read.end, place.end())
        found.last = at

    return found


def _start_of_marks(text: str, openers: list[re.Match[str]], place: re.Match[str]) -> int:
    """Return where the marks begin that open a call: `place`, or a wrapper directly before it."""
    start = place.start()
    for opener in reversed(openers):
        is_marker = opener.lastgroup == "marker"
        if not is_marker or text[opener.end() : start].strip():
            break
        start = opener.start()
    return start


def _spans(read: CallsRead, start: int) -> Iterator[CallSpan]:
    """Yield where each call of `read` is; the calls of one JSON list are in one place."""
    bodies = dict.fromkeys(call.body for call in read.calls)
    for body in bodies:
        yield CallSpan(start, body)
        start = body[1]


def _mark_open(text: str, found: _Marked) -> list[FoundCall]:
    """Return the calls, each with the closing marks that it lacks."""
    missing = missing_marks(text, found.spans, found.own)
    lacks = {span.body: marks for span, marks in zip(found.spans, missing, strict=True)}
    return [replace(call, lacks=lacks[call.body]) for call in found.calls]


def _calls_before(calls: Sequence[FoundCall], between: str) -> Sequence[FoundCall]:
    """Return the calls that a call may repeat by mistake: none, if words are between them."""
    if _has_words(between):
        return ()
    return calls


def _is_by_other(
    place: re.Match[str],
    text: str,
    calls: Sequence[FoundCall],
    known: Callable[[FoundCall], bool],
) -> bool:
    """Return whether what follows is not the model's to say: a tool's answer, or a user's words."""
    if place.lastgroup == "invented":
        return bool(calls) or read_last_block(text[: place.start()], known) is not None
    if place.lastgroup == "dialogue":
        return place.start() < _last_answer(text)
    return place.lastgroup == "speaker"


def _read_at(
    place: re.Match[str], text: str, known: Callable[[FoundCall], bool]
) -> CallsRead | None:
    """Read the calls at a place; None if there is none, or only a sentence about calls."""
    reader = _READERS.get(place.lastgroup or "")
    if reader is None:
        return None

    read = reader(text, place)
    if read is None or not _is_meant(text, place, read, known):
        return None

    return read


def _without_invented(text: str, own: int) -> str:
    """Return the text up to `own`; a dialogue of plain lines may be a quotation, and stays."""
    if _BEGINS_DIALOGUE.match(text, own):
        return text
    return text[:own]


def _last_answer(text: str) -> int:
    """Return where the last line of a dialogue begins that the assistant says; -1 without one."""
    last = -1
    for answer in _ANSWERED.finditer(text):
        last = answer.start()
    return last


def _has_words(rest: str) -> bool:
    return re.search(r"\w", cut_tokens(rest, wrappers=True)) is not None


def _is_meant(
    text: str, place: re.Match[str], read: CallsRead, known: Callable[[FoundCall], bool]
) -> bool:
    """Return whether this is a call, and not a sentence about calls."""
    before = _line_before(text, place.start())
    after = _line_after(text, read.end).lstrip()
    if before[-1:] in QUOTES:
        return False

    is_alone = before.strip() == ""
    if not is_alone:
        if place.lastgroup == "reported":
            return False
        # `Write <tool_call>{…}</tool_call> to call it.`: it is part of a sentence.
        if after[:1] not in {"", "<", "["}:
            return False

    if all(map(known, read.calls)):
        return True
    if not is_alone or not read.loud:
        return False

    # An unknown tool in a notation that has no other use: the model has to get a refusal.
    endings = {call.ending for call in read.calls}
    return endings == {"closed"}


def _is_certain(block: LastBlock, meant: Callable[[FoundCall], bool]) -> bool:
    """Return whether the last block of a text is a call, and not an example or an alternative."""
    if not block.only:
        return False
    if not block.before.strip():
        return True
    return all(map(meant, block.calls))


def _line_before(text: str, at: int) -> str:
    """Return the part of the line before `at`, without markers and channel names."""
    line_start = text.rfind("\n", 0, at) + 1
    before = _MARKER.sub("", text[line_start:at])
    return _BARE_CHANNEL.sub("", before)


def _line_after(text: str, at: int) -> str:
    """Return the rest of the line at `at`; nothing if a line break is just before it."""
    if text[at - 1 : at] == "\n":
        return ""
    line_end = find_or_end(text, "\n", at)
    return text[at:line_end]
