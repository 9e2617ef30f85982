"""The calls of a reply before they are fitted to tools: those that the server gave, or else those in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.loop.parse_reply.arguments import Cut, Read, ReadArguments, read_arguments
from holdfast.loop.parse_reply.control_tokens import cut_tokens
from holdfast.loop.parse_reply.strict_json import mend_pairs
from holdfast.loop.parse_reply.text_calls.found_call import FoundCall, calls_of
from holdfast.loop.parse_reply.text_calls.scan import scan
from holdfast.loop.parse_reply.thinking import divide
from holdfast.loop.parse_reply.tool_names import Named, find_tool
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import RawCall, ToolSpec


@dataclass(frozen=True, slots=True)
class CallDraft:
    """One call as it was understood so far. `printed` says that it stood in the text."""

    id: str
    name: str
    arguments: ReadArguments
    raw: str
    printed: bool = False


@dataclass(frozen=True, slots=True)
class CallDrafts:
    """What a reply holds. `truncated` says that it is not whole, whatever the server says."""

    text: str
    reasoning: str
    calls: tuple[CallDraft, ...]
    truncated: bool


def draft(reply: ModelReply, specs: Sequence[ToolSpec]) -> CallDrafts:
    """Take a reply apart: what is said, what is thought, what is called."""
    divided = divide(mend_pairs(reply.text))
    thoughts = "\n".join(part for part in (mend_pairs(reply.reasoning), divided.reasoning) if part)
    given = tuple(_given(call) for call in reply.calls if not _is_ghost(call))
    if given or not specs:
        return CallDrafts(cut_tokens(divided.text), thoughts, given, _is_truncated(reply, given))
    scanned = scan(divided.text, lambda found: _find(found, specs) is not None)
    if not scanned.calls:
        return CallDrafts(cut_tokens(divided.text), thoughts, (), _is_truncated(reply, ()))
    printed = tuple(_printed(found, reply, specs) for found in scanned.calls)
    text = cut_tokens(scanned.text, wrappers=True).strip()
    return CallDrafts(text, thoughts, printed, _is_truncated(reply, printed))


def _given(call: RawCall) -> CallDraft:
    arguments = read_arguments(call.arguments)
    if not call.name.strip() and isinstance(arguments, Read):
        inside = calls_of(arguments.value, call.arguments, bare=True, doubtful=arguments.doubtful)
        if len(inside) == 1:
            return CallDraft(call.id, inside[0].name, inside[0].arguments, call.arguments)
    return CallDraft(call.id, call.name, arguments, call.arguments)


def _printed(found: FoundCall, reply: ModelReply, specs: Sequence[ToolSpec]) -> CallDraft:
    arguments = found.arguments
    if (
        found.ending == "open"
        and isinstance(arguments, Read)
        and not _may_run_open(found, reply, specs)
    ):
        arguments = Cut(arguments.value if isinstance(arguments.value, dict) else {})
    return CallDraft("", found.name, arguments, found.raw, printed=True)


def _may_run_open(found: FoundCall, reply: ModelReply, specs: Sequence[ToolSpec]) -> bool:
    """Whether a call that its text does not close may be run: it only reads, and the server says that it is over.

    A server may say "stop" for a reply that it cut, so its word is not enough for a call that changes something.
    """
    named = _find(found, specs)
    only_reads = named is not None and not named.spec.changes
    return only_reads and reply.finish in {"stop", "tool_calls"}


def _is_ghost(call: RawCall) -> bool:
    """Whether a server sent the hull of a call, with no name and nothing in it."""
    return not call.name.strip() and call.arguments.strip() in {"", "{}", "null"}


def _find(found: FoundCall, specs: Sequence[ToolSpec]) -> Named | None:
    value = getattr(found.arguments, "value", None)
    return find_tool(found.name, specs, value if isinstance(value, dict) else None)


def _is_truncated(reply: ModelReply, calls: Sequence[CallDraft]) -> bool:
    return not reply.whole or any(isinstance(call.arguments, Cut) for call in calls)
