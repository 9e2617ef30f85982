"""The `*** Begin Patch` notation."""

from __future__ import annotations

import re
from dataclasses import field
from functools import partial
from itertools import dropwhile
from operator import not_
from typing import TYPE_CHECKING

from holdfast.landing.formats.detect import resembles_edit
from holdfast.landing.formats.hunk_body import END_OF_FILE, is_change
from holdfast.landing.formats.hunks import Malformed, all_or_fault, malformed_like
from holdfast.landing.formats.paths import shorten, tidy_path
from holdfast.landing.formats.unified import read_diff
from holdfast.landing.text.lines import split_lines
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.requests import FileRequest, Patch, WriteFile

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLE = """\
*** Begin Patch
*** Update File: src/file.py
@@ def name
 a line that stays
-the old line
+the new line
*** End Patch"""

malformed = partial(malformed_like, EXAMPLE)

BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File:(.*)", re.DOTALL)
_MOVE = "*** Move to:"


def read_patch(text: str, *, unwrap: bool = False) -> tuple[FileRequest, ...] | Malformed:
    r"""Return one request for each section, or an error that says how to write it.

    `unwrap` accepts what is around the patch: a fence, a heredoc, prose.

    >>> read_patch("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n")
    (FileRequest(path='a.py', action='delete', request=None, to=None),)
    """
    lines, _ = split_lines(text.removeprefix("\ufeff"))
    sections = _split(lines, unwrap=unwrap, is_whole=_ends_in_context(text))
    if isinstance(sections, Malformed):
        return sections
    if not sections:
        return malformed(
            "the patch names no file with `*** Update File:`, `*** Add File:` or `*** Delete File:`:"
        )

    return all_or_fault(map(_request, sections))


# ------------------------------------------------------------------------------------- the sections


@dataclass(slots=True)
class _Section:
    """One `*** … File:` line and the lines below it."""

    verb: str
    path: str
    number: int
    lines: list[str] = field(default_factory=list)


_SECOND_BEGIN = "a second `*** Begin Patch` is inside the first; write one patch:"
_OUTSIDE = '"{}" is outside `*** Begin Patch` and `*** End Patch`; send the patch alone:'
_UNENDED = "the patch does not end with `*** End Patch`, so it may be cut off; send it whole:"
_HEADLESS = '"{}" is above the first `*** Update File:` line; name the file first:'


@dataclass(slots=True)
class _SectionReader:
    """Reads the sections of a patch, line by line."""

    unwrap: bool
    inside: bool
    """The lines read next are between `*** Begin Patch` and `*** End Patch`, or there are no such lines."""
    sections: list[_Section] = field(default_factory=list)

    def read(self, line: str, number: int) -> str:
        """Read a line; return the sentence about what is wrong with it, or ""."""
        if not self.inside:
            return self._read_outside(line)

        word = _directive(line, self.sections[-1:])
        opened = _SECTION.match(word)
        if word == BEGIN and self.sections:
            return _SECOND_BEGIN
        if word == _END:
            self.inside = False
        elif opened:
            self.sections.append(_Section(opened[1], opened[2].strip(" \t`\"'"), number))
        elif word == BEGIN:
            pass  # It was written twice.
        elif self.sections:
            self.sections[-1].lines.append(line)
        elif line.strip():
            return _HEADLESS

        return ""

    def _read_outside(self, line: str) -> str:
        word = _directive(line)
        if word == BEGIN:
            self.inside = True
            return ""
        if not line.strip():
            return ""
        if self.unwrap and not word and _is_prose(line):
            return ""

        return _OUTSIDE


def _split(lines: Sequence[str], *, unwrap: bool, is_whole: bool) -> list[_Section] | Malformed:
    """Return the sections of the patch.

    A line outside of it is a fault, unless `unwrap` allows it. A patch that does not end is one, unless it `is_whole`.
    """
    begins = BEGIN in map(_directive, lines)
    reader = _SectionReader(unwrap, inside=not begins)
    for number, line in enumerate(lines, 1):
        fault = reader.read(line, number)
        if fault:
            return malformed(fault.format(shorten(line, 40)), number)

    # A reply that was cut short ends like this, and what it did not come to say is not known.
    if begins and reader.inside and not is_whole:
        return malformed(_UNENDED)
    return reader.sections


def _ends_in_context(text: str) -> bool:
    """Return whether the last line is whole and is context: the change above it is not cut."""
    last = text.rstrip().rpartition("\n")[2]
    return text.endswith("\n") and last.startswith(" ")


def _is_prose(line: str) -> bool:
    """Return whether a line outside can be dropped: one that looks like an edit may be meant."""
    return not line.startswith("@@") and not is_change(line) and not resembles_edit(line)


def _directive(line: str, within: Sequence[_Section] = ()) -> str:
    """Return the `*** …` line in its plain spelling, or "".

    `within` is the section that the line is in. White space before the line is no fault where no body can be.
    """
    if "*** " not in line[:40]:
        return ""

    word = line.strip()
    if within and within[0].verb == "Update":
        # Inside an update a leading space makes a line context.
        word = line.rstrip()
    if word in {BEGIN, _END} or _SECTION.match(word):
        return word
    return ""


# ------------------------------------------------------------------------------------- the requests


def _request(section: _Section) -> FileRequest | Malformed:
    path = tidy_path(section.path)
    if isinstance(path, Malformed):
        return malformed(path.message, section.number)
    if section.verb == "Add":
        return _add(path, section)
    if section.verb == "Delete":
        return _delete(path, section)

    return _update(path, section)


def _add(path: str, section: _Section) -> FileRequest | Malformed:
    while section.lines and section.lines[-1].strip() in {"", END_OF_FILE}:
        section.lines.pop()

    text = ""
    for number, line in enumerate(section.lines, section.number + 1):
        if line.startswith("+"):
            text += line[1:]
        elif line.strip():
            return malformed(
                f"{path}: every line of an added file begins with +; this one does not:", number
            )
        # An empty line between added ones is an empty line that lost its `+`.
        text += "\n"

    return FileRequest(path, "create", WriteFile(text))


def _delete(path: str, section: _Section) -> FileRequest | Malformed:
    if any(map(str.strip, section.lines)):
        return malformed(
            f"{path}: nothing may follow `*** Delete File:`; remove these lines:",
            section.number,
        )
    return FileRequest(path, "delete")


def _update(path: str, section: _Section) -> FileRequest | Malformed:
    lines = list(dropwhile(not_, section.lines))
    to: str | None = None
    if lines and lines[0].strip().startswith(_MOVE):
        moved = tidy_path(lines.pop(0).strip()[len(_MOVE) :].strip())
        if isinstance(moved, Malformed):
            return malformed(moved.message, section.number + 1)
        if moved != path:
            to = moved

    if to is not None and not any(lines):
        return FileRequest(path, "rename", None, to)

    patch = _patch(lines)
    read = read_diff(patch.diff)
    if isinstance(read, Malformed):
        return malformed(f"{path}: {_sentence_of(read)}", section.number)
    if len(read) != 1 or read[0].old_path or read[0].new_path:
        return malformed(
            f"{path}: lines that begin with --- and +++ belong to another notation:", section.number
        )
    if to is None:
        return FileRequest(path, "edit", patch)

    return FileRequest(path, "rename", patch, to)


_FILE_NAMES = re.compile(r"--- .*\n\+\+\+ .*\n@@")
_LINE_NUMBER = re.compile(r"\Aline [0-9]+: ")


def _patch(lines: list[str]) -> Patch:
    """Return the chunks as a diff that names no file."""
    while lines and not lines[-1]:
        lines.pop()
    if _FILE_NAMES.match("\n".join(lines[:3])):
        lines = lines[2:]
    if not lines or not lines[0].startswith("@@"):
        lines = ["@@", *lines]

    return Patch("\n".join(lines) + "\n")


def _sentence_of(read: Malformed) -> str:
    """Return the sentence about the chunks without its line number and its example, which are of another text."""
    return _LINE_NUMBER.sub("", read.message.split("\n", 1)[0])
