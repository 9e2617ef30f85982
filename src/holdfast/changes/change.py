"""A change: edits of files that were asked for and landed, and their life.

    proposed -> applied -> rewound
    proposed -> rejected

To propose is to land in memory; nothing is written before `applied`. No other way is legal.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.changes.plan import ChangePlan
    from holdfast.changes.swaps import Content
    from holdfast.vocab.requests import FileRequest

ChangeState: TypeAlias = Literal["proposed", "applied", "rejected", "rewound"]

AT_ONCE = "apply"
"""The origin of a change that is proposed and applied by one command, under the root's lock."""
FOR_REVIEW = "proposal"
"""The origin of a change that waits for somebody to decide."""
OBSERVED = "observed"
"""The origin of a change that somebody else wrote, and that we only saw."""
SPLIT = "split"
"""The origin of a change that is a part of another one."""

_ONLY_FROM: dict[ChangeState, ChangeState] = {
    "applied": "proposed",
    "rejected": "proposed",
    "rewound": "applied",
}


@dataclass(frozen=True, slots=True)
class RequestedEdits:
    """The requests as they came. `overwrite` says that a create may write a file anew that is there.

    None at all for what was observed, and for a part of a change (`part_of` is the id of that): their texts say all.
    """

    requests: tuple[FileRequest, ...] = ()
    overwrite: bool = False
    part_of: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeOwner:
    """The session and the turn that a change belongs to; none for what is done outside of any."""

    session: str | None = None
    turn: str | None = None


NOBODY = ChangeOwner()


@dataclass(frozen=True, slots=True)
class Change:
    """What was asked, what it makes of which bytes (`plan`), and how far it has come.

    `seq` is its place in the project's order: it gets one when it is recorded and, unless it is the latest anyway,
    another one when it is applied. So the applied changes stand in the order in which they were applied. The log gives
    `seq` and the moments, which are for people. `session` and `turn` are those of its owner.
    """

    id: str
    state: ChangeState
    origin: str
    asked: RequestedEdits
    plan: ChangePlan
    seq: int = 0
    created_at: str = ""
    settled_at: str | None = None
    session: str | None = None
    turn: str | None = None

    @property
    def paths(self) -> frozenset[str]:
        """The real paths that the change swaps."""
        return frozenset(swap.path for swap in self.plan.swaps)


def judge_move(change: Change, to: ChangeState) -> Refused | None:
    """Refuse a move that is not legal; None if it is."""
    needed = _ONLY_FROM.get(to)
    if change.state == needed:
        return None
    if change.state == to:
        return Refused(
            "already_applied", f"change {change.id} is {to} already; there is nothing to do."
        )
    return Refused(
        "conflict",
        f"change {change.id} is {change.state}; only {_a(needed)} change can become {to}.",
    )


def hash_of(content: Content | None) -> str | None:
    """Give the SHA-256 of what a file holds; None for no file."""
    return None if content is None else hashlib.sha256(content.data).hexdigest()


def _a(state: ChangeState | None) -> str:
    return f"an {state}" if state == "applied" else f"a {state}"
