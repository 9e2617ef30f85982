"""Lines that stand for code the model did not repeat: `# ... existing code ...`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.landing.keys import indent_of, key_of
from holdfast.landing.lines import Doc, is_blank
from holdfast.landing.placement import Nowhere, Placement, Several, with_blanks
from holdfast.landing.script import Script
from holdfast.landing.tokens import defined_name

_COMMENT = r"(?:#+|//+|/\*+|<!--|--|;+|%+|\{/\*)"
_CLOSE = r"(?:\*+/\}?|-->)?"
_DOTS = r"(?:\.{3,}|\u2026)"
_BARE = re.compile(rf"\s*{_COMMENT}?\s*[\[(]?{_DOTS}[\])]?\s*{_CLOSE}\s*")
_DOTTED = re.compile(rf"\s*{_COMMENT}\s*[\[(]?{_DOTS}.*|\s*{_COMMENT}.*{_DOTS}[\])]?\s*{_CLOSE}\s*")
_DOTS_IN_COMMENT = re.compile(rf"\s*{_COMMENT}\s*[\[(]?{_DOTS}[\])]?\s*{_CLOSE}\s*")
_WORDS = re.compile(
    r"\b(?:existing|unchanged|remain(?:s|ing|der)?|rest|omitted|same as|as before|previous|other|truncated|"
    r"snip(?:ped)?|skip(?:ped)?|elided|more)\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    rf"\s*{_COMMENT}\s*\(?(?:the\s+)?(?:rest|remainder|remaining|existing|previous|other|same)\b.{{0,60}}"
    r"\b(?:unchanged|remains?|same|as before|as is|here|omitted|stays?|continues?|untouched)\b.*",
    re.IGNORECASE,
)


def is_gap(line: str) -> bool:
    """Whether the line can stand for lines left out: dots, alone or in a comment, or a comment that says so.

    >>> is_gap("    # ... existing code ..."), is_gap("..."), is_gap("# wait ... then go")
    (True, True, False)
    """
    return _BARE.fullmatch(line) is not None or says_gap(line)


def says_gap(line: str) -> bool:
    """Stricter: the line can be nothing but a gap. A bare `...` is code in Python, so it does not count.

    >>> says_gap("// ... rest of the file unchanged"), says_gap("    ..."), says_gap("# the rest stays as is")
    (True, False, True)
    """
    if _SAID.fullmatch(line) or _DOTS_IN_COMMENT.fullmatch(line):
        return True
    return _DOTTED.fullmatch(line) is not None and _WORDS.search(line) is not None


def unpaired_gap(old: Sequence[str], new: Sequence[str]) -> str | None:
    """A line of `new` that says "and so on" where `old` does not say it as well; it would reach the file.

    A bare `...` is code in Python; it is a gap where it stands in for more lines than it brings.
    """
    if not any("..." in line or "\u2026" in line or _SAID.fullmatch(line) for line in new):
        return None
    known = [key_of(line) for line in old]
    spare = len(old) - len(new)
    for line in new:
        if says_gap(line) or (spare > 0 and _BARE.fullmatch(line)):
            key = key_of(line)
            if key not in known:
                return line
            known.remove(key)
    return None


def find_elided(doc: Doc, script: Script) -> Placement | Several | Nowhere | None:
    """The place of the old lines with gaps between them; None where there is no gap to speak of."""
    gaps = [j for j, line in enumerate(script.old) if is_gap(line)]
    if not gaps or set(gaps) & script.removed:
        return None
    segments = _segments(script.old, gaps)
    if not segments:
        return None
    places = [doc.runs([key_of(script.old[j]) for j in segment]) for segment in segments]
    reachable = _reachable(places, [len(segment) for segment in segments])
    if not all(reachable):
        return Nowhere()
    touched = [n for n, segment in enumerate(segments) if not script.edits or _is_touched(script, segment)]
    if not touched:
        return Nowhere()
    unsure = [n for n in touched if len(reachable[n]) > 1]
    if unsure:
        return Several(tuple(doc.solid[start] for start in reachable[unsure[0]]))
    chosen = _nearest_to(reachable, touched[0])
    if any(
        _leaves_block(doc, one, one + len(segment), other)
        for segment, one, other in zip(segments, chosen, chosen[1:], strict=False)
    ):
        return Nowhere()
    pairs = {
        j: doc.solid[start + n] for segment, start in zip(segments, chosen, strict=True) for n, j in enumerate(segment)
    }
    return Placement(_blanks_by_segment(doc, script.old, pairs, gaps), "elision")


def _segments(old: Sequence[str], gaps: Sequence[int]) -> list[list[int]]:
    """The runs of real lines between the gaps, by line number."""
    segments: list[list[int]] = [[]]
    for j, line in enumerate(old):
        if j in gaps:
            segments.append([])
        elif not is_blank(line):
            segments[-1].append(j)
    return [segment for segment in segments if segment]


def _reachable(places: Sequence[list[int]], sizes: Sequence[int]) -> list[list[int]]:
    """For each segment the places from which a whole chain, in order and apart, can be made."""
    forward: list[list[int]] = []
    end = 0
    for starts, size in zip(places, sizes, strict=True):
        kept = [start for start in starts if start >= end]
        forward.append(kept)
        end = kept[0] + size if kept else 0
        if not kept:
            return [[] for _ in places]
    limit: int | None = None
    for n in range(len(places) - 1, -1, -1):
        if limit is not None:
            forward[n] = [start for start in forward[n] if start + sizes[n] <= limit]
        if not forward[n]:
            return [[] for _ in places]
        limit = forward[n][-1]
    return forward


def _leaves_block(doc: Doc, start: int, stop: int, after: int) -> bool:
    """Whether the gap from `stop` to `after` leaves what the lines before it define for another definition."""
    inner = [i for i in range(start, stop) if defined_name(doc.solid_keys[i]) is not None]
    if not inner:
        return False
    depth = len(indent_of(doc.lines[doc.solid[inner[-1]]]).expandtabs())
    return any(
        defined_name(doc.solid_keys[i]) is not None and len(indent_of(doc.lines[doc.solid[i]]).expandtabs()) <= depth
        for i in range(stop, after)
    )


def _is_touched(script: Script, segment: Sequence[int]) -> bool:
    """Whether an edit changes the segment or goes beside it."""
    return any(segment[0] <= edit.o2 and edit.o1 <= segment[-1] + 1 for edit in script.edits)


def _nearest_to(reachable: Sequence[list[int]], anchor: int) -> list[int]:
    """One place for each segment: the ones nearest to the anchor's, in order."""
    chosen = [0] * len(reachable)
    chosen[anchor] = reachable[anchor][0]
    for n in range(anchor - 1, -1, -1):
        chosen[n] = max(start for start in reachable[n] if start < chosen[n + 1])
    for n in range(anchor + 1, len(reachable)):
        chosen[n] = min(start for start in reachable[n] if start > chosen[n - 1])
    return chosen


def _blanks_by_segment(
    doc: Doc, old: Sequence[str], pairs: dict[int, int], gaps: Sequence[int]
) -> tuple[int | None, ...]:
    complete = list(with_blanks(doc, old, pairs))
    for gap in gaps:
        complete[gap] = None
    return tuple(complete)
