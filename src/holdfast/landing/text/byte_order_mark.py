"""The byte order mark: it is in front of a text and is no part of its first line."""

from __future__ import annotations

import re
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


_MARKED_OLD_LINE = re.compile(f"^[ -].*{MARK}", re.MULTILINE)


def names_mark(request: Request) -> bool:
    """Return whether the request's old text has a byte order mark."""
    match request:
        case Replace(old):
            return MARK in old
        case OneOf(readings):
            return any(map(names_mark, readings))
        case LineEdits(edits):
            return any(MARK in (edit.old or "") for edit in edits)
        case Patch(diff):
            return _MARKED_OLD_LINE.search(diff) is not None
        case WriteFile():
            return False
        case _:
            assert_never(request)


_Edit = TypeVar("_Edit", Replace, LineEdit)


def _bare(edit: _Edit) -> _Edit:
    if edit.old and MARK in edit.old:
        return replace(edit, old=edit.old.replace(MARK, ""), new=edit.new.replace(MARK, ""))
    return replace(edit, new=edit.new.removeprefix(MARK))
