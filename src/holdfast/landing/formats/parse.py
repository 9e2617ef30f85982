"""A model's reply, in whatever notation, as requests for files."""

from __future__ import annotations

from itertools import chain, compress
from typing import Literal, TypeAlias

from holdfast.landing.formats.begin_patch import BEGIN, read_patch
from holdfast.landing.formats.detect import opens_block, opens_notation
from holdfast.landing.formats.diff_scanner import FileSection, malformed
from holdfast.landing.formats.hunks import Malformed, fault_as_value, text_of
from holdfast.landing.formats.indented_reply import without_indentation
from holdfast.landing.formats.json_edits import read_json
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.search_replace import EXAMPLE as BLOCK_EXAMPLE
from holdfast.landing.formats.search_replace import read_blocks
from holdfast.landing.formats.surrounding_text import is_directive
from holdfast.landing.formats.unified import read_shares
from holdfast.landing.text.lines import split_lines
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, Patch, WriteFile
from holdfast.vocab.type_check import check_type

Format: TypeAlias = Literal["auto", "diff", "blocks", "patch", "json"]
"""The notation of a reply; `auto` looks for the first line that opens one."""

_UNKNOWN = "there is no edit here: no diff, no SEARCH/REPLACE block, no `*** Begin Patch`, no JSON; write each edit so:"


def parse(
    text: str,
    format: Format = "auto",  # noqa: A002 - the name of the option
    unwrap: bool = False,  # noqa: FBT001, FBT002 - part of the library's face
) -> tuple[FileRequest, ...] | Refused:
    r"""Return the requests of a model's reply, file by file and in its order, or refuse and show the notation.

    `unwrap` accepts one clean wrapper around a diff, a patch or JSON; around SEARCH/REPLACE blocks prose and fences are
    normal and need no leave.

    >>> parse('{"path": "a.py", "content": "x = 1"}')
    (FileRequest(path='a.py', action='create', request=WriteFile(text='x = 1'), to=None),)
    """
    check_type("parse", "text", text, str)
    if unwrap:
        text = without_indentation(text)
    notation: Format | None = format
    if format == "auto":
        notation = _detect(text)

    read = _read(text, notation, unwrap=unwrap)
    if isinstance(read, Malformed):
        return Refused("malformed", read.message)
    return read


def _read(
    text: str, notation: Format | None, *, unwrap: bool
) -> tuple[FileRequest, ...] | Malformed:
    match notation:
        case "diff":
            return _read_diff(text, unwrap=unwrap)
        case "blocks":
            return read_blocks(text)
        case "patch":
            return read_patch(text, unwrap=unwrap)
        case "json":
            return read_json(text, unwrap=unwrap)
        case _:
            return Malformed(f"{_UNKNOWN}\n{BLOCK_EXAMPLE}")


# ----------------------------------------------------------------------------------- which notation


def _detect(text: str) -> Format | None:
    """Return the notation whose opening line comes first: all that follows may be content of it."""
    lines, _ = split_lines(text.removeprefix("\ufeff"))
    solid = list(compress(range(len(lines)), map(str.strip, lines)))
    if not solid:
        return None
    if lines[solid[0]].strip() == BEGIN:
        return "patch"

    for i in solid:
        if opens_notation(lines, i):
            return _notation_of(lines[i])
        if opens_block(lines[i].lstrip(" \t")):
            return "blocks"

    if any(lines[i].lstrip().startswith(_JSON_OPENINGS) for i in solid):
        return "json"
    return None


_JSON_OPENINGS = ("{", "[", '"{', '"[')


def _notation_of(line: str) -> Format:
    """Return the notation that a line opens which opens one."""
    if is_directive(line):
        return "patch"
    if opens_block(line):
        return "blocks"
    return "diff"


# -------------------------------------------------------------------------------------- from a diff


@fault_as_value
def _read_diff(text: str, *, unwrap: bool) -> tuple[FileRequest, ...] | Malformed:
    shares = read_shares(text, unwrap=unwrap)
    if isinstance(shares, Malformed):
        return shares
    return tuple(map(_request, shares))


def _request(share: FileSection) -> FileRequest:
    diff = share.diff
    if diff.old_path is None and diff.new_path:
        return _create(diff.new_path, share)
    if diff.new_path is None and diff.old_path:
        return _delete(diff.old_path, share)
    if not diff.old_path or not diff.new_path:
        raise malformed("the diff names no file; write its path into the --- and +++ lines:")

    # A backup beside the file, as in `diff -u a.py.orig a.py`, is the same file.
    same = {f"{diff.new_path}{suffix}" for suffix in ("", ".orig", ".old", ".bak", "~")}
    if diff.old_path in same:
        return _edit(diff.new_path, share)
    if not diff.rename:
        raise malformed(
            f"--- {shorten(diff.old_path)} and +++ {shorten(diff.new_path)} must name one file, unless the lines"
            " `rename from` and `rename to` name two:"
        )

    return FileRequest(diff.old_path, "rename", _patch(share), diff.new_path)


def _edit(path: str, share: FileSection) -> FileRequest:
    if share.diff.hunks:
        return FileRequest(path, "edit", Patch(share.text))
    raise malformed(f"{path} is renamed to itself; leave these lines out, or show a change:")


def _create(path: str, share: FileSection) -> FileRequest:
    lines = list(chain.from_iterable(hunk.lines for hunk in share.diff.hunks))
    # An empty line among added ones is an empty line that lost its `+`.
    foreign = {(line.mark, line.text) for line in lines if line.mark != "+"}
    if len(share.diff.hunks) > 1 or not foreign <= {(" ", "")}:
        raise malformed(f"{path}: a new file has one hunk, and all of its lines begin with +:")

    return FileRequest(path, "create", WriteFile(text_of(lines, share.newline)))


def _delete(path: str, share: FileSection) -> FileRequest:
    lines = chain.from_iterable(hunk.lines for hunk in share.diff.hunks)
    if any(line.mark == "+" for line in lines):
        raise malformed(
            f"{path}: a deleted file has no + lines; write /dev/null only where the whole file goes:"
        )
    return FileRequest(path, "delete", _patch(share))


def _patch(share: FileSection) -> Patch | None:
    """Return the hunks of the share, or None where it has none."""
    if not share.diff.hunks:
        return None
    return Patch(share.text)
