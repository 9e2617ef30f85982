"""The byte order mark: it is in front of a text and is no part of its first line."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from holdfast.vocab.requests import LineEdit, LineEdits, OneOf, Patch, Replace, Request, WriteFile

MARK = "\ufeff"


def without_mark(request: Request) -> Request:
    """Return the request as if its author had not seen a byte order mark.

    A mark inside new text is content, unless the old text has one too.
    """
    match request:
        case Replace():
            return _bare(request)
        case OneOf(readings):
            return OneOf(tuple(map(_bare, readings)))
        case LineEdits(edits, shown):
            return LineEdits(
                tuple(map(_bare_edit, edits)),
                shown.removeprefix(MARK) if shown is not None else None,
            )
        case WriteFile(text):
            return WriteFile(text.removeprefix(MARK))
        case Patch(diff):
            return replace(request, diff=diff.replace(MARK, ""))
        case _:
            assert_never(request)


def names_mark(request: Request) -> bool:
    """Return whether the request's old text has a byte order mark."""
    match request:
        case Replace():
            return MARK in request.old
        case OneOf(readings):
            return any(map(names_mark, readings))
        case LineEdits(edits):
            return any(MARK in (edit.old or "") for edit in edits)
        case Patch(diff):
            lines = diff.split("\n") if MARK in diff else ()
            return any(MARK in line and line[:1] in " -" for line in lines)
        case WriteFile():
            return False
        case _:
            assert_never(request)


def _bare(request: Replace) -> Replace:
    old, new = _both_bare(request.old, request.new)
    return replace(request, old=old, new=new)


def _bare_edit(edit: LineEdit) -> LineEdit:
    old, new = _both_bare(edit.old or "", edit.new)
    return replace(edit, new=new, old=None if edit.old is None else old)


def _both_bare(old: str, new: str) -> tuple[str, str]:
    if MARK in old:
        return old.replace(MARK, ""), new.replace(MARK, "")
    return old, new.removeprefix(MARK)
