"""How changes are shown: as one JSON object, or as words and diffs for a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.changes.change import hash_of
from holdfast.changes.hunks import hunks_of
from holdfast.cli.render.common import Face, JsonFace, TerminalFace, file_as_json, headline
from holdfast.cli.render.text import write, write_diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.change import Change
    from holdfast.changes.plan import FileLanded
    from holdfast.usecases.changes.prune import ChangesPruned
    from holdfast.usecases.changes.review import Accepted
    from holdfast.usecases.changes.rewind import Rewound


class ChangesFace(Face, Protocol):
    """What `holdfast changes` prints."""

    def show_list(self, changes: Sequence[Change]) -> None:
        """Give every change in a line."""
        ...

    def show_change(self, change: Change) -> None:
        """Give one change with its hunks."""
        ...

    def show_proposed(self, change: Change) -> None:
        """Say what is on record now."""
        ...

    def show_accepted(self, accepted: Accepted) -> None:
        """Say what was written, and where the rest is."""
        ...

    def show_rejected(self, change: Change) -> None:
        """Say that it is put away."""
        ...

    def show_rewound(self, rewound: Rewound) -> None:
        """Say what was taken back."""
        ...

    def show_pruned(self, pruned: ChangesPruned) -> None:
        """Say what is forgotten."""
        ...


class JsonChanges(JsonFace):
    """One JSON object on standard output."""

    def show_list(self, changes: Sequence[Change]) -> None:
        """Print the changes, newest first."""
        print(json.dumps({"changes": [_summary(change) for change in changes]}))

    def show_change(self, change: Change) -> None:
        """Print one change: what landed on each file, the hash of the file it was made against, its hunks."""
        hunks = [
            {"number": hunk.number, "path": hunk.path, "diff": hunk.diff}
            for hunk in hunks_of(change)
        ]
        files = [file_as_json(file) | {"base": _base(file, change)} for file in change.plan.files]
        print(json.dumps(_summary(change) | {"files": files, "hunks": hunks}))

    def show_proposed(self, change: Change) -> None:
        """Print what landed in memory, and the id to decide about."""
        self._decided("proposed", change.id, [file_as_json(file) for file in change.plan.files])

    def show_accepted(self, accepted: Accepted) -> None:
        """Print what was written, and the id of the change that has the other hunks."""
        files = [file_as_json(file) for file in accepted.applied.files]
        rest = {"rest": accepted.rest.id if accepted.rest else None}
        self._decided("applied", accepted.applied.change_id or "", files, **rest)

    def show_rejected(self, change: Change) -> None:
        """Print the id."""
        self._decided("rejected", change.id, [])

    def show_rewound(self, rewound: Rewound) -> None:
        """Print what was taken back."""
        files = [{"path": file.path, "action": file.action} for file in rewound.files]
        self._decided("rewound", rewound.change_id, files)

    def show_pruned(self, pruned: ChangesPruned) -> None:
        """Print the ids that are gone, and how many are left."""
        print(json.dumps({"removed": list(pruned.removed), "left": pruned.left}))

    def _decided(self, outcome: str, change_id: str, files: Sequence[Any], **more: Any) -> None:
        print(
            json.dumps(
                {"outcome": outcome, "id": change_id, "files": list(files), "refusals": [], **more}
            )
        )


class TerminalChanges(TerminalFace):
    """Words and diffs."""

    def show_list(self, changes: Sequence[Change]) -> None:
        """Print a line for each change, newest first."""
        for change in changes:
            names = ", ".join(
                file.path + (f" -> {file.to}" if file.to else "") for file in change.plan.files
            )
            write(
                f"{change.id}  {change.state:<8}  {change.created_at}  {change.origin:<8}  {names}"
            )
        if not changes:
            write("there is no change to list below this root.")

    def show_change(self, change: Change) -> None:
        """Print what landed on each file, and its hunks with their numbers."""
        settled = f", {change.state} {change.settled_at}" if change.settled_at else ""
        write(
            f"change {change.id}: {change.state} ({change.origin}, {change.created_at}{settled})",
            bold=True,
        )
        for file in change.plan.files:
            write(headline(file), bold=True)
        for hunk in hunks_of(change):
            write(f"hunk {hunk.number} of {hunk.path}", "cyan")
            write_diff(hunk.diff)

    def show_proposed(self, change: Change) -> None:
        """Print what landed in memory, and what to say to have it."""
        self.show_landed(change.plan.files, check=True)
        write(f"proposed as change {change.id}; no file was changed.")
        write(f"To have it: holdfast changes apply {change.id}")

    def show_accepted(self, accepted: Accepted) -> None:
        """Print what was written, and where the other hunks are."""
        self.show_landed(accepted.applied.files, check=False)
        if accepted.rest:
            write(f"the other hunks stay proposed, as change {accepted.rest.id}.")

    def show_rejected(self, change: Change) -> None:
        """Print the id."""
        write(f"rejected change {change.id}; no file was changed.")

    def show_rewound(self, rewound: Rewound) -> None:
        """Print what was taken back."""
        self.show_undone(rewound.files)

    def show_pruned(self, pruned: ChangesPruned) -> None:
        """Print how many are gone, and how many are left."""
        write(
            f"forgot {_count(len(pruned.removed))}; {_count(pruned.left)} left on record. No file was touched."
        )


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
        "part_of": change.asked.part_of,
        "files": [
            {"path": file.path, "action": file.action} | ({"to": file.to} if file.to else {})
            for file in change.plan.files
        ],
    }


def _count(number: int) -> str:
    return f"{number} change{'' if number == 1 else 's'}"


def _base(file: FileLanded, change: Change) -> str | None:
    swap = next((each for each in change.plan.swaps if each.path == file.at[0]), None)
    return hash_of(swap.before) if swap else None
