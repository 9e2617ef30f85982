"""Detect words around a call in a fence: the call may be an example in an explanation."""

from __future__ import annotations

from typing import Final

from holdfast.loop.announced_action import has_announcement, join_patterns, offers_action
from holdfast.loop.parse_reply.quoted_parts import fences
from holdfast.vocab.lazy_pattern import lazy_pattern

_CONDITIONAL: Final = join_patterns(
    r"\b(?:would|could|might|for (?:example|instance)|an example|if you)\b|\be\.g\.",
    r"\b(?:würde|könnte|zum beispiel|beispielsweise)\b|\bz\. ?b\.",
    r"\b(?:par exemple|pourrai\w{1,3}|serait|ressemblerait)\b",
    r"\b(?:por ejemplo|podría|sería|por exemplo|poderia|seria|ad esempio|potrebbe|sarebbe)\b",
    r"\b(?:например|бы)\b",
    r"例如|比如|示例|例えば|예를 들",
)
_DONE: Final = join_patterns(
    r"\b(?:has|have) been\b|\b(?:was|were) (?:now )?\w+(?:ed|en)\b|\b(?:i|we)(?:['’]ve| have)\b",
    r"\bsuccessfully\b|\b(?:wurde|habe|ist jetzt|a été|j['’]ai|ha sido|foi|è stat[oa])\b",
    r"已经|已完成|成功|ました|했습니다",
)
_PARAGRAPHS = lazy_pattern(r"\n[ \t\r]*\n")
_SENTENCE_END = lazy_pattern(r"[.!?…。！？][\"'”’)*_]*\Z")


def is_example(text: str) -> bool:
    r"""Return whether a text explains the calls in its fences, and leaves them to the reader.

    The words before them are conditional and announce nothing. The words behind them end with a
    question or an offer, and do not report that anything was done.

    >>> is_example("I would send this:\n\n```\n{…}\n```\n\nShall I do it?")
    True
    >>> is_example("I send this:\n\n```\n{…}\n```\n\nShall I go on?")
    False
    """
    before, behind = _divide(text)
    introduction = _PARAGRAPHS.split(before.strip())[-1]
    if not _CONDITIONAL.search(introduction) or has_announcement(introduction):
        return False

    return offers_action(behind) and not _DONE.search(behind)


def has_words_behind(text: str) -> bool:
    """Return whether a sentence follows the last fence of a text: it may be an explanation."""
    _, behind = _divide(text)
    return _SENTENCE_END.search(behind.strip()) is not None


def _divide(text: str) -> tuple[str, str]:
    """Return the text before the first fence and behind the last; nothing without a fence."""
    blocks = list(fences(text))
    if not blocks:
        return "", ""

    (start, _), (_, end) = blocks[0], blocks[-1]
    return text[:start], text[end:]
