"""A pair of lines around others, as models and tools put it around what they send: a fence, a pair of tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.text.lines import solid_numbers
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

FENCE = lazy_pattern(r"\s*(`{3,}|~{3,})[\w+.#-]*\s*")
# Names that tools give to what they carry. Not any tag: `<section>` around a request may be the
# file's own markup.
_CARRIERS = (
    r"(?:antml:)?(?:tool_(?:call|code|use|response|result)s?|function(?:_calls?|_call)?|invoke|parameters?|arguments?|"
    r"(?:old|new)(?:_?(?:str|string|text|code))?|search|replace|patch|diff|edit|apply_patch|file(?:_content)?|content|"
    r"answer|response|final|output|code_block|document)"
)
CARRIER = lazy_pattern(rf"\s*</?{_CARRIERS}(?:[\s=][^<>]*)?>\s*")
CLOSING_TAG = lazy_pattern(rf"</{_CARRIERS}>\s*$")
"""The end of a line that a tag of a tool closes."""
_TAG = lazy_pattern(r"\s*<([A-Za-z_][\w:.-]*)(?:[\s=][^<>]*)?>\s*")
_ON_ONE_LINE = lazy_pattern(rf"\s*<({_CARRIERS})>([^<>]*)</\1>\s*")


@dataclass(frozen=True, slots=True)
class LinePair:
    """The first and the last line that is not blank, and the lines between them."""

    first: str
    tag: str
    """The name of the tag, "" for a fence."""
    inside: list[str]

    @property
    def is_wrapper(self) -> bool:
        """Whether tools and models put it around content: a fence, or tags with such a name."""
        if not self.tag:
            return True
        return CARRIER.match(self.first) is not None


def pair_around(lines: Sequence[str]) -> LinePair | None:
    """Return the fence or the pair of tags around all of the lines, or None.

    >>> pair_around(["```py", "a", "```"]).inside, pair_around(["<new_str></new_str>"]).inside
    (['a'], [])
    """
    outer = solid_numbers(lines)
    if not outer:
        return None
    first, last = lines[outer[0]], lines[outer[-1]].strip()
    inside = list(lines[outer[0] + 1 : outer[-1]])
    if len(outer) == 1:
        single = _ON_ONE_LINE.fullmatch(first)
        if single is None:
            return None
        return LinePair(first, single[1], list(filter(None, [single[2]])))

    fence = FENCE.fullmatch(first)
    if fence is not None and last == fence[1]:
        return LinePair(first, "", inside)
    tag = _TAG.fullmatch(first)
    if tag is not None and last == f"</{tag[1]}>":
        return LinePair(first, tag[1], inside)
    return None
