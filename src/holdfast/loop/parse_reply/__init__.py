"""Parse a model's reply into calls to run, and refusals that explain what is wrong with a call."""

from __future__ import annotations

from holdfast.loop.parse_reply.bad_call import BadCall
from holdfast.loop.parse_reply.draft_calls import ReplyDraft, draft_calls
from holdfast.loop.parse_reply.fit_calls import ParsedReply, fit_calls

__all__ = ["BadCall", "ParsedReply", "ReplyDraft", "draft_calls", "fit_calls"]
