"""Calls behind a marker: `<tool_call>{…}`, `[TOOL_CALLS]name[ARGS]{…}`, `to=functions.name json{…}`."""

from __future__ import annotations

import re
from typing import Final

from holdfast.loop.parse_reply.arguments import Cut, Read, ReadArguments, Unreadable, read_arguments
from holdfast.loop.parse_reply.control_tokens import NAMESPACE
from holdfast.loop.parse_reply.loose_json import Loose, LooseJsonEnd, read_call
from holdfast.loop.parse_reply.strict_json import DecodedJson, decode
from holdfast.loop.parse_reply.text_calls.found_call import CallsRead, FoundCall, calls_of
from holdfast.loop.parse_reply.text_calls.xml_named_tags import LABELLED, read_labelled
from holdfast.loop.parse_reply.text_calls.xml_parameter_tags import read_arg_pairs

MARKER: Final = (
    rf"<{NAMESPACE}(?:tool_calls?|function_calls?|functioncall|toolcall|tools)\s*>|<TOOLCALL>"
    r"|\[TOOL_CALLS?\]|<\|tool_calls?\|>|<\|tool_call>|<\|python_tag\|>|<start_function_call>"
    r"|<\|tool_calls?(?:_section)?_begin\|>|<｜tool▁calls?▁begin｜>|<\|action_start\|>(?:\s*<\|plugin\|>)?"
)
"""Where a call may begin whose dialect has a word for it."""
KIMI: Final = r"functions\.(?P<kimi>[\w.-]{1,128}):\d+\s*<\|tool_call_argument_begin\|>"
HARMONY: Final = (
    r"(?:<\|start\|>\s*assistant\s*)?(?:<\|channel\|>\s*)?(?:(?:assistant)?(?:commentary|analysis)\s*)?"
    r"\bto=functions\.(?P<harmony>[\w-]{1,128})"
)
NAMELESS: Final = (
    r"<\|channel\|>\s*commentary\s*(?:<\|constrain\|>\s*\w*\s*)?<\|message\|>(?=\s*\{)"
)
TOLD: Final = r"\[(?:assistant\s+)?(?:calling\s+tools?|tool\s+calls?|called\s+tools?)\b[\]:]*"
"""`[Assistant tool call]: shell({…})`: what a model copies from a summary of its own calls."""

# Bounded: a text of nothing but markers must not be skipped again from each of them.
_SKIP = re.compile(
    rf"(?:\s++|{MARKER}|`{{3,}}(?:json)?|function(?=<｜tool▁sep｜>)|<｜tool▁sep｜>|<\|tool_sep\|>|call:(?=\w)){{0,16}}+"
)
_NAME = re.compile(r"[\"'`]?(?P<name>[A-Za-z_][\w.-]{0,127}(?::\d+)?)[\"'`]?")
_BETWEEN = re.compile(
    r"(?:\s++|\[ARGS\]|\[CALL_ID\]\w*|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|<\|tool_sep\|>|`{3,}(?:json)?|json(?=\s*[{`<])"
    r"|<\|constrain\|>|<\|message\|>|(?:with\s+)?(?:arguments?|args?|parameters|params|input)\s*[:=]?(?=\s*[{(])|:(?=\s*[{(])){0,16}+",
    re.IGNORECASE,
)
# gpt-oss puts stray tokens of other alphabets before the word `json`.
_STRAY = re.compile(r"[^\W\d_a-zA-Z]{0,40}(?=\s|\Z)")
_HARMONY_BETWEEN = re.compile(
    r"(?:[^\n{}\"<]{0,40}?(?:<\|constrain\|>|<\|message\|>|\bcode\b|json)|[ \t]+){0,4}\s*(?:<\|message\|>)?\s*"
)
CLOSER: Final = re.compile(
    rf"</{NAMESPACE}(?:tool_calls?|function_calls?|functioncall|toolcall|tools|function|invoke)\s*>|</TOOLCALL>"
    r"|\[/TOOL_CALLS?\]|<\|/tool_calls?\|>|<tool_call\|>|<\|tool_calls?(?:_section)?_end\|>|<｜tool▁calls?▁end｜>"
    r"|<\|(?:call|end|return|im_end|eot_id|eom_id|endoftext|action_end|tool_call\|/)\|>|</s>|<end_function_call>|<｜end▁of▁sentence｜>"
)
_AFTER = re.compile(rf"(?:\s|`{{3,}}|[,;\])}}](?=\s*(?:{CLOSER.pattern}|\Z))|{CLOSER.pattern})*+")
_NAME_IN_JSON = re.compile(r"[\"']name[\"']\s*:\s*[\"']([^\"'\n]{1,128})[\"']")
_MOST: Final = 64
"""Objects behind one marker."""


def read_marked(text: str, marker: re.Match[str]) -> CallsRead | None:
    """Read the calls behind a match of `MARKER`: JSON objects, or a name and its arguments."""
    at = _skip(_SKIP, text, marker.end())
    if text[at : at + 1] in {"{", "["}:
        return _read_objects(text, marker.start(), at)
    label = LABELLED.match(text, at)
    if label is not None:
        return read_labelled(text, marker.start(), label)
    name = _NAME.match(text, at)
    return _read_named(text, marker.start(), name.group("name"), name.end()) if name else None


def read_recipient(text: str, found: re.Match[str]) -> CallsRead | None:
    """Read the arguments behind a match of `KIMI` or `HARMONY`."""
    name = (
        found.group("kimi")
        if "kimi" in found.re.groupindex and found.group("kimi")
        else found.group("harmony")
    )
    at = _skip(_HARMONY_BETWEEN, text, found.end())
    at = _skip(_BETWEEN, text, at)
    if text[at : at + 1] != "{":
        return None
    arguments, end = _take_arguments(text, at)
    after = _skip(_AFTER, text, _skip(_STRAY, text, end))
    return CallsRead((FoundCall(name, arguments, text[found.start() : end]),), after, loud=False)


def read_nameless(text: str, found: re.Match[str]) -> CallsRead:
    """Take out what was meant for a tool that is not named. There is nothing to recover it from."""
    close = CLOSER.search(text, found.end())
    end = close.end() if close else len(text)
    return CallsRead(
        (FoundCall("", Unreadable("no tool is named"), text[found.start() : end]),), end
    )


def read_told(text: str, found: re.Match[str]) -> CallsRead | None:
    """Read a call in brackets or parentheses behind a match of `TOLD`."""
    at = _skip(_SKIP, text, found.end())
    name = _NAME.match(text, at)
    if name is None:
        return None
    taken = _read_named(text, found.start(), name.group("name"), name.end(), told=True)
    return CallsRead(taken.calls, taken.end, loud=False) if taken else None


def read_pythonic(text: str) -> tuple[FoundCall, ...]:
    """Read a whole text `[name(key=value), …]`; nothing if it is not just that."""
    at = 1 if text.startswith("[") else 0
    calls: list[FoundCall] = []
    while len(calls) < _MOST and (name := _NAME.match(text, at)) is not None:
        found = read_call(text, name.end())
        if isinstance(found, LooseJsonEnd) and text[name.end() : name.end() + 1] == "(":
            return (*calls, FoundCall(name.group("name"), Cut({}), text[at:]))
        if not isinstance(found, Loose):
            return ()
        calls.append(
            FoundCall(
                name.group("name"), Read(found.value, doubtful=found.doubtful), text[at : found.end]
            )
        )
        at = found.end + len(text[found.end :]) - len(text[found.end :].lstrip(", \t\r\n"))
    rest = text[at:].strip()
    if text.startswith("[") and not rest:  # the list was never closed: there was more to come
        return tuple(FoundCall(call.name, Cut({}), call.raw) for call in calls)
    return tuple(calls) if rest in {"", "]"} else ()


def _read_objects(text: str, start: int, at: int) -> CallsRead:
    calls: list[FoundCall] = []
    end = at
    while len(calls) < _MOST and text[at : at + 1] in {"{", "["}:
        read, end = _take_arguments(text, at)
        some = _calls_of(read, text[start:end])
        if not some:
            named = _NAME_IN_JSON.search(text, at, min(end, at + 2000))
            broken = Unreadable("it names no tool") if isinstance(read, Read) else read
            calls.append(FoundCall(named.group(1) if named else "", broken, text[start:end]))
            break
        calls.extend(some)
        at = _skip(_SKIP, text, _skip(_AFTER, text, end))
    return CallsRead(tuple(calls), _skip(_AFTER, text, end))


def _calls_of(read: ReadArguments, raw: str) -> tuple[FoundCall, ...]:
    match read:
        case Read(value, _, doubtful):
            return calls_of(value, raw, doubtful=doubtful)
        case Cut(value):
            return calls_of(value, raw, cut=True)
        case _:
            return ()


def _take_arguments(text: str, at: int) -> tuple[ReadArguments, int]:
    """Read the JSON arguments at `at`; where they do not end by themselves, the next closing tag ends them."""
    found = decode(text, at, raw_controls=True)
    if isinstance(found, DecodedJson):
        return read_arguments(text[at : found.end]), found.end
    close = CLOSER.search(text, at)
    end = close.start() if close else len(text)
    return read_arguments(text[at:end]), end


def _read_named(
    text: str, start: int, name: str, at: int, *, told: bool = False
) -> CallsRead | None:
    at = _skip(_BETWEEN, text, at)
    rest = text[at : at + 9]
    if rest.startswith("{"):
        arguments, end = _take_arguments(text, at)
        return CallsRead((FoundCall(name, arguments, text[start:end]),), _skip(_AFTER, text, end))
    if rest.startswith("("):
        return _read_parentheses(text, start, name, at)
    if rest.startswith("<arg_key>"):
        return read_arg_pairs(text, name, start, at)
    close = CLOSER.match(text, at)
    if told or (close is None and rest):
        return None
    end = _skip(_AFTER, text, at)
    return CallsRead(
        (FoundCall(name, Read({}), text[start:end], "closed" if close else "open"),), end
    )


def _read_parentheses(text: str, start: int, name: str, at: int) -> CallsRead | None:
    found = read_call(text, at)
    if isinstance(found, Loose):
        arguments: ReadArguments = Read(found.value, doubtful=found.doubtful)
        return CallsRead(
            (FoundCall(name, arguments, text[start : found.end]),), _skip(_AFTER, text, found.end)
        )
    if isinstance(found, LooseJsonEnd):
        return CallsRead((FoundCall(name, Cut({}), text[start:]),), len(text))
    return None


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
