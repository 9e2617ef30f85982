"""The `*** Begin Patch` notation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing.formats.detect import opens_block
from holdfast.landing.formats.hunk_body import END_OF_FILE, is_change
from holdfast.landing.formats.hunks import Malformed
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
    sections = _split(lines, unwrap=unwrap)
    if isinstance(sections, Malformed):
        return sections
    if not sections:
        return malformed(
            "the patch names no file with `*** Update File:`, `*** Add File:` or `*** Delete File:`:"
        )
    requests: list[FileRequest] = []
    for section in sections:
        request = _request(section)
        if isinstance(request, Malformed):
            return request
        requests.append(request)
    return tuple(requests)


def malformed(sentence: str, line: int | None = None) -> Malformed:
    """Return the refusal: where, what, and a patch to imitate."""
    where = "" if line is None else f"line {line}: "
    return Malformed(f"{where}{sentence}\n{EXAMPLE}")


# ------------------------------------------------------------------------------------- the sections


@dataclass(slots=True)
class _Section:
    """One `*** … File:` line and the lines below it."""

    verb: str
    path: str
    number: int
    lines: list[str]


def _split(lines: Sequence[str], *, unwrap: bool) -> list[_Section] | Malformed:
    """Return the sections of the patch.

    A line outside of it is a fault, unless `unwrap` allows it.
    """
    begins = any("*** " in line[:40] and line.strip() == BEGIN for line in lines)
    inside = not begins
    sections: list[_Section] = []
    for i, line in enumerate(lines):
        within = sections[-1] if inside and sections else None
        word = _directive(line, within)
        if word == BEGIN:
            if inside and begins:
                return malformed(
                    "a second `*** Begin Patch` is inside the first; write one patch:", i + 1
                )
            inside = True
        elif not inside:
            if line.strip() and not (unwrap and _is_prose(line, word)):
                return malformed(_TELL_OUTSIDE.format(shorten(line, 40)), i + 1)
        elif word == _END:
            inside = False
        elif word and (opened := _SECTION.match(word)):
            sections.append(_Section(opened[1], opened[2].strip(" \t`\"'"), i + 1, []))
        elif within is not None:
            within.lines.append(line)
        elif line.strip():
            return malformed(_TELL_HEADLESS.format(shorten(line, 40)), i + 1)
    # A reply that was cut short ends like this, and what it did not come to say is not known.
    return malformed(_TELL_UNENDED) if inside and begins else sections


_TELL_OUTSIDE = '"{}" is outside `*** Begin Patch` and `*** End Patch`; send the patch alone:'
_TELL_UNENDED = "the patch does not end with `*** End Patch`, so it may be cut off; send it whole:"
_TELL_HEADLESS = '"{}" is above the first `*** Update File:` line; name the file first:'


def _is_prose(line: str, word: str) -> bool:
    """Return whether a line outside can be dropped: one that looks like an edit may be meant."""
    return not word and not line.startswith("@@") and not is_change(line) and not opens_block(line)


def _directive(line: str, within: _Section | None) -> str:
    """Return the `*** …` line in its plain spelling, or "".

    White space before it is no fault where no body can be.
    """
    if "*** " not in line[:40]:
        return ""
    # Inside an update a leading space makes a line context.
    word = line.rstrip() if within is not None and within.verb == "Update" else line.strip()
    return word if word in {BEGIN, _END} or _SECTION.match(word) else ""


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
    for i, line in enumerate(section.lines):
        # An empty line between added ones is an empty line that lost its `+`.
        if line.strip() and not line.startswith("+"):
            return malformed(
                f"{path}: every line of an added file begins with +; this one does not:",
                section.number + 1 + i,
            )
    text = "".join(line[1:] + "\n" if line.startswith("+") else "\n" for line in section.lines)
    return FileRequest(path, "create", WriteFile(text))


def _delete(path: str, section: _Section) -> FileRequest | Malformed:
    if any(line.strip() for line in section.lines):
        return malformed(
            f"{path}: nothing may follow `*** Delete File:`; remove these lines:",
            section.number,
        )
    return FileRequest(path, "delete")


def _update(path: str, section: _Section) -> FileRequest | Malformed:
    first = next((i for i, line in enumerate(section.lines) if line), len(section.lines))
    lines = section.lines[first:]
    to: str | None = None
    if lines and lines[0].strip().startswith(_MOVE):
        moved = tidy_path(lines.pop(0).strip()[len(_MOVE) :].strip())
        if isinstance(moved, Malformed):
            return malformed(moved.message, section.number + 1)
        to = moved if moved != path else None
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
    return FileRequest(path, "edit" if to is None else "rename", patch, to)


def _patch(lines: list[str]) -> Patch:
    """Return the chunks as a diff that names no file."""
    while lines and not lines[-1]:
        del lines[-1]
    named = len(lines) > 2 and lines[0].startswith("--- ") and lines[1].startswith("+++ ")
    body = lines[2:] if named and lines[2].startswith("@@") else lines
    head = [] if body and body[0].startswith("@@") else ["@@"]
    return Patch("\n".join([*head, *body]) + "\n")


def _sentence_of(read: Malformed) -> str:
    """Return the sentence about the chunks.

    Its line number counts from the wrong line, its example is another's.
    """
    sentence = read.message.split("\n", 1)[0]
    return sentence.split(": ", 1)[1] if sentence.startswith("line ") else sentence
