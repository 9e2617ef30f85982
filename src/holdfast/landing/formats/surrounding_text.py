"""Lines that are no part of a notation: fences, tags and prose around it."""

from __future__ import annotations

import re

_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,}(?=.*$))")
_TAG = re.compile(r"</?([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?/?>\s*$|<\|[^<>]*\|>\s*$")
_WRAPPER_NAME = re.compile(
    r"\||(?:antml:)?(?:tool(?:_\w*)?|function(?:_\w*)?|invoke|parameter|apply_\w*|(?:unified_)?diff|patch|edit|answer"
    r"|think(?:ing)?)$",
    re.IGNORECASE,
)
WRAPPER_LETTERS = frozenset("<`~*")
"""What a wrapper's line can begin with."""

_DIRECTIVE = re.compile(r"\*\*\* (?:(?:Begin|End) Patch\s*$|(?:Add|Update|Delete) File:|Move to:)")
_WORD = re.compile(r"[\"'`(*_]*[A-Za-z][A-Za-z'’-]*[\"'`)*_]*[.,:;!?]*$")


def fence_of(line: str) -> str:
    """Return the run of ` or ~ that a fence line begins with, or "" for any other line.

    >>> fence_of("```diff"), fence_of("~~~~"), fence_of(" ```"), fence_of("``` a ` b")
    ('```', '~~~~', '', '')
    """
    if not line.startswith(("```", "~~~")):
        return ""

    found = _FENCE.match(line)
    if not found:
        return ""
    return found.group()


def closes(line: str, opened: str) -> bool:
    """Return whether this line closes the fence that `opened` began.

    The same character, at least as many, nothing more.
    """
    run = line.rstrip()
    return len(run) >= len(opened) and run == opened[:1] * len(run)


def tag_of(line: str) -> str:
    """Return the name of the tag that is all of this line ("|" for `<|…|>`), or "".

    >>> tag_of("<tool_call>"), tag_of("</patch>"), tag_of("<|im_end|>"), tag_of("a < b")
    ('tool_call', 'patch', '|', '')
    """
    if not line.startswith("<"):
        return ""

    found = _TAG.match(line)
    if not found:
        return ""
    return found[1] or "|"


def is_wrapper(line: str) -> bool:
    """Return whether models put this line around an edit.

    A fence, a tag such as `<tool_call>`, a `*** …` directive.

    An HTML tag such as `<div>` is none: with its marker lost it is still content.
    """
    if line[:1] not in WRAPPER_LETTERS:
        return False
    return bool(fence_of(line)) or is_directive(line) or is_wrapper_tag(line)


def is_wrapper_tag(line: str) -> bool:
    """Return whether this line is a tag that models put around an edit."""
    return _WRAPPER_NAME.match(tag_of(line)) is not None


def is_directive(line: str) -> bool:
    """Return whether this line belongs to the `*** Begin Patch` notation."""
    return line.startswith("*** ") and _DIRECTIVE.match(line) is not None


def opens_edit(line: str) -> bool:
    """Return whether an edit in the `*** Begin Patch` notation begins at this line: at any directive but the last."""
    return is_directive(line) and not line.startswith(_END)


_END = "*** End Patch"


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

    # Short words only: a word of megabytes is none, and would be slow to match.
    plain = [word for word in words if len(word) < 40 and _WORD.match(word)]
    if len(plain) * 4 < len(words) * 3:
        return False

    finished = words[-1].rstrip("\"'`)*_").endswith((".", "!", "?", ":"))
    if words[0].lstrip("\"'`(*_")[:1].isupper():
        return finished or len(words) >= 3
    return finished and len(words) >= 4
