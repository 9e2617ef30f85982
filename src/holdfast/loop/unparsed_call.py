"""A call that stands at the end of a text and was not read: nothing is run, and the reply is no answer either."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.loop.parse_reply.control_tokens import BARS
from holdfast.loop.parse_reply.quoted import unquoted_spans
from holdfast.loop.parse_reply.strict_json import DecodedJson, decode
from holdfast.loop.parse_reply.text_calls.found_call import calls_of
from holdfast.loop.parse_reply.thinking import divide
from holdfast.loop.parse_reply.tool_names import find_tool
from holdfast.vocab.tool_calls import ToolSpec

_LONGEST: Final = 6_000
"""Where an end is looked for. JSON, which may hold a whole file, is looked for in all of the text."""
_PARAGRAPHS = re.compile(r"\n[ \t\r]*\n")
_TOLD = re.compile(
    r"^[ \t]*\[(?:assistant\s+tool\s+calls?|calling\s+tools?)\b(?![^\]\n]{0,200}\]\()",
    re.IGNORECASE | re.MULTILINE,
)
# Markup that no text has by chance. Not behind a quote: then it is spoken of.
_MARKUP = re.compile(rf"(?<![\"'`“‘«])(?:<{BARS}+\s*DS{BARS}?ML\s*{BARS}+\s*[a-z]|✿FUNCTION✿)")
_ACTION = re.compile(
    r"^Action:[ \t]*(?P<name>[\w.-]{1,64})[ \t]*(?:\[|\(|\r?\n[ \t]*Action Input:)", re.MULTILINE
)
_LINE = re.compile(r"(?:functions\.)?(?P<name>[A-Za-z_]\w{0,63})\([^\n]{0,2000}\)")
_OBJECT = re.compile(r"^\{(?=\s*[\"'](?:name|tool|function|type)[\"']\s*:)", re.MULTILINE)
_FIELDS = re.compile(
    r"\s*[\"'](?:name|tool)[\"']\s*:\s*[\"'][^\"'\n]{1,128}[\"']\s*,\s*[\"'](?:arguments|parameters)[\"']\s*:"
)


def shows_unread_call(text: str, specs: Sequence[ToolSpec]) -> bool:
    r"""Whether a text in which no call was found ends with one all the same. What is quoted is an example.

    >>> shows_unread_call("I look.\n\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.py\"}}", ())
    True
    >>> shows_unread_call("Send `{\"name\": \"read_file\", \"arguments\": {}}`.", ())
    False
    """
    said = divide(text).text
    shown = "".join(said[start:end] for start, end in unquoted_spans(said)).rstrip()
    last = _PARAGRAPHS.split(shown[-_LONGEST:])[-1].rstrip()
    if _TOLD.search(last) or _MARKUP.search(shown) or _ends_with_object(shown):
        return True
    named = _ACTION.search(last) or _LINE.fullmatch(last)
    return named is not None and find_tool(named.group("name"), specs) is not None


def _ends_with_object(text: str) -> bool:
    at = max((found.start() for found in _OBJECT.finditer(text)), default=None)
    if at is None:
        return False
    found = decode(text, at, raw_controls=True)
    if isinstance(found, DecodedJson):
        return found.end == len(text) and bool(calls_of(found.value, "", bare=True))
    return _FIELDS.match(text, at + 1) is not None
