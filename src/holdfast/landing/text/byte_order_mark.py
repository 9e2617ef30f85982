"""The byte order mark: it is in front of a text and is no part of its first line."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from holdfast.vocab.requests import LineEdit, LineEdits, OneOf, Patch, Replace, Request, WriteFile

MARK = "\ufeff"


def without_mark(request: Request) -> Request:
    """Return the request as if its author had not seen the file's byte order mark."""
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
        case Patch():
            return request
        case _:
            assert_never(request)


def _bare(request: Replace) -> Replace:
    return replace(request, old=request.old.removeprefix(MARK), new=request.new.removeprefix(MARK))


def _bare_edit(edit: LineEdit) -> LineEdit:
    old = edit.old.removeprefix(MARK) if edit.old is not None else None
    return replace(edit, new=edit.new.removeprefix(MARK), old=old)
