"""JSON edits: line ranges, replacements, whole files, deletions and renames."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.landing.formats.detect import resembles_edit
from holdfast.landing.formats.field_names import edit_field, read_range
from holdfast.landing.formats.hunks import MalformedError, fault_as_value
from holdfast.landing.formats.paths import shorten, tidy_path
from holdfast.landing.text.lines import contents_of, split_lines
from holdfast.syntax.json_text import Cut, Read, SeveralReadings, read_json_in_prose, value_span
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.requests import FileRequest, LineEdit, LineEdits, Replace, WriteFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXAMPLE = '{"path": "src/file.py", "old": "the old lines", "new": "the new lines"}'
RANGE_EXAMPLE = (
    '{"path": "src/file.py", "edits": [{"range": {"start": 3, "end": 4}, "oldText": "the old lines",'
    ' "newText": "the new lines"}]}'
)

_OTHER_NAMES = {
    "contents": "content",
    "text": "content",
    "rename": "to",
    "new_path": "to",
    "newPath": "to",
}
_RANGED = frozenset(("range", "start", "end"))
_LISTED = _RANGED | {"edits"}
_BESIDE_LINES = _RANGED | {"path", "old", "new", "near_line", "every"}
_LAST_LINE = 10**9
_Value = TypeVar("_Value")
_HALF_PAIR = lazy_pattern("[\ud800-\udfff]")


class _WrongShapeError(MalformedError):
    """The JSON has another shape."""

    def __init__(self, where: str, what: str, *, example: str = EXAMPLE) -> None:
        if where:
            what = f"{where}: {what}"
        super().__init__(f"{what}\n{example}")


@fault_as_value
def read_json(text: str, *, unwrap: bool = False) -> tuple[FileRequest, ...]:
    r"""Return one request for each edit, or name the field that is wrong and the shape it should have.

    `unwrap` accepts JSON as models write it: in a fence, in prose, in the call of a tool, and almost JSON that can be
    read in one way only.

    >>> read_json('{"path": "a.py", "delete": true}')
    (FileRequest(path='a.py', action='delete', request=None, to=None),)
    """
    try:
        value = _load(text)
    except _WrongShapeError:
        if not unwrap:
            raise
        value = _load_in_prose(text)
    inner = value
    if unwrap:
        inner = _out_of_calls(value)
    requests = _top(inner)
    if inner is not value and not all(map(_has_old_text, requests)):
        raise _WrongShapeError("", _BLIND_CALL)
    return requests


@fault_as_value
def read_edits(value: object) -> tuple[FileRequest, ...]:
    """Return the requests of edits that are JSON already, or name the field that is wrong and the shape it should have.

    >>> read_edits({"path": "a.py", "start": 2, "new": "b"})[0].request
    LineEdits(edits=(LineEdit(start=2, end=2, new='b', old=None),), shown=None)
    """
    return _top(value)


# ----------------------------------------------------------------------------------------- the text


def _load(text: str) -> object:
    try:
        return json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_object, parse_constant=_constant
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        what = "this is not JSON; write strict JSON, without a fence or words around it:"
        raise _WrongShapeError(where, what) from error
    except (ValueError, RecursionError) as error:
        what = "a number has too many digits, or the JSON is nested too deeply; write it plain:"
        raise _WrongShapeError("", what) from error


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in pairs:
        if key in made:
            raise _WrongShapeError(
                "", f'the key "{shorten(key, 40)}" occurs twice in one object; write it once:'
            )
        made[key] = value

    return made


def _constant(name: str) -> object:
    raise _WrongShapeError("", f"{name} is not JSON; write strict JSON:")


_CUT = "the JSON ends in the middle, so it may be cut off; send all of it:"
_SEVERAL = "the reply contains several JSON values; send one, with all edits in a list:"
_BESIDE = (
    "a line around the JSON looks like another edit; send one value, with all edits in a list:"
)
_DOUBTFUL = (
    "a string mixes escapes with line breaks or backslashes that are not escaped; write each line break as \\n and each"
    " backslash as \\\\:"
)


def _load_in_prose(text: str) -> object:
    """Return the one value of a reply, or raise the fault that makes it doubtful."""
    text = text.removeprefix("\ufeff")
    match read_json_in_prose(text):
        case Read(dict() | list()) if _has_edit_beside(text):
            raise _WrongShapeError("", _BESIDE)
        case Read(dict() | list() as value, _, False):
            return value
        case Read(dict() | list()):
            raise _WrongShapeError("", _DOUBTFUL)
        case Cut():
            raise _WrongShapeError("", _CUT)
        case SeveralReadings():
            raise _WrongShapeError("", _SEVERAL)
    return _load(text)


def _has_edit_beside(text: str) -> bool:
    """Return whether a line around the value may be part of another edit."""
    start, stop = value_span(text)
    return any(map(resembles_edit, chain(contents_of(text[:start]), contents_of(text[stop:]))))


_DEEPEST_CALL = 4
_OF_CALL = ("function", "arguments", "parameters", "input")
"""The fields of a tool's call that have the edit in them."""


def _out_of_calls(value: object) -> object:
    """Return the arguments of calls of a tool; any other value as it is."""
    if not isinstance(value, list):
        return _arguments(value)
    inner = list(map(_arguments, value))
    if inner == value:
        return value
    return inner


def _arguments(value: object) -> object:
    """Return the arguments of a call, which may be JSON in a string; any other value as it is."""
    for _ in range(_DEEPEST_CALL):
        if isinstance(value, str):
            value = _load(value)
        if not isinstance(value, dict):
            return value
        field = next(filter(value.__contains__, _OF_CALL), None)
        if field is None:
            return value
        value = value[field]

    return value


_BLIND_CALL = "a call of a tool is around an edit without its old text; send the edit alone:"


def _has_old_text(request: FileRequest) -> bool:
    """Return whether the edit means the same whatever tool is called with it: others insert at a line, or append."""
    match request.request:
        case LineEdits(edits):
            return all(edit.old for edit in edits)
        case Replace() | WriteFile():
            return True
    return False


# ---------------------------------------------------------------------------------------- the shape


def _top(value: object) -> tuple[FileRequest, ...]:
    if isinstance(value, list):
        return tuple(_files(_items(value, "")))

    whole = _item(value, "")
    if "edits" in whole.values and "path" not in whole.values:
        return tuple(_files(whole.items("edits")))
    return tuple(_files([whole]))


def _files(items: Sequence[_Item]) -> list[FileRequest]:
    """Return the requests of objects that each name a file.

    The numbers of a file are all of the same text, so its lone line edits are joined into one
    request.
    """
    requests: list[FileRequest] = []
    joined: dict[str, tuple[int, list[LineEdit]]] = {}
    for item in items:
        path = item.path("path")
        if path is None:
            raise item.fault("path", "is missing; name the file:")
        if not item.is_ranged:
            requests += _file(item, path)
            continue
        for strange in sorted(item.values.keys() - _BESIDE_LINES):
            raise item.fault(strange, "has no place beside a range of lines; leave it out:")
        at, edits = joined.setdefault(path, (len(requests), []))
        edits.append(_line_edit(item))
        requests[at : at + 1] = [FileRequest(path, "edit", LineEdits(tuple(edits)))]

    return requests


_ASKS = {"old": "old", "new": "old", "edits": "edits", "content": "content"}


def _file(item: _Item, path: str) -> list[FileRequest]:
    """Return the requests of one object that names a file."""
    to = item.path("to")
    asked = {_ASKS[field] for field in item.values if field in _ASKS}
    if item.flag("delete"):
        asked.add("delete")
    if len(asked) > 1:
        what = "give either old and new, or edits, or content, or delete; not two of them:"
        raise item.fault("", what)

    if asked:
        requests = _CHANGES[asked.pop()](item, path)
    elif to is not None:
        return [FileRequest(path, "rename", None, to)]
    else:
        raise item.fault("", "contains no edit; give old and new, or edits, or content:")

    if to is None:
        return requests
    if [request.action for request in requests] != ["edit"]:
        what = "a rename takes one replacement; write anything else as edits of the new path:"
        raise item.fault("", what)
    return [FileRequest(path, "rename", requests[0].request, to)]


def _edits(whole: _Item, path: str) -> list[FileRequest]:
    items = whole.items("edits")
    for item in items:
        if item.path("path") not in {None, path}:
            what = "names a file inside the edits of another; name each file once:"
            raise item.fault("", what)

    ranged = {item.is_ranged for item in items}
    if len(ranged) > 1:
        what = "some edits have a range and some have not; give all of them one, or none:"
        raise whole.fault("edits", what)
    if True in ranged:
        return [FileRequest(path, "edit", LineEdits(tuple(map(_line_edit, items))))]
    return [FileRequest(path, "edit", _replace(item)) for item in items]


_CHANGES: dict[str, Callable[[_Item, str], list[FileRequest]]] = {
    "delete": lambda _, path: [FileRequest(path, "delete")],
    "content": lambda item, path: [FileRequest(path, "create", WriteFile(item.string("content")))],
    "edits": _edits,
    "old": lambda item, path: [FileRequest(path, "edit", _replace(item))],
}


def _line_edit(item: _Item) -> LineEdit:
    start, end = _range(item)
    old = None
    if "old" in item.values:
        old = item.string("old")
    return LineEdit(start, end, item.string("new"), old)


def _range(item: _Item) -> tuple[int, int]:
    """Return the first and the last line.

    Those of `range`, or `start` and `end` of the edit itself; without `end` as many as the old text has, or one.
    """
    if "range" not in item.values:
        start = item.line("start")
        if "end" in item.values:
            return start, item.line("end")
        old, _ = split_lines(str(item.values.get("old", "")))
        return start, start + max(len(old), 1) - 1

    for beside in sorted(item.values.keys() & {"start", "end"}):
        raise item.fault(beside, "is given beside range; give one of the two:")
    lines = item.values["range"]
    pair = read_range(lines)
    if pair is not None:
        lines = dict(zip(("start", "end"), pair, strict=True))
    bounds = _item(lines, item.at("range"))
    return bounds.line("start"), bounds.line("end")


def _replace(item: _Item) -> Replace:
    near = None
    if "near_line" in item.values:
        near = item.line("near_line")
    return Replace(item.string("old"), item.string("new"), near, item.flag("every"))


# --------------------------------------------------------------------------------------- the fields

_MISSING = {
    "old": "is missing; give the old lines as a string:",
    "new": "is missing; give the new lines as a string:",
    "start": "is missing; give a line number:",
    "end": "is missing; give a line number:",
}


@dataclass(frozen=True, slots=True)
class _Item:
    """One object of the request."""

    where: str
    values: dict[str, Any]
    """By our names of the fields; null is as good as missing."""
    names: dict[str, str]
    """The names that the object uses for these fields."""

    @property
    def is_ranged(self) -> bool:
        """Whether an edit names its lines by number."""
        return not _RANGED.isdisjoint(self.values)

    def at(self, field: str) -> str:
        """Return where the field is in the request."""
        return f"{self.where}.{shorten(self.names.get(field, field), 40)}".strip(".")

    def fault(self, field: str, what: str) -> _WrongShapeError:
        """Return the fault of a field, or of the whole object if `field` is empty."""
        example = EXAMPLE
        if not _LISTED.isdisjoint(self.values):
            example = RANGE_EXAMPLE
        return _WrongShapeError(self.at(field), what, example=example)

    def value(self, field: str, kind: type[_Value], name: str) -> _Value:
        """Return the value of a field if it is of this type; `name` is JSON's word for that."""
        if field not in self.values:
            raise self.fault(field, _MISSING[field])
        value = self.values[field]
        # A bool is an int to Python, but no line number.
        if type(value) is not kind:
            raise self.fault(field, f"must be {name}, not {_kind(value)}:")
        return value

    def items(self, field: str) -> list[_Item]:
        """Return the objects of a list."""
        return _items(self.value(field, list, "a list of objects"), self.at(field))

    def string(self, field: str) -> str:
        """Return a text."""
        value = self.value(field, str, "a string")
        if _HALF_PAIR.search(value):
            what = "contains half of a surrogate pair, which is no character; write the character:"
            raise self.fault(field, what)
        return value

    def line(self, field: str) -> int:
        """Return a line number."""
        value = self.value(field, int, "an integer")
        if abs(value) > _LAST_LINE:
            raise self.fault(field, "is no line number: no file is that long:")
        return value

    def flag(self, field: str) -> bool:
        """Return whether the field is true."""
        if field not in self.values:
            return False
        return self.value(field, bool, "true or false")

    def path(self, field: str) -> str | None:
        """Return a path, or None where the field is missing."""
        if field not in self.values:
            return None
        written = self.string(field)
        try:
            return tidy_path(written)
        except MalformedError as fault:
            raise self.fault(field, str(fault)) from fault


def _items(values: Sequence[object], where: str) -> list[_Item]:
    if not values:
        raise _WrongShapeError(where, "the list is empty; give at least one edit:")
    return [_item(value, f"{where}[{i}]") for i, value in enumerate(values)]


def _item(value: object, where: str) -> _Item:
    if not isinstance(value, dict):
        raise _WrongShapeError(where, f"must be an object, not {_kind(value)}:")

    item = _Item(where, {}, {})
    for key, content in value.items():
        field = _OTHER_NAMES.get(key) or edit_field(key) or key
        if content is None:
            continue
        if field in item.values:
            what = f'"{item.names[field]}" and "{key}" mean the same; give one of them:'
            raise item.fault("", what)
        item.values[field] = content
        item.names[field] = key
    return item


def _kind(value: object) -> str:
    """Return JSON's own word for the value."""
    return _KINDS.get(type(value), "an object")


_KINDS = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
}
