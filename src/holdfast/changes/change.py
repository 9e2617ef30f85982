"""A change: requested edits of files that landed, and the states of the change.

    proposed -> applied -> rewound
    proposed -> rejected

A proposed change has landed in memory only; nothing is written before `applied`. Only the moves
shown above are legal.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.changes.plan import ChangePlan
    from holdfast.changes.swaps import Content
    from holdfast.vocab.requests import FileRequest

ChangeState: TypeAlias = Literal["proposed", "applied", "rejected", "rewound"]

AT_ONCE = "apply"
"""The origin of a change that is proposed and applied by one command, under the root's lock."""
FOR_REVIEW = "proposal"
"""The origin of a change that waits for a review."""
OBSERVED = "observed"
"""The origin of a change that another program wrote to the disk and Holdfast only observed."""
SPLIT = "split"
"""The origin of a change that is a part of another change."""

_ONLY_FROM: dict[ChangeState, ChangeState] = {
    "applied": "proposed",
    "rejected": "proposed",
    "rewound": "applied",
}
_WITH_ARTICLE = {"proposed": "a proposed", "applied": "an applied"}


@dataclass(frozen=True, slots=True)
class RequestedEdits:
    """The requests of a change, as received. `overwrite`: a create may replace an existing file.

    There are no requests for an observed change and for a part of a change (`part_of` is the id of
    the whole): the contents in the plan describe these completely.
    """

    requests: tuple[FileRequest, ...] = ()
    overwrite: bool = False
    part_of: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeOwner:
    """The session and the turn that a change belongs to; None for a change made outside of any."""

    session: str | None = None
    turn: str | None = None


NO_OWNER = ChangeOwner()


@dataclass(frozen=True, slots=True)
class Change:
    """The requested edits, the plan (which bytes become which), and the state.

    `seq` is the position of the change in the project's order. The log assigns a `seq` when it
    records the change and, unless the change is the latest already, a new one when the change is
    applied: so applied changes are sorted by the order in which they were applied. The log also
    sets `created_at` and `settled_at`, which are for display only. `session` and `turn` are those
    of the owner. `worktree` is the root that the paths are below; `is_here` is whether that is the
    one which the log was opened for.
    """

    id: str
    state: ChangeState
    origin: str
    requested: RequestedEdits
    plan: ChangePlan
    seq: int = 0
    created_at: str = ""
    settled_at: str | None = None
    session: str | None = None
    turn: str | None = None
    worktree: str = ""
    is_here: bool = True

    @property
    def paths(self) -> frozenset[str]:
        """The real paths that the change swaps."""
        return frozenset(swap.path for swap in self.plan.swaps)


def judge_move(change: Change, to: ChangeState) -> Refused | None:
    """Return the refusal of an illegal move to another state, or None if the move is legal."""
    needed = _ONLY_FROM[to]
    if change.state == needed:
        return None
    if change.state == to:
        return Refused(
            "already_applied", f"change {change.id} is {to} already; there is nothing to do."
        )

    rule = f"only {_WITH_ARTICLE[needed]} change can become {to}"
    return Refused("conflict", f"change {change.id} is {change.state}; {rule}.")


def judge_place(change: Change, command: str) -> Refused | None:
    """Return the refusal to write a change of another worktree with this command, or None."""
    if change.is_here:
        return None

    return Refused(
        "conflict",
        f"change {change.id} belongs to the worktree {change.worktree}; run this there: "
        f"holdfast {command} {change.id} --root {change.worktree}",
    )


def hash_of(content: Content | None) -> str | None:
    """Return the SHA-256 of a file's content, or None for no file."""
    if content is None:
        return None
    return hashlib.sha256(content.data).hexdigest()
