"""The record of the changes of one project, as the code here needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.plan import ChangePlan


KEPT = 1_000
"""How many settled changes a project's log keeps: else it would grow for ever, with the texts of every file."""


class LogUnavailable(Exception):  # noqa: N818 - the word for it
    """The log cannot be read or written; the message says where, why, and the next step."""


class ChangeLog(Protocol):
    """The changes of one project, durably: what a call has recorded survives a kill right after it.

    Several processes may share it. Each call is one transaction, and may raise `LogUnavailable`.
    """

    def add(self, change: Change) -> Change:
        """Record a new change, as the latest; give it with its `seq` and its moment.

        Then as `prune` with `KEPT`.
        """
        ...

    def get(self, change_id: str) -> Change | None:
        """Give a change; None if there is none of this id."""
        ...

    def ids(self) -> tuple[str, ...]:
        """Give the ids of all changes, newest first."""
        ...

    def list(
        self,
        *,
        state: ChangeState | None = None,
        origin: str | None = None,
        session: str | None = None,
        turn: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> tuple[Change, ...]:
        """Give changes, newest first: in this state, of this origin, session, turn, with a greater `seq`; so many."""
        ...

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        """Give id and `seq` of the changes in a state, newest first: `list` without their texts, which cost."""
        ...

    def revise(self, change_id: str, plan: ChangePlan) -> bool:
        """Put what has landed anew in place of what had landed; False, and nothing done, if it is not proposed."""
        ...

    def move(self, change_id: str, old: ChangeState, new: ChangeState) -> bool:
        """Change the state from `old` to `new`; False, and nothing done, if it is not `old`.

        What becomes applied becomes the latest.
        """
        ...

    def split(self, change_id: str, accepted: Change, rest: Change) -> Sequence[Change] | None:
        """Reject a proposed change and record its two parts; None, and nothing done, if it is not proposed.

        `rest` takes the place of the whole in the order; `accepted` is the latest.
        """
        ...

    def join(self, change_id: str, parts: Collection[str]) -> bool:
        """Take a split back: the parts go, and the whole is proposed in the place of the rest, as if nothing had been.

        False, and nothing done, if it was not split into these, or one of them is no longer proposed.
        """
        ...

    def prune(self, keep: int) -> tuple[str, ...]:
        """Drop all but the latest `keep` changes that are settled, and give their ids; what is proposed stays."""
        ...
