"""The edited text, its diff and its spans, from splices of the old one."""

from __future__ import annotations

import itertools
from difflib import SequenceMatcher
from operator import add, attrgetter
from typing import TYPE_CHECKING, TypeAlias

from holdfast.landing.text.edit_script import common_ends, script_of
from holdfast.landing.text.endings import with_endings
from holdfast.landing.text.lines import ENDING, Doc, split_lines, text_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Landed, Rung, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.landing.projection.projection import LineSplice


@dataclass(frozen=True, slots=True)
class Splice:
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


_position = attrgetter("start", "end")


def splice_of(doc: Doc, edit: LineSplice) -> Splice:
    """Return the line splice in characters; a file without a newline at its end stays so, and one with it keeps it."""
    new = text_of(edit.lines)
    start = doc.offset(edit.first)
    end = start + doc.size(edit.first, edit.last)
    if doc.ends_open and edit.last == len(doc.lines):
        new = new.removesuffix("\n")
        if not edit.lines and edit.first > 0:
            start -= len(doc.ends[edit.first - 1])
        if edit.lines and edit.first == edit.last:
            new = f"\n{new}"

    return Splice(start, end, with_endings(doc, start, doc.text[start:end], new))


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Return the text with all splices done; they must not overlap."""
    out: list[str] = []
    at = 0
    for splice in sorted(splices, key=_position):
        out += (text[at : splice.start], splice.new)
        at = splice.end

    out.append(text[at:])
    return "".join(out)


def clashes(splices: Sequence[Splice]) -> list[int]:
    """Return the offsets of those that change the same place (or insert at the same point), two by two."""
    found: list[int] = []
    ordered = sorted(splices, key=_position)
    for one, other in itertools.pairwise(ordered):
        if one.end > other.start or _position(one) == _position(other):
            found += (one.start, other.start)
    return found


def landed(text: str, splices: Sequence[Splice], rung: Rung, similarity: float = 1.0) -> Landed:
    """Return the outcome of doing all splices on `text`."""
    ordered = sorted(splices, key=_position)
    lines = lines_at(text, [splice.start for splice in ordered])
    spans = [
        Span(splice.start, splice.end, line) for splice, line in zip(ordered, lines, strict=True)
    ]
    diff = _diff_of(text, _regions(text, ordered))
    return Landed(apply_splices(text, ordered), diff, rung, similarity, tuple(spans))


def line_splices(text: str, new: str) -> list[Splice]:
    """Return the splices of whole lines that turn `text` into `new`."""
    old_lines = list(map(add, *split_lines(text)))
    new_lines = list(map(add, *split_lines(new)))
    starts = list(itertools.accumulate(map(len, old_lines), initial=0))
    splices = []
    for edit in script_of(old_lines, new_lines).edits:
        changed = "".join(new_lines[edit.n1 : edit.n2])
        splices.append(Splice(starts[edit.o1], starts[edit.o2], changed))

    return splices


def line_at(text: str, offset: int) -> int:
    r"""Return the line (1-based) on which `offset` is.

    >>> line_at("a\r\nb\rc", 5)
    3
    """
    return lines_at(text, [offset])[0]


def lines_at(text: str, offsets: Sequence[int]) -> list[int]:
    """Return the line of each offset; they must ascend.

    One pass over the text, however many there are.
    """
    lines, line, at = [], 1, 0
    for offset in offsets:
        # Between the two characters of a \r\n the line has not ended yet.
        stop = offset - (text[offset - 1 : offset + 1] == "\r\n")
        piece = text[at:stop]
        line += piece.count("\n")
        if "\r" in piece:
            line += piece.count("\r") - piece.count("\r\n")
        at = stop
        lines.append(line)

    return lines


_CONTEXT = 3
_REGION_LIMIT = 3_000


@dataclass(frozen=True, slots=True)
class _Region:
    """The whole lines `text[start:end]` around splices whose contexts meet.

    The first is line `line` (1-based).
    """

    splices: tuple[Splice, ...]
    start: int
    end: int
    line: int


def _diff_of(text: str, regions: Sequence[_Region]) -> str:
    """Return a unified diff (hunks only) of the change.

    It looks at the lines around the splices and no others.
    """
    hunks: list[str] = []
    shift = 0
    for region in regions:
        before = text[region.start : region.end]
        moved = [
            Splice(s.start - region.start, s.end - region.start, s.new) for s in region.splices
        ]
        old, new = _marked(before), _marked(apply_splices(before, moved))
        hunks += _hunks(old, new, region.line, region.line + shift)
        shift += len(new) - len(old)

    return "".join(hunks)


def _regions(text: str, splices: Sequence[Splice]) -> list[_Region]:
    groups: list[tuple[tuple[Splice, ...], int, int]] = []
    for splice in splices:
        start, end = _around(text, splice)
        if groups and groups[-1][2] >= start:
            group, first, _ = groups.pop()
            groups.append(((*group, splice), first, end))
        else:
            groups.append(((splice,), start, end))

    lines = lines_at(text, [start for _, start, _ in groups])
    return [_Region(*group, line) for group, line in zip(groups, lines, strict=True)]


def _around(text: str, splice: Splice) -> tuple[int, int]:
    start = _line_start(text, splice.start)
    for _ in range(_CONTEXT):
        start = _line_start(text, start - 1)

    end = splice.end
    for _ in range(_CONTEXT + 1):
        end = _next_line(text, end)

    return start, end


def _line_start(text: str, at: int) -> int:
    """Return where the line begins on which `at` is; 0 for anything above the text."""
    if at <= 0:
        return 0

    # The \\n of a \\r\\n belongs to the line it ends.
    if text[at - 1 : at + 1] == "\r\n":
        at -= 1

    low = text.rfind("\n", 0, at)
    return max(low, text.rfind("\r", low + 1, at)) + 1


def _next_line(text: str, at: int) -> int:
    ending = ENDING.search(text, at)
    if ending is None:
        return len(text)
    return ending.end()


def _marked(text: str) -> list[str]:
    """Return lines ready for a diff.

    Each keeps its line ending, a missing last newline included.
    """
    lines, ends = split_lines(text)
    return [line + _SHOWN_ENDINGS[end] for line, end in zip(lines, ends, strict=True)]


_SHOWN_ENDINGS = {"\n": "", "\r\n": "\r", "\r": "\r", "": "\n\\ No newline at end of file"}


def _hunks(old: list[str], new: list[str], old_line: int, new_line: int) -> list[str]:
    """Return the hunks between two runs of lines.

    What both begin and end with is cut off first, but for the context.
    """
    head, tail = common_ends(old, new)
    lead, trail = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
    old, new = old[lead : len(old) - trail], new[lead : len(new) - trail]
    out: list[str] = []
    for group in _grouped_opcodes(old, new, head - lead, tail - trail):
        (_, old_first, _, new_first, _), (_, _, old_stop, _, new_stop) = group[0], group[-1]
        ours = _range(old_line + lead + old_first, old_stop - old_first)
        theirs = _range(new_line + lead + new_first, new_stop - new_first)
        out.append(f"@@ -{ours} +{theirs} @@\n")
        for tag, o1, o2, n1, n2 in group:
            if tag == "equal":
                out += (f" {line}\n" for line in old[o1:o2])
                continue
            out += (f"-{line}\n" for line in old[o1:o2])
            out += (f"+{line}\n" for line in new[n1:n2])

    return out


_Opcode: TypeAlias = tuple[str, int, int, int, int]


def _grouped_opcodes(
    old: list[str], new: list[str], head: int, tail: int
) -> Iterable[Sequence[_Opcode]]:
    if len(old) + len(new) <= _REGION_LIMIT:
        return SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT)

    # One block for the whole middle: difflib is quadratic on long texts.
    o, n = len(old) - tail, len(new) - tail
    codes = [
        ("equal", 0, head, 0, head),
        ("replace", head, o, head, n),
        ("equal", o, len(old), n, len(new)),
    ]
    return [codes]


def _range(line: int, size: int) -> str:
    """Return the lines of one side of a hunk as its header has them."""
    if size == 1:
        return f"{line}"
    return f"{line - (size == 0)},{size}"
