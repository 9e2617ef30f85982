"""Match a tool's name as a model wrote it: exact, cleaned, other spelling, other agents' names."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from holdfast.landing.formats.field_names import spell
from holdfast.loop.parse_reply.aliases import ALIASES, EDITORS
from holdfast.syntax.spans import skip
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.vocab.tool_calls import ToolSpec

_LONGEST: Final = 64
"""The longest name that servers accept."""

# `manage_cart<|channel|>commentary`, `read_file</function>`, `search[ARGS]`: cut after the name.
# Other words and `<arg_key>` are arguments inside the name, which would be lost.
_TAIL = lazy_pattern(
    r"(?:<(?!arg_key)|[\[({`\"':=,]|\s+(?:json|code)\b|\s*\Z|\s+[<`(\[{]|\.call\Z).*", re.DOTALL
)
_HEAD = lazy_pattern(
    r"(?:\s|[`\"'*]|<[^<>]{0,40}>|to="
    r"|(?:functions?|tools?|default_api|default|multi_tool_use)[./:](?=\w))*+",
    re.IGNORECASE,
)
# `write\_file`: Markdown's escape.
_ESCAPE = lazy_pattern(r"\\(?=[_.\-])")
_ODD = lazy_pattern(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """The tool that is meant. `note` describes how the name was matched, None for an exact match.

    `takes_verb` means that the field `command` selected the tool.
    """

    spec: ToolSpec
    note: str | None = None
    takes_verb: bool = False


def find_tool(
    name: str, specs: Sequence[ToolSpec], arguments: Mapping[str, Any] | None = None
) -> ToolMatch | None:
    """Return the tool that `name` means, or None. Nothing is guessed.

    `arguments` select the tool where another agent's tool does several things
    (`str_replace_editor` with `command`).
    """
    by_name = {spec.name: spec for spec in specs}
    if name in by_name:
        return ToolMatch(by_name[name])

    for clean in _cleaned(name[:400]):
        takes_verb = False
        spec = by_name.get(clean)
        if spec is None:
            spec = _by_spelling(clean, specs)
        if spec is None:
            target, takes_verb = _alias_of(clean, arguments or {})
            spec = by_name.get(target)
        if spec is not None:
            return ToolMatch(
                spec=spec,
                note=f"`{show_name(name)}` was taken as `{spec.name}`",
                takes_verb=takes_verb,
            )

    return None


def nearest(name: str, specs: Sequence[ToolSpec]) -> tuple[str, ...]:
    """Return the three tools whose names are most similar to `name`, nearest first."""
    cleaned = _cleaned(name[:400]) or [name]
    spelling = spell(cleaned[0][:_LONGEST])
    likeness: dict[str, float] = {}
    for spec in specs:
        matcher = SequenceMatcher(None, spelling, spell(spec.name))
        likeness[spec.name] = matcher.ratio()

    ranked = sorted(likeness, key=lambda known: (-likeness[known], known))
    return tuple(ranked[:3])


def show_name(name: str) -> str:
    """Return a name that every server accepts, as similar as possible to the written one.

    >>> show_name("<|constrain|>json")
    'constrain_json'
    """
    unescaped = _ESCAPE.sub("", name[:400])
    clean = _ODD.sub("_", unescaped).strip("_")
    return clean[:_LONGEST].strip("_") or "unknown"


def _cleaned(name: str) -> list[str]:
    """Return the name without prefix and suffix, and its half if it is written twice.

    >>> _cleaned("functions.read_file:0")
    ['read_file']
    >>> _cleaned("searchsearch")
    ['searchsearch', 'search']
    """
    start = skip(_HEAD, name, 0)
    bare = _ESCAPE.sub("", _TAIL.sub("", name[start:]))
    if not bare:
        return []

    half = len(bare) // 2
    if bare[:half] == bare[half:]:
        return [bare, bare[:half]]

    return [bare]


def _by_spelling(name: str, specs: Sequence[ToolSpec]) -> ToolSpec | None:
    spellings = [spell(spec.name) for spec in specs]
    spelling = spell(name)
    if spellings.count(spelling) != 1:
        return None
    return specs[spellings.index(spelling)]


def _alias_of(name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    """Return our name for another agent's tool, or "", and whether the field `command` chose it."""
    spelling = spell(name)
    verbs = EDITORS.get(spelling)
    if verbs is None:
        return ALIASES.get(spelling, ""), False

    verb = arguments.get("command")
    if not isinstance(verb, str):
        return "", True

    return verbs.get(verb.strip(), ""), True
