"""The marks that close a printed call: `</tool_call>`, `]`, the end of a fence.

A call ends where all marks are closed that were opened for it, those of a wrapper around several
calls too. A token that ends the model's turn (`<|im_end|>`, `<|call|>`) is no such mark: a server
may remove it.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from holdfast.loop.parse_reply.control_tokens import NAMESPACE
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

_CALL_TAGS: Final = (
    "tool_calls?|function_calls?|functioncall|toolcall|tools|function|invoke|tool_use"
)
_ARGUMENT_TAGS: Final = "arguments|parameters|input|args"
_FENCE: Final = "```"
_TOKENS: Final = {
    "<|tool_call>": "<tool_call|>",
    "<|tool_call_begin|>": "<|tool_call_end|>",
    "<|tool_calls_begin|>": "<|tool_calls_end|>",
    "<|tool_call_section_begin|>": "<|tool_call_section_end|>",
    "<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",
    "<｜tool▁call▁begin｜>": "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁begin｜>": "<｜tool▁calls▁end｜>",
    "<|action_start|>": "<|action_end|>",
    "<|start_action|>": "<|END_ACTION|>",
    "<start_function_call>": "<end_function_call>",
}
"""The tokens that open a call, and those that close it. Others, as `<|python_tag|>`, have none."""


def _any_of(words: list[str]) -> str:
    return "|".join(map(re.escape, words))


_TAGS: Final = f"{_CALL_TAGS}|{_ARGUMENT_TAGS}"
_MARK = lazy_pattern(
    rf"<{NAMESPACE}(?P<tag>{_TAGS})(?:[\s=][^<>\n]{{0,400}})?>|</{NAMESPACE}(?P<end_tag>{_TAGS})\s*>"
    rf"|(?P<token>{_any_of(list(_TOKENS))})|(?P<end_token>{_any_of(list(_TOKENS.values()))})"
    r"|(?P<fence>`{3,})|(?P<list>\[)(?=[\s,]*\Z)|(?P<end_list>\])",
    re.IGNORECASE,
)
_CLOSING_TOKENS: Final = _TOKENS | {token.lower(): token for token in _TOKENS.values()}
_NEEDS_TOKEN = lazy_pattern(_any_of(list(_TOKENS)), re.IGNORECASE)
_ENDS: Final = frozenset(("end_tag", "end_token", "end_list"))
_EXACT: Final = frozenset(("]", _FENCE, *(f"</{tag}>" for tag in _ARGUMENT_TAGS.split("|"))))
"""The marks that close nothing else: `</function>` may close a call that `<tool_call>` opened."""


@dataclass(frozen=True, slots=True)
class CallSpan:
    """Where a call is in its text: its opening marks from `start` on, its arguments in the body.

    The marks in the body are content.
    """

    start: int
    body: tuple[int, int]


@dataclass(slots=True)
class _Expected:
    """The closing marks that are expected, each with the number of the first call inside it."""

    marks: list[tuple[str, int]] = field(default_factory=list)

    def open(self, mark: str, call: int) -> None:
        """Expect `mark`; a mark that is opened twice for the same call is closed once."""
        if (mark, call) not in self.marks:
            self.marks.append((mark, call))

    def has(self, mark: str) -> bool:
        """Return whether `mark` is expected."""
        return any(mark == known for known, _ in self.marks)

    def close(self, mark: str) -> None:
        """Remove `mark` and the marks inside it; one that was not expected closes the last mark."""
        expected = [known for known, _ in self.marks]
        if mark in expected:
            last = len(expected) - 1 - expected[::-1].index(mark)
            del self.marks[last:]
        elif mark not in _EXACT and self.marks:
            self.marks.pop()


def starts_with_token(text: str) -> bool:
    """Return whether a text begins with a token that opens a call and has to be closed."""
    return _NEEDS_TOKEN.match(text) is not None


def missing_marks(text: str, spans: list[CallSpan], end: int) -> list[str]:
    """Return for each call of a text up to `end` the closing marks that it lacks.

    >>> missing_marks("<tool_call>{}", [CallSpan(0, (11, 13))], 13)
    ['</tool_call>']
    >>> missing_marks("<tool_call>{}</tool_call>", [CallSpan(0, (11, 13))], 25)
    ['']
    """
    expected = _Expected()
    last = 0
    for number, span in enumerate(spans):
        _close_marks(text, last, span.start, expected)
        _read_marks(text, span.start, span.body[0], expected, number)
        last = span.body[1]
    _close_marks(text, last, end, expected)

    missing = "".join(mark for mark, _ in reversed(expected.marks))
    first = min((number for _, number in expected.marks), default=len(spans))
    return ["" if number < first else missing for number in range(len(spans))]


def _close_marks(text: str, start: int, end: int, expected: _Expected) -> None:
    """Read the closing marks between two calls. Opening marks there belong to no call."""
    for found in _MARK.finditer(text, start, end):
        if found.lastgroup in _ENDS or found.lastgroup == "fence":
            expected.close(_closing_mark(found))


def _read_marks(text: str, start: int, end: int, expected: _Expected, call: int) -> None:
    """Read the marks before the arguments of a call, which may close the call before it too."""
    for found in _MARK.finditer(text, start, end):
        mark = _closing_mark(found)
        ends_fence = found.lastgroup == "fence" and expected.has(mark)
        if found.lastgroup in _ENDS or ends_fence:
            expected.close(mark)
        else:
            expected.open(mark, call)


def _closing_mark(found: re.Match[str]) -> str:
    """Return the closing mark that a match is, or that closes what it opens."""
    kind = found.lastgroup or ""
    match kind.removeprefix("end_"):
        case "tag":
            return f"</{found.group(kind).lower()}>"
        case "token":
            return _CLOSING_TOKENS[found.group().lower()]
        case "fence":
            return _FENCE
        case _:
            return "]"
