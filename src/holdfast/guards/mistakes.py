"""Mistakes: consecutive failures of any kind. The model is nudged once; then the turn stops."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.vocab.tool_calls import FailureKind

MISTAKE_THRESHOLD = 3

_HINTS: dict[FailureKind, str] = {
    "schema_reject": "Arguments were rejected: send one JSON object with exactly the fields of the tool's schema.",
    "tool_not_found": "A tool was called that does not exist: use only the names of the tools you were given.",
    "exec_error": "A call could not be executed: read the file or list the directory again before you retry.",
    "api_error": "A reply could not be used: answer with one short tool call, or with plain text if you are done.",
    "permission_denied": "Something is not permitted: stay inside the project, and do not ask for it again.",
}


@dataclass(frozen=True, slots=True)
class Mistakes:
    """The failures since the last success or nudge, and the number of outstanding nudges, of one turn.

    `known` are the failures since the last success, `new` is how many of the run were not known.
    """

    run: tuple[FailureKind, ...] = ()
    nudges: int = 0
    known: frozenset[str] = frozenset()
    new: int = 0


def record(state: Mistakes, failure: FailureKind | None, message: str = "") -> Mistakes:
    """Return the state after one outcome.

    A success (None) clears everything, a failure is appended. `message` tells failures apart;
    without one the failure counts as known.

    >>> record(Mistakes(("exec_error",), nudges=1), "api_error").run
    ('exec_error', 'api_error')
    >>> record(Mistakes(("exec_error",), nudges=1), None)
    Mistakes(run=(), nudges=0, known=frozenset(), new=0)
    """
    if failure is None:
        return Mistakes()

    new = {message} - {""} - state.known
    return replace(
        state, run=(*state.run, failure), known=state.known | new, new=state.new + len(new)
    )


def detect(state: Mistakes) -> Literal["nudge", "escalate"] | None:
    """Return what the consecutive failures require, without changing the state.

    The caller may delay a nudge.

    >>> detect(Mistakes(("exec_error", "api_error", "schema_reject")))
    'nudge'
    >>> detect(Mistakes(("exec_error", "api_error", "schema_reject"), nudges=1))
    'escalate'
    """
    needed: Literal["nudge", "escalate"] = "nudge"
    count: float = len(state.run)
    if state.nudges:
        needed = "escalate"
        # A model whose failures differ is trying: two of them count as one.
        count -= state.new / 2

    if count < MISTAKE_THRESHOLD:
        return None

    return needed


def nudged(state: Mistakes) -> Mistakes:
    """Return the state after a nudge: one more nudge is outstanding, and the count starts again.

    >>> nudged(Mistakes(("exec_error", "api_error", "schema_reject")))
    Mistakes(run=(), nudges=1, known=frozenset(), new=0)
    """
    return Mistakes(nudges=state.nudges + 1, known=state.known)


def guidance(run: tuple[FailureKind, ...]) -> str:
    """Return the guidance for the model.

    How to recover, and one hint for each kind of failure in order of appearance.
    """
    lines = [
        f"The last {len(run)} calls failed. Before the next one:",
        "- Re-read the schemas of the tools.",
        "- Verify that the paths and arguments you use exist.",
        "- Try a different approach rather than variations of the same call.",
        *(f"- {_HINTS[kind]}" for kind in dict.fromkeys(run)),
    ]
    return "\n".join(lines)
