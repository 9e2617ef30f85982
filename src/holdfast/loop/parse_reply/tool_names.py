"""The name of a tool, as a model wrote it, read on a ladder: exact, cleaned, spelled otherwise, known elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from holdfast.loop.parse_reply.aliases import ALIASES, EDITORS
from holdfast.vocab.tool_calls import ToolSpec

_LONGEST: Final = 64
"""Servers take names of at most so many characters."""

# `manage_cart<|channel|>commentary`, `read_file</function>`, `search[ARGS]`: the name is before it.
_TAIL = re.compile(r"[<\[({`\"'\s:=,].*", re.DOTALL)
_HEAD = re.compile(
    r"(?:\s|[`\"'*]|<[^<>]{0,40}>|to=|(?:functions?|tools?|default_api|default|multi_tool_use)[./:](?=\w))*+",
    re.IGNORECASE,
)
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_SPELLING = re.compile(r"[\s_.\-]+")


@dataclass(frozen=True, slots=True)
class Named:
    """The tool that is meant. `note` says how the name was read, None for one that was exact."""

    spec: ToolSpec
    note: str | None = None
    takes_verb: bool = False


def find_tool(
    name: str, specs: Sequence[ToolSpec], arguments: Mapping[str, Any] | None = None
) -> Named | None:
    """Give the tool that `name` means, or None: there is no guess.

    `arguments` decide for tools of other agents that do several things (`str_replace_editor` with `command`).
    """
    by_name = {spec.name: spec for spec in specs}
    if name in by_name:
        return Named(by_name[name])
    for clean in _cleaned(name[:400]):
        spec = by_name.get(clean) or _by_spelling(clean, specs)
        if spec is not None:
            return Named(spec, f"`{show_name(name)}` was taken as `{spec.name}`")
        target, takes_verb = _alias_of(clean, arguments or {})
        if target in by_name:
            return Named(
                by_name[target], f"`{show_name(name)}` was taken as `{target}`", takes_verb
            )
    return None


def nearest(name: str, specs: Sequence[ToolSpec]) -> tuple[str, ...]:
    """Give the three tools whose names are most like `name`, nearest first."""
    asked = spell(next(iter(_cleaned(name[:400])), name)[:_LONGEST])
    likeness = {spec.name: SequenceMatcher(None, asked, spell(spec.name)).ratio() for spec in specs}
    return tuple(sorted(likeness, key=lambda known: (-likeness[known], known))[:3])


def show_name(name: str) -> str:
    """Give a name that every server takes back, as near to what was written as can be.

    >>> show_name("<|constrain|>json")
    'constrain_json'
    """
    return _ODD.sub("_", name[:400]).strip("_")[:_LONGEST].strip("_") or "unknown"


def spell(name: str) -> str:
    """Give a name without its case, underscores and hyphens."""
    return _SPELLING.sub("", name).casefold()


def _cleaned(name: str) -> list[str]:
    """Give the name without what is not part of it, and half of it if it stands twice.

    >>> _cleaned("functions.read_file:0")
    ['read_file']
    >>> _cleaned("searchsearch")
    ['searchsearch', 'search']
    """
    bare = _TAIL.sub("", name[_HEAD.match(name).end() :])  # type: ignore[union-attr] # it matches nothing, too
    half = len(bare) // 2
    twice = [bare[:half]] if bare and bare[:half] == bare[half:] else []
    return [found for found in (bare, *twice) if found]


def _by_spelling(name: str, specs: Sequence[ToolSpec]) -> ToolSpec | None:
    found = [spec for spec in specs if spell(spec.name) == spell(name)]
    return found[0] if len(found) == 1 else None


def _alias_of(name: str, arguments: Mapping[str, Any]) -> tuple[str | None, bool]:
    verbs = EDITORS.get(spell(name))
    if verbs is None:
        return ALIASES.get(spell(name)), False
    verb = arguments.get("command")
    return verbs.get(verb.strip()) if isinstance(verb, str) else None, True
