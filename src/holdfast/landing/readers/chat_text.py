"""What a chat has around an answer: a thought above it, a token below it."""

from __future__ import annotations

import re

from holdfast.landing.formats.surrounding_text import (
    END_TOKEN,
)
from holdfast.landing.new_text import PlainText
from holdfast.vocab.lazy_pattern import lazy_pattern


def without_chat(text: str, new: str) -> PlainText:
    """Return the new text without what a chat has around an answer: a thought above it, a token below it."""
    undone = []
    bare = without_end_token(text, new)
    if bare != new:
        undone.append(CHAT_END)
    answer = _without_thought(text, bare)
    if answer != bare:
        undone.append("a thought above the text")
    return PlainText(answer, tuple(undone))


CHAT_END = "a token that ends a reply"


def without_end_token(text: str, new: str) -> str:
    """Return the new text without the token of a chat template that ends it, unless the file has it or it closes a tag."""
    found = END_TOKEN.search(new)
    if found is None:
        return new
    if found[0] in text:
        return new
    if _is_opened(found[0], text + new):
        return new

    above = new[: found.start()].rstrip(" \t")
    if above.endswith("\n"):
        return above
    return above + new[found.end() :]


def _without_thought(text: str, new: str) -> str:
    r"""Return the new text without the thought above it, unless the file has such a tag or nothing is below it.

    >>> _without_thought("a", "<think>Hm.</think>\n\nb"), _without_thought("", "<think>Hm.</think>")
    ('b', '<think>Hm.</think>')
    """
    found = _THOUGHT.match(new)
    if found is None:
        return new
    if found["tag"] in text:
        return new
    return new[found.end() :]


_THOUGHT = lazy_pattern(
    r"\s*(?P<tag><(?P<name>think(?:ing)?|thoughts?|reasoning|reflection)>).*?</(?P=name)>\s*\n(?=.*\S)",
    re.DOTALL | re.IGNORECASE,
)


def _is_opened(closing: str, text: str) -> bool:
    """Return whether a text has as many tags that open what this one closes.

    >>> _is_opened("</s>", "<s>no</s>"), _is_opened("[/INST]", "a[/INST]"), _is_opened("<eos>", "a<eos>")
    (True, False, False)
    """
    if "/" not in closing:
        return False
    opening = re.escape(closing.replace("/", "", 1)[:-1])
    return text.count(closing) <= len(re.findall(rf"{opening}[\s>\]]", text))
