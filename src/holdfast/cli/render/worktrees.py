"""What the commands of worktrees print."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from holdfast.cli.render.text import count_of, warn, write, write_diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.worktrees.compare import WorktreeCompared
    from holdfast.usecases.worktrees.make import WorktreeMade
    from holdfast.usecases.worktrees.merge import WorktreeMerged
    from holdfast.usecases.worktrees.remove import WorktreeRemoved, WorktreesPruned
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree
    from holdfast.usecases.worktrees.update import WorktreeUpdated


def worktree_json(worktree: SessionWorktree) -> dict[str, Any]:
    """Return a worktree as JSON."""
    return {
        "id": worktree.session,
        "session": worktree.session,
        "path": worktree.path,
        "branch": worktree.branch,
        "base": worktree.base,
        "follows": worktree.follows or None,
        "root": worktree.root,
        "with_changes": worktree.with_changes,
        "state": _state(worktree),
        "title": worktree.title,
        "created_at": worktree.created_at or None,
    }


def _state(worktree: SessionWorktree) -> str:
    if worktree.is_there:
        return "there"
    return "removed" if worktree.removed else "gone"


def show_list(worktrees: Sequence[SessionWorktree]) -> None:
    """Print one line for each worktree."""
    if not worktrees:
        write("No worktrees; `holdfast worktree new` makes one.", dim=True)

    for each in worktrees:
        words = [each.session, f"{_state(each):<7}", each.path]
        if each.title:
            words.append(each.title.partition("\n")[0])
        write("  ".join(words))


def made_json(made: WorktreeMade) -> dict[str, Any]:
    """Return a worktree that was made."""
    return {
        "outcome": "made",
        **worktree_json(made.worktree),
        "copied": list(made.copied),
        "notes": list(made.notes),
        "setup": asdict(made.setup) if made.setup else None,
        "checkpoint_id": made.checkpoint_id,
        "seq": made.seq,
    }


def show_made(made: WorktreeMade) -> None:
    """Print where the worktree is; what a user should know goes to standard error."""
    write(f"session {made.worktree.session}")
    write(made.worktree.path)
    if made.checkpoint_id:
        write(f"Restored checkpoint {made.checkpoint_id}.", dim=True)

    if made.copied:
        write(f"Copied {count_of(len(made.copied), 'ignored file')}.", dim=True)

    for note in made.notes:
        warn(note)

    setup = made.setup
    if setup is None:
        return
    if setup.exit_code == 0:
        write(f"Ran the setup: {setup.command}", dim=True)
        return
    if setup.exit_code is not None:
        warn(setup.output.strip())
        warn(f"the setup failed with exit code {setup.exit_code}: {setup.command}. {setup.why}")
        return

    warn(f"the setup did not run: {setup.command}: {setup.why}.")


def compared_json(compared: WorktreeCompared, *, stat: bool) -> dict[str, Any]:
    """Return the difference of a worktree."""
    body: dict[str, Any] = {
        "session": compared.worktree.session,
        "base": compared.worktree.base,
        "files": [asdict(each) for each in compared.files],
    }
    if not stat:
        body["diff"] = compared.patch
        body["hunks"] = [
            {"number": each.number, "path": each.path, "diff": each.diff} for each in compared.hunks
        ]

    return body


def show_compared(compared: WorktreeCompared, *, stat: bool) -> None:
    """Print the difference, or the files with their numbers of lines."""
    if not stat:
        write_diff(compared.patch)
        return
    for each in compared.files:
        counts = "not text" if each.added is None else f"+{each.added} -{each.removed}"
        write(f"{each.status:<8}  {each.path}  {counts}")


def updated_json(updated: WorktreeUpdated) -> dict[str, Any]:
    """Return the outcome of an update."""
    return {
        "outcome": "updated" if updated.commit else "unchanged",
        "session": updated.worktree.session,
        "commit": updated.commit,
        "base": updated.worktree.base,
        "checkpoint_id": updated.checkpoint_id,
        "seq": updated.seq,
    }


def show_updated(updated: WorktreeUpdated) -> None:
    """Print the outcome of an update."""
    if updated.commit is None:
        write("The worktree has all commits already.")
        return
    follows = updated.worktree.follows
    write(f"Merged the new commits of {follows}: {updated.worktree.branch} is {updated.commit}.")
    write(f"Checkpoint {updated.checkpoint_id} has the files before it.", dim=True)


def merged_json(merged: WorktreeMerged) -> dict[str, Any]:
    """Return the outcome of a merge."""
    change = merged.change
    outcome = "unchanged"
    if change is not None:
        outcome = "proposed"
    elif merged.commit is not None:
        outcome = "committed"

    return {
        "outcome": outcome,
        "session": merged.worktree.session,
        "change_id": change.id if change else None,
        "files": [file.path for file in change.plan.files] if change else [],
        "partly": merged.partly,
        "branch": merged.worktree.branch if merged.commit else None,
        "commit": merged.commit,
        "seq": merged.seq,
    }


def show_merged(merged: WorktreeMerged) -> None:
    """Print the outcome of a merge, and the next step."""
    if merged.change is not None:
        files = count_of(len(merged.change.plan.files), "file")
        write(f"Proposed change {merged.change.id}: {files}.")
        write(f"Look: holdfast changes show {merged.change.id}", dim=True)
        write(f"Apply: holdfast changes apply {merged.change.id}", dim=True)
    elif merged.commit is not None:
        write(f"{merged.worktree.branch} is {merged.commit}.")
    else:
        write("There is nothing to merge.")


def removed_json(removed: WorktreeRemoved) -> dict[str, Any]:
    """Return the outcome of a removal."""
    return {
        "outcome": "removed",
        "session": removed.worktree.session,
        "path": removed.worktree.path,
        "checkpoint_id": removed.checkpoint_id,
        "branch": removed.branch,
        "seq": removed.seq,
    }


def show_removed(removed: WorktreeRemoved) -> None:
    """Print the outcome of a removal."""
    write(f"Removed {removed.worktree.path}.")
    if removed.checkpoint_id:
        write(f"Checkpoint {removed.checkpoint_id} has its files.")
    if removed.branch:
        write(f"The branch {removed.branch} stays: it has commits of its own.")


def pruned_json(pruned: WorktreesPruned) -> dict[str, Any]:
    """Return the outcome of a prune."""
    return {
        "removed": list(pruned.removed),
        "kept": [{"path": path, "reason": reason} for path, reason in pruned.kept],
    }


def show_pruned(pruned: WorktreesPruned) -> None:
    """Print the outcome of a prune."""
    write(f"Removed {count_of(len(pruned.removed), 'worktree')}.")
    for path, reason in pruned.kept:
        warn(f"{path}: kept: {reason}.")
