"""Lines that are no part of a notation: fences, tags and prose around it."""

from __future__ import annotations

from holdfast.landing.text.line_tokens import matched
from holdfast.vocab.lazy_pattern import lazy_pattern

FENCE = lazy_pattern(r"`{3,}(?=[^`]*$)|~{3,}")
_TAG = lazy_pattern(r"</?([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?/?>\s*$|<(\|)[^<>]*\|>\s*$")
WRAPPER_TAG = lazy_pattern(
    r"</?(?i:(?:antml:)?(?:tool(?:_\w*)?|function(?:_\w*)?|invoke|parameter|apply_\w*|(?:unified_)?diff|patch|edit|answer"
    r"|think(?:ing)?))(?:\s[^<>]*)?/?>\s*$|<\|[^<>]*\|>\s*$|<!\[CDATA\[\s*$|\]\]>\s*$"
)
_OPENING = r"Begin Patch\s*$|(?:Add|Update|Delete) File:|Move to:"
EDIT_OPENING = lazy_pattern(rf"\*\*\* (?:{_OPENING})")
"""Any directive but the last of the `*** Begin Patch` notation."""
DIRECTIVE = lazy_pattern(rf"\*\*\* (?:{_OPENING}|End Patch\s*$)")
_WRAPPER = lazy_pattern("|".join(each.pattern for each in (FENCE, DIRECTIVE, WRAPPER_TAG)))
END_TOKEN = lazy_pattern(
    r"(?:(?:<\|\w+\|>|<\uff5c[^\uff5c\n]{1,40}\uff5c>)+|(?:</s>|<eos>|<end_of_turn>|\[/[A-Z_]+\])+)(?=\s*\Z)"
)
"""The token of a chat template that ends a text."""
# Short words only: a word of megabytes is none, and would be slow to match.
_WORD = lazy_pattern(r"(?=.{1,39}\Z)[\"'`(*_]*[A-Za-z][A-Za-z'’-]*[\"'`)*_]*[.,:;!?]*$")


def fence_of(line: str) -> str:
    """Return the run of ` or ~ that a fence line begins with, or "" for any other line.

    >>> fence_of("```diff"), fence_of("~~~~"), fence_of(" ```"), fence_of("``` a ` b")
    ('```', '~~~~', '', '')
    """
    return matched(FENCE, line)


def closes(line: str, opened: str) -> bool:
    """Return whether this line closes the fence that `opened` began.

    The same character, at least as many, nothing more.
    """
    run = line.rstrip()
    if len(run) < len(opened):
        return False
    return run == opened[:1] * len(run)


def tag_of(line: str) -> str:
    """Return the name of the tag that is all of this line ("|" for `<|…|>`), or "".

    >>> tag_of("<tool_call>"), tag_of("</patch>"), tag_of("<|im_end|>"), tag_of("a < b")
    ('tool_call', 'patch', '|', '')
    """
    return matched(_TAG, line)


def is_wrapper(line: str) -> bool:
    """Return whether models put this line around an edit.

    A fence, a tag such as `<tool_call>`, a `*** …` directive.

    An HTML tag such as `<div>` is none: with its marker lost it is still content.
    """
    return _WRAPPER.match(line) is not None


def is_directive(line: str) -> bool:
    """Return whether this line belongs to the `*** Begin Patch` notation."""
    return DIRECTIVE.match(line) is not None


def is_prose(line: str) -> bool:
    """Return whether this line reads as a sentence (or a heading, or an item of a list) rather than as code.

    >>> is_prose("This makes the code behave as expected."), is_prose("Done!"), is_prose("* Fixed the bug.")
    (True, True, True)
    >>> is_prose('#include "tmux.h"'), is_prose("import a.b.c;"), is_prose("}"), is_prose("return x")
    (False, False, False, False)
    """
    words = line.lstrip("#*->•0123456789.) ").split(maxsplit=40)[:40]
    if not words:
        return False

    plain = list(filter(_WORD.match, words))
    if len(plain) * 4 < len(words) * 3:
        return False

    finished = words[-1].rstrip("\"'`)*_").endswith((".", "!", "?", ":"))
    if words[0].lstrip("\"'`(*_")[:1].isupper():
        return finished or len(words) >= 3
    return finished and len(words) >= 4
