"""The scope of a rule in words, for the person who reviews it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.rules.rule import HOLE, TokenRewrite, TreeRewrite

if TYPE_CHECKING:
    from holdfast.rules.rule import Rule

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


def scope_of(rule: Rule) -> str:
    """Return where a rule applies, in one sentence without its full stop."""
    parts = [_place(rule)]
    for number, values in sorted(rule.values.items()):
        parts.append(f"where the message names {_alternatives(values)} ({{{number}}})")
    parts.append(f"in {_LANGUAGES.get(rule.target, rule.target)}")
    return ", ".join(parts)


def _place(rule: Rule) -> str:
    rewrite = rule.rewrite
    if rewrite is None:
        return "any place"
    words = [f"`{rewrite.pattern}`"]
    for name in dict.fromkeys(HOLE.findall(rewrite.pattern)):
        kinds = rewrite.kinds.get(name)
        if name.startswith("ARG"):
            words.append(f"${name} the name in the message")
        elif kinds:
            words.append(f"${name} {_kinds(kinds)}")
        if isinstance(rewrite, TreeRewrite) and name in rewrite.types:
            words.append(f"declared as {_alternatives(rewrite.types[name])}")
    if rewrite.inside and rewrite.inside != ("line",):
        words.append(f"inside {_alternatives(rewrite.inside)}")
    if isinstance(rewrite, TokenRewrite):
        words.append("where the text does not parse")
    return ", ".join(words)


def _kinds(kinds: tuple[str, ...]) -> str:
    return "a " + " or ".join(kind.replace("_", " ") for kind in kinds)


def _alternatives(values: tuple[str, ...]) -> str:
    most = 6
    shown = " or ".join(f"`{value}`" for value in values[:most])
    if len(values) > most:
        return f"{shown} or one of {len(values) - most} more"
    return shown
