"""The kind of a model's reply."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from holdfast.loop.announced_action import announces_action
from holdfast.loop.example_call import is_example
from holdfast.loop.unparsed_call import shows_unread_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.loop.parse_reply.draft_calls import ReplyDraft
    from holdfast.loop.reply import ModelReply
    from holdfast.vocab.tool_calls import ToolSpec


class ReplyKind(StrEnum):
    """The nine kinds of replies."""

    TOOL_CALLS = "tool_calls"
    TEXT_TOOL_CALLS = "text_tool_calls"
    FINAL = "final"
    REASONING_ONLY = "reasoning_only"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    NARRATED_INTENT = "narrated_intent"
    CONTEXT_OVERFLOW = "context_overflow"
    API_ERROR = "api_error"


def classify(reply: ModelReply, draft: ReplyDraft, specs: Sequence[ToolSpec]) -> ReplyKind:
    """Return the kind of a reply, from the reply and the draft made of it.

    A repetition is an `API_ERROR` here: the retry policy checks `reply.repetition` before the kind.
    """
    failed = _classify_failure(reply, draft)
    if failed is not None:
        return failed
    if draft.is_empty():
        return ReplyKind.EMPTY
    if draft.truncated:
        return ReplyKind.TRUNCATED
    if not draft.calls:
        return _classify_text(reply, draft, specs)
    if draft.calls[0].printed:
        return ReplyKind.TEXT_TOOL_CALLS

    return ReplyKind.TOOL_CALLS


def _classify_failure(reply: ModelReply, draft: ReplyDraft) -> ReplyKind | None:
    if reply.repetition is not None:
        return ReplyKind.API_ERROR

    failure = reply.failure
    if failure is None:
        return None
    if failure.kind == "overflow":
        return ReplyKind.CONTEXT_OVERFLOW
    # The beginning of a reply whose stream was cut is classified like any truncated reply.
    if failure.kind == "cut" and not draft.is_empty():
        return None

    return ReplyKind.API_ERROR


def _classify_text(reply: ModelReply, draft: ReplyDraft, specs: Sequence[ToolSpec]) -> ReplyKind:
    if not draft.text.strip():
        return ReplyKind.REASONING_ONLY
    if not specs:
        return ReplyKind.FINAL
    if announces_action(draft.text):
        return ReplyKind.NARRATED_INTENT
    if shows_unread_call(reply.text, specs) and not is_example(draft.text):
        return ReplyKind.NARRATED_INTENT

    return ReplyKind.FINAL
