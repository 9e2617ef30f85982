"""The calls of a reply before they are fitted to tools: the server's, or else those in the text."""

from __future__ import annotations

from itertools import filterfalse
from typing import TYPE_CHECKING

from holdfast.loop.parse_reply.control_tokens import cut_tokens
from holdfast.loop.parse_reply.text_calls.found_call import FoundCall, calls_of
from holdfast.loop.parse_reply.text_calls.scan import scan
from holdfast.loop.parse_reply.thinking import divide
from holdfast.loop.parse_reply.tool_names import ToolMatch, find_tool
from holdfast.syntax.json_text import (
    Cut,
    JsonReading,
    Read,
    fields_read,
    read_json_text,
)
from holdfast.syntax.strict_json import repair_surrogates
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.loop.reply import ModelReply
    from holdfast.vocab.tool_calls import RawCall, ToolSpec


@dataclass(frozen=True, slots=True)
class CallDraft:
    """One call before it is fitted to a tool. `printed` means that it was found in the text.

    `lacks` is the closing marks that are missing behind complete arguments.
    """

    id: str
    name: str
    arguments: JsonReading
    raw: str
    printed: bool = False
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class ReplyDraft:
    """The parts of a reply. `truncated` means incomplete, whatever finish the server reports."""

    text: str
    reasoning: str
    calls: tuple[CallDraft, ...]
    truncated: bool

    def is_empty(self) -> bool:
        """Return whether there is no text, no reasoning and no call."""
        if self.calls:
            return False
        words = self.text + self.reasoning
        return not words.strip()


def draft_calls(
    reply: ModelReply, specs: Sequence[ToolSpec], *, prints: bool = False
) -> ReplyDraft:
    """Split a reply into text, reasoning and calls.

    `prints` says that this model calls tools by printing calls in its text, or that it was just
    asked to make the call. Otherwise a call without markup that follows words may be an example:
    it is taken for a call only if its tool changes nothing.
    """
    divided = divide(repair_surrogates(reply.text))
    thoughts = [repair_surrogates(reply.reasoning), divided.reasoning]
    text = cut_tokens(divided.text)
    sent = filterfalse(_is_hull, reply.calls)
    calls = list(map(_draft_sent, sent))
    if specs and not calls:
        scanned = scan(
            divided.text,
            known=lambda found: _find_tool(found, specs) is not None,
            meant=lambda found: prints or _only_reads(found, specs),
        )
        calls = [_draft_printed(found, reply, specs) for found in scanned.calls]
        text = cut_tokens(scanned.text)
        if calls:
            text = cut_tokens(scanned.text, wrappers=True).strip()

    truncated = not reply.whole
    if reply.finish == "unknown" and not calls:
        truncated = False  # words of an unknown ending do no harm

    for call in calls:
        if isinstance(call.arguments, Cut):
            truncated = True

    return ReplyDraft(
        text=text,
        reasoning="\n".join(filter(None, thoughts)),
        calls=tuple(calls),
        truncated=truncated,
    )


def _draft_sent(call: RawCall) -> CallDraft:
    """Return the draft of a call that the server sent as a call."""
    name = call.name
    arguments = read_json_text(call.arguments)
    if not name.strip() and isinstance(arguments, Read):
        inside = calls_of(
            arguments.value,
            call.arguments,
            bare=True,
            doubtful=arguments.doubtful,
        )
        if len(inside) == 1:
            name = inside[0].name
            arguments = inside[0].arguments

    return CallDraft(
        id=call.id,
        name=name,
        arguments=arguments,
        raw=call.arguments,
    )


def _draft_printed(found: FoundCall, reply: ModelReply, specs: Sequence[ToolSpec]) -> CallDraft:
    """Return the draft of a call that was found in the text."""
    arguments = found.arguments
    lacks = ""
    if isinstance(arguments, Read) and not _may_run(found, reply, specs):
        arguments = Cut(fields_read(arguments) or {})
        if found.ending == "closed":
            lacks = found.lacks

    return CallDraft(
        id="",
        name=found.name,
        arguments=arguments,
        raw=found.raw,
        printed=True,
        lacks=lacks,
    )


def _may_run(found: FoundCall, reply: ModelReply, specs: Sequence[ToolSpec]) -> bool:
    """Return whether a printed call is complete enough to run.

    A call that its text does not close, by its own mark or by that of a wrapper around it, may run
    if the tool only reads and the server reports a normal end. A server may report "stop" for a
    reply that it cut, so its report is not enough for a call that changes something.
    """
    if found.ending == "closed" and not found.lacks:
        return True

    if not _only_reads(found, specs):
        return False

    return reply.finish in {"stop", "tool_calls"}


def _is_hull(call: RawCall) -> bool:
    """Return whether a server sent a call with no name and no arguments."""
    if call.name.strip():
        return False
    return call.arguments.strip() in {"", "{}", "null"}


def _only_reads(found: FoundCall, specs: Sequence[ToolSpec]) -> bool:
    """Return whether a call is of a tool that changes nothing."""
    match = _find_tool(found, specs)
    return match is not None and not match.spec.changes


def _find_tool(found: FoundCall, specs: Sequence[ToolSpec]) -> ToolMatch | None:
    return find_tool(found.name, specs, fields_read(found.arguments))
