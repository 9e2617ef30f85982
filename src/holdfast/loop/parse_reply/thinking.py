"""Separate a model's reasoning from the text around it."""

from __future__ import annotations

import re

from holdfast.loop.parse_reply.quoted_parts import unquoted_spans
from holdfast.syntax.spans import next_span, skip
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

_NAMES = r"(?:think(?:ing)?|thoughts?|reasoning|analysis|seed:think|reflection)"
_OPEN = lazy_pattern(
    rf"\s*(?:<{_NAMES}>|\[THINK\]|◁think▷|<\|(?:begin_of_)?thought\|>|<\|START_THINKING\|>"
    r"|(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*analysis\s*<\|message\|>)",
    re.IGNORECASE,
)
# Not in quotes: `"</think>"` in a program does not end a thought.
_CLOSE = lazy_pattern(
    rf"(?<![`\"'])(?:</{_NAMES}>|\[/THINK\]|◁/think▷|<\|(?:end_of_)?thought\|>|<\|END_THINKING\|>)(?![`\"'])",
    re.IGNORECASE,
)
_LATER = lazy_pattern(rf"^[ \t]*(?:<{_NAMES}>|\[THINK\]|◁think▷)", re.IGNORECASE | re.MULTILINE)
_CALL = lazy_pattern(r"<tool_call|<function|<invoke|\[TOOL_CALLS\]|<\||<｜|DSML")
_EDGE = lazy_pattern(r"</?(?:tool_call|function|invoke|parameter|arg_value)\b")
_HARMONY_CLOSE = lazy_pattern(r"<\|end\|>|<\|return\|>|(?=<\|start\|>|<\|channel\|>)")
# gpt-oss behind a server that drops control tokens: `analysisWe need …assistantfinalDone.`
_BARE_HARMONY = lazy_pattern(
    r"\s*analysis(?=[A-Z])(.*?)(?:assistant(?=commentary|final|analysis[A-Z])|\Z)", re.DOTALL
)
_BARE_FINAL = lazy_pattern(r"\s*(?:assistant)?final(?=[A-Z])")


def open_thought(text: str, at: int = 0) -> tuple[int, re.Pattern[str]] | None:
    """Return where the thought that is opened at `at` starts, and what ends it; or None."""
    opened = _OPEN.match(text, at)
    if opened is None:
        return None

    closer = _CLOSE
    if "channel" in opened.group():
        closer = _HARMONY_CLOSE

    return opened.end(), closer


@dataclass(frozen=True, slots=True)
class Divided:
    """The text and the reasoning of a reply."""

    text: str
    reasoning: str


def divide(text: str) -> Divided:
    r"""Separate the thoughts from a text. A thought that is never closed extends to the end.

    >>> divide("<think>Hm.</think>\nDone.")
    Divided(text='\nDone.', reasoning='Hm.')
    >>> divide("so I read it.\n</think>\n\nDone.")
    Divided(text='\n\nDone.', reasoning='so I read it.\n')
    >>> divide("Write `<think>` for a thought.")
    Divided(text='Write `<think>` for a thought.', reasoning='')
    """
    thoughts: list[str] = []
    at = 0
    while (opened := open_thought(text, at)) is not None:
        start, closer = opened
        end, at = next_span(closer, text, start)
        thoughts.append(text[start:end])

    spoken = text[at:]
    if not thoughts:
        spoken = _divide_later(spoken, thoughts)

    spoken = _divide_bare(spoken, thoughts)
    return Divided(spoken, "\n".join(thoughts))


def _divide_later(text: str, thoughts: list[str]) -> str:
    """Append a thought that is not at the beginning, and return the text without it.

    If the chat template opened the thought, only its end is in the text.
    """
    closed = _search_unquoted(_CLOSE, text)
    opened = _search_unquoted(_LATER, text)
    end = after = len(text)
    if closed is not None:
        end, after = closed.span()

    if opened is not None and opened.start() < end:
        if _CALL.search(text, 0, opened.start()):  # part of the content that a call writes
            return text
        thoughts.append(text[opened.end() : end])
        return text[: opened.start()] + text[after:]
    if closed is None or _is_in_call(text, closed):
        return text

    thoughts.append(text[:end])
    return text[after:]


def _is_in_call(text: str, closed: re.Match[str]) -> bool:
    """Return whether a closing tag is content of a call that begins before it and ends after it."""
    if text.lstrip().startswith("{"):
        return True

    edge = _EDGE.search(text, closed.end())
    if edge is None:
        return False
    if not edge.group().startswith("</"):
        return False

    return _CALL.search(text, 0, closed.start()) is not None


def _search_unquoted(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    if not pattern.search(text):
        return None

    for start, end in unquoted_spans(text):
        found = pattern.search(text, start, end)
        if found:
            return found

    return None


def _divide_bare(text: str, thoughts: list[str]) -> str:
    """Append thoughts of Harmony replies without tokens, and return the text without them."""
    if "assistant" not in text:
        return text

    at = 0
    while (found := _BARE_HARMONY.match(text, at)) is not None:
        thoughts.append(found.group(1))
        at = found.end()

    if at:
        at = skip(_BARE_FINAL, text, at)

    return text[at:]
