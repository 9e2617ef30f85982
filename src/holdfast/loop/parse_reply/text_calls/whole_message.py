"""A message that is a call and nothing else: JSON, bare or in a fence, or Python."""

from __future__ import annotations

import re
from collections.abc import Callable

from holdfast.loop.parse_reply.arguments import Cut, Read, ReadArguments, Unreadable, read_arguments
from holdfast.loop.parse_reply.control_tokens import cut_tokens
from holdfast.loop.parse_reply.strict_json import DecodedJson, decode
from holdfast.loop.parse_reply.text_calls.found_call import FoundCall, calls_of
from holdfast.loop.parse_reply.text_calls.marker_dialects import CLOSER, read_pythonic

_FENCE = re.compile(
    r"(`{3,}|~{3,})[ \t]*(json|tool_call|tool_code|tool|python|)[ \t]*\r?\n(.*?)\r?\n?[ \t]*\1\s*",
    re.DOTALL,
)
_OPEN_FENCE = re.compile(r"`{3,}[ \t]*(?:json|tool_call)?[ \t]*\r?\n(?=\s*\{)")
_TAIL = re.compile(rf"(?:\s|{CLOSER.pattern})*\Z")
_PRINTED = re.compile(r"print\((.*)\)", re.DOTALL)
_LOOKS_LIKE_CALL = re.compile(r"(?:\[\s*)?\{\s*[\"'](?:name|tool|type|function)[\"']\s*:\s*[\"'{]")


def read_whole(text: str, known: Callable[[FoundCall], bool]) -> tuple[FoundCall, ...]:
    """Give the calls if the text is calls of tools that are `known` from end to end, else nothing."""
    body = text.strip()
    if body[:1] not in {"{", "[", "`", "~", "<"}:
        return ()
    body = _bare(body)
    fenced = _FENCE.fullmatch(body)
    if fenced is not None and fenced.group(1) not in fenced.group(3):
        return _accept(_read_fenced(fenced.group(2), fenced.group(3).strip()), known)
    if (opened := _OPEN_FENCE.match(body)) is not None and "```" not in body[opened.end() :]:
        body = body[opened.end() :]
    if body.startswith("{"):
        return _accept(_read_json(body), known)
    if body.startswith("["):
        return _accept(_read_json(body) or read_pythonic(body), known)
    return ()


def _bare(body: str) -> str:
    """Cut leftover closing tags and tokens off."""
    tail = CLOSER.search(body)
    if tail is not None and (over := _TAIL.match(body, tail.start())) is not None:
        body = body[: over.start()].rstrip()
    return cut_tokens(body) if body.startswith("<|") else body


def _read_fenced(language: str, body: str) -> tuple[FoundCall, ...]:
    if body[:1] in {"{", "["}:
        return _read_json(body) or (read_pythonic(body) if body.startswith("[") else ())
    if language != "tool_code":
        return ()
    printed = _PRINTED.fullmatch(body)
    return read_pythonic(printed.group(1) if printed else body)


def _accept(
    calls: tuple[FoundCall, ...], known: Callable[[FoundCall], bool]
) -> tuple[FoundCall, ...]:
    return calls if calls and all(known(call) for call in calls) else ()


def _read_json(body: str) -> tuple[FoundCall, ...]:
    """Read call objects that fill the text, one after another."""
    calls: list[FoundCall] = []
    at = 0
    while at < len(body) and len(calls) < 64:
        found = decode(body, at, raw_controls=True)
        if not isinstance(found, DecodedJson):
            return (*calls, *_read_broken(body[at:])) if _LOOKS_LIKE_CALL.match(body, at) else ()
        some = calls_of(found.value, body[at : found.end], bare=True)
        if not some:
            return ()
        calls.extend(some)
        at = found.end + len(body[found.end :]) - len(body[found.end :].lstrip(", \t\r\n;"))
    return tuple(calls)


def _read_broken(body: str) -> tuple[FoundCall, ...]:
    """Read a call object that is almost JSON, or was cut."""
    match read_arguments(body):
        case Read(value, _, doubtful):
            return calls_of(value, body, bare=True, doubtful=doubtful)
        case Cut(value):
            bare = "arguments" not in body and "parameters" not in body
            return calls_of(value, body, cut=True, bare=bare) or _name_broken(body, Cut({}))
        case _:
            return _name_broken(body, Unreadable("it is no JSON"))


def _name_broken(body: str, arguments: ReadArguments) -> tuple[FoundCall, ...]:
    named = re.search(r"[\"']name[\"']\s*:\s*[\"']([^\"'\n]{1,128})[\"']", body[:2000])
    if named is None or not re.search(r"[\"'](?:arguments|parameters)[\"']\s*:", body[:4000]):
        return ()
    return (FoundCall(named.group(1), arguments, body),)
