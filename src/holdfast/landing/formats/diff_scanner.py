"""A diff, share by share: which lines are headers, which are hunks, and which are outside."""

from __future__ import annotations

from dataclasses import field
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
from holdfast.landing.formats.hunks import FileDiff, Hunk, Malformed
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


def malformed(sentence: str, line: int | None = None) -> Malformed:
    """Return the refusal: where, what, and a diff to imitate."""
    where = "" if line is None else f"line {line}: "
    return Malformed(f"{where}{sentence}\n{EXAMPLE}")


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
    return scan if isinstance(scan, Malformed) else scan.shares(source)


def next_structure(lines: Sequence[str], at: int) -> int | None:
    """Return the index of the next line that begins a file or a hunk."""
    for i in range(at, len(lines)):
        if lines[i][:1] in HEADER_LETTERS and (lines[i].startswith("@@") or starts_file(lines, i)):
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
        if strict and scan.strays:
            return tell_stray(source, scan.strays[0])
        line = lines[at]
        take = _part_at(lines, scan, at)
        if take is not None:
            fault, at = take(source, scan, at)
            if fault:
                return fault
        elif not line or line.isspace():
            at += 1
        elif _is_binary(line):
            return malformed(
                "a binary patch cannot be applied; send only text files:", source.first + at
            )
        else:
            scan.strays.append(at)
            at += 1
    if strict and scan.strays:
        return tell_stray(source, scan.strays[0])
    return _check_last(source, scan) or scan


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


def _is_binary(line: str) -> bool:
    if line.startswith("GIT binary patch"):
        return True
    return line.startswith("Binary files ") and line.endswith(" differ")


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
        return _fault(
            source, scan, "a combined diff of a merge cannot be applied; write a plain diff.", at
        ), at
    body = read_body(lines, body_at, header.counts)
    if not body.changes:
        return _fault(
            source, scan, "this hunk has no line that begins with + or -; show the change:", at
        ), at
    if not scan.files:
        scan.files.append(_File(FileHeader(end=at)))
    file = scan.files[-1]
    file.fresh = False
    file.hunks.append(_hunk(header, body))
    file.ranges.append((at, body.end))
    file.body_ranges.append((body_at, body.end))
    scan.strays.extend(
        i for i in range(body.end, body.below) if lines[i] and not lines[i].isspace()
    )
    return None, body.below


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
        if header.start is not None and numbered.start is not None:
            break
        numbered = numbered if header.start is None else header
        section = header.section or section
        anchors += [header.anchor] if header.anchor else []
        at += 1
    return _HunkHeaders(numbered.start, numbered.counts, tuple(anchors), section), at


def _hunk(header: _HunkHeaders, body: Body) -> Hunk:
    return Hunk(body.lines, header.start, header.anchors, header.section, body.at_end)


def _check_last(source: DiffLines, scan: Scan) -> Malformed | None:
    """Return what the last file lacks.

    One without a hunk is fine only if it is renamed, created or deleted empty.
    """
    if not scan.files:
        return None
    file = scan.files[-1]
    head = file.head
    if file.hunks or head.rename or (not head.named and (head.old is None or head.new is None)):
        return None
    return _fault(
        source,
        scan,
        "this file has no hunk with a + or - line; show the change:",
        file.ranges[0][0],
    )


def _fault(source: DiffLines, scan: Scan, sentence: str, at: int) -> Malformed:
    # What is outside explains the rest: a fence, say, that hides the first hunk.
    if scan.strays and is_wrapper(source.lines[scan.strays[0]]):
        return tell_stray(source, scan.strays[0])
    return malformed(sentence, source.first + at)


def _read_lines_alone(source: DiffLines) -> tuple[FileSection, ...] | Malformed:
    """Read a hunk that has neither `@@` nor a file's name; then every line must have its marker."""
    lines = source.lines
    wrapper = next((i for i, line in enumerate(lines) if is_wrapper(line)), None)
    if wrapper is not None:
        return tell_stray(source, wrapper)
    changed = any(line.startswith(("+", "-")) for line in lines)
    body = read_body(lines, 0, None) if changed else None
    if body is None or any(line.mark == "?" for line in body.lines) or any(lines[body.end :]):
        return malformed(
            "this is no unified diff: it has no @@ line, or no line that begins with + or -; write it so:"
        )
    file = _File(
        FileHeader(), [Hunk(body.lines, at_end=body.at_end)], [(0, body.end)], [(0, body.end)]
    )
    return (_share(source, file),)


def _share(source: DiffLines, file: _File) -> FileSection:
    texts = [line for start, end in file.ranges for line in source.lines[start:end]]
    diff = FileDiff(file.head.old, file.head.new, tuple(file.hunks), rename=file.head.rename)
    return FileSection(diff, "\n".join(texts) + "\n", _newline(source, file))


def _newline(source: DiffLines, file: _File) -> str:
    # As patch(1) has it: where the headers end in CRLF too, the whole diff was converted on its
    # way.
    head_end = source.ends[file.head.end - 1] if file.head.named else "\r\n"
    body_ends = {end for start, stop in file.body_ranges for end in source.ends[start:stop]} - {""}
    return "\r\n" if head_end == "\n" and body_ends == {"\r\n"} else "\n"


def tell_stray(source: DiffLines, at: int) -> Malformed:
    """Return what is outside the hunks at this index."""
    line = source.lines[at]
    number = source.first + at
    if fence_of(line):
        return malformed(
            "a Markdown fence is outside the hunks; send the bare diff, without a fence:",
            number,
        )
    if is_directive(line):
        return malformed(
            f"{shorten(line, 40)} belongs to another notation; send a unified diff alone:", number
        )
    if tag_of(line):
        return malformed(
            f"the markup {shorten(line, 40)} is outside the hunks; send the bare diff:", number
        )
    return malformed(
        f'"{shorten(line, 40)}" is outside the hunks; send the diff alone, and begin each line of a hunk with a space,'
        " + or -:",
        number,
    )
