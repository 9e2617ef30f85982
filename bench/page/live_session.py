"""A session that works for an hour: turns with streamed text, edits and their ends, as events and as a transcript."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

AT = "2026-11-17T00:00:00+00:00"
SESSION = "live"
TURN = 250
"""How many events a turn has."""
STEPS = 5
SAID = """Step {step} of answer {turn}: **bold**, `code`, and a list:

- one
- two

```python
def f{turn}_{step}(x):
    return x + {turn}
```

| a | b |
|---|---|
| {turn} | {step} |
"""
DIFF = """--- a/module_{turn}.py
+++ b/module_{turn}.py
@@ -{line},12 +{line},12 @@
{kept}-old_{turn}_{step} = 1
-other_{turn}_{step} = 2
+new_{turn}_{step} = 1
+another_{turn}_{step} = 2
{kept}"""


def event(seq: int, turn: int, kind: str, **fields: Any) -> dict[str, Any]:
    """Return an event of the session, as the stream has it."""
    head = {"v": 1, "seq": seq, "at": AT, "session": SESSION, "turn": f"t{turn}", "kind": kind}
    return {**head, **fields}


def event_at(seq: int) -> dict[str, Any]:
    """Return the event with a number; the first one is 1."""
    turn, place = divmod(seq - 1, TURN)
    return events_of_turn(turn)[place]


@lru_cache(maxsize=32)
def events_of_turn(turn: int) -> list[dict[str, Any]]:
    """Return the events of a turn, the first of which is turn 0."""
    bodies = [_started(turn), _checkpoint(turn)]
    for step in range(1, STEPS + 1):
        bodies += _step(turn, step, (TURN - 3) // STEPS - 6)
    while len(bodies) < TURN - 1:
        bodies.append({"kind": "text", "text": "more "})
    bodies.append(_ended(turn))
    return [event(turn * TURN + place, turn, **body) for place, body in enumerate(bodies, 1)]


def newest_messages(last: int, before: int | None, limit: int) -> dict[str, Any]:
    """Return a page of the transcript after the event with the number `last`."""
    turns = -(-last // TURN)
    end = 2 * turns if before is None else before
    found = [_message(number, last) for number in range(max(0, end - limit), end)][::-1]
    return {
        "messages": found,
        "before": end - limit if end > limit else None,
        "queue": [],
        "seq": last,
    }


def _message(number: int, last: int) -> dict[str, Any]:
    """Return a message: even numbers are prompts, odd ones answers."""
    turn = number // 2
    is_answer = number % 2 == 1
    events: list[dict[str, Any]] = []
    if is_answer:
        events = [each for each in events_of_turn(turn) if each["seq"] <= last]
        said = max((each["seq"] for each in events if each["kind"] == "said"), default=0)
        events = [each for each in events if each["kind"] != "text" or each["seq"] > said]

    return {
        "id": f"m{number}",
        "seq": number,
        "role": "assistant" if is_answer else "user",
        "state": "done",
        "text": f"Prompt {turn}",
        "turn_id": f"t{turn}",
        "checkpoint_id": f"c{turn}",
        "created_at": AT,
        "events": events,
    }


def _started(turn: int) -> dict[str, Any]:
    return {
        "kind": "turn_started",
        "model": "m",
        "prompt": f"Prompt {turn}",
        "continued": False,
        "agent": "holdfast",
        "chat_id": "c",
        "prompt_message_id": f"m{2 * turn}",
        "message_id": f"m{2 * turn + 1}",
        "sandbox": "none",
        "root": "",
        "context": 32_768,
    }


def _checkpoint(turn: int) -> dict[str, Any]:
    return {
        "kind": "checkpoint_taken",
        "checkpoint_id": f"c{turn}",
        "skipped": [],
        "message_id": f"m{2 * turn + 1}",
        "label": f"Prompt {turn}",
        "checkpoint_kind": "turn",
        "chat_id": "c",
    }


def _step(turn: int, step: int, pieces: int) -> list[dict[str, Any]]:
    """Return the events of a step: the text as it comes, the text as it is, and an edit."""
    text = SAID.format(turn=turn, step=step)
    size = -(-len(text) // pieces)
    path = f"module_{turn}.py"
    call = {"id": f"k{step}", "name": "edit_file", "arguments": {"path": path}, "note": None}
    kept = "".join(f" value_{turn}_{row} = {row}\n" for row in range(5))
    diff = DIFF.format(turn=turn, step=step, line=20 * step, kept=kept)
    landed = {"path": path, "action": "edit", "rung": "exact", "similarity": 1.0, "diff": diff}
    ended = {"call_id": f"k{step}", "name": "edit_file", "text": "edited", "failure": None}
    usage = {"prompt": 900, "completion": 80, "estimated": False, "context": None, "window": None}
    return [
        {"kind": "step_started", "step": step},
        *({"kind": "text", "text": text[at * size : (at + 1) * size]} for at in range(pieces)),
        {"kind": "usage", **usage},
        {"kind": "said", "text": text, "reasoning": "", "calls": [call]},
        {"kind": "call_started", "call": call},
        {"kind": "edit_landed", **landed, "change_id": None, "to": None, "proposed": False},
        {"kind": "call_ended", **ended, "read": [], "modified": [path]},
    ]


def _ended(turn: int) -> dict[str, Any]:
    return {
        "kind": "turn_ended",
        "stop_reason": "done",
        "message": f"Turn {turn} is done.",
        "steps": STEPS,
        "prompt_tokens": 4_500,
        "completion_tokens": 400,
        "files": [f"module_{turn}.py"],
        "ended_by": "turn",
        "observed": [],
        "unresolved": [],
    }
