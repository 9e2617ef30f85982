"""Mistakes: failures of any kinds, one after the other. The model is told once how to recover, then the turn stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from holdfast.vocab.tool_calls import FailureKind

MISTAKE_THRESHOLD = 3

_HINTS: dict[FailureKind, str] = {
    "schema_reject": "Arguments were rejected: send one JSON object with exactly the fields of the tool's schema.",
    "tool_not_found": "A tool was called that does not exist: use only the names of the tools you were given.",
    "exec_error": "A call could not be carried out: read the file or list the directory again before you retry.",
    "api_error": "A reply could not be used: answer with one short tool call, or with plain text if you are done.",
    "permission_denied": "Something is not permitted: stay inside the project, and do not ask for it again.",
}


@dataclass(frozen=True, slots=True)
class Mistakes:
    """The failures since the last success or nudge, and how many nudges are outstanding. Lives for one turn."""

    run: tuple[FailureKind, ...] = ()
    nudges: int = 0


def record(state: Mistakes, failure: FailureKind | None) -> Mistakes:
    """Take one outcome: a success (None) clears everything, a failure is appended.

    >>> record(Mistakes(("exec_error",), nudges=1), "api_error")
    Mistakes(run=('exec_error', 'api_error'), nudges=1)
    >>> record(Mistakes(("exec_error",), nudges=1), None)
    Mistakes(run=(), nudges=0)
    """
    if failure is None:
        return Mistakes()
    return replace(state, run=(*state.run, failure))


def detect(state: Mistakes) -> Literal["nudge", "escalate"] | None:
    """Say what the run of failures calls for; changes nothing, so that a nudge may be held back.

    >>> detect(Mistakes(("exec_error", "api_error", "schema_reject")))
    'nudge'
    >>> detect(Mistakes(("exec_error", "api_error", "schema_reject"), nudges=1))
    'escalate'
    """
    if len(state.run) < MISTAKE_THRESHOLD:
        return None
    return "escalate" if state.nudges else "nudge"


def nudged(state: Mistakes) -> Mistakes:
    """Note that the model was told: one more nudge is outstanding, and the run starts anew.

    >>> nudged(Mistakes(("exec_error", "api_error", "schema_reject")))
    Mistakes(run=(), nudges=1)
    """
    return Mistakes(nudges=state.nudges + 1)


def guidance(run: tuple[FailureKind, ...]) -> str:
    """Give what the model is told: how to recover, and one hint for each kind of failure, in order of appearance."""
    lines = [
        f"The last {len(run)} calls failed. Before the next one:",
        "- Re-read the schemas of the tools.",
        "- Verify that the paths and arguments you use exist.",
        "- Try a different approach rather than variations of the same call.",
        *(f"- {_HINTS[kind]}" for kind in dict.fromkeys(run)),
    ]
    return "\n".join(lines)
