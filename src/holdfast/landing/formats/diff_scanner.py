"""A diff, share by share: which lines are headers, which are hunks, and which are outside."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING

from holdfast.landing.formats.diff_headers import (
    FileHeader,
    HunkHeader,
    read_file_header,
    read_hunk_header,
    starts_file,
)
from holdfast.landing.formats.hunk_body import Body, is_change, read_body
from holdfast.landing.formats.hunks import (
    FileDiff,
    Hunk,
    MalformedError,
    counts_of,
    malformed_like,
)
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.surrounding_text import fence_of, is_directive, tag_of
from holdfast.landing.text.lines import text_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

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
    """The lines of a diff, and how they end."""

    lines: list[str]
    ends: list[str]
    judge_paths: bool = True


@dataclass(slots=True)
class _File:
    """One file while it is being read: its header, its hunks, and the lines of both."""

    head: FileHeader
    start: int
    """The index of its first line."""
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


def read_scan(source: DiffLines, *, strict: bool = False) -> Scan:
    """Return the files and what is outside of them, or raise the first fault.

    `strict` makes the first stray a fault.
    """
    lines = source.lines
    scan = Scan()
    at = 0
    while at < len(lines):
        if _UNSUPPORTED.match(lines[at]):
            raise malformed(_NO_TEXT, at + 1)
        if starts_file(lines, at):
            at = _take_header(source, scan, at)
        elif lines[at].startswith("@@") or _is_implicit(lines, scan, at):
            at = _take_hunk(source, scan, at)
        else:
            scan.strays += _solid(lines, at, at + 1)
            at += 1
        if strict and scan.strays:
            raise tell_stray(source, scan.strays[0])

    _check_last(scan)
    if not scan.files:
        raise malformed(_NO_DIFF)
    return scan


_UNSUPPORTED = lazy_pattern(r"GIT binary patch|Binary files .* differ\Z|@@@")
_NO_TEXT = "a binary patch or the combined diff of a merge cannot be applied; send a plain diff of text files:"


def _solid(lines: Sequence[str], start: int, end: int) -> list[int]:
    """Return the indexes of the lines that are not blank."""
    return list(compress(range(start, end), map(str.strip, lines[start:end])))


def _take_header(source: DiffLines, scan: Scan, at: int) -> int:
    _check_last(scan)
    try:
        head = read_file_header(source.lines, at, judge_paths=source.judge_paths)
    except MalformedError as fault:
        raise malformed(str(fault), at + 1) from fault

    scan.files.append(_File(head, at, source.lines[at : head.end]))
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
    header, anchors, body_at = _read_hunk_headers(lines, at)
    body = read_body(lines, body_at, header.counts)
    strays = _solid(lines, body.end, body.below)
    if not body.changes and strays:
        raise tell_stray(source, strays[0])
    if not body.changes:
        sentence = "this hunk has no line that begins with + or -; show the change:"
        raise malformed(sentence, at + 1)
    if _is_cut(source, body, header.counts):
        raise malformed(_CUT, body.end)

    if not scan.files:
        scan.files.append(_File(FileHeader(end=at), at, []))
    file = scan.files[-1]
    # Lines outside of all hunks are above a file, not in it.
    if scan.strays[-1:] > [file.start]:
        raise tell_stray(source, scan.strays[-1])
    hunk = Hunk(body.lines, header.start, anchors, header.section, body.at_end, header.counts)
    file.hunks.append(hunk)
    file.lines += lines[at : body.end]
    file.ends.update(source.ends[body_at : body.end])
    scan.fresh = False
    scan.strays += strays
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
    if source.ends[body.end - 1]:
        return False

    if not body.marks.endswith("+"):
        return False
    old, new = counts_of(body.lines)
    return counts[0] >= old and counts[1] > new


def _read_hunk_headers(lines: Sequence[str], at: int) -> tuple[HunkHeader, tuple[str, ...], int]:
    """Return the numbers and the section of all `@@` lines above one body, their anchors, and the index below.

    Models stack anchors, from the outer one to the inner one.
    """
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

    return replace(numbered, section=section), tuple(filter(None, anchors)), at


def _check_last(scan: Scan) -> None:
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
    raise malformed(sentence, file.start + 1)


_NO_DIFF = (
    "this is no unified diff: it has no @@ line, or no line that begins with + or -; write it so:"
)


def tell_stray(source: DiffLines, at: int) -> MalformedError:
    """Return what is outside the hunks at this index."""
    line = source.lines[at]
    sentence = next(told for is_such, told in _STRAYS if is_such(line))
    return malformed(sentence.format(shorten(line, 40)), at + 1)


_STRAYS: tuple[tuple[Callable[[str], object], str], ...] = (
    (fence_of, "a Markdown fence is outside the hunks; send the bare diff, without a fence:"),
    (is_directive, "{} belongs to another notation; send a unified diff alone:"),
    (tag_of, "the markup {} is outside the hunks; send the bare diff:"),
    (is_change, '"{}" is in no hunk; write a line `@@` above the lines of each hunk:'),
    (
        str,
        '"{}" is outside the hunks; send the diff alone, and begin each line of a hunk with a space, + or -:',
    ),
)
