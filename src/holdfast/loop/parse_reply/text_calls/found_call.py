"""A call that was found in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from holdfast.loop.parse_reply.arguments import Cut, Read, ReadArguments, Unreadable, read_arguments
from holdfast.loop.parse_reply.strict_json import UnsoundError, pair_up

Ending: TypeAlias = Literal["closed", "open"]
"""Whether the text says that the call is over. `open`: nothing says so, and only the server knows."""


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call: what it names, what it gives, the text it was."""

    name: str
    arguments: ReadArguments
    raw: str
    ending: Ending = "closed"


@dataclass(frozen=True, slots=True)
class CallsRead:
    """The calls that were read at a place of a text, and where the text goes on.

    `loud` says that the notation has no other use: nobody writes it who does not mean a call.
    """

    calls: tuple[FoundCall, ...]
    end: int
    loud: bool = True


_GENERIC = frozenset(("function", "tool_call", "tool_use", "tool", "call", "function_call"))
_NAMES = ("name", "tool", "tool_name", "function_name", "recipient_name", "action")
_GIVEN = (
    "arguments",
    "parameters",
    "args",
    "params",
    "input",
    "tool_input",
    "action_input",
    "kwargs",
)


def calls_of(
    value: Any, raw: str, *, cut: bool = False, bare: bool = False, doubtful: bool = False
) -> tuple[FoundCall, ...]:
    """Give the calls that a JSON value describes; none if it is something else.

    `cut` says that the text ended inside it. `bare` says that nothing around it marks it as a call, so that it has to
    look like one itself: with a field for its arguments. `doubtful` is what reading it has said.

    >>> [call.name for call in calls_of({"type": "function", "function": {"name": "ls", "arguments": "{}"}}, "")]
    ['ls']
    """
    if isinstance(value, list):
        calls = [calls_of(item, raw, cut=cut, bare=bare, doubtful=doubtful) for item in value]
        return tuple(call for some in calls for call in some) if all(calls) else ()
    if not isinstance(value, dict):
        return ()
    for name in ("tool_calls", "function_call", "tool_call", "function"):
        if isinstance(value.get(name), dict | list):
            return calls_of(value[name], raw, cut=cut, bare=bare, doubtful=doubtful)
    call = _call_of(value, raw, bare=bare)
    if call is None:
        return ()
    given = call.arguments
    if cut:
        given = Cut(
            given.value if isinstance(given, Read) and isinstance(given.value, dict) else {}
        )
    elif doubtful and isinstance(given, Read):
        given = Read(given.value, given.note, doubtful=True)
    return (FoundCall(call.name, given, raw),)


def _call_of(value: dict[str, Any], raw: str, *, bare: bool) -> FoundCall | None:
    label = next((key for key in (*_NAMES, "function") if isinstance(value.get(key), str)), None)
    if label is None and isinstance(value.get("type"), str) and value["type"] not in _GENERIC:
        label = "type"  # Granite
    if label is None:
        return None
    given = next((key for key in _GIVEN if key in value), None)
    if given is None and bare and value.get("type") not in _GENERIC:
        return None
    if given is None:
        rest = {key: item for key, item in value.items() if key not in {label, "type", "id"}}
        arguments: ReadArguments = Read(rest)
    elif isinstance(value[given], str):
        arguments = read_arguments(value[given])
    else:
        arguments = Read({} if value[given] is None else value[given])
    return FoundCall(str(value[label]), arguments, raw)


def fields_of(pairs: list[tuple[str, str]], *, cut: bool = False) -> ReadArguments:
    """Give the arguments that were written field by field."""
    try:
        fields = pair_up(list(pairs))
    except UnsoundError as error:
        return Unreadable(str(error))
    return Cut(fields) if cut else Read(fields)
