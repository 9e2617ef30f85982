"""Calls whose tags are the names themselves: `<read_file><path>a.py</path></read_file>`."""

from __future__ import annotations

import re
from typing import Final

from holdfast.loop.parse_reply.arguments import read_arguments
from holdfast.loop.parse_reply.text_calls.found_call import CallsRead, FoundCall, fields_of

NESTED: Final = r"<(?P<nested>[a-z]+(?:_[a-z]+)+)>(?=\s*(?:<[a-z_]+>|</(?P=nested)>))"
"""Where such a call begins. A name of one word could be a tag of any markup."""
LABELLED: Final = re.compile(
    r"<(?P<tag>name|tool_name)>\s*(?P<name>[\w.:-]{1,128})\s*</(?P=tag)>\s*<(?P<given>arguments|parameters|input|args)>"
)
"""The name and the arguments in tags of their own, behind a marker."""

_FIELD = re.compile(r"\s*<([a-z_]{1,64})>")


def read_nested(text: str, opener: re.Match[str]) -> CallsRead | None:
    """Read the call that `opener`, a match of `NESTED`, begins; None if anything but fields stands in it."""
    name = opener.group("nested")
    close = f"</{name}>"
    end = text.find(close, opener.end())
    over = end >= 0
    body = text[opener.end() : end if over else len(text)]
    pairs: list[tuple[str, str]] = []
    at = 0
    while (field := _FIELD.match(body, at)) is not None:
        # A closing tag ends the value only if what follows goes on with the call.
        value = re.compile(rf"</{field.group(1)}>(?=\s*(?:<[a-z_]+>|\Z))").search(body, field.end())
        if value is None:
            break
        pairs.append((field.group(1), _trim(body[field.end() : value.start()])))
        at = value.end()
    if over and body[at:].strip():
        return None
    end = end + len(close) if over else len(text)
    return CallsRead(
        (FoundCall(name, fields_of(pairs, cut=not over), text[opener.start() : end]),),
        end,
        loud=False,
    )


def read_labelled(text: str, start: int, label: re.Match[str]) -> CallsRead:
    """Read the call whose name is in `label`, a match of `LABELLED`."""
    end = text.find(f"</{label.group('given')}>", label.end())
    stop = end if end >= 0 else len(text)
    arguments = read_arguments(text[label.end() : stop])
    return CallsRead(
        (FoundCall(label.group("name"), arguments, text[start:stop]),),
        text.find(">", stop) + 1 or len(text),
    )


def _trim(value: str) -> str:
    return value.removeprefix("\n").removesuffix("\n")
