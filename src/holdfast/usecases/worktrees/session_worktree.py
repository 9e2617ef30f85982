"""The worktree of a session: what is on record of it, and what is named after the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.owned_event import OwnedEvent


class WorktreesUnavailable(Exception):  # noqa: N818 - the word for it
    """The store cannot be read or written; the message says where, why, and the next step."""


@dataclass(frozen=True, slots=True)
class SessionWorktree:
    """The worktree of a session, as it is on record.

    `path` is where it is or was, `root` the worktree of the user that it was made from. `base` is
    the commit at which its difference begins; `follows` is the ref whose new commits `update`
    merges, "" if it was made from a bare commit. `with_changes`: `base` has uncommitted work of
    the user too. `merged` is the tree that was merged last, "" if none was. `removed`: somebody
    removed it with the command. `is_there`: the folder on record, with the id `folder`, is at its
    path; but if it was made anew and its checkpoint `restoring` is not restored yet, it is not.
    """

    session: str
    path: str
    root: str
    branch: str
    base: str
    follows: str = ""
    with_changes: bool = False
    merged: str = ""
    removed: bool = False
    is_there: bool = False
    folder: str = ""
    restoring: str = ""
    title: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class WorktreeRefused:
    """Nothing was changed; each problem says what, where, and the next step."""

    problems: tuple[str, ...]

    @classmethod
    def because(cls, *problems: str) -> WorktreeRefused:
        """Return a refusal for these reasons."""
        return cls(problems)


class WorktreeRecords(Protocol):
    """The worktrees of a project's sessions, on record.

    Each call is one transaction, and may raise `WorktreesUnavailable`.
    """

    def list(self) -> tuple[SessionWorktree, ...]:
        """Return the worktrees of all sessions that have one or had one, the latest first."""

    def paths(self) -> frozenset[str]:
        """Return the paths of all worktrees that were ever made for sessions, deleted ones too."""

    def add(self, made: SessionWorktree, events: Sequence[OwnedEvent], *, agent: str) -> int:
        """Record a worktree that is at its path, and its session unless that is on record.

        If the session had a worktree, its checkpoints and changes belong to this one now. Return
        the number of the last event.
        """

    def update(self, changed: SessionWorktree, events: Sequence[OwnedEvent]) -> int:
        """Replace the record of a worktree; return the number of the last event."""


def find_worktree(
    wanted: str, records: WorktreeRecords, *, gone: bool = False
) -> SessionWorktree | WorktreeRefused:
    """Return the worktree of the session whose id begins so; one that is gone only with `gone`."""
    every = records.list()
    found = [each for each in every if wanted and each.session.startswith(wanted)]
    exact = [each for each in found if each.session == wanted]
    found = exact or found
    if len(found) > 1:
        return WorktreeRefused.because(f"{wanted}: several sessions begin so; give more of the id.")
    if not found:
        return WorktreeRefused.because(
            f"{wanted or '(no id)'}: there is no such session with a worktree; "
            "`holdfast worktree list` has them."
        )

    (worktree,) = found
    if worktree.is_there or gone:
        return worktree

    what = "was removed" if worktree.removed else "is gone"
    return WorktreeRefused.because(
        f"the worktree of session {worktree.session} {what} ({worktree.path}); make it anew from "
        f"its last checkpoint: holdfast worktree new --session {worktree.session}"
    )


def branch_of(session: str) -> str:
    """Return the branch of a session's worktree."""
    return f"holdfast/{session}/work"


def base_ref_of(session: str) -> str:
    """Return the ref that keeps the base of a worktree which has the user's uncommitted work."""
    return f"refs/holdfast/base/{session}"
