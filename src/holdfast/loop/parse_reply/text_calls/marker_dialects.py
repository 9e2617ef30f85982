"""Calls after a marker: `<tool_call>{…}`, `[TOOL_CALLS]name[ARGS]{…}`, `to=functions.name{…}`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from holdfast.loop.parse_reply.control_tokens import NAMESPACE
from holdfast.loop.parse_reply.text_calls.found_call import (
    CallsRead,
    Ending,
    FoundCall,
    calls_of,
    read_json_arguments,
)
from holdfast.loop.parse_reply.text_calls.xml_named_tags import LABELLED, read_labelled
from holdfast.loop.parse_reply.text_calls.xml_parameter_tags import read_arg_pairs
from holdfast.syntax.json_text import Cut, JsonReading, Read, Unclosed, Unreadable
from holdfast.syntax.loose_json import Loose, LooseJsonEnd, read_call
from holdfast.syntax.spans import next_span, skip
from holdfast.vocab.lazy_pattern import lazy_pattern

MARKER: Final = (
    rf"<{NAMESPACE}(?:tool_calls?|function_calls?|functioncall|toolcall|tools)\s*>|<TOOLCALL>"
    r"|\[TOOL_CALLS?\]|<\|tool_calls?\|>|<\|tool_call>|<\|python_tag\|>|<start_function_call>"
    r"|<\|tool_calls?(?:_section)?_begin\|>|<｜tool▁calls?▁begin｜>"
    r"|<\|action_start\|>(?:\s*<\|plugin\|>)?|<\|START_ACTION\|>|functools(?=\[)"
)
"""The start of a call in a dialect that marks calls."""
KIMI: Final = r"functions\.(?P<kimi>[\w.\\-]{1,128}):\d+\s*<\|tool_call_argument_begin\|>"
HARMONY: Final = (
    r"(?:<\|start\|>\s*assistant\s*)?(?:<\|channel\|>\s*)?"
    r"(?:(?:assistant)?(?:commentary|analysis)\s*)?"
    r"\bto=functions\.(?P<harmony>[\w\\-]{1,128})"
)
NAMELESS: Final = (
    r"<\|channel\|>\s*commentary\s*(?:<\|constrain\|>\s*\w*\s*)?<\|message\|>(?=\s*\{)"
)
REPORTED: Final = r"\[(?:assistant\s+)?(?:calling\s+tools?|tool\s+calls?|called\s+tools?)\b[\]:]*"
"""`[Assistant tool call]: shell({…})`: copied by a model from a summary of its own calls."""

# Bounded: in a text that is all markers, each would skip all that follow.
_SKIP = lazy_pattern(
    rf"(?:\s++|{MARKER}|`{{3,}}(?:json)?|function(?=<｜tool▁sep｜>)|<｜tool▁sep｜>|<\|?tool_sep\|?>"
    r"|call:(?=\w)){0,16}+"
)
_NAME = lazy_pattern(r"[\"'`]?(?P<name>[A-Za-z_][\w.\\-]{0,127}(?::\d+)?)[\"'`]?")
_BETWEEN = lazy_pattern(
    r"(?:\s++|\[ARGS\]|\[CALL_ID\]\w*|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|<\|?tool_sep\|?>"
    r"|`{3,}(?:json)?|json(?=\s*[{`<])|<\|constrain\|>|<\|message\|>"
    r"|(?:with\s+)?(?:arguments?|args?|parameters|params|input)\s*[:=]?(?=\s*[{(])"
    r"|:(?=\s*[{(])){0,16}+",
    re.IGNORECASE,
)
# gpt-oss writes stray tokens of other alphabets before the word `json`.
_STRAY = lazy_pattern(r"[^\W\d_a-zA-Z]{0,40}(?=\s|\Z)")
_HARMONY_BETWEEN = lazy_pattern(
    r"(?:[^\n{}\"<]{0,40}?(?:<\|constrain\|>|<\|message\|>|\bcode\b|json)|[ \t]+){0,4}"
    r"\s*(?:<\|message\|>)?\s*"
)
CLOSER: Final = lazy_pattern(
    rf"</{NAMESPACE}(?:tool_calls?|function_calls?|functioncall|toolcall|tools|function|invoke)\s*>"
    r"|</TOOLCALL>|\[/TOOL_CALLS?\]|<\|/tool_calls?\|>|<tool_call\|>"
    r"|<\|tool_calls?(?:_section)?_end\|>|<｜tool▁calls?▁end｜>"
    r"|<\|(?:call|end|return|im_end|eot_id|eom_id|endoftext|action_end|END_ACTION|tool_call\|/)\|>"
    r"|</s>|<end_function_call>|<｜end▁of▁sentence｜>"
)
_AFTER = lazy_pattern(rf"(?:\s|`{{3,}}|[,;\])}}](?=\s*(?:{CLOSER.pattern}|\Z))|{CLOSER.pattern})*+")
_NAME_IN_JSON = lazy_pattern(r"[\"']name[\"']\s*:\s*[\"']([^\"'\n]{1,128})[\"']")
_SEPARATOR = lazy_pattern(r"[, \t\r\n]*+")
_MOST: Final = 64
"""The most objects after one marker."""


def read_marked(text: str, marker: re.Match[str]) -> CallsRead | None:
    """Read the calls after a match of `MARKER`: JSON objects, or a name and its arguments."""
    start = marker.start()
    at = skip(_SKIP, text, marker.end())
    if text[at : at + 1] in {"{", "["}:
        return _read_objects(text, start, at)

    label = LABELLED.match(text, at)
    if label is not None:
        return read_labelled(text, start, label)

    name = _NAME.match(text, at)
    if name is None:
        return None

    read = _read_named(text, start, name)
    if read is None:
        return _read_no_arguments(text, start, name)

    return _read_more_named(text, read)


def read_recipient(text: str, found: re.Match[str]) -> CallsRead | None:
    """Read the arguments after a match of `KIMI` or `HARMONY`."""
    groups = found.groupdict()
    name = groups.get("kimi") or groups["harmony"]
    at = skip(_HARMONY_BETWEEN, text, found.end())
    at = skip(_BETWEEN, text, at)
    if text[at : at + 1] != "{":
        return None

    arguments, end = read_json_arguments(text, at, CLOSER)
    after = skip(_AFTER, text, skip(_STRAY, text, end))
    call = FoundCall(name, arguments, text[found.start() : end], body=(at, end))
    return CallsRead((call,), after, loud=False)


def read_nameless(text: str, found: re.Match[str]) -> CallsRead:
    """Read a call that names no tool. Nothing in it can be run."""
    _, end = next_span(CLOSER, text, found.end())
    raw = text[found.start() : end]
    call = FoundCall("", Unreadable("no tool is named"), raw, body=(found.end(), end))
    return CallsRead((call,), end)


def read_reported(text: str, found: re.Match[str]) -> CallsRead | None:
    """Read a call in brackets or parentheses after a match of `REPORTED`."""
    at = skip(_SKIP, text, found.end())
    name = _NAME.match(text, at)
    if name is None:
        return None

    read = _read_named(text, found.start(), name)
    if read is None:
        return None

    return replace(read, loud=False)


def read_pythonic(text: str) -> tuple[FoundCall, ...]:
    """Read a whole text `[name(key=value), …]`; return no calls if there is anything else in it."""
    in_list = text.startswith("[")
    at = int(in_list)
    calls: list[FoundCall] = []
    while len(calls) < _MOST:
        match = _NAME.match(text, at)
        if match is None:
            break
        name = match.group("name")
        found = read_call(text, match.end())
        if isinstance(found, LooseJsonEnd) and text.startswith("(", match.end()):
            return (*calls, FoundCall(name, Cut({}), text[at:]))
        if not isinstance(found, Loose):
            return ()
        arguments = Read(found.value, doubtful=found.doubtful)
        calls.append(FoundCall(name, arguments, text[at : found.end]))
        at = skip(_SEPARATOR, text, found.end)

    rest = text[at:].strip()
    if in_list and not rest:  # the list is not closed: more was to follow
        return tuple(replace(call, arguments=Cut({})) for call in calls)
    if rest not in {"", "]"}:
        return ()

    return tuple(calls)


def _read_objects(text: str, start: int, at: int) -> CallsRead:
    calls: list[FoundCall] = []
    end = at
    between = _SKIP
    while len(calls) < _MOST and text[at : at + 1] in {"{", "["}:
        read, end = read_json_arguments(text, at, CLOSER)
        raw = text[start:end]
        described = _calls_in(read, raw)
        if not described:
            items = skip(_SEPARATOR, text, at + 1)
            if not isinstance(read, Read) and text[at] == "[" and text[items : items + 1] == "{":
                # The list was cut, or one of its calls cannot be read: read one call at a time.
                at = items
                between = _SEPARATOR
                continue
            if isinstance(read, Read):
                read = Unreadable("it names no tool")
            name = ""
            named = _NAME_IN_JSON.search(text, at, min(end, at + 2000))
            if named is not None:
                name = named.group(1)
            calls.append(FoundCall(name, read, raw, body=(at, end)))
            break
        calls.extend(replace(call, body=(at, end)) for call in described)
        at = skip(between, text, skip(_AFTER, text, end))

    return CallsRead(tuple(calls), skip(_AFTER, text, end))


def _calls_in(read: JsonReading, raw: str) -> tuple[FoundCall, ...]:
    match read:
        case Read(value, _, doubtful):
            return calls_of(value, raw, doubtful=doubtful)
        case Cut(value):
            return calls_of(value, raw, cut=True)
        case Unclosed(value):
            return calls_of(value, raw, unclosed=True)
    return ()


def _read_named(text: str, start: int, name: re.Match[str]) -> CallsRead | None:
    """Read the arguments after a name, in any notation; None if there are none."""
    at = skip(_BETWEEN, text, name.end())
    if text.startswith("{", at):
        arguments, end = read_json_arguments(text, at, CLOSER)
        call = FoundCall(name.group("name"), arguments, text[start:end], body=(at, end))
        return CallsRead((call,), skip(_AFTER, text, end))
    if text.startswith("(", at):
        return _read_parentheses(text, start, name.group("name"), at)
    if text.startswith("<arg_key>", at):
        return read_arg_pairs(text, name.group("name"), start, at)

    return None


def _read_more_named(text: str, first: CallsRead) -> CallsRead:
    """Read the further calls `name(…)` that follow the first one, each on a line of its own."""
    calls = list(first.calls)
    end = first.end
    while len(calls) < _MOST:
        at = skip(_SEPARATOR, text, end)
        name = _NAME.match(text, at)
        if name is None or not text.startswith("(", name.end()):
            break
        read = _read_parentheses(text, at, name.group("name"), name.end())
        if read is None:
            break
        calls.extend(read.calls)
        end = read.end

    return CallsRead(tuple(calls), end)


def _read_no_arguments(text: str, start: int, name: re.Match[str]) -> CallsRead | None:
    """Read a call that is only a name: a closing tag or the end of the text follows it."""
    at = skip(_BETWEEN, text, name.end())
    ending: Ending = "closed"
    if CLOSER.match(text, at) is None:
        if at < len(text):
            return None
        ending = "open"

    end = skip(_AFTER, text, at)
    call = FoundCall(name.group("name"), Read({}), text[start:end], ending, body=(at, at))
    return CallsRead((call,), end)


def _read_parentheses(text: str, start: int, name: str, at: int) -> CallsRead | None:
    found = read_call(text, at)
    if isinstance(found, Loose):
        arguments = Read(found.value, doubtful=found.doubtful)
        call = FoundCall(name, arguments, text[start : found.end], body=(at, found.end))
        return CallsRead((call,), skip(_AFTER, text, found.end))
    if isinstance(found, LooseJsonEnd):
        call = FoundCall(name, Cut({}), text[start:], body=(at, len(text)))
        return CallsRead((call,), len(text))

    return None
