"""A diff, share by share: which lines are headers, which are hunks, and which are outside."""

from __future__ import annotations

import re
from dataclasses import field
from functools import partial
from itertools import compress
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
from holdfast.landing.formats.hunks import FileDiff, Hunk, MalformedError, malformed_like
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.surrounding_text import fence_of, is_directive, is_wrapper, tag_of
from holdfast.landing.text.lines import text_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
    """One file while it is being read: its header, its hunks, and the lines of both."""

    head: FileHeader
    start: int
    """The index of its first line."""
    end: int
    """The index below its last line."""
    lines: list[str]
    hunks: list[Hunk] = field(default_factory=list)
    ends: set[str] = field(default_factory=set)
    """How the lines of the hunks end."""

    def section(self, source: DiffLines) -> FileSection:
        """Return the file as data and as its own lines."""
        head = self.head
        newline = "\n"
        # As patch(1) has it: where the headers end in CRLF too, the whole diff was converted on its
        # way.
        is_plain = head.named and source.ends[head.end - 1] == "\n"
        if is_plain and self.ends - {""} == {"\r\n"}:
            newline = "\r\n"

        diff = FileDiff(head.old, head.new, tuple(self.hunks), rename=head.rename)
        return FileSection(diff, text_of(self.lines), newline)


@dataclass(slots=True)
class Scan:
    """What was read: files, and the lines outside of them (by index)."""

    files: list[_File] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)
    fresh: bool = False
    """`---` and `+++` were the last lines read."""

    def shares(self, source: DiffLines) -> tuple[FileSection, ...]:
        """Return each file with its own lines."""
        return tuple(file.section(source) for file in self.files)

    def extent(self) -> tuple[int, int]:
        """Return the index of the first line of the first file, and the one below the last line of the last."""
        return self.files[0].start, self.files[-1].end


def read_bare(source: DiffLines) -> tuple[FileSection, ...]:
    """Return the shares of a diff that has nothing around it."""
    if next_structure(source.lines, 0) is None:
        return _read_lines_alone(source)
    return read_scan(source, strict=True).shares(source)


def next_structure(lines: Sequence[str], at: int) -> int | None:
    """Return the index of the next line that begins a file or a hunk."""
    for i in range(at, len(lines)):
        # By the first letter first: there may be millions of lines.
        if lines[i][:1] not in HEADER_LETTERS:
            continue
        if lines[i].startswith("@@") or starts_file(lines, i):
            return i

    return None


def read_scan(source: DiffLines, *, strict: bool = False) -> Scan:
    """Return the files and what is outside of them, or raise the first fault.

    `strict` makes the first stray a fault.
    """
    lines = source.lines
    scan = Scan()
    at = 0
    while at < len(lines):
        if starts_file(lines, at):
            at = _take_header(source, scan, at)
        elif lines[at].startswith("@@") or _is_implicit(lines, scan, at):
            at = _take_hunk(source, scan, at)
        elif _BINARY.match(lines[at]):
            raise malformed(
                "a binary patch cannot be applied; send only text files:", source.first + at
            )
        else:
            scan.strays += _solid(lines, at, at + 1)
            at += 1
        if strict and scan.strays:
            raise tell_stray(source, scan.strays[0])

    _check_last(source, scan)
    return scan


_BINARY = re.compile(r"GIT binary patch|Binary files .* differ\Z")


def _solid(lines: Sequence[str], start: int, end: int) -> Iterable[int]:
    """Return the indexes of the lines that are not blank."""
    return compress(range(start, end), map(str.strip, lines[start:end]))


def _take_header(source: DiffLines, scan: Scan, at: int) -> int:
    _check_last(source, scan)
    try:
        head = read_file_header(source.lines, at, judge_paths=source.judge_paths)
    except MalformedError as fault:
        raise _fault(source, scan, str(fault), at) from fault

    scan.files.append(_File(head, at, head.end, source.lines[at : head.end]))
    scan.fresh = head.named
    return head.end


def _is_implicit(lines: Sequence[str], scan: Scan, at: int) -> bool:
    """Return whether a hunk without `@@` begins here.

    Right below `---` and `+++`, and it changes something.
    """
    if not scan.fresh:
        return False
    if not lines[at]:
        return False
    # Asked once a file: the answer reads all of the file's lines.
    scan.fresh = False
    return read_body(lines, at, None).changes


def _take_hunk(source: DiffLines, scan: Scan, at: int) -> int:
    lines = source.lines
    header, body_at = _read_hunk_headers(lines, at)
    if any(line.startswith("@@@") for line in lines[at:body_at]):
        sentence = "a combined diff of a merge cannot be applied; write a plain diff."
        raise _fault(source, scan, sentence, at)

    body = read_body(lines, body_at, header.counts)
    if not body.changes:
        sentence = "this hunk has no line that begins with + or -; show the change:"
        raise _fault(source, scan, sentence, at)
    if _is_cut(source, body, header.counts):
        raise _fault(source, scan, _CUT, body.end - 1)

    if not scan.files:
        scan.files.append(_File(FileHeader(end=at), at, at, []))
    file = scan.files[-1]
    hunk = Hunk(
        body.lines, header.start, header.anchors, header.section, body.at_end, header.counts
    )
    file.hunks.append(hunk)
    file.lines += lines[at : body.end]
    file.ends.update(source.ends[body_at : body.end])
    file.end = body.end
    scan.fresh = False
    scan.strays += _solid(lines, body.end, body.below)
    return body.below


_CUT = (
    "the diff stops in the middle of a hunk: the last line has no newline, and the @@ line says that more lines follow. "
    "Send all lines; if none are missing, end the last one with a newline:"
)


def _is_cut(source: DiffLines, body: Body, counts: tuple[int, int] | None) -> bool:
    """Return whether the text stops in a hunk, at an added line without a newline, and lines are missing.

    Counts alone are often wrong, and the last newline is often lost.
    """
    if counts is None:
        return False
    if any(source.ends[body.end - 1 :]):
        return False

    old = len(body.marks) - body.marks.count("+")
    new = len(body.marks) - body.marks.count("-")
    missing_old, missing_new = counts[0] - old, counts[1] - new
    if not body.marks.endswith("+"):
        return False
    # Context that is missing is missing on both sides; a hunk that only adds lines at the end of a file may have none.
    if missing_old == 0 and old and "-" not in body.marks:
        return missing_new > _OFTEN_WRONG
    return min(missing_old, missing_new) > 0


_OFTEN_WRONG = 2
"""By so many lines the count of new lines is often wrong where no line is missing."""


@dataclass(frozen=True, slots=True)
class _HunkHeaders:
    """All `@@` lines above one body: models stack anchors, from the outer one to the inner one."""

    start: int | None
    counts: tuple[int, int] | None
    anchors: tuple[str, ...]
    section: str


def _read_hunk_headers(lines: Sequence[str], at: int) -> tuple[_HunkHeaders, int]:
    anchors: list[str] = []
    numbered = HunkHeader()
    section = ""
    while "".join(lines[at : at + 1]).startswith("@@"):
        header = read_hunk_header(lines[at])
        if header.start is not None:
            if numbered not in (HunkHeader(), header):
                break
            numbered = header
        anchors.append(header.anchor)
        section = header.section or section
        at += 1

    stacked = tuple(filter(None, anchors))
    return _HunkHeaders(numbered.start, numbered.counts, stacked, section), at


def _check_last(source: DiffLines, scan: Scan) -> None:
    """Raise the fault of the last file if it lacks a hunk.

    That is fine only if it is renamed, created or deleted empty.
    """
    if not scan.files:
        return

    file = scan.files[-1]
    head = file.head
    is_empty = None in {head.old, head.new} and not head.named
    if file.hunks or head.rename or is_empty:
        return

    sentence = "this file has no hunk with a + or - line; show the change:"
    raise _fault(source, scan, sentence, file.start)


def _fault(source: DiffLines, scan: Scan, sentence: str, at: int) -> MalformedError:
    # What is outside explains the rest: a fence, say, that hides the first hunk.
    for stray in scan.strays[:1]:
        line = source.lines[stray]
        if is_wrapper(line):
            return tell_stray(source, stray)
    return malformed(sentence, source.first + at)


def _read_lines_alone(source: DiffLines) -> tuple[FileSection, ...]:
    """Read a hunk that has neither `@@` nor a file's name; then every line must have its marker."""
    lines = source.lines
    for i, line in enumerate(lines):
        if is_wrapper(line):
            raise tell_stray(source, i)

    body = read_body(lines, 0, None)
    if not body.changes or "?" in body.marks or any(lines[body.end :]):
        raise malformed(_NO_DIFF)

    file = _File(FileHeader(), 0, body.end, lines[: body.end])
    file.hunks.append(Hunk(body.lines, at_end=body.at_end))
    return (file.section(source),)


_NO_DIFF = (
    "this is no unified diff: it has no @@ line, or no line that begins with + or -; write it so:"
)


def tell_stray(source: DiffLines, at: int) -> MalformedError:
    """Return what is outside the hunks at this index."""
    line = source.lines[at]
    sentence = next(told for is_such, told in _STRAYS if is_such(line))
    return malformed(sentence.format(shorten(line, 40)), source.first + at)


_STRAYS: tuple[tuple[Callable[[str], object], str], ...] = (
    (fence_of, "a Markdown fence is outside the hunks; send the bare diff, without a fence:"),
    (is_directive, "{} belongs to another notation; send a unified diff alone:"),
    (tag_of, "the markup {} is outside the hunks; send the bare diff:"),
    (
        str,
        '"{}" is outside the hunks; send the diff alone, and begin each line of a hunk with a space, + or -:',
    ),
)
