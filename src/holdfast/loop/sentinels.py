"""Messages for people in the transcript. Their bodies are contracts; no model ever sees them."""

from __future__ import annotations

from typing import Any

from holdfast.guards.loops import Trip
from holdfast.vocab.events import Compacted
from holdfast.vocab.tool_calls import FailureKind
from holdfast.vocab.transcript import Sentinel

_PATTERNS = {
    "identical": "the same call with the same result",
    "cycle": "the same few calls in turn",
    "duplicate": "the same call again and again",
    "no_progress": "calls that bring nothing new",
    "no_effect": "the same command with the same result, whatever was edited",
}


def mistake_recovery(run: tuple[FailureKind, ...], *, escalated: bool) -> Sentinel:
    """Say that one error came after another: the model was told how to recover, or the turn was stopped.

    >>> mistake_recovery(("exec_error", "schema_reject", "exec_error"), escalated=True).body["can_continue"]
    True
    """
    text = (
        "Repeated errors persisted — stopped the turn."
        if escalated
        else "Hit repeated different errors — recovery guidance injected, continuing."
    )
    body: dict[str, Any] = {"failure_kinds": list(run), "count": len(run), "escalated": escalated}
    return Sentinel("mistake_recovery", text, _with_continue(body, escalated=escalated))


def doom_loop(trip: Trip) -> Sentinel:
    """Say that the model goes round in circles: it was told so, or the turn was stopped."""
    what = f"The model repeats itself ({_PATTERNS[trip.pattern]}, {trip.count} times)"
    text = f"{what} — stopped the turn." if trip.escalated else f"{what} — told it so, continuing."
    body: dict[str, Any] = {
        "pattern": trip.pattern,
        "count": trip.count,
        "escalated": trip.escalated,
    }
    return Sentinel("doom_loop", text, _with_continue(body, escalated=trip.escalated))


def cap_hit(steps: int) -> Sentinel:
    """Say that the budget of steps is spent."""
    return Sentinel(
        "cap_hit",
        f"Stopped after {steps} steps, the most allowed.",
        {"steps": steps, "can_continue": True},
    )


def compaction(done: Compacted) -> Sentinel:
    """Say that the history was made shorter."""
    how = "summarised" if done.summary else "dropped the old tool output of"
    text = (
        f"The context was nearly full: {how} {done.messages} messages "
        f"(about {done.tokens_before} tokens became {done.tokens_after})."
    )
    body = {
        "messages": done.messages,
        "tokens_before": done.tokens_before,
        "tokens_after": done.tokens_after,
    }
    return Sentinel("compaction", text, body)


def compaction_off() -> Sentinel:
    """Say that the history cannot be made shorter."""
    text = "The context is nearly full and making it shorter did not help twice; it is left as it is from now on."
    return Sentinel("compaction_off", text, {"passes": 2})


def chant(channel: str) -> Sentinel:
    """Say that a reply was cut because it repeated itself."""
    text = "The model repeated itself without end — cut its reply and asked again with changed sampling."
    return Sentinel("chant", text, {"channel": channel})


def needs_approval(call: str) -> Sentinel:
    """Say that somebody has to be asked and nobody is there."""
    return Sentinel(
        "needs_approval",
        f"{call} needs somebody's approval, and nobody is there to ask — stopped the turn.",
        {"tool": call, "can_continue": True},
    )


def _with_continue(body: dict[str, Any], *, escalated: bool) -> dict[str, Any]:
    return {**body, "can_continue": True} if escalated else body
