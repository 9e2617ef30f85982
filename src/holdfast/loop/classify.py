"""The kind of a model's reply."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from holdfast.loop.announced_action import announces_action
from holdfast.loop.parse_reply.draft_calls import ReplyDraft
from holdfast.loop.reply import ModelReply
from holdfast.loop.unparsed_call import shows_unread_call
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

    A chant is an `API_ERROR` here: the retry policy checks `reply.chant` before the kind.
    """
    failure = reply.failure
    if failure is not None and failure.kind == "overflow":
        return ReplyKind.CONTEXT_OVERFLOW
    if reply.chant is not None:
        return ReplyKind.API_ERROR
    if failure is not None and failure.kind != "cut":
        return ReplyKind.API_ERROR
    if draft.is_empty():
        return ReplyKind.API_ERROR if failure is not None else ReplyKind.EMPTY
    return _classify_content(reply, draft, specs)


def _classify_content(reply: ModelReply, draft: ReplyDraft, specs: Sequence[ToolSpec]) -> ReplyKind:
    if draft.truncated:
        return ReplyKind.TRUNCATED
    if draft.calls:
        printed = draft.calls[0].printed
        return ReplyKind.TEXT_TOOL_CALLS if printed else ReplyKind.TOOL_CALLS
    if not draft.text.strip():
        return ReplyKind.REASONING_ONLY
    if not specs:
        return ReplyKind.FINAL
    if announces_action(draft.text) or shows_unread_call(reply.text, specs):
        return ReplyKind.NARRATED_INTENT
    return ReplyKind.FINAL
