"""A message without its names: two complaints of one kind have one template, whatever their names are.

What stands in quotes is taken out if it has a letter or a digit in it (a name, a type, a literal), and so are numbers;
a quoted `;` stays, as it is what the message is about. Words that follow a number in their count (`1 argument was`,
`2 arguments were`) become one word for both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

Quotes: TypeAlias = Literal["backtick", "single", "double", "any"]

_BACKTICK = r"`(?P<b>[^`\n]+)`"
# An apostrophe within a word (`can't`) opens nothing, and one before a letter closes nothing.
_SINGLE = r"(?<!\w)'(?P<s>[^\n]+?)'(?!\w)|‘(?P<c>[^’\n]+)’"
_DOUBLE = r'(?<!\w)"(?P<d>[^\n]+?)"(?!\w)|“(?P<e>[^”\n]+)”'
_NUMBER = r"(?P<n>(?<![\w.+#$-])[0-9]+(?:\.[0-9]+)*(?!\w))"
_STYLES: dict[Quotes, re.Pattern[str]] = {
    "backtick": re.compile(f"{_BACKTICK}|{_NUMBER}"),
    "single": re.compile(f"{_SINGLE}|{_NUMBER}"),
    "double": re.compile(f"{_DOUBLE}|{_SINGLE}|{_NUMBER}"),
    "any": re.compile(f"{_BACKTICK}|{_DOUBLE}|{_SINGLE}|{_NUMBER}"),
}
_HAS_NAME = re.compile(r"\w")
# Up to two words may stand between the number and what is counted: `1 positional argument`, `2 generic type arguments`.
_COUNTED = re.compile(
    r"(?P<between> (?:[a-z]+ ){0,2}?)(?P<noun>argument|parameter|element|field|value|item|name|variable|pattern|line"
    r"|byte|bit|character|digit|type|lifetime|variant|expression|operand|member|method|overload|error|warning|time)s?\b"
)
_VERBS = {"were": "was", "are": "is", "have": "has"}
_VERB = re.compile(r"\b(?:were|are|have)\b")
_HOLE = re.compile(r"\{([0-9]{1,4})\}")


def split(
    message: str, quotes: Quotes = "any", unquoted: Sequence[re.Pattern[str]] = ()
) -> tuple[str, tuple[str, ...]]:
    """Give the template of a message and what was taken out, in order.

    `unquoted` are whole messages whose groups are names that this tool does not quote.

    >>> split("Type 'number' is not assignable to type 'Foo<string>'.", "single")
    ('Type {0} is not assignable to type {1}.', ('number', 'Foo<string>'))
    >>> split("expected ';' before '}' token", "single")
    ("expected ';' before '}' token", ())
    >>> split("this function takes 2 arguments but 1 argument was supplied", "backtick")
    ('this function takes {0} argument(s) but {1} argument(s) was supplied', ('2', '1'))
    """
    spans = _unquoted_spans(message, unquoted) or _quoted_spans(message, _STYLES[quotes])
    parts: list[str] = []
    args: list[str] = []
    done = 0
    counted = False
    for begin, end, name in spans:
        parts += [_uncount(message[done:begin], after_number=counted), f"{{{len(args)}}}"]
        args.append(name)
        # A number in quotes is a literal: nothing is counted by it.
        counted = name.isdecimal() and message[begin:end] == name
        done = end
    parts.append(_uncount(message[done:], after_number=counted))
    if any(message[begin:end].isdecimal() for begin, end, _ in spans):
        parts = [_VERB.sub(lambda verb: _VERBS[verb[0]], part) for part in parts]
    return "".join(parts), tuple(args)


def fill(template: str, args: Sequence[str]) -> str:
    """Put the names back: the message as it was, but for its quotes and words that follow a number.

    >>> fill("Type {0} is not {x}.", ("int",))
    'Type int is not {x}.'
    """

    def put(found: re.Match[str]) -> str:
        return args[int(found[1])] if int(found[1]) < len(args) else found[0]

    return _HOLE.sub(put, template)


def _quoted_spans(message: str, style: re.Pattern[str]) -> list[tuple[int, int, str]]:
    found = ((match, match[match.lastgroup or 0]) for match in style.finditer(message))
    return [
        (match.start(), match.end(), inner) for match, inner in found if _HAS_NAME.search(inner)
    ]


def _unquoted_spans(
    message: str, unquoted: Sequence[re.Pattern[str]]
) -> list[tuple[int, int, str]]:
    for pattern in unquoted:
        if match := pattern.fullmatch(message):
            groups = range(1, pattern.groups + 1)
            return [(*match.span(group), match[group]) for group in groups if match[group]]
    return []


def _uncount(text: str, *, after_number: bool) -> str:
    found = _COUNTED.match(text) if after_number else None
    return f"{found['between']}{found['noun']}(s){text[found.end() :]}" if found else text
