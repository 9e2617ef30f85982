"""How changes are shown: as one JSON object, or as sentences and diffs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.changes.change import hash_of
from holdfast.changes.hunks import hunks_of
from holdfast.cli.render.edits import (
    JsonOutput,
    TerminalOutput,
    file_as_json,
    headline,
    undone_as_json,
)
from holdfast.cli.render.text import count_of, text_if, write, write_diff

if TYPE_CHECKING:
    from holdfast.changes.change import Change
    from holdfast.changes.plan import FileLanded
    from holdfast.usecases.changes.prune import ChangesPruned
    from holdfast.usecases.changes.review import Accepted, Rejected
    from holdfast.usecases.changes.rewind import Rewound


class JsonChanges(JsonOutput):
    """One JSON object on standard output."""

    def show_list(self, changes: Sequence[Change]) -> None:
        """Print the changes, newest first."""
        self.print_body({"changes": list(map(_summary, changes))})

    def show_change(self, change: Change) -> None:
        """Print one change: its files with the hash each was made against, and its hunks."""
        hunks = [
            {"number": hunk.number, "path": hunk.path, "diff": hunk.diff}
            for hunk in hunks_of(change)
        ]
        files = [file_as_json(file) | {"base": _base(file, change)} for file in change.plan.files]
        self.print_body(_summary(change) | {"files": files, "hunks": hunks})

    def show_proposed(self, change: Change) -> None:
        """Print what would land, and the id of the change."""
        self._print_change("proposed", change.id, map(file_as_json, change.plan.files))

    def show_accepted(self, accepted: Accepted) -> None:
        """Print what was written, and the id of the change that has the other hunks."""
        files = map(file_as_json, accepted.applied.files)
        rest = None
        if accepted.rest is not None:
            rest = accepted.rest.id
        applied = accepted.applied
        self._print_change("applied", applied.change_id or "", files, seq=applied.seq, rest=rest)

    def show_rejected(self, rejected: Rejected) -> None:
        """Print the id."""
        self._print_change("rejected", rejected.change.id, (), seq=rejected.seq)

    def show_rewound(self, rewound: Rewound) -> None:
        """Print what was undone."""
        files = map(undone_as_json, rewound.files)
        self._print_change("rewound", rewound.change_id, files, seq=rewound.seq)

    def show_pruned(self, pruned: ChangesPruned) -> None:
        """Print the ids that were removed, and how many changes are left."""
        self.print_body({"removed": list(pruned.removed), "left": pruned.left})

    def _print_change(
        self, outcome: str, change_id: str, files: Iterable[Any], **more: Any
    ) -> None:
        body = {"outcome": outcome, "id": change_id, "files": list(files), "refusals": [], **more}
        self.print_body(body)


class TerminalChanges(TerminalOutput):
    """Sentences and diffs."""

    def show_list(self, changes: Sequence[Change]) -> None:
        """Print a line for each change, newest first."""
        for change in changes:
            names = ", ".join(map(_name, change.plan.files))
            state, origin = f"{change.state:<8}", f"{change.origin:<8}"
            where = text_if(not change.is_here, f"  (in {change.worktree})")
            write(f"{change.id}  {state}  {change.created_at}  {origin}  {names}{where}")

        if not changes:
            write("no changes in this project.")

    def show_change(self, change: Change) -> None:
        """Print one change: its files, and its hunks with their numbers."""
        settled = text_if(change.settled_at, f", {change.state} {change.settled_at}")
        made = f"{change.origin}, {change.created_at}{settled}"
        write(f"change {change.id}: {change.state} ({made})", bold=True)
        for file in change.plan.files:
            write(headline(file), bold=True)

        for hunk in hunks_of(change):
            write(f"hunk {hunk.number} of {hunk.path}", "cyan")
            write_diff(hunk.diff)

    def show_proposed(self, change: Change) -> None:
        """Print what would land, and the command that applies it."""
        self.show_files(change.plan.files, check=True)
        write(f"proposed as change {change.id}; no file was changed.")
        write(f"To apply it: holdfast changes apply {change.id}")

    def show_accepted(self, accepted: Accepted) -> None:
        """Print what was written, and the id of the change that has the other hunks."""
        self.show_landed(accepted.applied, check=False)
        if accepted.rest:
            write(f"the other hunks stay proposed, as change {accepted.rest.id}.")

    def show_rejected(self, rejected: Rejected) -> None:
        """Print the id."""
        write(f"rejected change {rejected.change.id}; no file was changed.")

    def show_rewound(self, rewound: Rewound) -> None:
        """Print what was undone."""
        self.show_undone_files(rewound.files)

    def show_pruned(self, pruned: ChangesPruned) -> None:
        """Print how many changes were removed, and how many are left."""
        removed, left = count_of(len(pruned.removed), "change"), count_of(pruned.left, "change")
        write(f"removed {removed} from the record; {left} left. No file was touched.")


def _summary(change: Change) -> dict[str, Any]:
    return {
        "id": change.id,
        "seq": change.seq,
        "state": change.state,
        "origin": change.origin,
        "created_at": change.created_at,
        "settled_at": change.settled_at,
        "session": change.session,
        "turn": change.turn,
        "part_of": change.requested.part_of,
        "worktree": change.worktree or None,
        "files": [_file(file) for file in change.plan.files],
    }


def _file(file: FileLanded) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": file.path, "action": file.action}
    if file.to:
        entry["to"] = file.to
    return entry


def _name(file: FileLanded) -> str:
    return file.path + text_if(file.to, f" -> {file.to}")


def _base(file: FileLanded, change: Change) -> str | None:
    """Return the hash of the file that a change was made against."""
    for swap in change.plan.swaps:
        if swap.path == file.at[0]:
            return hash_of(swap.before)
    return None
