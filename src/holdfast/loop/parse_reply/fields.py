"""The fields of a call, fitted to the tool's schema: other names, other types, and nothing that is not there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.loop.parse_reply.aliases import RANGES, SYNONYMS, TALK, WRAPPERS
from holdfast.loop.parse_reply.arguments import Read, read_arguments
from holdfast.loop.parse_reply.coercion import ABSENT, UnclearValue, coerce
from holdfast.loop.parse_reply.schema import SchemaNode, describe, shape_of, signature
from holdfast.loop.parse_reply.strict_json import same
from holdfast.loop.parse_reply.tool_names import spell
from holdfast.vocab.tool_calls import ToolSpec


@dataclass(frozen=True, slots=True)
class Fitted:
    """Arguments with the tool's own fields. `notes` say what was mended."""

    arguments: dict[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Misfit:
    """They cannot be fitted; `message` is the sentence for the model."""

    message: str


class _MisfitError(Exception):
    """Something does not fit. Raised at any depth, caught by `fit` alone."""


def fit(value: Any, spec: ToolSpec) -> Fitted | Misfit:
    """Give the arguments as the tool's schema has them, or say what it takes."""
    shape = shape_of(spec.schema)
    fitter = _Fitter(spec)
    try:
        arguments = fitter.fit_object(
            fitter.unwrap(fitter.as_object(value, shape), shape), shape, ""
        )
    except _MisfitError as fault:
        return Misfit(
            f"`{spec.name}` was not run: {fault}. It takes {signature(shape)}; send the call again."
        )
    return Fitted(arguments, tuple(dict.fromkeys(fitter.notes)))


class _Fitter:
    """One fitting, and the notes it takes."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec
        self.notes: list[str] = []

    def as_object(self, value: Any, shape: SchemaNode) -> dict[str, Any]:
        """Put a bare list or text into the one field that can take it."""
        if isinstance(value, dict):
            return value
        kind = "array" if isinstance(value, list) else "string" if isinstance(value, str) else None
        takers = [
            name
            for name, field in shape.fields.items()
            if any(c.kind == kind for c in field.choices())
        ]
        if kind and len(takers) == 1 and set(shape.required) <= set(takers):
            self.notes.append(f"bare arguments were taken as `{takers[0]}`")
            return {takers[0]: value}
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            return value[0]
        raise _MisfitError("its arguments are not one JSON object")

    def unwrap(self, given: dict[str, Any], shape: SchemaNode, depth: int = 0) -> dict[str, Any]:
        """Take the arguments out of a field `arguments` that stands for them all."""
        fields = shape.fields
        for name, value in given.items():
            beside = {other for other in given if other != name}
            if name in fields or spell(name) not in WRAPPERS or beside & fields.keys() or depth > 2:
                continue
            inner = value if isinstance(value, dict) else _read_object(value)
            if inner is None:
                continue
            asked = given.get("name", given.get("tool"))
            if isinstance(asked, str) and spell(asked) != spell(self.spec.name):
                raise _MisfitError(f"its arguments hold a call of `{asked[:64]}`")
            self.notes.append(f"arguments were taken out of `{name}`")
            return self.unwrap(inner, shape, depth + 1)
        return given

    def fit_object(self, given: Mapping[str, Any], shape: SchemaNode, where: str) -> dict[str, Any]:
        """Rename, drop and coerce fields, and insist on those that are required."""
        fields = shape.fields
        if not fields:
            return dict(given)
        renamed = self._rename(_spread_ranges(given, fields), fields)
        kept: dict[str, Any] = {}
        for name, value in renamed.items():
            if name not in fields:
                self._consider_extra(
                    kept, name, value, where, keep=bool(shape.node.get("additionalProperties"))
                )
            elif name in shape.required or not _is_absent(value, fields[name]):
                kept[name] = self._fit_value(value, fields[name], where + name)
        missing = [where + name for name in shape.required if kept.get(name) is None]
        if missing:
            unknown = [name for name in renamed if name not in fields]
            given_instead = f" (it was given {_list(unknown)})" if unknown else ""
            raise _MisfitError(
                f"{_list(missing)} {'is' if len(missing) == 1 else 'are'} missing{given_instead}"
            )
        return kept

    def _consider_extra(
        self, kept: dict[str, Any], name: str, value: Any, where: str, *, keep: bool
    ) -> None:
        """Drop what the tool does not know, unless it may change what the call does: the tool shall refuse that."""
        if keep or (
            self.spec.changes and spell(name) not in TALK and value not in (None, "", [], {})
        ):
            kept[name] = value
        else:
            self.notes.append(f"`{where + name[:64]}` was dropped")

    def _rename(self, given: Mapping[str, Any], fields: Mapping[str, SchemaNode]) -> dict[str, Any]:
        renamed: dict[str, Any] = {name: value for name, value in given.items() if name in fields}
        source: dict[str, str] = {}
        for name, value in given.items():
            if name in fields:
                continue
            target = _field_for(name, fields)
            # The field itself says more than another name for it.
            if target is None or target in given:
                renamed[name] = value
            elif target not in renamed:
                renamed[target] = value
                source[target] = name
                self.notes.append(f"`{name[:64]}` was taken as `{target}`")
            elif not same(renamed[target], value):
                raise _MisfitError(
                    f"`{source[target][:64]}` and `{name[:64]}` say different things for `{target}`"
                )
        return renamed

    def _fit_value(self, value: Any, field: SchemaNode, where: str) -> Any:
        choices = list(field.choices())
        for choice in choices:
            if choice.takes(value):
                return self._fit_inside(value, choice, where)
        for choice in choices:
            meant = coerce(value, choice, where.rpartition(".")[2])
            if not isinstance(meant, UnclearValue) and choice.takes(meant):
                self.notes.append(f"`{where}` was taken as {describe(choice)}")
                return self._fit_inside(meant, choice, where)
        if value is None:
            return None
        allowed = next((choice.node["enum"] for choice in choices if "enum" in choice.node), None)
        wanted = f"one of {', '.join(map(str, allowed))}" if allowed else describe(field)
        raise _MisfitError(f"`{where}` must be {wanted}")

    def _fit_inside(self, value: Any, shape: SchemaNode, where: str) -> Any:
        if isinstance(value, dict):
            return self.fit_object(value, shape, f"{where}.")
        if isinstance(value, list) and "items" in shape.node:
            return [
                self._fit_value(item, shape.items, f"{where}[{number}]")
                for number, item in enumerate(value)
            ]
        return value


def _field_for(name: str, fields: Mapping[str, SchemaNode]) -> str | None:
    """Give the one field that another name means."""
    asked = spell(name)
    alike = [field for field in fields if spell(field) == asked]
    known = [field for field in fields if asked in SYNONYMS.get(field, ())]
    # `start_line`, where there are `start` and `near_line`.
    named = (
        [field for field in known if asked.startswith(spell(field))] if len(known) > 1 else known
    )
    found = alike or named
    return found[0] if len(found) == 1 else None


def _is_absent(value: Any, field: SchemaNode) -> bool:
    """Whether an optional field is given a "nothing" that its type cannot hold."""
    if any(choice.takes(value) for choice in field.choices()):
        return False
    return value is None or (isinstance(value, str) and value.strip().lower() in ABSENT)


def _spread_ranges(given: Mapping[str, Any], fields: Mapping[str, SchemaNode]) -> Mapping[str, Any]:
    """Give `start` and `end` for `view_range: [1, 5]`."""
    if not {"start", "end"} <= fields.keys() or {"start", "end"} & given.keys():
        return given
    for name, value in given.items():
        if spell(name) not in RANGES or (
            name in fields and any(c.takes(value) for c in fields[name].choices())
        ):
            continue
        read = read_arguments(value) if isinstance(value, str) else Read(value)
        if isinstance(read, Read) and _is_range(read.value):
            rest = {other: kept for other, kept in given.items() if other != name}
            return {**rest, "start": read.value[0], "end": read.value[1]}
    return given


def _is_range(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(type(number) is int for number in value)
    )


def _read_object(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, str):
        return None
    read = read_arguments(value)
    return (
        read.value
        if isinstance(read, Read) and not read.doubtful and isinstance(read.value, dict)
        else None
    )


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name[:64]}`" for name in names[:6])
