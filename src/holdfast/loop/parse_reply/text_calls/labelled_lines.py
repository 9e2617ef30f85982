"""Calls as two labelled lines: `Action: ls` and `Action Input: {…}`, or `Tool: ls` and `Args: {…}`.

The labels are the fields of a call as an object (`found_call`), written as words.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.loop.parse_reply.text_calls.found_call import (
    GIVEN_FIELDS,
    NAME_FIELDS,
    CallsRead,
    FoundCall,
    read_json_arguments,
)
from holdfast.syntax.spans import skip
from holdfast.vocab.lazy_pattern import lazy_pattern


def _label(fields: tuple[str, ...]) -> str:
    """Return a pattern for one of the fields as a label, which may be bold."""
    words = "|".join(map(_words, fields))
    return rf"\*{{0,2}}(?:{words})\*{{0,2}}[ \t]*:\*{{0,2}}[ \t]*"


def _words(field: str) -> str:
    if field == "name":
        return "(?-i:name)"  # `Name:` begins the record of a person or a file
    return field.replace("_", "[ _]?")


def _open_label(fields: tuple[str, ...]) -> str:
    """Return a pattern for the beginning of a label with the name behind it, at its end."""
    words = "|".join(map(_words, fields))
    first_words = "|".join(field.partition("_")[0] for field in fields if "_" in field)
    name = r"[ \t]*:\*{0,2}[ \t]*[\"'`]?[\w.\\-]*[\"'`]?[ \t]*\s*"
    return rf"(?:{first_words})[ _]\w*|(?:{words})\*{{0,2}}(?:[ \t]*|{name})"


OPEN_LABEL: Final = _open_label(NAME_FIELDS)
"""What may go on as a match of `NAMED_LINE`, behind its bold mark."""
NAMED_LINE: Final = (
    rf"(?m:^)(?:-[ \t]+)?{_label(NAME_FIELDS)}[\"'`]?(?P<named>[\w.\\-]{{1,64}})[\"'`]?"
)
"""The line that names the tool, at the beginning of a line or of an item of a list."""
ARGUMENTS_LABEL: Final = rf"[ \t]*\r?\n\s*{_label(GIVEN_FIELDS)}"
"""The end of that line, and the label of the arguments."""
LABELLED_LINES: Final = NAMED_LINE + ARGUMENTS_LABEL
"""The start of such a call."""

_FENCE = lazy_pattern(r"\s*(?:`{3,}(?:json)?\s*)?")
_FENCE_END = lazy_pattern(r"\s*`{3,}")
_NEXT_LABEL = lazy_pattern(r"\n(?=[ \t]*\*{0,2}[A-Z][\w ]{0,20}\*{0,2}:|[ \t]*`{3,})")
_OWN_WORDS = lazy_pattern(r"\s*(?:\*{0,2}(?:Question|Thought)s?\*{0,2}[ \t]*:|\Z)", re.IGNORECASE)


def read_lines(text: str, opener: re.Match[str]) -> CallsRead | None:
    """Read the JSON object behind a match of `LABELLED_LINES`; None if there is no object."""
    at = skip(_FENCE, text, opener.end())
    if text[at : at + 1] != "{":
        return None

    arguments, end = read_json_arguments(text, at, _NEXT_LABEL)
    body = (at, end)
    if text[opener.end() : at].strip():
        end = skip(_FENCE_END, text, end)
    call = FoundCall(opener.group("named"), arguments, text[opener.start() : end], body=body)
    return CallsRead((call,), end, loud=False)


def is_same_notation(before: str) -> bool:
    """Return whether the text before a call is of its notation too: nothing, or a thought."""
    return _OWN_WORDS.match(before) is not None
