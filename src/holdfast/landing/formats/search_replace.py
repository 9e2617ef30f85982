"""SEARCH/REPLACE blocks, with whatever a model writes around them."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from holdfast.landing.formats.detect import (
    BLOCK_OPENER,
    LONGEST_MARKER,
    may_be_edit,
    opens_block,
)
from holdfast.landing.formats.hunks import MalformedError, fault_as_value, malformed_like
from holdfast.landing.formats.paths import shorten, tidy_path
from holdfast.landing.formats.surrounding_text import fence_of
from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import numbers_matching, split_lines, text_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.requests import FileRequest, OneOf, Replace, WriteFile

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLE = """\
src/file.py
<<<<<<< SEARCH
the old lines
=======
the new lines
>>>>>>> REPLACE"""

malformed = partial(malformed_like, EXAMPLE)

# Some models close a block by the word that they opened it with.
_CLOSER = re.compile(r"(>{3,}|\+{5,9}) ?(?i:replace|updated|search|original)\s*$")
_USUAL_LENGTHS = range(5, 10)
"""The markers of one block may differ within these; others are all of one length."""

_START_LINE = re.compile(r":start_line:\s*([0-9]{1,9})\s*$")
_END_LINE = re.compile(r":end_line:\s*[0-9]+\s*$")
_DASHES = re.compile(r"-{5,9}\s*$")
_MOST_READINGS = 64
_MOST_TEXT = 16_000_000
"""Each reading of a block contains all of its text."""


@fault_as_value
def read_blocks(text: str) -> tuple[FileRequest, ...]:
    r"""Return one request for each block, or an error that says how to write it.

    Prose and fences are normal here.

    >>> read_blocks("a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n")  # doctest: +ELLIPSIS
    (FileRequest(path='a.py', action='edit', request=Replace(old='x\n', new='y\n', ...), to=None),)
    """
    lines, _ = split_lines(text.removeprefix("\ufeff"))
    requests: list[FileRequest] = []
    path = ""
    at = 0
    for opener, line in enumerate(lines):
        if opener < at or not opens_block(line.lstrip(" \t")):
            continue
        block = _read_block(lines, opener)
        _check_between(lines, at, opener)
        path = (
            block.path or _path_above(lines, at, opener) or path or _name_above(lines, at, opener)
        )
        requests.append(_request(path, block, opener + 1))
        path = requests[-1].path
        at = block.end

    if not requests:
        raise malformed("there is no line `<<<<<<< SEARCH`; write each edit so:")

    _check_between(lines, at, len(lines))
    return tuple(requests)


# ---------------------------------------------------------------------------------------- the block


@dataclass(frozen=True, slots=True)
class _Block:
    """One block: the lines between its markers, and where among them a divider is."""

    lines: Sequence[str]
    dividers: tuple[int, ...]
    end: int
    """The index below the closing marker."""
    path: str = ""
    near_line: int | None = None


def _read_block(lines: Sequence[str], opener: int) -> _Block:
    marker = lines[opener].lstrip(" \t")
    indent = lines[opener].removesuffix(marker)
    length = _marker_length(marker, BLOCK_OPENER)
    behind = BLOCK_OPENER.sub("", marker[:LONGEST_MARKER], count=1).strip()
    path = _path_on(behind)
    if behind and not path:
        raise malformed(
            f'"{shorten(behind, 40)}" is no path; put the path on the line above SEARCH:',
            opener + 1,
        )

    below = _below(lines, opener)
    closer = _closer(lines, below, indent, length)
    if closer is None:
        raise malformed("this block is not closed; end it with `>>>>>>> REPLACE`:", opener + 1)

    start, near_line = _start_line(lines, below)
    body = lines[start:closer]
    dividers = _dividers(body, indent, length)
    if not dividers:
        raise malformed(
            "this block has no line `=======` between the old and the new lines:", opener + 1
        )

    return _Block(body, dividers, _below(lines, closer), path, near_line)


def _below(lines: Sequence[str], marker: int) -> int:
    """Return the index below a marker, which may be written twice."""
    below = marker + 1
    while lines[below : below + 1] == [lines[marker]]:
        below += 1
    return below


def _closer(lines: Sequence[str], at: int, indent: str, length: int) -> int | None:
    """Return the index of the closing marker; None if another block begins before it.

    All markers of a block are indented alike. Shorter markers inside are content, as long as they are whole blocks: a page that explains this
    notation is edited with longer ones.
    """
    inside = 0
    for i in range(at, len(lines)):
        if not lines[i].startswith(indent):
            continue
        line = lines[i][len(indent) :]
        if not line.startswith(("<<<", "-----", ">>>", "+++++")):
            continue
        opened, closed = _marker_length(line, BLOCK_OPENER), _marker_length(line, _CLOSER)
        is_usual = {length, closed}.issubset(_USUAL_LENGTHS)
        if not inside and (closed == length or is_usual):
            return i
        if max(opened, closed) >= length:
            return None
        inside = max(0, inside + (opened > 0) - (closed > 0))

    return None


def _marker_length(line: str, marker: re.Pattern[str]) -> int:
    return len(matched(marker, line[:LONGEST_MARKER]))


def _start_line(lines: Sequence[str], at: int) -> tuple[int, int | None]:
    """Read `:start_line:12` and the dashes below it, which some models are taught to put on top of the old lines."""
    found = _START_LINE.match(lines[at])
    if found is None:
        return at, None

    at += 1
    for pattern in (_END_LINE, _DASHES):
        if pattern.match(lines[at]):
            at += 1

    return at, int(found[1])


def _dividers(body: Sequence[str], indent: str, length: int) -> tuple[int, ...]:
    """Return the indexes of the lines that can be the divider.

    Those as long as the opening marker, if there are any.
    """
    found = _lines_of_marks(body, indent, f"={{{length}}}")
    if length in _USUAL_LENGTHS:
        found = found or _lines_of_marks(body, indent, "={5,9}")
    return tuple(found)


def _lines_of_marks(body: Sequence[str], indent: str, marks: str) -> list[int]:
    return numbers_matching(re.compile(rf"{re.escape(indent)}{marks}\s*"), body)


def _request(path: str, block: _Block, number: int) -> FileRequest:
    if not path:
        raise malformed("this block names no file; put its path on the line above:", number)

    try:
        tidy = tidy_path(path)
    except MalformedError as fault:
        raise malformed(str(fault), number) from fault
    if _cannot_be_split(block):
        raise malformed_like(_LONGER_MARKERS, f"{tidy}: {_SEVERAL_DIVIDERS}", number)

    readings = tuple(_reading(block, divider) for divider in block.dividers)
    if len(readings) > 1:
        return FileRequest(tidy, "edit", OneOf(readings))
    if not readings[0].old:
        return FileRequest(tidy, "create", WriteFile(readings[0].new))

    return FileRequest(tidy, "edit", readings[0])


def _cannot_be_split(block: _Block) -> bool:
    """Return whether there are too many readings, or one of several that makes a new file.

    No file can decide between them.
    """
    count = len(block.dividers)
    if count == 1:
        return False

    size = sum(map(len, block.lines))
    if count > _MOST_READINGS:
        return True
    if count * size > _MOST_TEXT:
        return True
    return not any(block.lines[: block.dividers[0]])


_SEVERAL_DIVIDERS = (
    "the block contains several lines `=======`; write it with longer markers, which those are not:"
)
_LONGER_MARKERS = re.sub(r"([<=>])\1+", r"\g<0>\1\1", EXAMPLE)


def _reading(block: _Block, divider: int) -> Replace:
    return Replace(
        text_of(block.lines[:divider]), text_of(block.lines[divider + 1 :]), block.near_line
    )


# ----------------------------------------------------------------------------------------- the path

_LABEL = re.compile(r"(?:file ?(?:name|path)?|path)\s*[:=]\s*", re.IGNORECASE)
_NUMBERING = re.compile(r"[0-9]{1,3}[.)]\s+")
_REMARK = re.compile(r"\s+\([^()]*\)$")
_PATH = re.compile(
    r"(?=.*[/\\]|.*\.[A-Za-z0-9_+-]+$"
    r"|(?:[A-Z][a-z]*file|README|LICENSE|CHANGELOG|NOTICE|AUTHORS|CODEOWNERS|BUILD|WORKSPACE)$)"
    r"(?:[A-Za-z]:)?[^\s`\"'<>|*?:;,=(){}]+(?<!\.)$"
)
_QUOTED = re.compile(r"`([^`]{1,300})`")
_DECORATION = "#*`> \t-"
_LINES_LOOKED_AT = 3


def _path_above(lines: Sequence[str], start: int, opener: int) -> str:
    """Return the path named nearest above the block, at most three lines of prose away, or "" if none is."""
    looked = 0
    for i in range(opener - 1, start - 1, -1):
        line = lines[i].strip()
        if not line:
            continue
        fence = fence_of(line)
        if fence:
            path = _path_on_fence(line[len(fence) :])
        else:
            path = _path_on(line)
            looked += 1
            if looked == 1:
                path = path or _path_in_sentence(line)
        if path or looked == _LINES_LOOKED_AT:
            return path

    return ""


_NAME = re.compile(r"\w[\w.-]*\Z")


def _name_above(lines: Sequence[str], start: int, opener: int) -> str:
    """Return the one word that is the whole line above the block, asked where nothing that looks like a path is.

    It may be a file without an ending (`gradlew`). If it is not, the file is not found, and that is said.
    """
    for i in range(opener - 1, start - 1, -1):
        line = lines[i].strip()
        if not line or fence_of(line):
            continue
        bare = line.strip(_DECORATION)
        return matched(_NAME, bare)

    return ""


def _path_on_fence(info: str) -> str:
    """Return the path behind a fence: "```python src/a.py", "```python:src/a.py"."""
    word = info[:LONGEST_MARKER].strip().rpartition(" ")[2].rpartition(":")[2]
    if not _PATH.match(word):
        return ""
    return word


def _path_on(line: str) -> str:
    """Return the path that is all of this line, decoration aside.

    >>> _path_on("**src/a.py**"), _path_on("### `a.py`:"), _path_on("File: my docs/a.txt"), _path_on("// src/a.py")
    ('src/a.py', 'a.py', 'my docs/a.txt', 'src/a.py')
    >>> _path_on("Here is the change."), _path_on("Makefile"), _path_on("/etc/hosts")
    ('', 'Makefile', '/etc/hosts')
    """
    if len(line) > LONGEST_MARKER:
        return ""

    bare = line.strip(_DECORATION).removeprefix("// ").rstrip(":").strip("*`\"' \t")
    bare = _REMARK.sub("", _NUMBERING.sub("", bare, count=1)).strip("*`\"' \t")
    path = bare
    labelled = _LABEL.match(bare)
    if labelled:
        bare = bare[labelled.end() :].strip("*`\"' \t")
        path = bare.replace(" ", "_")
    if not _PATH.match(path):
        return ""

    return bare


def _path_in_sentence(line: str) -> str:
    """Return the only path in backticks of a sentence that ends in a colon.

    >>> _path_in_sentence("In `b.py`, change this:"), _path_in_sentence("`a.py` calls it.")
    ('b.py', '')
    """
    if len(line) > LONGEST_MARKER:
        return ""
    if not line.rstrip("*_ ").endswith(":"):
        return ""

    quoted: set[str] = set(filter(_PATH.match, _QUOTED.findall(line)))
    if len(quoted) != 1:
        return ""
    return quoted.pop()


# ------------------------------------------------------------------------------------------- around


def _check_between(lines: Sequence[str], start: int, end: int) -> None:
    """Raise a fault where another notation or a part of an edit that was not read is between the blocks.

    To skip it as prose would land half of the reply.
    """
    for i in filter(partial(may_be_edit, lines), range(start, end)):
        raise malformed(
            f'"{shorten(lines[i], 40)}" is outside of all blocks; write each edit so:', i + 1
        )
