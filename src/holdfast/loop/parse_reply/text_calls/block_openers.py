"""How a call without markup begins: at the start of a line, of a fence, or of a message.

The readers match these patterns, and the screen of a stream holds back what they match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.loop.parse_reply.text_calls.labelled_lines import NAMED_LINE
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

PYTHON: Final = r"(?:print\()?(?:(?:functions|default_api)\.)?(?P<python>[A-Za-z_]\w{0,63})\("
"""A call in Python."""
KEYED: Final = r"[^\s:{}\[\]#-][^\n:]{0,40}:[ \t]*[\"']?(?P<keyed>\w{1,64})[\"']?"
"""The name of a tool behind any key, where nothing is before it."""
FENCE_LABELS: Final = frozenset(("tool_code", "tool_call", "tool_use", "function_call"))
"""The labels of fences that have no other use."""
EDIT: Final = (
    r"\*\*\* Begin Patch\s*\n|diff --git |--- [^\n]+\n\+\+\+ |(?:[^\n]{1,300}\n)?<{5,9} SEARCH\s*\n"
)
"""An edit in a notation of its own, where nothing is before it."""
LINE: Final = lazy_pattern(
    rf"{NAMED_LINE}|[ \t]*{PYTHON}|[ \t]*\[[ \t]*{PYTHON.replace('python', 'listed')}",
    re.IGNORECASE,
)
OBJECT: Final = lazy_pattern(r"[ \t]*(?:\[\s{0,40})?\{\s{0,40}[\"'“}]")


def open_words(words: Sequence[str]) -> str:
    """Return a pattern for the end of a text that is the beginning of one of the words."""
    beginnings = {word[:size] for word in words for size in range(1, len(word) + 1)}
    either = "|".join(map(re.escape, sorted(beginnings, reverse=True)))
    return rf"(?<!\w)(?:{either})\Z"


def any_of(names: Sequence[str]) -> str:
    """Return a pattern for any of the names, as a word."""
    either = "|".join(map(re.escape, names)) or "(?!)"
    return rf"(?<!\w)(?:{either})(?!\w)"


def words_before_key(keys: Sequence[str]) -> str:
    """Return a pattern for what is behind a tool's name: at most two words, and one of the keys."""
    key = "|".join(map(re.escape, keys)) or "(?!)"
    return rf"\b\W{{1,20}}(?:\w{{1,20}}\W{{1,20}}){{0,2}}(?<!\w)(?:{key})[\"']?\s*[:=>]"
