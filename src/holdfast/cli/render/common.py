"""How an outcome is shown: as one JSON object, or as words and a coloured diff for a person."""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileRefused
from holdfast.changes.transaction import Damaged
from holdfast.cli.render.text import warn, write, write_diff
from holdfast.landing.explain import explain
from holdfast.usecases.workspace import NothingDone, note_of
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.changes.plan import FileLanded
    from holdfast.changes.transaction import BatchRecovery
    from holdfast.usecases.changes.rewind import FileUndone
    from holdfast.vocab.events import EditLanded

_Outcome = TypeVar("_Outcome")

_WORDS = {"edit": "edited", "create": "created", "delete": "deleted", "rename": "renamed"}


class Face(Protocol):
    """What a command prints."""

    def show_note(self, recovered: BatchRecovery | None) -> None:
        """Say what was done about a command that had died."""
        ...

    def show_landed(self, files: Sequence[FileLanded], *, check: bool) -> None:
        """Say what landed."""
        ...

    def show_undone(self, files: Sequence[FileUndone]) -> None:
        """Say what undo did."""
        ...

    def show_refusals(self, nothing: NothingDone) -> None:
        """Say what was refused, and the cure."""
        ...


def attempt(use_case: Callable[[], _Outcome]) -> _Outcome | NothingDone:
    """Run a use case; a state directory or a database that cannot be used is a refusal too, not a traceback."""
    try:
        return use_case()
    except (Damaged, LogUnavailable) as error:
        told = str(error)
    except OSError as error:
        told = _disk_refused(error)
    return NothingDone((FileRefused("", Refused("conflict", told)),))


def _disk_refused(error: OSError) -> str:
    """Say what the disk said about the state directory: no use case lets another error of it out."""
    where = f"{error.filename}: " if error.filename else "the disk refused: "
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    cure = (
        "free some space"
        if full
        else "make it writable, or name another place with HOLDFAST_STATE_DIR,"
    )
    return f"{where}{error.strerror}; {cure} and run this again."


def warn_unrecorded(why: LogUnavailable | None) -> None:
    """Say that the files are written and the log does not know it yet."""
    if why:
        warn(
            f"the files are written, but this is not on record yet: {why} The next command here records it."
        )


class JsonFace:
    """One JSON object on standard output; what is said besides goes to standard error."""

    def show_note(self, recovered: BatchRecovery | None) -> None:
        """Say what was done about a command that had died."""
        warn(note_of(recovered))

    def show_landed(self, files: Sequence[FileLanded], *, check: bool) -> None:  # noqa: ARG002 - the same either way
        """Print every file that landed."""
        self._print("landed", [file_as_json(file) for file in files])
        for file in files:
            for warning in file.warnings:
                warn(f"{file.path}: {warning}")

    def show_undone(self, files: Sequence[FileUndone]) -> None:
        """Print every file that undo gave its old bytes."""
        self._print("undone", [{"path": file.path, "action": file.action} for file in files])

    def show_refusals(self, nothing: NothingDone) -> None:
        """Print every refusal."""
        self._print(
            "refused",
            refusals=[
                {
                    "path": each.path,
                    "reason": each.refused.reason,
                    "message": each.refused.message,
                    "closest": each.refused.closest,
                    "candidates": list(each.refused.candidates),
                }
                for each in nothing.refusals
            ],
            unsettled=nothing.unsettled,
        )

    def _print(
        self, outcome: str, files: Sequence[Any] = (), refusals: Sequence[Any] = (), **more: Any
    ) -> None:
        print(
            json.dumps(
                {"outcome": outcome, "files": list(files), "refusals": list(refusals), **more}
            )
        )


class TerminalFace:
    """Words and diffs, coloured on a terminal unless NO_COLOR is set."""

    def show_note(self, recovered: BatchRecovery | None) -> None:
        """Say what was done about a command that had died."""
        warn(note_of(recovered))

    def show_landed(self, files: Sequence[FileLanded], *, check: bool) -> None:
        """Print every file that landed, how surely, and its diff."""
        for file in files:
            write(("would be " if check else "") + headline(file), bold=True)
            for warning in file.warnings:
                write(f"warning: {warning}", "yellow")
            write_diff(file.diff)
        if not files:
            write("nothing to change.")

    def show_undone(self, files: Sequence[FileUndone]) -> None:
        """Print every file that undo gave its old bytes."""
        for file in files:
            write(f"{file.action} {file.path}")

    def show_refusals(self, nothing: NothingDone) -> None:
        """Print every refusal with its cure."""
        for each in nothing.refusals:
            write(explain(each.refused, "person"), "red")
        later = (
            "Some files may have changed; the next command here finishes this, or takes it back."
        )
        write(later if nothing.unsettled else "No file was changed.")


def file_as_json(file: FileLanded) -> dict[str, Any]:
    """Give what landed on a file, as every command prints it."""
    entry: dict[str, Any] = {
        "path": file.path,
        "action": file.action,
        "rung": file.rung,
        "similarity": file.similarity,
        "diff": file.diff,
    }
    return entry if file.to is None else entry | {"to": file.to}


def headline(file: FileLanded | EditLanded) -> str:
    """Say in one line what landed on a file, and how surely."""
    to = f" to {file.to}" if file.to else ""
    sure = "" if file.rung == "exact" else f" (rung {file.rung}, similarity {file.similarity:.2f})"
    return f"{_WORDS[file.action]} {file.path}{to}{sure}"
