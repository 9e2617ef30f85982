"""The byte order mark: it is in front of a text and is no part of its first line."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, assert_never

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
            return LineEdits(tuple(map(_bare, edits)), shown and shown.removeprefix(MARK))
        case WriteFile(text):
            return WriteFile(text.removeprefix(MARK))
        case Patch(diff):
            return replace(request, diff=diff.replace(MARK, ""))
        case _:
            assert_never(request)


def names_mark(request: Request) -> bool:
    """Return whether the old text of a replacement has a byte order mark; other requests are matched by lines, without it."""
    if not isinstance(request, Replace):
        return False
    return MARK in request.old


_Edit = TypeVar("_Edit", Replace, LineEdit)


def _bare(edit: _Edit) -> _Edit:
    if not edit.old or MARK not in edit.old:
        return replace(edit, new=edit.new.removeprefix(MARK))

    old, new = edit.old.replace(MARK, ""), edit.new.replace(MARK, "")
    return replace(edit, old=old, new=new)
