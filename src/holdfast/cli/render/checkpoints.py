"""How checkpoints are shown: as one JSON object, or as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.cli.render.edits import JsonOutput, TerminalOutput
from holdfast.cli.render.skipped import skipped_lines
from holdfast.cli.render.text import count_of, text_if, warn, write, write_diff

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
    from holdfast.usecases.checkpoints.restore_ports import CheckpointElsewhere
    from holdfast.usecases.settle_outcome import Restored


class JsonCheckpoints(JsonOutput):
    """One JSON object on standard output; warnings go to standard error."""

    def show_created(self, created: Created) -> None:
        """Print the checkpoint."""
        self.show_note(created.recovered)
        warn(created.unrecorded)
        # `seq` is the place of the checkpoint among the others.
        more = {"event_seq": created.seq, "dropped": list(created.dropped)}
        self.print_body(_as_json(created.checkpoint) | more)

    def show_list(self, listed: Listed) -> None:
        """Print all checkpoints."""
        warn(listed.problem)
        for note in listed.notes:
            warn(note)
        here = list(map(_as_json, listed.checkpoints))
        elsewhere = list(map(_elsewhere_as_json, listed.elsewhere))
        self.print_body({"checkpoints": here + elsewhere})

    def show_checkpoint(self, shown: Shown) -> None:
        """Print one checkpoint, and its files."""
        self.print_body(_as_json(shown.checkpoint) | {"files": list(map(_file, shown.files))})

    def show_diff(self, compared: Compared) -> None:
        """Print the files that differ, and the patch."""
        to = None
        if compared.after is not None:
            to = compared.after.id

        self.print_body(
            {
                "from": compared.before.id,
                "to": to,
                "files": list(map(_file, compared.files)),
                "diff": compared.diff,
            }
        )

    def show_restored(self, restored: Restored) -> None:
        """Print what a restore or an undo did."""
        self.show_note(restored.recovered)
        for note in restored.notes:
            warn(note)
        self.print_body(restored_as_json(restored))

    def show_pruned(self, pruned: CheckpointsPruned) -> None:
        """Print what was removed."""
        self.show_note(pruned.recovered)
        self.print_body(
            {
                "removed": list(pruned.removed),
                "emptied": list(pruned.emptied),
                "left": pruned.left,
                "seq": pruned.seq,
            }
        )


class TerminalCheckpoints(TerminalOutput):
    """Sentences, coloured on a terminal unless NO_COLOR is set."""

    def show_created(self, created: Created) -> None:
        """Print the id, and the files that were left out."""
        self.show_note(created.recovered)
        warn(created.unrecorded)
        taken = created.checkpoint
        write(f"checkpoint {taken.id}{_label(taken)}", bold=True)
        _write_skipped(taken)
        if created.dropped:
            removed = count_of(len(created.dropped), "older checkpoint")
            write(f"Removed {removed}: there were too many.")

    def show_list(self, listed: Listed) -> None:
        """Print a line for each."""
        warn(listed.problem)
        for note in listed.notes:
            warn(note)

        for each in listed.checkpoints:
            write(f"{each.id}  {each.draft.created_at}  {each.draft.kind}{_label(each)}")

        for other in listed.elsewhere:
            label = text_if(other.label, f": {other.label}")
            gone = text_if(other.is_gone, ", which is gone")
            where = f"(in {other.worktree}{gone})"
            write(f"{other.id}  {other.created_at}  {other.kind}{label}  {where}")

        if not listed.checkpoints and not listed.elsewhere:
            write("no checkpoints.")

    def show_checkpoint(self, shown: Shown) -> None:
        """Print what a checkpoint is of, and its files."""
        taken = shown.checkpoint
        write(f"checkpoint {taken.id}{_label(taken)}", bold=True)
        write(f"taken {taken.draft.created_at} ({taken.draft.kind}), shadow commit {taken.commit}")
        write(_place(taken))
        if taken.draft.session:
            message = taken.draft.message or "(none)"
            write(f"in session {taken.draft.session}, before message {message}")

        _write_skipped(taken)
        for file in shown.files:
            write(f"{file.status:9} {file.path}")

        if shown.files:
            return

        if taken.present.head:
            write("its files are those of that commit.")
        else:
            write("it has no files.")

    def show_diff(self, compared: Compared) -> None:
        """Print the patch."""
        write_diff(compared.diff)
        if not compared.diff:
            write("nothing differs.")

    def show_restored(self, restored: Restored) -> None:
        """Print what a restore or an undo did, what it kept, and how to undo it."""
        self.show_note(restored.recovered)
        for note in restored.notes:
            warn(note)

        back = "restored" if restored.verb == "restore" else "undone: back at"
        only = not restored.worktree_reset
        scope = text_if(only, " (conversation only; no file was touched)")
        write(f"{back} {restored.checkpoint_id}{scope}", bold=True)
        if restored.messages_deleted:
            removed = count_of(restored.messages_deleted, "message")
            write(f"Removed {removed} from the conversation.")

        if restored.messages_brought_back:
            added = count_of(restored.messages_brought_back, "message")
            write(f"Brought {added} back to the conversation.")

        if restored.backend_reset:
            write("The agent was stopped and starts again without its memory of this.")

        _write_kept(restored)
        if restored.commits:
            made = count_of(len(restored.commits), "commit")
            write(f"kept {made} made since; HEAD is at {restored.commits[0][:12]}")

        if restored.verb == "restore":
            write("Undo this with `holdfast checkpoint undo`.")
        else:
            write(f"Undo this with `holdfast checkpoint restore {restored.undo_checkpoint_id}`.")

    def show_pruned(self, pruned: CheckpointsPruned) -> None:
        """Print what was removed."""
        self.show_note(pruned.recovered)
        removed = count_of(len(pruned.removed), "checkpoint")
        emptied = count_of(len(pruned.emptied), "restore")
        write(f"removed {removed} and the trash of {emptied}.")
        write(f"left: {count_of(pruned.left, 'checkpoint')}.")


def restored_as_json(restored: Restored) -> dict[str, Any]:
    """Return what a restore or an undo did, as every command prints it."""
    back: dict[str, Any] = {}
    if restored.verb != "restore":
        back["messages_brought_back"] = restored.messages_brought_back

    return {
        "checkpoint_id": restored.checkpoint_id,
        "messages_deleted": restored.messages_deleted,
        **back,
        "worktree_reset": restored.worktree_reset,
        "backend_reset": restored.backend_reset,
        "undo_checkpoint_id": restored.undo_checkpoint_id,
        "kept": list(restored.kept),
        "kept_why": dict(restored.kept_why),
        "lost": list(restored.lost),
        "lost_why": dict(restored.lost_why),
        "index_reset": restored.index_reset,
        "index_differs": restored.index_differs,
        "commits": list(restored.commits),
        "seq": restored.seq,
    }


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


def _elsewhere_as_json(other: CheckpointElsewhere) -> dict[str, Any]:
    return {
        "id": other.id,
        "label": other.label,
        "kind": other.kind,
        "created_at": other.created_at,
        "worktree": other.worktree,
        "worktree_gone": other.is_gone,
        "session": other.session,
    }


def _write_kept(restored: Restored) -> None:
    """Print what a restore kept and lost, and what it did with the index."""
    for path in restored.kept:
        write(f"kept: {path}{_reason(restored.kept_why.get(path))}", "yellow")

    for path in restored.lost:
        write(f"lost: {path}{_reason(restored.lost_why.get(path))}", "yellow")

    if restored.index_reset:
        write("What was staged is staged again.")

    if restored.index_differs:
        again = f"`holdfast checkpoint restore {restored.checkpoint_id} --index`"
        write(f"Something else was staged then; {again} stages it again.")


def _write_skipped(taken: Checkpoint) -> None:
    """Print what a checkpoint left out."""
    for line in skipped_lines(taken.present.skipped):
        write(line, "yellow")


def _reason(why: str | None) -> str:
    return text_if(why, f" ({why})")


def _file(each: FileDifference) -> dict[str, Any]:
    return {"path": each.path, "status": each.status, "added": each.added, "removed": each.removed}


def _label(checkpoint: Checkpoint) -> str:
    return text_if(checkpoint.draft.label, f": {checkpoint.draft.label}")


def _place(checkpoint: Checkpoint) -> str:
    present = checkpoint.present
    if not present.head:
        return "before the first commit"
    return f"on {present.head}" + text_if(present.branch, f" ({present.branch})")
