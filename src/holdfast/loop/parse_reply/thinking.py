"""What a model thinks, where it stands inside what it says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdfast.loop.parse_reply.quoted import unquoted_spans

_NAMES = r"(?:think(?:ing)?|thoughts?|reasoning|analysis|seed:think|reflection)"
_OPEN = re.compile(
    rf"\s*(?:<{_NAMES}>|\[THINK\]|◁think▷|<\|(?:begin_of_)?thought\|>"
    r"|(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*analysis\s*<\|message\|>)",
    re.IGNORECASE,
)
# Not in quotes: `"</think>"` in a program is no end of a thought.
_CLOSE = re.compile(
    rf"(?<![`\"'])(?:</{_NAMES}>|\[/THINK\]|◁/think▷|<\|(?:end_of_)?thought\|>)(?![`\"'])",
    re.IGNORECASE,
)
_LATER = re.compile(rf"^[ \t]*(?:<{_NAMES}>|\[THINK\]|◁think▷)", re.IGNORECASE | re.MULTILINE)
_CALL = re.compile(r"<tool_call|<function|<invoke|\[TOOL_CALLS\]|<\||<｜|DSML")
_EDGE = re.compile(r"</?(?:tool_call|function|invoke|parameter|arg_value)\b")
_HARMONY_CLOSE = re.compile(r"<\|end\|>|<\|return\|>|(?=<\|start\|>|<\|channel\|>)")
# gpt-oss behind a server that swallows its tokens: `analysisWe need …assistantfinalDone.`
_BARE_HARMONY = re.compile(
    r"\s*analysis(?=[A-Z])(.*?)(?:assistant(?=commentary|final|analysis[A-Z])|\Z)", re.DOTALL
)
_BARE_FINAL = re.compile(r"\s*(?:assistant)?final(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Divided:
    """What is said, and what is thought."""

    text: str
    reasoning: str


def divide(text: str) -> Divided:
    r"""Take thoughts out of a text. A thought that is opened and never closed goes to the end.

    >>> divide("<think>Hm.</think>\nDone.")
    Divided(text='\nDone.', reasoning='Hm.')
    >>> divide("so I read it.\n</think>\n\nDone.")
    Divided(text='\n\nDone.', reasoning='so I read it.\n')
    >>> divide("Write `<think>` for a thought.")
    Divided(text='Write `<think>` for a thought.', reasoning='')
    """
    thoughts: list[str] = []
    at = 0
    while (opened := _OPEN.match(text, at)) is not None:
        closer = _HARMONY_CLOSE if "channel" in opened.group() else _CLOSE
        closed = closer.search(text, opened.end())
        thoughts.append(text[opened.end() : closed.start() if closed else None])
        at = closed.end() if closed else len(text)
    said = text[at:]
    if not thoughts:
        said = _divide_later(said, thoughts)
    said = _divide_bare(said, thoughts)
    return Divided(said, "\n".join(thoughts))


def _divide_later(said: str, thoughts: list[str]) -> str:
    """Take a thought out that does not stand first; or that a template opened, so that only its end is in the text."""
    closed = _search_unquoted(_CLOSE, said)
    opened = _search_unquoted(_LATER, said)
    if opened is not None and (closed is None or opened.start() < closed.start()):
        if _CALL.search(said, 0, opened.start()):  # then it stands in the text that a call writes
            return said
        thoughts.append(said[opened.end() : closed.start() if closed else None])
        return said[: opened.start()] + (said[closed.end() :] if closed else "")
    if closed is None or _stands_in_call(said, closed):
        return said
    thoughts.append(said[: closed.start()])
    return said[closed.end() :]


def _stands_in_call(said: str, closed: re.Match[str]) -> bool:
    """Whether the end of a thought is part of what a call writes: the call begins before it and ends behind it."""
    if said.lstrip().startswith("{"):
        return True
    edge = _EDGE.search(said, closed.end())
    return (
        edge is not None
        and edge.group().startswith("</")
        and _CALL.search(said, 0, closed.start()) is not None
    )


def _search_unquoted(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    if not pattern.search(text):
        return None
    found = (pattern.search(text, start, end) for start, end in unquoted_spans(text))
    return next((one for one in found if one), None)


def _divide_bare(said: str, thoughts: list[str]) -> str:
    if "assistant" not in said:
        return said
    at = 0
    while (found := _BARE_HARMONY.match(said, at)) is not None:
        thoughts.append(found.group(1))
        at = found.end()
    final = _BARE_FINAL.match(said, at) if at else None
    return said[final.end() if final else at :]
