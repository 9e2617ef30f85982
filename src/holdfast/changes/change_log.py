"""The log of the changes of one project (port)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.changes.change import Change, ChangeState
    from holdfast.changes.plan import ChangePlan


KEPT = 1_000
"""How many settled changes a project's log keeps: it has the texts of every file, and must not grow
without limit."""


class LogUnavailable(Exception):  # noqa: N818 - the word for it
    """The log cannot be read or written; the message has the place, the cause and the next step."""


class ChangeLog(Protocol):
    """The changes of one project, durably: a record survives a kill right after the call.

    Several processes may share the log. Each call is one transaction and may raise
    `LogUnavailable`.
    """

    def add(self, change: Change) -> Change:
        """Record a new change as the latest; return it with `seq` and `created_at` set.

        Then prune the log to `KEPT` settled changes.
        """

    def get(self, change_id: str) -> Change | None:
        """Return the change with this id, or None."""

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all changes, newest first."""

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
        """Return the changes that match every filter, newest first, at most `limit`.

        `after` matches the changes with a greater `seq`.
        """

    def marks(self, state: ChangeState) -> tuple[tuple[str, int], ...]:
        """Return id and `seq` of the changes in a state, newest first.

        Cheaper than `list`, which reads the texts of every file.
        """

    def revise(self, change_id: str, plan: ChangePlan) -> bool:
        """Replace the plan of a change; return False, and do nothing, if it is not proposed."""

    def move(self, change_id: str, old: ChangeState, new: ChangeState) -> bool:
        """Change the state from `old` to `new`; return False, and do nothing, if it is not `old`.

        A change that becomes applied becomes the latest.
        """

    def split(self, change_id: str, accepted: Change, rest: Change) -> Sequence[Change] | None:
        """Reject a proposed change and record its two parts.

        `rest` takes the place of the whole in the order; `accepted` becomes the latest. Return
        None, and do nothing, if the change is not proposed.
        """

    def join(self, change_id: str, parts: Collection[str]) -> bool:
        """Undo a split: remove the parts and propose the whole again, in the place of the rest.

        Return False, and do nothing, if the change was not split into these parts, or if one of
        them is no longer proposed.
        """

    def prune(self, keep: int) -> tuple[str, ...]:
        """Remove all settled changes but the latest `keep`; return the ids of the removed ones."""
