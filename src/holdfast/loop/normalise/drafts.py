"""The calls of a reply before they are fitted to tools: those that the server gave, or else those in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.loop.normalise.arguments import Arguments, Cut, Read, read_arguments
from holdfast.loop.normalise.control_tokens import cut_tokens
from holdfast.loop.normalise.names import Named, find_tool
from holdfast.loop.normalise.strict_json import mend_pairs
from holdfast.loop.normalise.text_calls.found import Found, calls_of
from holdfast.loop.normalise.text_calls.scan import scan
from holdfast.loop.normalise.thinking import divide
from holdfast.loop.reply import Reply
from holdfast.vocab.calls import RawCall, ToolSpec


@dataclass(frozen=True, slots=True)
class Draft:
    """One call as it was understood so far. `printed` says that it stood in the text."""

    id: str
    name: str
    arguments: Arguments
    raw: str
    printed: bool = False


@dataclass(frozen=True, slots=True)
class Drafts:
    """What a reply holds. `truncated` says that it is not whole, whatever the server says."""

    text: str
    reasoning: str
    calls: tuple[Draft, ...]
    truncated: bool


def draft(reply: Reply, specs: Sequence[ToolSpec]) -> Drafts:
    """Take a reply apart: what is said, what is thought, what is called."""
    divided = divide(mend_pairs(reply.text))
    thoughts = "\n".join(part for part in (mend_pairs(reply.reasoning), divided.reasoning) if part)
    given = tuple(_given(call) for call in reply.calls if not _is_ghost(call))
    if given or not specs:
        return Drafts(cut_tokens(divided.text), thoughts, given, _is_truncated(reply, given))
    scanned = scan(divided.text, lambda found: _find(found, specs) is not None)
    if not scanned.calls:
        return Drafts(cut_tokens(divided.text), thoughts, (), _is_truncated(reply, ()))
    printed = tuple(_printed(found, reply, specs) for found in scanned.calls)
    text = cut_tokens(scanned.text, wrappers=True).strip()
    return Drafts(text, thoughts, printed, _is_truncated(reply, printed))


def _given(call: RawCall) -> Draft:
    arguments = read_arguments(call.arguments)
    if not call.name.strip() and isinstance(arguments, Read):
        inside = calls_of(arguments.value, call.arguments, bare=True, doubtful=arguments.doubtful)
        if len(inside) == 1:
            return Draft(call.id, inside[0].name, inside[0].arguments, call.arguments)
    return Draft(call.id, call.name, arguments, call.arguments)


def _printed(found: Found, reply: Reply, specs: Sequence[ToolSpec]) -> Draft:
    arguments = found.arguments
    if found.ending == "open" and isinstance(arguments, Read) and not _may_run_open(found, reply, specs):
        arguments = Cut(arguments.value if isinstance(arguments.value, dict) else {})
    return Draft("", found.name, arguments, found.raw, printed=True)


def _may_run_open(found: Found, reply: Reply, specs: Sequence[ToolSpec]) -> bool:
    """Whether a call that its text does not close may be run: it only reads, and the server says that it is over.

    A server may say "stop" for a reply that it cut, so its word is not enough for a call that changes something.
    """
    named = _find(found, specs)
    only_reads = named is not None and not named.spec.changes
    return only_reads and reply.finish in {"stop", "tool_calls"}


def _is_ghost(call: RawCall) -> bool:
    """Whether a server sent the hull of a call, with no name and nothing in it."""
    return not call.name.strip() and call.arguments.strip() in {"", "{}", "null"}


def _find(found: Found, specs: Sequence[ToolSpec]) -> Named | None:
    value = getattr(found.arguments, "value", None)
    return find_tool(found.name, specs, value if isinstance(value, dict) else None)


def _is_truncated(reply: Reply, calls: Sequence[Draft]) -> bool:
    return not reply.whole or any(isinstance(call.arguments, Cut) for call in calls)
