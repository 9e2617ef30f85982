"""What kind of reply a model gave."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from holdfast.loop.announced_action import announces_action
from holdfast.loop.parse_reply.draft_calls import draft
from holdfast.loop.reply import ModelReply
from holdfast.loop.unparsed_call import shows_unread_call
from holdfast.vocab.tool_calls import ToolSpec


class Class(StrEnum):
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


def classify(reply: ModelReply, specs: Sequence[ToolSpec]) -> Class:
    """Give the reply its class. A chant is an `API_ERROR` here: whoever retries it looks at `reply.chant` first."""
    failure = reply.failure
    if failure is not None and failure.kind == "overflow":
        return Class.CONTEXT_OVERFLOW
    if reply.chant is not None or (failure is not None and failure.kind != "cut"):
        return Class.API_ERROR
    found = draft(reply, specs)
    if not found.text.strip() and not found.calls and not found.reasoning.strip():
        return Class.API_ERROR if failure is not None else Class.EMPTY
    if found.truncated:
        return Class.TRUNCATED
    if found.calls:
        return Class.TEXT_TOOL_CALLS if found.calls[0].printed else Class.TOOL_CALLS
    if not found.text.strip():
        return Class.REASONING_ONLY
    if specs and (announces_action(found.text) or shows_unread_call(reply.text, specs)):
        return Class.NARRATED_INTENT
    return Class.FINAL
