"""Calls whose tags are the names themselves: `<read_file><path>a.py</path></read_file>`."""

from __future__ import annotations

import re
from typing import Final

from holdfast.loop.parse_reply.text_calls.found_call import CallsRead, FoundCall, fields_of
from holdfast.syntax.json_text import read_json_text
from holdfast.syntax.spans import find_or_end
from holdfast.vocab.lazy_pattern import lazy_pattern

NESTED: Final = r"<(?P<nested>[a-z]+(?:_[a-z]+)+)>(?=\s*(?:<[a-z_]+>|</(?P=nested)>))"
"""The start of such a call. A name of one word could be a tag of any markup."""
LABELLED: Final = lazy_pattern(
    r"<(?P<tag>name|tool_name)>\s*(?P<name>[\w.:\\-]{1,128})\s*</(?P=tag)>\s*"
    r"<(?P<given>arguments|parameters|input|args)>"
)
"""A name in its own tag after a marker, and the opening tag of the arguments."""

_FIELD = lazy_pattern(r"\s*<([a-z_]{1,64})>")


def read_nested(text: str, opener: re.Match[str]) -> CallsRead | None:
    """Read the call that `opener`, a match of `NESTED`, begins; None if it contains other text."""
    name = opener.group("nested")
    close = f"</{name}>"
    body_end = find_or_end(text, close, opener.end())
    is_closed = body_end < len(text)
    pairs, rest = _read_fields(text[opener.end() : body_end])
    if is_closed and rest.strip():
        return None

    end = min(len(text), body_end + len(close))
    arguments = fields_of(pairs, cut=not is_closed)
    call = FoundCall(name, arguments, text[opener.start() : end], body=(opener.end(), body_end))
    return CallsRead((call,), end, loud=False)


def read_labelled(text: str, start: int, label: re.Match[str]) -> CallsRead:
    """Read the call whose name is in `label`, a match of `LABELLED`."""
    close = f"</{label.group('given')}>"
    stop = find_or_end(text, close, label.end())
    arguments = read_json_text(text[label.end() : stop])
    body = (label.end(), stop)
    call = FoundCall(label.group("name"), arguments, text[start:stop], body=body)
    end = text.find(">", stop) + 1 or len(text)
    return CallsRead((call,), end)


def _read_fields(body: str) -> tuple[list[tuple[str, str]], str]:
    """Return the fields at the beginning of a body, and the text after them."""
    pairs: list[tuple[str, str]] = []
    at = 0
    while (field := _FIELD.match(body, at)) is not None:
        name = field.group(1)
        # A closing tag ends the value only if the call continues after it.
        close = re.compile(rf"</{name}>(?=\s*(?:<[a-z_]+>|\Z))").search(body, field.end())
        if close is None:
            break
        value = body[field.end() : close.start()]
        pairs.append((name, value.removeprefix("\n").removesuffix("\n")))
        at = close.end()

    return pairs, body[at:]
