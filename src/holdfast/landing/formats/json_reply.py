"""The JSON value of a model's reply, without the prose and the call of a tool around it."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any, Final

from holdfast.landing.formats.detect import resembles_edit
from holdfast.landing.formats.field_names import edit_field
from holdfast.landing.text.lines import contents_of
from holdfast.syntax.json_text import (
    Cut,
    Read,
    SeveralReadings,
    read_json_in_prose,
    read_json_text,
    value_span,
)
from holdfast.vocab.lazy_dataclass import dataclass

_LISTS: Final = frozenset(("edits", "range"))
_NUMBERS: Final = frozenset(("start", "end", "near_line"))
_OF_EDITS: Final = frozenset(("path", "old", "new", "edits"))
_DEEPEST_CALL: Final = 4
_NUMBER = re.compile(r"[0-9]{1,9}")

_CUT = "the JSON ends in the middle, so it may be cut off; send all of it:"
_SEVERAL = "the reply contains several JSON values; send one, with all edits in a list:"
_BESIDE = (
    "a line around the JSON looks like another edit; send one value, with all edits in a list:"
)
_DOUBTFUL = (
    "a string mixes escapes with line breaks or backslashes that are not escaped; write each line break as \\n and each"
    " backslash as \\\\:"
)


@dataclass(frozen=True, slots=True)
class FoundValue:
    """The value; `in_call`: it was the argument of a call."""

    value: object
    in_call: bool


def find_value(text: str) -> FoundValue | str | None:
    """Return the one value of a reply, the sentence about why it is in doubt, or None where there is no value.

    An object with the path, the old or the new text of an edit, or a list of edits, is no call.
    """
    match read_json_in_prose(text.removeprefix("\ufeff")):
        case Read(dict() | list()) if _has_edit_beside(text):
            return _BESIDE
        case Read(dict() | list() as value, _, False):
            inner = _out_of_call(value, _DEEPEST_CALL)
            return FoundValue(_typed(inner), inner != value)
        case Read(dict() | list()):
            return _DOUBTFUL
        case Cut():
            return _CUT
        case SeveralReadings():
            return _SEVERAL
    return None


def _has_edit_beside(text: str) -> bool:
    """Return whether a line around the value may be part of another edit."""
    start, stop = value_span(text)
    return any(map(resembles_edit, chain(contents_of(text[:start]), contents_of(text[stop:]))))


def _out_of_call(value: Any, depth: int) -> Any:
    """Return the arguments of a call: the only structured field of an object that is no edit itself."""
    if isinstance(value, list):
        return [_out_of_call(item, depth) for item in value]

    if not isinstance(value, dict) or not depth:
        return value
    is_edit = not _OF_EDITS.isdisjoint(map(edit_field, value))
    if is_edit:
        return value

    fields = map(_decoded, value.values())
    nested = [field for field in fields if isinstance(field, dict | list)]
    if len(nested) != 1:
        return value
    return _out_of_call(nested[0], depth - 1)


def _decoded(value: Any) -> Any:
    """Return what a string contains that is JSON, of one reading; any other value as it is."""
    if not isinstance(value, str):
        return value
    if not value.lstrip().startswith(("{", "[")):
        return value

    match read_json_text(value):
        case Read(dict() | list() as inner, _, False):
            return inner
    return value


def _typed(value: Any, key: str = "") -> Any:
    """Return the value with numbers and lists that are written as strings; `key` is its name."""
    field_name = edit_field(key)
    if field_name in _LISTS:
        value = _decoded(value)

    if isinstance(value, list):
        return list(map(_typed, value))
    if isinstance(value, dict):
        return {name: _typed(field, name) for name, field in value.items()}

    if field_name in _NUMBERS and _NUMBER.fullmatch(str(value)):
        return int(value)
    return value
