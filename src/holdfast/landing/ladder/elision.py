"""Lines that replace code the model did not repeat: `# ... existing code ...`."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from holdfast.landing.placement import Nowhere, Placement, SeveralPlaces, with_blanks
from holdfast.landing.text.edit_script import EditScript, ScriptEdit, script_of
from holdfast.landing.text.languages import UNKNOWN, FileLanguage
from holdfast.landing.text.line_keys import indent_of, indent_width, key_of
from holdfast.landing.text.line_tokens import defined_name, is_comment, strength, words_of
from holdfast.landing.text.lines import Doc, is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    """Return whether the line can replace lines left out.

    Dots, alone or in a comment, or a comment that says so.

    >>> is_gap("    # ... existing code ..."), is_gap("..."), is_gap("# wait ... then go")
    (True, True, False)
    """
    return _BARE.fullmatch(line) is not None or says_gap(line)


def says_gap(line: str) -> bool:
    """Stricter: the line can be nothing but a gap.

    A bare `...` is code in Python, so it does not count.

    >>> says_gap("// ... rest of the file unchanged"), says_gap("    ..."), says_gap("# the rest stays as is")
    (True, False, True)
    """
    if _SAID.fullmatch(line) or _DOTS_IN_COMMENT.fullmatch(line):
        return True
    return _DOTTED.fullmatch(line) is not None and _WORDS.search(line) is not None


def unpaired_gap(old: Sequence[str], new: Sequence[str]) -> str | None:
    """Return a line of `new` that says "and so on" in place of lines of `old` that vanish, or None.

    A line that `old` has as well is content. A bare `...` is code in Python; it is a gap where it
    replaces more lines than it adds.
    """
    if not any("..." in line or "\u2026" in line or _SAID.fullmatch(line) for line in new):
        return None
    script = script_of(list(old), list(new))
    known = Counter(map(key_of, old))
    spare = len(old) - len(new)
    for edit in script.edits:
        for line in new[edit.n1 : edit.n2]:
            if not says_gap(line) and not (spare > 0 and _BARE.fullmatch(line)):
                continue
            if known[key_of(line)] > 0:
                known[key_of(line)] -= 1
            elif _loses_lines(script, edit):
                return line
    return None


def _loses_lines(script: EditScript, edit: ScriptEdit) -> bool:
    """Return whether the edit removes a line, be it a comment, a bracket or blank, that it does not add again."""
    added = frozenset(map(key_of, script.new[edit.n1 : edit.n2]))
    return any(key_of(line) not in added for line in script.old[edit.o1 : edit.o2])


def gap_at_end(
    old: Sequence[str], new: Sequence[str], language: FileLanguage, least: int = 1
) -> str | None:
    """Return a new comment-like line that ends a block of `new` in which lines of `old` vanish, or None.

    What the line says does not matter. It takes `least` vanished lines, or one that defines a name. A comment above a
    line that stays belongs to that line and is no gap.
    """
    if not any(_is_comment_like(line, language) for line in new):
        return None
    script = script_of(list(old), list(new))
    known, kept = frozenset(map(key_of, old)), frozenset(map(key_of, new))
    for edit in script.edits:
        at = _last_solid(script, edit)
        if at is None or not _is_comment_like(new[at], language) or key_of(new[at]) in known:
            continue
        if _belongs_to_next(script, edit, at):
            continue
        lost = _unaccounted(script, edit, _lost_lines(script, edit, kept))
        for count, line in enumerate(lost, 1):
            if count >= least or defined_name(line) is not None:
                return new[at]
    return None


_BRACKETED = re.compile(
    r"\s*[\[(<{]+[\w\s',.:;\u2026-]*(?:\s|\.{3}|\u2026)[\w\s',.:;\u2026-]*[\])>}]+\s*"
)
_LEADING_DOTS = re.compile(rf"\s*{_DOTS}(?:\s.*)?")
_JSX_COMMENT = re.compile(r"\s*\{/\*.*")
_QUOTES = ('"', "'")


def _is_comment_like(line: str, language: FileLanguage = UNKNOWN) -> bool:
    """Return whether the line is a comment of any language, words in brackets, or begins with dots.

    >>> [_is_comment_like(line) for line in ("// same", "[... unchanged ...]", "... and so on", "f(a, b)")]
    [True, True, True, False]
    """
    if line.lstrip().startswith(_QUOTES):
        return False
    patterns = (_BRACKETED, _LEADING_DOTS, _JSX_COMMENT)
    if is_comment(line) or language.is_comment(line):
        return True
    return any(pattern.fullmatch(line) for pattern in patterns)


def _last_solid(script: EditScript, edit: ScriptEdit) -> int | None:
    """Return the number of the last new line of the edit that has a letter, a digit or dots, or None."""
    for at in range(edit.n2 - 1, edit.n1 - 1, -1):
        if (
            strength(script.new[at])
            or _LEADING_DOTS.fullmatch(script.new[at])
            or is_gap(script.new[at])
        ):
            return at
    return None


def _belongs_to_next(script: EditScript, edit: ScriptEdit, at: int) -> bool:
    """Return whether a line that stays follows the comment at `at` directly and no less indented."""
    following = script.new[edit.n2] if edit.n2 < len(script.new) else ""
    if any(is_blank(line) for line in script.new[at + 1 : edit.n2]):
        return False
    if not strength(following) or following.lstrip().startswith("</"):
        return False
    # A line of a `/** … */` comment is one column deeper than the code below it.
    return len(indent_of(following)) >= len(indent_of(script.new[at])) - 1


_COMMENT_MARKS = "#/*<!->;%{} \t"


def _lost_lines(script: EditScript, edit: ScriptEdit, kept: frozenset[str]) -> Iterator[str]:
    """Yield the lines of code that the edit removes and that are nowhere in the new text, not even commented out."""
    added = script.new[edit.n1 : edit.n2]
    commented = frozenset(key_of(line).strip(_COMMENT_MARKS) for line in added if is_comment(line))
    for line in script.old[edit.o1 : edit.o2]:
        key = key_of(line)
        if key in kept or not strength(line) or is_comment(line):
            continue
        if key.strip(_COMMENT_MARKS) not in commented:
            yield line


def _unaccounted(script: EditScript, edit: ScriptEdit, lost: Iterator[str]) -> Iterator[str]:
    """Yield the lost lines that no added line rewrites.

    None that begins with the same word, or has the same name.
    """
    added = [
        line
        for line in script.new[edit.n1 : edit.n2]
        if strength(line) and not _is_comment_like(line)
    ]
    first_words = Counter(map(_first_word, added))
    names = frozenset(
        word for line in script.new if not _is_comment_like(line) for word in words_of(line)
    )
    for line in lost:
        name, word = defined_name(line), _first_word(line)
        if name is not None and names.isdisjoint(words_of(name)):
            yield line
        elif first_words[word] > 0:
            first_words[word] -= 1
        else:
            yield line


def _first_word(line: str) -> str:
    words = words_of(line)
    return words[0] if words else ""


def find_elided(doc: Doc, script: EditScript) -> Placement | SeveralPlaces | Nowhere | None:
    """Return the place of the old lines with gaps between them; None where there is no gap."""
    gaps = [j for j, line in enumerate(script.old) if is_gap(line)]
    if not gaps or set(gaps) & script.removed:
        return None
    segments = _segments(script.old, gaps)
    if not segments:
        return None
    places = [doc.runs([key_of(script.old[j]) for j in segment]) for segment in segments]
    reachable = _reachable(places, [len(segment) for segment in segments])
    touched = [
        n for n, segment in enumerate(segments) if not script.edits or _is_touched(script, segment)
    ]
    if not all(reachable) or not touched:
        return Nowhere()
    unsure = [n for n in touched if len(reachable[n]) > 1]
    if unsure:
        return SeveralPlaces(tuple(doc.solid[start] for start in reachable[unsure[0]]))
    chosen = _nearest_to(reachable, touched[0])
    if any(
        _leaves_block(doc, one, one + len(segment), other)
        for segment, one, other in zip(segments, chosen, chosen[1:], strict=False)
    ):
        return Nowhere()
    pairs = {
        j: doc.solid[start + n]
        for segment, start in zip(segments, chosen, strict=True)
        for n, j in enumerate(segment)
    }
    return Placement(_blanks_by_segment(doc, script.old, pairs, gaps), "elision")


def _segments(old: Sequence[str], gaps: Sequence[int]) -> list[list[int]]:
    """Return the runs of real lines between the gaps, by line number."""
    segments: list[list[int]] = [[]]
    for j, line in enumerate(old):
        if j in gaps:
            segments.append([])
        elif not is_blank(line):
            segments[-1].append(j)
    return [segment for segment in segments if segment]


def _reachable(places: Sequence[list[int]], sizes: Sequence[int]) -> list[list[int]]:
    """Return for each segment the places from which a whole chain, in order and apart, can be made."""
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
    """Return whether the gap from `stop` to `after` leaves what the lines before it define for another definition."""
    inner = [i for i in range(start, stop) if defined_name(doc.solid_keys[i]) is not None]
    if not inner:
        return False
    depth = indent_width(doc.lines[doc.solid[inner[-1]]])
    return any(
        defined_name(doc.solid_keys[i]) is not None
        and indent_width(doc.lines[doc.solid[i]]) <= depth
        for i in range(stop, after)
    )


def _is_touched(script: EditScript, segment: Sequence[int]) -> bool:
    """Return whether an edit changes the segment or goes beside it."""
    return any(segment[0] <= edit.o2 and edit.o1 <= segment[-1] + 1 for edit in script.edits)


def _nearest_to(reachable: Sequence[list[int]], anchor: int) -> list[int]:
    """Return one place for each segment: the ones nearest to the anchor's, in order."""
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
