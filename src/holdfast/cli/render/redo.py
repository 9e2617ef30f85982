"""How a redo is shown: as one JSON object, or as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.cli.render.checkpoints import TerminalCheckpoints, restored_as_json
from holdfast.cli.render.edits import JsonOutput, TerminalOutput
from holdfast.cli.render.text import count_of, warn, write

if TYPE_CHECKING:
    from holdfast.usecases.redo import ChangesRedone
    from holdfast.usecases.settle_outcome import Restored


class JsonRedo(JsonOutput):
    """One JSON object on standard output; warnings go to standard error."""

    def show_redone(self, redone: ChangesRedone) -> None:
        """Print the changes, and every file."""
        files = [{"path": file.path, "action": file.action} for file in redone.files]
        ids = [change.id for change in redone.changes]
        turn = redone.changes[0].turn
        self._print_redone(redone.seq, files=files, change_ids=ids, turn_id=turn)

    def show_restored_again(self, restored: Restored) -> None:
        """Print the restore as `holdfast checkpoint restore` does."""
        self.show_note(restored.recovered)
        for note in restored.notes:
            warn(note)
        self._print_redone(restored.seq, restored=restored_as_json(restored))

    def _print_redone(self, seq: int | None, **more: Any) -> None:
        empty: dict[str, Any] = {"change_ids": [], "turn_id": None, "restored": None}
        self._print("redone", seq, **(empty | more))


class TerminalRedo(TerminalOutput):
    """Sentences, coloured on a terminal unless NO_COLOR is set."""

    def show_redone(self, redone: ChangesRedone) -> None:
        """Print which change it was, and every file."""
        files = count_of(len(redone.files), "file")
        name = f"change {redone.changes[0].id}: {redone.changes[0].origin}"
        if len(redone.changes) > 1:
            name = f"{len(redone.changes)} changes of turn {redone.changes[0].turn}"

        write(f"redid {name}, {files}", bold=True)
        for file in redone.files:
            write(f"{file.action} {file.path}")

    def show_restored_again(self, restored: Restored) -> None:
        """Print the restore as `holdfast checkpoint restore` does."""
        TerminalCheckpoints().show_restored(restored)
