"""How checkpoints are shown: as one JSON object, or as words for a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.cli.render.common import JsonFace, TerminalFace
from holdfast.cli.render.text import warn, write, write_diff

if TYPE_CHECKING:
    from holdfast.checkpoints.checkpoint import Checkpoint
    from holdfast.checkpoints.ports import FileDifference
    from holdfast.usecases.checkpoints.checkpoint import (
        CheckpointsPruned,
        Compared,
        Created,
        Listed,
        Shown,
    )
    from holdfast.usecases.checkpoints.restore_recovery import Restored, RestoresFinished
    from holdfast.usecases.workspace import NothingDone


class CheckpointFace(Protocol):
    """What a command prints."""

    def show_created(self, created: Created) -> None:
        """Say which checkpoint was taken."""
        ...

    def show_list(self, listed: Listed) -> None:
        """Say which there are."""
        ...

    def show_checkpoint(self, shown: Shown) -> None:
        """Say what one is."""
        ...

    def show_diff(self, compared: Compared) -> None:
        """Say what differs."""
        ...

    def show_restored(self, restored: Restored) -> None:
        """Say what a restore or an undo did."""
        ...

    def show_pruned(self, pruned: CheckpointsPruned) -> None:
        """Say what is gone."""
        ...

    def show_refusals(self, nothing: NothingDone) -> None:
        """Say what was refused, and the cure."""
        ...


class JsonCheckpoints(JsonFace):
    """One JSON object on standard output; what is said besides goes to standard error."""

    def show_created(self, created: Created) -> None:
        """Print the checkpoint."""
        _note(created.recovered, *([created.unrecorded] if created.unrecorded else ()))
        _print(_as_json(created.checkpoint))

    def show_list(self, listed: Listed) -> None:
        """Print all checkpoints."""
        _note(listed.recovered)
        _print({"checkpoints": [_as_json(each) for each in listed.checkpoints]})

    def show_checkpoint(self, shown: Shown) -> None:
        """Print one, and its files."""
        _note(shown.recovered)
        _print(_as_json(shown.checkpoint) | {"files": [_file(each) for each in shown.files]})

    def show_diff(self, compared: Compared) -> None:
        """Print the files that differ, and the patch."""
        _note(compared.recovered)
        _print(
            {
                "from": compared.before.id,
                "to": compared.after.id if compared.after else None,
                "files": [_file(each) for each in compared.files],
                "diff": compared.diff,
            }
        )

    def show_restored(self, restored: Restored) -> None:
        """Print what came back."""
        _note(restored.recovered, *restored.notes)
        back = (
            {}
            if restored.verb == "restore"
            else {"messages_brought_back": restored.messages_brought_back}
        )
        _print(
            {
                "checkpoint_id": restored.checkpoint_id,
                "messages_deleted": restored.messages_deleted,
                **back,
                "worktree_reset": restored.worktree_reset,
                "backend_reset": restored.backend_reset,
                "undo_checkpoint_id": restored.undo_checkpoint_id,
                "kept": list(restored.kept),
                "lost": list(restored.lost),
                "commits": list(restored.commits),
            }
        )

    def show_pruned(self, pruned: CheckpointsPruned) -> None:
        """Print what is gone."""
        _note(pruned.recovered)
        _print(
            {"removed": list(pruned.removed), "emptied": list(pruned.emptied), "left": pruned.left}
        )


class TerminalCheckpoints(TerminalFace):
    """Words, coloured on a terminal unless NO_COLOR is set."""

    def show_created(self, created: Created) -> None:
        """Print the id, and what was left out."""
        _note(created.recovered, *([created.unrecorded] if created.unrecorded else ()))
        taken = created.checkpoint
        write(f"checkpoint {taken.id}{_label(taken)}", bold=True)
        for each in taken.present.skipped:
            write(f"left out: {each.path} ({each.why})", "yellow")

    def show_list(self, listed: Listed) -> None:
        """Print a line for each."""
        _note(listed.recovered)
        for each in listed.checkpoints:
            write(f"{each.id}  {each.draft.created_at}  {each.draft.kind}{_label(each)}")
        if not listed.checkpoints:
            write("no checkpoints.")

    def show_checkpoint(self, shown: Shown) -> None:
        """Print what it is of, and its files."""
        _note(shown.recovered)
        taken = shown.checkpoint
        write(f"checkpoint {taken.id}{_label(taken)}", bold=True)
        write(f"taken {taken.draft.created_at} ({taken.draft.kind}), shadow commit {taken.commit}")
        where = f" ({taken.present.branch})" if taken.present.branch else ""
        write(
            f"on {taken.present.head}{where}" if taken.present.head else "before the first commit"
        )
        if taken.draft.session:
            write(
                f"in session {taken.draft.session}, before message {taken.draft.message or '(none)'}"
            )
        for each in taken.present.skipped:
            write(f"left out: {each.path} ({each.why})", "yellow")
        self._files(shown.files)
        if not shown.files:
            write(
                "it holds what that commit holds." if taken.present.head else "it holds no files."
            )

    def show_diff(self, compared: Compared) -> None:
        """Print the patch."""
        _note(compared.recovered)
        write_diff(compared.diff)
        if not compared.diff:
            write("nothing differs.")

    def show_restored(self, restored: Restored) -> None:
        """Print what came back, what stayed, and how to take it back."""
        _note(restored.recovered, *restored.notes)
        back = "restored" if restored.verb == "restore" else "undone: back at"
        what = "" if restored.worktree_reset else " (conversation only; no file was touched)"
        write(f"{back} {restored.checkpoint_id}{what}", bold=True)
        if restored.messages_deleted:
            write(f"{_count(restored.messages_deleted, 'message')} left the conversation")
        if restored.messages_brought_back:
            write(
                f"{_count(restored.messages_brought_back, 'message')} came back to the conversation"
            )
        if restored.backend_reset:
            write("the agent was stopped, and begins anew")
        for path in restored.kept:
            write(f"kept: {path}", "yellow")
        for path in restored.lost:
            write(f"not brought back, for the checkpoint had left it out: {path}", "yellow")
        if restored.commits:
            made = _count(len(restored.commits), "commit")
            write(
                f"made since, and left as they are: {made}; HEAD is at {restored.commits[0][:12]}"
            )
        if restored.verb == "restore":
            write("`holdfast checkpoint undo` takes this back.")
        else:
            write(f"`holdfast checkpoint restore {restored.undo_checkpoint_id}` takes this back.")

    def show_pruned(self, pruned: CheckpointsPruned) -> None:
        """Print what is gone."""
        _note(pruned.recovered)
        removed, emptied = (
            _count(len(pruned.removed), "checkpoint"),
            _count(len(pruned.emptied), "restore"),
        )
        write(f"removed {removed} and the trash of {emptied}.")
        write(f"left: {_count(pruned.left, 'checkpoint')}.")

    def _files(self, files: tuple[FileDifference, ...]) -> None:
        for each in files:
            write(f"{each.status:9} {each.path}")


def _as_json(checkpoint: Checkpoint) -> dict[str, Any]:
    draft, present = checkpoint.draft, checkpoint.present
    return {
        "id": checkpoint.id,
        "commit": checkpoint.commit,
        "skipped": [each.path for each in present.skipped],
        "skipped_why": {each.path: each.why for each in present.skipped},
        "label": draft.label,
        "kind": draft.kind,
        "created_at": draft.created_at,
        "seq": checkpoint.seq,
        "head": present.head,
        "branch": present.branch,
        "staged": present.staged,
        "worktree": checkpoint.worktree,
        "session": draft.session,
        "message": draft.message,
    }


def _file(each: FileDifference) -> dict[str, Any]:
    return {"path": each.path, "status": each.status, "added": each.added, "removed": each.removed}


def _label(checkpoint: Checkpoint) -> str:
    return f": {checkpoint.draft.label}" if checkpoint.draft.label else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _note(recovered: RestoresFinished, *notes: str) -> None:
    for note in (*recovered.notes, *notes):
        warn(note)


def _print(told: dict[str, Any]) -> None:
    print(json.dumps(told))
