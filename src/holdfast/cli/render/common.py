"""How an outcome is shown: as one JSON object, or as words and a coloured diff for a person."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileRefused
from holdfast.changes.transaction import Damaged
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

# Not newline and tab. A reply can hold escape sequences; on a terminal they are commands. A surrogate is a byte that
# was no text, and cannot be printed.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_WORDS = {"edit": "edited", "create": "created", "delete": "deleted", "rename": "renamed"}
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


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
            self._say(("would be " if check else "") + headline(file), bold=True)
            for warning in file.warnings:
                self._say(f"warning: {warning}", "yellow")
            self._show_diff(file.diff)
        if not files:
            self._say("nothing to change.")

    def show_undone(self, files: Sequence[FileUndone]) -> None:
        """Print every file that undo gave its old bytes."""
        for file in files:
            self._say(f"{file.action} {file.path}")

    def show_refusals(self, nothing: NothingDone) -> None:
        """Print every refusal with its cure."""
        for each in nothing.refusals:
            self._say(explain(each.refused, "person"), "red")
        later = (
            "Some files may have changed; the next command here finishes this, or takes it back."
        )
        self._say(later if nothing.unsettled else "No file was changed.")

    def _show_diff(self, diff: str) -> None:
        for line in diff.removesuffix("\n").split("\n") if diff else ():
            self._say(
                line.removesuffix("\r"), diff_colour(line), bold=line.startswith(("--- ", "+++ "))
            )

    def _say(self, words: str, colour: str | None = None, *, bold: bool = False) -> None:
        # Not rich: it makes blanks of tabs, and a diff could not be copied any more.
        typer.secho(
            plain(words),
            fg=colour,
            bold=bold or None,
            color=False if os.environ.get("NO_COLOR") else None,
        )


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


def diff_colour(line: str) -> str | None:
    """Give the colour of a line of a diff; None for one that stays."""
    return _COLOURS.get(line[:1])


def plain(words: str) -> str:
    """Give the words with escapes for what is a command to a terminal, or cannot be printed."""
    return _UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", words)


def warn(words: str | None) -> None:
    """Say it on standard error, where it is in nobody's way."""
    if words:
        print(f"holdfast: {plain(words)}", file=sys.stderr)
