"""A model's reply, in whatever notation, as requests for files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.formats.begin_patch import BEGIN, read_patch
from holdfast.landing.formats.detect import opens_block, opens_notation
from holdfast.landing.formats.diff_scanner import FileSection, malformed
from holdfast.landing.formats.hunks import FileDiff, HunkLine, Malformed
from holdfast.landing.formats.json_edits import read_json
from holdfast.landing.formats.paths import shorten
from holdfast.landing.formats.search_replace import EXAMPLE as BLOCK_EXAMPLE
from holdfast.landing.formats.search_replace import read_blocks
from holdfast.landing.formats.surrounding_text import fence_of, is_directive
from holdfast.landing.formats.unified import read_shares
from holdfast.landing.text.lines import split_lines
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, Patch, WriteFile
from holdfast.vocab.type_check import check_type

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    read = _read(text, _detect(text) if format == "auto" else format, unwrap=unwrap)
    return Refused("malformed", read.message) if isinstance(read, Malformed) else read


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
    solid = next((i for i, line in enumerate(lines) if line and not line.isspace()), None)
    if solid is None:
        return None
    if lines[solid].strip() == BEGIN:
        return "patch"
    opening = next((i for i in range(solid, len(lines)) if opens_notation(lines, i)), None)
    if opening is None:
        return "json" if _opens_json(lines, solid) else None
    if is_directive(lines[opening]):
        return "patch"
    return "blocks" if opens_block(lines[opening]) else "diff"


def _opens_json(lines: Sequence[str], solid: int) -> bool:
    if fence_of(lines[solid]):
        solid = next((i for i in range(solid + 1, len(lines)) if lines[i].strip()), solid)
    return lines[solid].lstrip().startswith(("{", "["))


# -------------------------------------------------------------------------------------- from a diff


def _read_diff(text: str, *, unwrap: bool) -> tuple[FileRequest, ...] | Malformed:
    shares = read_shares(text, unwrap=unwrap)
    if isinstance(shares, Malformed):
        return shares
    requests: list[FileRequest] = []
    for share in shares:
        request = _request(share)
        if isinstance(request, Malformed):
            return request
        requests.append(request)
    return tuple(requests)


def _request(share: FileSection) -> FileRequest | Malformed:
    diff = share.diff
    if diff.old_path is None and diff.new_path:
        return _create(diff.new_path, share)
    if diff.new_path is None and diff.old_path:
        return _delete(diff.old_path, share)
    if not diff.old_path or not diff.new_path:
        return malformed("the diff names no file; write its path into the --- and +++ lines:")
    path = _common_path(diff)
    if path is not None:
        return _edit(path, share)
    if not diff.rename:
        return malformed(
            f"--- {shorten(diff.old_path)} and +++ {shorten(diff.new_path)} must name one file, unless the lines"
            " `rename from` and `rename to` name two:"
        )
    return FileRequest(
        diff.old_path, "rename", Patch(share.text) if diff.hunks else None, diff.new_path
    )


def _edit(path: str, share: FileSection) -> FileRequest | Malformed:
    if share.diff.hunks:
        return FileRequest(path, "edit", Patch(share.text))
    return malformed(f"{path} is renamed to itself; leave these lines out, or show a change:")


def _common_path(diff: FileDiff) -> str | None:
    """Return the one path that both sides name.

    A backup beside the file, as `diff -u a.py.orig a.py` has it, is none.
    """
    backups = {f"{diff.new_path}{suffix}" for suffix in ("", ".orig", ".old", ".bak", "~")}
    return diff.new_path if diff.old_path in backups else None


def _create(path: str, share: FileSection) -> FileRequest | Malformed:
    lines = [line for hunk in share.diff.hunks for line in hunk.lines]
    # An empty line among added ones is an empty line that lost its `+`.
    if len(share.diff.hunks) > 1 or any(
        line.mark != "+" and (line.text or line.mark == "-") for line in lines
    ):
        return malformed(f"{path}: a new file has one hunk, and all of its lines begin with +:")
    return FileRequest(path, "create", WriteFile(_text(lines, share.newline)))


def _text(lines: Sequence[HunkLine], newline: str) -> str:
    text = "".join(line.text + newline for line in lines)
    return text.removesuffix(newline) if lines and lines[-1].no_newline else text


def _delete(path: str, share: FileSection) -> FileRequest | Malformed:
    if any(line.mark == "+" for hunk in share.diff.hunks for line in hunk.lines):
        return malformed(
            f"{path}: a deleted file has no + lines; write /dev/null only where the whole file goes:"
        )
    return FileRequest(path, "delete", Patch(share.text) if share.diff.hunks else None)
