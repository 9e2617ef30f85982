"""Messages for people in the transcript. Their bodies are contracts; no model ever sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.vocab.transcript import Sentinel

if TYPE_CHECKING:
    from holdfast.guards.loops import Trip
    from holdfast.vocab.events import Compacted
    from holdfast.vocab.tool_calls import FailureKind

_PATTERNS = {
    "identical": "the same call with the same result",
    "cycle": "the same few calls in turn",
    "duplicate": "the same call again and again",
    "no_progress": "calls that bring nothing new",
    "no_effect": "the same command with the same result, whatever was edited",
    "paging": "one file in many small steps",
    "new_scripts": "new scripts that fail in the same way",
}


def mistake_recovery(run: tuple[FailureKind, ...], *, escalated: bool) -> Sentinel:
    """Return the sentinel for several errors in a row: guidance was sent, or the turn was stopped.

    >>> mistake_recovery(("exec_error", "exec_error"), escalated=True).body["can_continue"]
    True
    """
    text = "Hit repeated different errors — recovery guidance injected, continuing."
    if escalated:
        text = "Repeated errors persisted — stopped the turn."

    body: dict[str, Any] = {
        "failure_kinds": list(run),
        "count": len(run),
        "escalated": escalated,
    }
    if escalated:
        body["can_continue"] = True

    return Sentinel("mistake_recovery", text, body)


def announcements(run: tuple[FailureKind, ...], count: int) -> Sentinel:
    """Return the sentinel for a model that announced actions `count` times and made no call.

    `run` are the failures before that.
    """
    body: dict[str, Any] = {
        "failure_kinds": list(run),
        "count": len(run),
        "announcements": count,
        "escalated": True,
        "can_continue": True,
    }
    text = "The model kept announcing actions without making a call — stopped the turn."
    return Sentinel("mistake_recovery", text, body)


def doom_loop(trip: Trip) -> Sentinel:
    """Return the sentinel for a model that repeats itself: nudged, or the turn was stopped."""
    reaction = "sent it a note, continuing"
    if trip.escalated:
        reaction = "stopped the turn"

    pattern = _PATTERNS[trip.pattern]
    text = f"The model repeats itself ({pattern}, {trip.count} times) — {reaction}."
    body: dict[str, Any] = {
        "pattern": trip.pattern,
        "count": trip.count,
        "escalated": trip.escalated,
    }
    if trip.escalated:
        body["can_continue"] = True

    return Sentinel("doom_loop", text, body)


def cap_hit(steps: int) -> Sentinel:
    """Return the sentinel for a turn that used all its steps."""
    return Sentinel(
        "cap_hit",
        f"Stopped after {steps} steps, the most allowed.",
        {"steps": steps, "can_continue": True},
    )


def compaction(done: Compacted) -> Sentinel:
    """Return the sentinel for a history that was compacted."""
    method = "dropped the old tool output of"
    if done.summary:
        method = "summarised"

    text = (
        f"The context was nearly full: {method} {done.messages} messages "
        f"(about {done.tokens_before} tokens became {done.tokens_after})."
    )
    body = {
        "messages": done.messages,
        "tokens_before": done.tokens_before,
        "tokens_after": done.tokens_after,
    }
    return Sentinel("compaction", text, body)


def compaction_off() -> Sentinel:
    """Return the sentinel for a history that compaction cannot make shorter."""
    text = (
        "The context is nearly full and compacting it did not help twice; "
        "it is not compacted again in this turn."
    )
    return Sentinel("compaction_off", text, {"passes": 2})


def repetition(channel: str) -> Sentinel:
    """Return the sentinel for a reply that was cut because it repeated itself."""
    text = (
        "The model repeated itself endlessly — cut its reply and asked again with changed sampling."
    )
    return Sentinel("chant", text, {"channel": channel})


def needs_approval(call: str) -> Sentinel:
    """Return the sentinel for a call that needs approval in a session without a user to ask."""
    return Sentinel(
        "needs_approval",
        f"{call} needs approval, and no user is present to ask — stopped the turn.",
        {"tool": call, "can_continue": True},
    )
