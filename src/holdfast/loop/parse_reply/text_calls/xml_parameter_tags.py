"""Calls with a tag for each field: `<function=…><parameter=…>`, `<invoke name=…>`, `<arg_key>`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.loop.parse_reply.control_tokens import NAMESPACE
from holdfast.loop.parse_reply.text_calls.found_call import (
    CallsRead,
    Ending,
    FoundCall,
    fields_of,
    read_json_arguments,
)
from holdfast.syntax.spans import skip
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re

OPENER: Final = (
    rf"<{NAMESPACE}(?:function|invoke|tool_use|tool_call)(?:\s*=\s*|\s+name\s*=\s*)"
    r"[\"']?(?P<tagged>[\w.:/\\-]{1,128})[\"']?(?:\s[^<>\n]{0,200})?\s*>"
)
"""The start of such a call."""

_PARAMETER = lazy_pattern(
    rf"\s*<{NAMESPACE}parameter(?:\s*=\s*|\s+name\s*=\s*)[\"']?(?P<key>[\w.\\-]{{1,128}})[\"']?"
    # `<parameter=command=str_replace</parameter>`: an equals sign instead of the bracket.
    r"(?:(?P<inline>=)|(?:\s[^<>\n]{0,200})?\s*>)"
)
_END_OF_CALL: Final = (
    rf"</{NAMESPACE}(?:function|invoke|tool_use|tool_call|tool_calls|function_calls)\s*>"
)
_CLOSE = lazy_pattern(rf"\s*(?:{_END_OF_CALL})")
_END_OF_TURN: Final = r"<\|im_end\|>|<\|eot_id\|>|</s>"
# A closing tag ends the value only if the call continues after it: a value may be text about tags.
_END_OF_VALUE = lazy_pattern(
    rf"(?P<closed></{NAMESPACE}parameter\s*>)"
    rf"(?=\s*(?:<{NAMESPACE}parameter\b|{_END_OF_CALL}|{_END_OF_TURN}|\Z))"
    rf"|(?:^|(?<=\n))(?=[ \t]*<{NAMESPACE}parameter(?:=|\s+name=))"
    rf"|(?={_END_OF_CALL}\s*(?:</|<{NAMESPACE}(?:tool_call|function|invoke)|<\||\Z))"
)
_BLANKS = lazy_pattern(r"\s{0,200}")
_ARG_KEY = lazy_pattern(r"\s*<arg_key>\s*([\w.\\-]{1,128})\s*</arg_key>\s*<arg_value>")
_LINE_BREAK_AT_START = lazy_pattern(r"\A\r?\n")
_LINE_BREAK_AT_END = lazy_pattern(r"\r?\n\Z")
_END_OF_ARG = lazy_pattern(r"</arg_value>(?=\s*(?:<arg_key>|</tool_call>|<\||\Z))")


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    end: int
    closed: bool


def read_tagged(text: str, opener: re.Match[str]) -> CallsRead | None:
    """Read the call that `opener`, a match of `OPENER`, begins."""
    at = opener.end()
    body = skip(_BLANKS, text, at)
    if text[body : body + 1] == "{":
        arguments, end = read_json_arguments(text, body, _CLOSE)
        raw = text[opener.start() : end]
        call = FoundCall(opener.group("tagged"), arguments, raw, body=(body, end))
        return CallsRead((call,), skip(_CLOSE, text, end))

    pairs: list[tuple[str, str]] = []
    closed: list[bool] = []
    while (parameter := _PARAMETER.match(text, at)) is not None:
        value = _read_value(text, parameter.end())
        is_inline = bool(parameter.group("inline"))
        pairs.append((parameter.group("key"), _trim(value, inline=is_inline)))
        closed.append(value.closed)
        at = value.end

    close = _CLOSE.match(text, at)
    cut = False
    ending: Ending = "open"
    if close is not None:
        ending = "closed"
        # Some models close no field. If this one does, a closing tag of the call inside an open
        # field is content of that field.
        cut = any(closed) and not closed[-1]
    elif not pairs and text[at:].strip():
        return None  # a tag without fields: not a call

    end = skip(_CLOSE, text, at)
    call = FoundCall(
        name=opener.group("tagged"),
        arguments=fields_of(pairs, cut=cut),
        raw=text[opener.start() : end],
        ending=ending,
        body=(opener.end(), at),
    )
    return CallsRead((call,), end)


def read_arg_pairs(text: str, name: str, start: int, at: int) -> CallsRead:
    """Read GLM's keys and values, beginning at `at`."""
    pairs: list[tuple[str, str]] = []
    first = at
    while (key := _ARG_KEY.match(text, at)) is not None:
        over = _END_OF_ARG.search(text, key.end())
        if over is None:
            at = len(text)
            break
        pairs.append((key.group(1), text[key.end() : over.start()]))
        at = over.end()

    close = _CLOSE.match(text, at)
    end = len(text)
    if close is not None:
        end = close.end()

    arguments = fields_of(pairs, cut=close is None)
    call = FoundCall(name, arguments, text[start:end], body=(first, at))
    return CallsRead((call,), end)


def _read_value(text: str, at: int) -> _Value:
    over = _END_OF_VALUE.search(text, at)
    if over is None:
        return _Value(text[at:], len(text), closed=False)
    return _Value(text[at : over.start()], over.end(), closed=bool(over.group("closed")))


def _trim(value: _Value, *, inline: bool) -> str:
    """Return the value without the line breaks of its tags; everything else in it is content."""
    if inline:
        return value.text.strip()
    return _LINE_BREAK_AT_END.sub("", _LINE_BREAK_AT_START.sub("", value.text))
