"""A call that was found in a text."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from holdfast.syntax.json_text import (
    Cut,
    JsonReading,
    Read,
    Unclosed,
    Unreadable,
    read_json_text,
    read_unclosed,
)
from holdfast.syntax.spans import next_span
from holdfast.syntax.strict_json import DecodedJson, UnsoundError, decode, pair_up
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

Ending: TypeAlias = Literal["closed", "open"]
"""Whether the text marks the end of the call. If not (`open`), only the server knows the end."""


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call: the name, the arguments, and the text of the call.

    `body` is where the arguments are in the text of a reply; `lacks` is the closing marks that are
    missing behind them.
    """

    name: str
    arguments: JsonReading
    raw: str
    ending: Ending = "closed"
    body: tuple[int, int] = field(default=(0, 0), compare=False)
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class CallsRead:
    """The calls that were read at a position of a text, and the position after them.

    `loud` means that the notation has no other use: it always means a call.
    """

    calls: tuple[FoundCall, ...]
    end: int
    loud: bool = True


def drop_repeats(calls: Iterable[FoundCall], before: Sequence[FoundCall] = ()) -> list[FoundCall]:
    """Return the calls without each that only repeats the call directly before it.

    The first one may repeat the last of `before`.
    """
    kept: list[FoundCall] = []
    last = before[-1:]
    for call in calls:
        if not any(_is_same(call, other) for other in last):
            kept.append(call)
        last = [call]

    return kept


def _is_same(one: FoundCall, other: FoundCall) -> bool:
    return one.name == other.name and one.arguments == other.arguments


_GENERIC = frozenset(("function", "tool_call", "tool_use", "tool", "call", "function_call"))
_CONTAINERS = ("tool_calls", "function_call", "tool_call", "function")
NAME_FIELDS: Final = (
    "name",
    "tool",
    "tool_name",
    "function_name",
    "recipient_name",
    "action",
    "function",
)
GIVEN_FIELDS: Final = (
    "arguments",
    "parameters",
    "args",
    "params",
    "input",
    "tool_input",
    "action_input",
    "kwargs",
)
"""The fields of a call as an object: those that name the tool, and those with its arguments."""


def calls_of(
    value: Any,
    raw: str,
    *,
    cut: bool = False,
    bare: bool = False,
    doubtful: bool = False,
    unclosed: bool = False,
) -> tuple[FoundCall, ...]:
    """Return the calls that a JSON value describes; none if it is something else.

    - `cut`: the text ended inside the value.
    - `bare`: no marker around the value shows that it is a call, so it needs a field for its
      arguments.
    - `doubtful`: the reader of the value was in doubt about it (see `Read`).
    - `unclosed`: the value lacks closing brackets (see `Unclosed`).

    >>> [call.name for call in calls_of({"function": {"name": "ls", "arguments": "{}"}}, "")]
    ['ls']
    """
    calls: list[FoundCall] = []
    for leaf in _leaves(value):
        call = _call_of(leaf, raw, bare=bare)
        if call is None:
            return ()
        arguments = call.arguments
        if doubtful and isinstance(arguments, Read):
            arguments = replace(arguments, doubtful=True)
        if cut:
            arguments = Cut(_whole_fields(arguments))
        if unclosed and isinstance(arguments, Read):
            arguments = Unclosed(arguments.value)
        calls.append(replace(call, arguments=arguments))

    return tuple(calls)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values inside lists and inside fields such as `tool_calls`; None for no value."""
    if isinstance(value, list):
        for item in value or [None]:
            yield from _leaves(item)
        return

    if isinstance(value, dict):
        for name in _CONTAINERS:
            inner = value.get(name)
            if isinstance(inner, dict | list):
                yield from _leaves(inner)
                return

    yield value


def _call_of(value: Any, raw: str, *, bare: bool) -> FoundCall | None:
    if not isinstance(value, dict):
        return None

    label = _name_field(value)
    if label is None:
        return None

    given = _arguments_field(value)
    is_marked = not bare or value.get("type") in _GENERIC
    if given is None and not is_marked:
        return None

    return FoundCall(
        name=str(value[label]),
        arguments=_arguments_of(value, label, given),
        raw=raw,
    )


def _whole_fields(arguments: JsonReading) -> dict[str, Any]:
    """Return the fields of arguments that were read whole; nothing of any others."""
    match arguments:
        case Read(dict(fields)):
            return fields
    return {}


def _arguments_field(value: dict[str, Any]) -> str | None:
    """Return the field that contains the arguments, or None."""
    for key in GIVEN_FIELDS:
        if key in value:
            return key
    return None


def _name_field(value: dict[str, Any]) -> str | None:
    """Return the field that names the tool, or None."""
    for key in NAME_FIELDS:
        if isinstance(value.get(key), str):
            return key

    kind = value.get("type")
    if not isinstance(kind, str):
        return None
    if kind in _GENERIC:
        return None

    return "type"  # Granite


def _arguments_of(value: dict[str, Any], label: str, given: str | None) -> JsonReading:
    """Return the arguments in the field `given`; without one, all fields but the name's."""
    if given is None:
        others = dict(value)
        for key in (label, "type", "id"):
            others.pop(key, None)
        return Read(others)

    arguments = value[given]
    if isinstance(arguments, str):
        return read_json_text(arguments)
    if arguments is None:
        return Read({})

    return Read(arguments)


def read_json_arguments(text: str, at: int, closer: re.Pattern[str]) -> tuple[JsonReading, int]:
    """Read the JSON arguments at `at` and return their end.

    If the JSON has no end of its own, the next match of `closer` ends it.
    """
    found = decode(text, at, raw_controls=True)
    if isinstance(found, DecodedJson):
        return read_json_text(text[at : found.end]), found.end

    end, _ = next_span(closer, text, at)
    arguments = read_json_text(text[at:end])
    # The model closed the call, so nothing was cut off.
    if isinstance(arguments, Cut) and end < len(text):
        arguments = read_unclosed(text[at:end]) or arguments

    return arguments, end


def fields_of(pairs: list[tuple[str, str]], *, cut: bool = False) -> JsonReading:
    """Return the arguments that were written field by field."""
    try:
        fields = pair_up(list(pairs))
    except UnsoundError as error:
        return Unreadable(str(error))

    if cut:
        return Cut(fields)

    return Read(fields)
