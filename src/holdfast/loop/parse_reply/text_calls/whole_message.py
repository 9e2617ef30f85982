"""Read a message that consists only of calls: JSON, Python, or an edit in its own notation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.loop.parse_reply.control_tokens import cut_tokens
from holdfast.loop.parse_reply.text_calls.block_openers import EDIT
from holdfast.loop.parse_reply.text_calls.closing_marks import starts_with_token
from holdfast.loop.parse_reply.text_calls.found_call import Ending, FoundCall, calls_of
from holdfast.loop.parse_reply.text_calls.marker_dialects import CLOSER, read_pythonic
from holdfast.loop.parse_reply.text_calls.other_speakers import INVENTED
from holdfast.syntax.json_text import (
    Cut,
    JsonReading,
    Read,
    Unclosed,
    Unreadable,
    read_json_text,
    read_unclosed,
)
from holdfast.syntax.spans import skip
from holdfast.syntax.strict_json import DecodedJson, decode
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

_FENCE = lazy_pattern(
    r"(`{3,}|~{3,})[ \t]*(json|tool_call|tool_code|tool|python|)[ \t]*\r?\n(.*?)\r?\n?[ \t]*\1\s*",
    re.DOTALL,
)
# A fence that is never closed. Possessive, so that the rest of the text is searched once.
_OPEN_FENCE = lazy_pattern(
    r"`{3,}+[ \t]*+(?:(?:json|tool_call)?+[ \t]*+\r?\n(?=\s*\{)|(?P<code>tool_code)\s++)(?!.*```)",
    re.DOTALL,
)
_EDIT_FENCE = lazy_pattern(
    r"\A(`{3,})(?:diff|patch)?[ \t]*\r?\n(?P<edit>.*?)(?P<close>\n\1)?\Z", re.DOTALL
)
_EDIT = lazy_pattern(EDIT)
_END_MARK: Final = r"^(?:\*\*\* End Patch|>{5,9} REPLACE)"
_EDIT_END = lazy_pattern(rf"{_END_MARK}\Z", re.MULTILINE)
_EDIT_AND_RESULT = lazy_pattern(
    rf"({_END_MARK})\s*\n(?:{INVENTED}).*", re.MULTILINE | re.IGNORECASE | re.DOTALL
)
_TAIL = lazy_pattern(rf"(?:\s|{CLOSER.pattern})*\Z")
_SEPARATOR = lazy_pattern(r"[, \t\r\n;]*+")
_MOST: Final = 64
_PRINTED = lazy_pattern(r"print\((.*)\)", re.DOTALL)
_LOOKS_LIKE_CALL = lazy_pattern(
    r"(?:\[\s*)?\{\s*[\"'“](?:name|tool|tool_name|type|function)[\"'”]\s*:\s*[\"'“{]"
)
_NAME_FIELD = lazy_pattern(r"[\"']name[\"']\s*:\s*[\"']([^\"'\n]{1,128})[\"']")
_ARGUMENTS_FIELD = lazy_pattern(r"[\"'](?:arguments|parameters)[\"']\s*:")


def read_whole(text: str, known: Callable[[FoundCall], bool]) -> tuple[FoundCall, ...]:
    """Return the calls of a text that contains only calls of `known` tools; else none."""
    body = text.strip()
    calls = _read_edit(body)
    if not calls and body[:1] in {"{", "[", "`", "~", "<"}:
        calls = read_body(cut_leftovers(body))
    if not all(map(known, calls)):
        return ()

    return calls


def _read_edit(body: str) -> tuple[FoundCall, ...]:
    """Return the call of `write_patch` that a text means: a diff, blocks or a patch, or none."""
    body = _EDIT_AND_RESULT.sub(r"\1", body)
    edit = body
    closed = False
    fenced = _EDIT_FENCE.match(body)
    if fenced is not None:
        edit = fenced.group("edit")
        closed = fenced.group("close") is not None
    if not _EDIT.match(edit):
        return ()

    ending: Ending = "open"
    # A bare diff does not show its end.
    if closed or _EDIT_END.search(edit):
        ending = "closed"
    return (FoundCall("write_patch", Read({"diff": f"{edit}\n"}), body, ending),)


def read_body(body: str) -> tuple[FoundCall, ...]:
    """Return the calls of a text that is JSON or a code fence; none if it is anything else."""
    fenced = _FENCE.fullmatch(body)
    if fenced is not None and fenced.group(1) not in fenced.group(3):
        return _read_fenced(fenced.group(2), fenced.group(3).strip())
    opened = _OPEN_FENCE.match(body)
    if opened is None:
        return _read_bare(body)

    inside = body[opened.end() :].rstrip("` \t\r\n")
    calls = _read_code(inside) if opened.group("code") else _read_bare(inside)
    return tuple(replace(call, lacks="```") for call in calls)


def _read_bare(body: str) -> tuple[FoundCall, ...]:
    calls = _read_json(body)
    if not calls and body.startswith("["):
        return read_pythonic(body)
    return calls


def cut_leftovers(body: str) -> str:
    """Return the body without leftover closing tags and tokens."""
    closer = CLOSER.search(body)
    if closer is not None:
        start = closer.start()
        if _TAIL.match(body, start):
            body = body[:start].rstrip()

    if body.startswith("<|") and not starts_with_token(body):
        return cut_tokens(body)

    return body


def _read_fenced(language: str, body: str) -> tuple[FoundCall, ...]:
    if body[:1] in {"{", "["}:
        return tuple(map(_as_closed, _read_bare(body)))
    if language != "tool_code":
        return ()

    return _read_code(body)


def _read_code(body: str) -> tuple[FoundCall, ...]:
    """Read calls in Python that may be inside `print(…)`."""
    printed = _PRINTED.fullmatch(body)
    if printed is not None:
        return read_pythonic(printed.group(1))
    return read_pythonic(body.removeprefix("print("))


def _as_closed(call: FoundCall) -> FoundCall:
    """Return a call in a fence that is closed: nothing was cut off."""
    if not isinstance(call.arguments, Cut):
        return call

    match read_unclosed(call.raw):
        case Unclosed(value):
            closed = calls_of(value, call.raw, bare=True, unclosed=True)
            return (*closed, call)[0]
        case Unreadable() as unreadable:
            return replace(call, arguments=unreadable)

    return call


def _read_json(body: str) -> tuple[FoundCall, ...]:
    """Read call objects one after another that fill the whole text."""
    calls: list[FoundCall] = []
    at = 0
    while at < len(body) and len(calls) < _MOST:
        found = decode(body, at, raw_controls=True)
        if not isinstance(found, DecodedJson):
            if not _LOOKS_LIKE_CALL.match(body, at):
                return ()
            return (*calls, *_read_broken(body[at:]))
        described = calls_of(found.value, body[at : found.end], bare=True)
        if not described:
            return ()
        calls.extend(described)
        at = skip(_SEPARATOR, body, found.end)

    return tuple(calls)


def _read_broken(body: str) -> tuple[FoundCall, ...]:
    """Read a call object that is almost JSON, or was cut."""
    match read_json_text(body):
        case Read(value, _, doubtful):
            return calls_of(value, body, bare=True, doubtful=doubtful)
        case Cut(value):
            # A call that was cut inside its arguments has no complete field for them.
            has_arguments = "arguments" in body or "parameters" in body
            found = calls_of(value, body, cut=True, bare=not has_arguments)
            if found:
                return found
            return _name_broken(body, Cut({}))

    return _name_broken(body, Unreadable("it is not JSON"))


def _name_broken(body: str, arguments: JsonReading) -> tuple[FoundCall, ...]:
    """Return the call that unreadable JSON names, if it has a field for arguments."""
    named = _NAME_FIELD.search(body[:2000])
    if named is None or not _ARGUMENTS_FIELD.search(body[:4000]):
        return ()

    call = FoundCall(
        name=named.group(1),
        arguments=arguments,
        raw=body,
    )
    return (call,)
