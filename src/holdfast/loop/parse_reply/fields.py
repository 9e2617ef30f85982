"""Fit the fields of a call to the tool's schema: other names, other types, no invented values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from holdfast.landing.formats.field_names import RANGES, field_for, read_range, spell
from holdfast.loop.parse_reply.aliases import SYNONYMS, TALK, WRAPPERS
from holdfast.loop.parse_reply.coercion import ABSENT, UnclearValue, coerce
from holdfast.loop.parse_reply.schema import SchemaNode, describe, root_node, signature
from holdfast.syntax.json_text import Read, read_json_text
from holdfast.syntax.strict_json import same
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vocab.tool_calls import ToolSpec

_DEEPEST_WRAPPER: Final = 2
_BARE_KINDS: Final[Mapping[type, str]] = {list: "array", str: "string"}
"""The types of arguments that may come without an object around them."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Arguments in the tool's own fields. `notes` list the repairs."""

    arguments: dict[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Misfit:
    """Arguments that cannot be fitted; `message` explains it to the model."""

    message: str


class _MisfitError(Exception):
    """A value that does not fit. Raised at any depth, caught by `fit` only."""


def fit(value: Any, spec: ToolSpec) -> Fitted | Misfit:
    """Return the arguments in the form of the tool's schema, or why that is impossible."""
    node = root_node(spec.schema)
    fitter = _Fitter(spec)
    try:
        given = fitter.as_object(value, node)
        given = fitter.unwrap(given, node)
        arguments = fitter.fit_object(given, node, "")
    except _MisfitError as error:
        takes = signature(node)
        return Misfit(f"`{spec.name}` was not run: {error}. It takes {takes}; send the call again.")

    return Fitted(arguments, tuple(dict.fromkeys(fitter.notes)))


class _Fitter:
    """One fitting, and its notes."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec
        self.notes: list[str] = []

    def as_object(self, value: Any, node: SchemaNode) -> dict[str, Any]:
        """Return the arguments as an object: put a bare list or text into the only field for it."""
        field = _only_field_for(value, node)
        if field is not None:
            self.notes.append(f"bare arguments were taken as `{field}`")
            return {field: value}

        match value:
            case dict(fields) | [dict(fields)]:
                return fields

        raise _MisfitError("its arguments are not one JSON object")

    def unwrap(self, given: dict[str, Any], node: SchemaNode, depth: int = 0) -> dict[str, Any]:
        """Return the content of a field like `arguments`, if no field of the tool is beside it."""
        fields = node.fields
        if depth > _DEEPEST_WRAPPER or given.keys() & fields.keys():
            return given

        for name, value in given.items():
            if spell(name) not in WRAPPERS:
                continue
            inner = _read_object(value)
            if inner is None:
                continue
            named = given.get("name", given.get("tool"))
            if isinstance(named, str) and spell(named) != spell(self.spec.name):
                other = named[:64]
                raise _MisfitError(f"its arguments contain a call of `{other}`")
            self.notes.append(f"arguments were taken out of `{name}`")
            return self.unwrap(inner, node, depth + 1)

        return given

    def fit_object(self, given: Mapping[str, Any], node: SchemaNode, where: str) -> dict[str, Any]:
        """Rename, drop and convert fields; raise `_MisfitError` if a required one is missing."""
        fields = node.fields
        if not fields:
            return dict(given)

        spread = _spread_ranges(given, fields)
        renamed = self._rename(spread, fields)
        fitted: dict[str, Any] = {}
        unknown: list[str] = []
        for name, value in renamed.items():
            if name not in fields:
                unknown.append(name)
                if self._keeps_extra(name, value, node):
                    fitted[name] = value
                else:
                    shown = where + name[:64]
                    self.notes.append(f"`{shown}` was dropped")
                continue
            if name in node.required or not _is_absent(value, fields[name]):
                fitted[name] = self._fit_value(value, fields[name], where + name)

        missing = [where + name for name in node.required if fitted.get(name) is None]
        if missing:
            raise _missing_fields(missing, unknown)

        return fitted

    def _keeps_extra(self, name: str, value: Any, node: SchemaNode) -> bool:
        """Return whether to keep a field that the tool does not know.

        A field that may change what the call does is kept, so that the tool refuses the call.
        """
        if node.node.get("additionalProperties"):
            return True
        if not self.spec.changes:
            return False
        if spell(name) in TALK:
            return False

        return value not in (None, "", [], {})

    def _rename(self, given: Mapping[str, Any], fields: Mapping[str, SchemaNode]) -> dict[str, Any]:
        renamed: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, value in given.items():
            if name in fields:
                renamed[name] = value
            else:
                others[name] = value

        source: dict[str, str] = {}
        for name, value in others.items():
            target = field_for(name, fields, SYNONYMS)
            # The field itself takes precedence over another name for it.
            if target is None or target in given:
                renamed[name] = value
            elif target not in renamed:
                renamed[target] = value
                source[target] = name
                self.notes.append(f"`{name[:64]}` was taken as `{target}`")
            elif not same(renamed[target], value):
                both = f"`{source[target][:64]}` and `{name[:64]}`"
                raise _MisfitError(f"{both} have different values for `{target}`")

        return renamed

    def _fit_value(self, value: Any, field: SchemaNode, where: str) -> Any:
        choices = list(field.choices())
        for choice in choices:
            if choice.takes(value):
                return self._fit_inside(value, choice, where)

        name = where.rpartition(".")[2]
        for choice in choices:
            meant = coerce(value, choice, name)
            if not isinstance(meant, UnclearValue) and choice.takes(meant):
                self.notes.append(f"`{where}` was taken as {describe(choice)}")
                return self._fit_inside(meant, choice, where)

        if value is None:
            return None

        raise _MisfitError(f"`{where}` must be {_allowed(field)}")

    def _fit_inside(self, value: Any, node: SchemaNode, where: str) -> Any:
        if isinstance(value, dict):
            return self.fit_object(value, node, f"{where}.")
        if not isinstance(value, list) or "items" not in node.node:
            return value

        fitted = []
        for number, item in enumerate(value):
            place = f"{where}[{number}]"
            fitted.append(self._fit_value(item, node.items, place))

        return fitted


def _only_field_for(value: Any, node: SchemaNode) -> str | None:
    """Return the only field that can take a bare list or text, if no other field is required."""
    kind = _BARE_KINDS.get(type(value))
    if kind is None:
        return None

    takers: list[str] = []
    for name, field in node.fields.items():
        if kind in field.kinds:
            takers.append(name)

    if len(takers) != 1:
        return None
    if set(node.required) - set(takers):
        return None

    return takers[0]


def _missing_fields(missing: list[str], unknown: list[str]) -> _MisfitError:
    names = _list(missing)
    message = f"{names} are missing"
    if len(missing) == 1:
        message = f"{names} is missing"

    if unknown:
        message += f" (the call has {_list(unknown)})"

    return _MisfitError(message)


def _allowed(field: SchemaNode) -> str:
    """Return the allowed values of a field, or its types, in words."""
    for choice in field.choices():
        values = choice.node.get("enum")
        if values:
            listed = ", ".join(map(str, values))
            return f"one of {listed}"
    return describe(field)


def _is_absent(value: Any, field: SchemaNode) -> bool:
    """Return whether an optional field has a word for "nothing" that its type does not allow."""
    if _takes(field, value):
        return False
    if value is None:
        return True
    if not isinstance(value, str):
        return False

    return value.strip().lower() in ABSENT


def _takes(field: SchemaNode, value: Any) -> bool:
    return any(choice.takes(value) for choice in field.choices())


def _spread_ranges(given: Mapping[str, Any], fields: Mapping[str, SchemaNode]) -> Mapping[str, Any]:
    """Replace a range such as `view_range: [1, 5]` by `start` and `end`."""
    bounds = {"start", "end"}
    if not bounds <= fields.keys() or bounds & given.keys():
        return given

    for name, value in given.items():
        if spell(name) not in RANGES:
            continue
        if name in fields and _takes(fields[name], value):
            continue
        found = read_range(value)
        if found is None:
            continue
        spread = dict(given)
        del spread[name]
        spread["start"], spread["end"] = found
        return spread

    return given


def _read_object(value: Any) -> dict[str, Any] | None:
    """Return an object, or the object in a text that is certain; else None."""
    if isinstance(value, str):
        value = read_json_text(value)
    match value:
        case dict(fields) | Read(dict(fields), doubtful=False):
            return fields
    return None


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name[:64]}`" for name in names[:6])
