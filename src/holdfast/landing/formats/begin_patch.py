"""The `*** Begin Patch` notation."""

from __future__ import annotations

import re
from dataclasses import field
from functools import partial
from itertools import dropwhile
from operator import not_
from typing import TYPE_CHECKING

from holdfast.landing.formats.detect import may_be_edit
from holdfast.landing.formats.hunk_body import END_OF_FILE
from holdfast.landing.formats.hunks import (
    Malformed,
    fault_as_value,
    malformed_like,
)
from holdfast.landing.formats.paths import path_at, shorten
from holdfast.landing.formats.unified import read_diff
from holdfast.landing.text.lines import split_lines, text_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
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
_SECTION = lazy_pattern(r"\*\*\* (Add|Update|Delete) File:(.*)", re.DOTALL)
_MOVE = "*** Move to:"


@fault_as_value
def read_patch(text: str, *, unwrap: bool = False) -> tuple[FileRequest, ...]:
    r"""Return one request for each section, or an error that says how to write it.

    `unwrap` accepts what is around the patch: a fence, a heredoc, prose.

    >>> read_patch("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n")
    (FileRequest(path='a.py', action='delete', request=None, to=None),)
    """
    lines, _ = split_lines(text.removeprefix("\ufeff"))
    sections = _split(lines, unwrap=unwrap)
    if not sections:
        raise malformed(
            "the patch names no file with `*** Update File:`, `*** Add File:` or `*** Delete File:`:"
        )

    requests: list[FileRequest] = []
    for section in sections:
        path = path_at(section.path, section.number, malformed)
        requests.append(_REQUESTS[section.verb](path, section))
    return tuple(requests)


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


def _split(lines: Sequence[str], *, unwrap: bool) -> list[_Section]:
    """Return the sections of the patch. A patch that does not end is a fault."""
    begins = BEGIN in map(str.strip, lines)
    inside = not begins
    sections: list[_Section] = []
    for number, line in enumerate(lines, 1):
        word = _word_of(line, sections)
        opened = _SECTION.match(word)
        if not inside:
            inside = word == BEGIN
            if word and not inside:
                _check_outside(line, number, unwrap=unwrap)
        elif word == BEGIN:
            raise malformed(_SECOND_BEGIN, number)
        elif word == _END:
            inside = False
        elif opened:
            sections.append(_Section(opened[1], opened[2].strip(" \t`\"'"), number))
        elif sections:
            sections[-1].lines.append(line)
        elif word:
            raise malformed(_HEADLESS.format(shorten(line, 40)), number)

    # A reply that was cut short ends like this, and what it did not come to say is not known.
    if begins and inside:
        raise malformed(_UNENDED)
    return sections


def _word_of(line: str, sections: Sequence[_Section]) -> str:
    """Return the line as a marker is written; in an update a blank at the beginning makes a line context."""
    if sections and sections[-1].verb == "Update":
        return line.rstrip()
    return line.strip()


def _check_outside(line: str, number: int, *, unwrap: bool) -> None:
    """Raise a fault for a line that is not between `*** Begin Patch` and `*** End Patch`, unless `unwrap` allows it."""
    if unwrap and not may_be_edit([line], 0):
        return
    raise malformed(_OUTSIDE.format(shorten(line, 40)), number)


# ------------------------------------------------------------------------------------- the requests


def _add(path: str, section: _Section) -> FileRequest:
    while section.lines and section.lines[-1].strip() in {"", END_OF_FILE}:
        section.lines.pop()

    text = ""
    for number, line in enumerate(section.lines, section.number + 1):
        if line.startswith("+"):
            text += line[1:]
        elif line.strip():
            raise malformed(
                f"{path}: every line of an added file begins with +; this one does not:", number
            )
        # An empty line between added ones is an empty line that lost its `+`.
        text += "\n"

    return FileRequest(path, "create", WriteFile(text))


def _delete(path: str, section: _Section) -> FileRequest:
    if any(map(str.strip, section.lines)):
        raise malformed(
            f"{path}: nothing may follow `*** Delete File:`; remove these lines:",
            section.number,
        )
    return FileRequest(path, "delete")


def _update(path: str, section: _Section) -> FileRequest:
    lines = list(dropwhile(not_, section.lines))
    to = path
    moved = "".join(lines[:1]).strip()
    if moved.startswith(_MOVE):
        lines.pop(0)
        to = path_at(moved.removeprefix(_MOVE).strip(), section.number + 1, malformed)
    if to == path:
        return FileRequest(path, "edit", _patch(path, section.number, lines))
    if not any(lines):
        return FileRequest(path, "rename", None, to)

    return FileRequest(path, "rename", _patch(path, section.number, lines), to)


_REQUESTS = {"Add": _add, "Delete": _delete, "Update": _update}
_FILE_NAMES = lazy_pattern(r"--- .*\n\+\+\+ .*\n@@")
_LINE_NUMBER = lazy_pattern(r"\Aline [0-9]+: ")


def _patch(path: str, number: int, lines: list[str]) -> Patch:
    """Return the chunks as a diff that names no file."""
    while lines and not lines[-1]:
        lines.pop()
    if _FILE_NAMES.match("\n".join(lines[:3])):
        del lines[:2]
    if not "".join(lines[:1]).startswith("@@"):
        lines.insert(0, "@@")

    diff = text_of(lines)
    read = read_diff(diff)
    if isinstance(read, Malformed):
        # Without the line number and the example, which are of another text.
        sentence = _LINE_NUMBER.sub("", read.message.split("\n", 1)[0])
        raise malformed(f"{path}: {sentence}", number)
    # The first file has no name, as the diff begins with `@@`.
    if len(read) > 1:
        raise malformed(
            f"{path}: lines that begin with --- and +++ belong to another notation:", number
        )
    return Patch(diff)
