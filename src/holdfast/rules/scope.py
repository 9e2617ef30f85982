"""The scope of a rule in words, for the person who reviews it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.rules.rule import HOLE, HeaderRewrite, TokenRewrite, TreeRewrite
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.rules.rule import Rewrite, Rule

_LANGUAGES: Final = {
    "c": "C",
    "cpp": "C++",
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "rust": "Rust",
    "java": "Java",
    "go": "Go",
}
_CALL: Final = lazy_pattern(r"([\w.:]+)\((?!.*\$\$\$)([^()]*)\)")
"""A call with a known number of arguments."""
_NUMBERS: Final = {0: "no arguments", 1: "one argument", 2: "two arguments", 3: "three arguments"}
_MOST_VALUES: Final = 6


def scope_of(rule: Rule) -> str:
    """Return where a rule applies, in one sentence without its full stop."""
    parts = [_place(rule.rewrite)]
    for number, values in sorted(rule.values.items()):
        parts.append(f"where the message names {_alternatives(values)} ({{{number}}})")

    if rule.uncommented:
        parts.append("where no comment says what is meant")

    parts.append(f"in {_LANGUAGES.get(rule.target, rule.target)}")
    return ", ".join(parts)


def _place(rewrite: Rewrite | None) -> str:
    if rewrite is None:
        return "any place"

    if isinstance(rewrite, HeaderRewrite):
        return _header(rewrite)

    words = [_construct(rewrite.pattern)]
    for name in dict.fromkeys(HOLE.findall(rewrite.pattern)):
        words += _limits(rewrite, name)

    if rewrite.inside and rewrite.inside != ("line",):
        words.append(f"inside {_alternatives(rewrite.inside)}")

    if isinstance(rewrite, TokenRewrite):
        words.append("where the text does not parse")
    elif rewrite.needs:
        words.append(f"if the file has {_alternatives(rewrite.needs)} elsewhere")

    return ", ".join(words)


def _header(rewrite: HeaderRewrite) -> str:
    """Return which function a rule adds words to."""
    which = "that the message names" if rewrite.named else "around"
    words = [f"the header of the {rewrite.pattern} {which}: `{rewrite.fix}` {rewrite.place}"]
    if rewrite.inside:
        words.append(f"inside {_alternatives(rewrite.inside)}")

    return ", ".join(words)


def _construct(pattern: str) -> str:
    call = _CALL.fullmatch(pattern)
    if call is None:
        return f"`{pattern}`"

    arguments = list(filter(str.strip, call[2].split(",")))
    number = _NUMBERS.get(len(arguments), f"{len(arguments)} arguments")
    return f"`{call[1]}` called with {number} `{pattern}`"


def _limits(rewrite: Rewrite, name: str) -> list[str]:
    """Return what a hole may stand for."""
    words = []
    if name.startswith("ARG"):
        words.append(f"${name} the name in the message")
    elif name in rewrite.kinds:
        words.append(f"${name} {_kinds(rewrite.kinds[name])}")

    if not isinstance(rewrite, TreeRewrite):
        return words

    if name in rewrite.uses:
        uses = _alternatives(rewrite.uses[name])
        words.append(f"used afterwards as {uses}" if uses else "not used afterwards")

    if name in rewrite.mentions:
        words.append(
            f"with {_alternatives(tuple(f'${each}' for each in rewrite.mentions[name]))} in it"
        )

    return words


def _kinds(kinds: tuple[str, ...]) -> str:
    text = " or ".join(map(_kind_in_words, kinds))
    article = "an" if text[0] in "aeiou" else "a"
    return f"{article} {text}"


def _kind_in_words(kind: str) -> str:
    """Return a kind in words: `string:empty` is an empty string."""
    base, _, word = kind.replace("_", " ").partition(":")
    if word in {"", "number"}:
        return base

    if base in {"reference", "name"}:
        return word

    return f"{word} {base}"


def _alternatives(values: tuple[str, ...]) -> str:
    shown = " or ".join(f"`{value}`" for value in values[:_MOST_VALUES])
    if len(values) > _MOST_VALUES:
        return f"{shown} or one of {len(values) - _MOST_VALUES} more"

    return shown
