"""A diff, share by share: which lines are headers, which are hunks, and which are outside."""

from __future__ import annotations

import re
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

from holdfast.landing.formats.diff_headers import (
    HEADER_LETTERS,
    FileHeader,
    HunkHeader,
    read_file_header,
    read_hunk_header,
    starts_file,
)
from holdfast.landing.formats.hunk_body import Body, read_body
from holdfast.landing.formats.hunks import FileDiff, Hunk, Malformed, malformed_like
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.surrounding_text import fence_of, is_directive, is_wrapper, tag_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXAMPLE = """\
--- a/src/file.py
+++ b/src/file.py
@@ -1,3 +1,3 @@
 a line that stays
-the old line
+the new line
 a line that stays"""


@dataclass(frozen=True, slots=True)
class FileSection:
    """One file's share of a diff, as data and as the lines it was written in."""

    diff: FileDiff
    text: str
    newline: str = "\n"
    """How the file's own lines end, where the diff shows it.

    CRLF in the body, but not in the headers.
    """


malformed = partial(malformed_like, EXAMPLE)


@dataclass(frozen=True, slots=True)
class DiffLines:
    """The lines of a diff, how they end, and the number of the first."""

    lines: list[str]
    ends: list[str]
    first: int = 1
    judge_paths: bool = True

    def part(self, start: int, end: int) -> DiffLines:
        """Return the lines from `start` to `end`, which keep their numbers."""
        return DiffLines(
            self.lines[start:end], self.ends[start:end], self.first + start, self.judge_paths
        )


@dataclass(slots=True)
class _File:
    """One file while it is being read.

    Its header, its hunks, and the ranges of lines they were read from.
    """

    head: FileHeader
    hunks: list[Hunk] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    body_ranges: list[tuple[int, int]] = field(default_factory=list)
    fresh: bool = False
    """`---` and `+++` were the last lines read."""


@dataclass(slots=True)
class Scan:
    """What was read: files, and the lines outside of them (by index)."""

    files: list[_File] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)

    def shares(self, source: DiffLines) -> tuple[FileSection, ...]:
        """Return each file with its own lines."""
        return tuple(_share(source, file) for file in self.files)

    def extent(self) -> tuple[int, int]:
        """Return the index of the first line of the first file, and the one below the last line of the last."""
        return self.files[0].ranges[0][0], self.files[-1].ranges[-1][1]


def read_bare(source: DiffLines) -> tuple[FileSection, ...] | Malformed:
    """Return the shares of a diff that has nothing around it."""
    if next_structure(source.lines, 0) is None:
        return _read_lines_alone(source)

    scan = read_scan(source, strict=True)
    if isinstance(scan, Malformed):
        return scan
    return scan.shares(source)


def next_structure(lines: Sequence[str], at: int) -> int | None:
    """Return the index of the next line that begins a file or a hunk."""
    for i in range(at, len(lines)):
        if lines[i][:1] not in HEADER_LETTERS:
            continue
        if lines[i].startswith("@@") or starts_file(lines, i):
            return i

    return None


def read_scan(source: DiffLines, *, strict: bool = False) -> Scan | Malformed:
    """Return the files and what is outside of them, or the first fault.

    `strict` makes the first stray a fault.
    """
    lines = source.lines
    scan = Scan()
    at = 0
    while at < len(lines):
        take = _part_at(lines, scan, at)
        if take is not None:
            fault, at = take(source, scan, at)
            if fault:
                return fault
        elif _BINARY.match(lines[at]):
            return malformed(
                "a binary patch cannot be applied; send only text files:", source.first + at
            )
        else:
            scan.strays += _solid(lines, at, at + 1)
            at += 1
        if strict and scan.strays:
            return tell_stray(source, scan.strays[0])

    return _check_last(source, scan) or scan


_BINARY = re.compile(r"GIT binary patch|Binary files .* differ\Z")


def _solid(lines: Sequence[str], start: int, end: int) -> list[int]:
    """Return the indexes of the lines that are not blank."""
    return [i for i in range(start, end) if lines[i].strip()]


def _part_at(
    lines: Sequence[str], scan: Scan, at: int
) -> Callable[[DiffLines, Scan, int], tuple[Malformed | None, int]] | None:
    """Return the function that reads the header or the hunk that begins at this line, or None."""
    if not lines[at]:
        return None
    if starts_file(lines, at):
        return _take_header
    if lines[at].startswith("@@") or _is_implicit(lines, scan, at):
        return _take_hunk

    return None


def _take_header(source: DiffLines, scan: Scan, at: int) -> tuple[Malformed | None, int]:
    fault = _check_last(source, scan)
    if fault:
        return fault, at

    head = read_file_header(source.lines, at, judge_paths=source.judge_paths)
    if isinstance(head, Malformed):
        return _fault(source, scan, head.message, at), at

    scan.files.append(_File(head, ranges=[(at, head.end)], fresh=head.named))
    return None, head.end


def _is_implicit(lines: Sequence[str], scan: Scan, at: int) -> bool:
    """Return whether a hunk without `@@` begins here.

    Right below `---` and `+++`, and it changes something.
    """
    if not scan.files or not scan.files[-1].fresh:
        return False
    # Asked once a file: the answer reads all of the file's lines.
    scan.files[-1].fresh = False
    return read_body(lines, at, None).changes


def _take_hunk(source: DiffLines, scan: Scan, at: int) -> tuple[Malformed | None, int]:
    lines = source.lines
    header, body_at = _read_hunk_headers(lines, at)
    if header is None:
        sentence = "a combined diff of a merge cannot be applied; write a plain diff."
        return _fault(source, scan, sentence, at), at

    body = read_body(lines, body_at, header.counts)
    if not body.changes:
        sentence = "this hunk has no line that begins with + or -; show the change:"
        return _fault(source, scan, sentence, at), at

    if _is_cut(source, body, header.counts):
        return _fault(source, scan, _CUT, body.end - 1), at

    if not scan.files:
        scan.files.append(_File(FileHeader(end=at)))

    file = scan.files[-1]
    file.fresh = False
    file.hunks.append(Hunk(body.lines, header.start, header.anchors, header.section, body.at_end))
    file.ranges.append((at, body.end))
    file.body_ranges.append((body_at, body.end))
    scan.strays += _solid(lines, body.end, body.below)
    return None, body.below


_CUT = (
    "the diff stops in the middle of a hunk: the last line has no newline, and the @@ line says that more lines follow. "
    "Send all lines; if none are missing, end the last one with a newline:"
)


def _is_cut(source: DiffLines, body: Body, counts: tuple[int, int] | None) -> bool:
    """Return whether the text stops in a hunk, at an added line without a newline, and lines are missing.

    Counts alone are often wrong, and the last newline is often lost.
    """
    if counts is None or body.end < len(source.lines) or source.ends[-1]:
        return False
    if body.lines[-1].mark != "+":
        return False

    old = sum(line.mark != "+" for line in body.lines)
    new = sum(line.mark != "-" for line in body.lines)
    # Context that is missing is missing on both sides; a hunk that creates a file has none.
    return old < counts[0] and new < counts[1]


@dataclass(frozen=True, slots=True)
class _HunkHeaders:
    """All `@@` lines above one body: models stack anchors, from the outer one to the inner one."""

    start: int | None
    counts: tuple[int, int] | None
    anchors: tuple[str, ...]
    section: str


def _read_hunk_headers(lines: Sequence[str], at: int) -> tuple[_HunkHeaders | None, int]:
    anchors: list[str] = []
    numbered = HunkHeader()
    section = ""
    while at < len(lines) and lines[at].startswith("@@"):
        if lines[at].startswith("@@@"):
            return None, at
        header = read_hunk_header(lines[at])
        if header.start is not None:
            if numbered.start is not None and header != numbered:
                break
            numbered = header
        if header.anchor:
            anchors.append(header.anchor)
        section = header.section or section
        at += 1

    return _HunkHeaders(numbered.start, numbered.counts, tuple(anchors), section), at


def _check_last(source: DiffLines, scan: Scan) -> Malformed | None:
    """Return what the last file lacks.

    One without a hunk is fine only if it is renamed, created or deleted empty.
    """
    if not scan.files:
        return None

    file = scan.files[-1]
    head = file.head
    if file.hunks or head.rename:
        return None
    if not head.named and None in {head.old, head.new}:
        return None

    sentence = "this file has no hunk with a + or - line; show the change:"
    return _fault(source, scan, sentence, file.ranges[0][0])


def _fault(source: DiffLines, scan: Scan, sentence: str, at: int) -> Malformed:
    # What is outside explains the rest: a fence, say, that hides the first hunk.
    if scan.strays and is_wrapper(source.lines[scan.strays[0]]):
        return tell_stray(source, scan.strays[0])
    return malformed(sentence, source.first + at)


def _read_lines_alone(source: DiffLines) -> tuple[FileSection, ...] | Malformed:
    """Read a hunk that has neither `@@` nor a file's name; then every line must have its marker."""
    lines = source.lines
    for i, line in enumerate(lines):
        if is_wrapper(line):
            return tell_stray(source, i)

    if not any(line.startswith(("+", "-")) for line in lines):
        return malformed(_NO_DIFF)

    body = read_body(lines, 0, None)
    if any(line.mark == "?" for line in body.lines) or any(lines[body.end :]):
        return malformed(_NO_DIFF)

    whole = [(0, body.end)]
    file = _File(FileHeader(), [Hunk(body.lines, at_end=body.at_end)], whole, whole)
    return (_share(source, file),)


_NO_DIFF = (
    "this is no unified diff: it has no @@ line, or no line that begins with + or -; write it so:"
)


def _share(source: DiffLines, file: _File) -> FileSection:
    lines: list[str] = []
    for start, end in file.ranges:
        lines += source.lines[start:end]

    diff = FileDiff(file.head.old, file.head.new, tuple(file.hunks), rename=file.head.rename)
    return FileSection(diff, "\n".join(lines) + "\n", _newline(source, file))


def _newline(source: DiffLines, file: _File) -> str:
    """Return how the lines of the file end."""
    # As patch(1) has it: where the headers end in CRLF too, the whole diff was converted on its
    # way.
    if not file.head.named or source.ends[file.head.end - 1] != "\n":
        return "\n"

    ends: set[str] = set()
    for start, stop in file.body_ranges:
        ends.update(source.ends[start:stop])
    if ends - {""} == {"\r\n"}:
        return "\r\n"
    return "\n"


def tell_stray(source: DiffLines, at: int) -> Malformed:
    """Return what is outside the hunks at this index."""
    line = source.lines[at]
    shown = shorten(line, 40)
    sentence = (
        f'"{shown}" is outside the hunks; send the diff alone, and begin each line of a hunk with a space,'
        " + or -:"
    )
    if fence_of(line):
        sentence = "a Markdown fence is outside the hunks; send the bare diff, without a fence:"
    elif is_directive(line):
        sentence = f"{shown} belongs to another notation; send a unified diff alone:"
    elif tag_of(line):
        sentence = f"the markup {shown} is outside the hunks; send the bare diff:"

    return malformed(sentence, source.first + at)
