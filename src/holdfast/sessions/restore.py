"""Go back to a checkpoint: files, transcript and the agent's own memory, together; and take that back again.

The order is what makes a kill at any instant harmless. Until the journal is written no file has changed, and there is
an undo point. From then on the journal names both, and the next command finishes, or goes back if it cannot. What a
finishing command finds on the disk is captured first: somebody may have worked there in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

from holdfast.changes.apply import FileRefused
from holdfast.checkpoints.checkpoint import Ambiguous, Checkpoint, Draft, Present, find, last_undo_point, orphans_of
from holdfast.checkpoints.way import Blocked
from holdfast.checkpoints.worktree import CheckpointFailed, Stayed, Unfinished, Way, Worktree
from holdfast.sessions.workspace import NothingDone
from holdfast.vocab.outcomes import Reason, Refused

Scope: TypeAlias = Literal["both", "files", "conversation"]


class Transcript(Protocol):
    """The messages of a session's chats. Each call is one transaction; a second one with the same words is no fault."""

    def cut(self, checkpoint_id: str, undo_id: str) -> int:
        """Take the checkpoint's message and all later ones out, and keep them in the trash under the undo point.

        Gives how many messages are in that trash: the same again if they were taken out before.
        """
        ...

    def bring_back(self, undo_id: str) -> int:
        """Put the messages back that the trash holds under the undo point; gives how many."""
        ...

    def forget(self, ids: Sequence[str]) -> None:
        """Drop these checkpoints, and the trash that is kept under them."""
        ...


class Backend(Protocol):
    """The agents at work for sessions."""

    def evict(self, session: str) -> bool:
        """Cancel the running turn and drop the agent's memory; whether there was any. Before git is touched."""
        ...


class Worktrees(Protocol):
    """Where the worktree of one root is found."""

    def hold(self, *, make: bool) -> AbstractContextManager[Worktree]:
        """Wait for the lock; raises `NoCheckpoints` if there is no place for checkpoints and none is to be made."""
        ...

    def new_id(self) -> str:
        """Give a name that no other checkpoint has."""
        ...

    def now(self) -> str:
        """Give the time, for people."""
        ...


@dataclass(frozen=True, slots=True)
class Conversation:
    """What belongs to a session besides files."""

    session: str
    transcript: Transcript
    backend: Backend


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was done first, about commands that had died: those that are finished now, and a sentence for each."""

    finished: tuple[Restored, ...] = ()
    notes: tuple[str, ...] = ()


NOTHING_LEFT = Recovered()


@dataclass(frozen=True, slots=True)
class Restored:
    """The checkpoint's state is back. `messages` left the transcript; or, for an undo, are in it again.

    `commits` were made since: HEAD is left as it is. `tree` is what the files are now.
    """

    verb: Literal["restore", "undo"]
    checkpoint_id: str
    undo_checkpoint_id: str
    messages: int
    worktree_reset: bool
    backend_reset: bool
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    tree: str = ""
    recovered: Recovered = NOTHING_LEFT


@dataclass(frozen=True, slots=True)
class _Errand:
    """What a restore or an undo is to do."""

    verb: Literal["restore", "undo"]
    target: Checkpoint
    files: bool
    conversation: Conversation | None
    orphans: tuple[str, ...] = ()


def restore(
    wanted: str, worktrees: Worktrees, *, scope: Scope = "both", conversation: Conversation | None = None
) -> Restored | NothingDone:
    """Bring back a checkpoint's files, its conversation, or both."""
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees, conversation)
            target = belonging(wanted, worktree.checkpoints(), conversation)
            if isinstance(target, NothingDone):
                return target
            talk = conversation if scope != "files" else None
            orphans = orphans_of(target, worktree.checkpoints()) if talk else ()
            errand = _Errand("restore", target, scope != "conversation", talk, orphans)
            return _run(errand, worktree, worktrees, conversation, recovered)
    except CheckpointFailed as error:
        return refused(str(error))


def undo_restore(worktrees: Worktrees, *, conversation: Conversation | None = None) -> Restored | NothingDone:
    """Take the last restore back, files and transcript; once more takes back the one before it."""
    try:
        with worktrees.hold(make=False) as worktree:
            recovered = recover(worktree, worktrees, conversation)
            for done in recovered.finished:
                if done.verb == "undo":
                    return replace(done, recovered=recovered)
            point = last_undo_point(_of(conversation, worktree.checkpoints()))
            if point is None:
                return refused("there is nothing to undo: no restore here is on record.", "not_found")
            return _run(
                _Errand("undo", point, files=True, conversation=conversation),
                worktree,
                worktrees,
                conversation,
                recovered,
            )
    except CheckpointFailed as error:
        return refused(str(error))


def recover(worktree: Worktree, worktrees: Worktrees, conversation: Conversation | None = None) -> Recovered:
    """Finish what dead processes left, or go back to where they began."""
    finished: list[Restored] = []
    notes: list[str] = []
    for left in worktree.unfinished():
        what = f"{left.verb} of {left.target_id}" if left.verb == "restore" else "undo"
        if left.phase == "files":
            reached = _finish_files(left, worktree, worktrees)
            if not isinstance(reached, Unfinished):
                notes.append(f"an earlier {what} was stopped halfway: {reached}")
                continue
            worktree.begin(reached)
        else:
            reached = left
        if reached.conversation and conversation is None:
            notes.append(f"an earlier {what} was stopped halfway; its session will finish it.")
            continue
        messages = _talk(reached, worktree, conversation)
        worktree.finish(reached)
        notes.append(f"an earlier {what} was stopped halfway: it is now finished.")
        finished.append(_restored(reached, messages, backend_reset=False))
    return Recovered(tuple(finished), tuple(notes))


def refused(message: str, reason: Reason = "conflict") -> NothingDone:
    """Say why nothing was done."""
    return NothingDone((FileRefused("", Refused(reason, message)),))


def belonging(
    wanted: str, checkpoints: Sequence[Checkpoint], conversation: Conversation | None = None
) -> Checkpoint | NothingDone:
    """Give the checkpoint that is meant, if it belongs to the session."""
    found = find(wanted, _of(conversation, checkpoints))
    if isinstance(found, Ambiguous):
        ids = ", ".join(found.ids)
        return refused(f"{wanted}: several checkpoints begin so ({ids}); give more of the id.", "ambiguous")
    if found is None:
        return refused(f"{wanted}: there is no such checkpoint here; `holdfast checkpoint list` has them.", "not_found")
    return found


def _of(conversation: Conversation | None, checkpoints: Sequence[Checkpoint]) -> tuple[Checkpoint, ...]:
    if conversation is None:
        return tuple(checkpoints)
    return tuple(each for each in checkpoints if each.draft.session == conversation.session)


def _run(
    errand: _Errand,
    worktree: Worktree,
    worktrees: Worktrees,
    conversation: Conversation | None,
    recovered: Recovered,
) -> Restored | NothingDone:
    backend_reset = conversation is not None and conversation.backend.evict(conversation.session)
    present = worktree.capture()
    way = worktree.find_way(present, errand.target.present) if errand.files else None
    if isinstance(way, Blocked):
        return refused(f"{way.message}; move it away, and try again.")
    done = _done_before(errand, way, worktree, recovered)
    if done is not None:
        return replace(done, backend_reset=backend_reset, recovered=recovered)
    point = _take_point(errand, way.present if way else present, worktree, worktrees)
    under_way = Unfinished(
        undo_id=point.id,
        undo_commit=point.commit,
        target_id=errand.target.id,
        target_commit=errand.target.commit,
        verb=errand.verb,
        files=errand.files,
        conversation=errand.conversation is not None,
        phase="files" if way else "talk",
        orphans=errand.orphans,
        kept=way.kept if way else (),
        lost=way.lost if way else (),
    )
    worktree.begin(under_way)
    if way:
        walked = worktree.walk(way)
        if isinstance(walked, Stayed):
            return _stay(walked, under_way, point, worktree)
        under_way = replace(under_way, phase="talk", tree=way.tree)
        worktree.begin(under_way)
    messages = _talk(under_way, worktree, errand.conversation)
    worktree.finish(under_way)
    commits = worktree.commits_since(errand.target.present.head) if errand.files else ()
    return replace(_restored(under_way, messages, backend_reset=backend_reset), commits=commits, recovered=recovered)


def _take_point(errand: _Errand, present: Present, worktree: Worktree, worktrees: Worktrees) -> Checkpoint:
    of = errand.target.draft
    draft = Draft(
        worktrees.new_id(),
        "undo" if errand.verb == "restore" else "undone",
        worktrees.now(),
        f"before {'restore' if errand.verb == 'restore' else 'undo'} of {of.id}",
        session=of.session,
        chat=of.chat,
        toward=of.id,
    )
    return worktree.record(draft, present)


def _done_before(errand: _Errand, way: Way | None, worktree: Worktree, recovered: Recovered) -> Restored | None:
    """Give the outcome of the same restore, if it was done and nothing has changed since: then its undo point stands.

    A restore that died just before it could say so is run again; its undo must lead to where it began, not here.
    """
    if errand.verb != "restore" or way is None or way.present.tree != way.tree:
        return None
    for done in recovered.finished:
        if done.verb == "restore" and done.checkpoint_id == errand.target.id and done.tree == way.tree:
            return done
    point = last_undo_point(worktree.checkpoints())
    if errand.conversation or point is None or point.draft.toward != errand.target.id:
        return None
    return Restored(
        "restore",
        errand.target.id,
        point.id,
        messages=0,
        worktree_reset=True,
        backend_reset=False,
        kept=way.kept,
        lost=way.lost,
        commits=worktree.commits_since(errand.target.present.head),
        tree=way.tree,
    )


def _stay(stayed: Stayed, under_way: Unfinished, point: Checkpoint, worktree: Worktree) -> NothingDone:
    """Leave all as it was; if git stopped halfway, go back first."""
    if stayed.unsettled:
        back = worktree.find_way(worktree.capture(), point.present)
        if isinstance(back, Blocked) or isinstance(worktree.walk(back), Stayed):
            return replace(refused(stayed.message), unsettled=True)
    worktree.finish(under_way)
    worktree.remove([point.id])
    return refused(stayed.message)


def _finish_files(left: Unfinished, worktree: Worktree, worktrees: Worktrees) -> Unfinished | str:
    """Bring the files where they were to be; or back, and say why."""
    reason = "its checkpoint is gone"
    for commit, forward in ((left.target_commit, True), (left.undo_commit, False)):
        goal = worktree.at(commit)
        if goal is None:
            continue
        way = worktree.find_way(worktree.capture(), goal.present)
        if isinstance(way, Blocked):
            reason = way.message
            continue
        if way.present.tree != way.tree:
            draft = Draft(worktrees.new_id(), "interrupted", worktrees.now(), f"found halfway to {goal.id}")
            worktree.record(draft, way.present)
        walked = worktree.walk(way)
        if isinstance(walked, Stayed):
            reason = walked.message
            continue
        if forward:
            return replace(left, phase="talk", tree=way.tree, kept=way.kept, lost=way.lost)
        worktree.finish(left)
        return f"it was taken back, for {reason}."
    return f"{reason}; mend that, and run this again."


def _talk(under_way: Unfinished, worktree: Worktree, conversation: Conversation | None) -> int:
    """Do what is owed once the files are there: the transcript, then the refs."""
    transcript = conversation.transcript if conversation and under_way.conversation else None
    if under_way.verb == "restore":
        messages = transcript.cut(under_way.target_id, under_way.undo_id) if transcript else 0
        worktree.move_to_trash(under_way.orphans, under_way.undo_id)
        return messages
    messages = transcript.bring_back(under_way.target_id) if transcript else 0
    worktree.bring_back(under_way.target_id)
    # An undo point is used once; the next undo is that of the restore before.
    worktree.move_to_trash([under_way.target_id], under_way.undo_id)
    return messages


def _restored(under_way: Unfinished, messages: int, *, backend_reset: bool) -> Restored:
    return Restored(
        under_way.verb,
        under_way.target_id,
        under_way.undo_id,
        messages,
        worktree_reset=under_way.files,
        backend_reset=backend_reset,
        kept=under_way.kept,
        lost=under_way.lost,
        tree=under_way.tree,
    )
