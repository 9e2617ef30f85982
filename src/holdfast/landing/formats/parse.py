"""A model's reply, in whatever notation, as requests for files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.formats.begin_patch import BEGIN, read_patch
from holdfast.landing.formats.detect import opens_block, opens_notation
from holdfast.landing.formats.diff_scanner import FileSection, malformed
from holdfast.landing.formats.hunks import Malformed, fault_as_value, text_of
from holdfast.landing.formats.json_edits import read_json
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.search_replace import EXAMPLE as BLOCK_EXAMPLE
from holdfast.landing.formats.search_replace import read_blocks
from holdfast.landing.formats.surrounding_text import END_TOKEN, is_directive
from holdfast.landing.formats.unified import read_shares
from holdfast.landing.text.lines import split_lines
from holdfast.landing.type_check import check_type
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, Patch, WriteFile

if TYPE_CHECKING:
    from collections.abc import Callable

Format: TypeAlias = Literal["auto", "diff", "blocks", "patch", "json"]
"""The notation of a reply; `auto` looks for the first line that opens one."""

_UNKNOWN = (
    "there is no edit here that begins a line: no diff, no SEARCH/REPLACE block, no `*** Begin Patch`, no JSON;"
    " write each edit so:"
)


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
    text = _END_TOKEN.sub("", text.removeprefix("\ufeff"))
    notation: Format | None = format
    if format == "auto":
        notation = _detect(text)
    if notation not in _READERS:
        return Refused("malformed", f"{_UNKNOWN}\n{BLOCK_EXAMPLE}")

    read = _READERS[notation](text, unwrap)
    if isinstance(read, Malformed):
        return Refused("malformed", read.message)
    return read


_END_TOKEN = lazy_pattern(rf"(?<=\n)(?:{END_TOKEN.pattern})")
"""The token of a chat template on the last line: no line of an edit begins so."""


# ----------------------------------------------------------------------------------- which notation


def _detect(text: str) -> Format | None:
    """Return the notation whose opening line comes first: all that follows may be content of it."""
    lines, _ = split_lines(text)
    # Its lines may be indented.
    if text.lstrip().startswith(BEGIN):
        return "patch"
    for i, line in enumerate(lines):
        if not opens_notation(lines, i):
            continue
        if is_directive(line):
            return "patch"
        if opens_block(line):
            return "blocks"
        return "diff"

    if _JSON_OPENING.search(text):
        return "json"
    return None


_JSON_OPENING = lazy_pattern(r"^[ \t]*[{\[]", re.MULTILINE)


# -------------------------------------------------------------------------------------- from a diff


@fault_as_value
def _read_diff(text: str, unwrap: bool) -> tuple[FileRequest, ...] | Malformed:  # noqa: FBT001 - as `parse`
    shares = read_shares(text, unwrap=unwrap)
    if isinstance(shares, Malformed):
        return shares
    return tuple(map(_request, shares))


def _request(share: FileSection) -> FileRequest:
    old, new = share.diff.old_path, share.diff.new_path
    if "" in {old, new}:
        raise malformed("the diff names no file; write its path into the --- and +++ lines:")
    if old is None:
        return _create(str(new), share)
    if new is None:
        return _delete(old, share)

    patch = _patch(share)
    # A backup beside the file, as in `diff -u a.py.orig a.py`, is the same file.
    if not re.fullmatch(re.escape(new) + _BACKUP, old):
        if share.diff.rename:
            return FileRequest(old, "rename", patch, new)
        raise malformed(
            f"--- {shorten(old)} and +++ {shorten(new)} must name one file, unless the lines"
            " `rename from` and `rename to` name two:"
        )
    if patch is None:
        raise malformed(f"{new} is renamed to itself; leave these lines out, or show a change:")
    return FileRequest(new, "edit", patch)


_BACKUP = r"(?:\.orig|\.old|\.bak|~)?"


def _create(path: str, share: FileSection) -> FileRequest:
    lines = share.diff.lines
    # An empty line among added ones is an empty line that lost its `+`.
    foreign = {(line.mark, line.text) for line in lines if line.mark != "+"}
    has_others = not foreign <= {(" ", "")}
    if has_others or len(share.diff.hunks) > 1:
        raise malformed(f"{path}: a new file has one hunk, and all of its lines begin with +:")

    return FileRequest(path, "create", WriteFile(text_of(lines, share.newline)))


def _delete(path: str, share: FileSection) -> FileRequest:
    if any(line.mark == "+" for line in share.diff.lines):
        raise malformed(
            f"{path}: a deleted file has no + lines; write /dev/null only where the whole file goes:"
        )
    return FileRequest(path, "delete", _patch(share))


def _patch(share: FileSection) -> Patch | None:
    """Return the hunks of the share, or None where it has none."""
    if not share.diff.hunks:
        return None
    return Patch(share.text)


_READERS: dict[Format | None, Callable[[str, bool], tuple[FileRequest, ...] | Malformed]] = {
    "diff": _read_diff,
    "blocks": lambda text, _: read_blocks(text),
    "patch": lambda text, unwrap: read_patch(text, unwrap=unwrap),
    "json": lambda text, unwrap: read_json(text, unwrap=unwrap),
}
