"""Message templates: messages of one kind have one template, whatever names they contain.

A quoted part with a letter or a digit (a name, a type, a literal) becomes an argument, and so does
a number. A quoted `;` stays, because the message is about it. Words that depend on a number (`1
argument was`, `2 arguments were`) become one word for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

Quotes: TypeAlias = Literal["backtick", "single", "double", "any"]

_BACKTICK = r"`(?P<b>[^`\n]+)`"
# An apostrophe within a word (`can't`) opens nothing, and one before a letter closes nothing.
_SINGLE = r"(?<!\w)'(?P<s>[^\n]+?)'(?!\w)|‘(?P<c>[^’\n]+)’"
_DOUBLE = r'(?<!\w)"(?P<d>[^\n]+?)"(?!\w)|“(?P<e>[^”\n]+)”'
_NUMBER = r"(?P<n>(?<![\w.+#$-])[0-9]+(?:\.[0-9]+)*(?!\w))"
_STYLES: dict[Quotes, re.Pattern[str]] = {
    "backtick": lazy_pattern(f"{_BACKTICK}|{_NUMBER}"),
    "single": lazy_pattern(f"{_SINGLE}|{_NUMBER}"),
    "double": lazy_pattern(f"{_DOUBLE}|{_SINGLE}|{_NUMBER}"),
    "any": lazy_pattern(f"{_BACKTICK}|{_DOUBLE}|{_SINGLE}|{_NUMBER}"),
}
_HAS_NAME = lazy_pattern(r"\w")
# Up to two words may be between the number and the noun: `1 positional argument`,
# `2 generic type arguments`.
_COUNTED = lazy_pattern(
    r"(?P<between> (?:[a-z]+ ){0,2}?)"
    r"(?P<noun>argument|parameter|element|field|value|item|name|variable|pattern|line|byte|bit"
    r"|character|digit|type|lifetime|variant|expression|operand|member|method|overload|error"
    r"|warning|time)s?\b"
)
_VERBS = {"were": "was", "are": "is", "have": "has"}
_VERB = lazy_pattern(r"\b(?:were|are|have)\b")


_Span: TypeAlias = tuple[int, int, str]
"""The begin and end of an argument in the message, and the argument."""


def split_message(
    message: str, quotes: Quotes = "any", unquoted: Sequence[re.Pattern[str]] = ()
) -> tuple[str, tuple[str, ...]]:
    """Return the template of a message and its arguments, in order.

    `unquoted` are patterns of whole messages whose groups are names that this tool does not quote.

    >>> split_message("Type 'number' is not assignable to type 'Foo<string>'.", "single")
    ('Type {0} is not assignable to type {1}.', ('number', 'Foo<string>'))
    >>> split_message("expected ';' before '}' token", "single")
    ("expected ';' before '}' token", ())
    >>> split_message("this function takes 2 arguments but 1 argument was supplied", "backtick")
    ('this function takes {0} argument(s) but {1} argument(s) was supplied', ('2', '1'))
    """
    spans = _unquoted_spans(message, unquoted) or _quoted_spans(message, _STYLES[quotes])
    parts: list[str] = []
    args: list[str] = []
    done = 0
    after_number = False
    for begin, end, arg in spans:
        parts += [_unify_noun(message[done:begin], after_number=after_number), f"{{{len(args)}}}"]
        args.append(arg)
        # A number in quotes is a literal: it counts nothing.
        after_number = arg.isdecimal() and message[begin:end] == arg
        done = end

    parts.append(_unify_noun(message[done:], after_number=after_number))
    if any(message[begin:end].isdecimal() for begin, end, _ in spans):
        parts = [_VERB.sub(lambda verb: _VERBS[verb[0]], part) for part in parts]

    return "".join(parts), tuple(args)


def _quoted_spans(message: str, style: re.Pattern[str]) -> list[_Span]:
    spans = []
    for match in style.finditer(message):
        inner = match[match.lastgroup or 0]
        if _HAS_NAME.search(inner):
            spans.append((match.start(), match.end(), inner))
    return spans


def _unquoted_spans(message: str, unquoted: Sequence[re.Pattern[str]]) -> list[_Span]:
    for pattern in unquoted:
        match = pattern.fullmatch(message)
        if not match:
            continue
        spans: list[_Span] = []
        for group in range(1, pattern.groups + 1):
            if match[group]:
                begin, end = match.span(group)
                spans.append((begin, end, match[group]))
        return spans

    return []


def _unify_noun(text: str, *, after_number: bool) -> str:
    """Return the text with one form for singular and plural of a counted noun at its start."""
    if not after_number:
        return text
    found = _COUNTED.match(text)
    if not found:
        return text
    return f"{found['between']}{found['noun']}(s){text[found.end() :]}"
