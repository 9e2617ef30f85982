"""Detect a call at the end of a text that no reader understood: such a reply is not an answer."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from holdfast.loop.foreign_call import is_foreign_call
from holdfast.loop.parse_reply.control_tokens import BARS
from holdfast.loop.parse_reply.quoted_parts import fences, unquoted_spans
from holdfast.loop.parse_reply.text_calls.block_openers import (
    FENCE_LABELS,
    PYTHON,
    any_of,
    words_before_key,
)
from holdfast.loop.parse_reply.text_calls.found_call import calls_of
from holdfast.loop.parse_reply.text_calls.labelled_lines import ARGUMENTS_LABEL, NAMED_LINE
from holdfast.loop.parse_reply.text_calls.last_block import read_last_block
from holdfast.loop.parse_reply.text_calls.marker_dialects import MARKER
from holdfast.loop.parse_reply.text_calls.other_speakers import INVENTED
from holdfast.loop.parse_reply.text_calls.scan import scan
from holdfast.loop.parse_reply.text_calls.whole_message import read_whole
from holdfast.loop.parse_reply.thinking import divide
from holdfast.loop.parse_reply.tool_names import find_tool
from holdfast.syntax.strict_json import DecodedJson, decode
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.loop.parse_reply.text_calls.found_call import FoundCall
    from holdfast.vocab.tool_calls import ToolSpec

_LONGEST: Final = 6_000
"""How many characters at the end are searched. JSON, which may contain a whole file, is searched
for in the whole text."""
_RESULT = lazy_pattern(INVENTED, re.IGNORECASE)
_MOST_RESULTS: Final = 4
"""The most invented results to look at: the text before each is searched for a call."""
_PARAGRAPHS = lazy_pattern(r"\n[ \t\r]*\n")
_REPORTED = lazy_pattern(
    r"^[ \t]*\[(?:assistant\s+tool\s+calls?|calling\s+tools?)\b(?![^\]\n]{0,200}\]\()",
    re.IGNORECASE | re.MULTILINE,
)
# Markup that occurs in no other text. After a quote mark it is only mentioned.
_MARKUP = lazy_pattern(rf"(?<![\"'`“‘«])(?:<{BARS}+\s*DS{BARS}?ML\s*{BARS}+\s*[a-z]|✿FUNCTION✿)")
_LINES_OF_CALL = lazy_pattern(rf"{NAMED_LINE}(?:[ \t]*[\[(]|{ARGUMENTS_LABEL})", re.IGNORECASE)
"""A tool in a labelled line, and its arguments in any notation."""
_MARKED = lazy_pattern(
    rf"^[ \t]*(?:(?:{MARKER})\s*){{1,4}}(?P<name>[\w.-]{{1,64}})(?=\s*[^\w\s]|[ \t]*\n)",
    re.IGNORECASE | re.MULTILINE,
)
"""A marker and a name. Behind the name there is no further word of a sentence."""
_PYTHON_LINE = lazy_pattern(rf"{PYTHON}[^\n]{{0,2000}}\)")
_PYTHON_LINES = lazy_pattern(rf"{PYTHON}.*\)", re.DOTALL)
"""A call whose text may have lines of its own, where nothing else is around it."""
_CODE_FENCE = lazy_pattern(
    r"[`~]{3,}[ \t]*(?P<label>[\w+-]*)[ \t]*\r?\n(?P<body>.*?)[`~]{3,}\s*", re.DOTALL
)
_FENCE_LINE = lazy_pattern(r"^[ \t]*[`~]{3,}[^\n]*$", re.MULTILINE)
_SENTENCE_END = lazy_pattern(r"[.!?:…。！？]\Z")
_NOT_IN_ITEM: Final = r"^(?! {4}|\t|[ \t]*(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|#|>|\|))[^\n]*?"
"""The beginning of a line that is no item of a list, row of a table, heading, quote or code."""
_OBJECT = lazy_pattern(r"^\{(?=\s*[\"'](?:name|tool|function|type)[\"']\s*:)", re.MULTILINE)
_FIELDS = lazy_pattern(
    r"\s*[\"'](?:name|tool)[\"']\s*:\s*[\"'][^\"'\n]{1,128}[\"']"
    r"\s*,\s*[\"'](?:arguments|parameters)[\"']\s*:"
)


def shows_unread_call(text: str, specs: Sequence[ToolSpec]) -> bool:
    r"""Return whether a text in which no call was found ends with one, or has one in a fence.

    >>> call = "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.py\"}}"
    >>> shows_unread_call(f"I look.\n\n{call}", ())
    True
    >>> shows_unread_call(f"Send `{call}`.", ())
    False
    """
    spoken = _unescape(divide(text).text)
    if _ends_with_call(spoken, specs):
        return True

    return any(_ends_with_call(before, specs) for before in _before_results(spoken))


def cut_invented_result(text: str, specs: Sequence[ToolSpec]) -> str:
    r"""Return a reply's text up to the tool's result that the model invented behind an unread call.

    >>> from holdfast.vocab.tool_calls import ToolSpec
    >>> reply = "tool: ls\nargs:\n  path: a\n\nObservation: a.py"
    >>> cut_invented_result(reply, [ToolSpec("ls", "", {})])
    'tool: ls\nargs:\n  path: a\n\n'
    """
    spoken = divide(text).text
    for before in _before_results(spoken):
        if _ends_with_call(_unescape(before), specs):
            return before

    return spoken


def _before_results(text: str) -> Iterator[str]:
    """Yield the text before each of the first tool results in it that are not quoted."""
    found = 0
    for start, end in unquoted_spans(text):
        for result in _RESULT.finditer(text, start, end):
            yield text[: result.start()]
            found += 1
            if found == _MOST_RESULTS:
                return


def _ends_with_call(text: str, specs: Sequence[ToolSpec]) -> bool:
    def known(found: FoundCall) -> bool:
        return find_tool(found.name, specs) is not None

    scanned = scan(text, known, known)
    if scanned.calls:
        return True

    spoken = scanned.text
    if _has_call_in_block(spoken, known, specs) or _is_call(spoken, specs):
        return True

    parts = [spoken[start:end] for start, end in unquoted_spans(spoken)]
    unquoted = "".join(parts).rstrip()
    paragraphs = _PARAGRAPHS.split(unquoted[-_LONGEST:])
    last = paragraphs[-1].rstrip()
    if _REPORTED.search(last):
        return True
    if _MARKUP.search(unquoted) or _marks_tool(unquoted, specs):
        return True
    if _ends_with_object(unquoted):
        return True

    return _names_tool(last, specs, _PYTHON_LINE) or _gives_arguments(last, specs)


def find_call_line(text: str, specs: Sequence[ToolSpec]) -> str:
    r"""Return the last line that names a tool and is no sentence; "" if there is none.

    >>> from holdfast.vocab.tool_calls import ToolSpec
    >>> find_call_line("I look.\ntool: ls\nargs: {}", [ToolSpec("ls", "", {})])
    'tool: ls'
    """
    named = re.compile(any_of([spec.name for spec in specs]))
    for line in reversed(divide(text).text.split("\n")):
        words = _unescape(line.strip())
        if named.search(words) and not _SENTENCE_END.search(words):
            return words

    return ""


def _unescape(text: str) -> str:
    """Return the text without Markdown's escapes of underscores, which names have."""
    return text.replace("\\_", "_")


def _is_call(text: str, specs: Sequence[ToolSpec]) -> bool:
    """Return whether a text is all a call in Python, or a call with keys that are not ours."""
    return _names_tool(text.strip(), specs, _PYTHON_LINES) or is_foreign_call(text, specs)


def _gives_arguments(text: str, specs: Sequence[ToolSpec]) -> bool:
    r"""Return whether the text ends with a tool's name and an argument of it, in any notation.

    >>> from holdfast.vocab.tool_calls import ToolSpec
    >>> read = ToolSpec("read_file", "", {"properties": {"path": {}}})
    >>> _gives_arguments("Using read_file with path=a.py", [read])
    True
    >>> _gives_arguments("I used read_file with path=a.py.", [read])
    False
    """
    if _SENTENCE_END.search(text):
        return False

    for spec in specs:
        keys = tuple(spec.schema.get("properties", ()))
        if keys and _named_with_key(spec.name, keys).search(text):
            return True

    return False


@cache
def _named_with_key(name: str, keys: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for a tool's name, at most two words, and a key of its arguments."""
    return re.compile(
        rf"{_NOT_IN_ITEM}(?<![\w.]){re.escape(name)}{words_before_key(keys)}", re.MULTILINE
    )


def _has_call_in_block(
    text: str, known: Callable[[FoundCall], bool], specs: Sequence[ToolSpec]
) -> bool:
    """Return whether a fence or the last block is a call that was not run.

    It may be an example, one of several, or followed by words about what it did.
    """
    if read_last_block(text, known) is not None:
        return True

    for start, end in fences(text):
        if read_whole(text[start:end], known):
            return True
        if _is_call_fence(text[start:end], specs):
            return True
        if end >= len(text.rstrip()):
            return _is_unread_call(text[start:], known, specs)

    return False


def _is_call_fence(fence: str, specs: Sequence[ToolSpec]) -> bool:
    """Return whether a fence has a label that only calls have, and the name of a tool in it."""
    code = _CODE_FENCE.fullmatch(fence)
    if code is None or code.group("label") not in FENCE_LABELS:
        return False
    return re.search(any_of([spec.name for spec in specs]), code.group("body")) is not None


def _is_unread_call(
    fence: str, known: Callable[[FoundCall], bool], specs: Sequence[ToolSpec]
) -> bool:
    """Return whether a code fence has a call with markup, or in a notation that is not read."""
    if scan(_FENCE_LINE.sub("", fence), known, known).calls:
        return True

    code = _CODE_FENCE.fullmatch(fence)
    return code is not None and _names_tool(code.group("body").strip(), specs, _PYTHON_LINES)


def _marks_tool(text: str, specs: Sequence[ToolSpec]) -> bool:
    """Return whether a tool is named behind a marker of calls, in whatever notation."""
    return any(find_tool(marked.group("name"), specs) for marked in _MARKED.finditer(text))


def _names_tool(text: str, specs: Sequence[ToolSpec], python: re.Pattern[str]) -> bool:
    """Return whether the text is a call of a tool in a notation that is not read."""
    named = _LINES_OF_CALL.search(text) or python.fullmatch(text)
    if named is None:
        return False
    return find_tool(named.group(1), specs) is not None


def _ends_with_object(text: str) -> bool:
    at = None
    for opener in _OBJECT.finditer(text):
        at = opener.start()

    if at is None:
        return False

    found = decode(text, at, raw_controls=True)
    if isinstance(found, DecodedJson):
        if found.end != len(text):
            return False
        calls = calls_of(found.value, "", bare=True)
        return len(calls) > 0

    return _FIELDS.match(text, at + 1) is not None
