"""JSON edits: line ranges, replacements, whole files, deletions and renames."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.landing.formats.field_names import edit_field, read_range
from holdfast.landing.formats.hunks import MalformedError, fault_as_value
from holdfast.landing.formats.json_reply import find_value
from holdfast.landing.formats.paths import shorten, tidy_path
from holdfast.landing.formats.surrounding_text import fence_of
from holdfast.landing.text.lines import split_lines
from holdfast.vocab.requests import FileRequest, LineEdit, LineEdits, Replace, Request, WriteFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EXAMPLE = '{"path": "src/file.py", "old": "the old lines", "new": "the new lines"}'
RANGE_EXAMPLE = (
    '{"path": "src/file.py", "edits": [{"range": {"start": 3, "end": 4}, "oldText": "the old lines",'
    ' "newText": "the new lines"}]}'
)

_WHOLE = ("content", "contents", "text")
_TO = ("to", "rename", "new_path", "newPath")
_RANGED = frozenset(("range", "start", "end"))
_BESIDE_LINES = _RANGED | {"path", "old", "new", "near_line", "every"}
_LAST_LINE = 10**9
_Value = TypeVar("_Value")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class _WrongShapeError(MalformedError):
    """The JSON has another shape."""

    def __init__(self, where: str, what: str, *, example: str = EXAMPLE) -> None:
        if where:
            what = f"{where}: {what}"
        super().__init__(f"{what}\n{example}")


@fault_as_value
def read_json(text: str, *, unwrap: bool = False) -> tuple[FileRequest, ...]:
    r"""Return one request for each edit, or name the field that is wrong and the shape it should have.

    `unwrap` accepts JSON as models write it: in a fence, in prose or in a call of a tool, and almost JSON that can be
    read in one way only.

    >>> read_json('{"path": "a.py", "delete": true}')
    (FileRequest(path='a.py', action='delete', request=None, to=None),)
    """
    try:
        return _top(_load(text))
    except _WrongShapeError:
        found = None
        if unwrap:
            found = find_value(text)
        if found is None:
            raise

    if isinstance(found, str):
        raise _WrongShapeError("", found)
    requests = _top(found.value)
    if found.in_call and not all(map(_says_what_it_edits, requests)):
        raise _WrongShapeError("", _BLIND_CALL)
    return requests


_BLIND_CALL = "a call of a tool is around an edit without its old text; send the edit alone:"


def _says_what_it_edits(request: FileRequest) -> bool:
    """Return whether the edit means the same whatever tool is called with it: others insert at a line, or append."""
    match request.request:
        case LineEdits(edits):
            return all(edit.old for edit in edits)
        case Replace() | WriteFile():
            return True
    return False


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
        what = "this is not JSON; write strict JSON:"
        if fence_of(text.lstrip()[:40].partition("\n")[0]):
            what = "a Markdown fence is around the JSON; send it bare:"
        raise _WrongShapeError(where, what) from error
    except ValueError as error:
        raise _WrongShapeError("", "a number has too many digits; write line numbers:") from error
    except RecursionError as error:
        raise _WrongShapeError("", "the JSON is nested too deeply; write it flat:") from error


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


# ---------------------------------------------------------------------------------------- the shape


def _top(value: object) -> tuple[FileRequest, ...]:
    if isinstance(value, list):
        if not value:
            raise _WrongShapeError("", "the list is empty; give at least one edit:")
        return tuple(_files(value, ""))

    whole = _mapping(value, "")
    if _key(whole, ("path",), "") is not None:
        return tuple(_file(whole, ""))

    listed = _key(whole, ("edits",), "")
    if listed is None:
        raise _WrongShapeError("path", "is missing; name the file:")
    return tuple(_files(_list(whole[listed], listed), listed))


def _files(items: Sequence[object], where: str) -> list[FileRequest]:
    """Return the requests of a list of objects that each name a file.

    The numbers of a file are all of the same text, so its lone line edits are joined into one
    request.
    """
    requests: list[FileRequest] = []
    joined: dict[str, tuple[int, list[LineEdit]]] = {}
    for i, entry in enumerate(items):
        place = f"{where}[{i}]"
        item = _mapping(entry, place)
        if not _is_ranged(item):
            requests += _file(item, place)
            continue
        path, edit = _lone_line_edit(item, place)
        at, edits = joined.setdefault(path, (len(requests), []))
        edits.append(edit)
        requests[at : at + 1] = [FileRequest(path, "edit", LineEdits(tuple(edits)))]

    return requests


def _lone_line_edit(item: Mapping[str, object], where: str) -> tuple[str, LineEdit]:
    """Return the path and the edit of one object that names both a file and lines by number."""
    path = _file_path(item, where)
    strangers = (name for name in item if edit_field(name) not in _BESIDE_LINES)
    for strange in sorted(strangers):
        what = "has no place beside a range of lines; leave it out:"
        raise _WrongShapeError(_join(where, shorten(strange, 40)), what, example=RANGE_EXAMPLE)
    return path, _line_edit(item, where)


def _file(item: Mapping[str, object], where: str) -> list[FileRequest]:
    """Return the requests of one object that names a file."""
    if _is_ranged(item):
        path, edit = _lone_line_edit(item, where)
        return [FileRequest(path, "edit", LineEdits((edit,)))]

    path = _file_path(item, where)
    to = _path(item, _TO, where)
    if _flag(item, ("delete",), where):
        _refuse_beside_delete(item, where)
        return [FileRequest(path, "delete")]

    whole = _key(item, _WHOLE, where)
    replaces = _key(item, ("old", "new"), where, only_one=False)
    edits = _key(item, ("edits",), where)
    kinds = {whole, replaces, edits} - {None}
    if len(kinds) > 1:
        raise _WrongShapeError(
            where, "give either old and new, or edits, or content; not two of them:"
        )
    if whole is not None:
        return [_whole(path, _string(item, whole, where), to, where)]
    if replaces is not None:
        return _addressed(path, [_replace(item, where)], to, where)
    if edits is not None:
        place = _join(where, edits)
        return _addressed(path, _edits(path, _list(item[edits], place), place), to, where)
    if to is not None:
        return [FileRequest(path, "rename", None, to)]

    raise _WrongShapeError(where, "contains no edit; give old and new, or edits, or content:")


def _file_path(item: Mapping[str, object], where: str) -> str:
    path = _path(item, ("path",), where)
    if path is None:
        raise _WrongShapeError(_join(where, "path"), "is missing; name the file:")
    return path


def _refuse_beside_delete(item: Mapping[str, object], where: str) -> None:
    beside = _key(item, ("old", "new", "edits", *_WHOLE, *_TO), where, only_one=False)
    if beside is not None:
        raise _WrongShapeError(
            _join(where, beside), "is given beside delete; ask for one of the two:"
        )


def _is_ranged(item: Mapping[str, object]) -> bool:
    """Return whether an edit names its lines by number."""
    return not _RANGED.isdisjoint(map(edit_field, item))


def _whole(path: str, text: str, to: str | None, where: str) -> FileRequest:
    if to is not None:
        raise _WrongShapeError(
            where, "a rename with whole content is a new file and a deletion; write them as two:"
        )
    return FileRequest(path, "create", WriteFile(text))


def _addressed(
    path: str, requests: Sequence[Request], to: str | None, where: str
) -> list[FileRequest]:
    if to is None:
        return [FileRequest(path, "edit", request) for request in requests]
    if len(requests) > 1:
        raise _WrongShapeError(
            where, "a rename takes one replacement; write the others as edits of the new path:"
        )

    return [FileRequest(path, "rename", request, to) for request in requests]


def _edits(path: str, items: Sequence[object], where: str) -> list[Request]:
    places = [f"{where}[{i}]" for i in range(len(items))]
    edits = list(map(_mapping, items, places))
    for edit, place in zip(edits, places, strict=True):
        if _path(edit, ("path",), place) not in {None, path}:
            raise _WrongShapeError(
                place, "names a file inside the edits of another; name each file once:"
            )

    ranged = list(map(_is_ranged, edits))
    if all(ranged):
        return [LineEdits(tuple(map(_line_edit, edits, places)))]
    if any(ranged):
        raise _WrongShapeError(
            places[ranged.index(not ranged[0])],
            "some edits have a range and some have not; give all of them one, or none:",
        )

    return list(map(_replace, edits, places))


def _line_edit(edit: Mapping[str, object], where: str) -> LineEdit:
    start, end = _range(edit, where)
    old, new = _key(edit, ("old",), where), _key(edit, ("new",), where)
    if new is None:
        missing = "new"
        if _key(edit, ("range",), where) is not None:
            missing = "newText"
        raise _WrongShapeError(
            _join(where, missing),
            "is missing; give the new lines as a string:",
            example=RANGE_EXAMPLE,
        )

    written = _string(edit, new, where)
    if old is None or edit[old] is None:
        return LineEdit(start, end, written)
    return LineEdit(start, end, written, _string(edit, old, where))


def _range(edit: Mapping[str, object], where: str) -> tuple[int, int]:
    """Return the first and the last line.

    Those of `range`, or `start` and `end` of the edit itself.
    """
    named = _key(edit, ("range",), where)
    if named is None:
        start = _bound(edit, "start", where)
        if _key(edit, ("end",), where) is not None:
            return start, _bound(edit, "end", where)
        return start, _last_line(edit, start)

    beside = _key(edit, ("start", "end"), where, only_one=False)
    if beside is not None:
        raise _WrongShapeError(
            _join(where, beside),
            f"is given beside {named}; give one of the two:",
            example=RANGE_EXAMPLE,
        )

    lines, where = edit[named], _join(where, named)
    pair = read_range(lines)
    if pair is not None:
        lines = dict(zip(("start", "end"), pair, strict=True))
    if not isinstance(lines, dict):
        raise _WrongShapeError(
            where, 'must be an object such as {"start": 3, "end": 4}:', example=RANGE_EXAMPLE
        )

    return _bound(lines, "start", where), _bound(lines, "end", where)


def _bound(item: Mapping[str, object], field: str, where: str) -> int:
    """Return the line in this field, `start` or `end`."""
    return _line(item, _key(item, (field,), where) or field, where)


def _last_line(edit: Mapping[str, Any], start: int) -> int:
    """Return the last line of an edit without `end`.

    That of its old lines from `start` on, or `start`.
    """
    for key, old in edit.items():
        if edit_field(key) == "old" and isinstance(old, str):
            return start + max(len(split_lines(old)[0]), 1) - 1
    return start


def _replace(item: Mapping[str, object], where: str) -> Replace:
    old, new = _key(item, ("old",), where), _key(item, ("new",), where)
    if old is None:
        raise _WrongShapeError(_join(where, "old"), "is missing; give the old lines as a string:")
    if new is None:
        raise _WrongShapeError(_join(where, "new"), "is missing; give the new lines as a string:")

    request = Replace(
        _string(item, old, where),
        _string(item, new, where),
        every=_flag(item, ("every",), where),
    )
    near = _key(item, ("near_line",), where)
    if near is None or item[near] is None:
        return request
    return replace(request, near_line=_line(item, near, where))


# --------------------------------------------------------------------------------------- the fields


def _key(
    item: Mapping[str, object], names: Sequence[str], where: str, *, only_one: bool = True
) -> str | None:
    """Return the one name that the object uses for one of these fields."""
    used = [key for key in item if key in names or edit_field(key) in names]
    if len(used) > 1 and only_one:
        raise _WrongShapeError(
            where, f'"{used[0]}" and "{used[1]}" mean the same; give one of them:'
        )
    if not used:
        return None
    return used[0]


def _checked(
    value: object, kind: type[_Value], where: str, name: str, example: str = EXAMPLE
) -> _Value:
    """Return the value if it is of this type; `name` is JSON's word for that."""
    if not isinstance(value, kind):
        raise _WrongShapeError(where, f"must be {name}, not {_kind(value)}:", example=example)
    return value


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    return _checked(value, dict, where, "an object")


def _list(value: object, where: str) -> list[object]:
    listed = _checked(value, list, where, "a list of objects", RANGE_EXAMPLE)
    if not listed:
        raise _WrongShapeError(where, "is empty; give at least one edit:", example=RANGE_EXAMPLE)
    return listed


def _string(item: Mapping[str, object], key: str, where: str) -> str:
    value = _checked(item[key], str, _join(where, key), "a string")
    if _HALF_PAIR.search(value):
        raise _WrongShapeError(
            _join(where, key),
            "contains half of a surrogate pair, which is no character; write the character:",
        )

    return value


def _line(item: Mapping[str, object], key: str, where: str) -> int:
    if key not in item:
        raise _WrongShapeError(
            _join(where, key), "is missing; give a line number:", example=RANGE_EXAMPLE
        )

    value = item[key]
    # A bool is an int to Python, and 3.0 is a float: neither is a line number.
    if not isinstance(value, int) or isinstance(value, bool):
        raise _WrongShapeError(
            _join(where, key), f"must be an integer, not {_kind(value)}:", example=RANGE_EXAMPLE
        )
    if abs(value) > _LAST_LINE:
        raise _WrongShapeError(
            _join(where, key), "is no line number: no file is that long:", example=RANGE_EXAMPLE
        )

    return value


def _flag(item: Mapping[str, object], names: Sequence[str], where: str) -> bool:
    key = _key(item, names, where)
    if key is None:
        return False
    return _checked(item[key], bool, _join(where, key), "true or false")


def _path(item: Mapping[str, object], names: Sequence[str], where: str) -> str | None:
    key = _key(item, names, where)
    if key is None:
        return None
    if item[key] is None:
        return None

    written = _string(item, key, where)
    try:
        return tidy_path(written)
    except MalformedError as fault:
        raise _WrongShapeError(_join(where, key), str(fault)) from fault


def _join(where: str, key: str) -> str:
    return f"{where}.{key}".removeprefix(".")


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
