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
from holdfast.landing.formats.hunks import fault_as_value, malformed_like
from holdfast.landing.formats.paths import path_at, shorten
from holdfast.landing.formats.surrounding_text import fence_of
from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import numbers_matching, split_lines, text_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
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
_CLOSER = lazy_pattern(r"(>{5,}|\+{5,9}) ?(?i:replace|updated|search|original)\s*$")
# What some models are taught to put on top of the old lines.
_START_LINE = lazy_pattern(
    r":start_line:[ \t]*([0-9]{1,9})[ \t]*\n(?::end_line:[ \t]*[0-9]+[ \t]*\n)?(?:-{5,9}[ \t]*\n)?"
)
_MOST_READINGS = 8


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
        if opener < at or not opens_block(line):
            continue
        block = _read_block(lines, opener)
        _check_between(lines, at, opener)
        path = block.path or _path_above(lines[at:opener]) or path
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
    marker = lines[opener]
    length = _marker_length(marker, BLOCK_OPENER)
    behind = BLOCK_OPENER.sub("", marker[:LONGEST_MARKER], count=1).strip()
    path = _path_on(behind)
    if behind and not path:
        raise malformed(
            f'"{shorten(behind, 40)}" is no path; put the path on the line above SEARCH:',
            opener + 1,
        )

    closer = _closer(lines, opener + 1, length)
    if closer is None:
        raise malformed(_UNCLOSED.format(">" * length), opener + 1)

    start, near_line = opener + 1, None
    found = _START_LINE.match("\n".join(lines[start : start + 4]))
    if found is not None:
        start, near_line = start + found[0].count("\n"), int(found[1])
    body = lines[start:closer]
    # As long as the opening marker: shorter and longer ones are content.
    dividers = numbers_matching(re.compile(rf"={{{length}}}\s*"), body)
    if not dividers:
        raise malformed(_UNDIVIDED.format("=" * length), opener + 1)

    return _Block(body, tuple(dividers), closer + 1, path, near_line)


_UNCLOSED = "this block is not closed; end it with `{} REPLACE`:"
_UNDIVIDED = "this block has no line `{}` between the old and the new lines:"


def _closer(lines: Sequence[str], at: int, length: int) -> int | None:
    """Return the index of the closing marker, which is as long as the opening one; None if another block begins before it.

    Whole blocks with shorter markers are content: a page that explains this notation is edited with longer ones.
    """
    inside = 0
    for i in range(at, len(lines)):
        if not lines[i].startswith(("<<<<<", "-----", ">>>>>", "+++++")):
            continue
        opened, closed = _marker_length(lines[i], BLOCK_OPENER), _marker_length(lines[i], _CLOSER)
        if closed == length and not inside:
            return i
        inside += (opened > 0) - (closed > 0)
        if max(opened, closed) >= length:
            return None
        if inside < 0:
            return None

    return None


def _marker_length(line: str, marker: re.Pattern[str]) -> int:
    return len(matched(marker, line[:LONGEST_MARKER]))


def _request(path: str, block: _Block, number: int) -> FileRequest:
    if not path:
        raise malformed(_NAMELESS, number)

    tidy = path_at(path, number, malformed)
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
    if count > _MOST_READINGS:
        return True
    return not any(block.lines[: block.dividers[0]])


_NAMELESS = "this block names no file; put its path on the line above, such as src/a.py or ./name:"
_SEVERAL_DIVIDERS = (
    "the block contains several lines `=======`; write it with longer markers, which those are not:"
)
_LONGER_MARKERS = re.sub(r"([<=>])\1+", r"\g<0>\1\1", EXAMPLE)


def _reading(block: _Block, divider: int) -> Replace:
    return Replace(
        text_of(block.lines[:divider]), text_of(block.lines[divider + 1 :]), block.near_line
    )


# ----------------------------------------------------------------------------------------- the path

_LABEL = lazy_pattern(r"(?:file ?(?:name|path)?|path)\s*[:=]\s*", re.IGNORECASE)
_NUMBERING = lazy_pattern(r"[0-9]{1,3}[.)]\s+")
_REMARK = lazy_pattern(r"\s+\([^()]*\)$")
_PATH = lazy_pattern(
    r"(?=.*[/\\]|.*\.[A-Za-z0-9_+-]+$"
    r"|(?:[A-Z][a-z]*file|README|LICENSE|CHANGELOG|NOTICE|AUTHORS|CODEOWNERS|BUILD|WORKSPACE)$)"
    r"(?:[A-Za-z]:)?[^\s`\"'<>|*?:;,=(){}]+(?<!\.)$"
)
_QUOTED = lazy_pattern(r"`([^`]{1,300})`")
_DECORATION = "#*`> \t-"
_LINES_LOOKED_AT = 4


def _path_above(lines: Sequence[str]) -> str:
    """Return the path named nearest above a block, at the end of these lines, or "" if none is."""
    above = list(filter(str.strip, lines))[-_LINES_LOOKED_AT:]
    for line in reversed(above):
        path = _path_in(line.strip())
        if path:
            return path

    return ""


def _path_in(line: str) -> str:
    if len(line) > LONGEST_MARKER:
        return ""

    fence = fence_of(line)
    if fence:
        return _path_on_fence(line[len(fence) :])
    return _path_on(line) or _path_in_sentence(line)


def _path_on_fence(info: str) -> str:
    """Return the path behind a fence: "```python src/a.py", "```python:src/a.py"."""
    word = info.strip().rpartition(" ")[2].rpartition(":")[2]
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
