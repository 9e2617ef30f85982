"""How edits of files are shown: as one JSON object, or as sentences and a coloured diff."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import JournalDamaged
from holdfast.cli.render.text import count_of, text_if, time_since, warn, write, write_diff
from holdfast.landing.explain import explain
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.outcomes import Refused, Rung

if TYPE_CHECKING:
    from holdfast.changes.plan import FileLanded
    from holdfast.usecases.changes.apply import AppliedReply
    from holdfast.usecases.changes.rewind import FileUndone
    from holdfast.usecases.changes.undo import Undone
    from holdfast.usecases.open_journal_entries import OpenEntry
    from holdfast.usecases.settle_outcome import Settled
    from holdfast.vocab.change_events import EditLanded

_Outcome = TypeVar("_Outcome")

_VERBS = {"edit": "edited", "create": "created", "delete": "deleted", "rename": "renamed"}
_MATCHES: dict[Rung, str] = {
    "exact": "exact match",
    "whitespace": "matched ignoring white space",
    "unicode": "matched ignoring typography",
    "unmangled": "matched after unescaping",
    "elision": "matched around omitted lines",
}


class JsonOutput:
    """One JSON object on standard output; warnings go to standard error."""

    def __init__(self) -> None:
        self._more: dict[str, Any] = {}

    def show_note(self, recovered: Settled) -> None:
        """Warn about what interrupted commands had left, and say so in the object."""
        warn_settled(recovered)
        if recovered.recovered:
            self._more["recovered"] = settled_as_json(recovered)

    def show_stopped(self, notes: Sequence[str]) -> None:
        """Warn about turns that were stopped, and say so in the object."""
        for note in notes:
            warn(note)
        if notes:
            self._more["notes"] = list(notes)

    def show_open(self, entries: Sequence[OpenEntry]) -> None:
        """Warn about what interrupted commands have left, and say so in the object."""
        self._more.update(warn_open(entries))

    def print_body(self, body: dict[str, Any]) -> None:
        """Print the object."""
        print(json.dumps(body | self._more))

    def show_landed(self, applied: AppliedReply, *, check: bool) -> None:  # noqa: ARG002 - as TerminalOutput
        """Print every file that landed."""
        self._print("landed", applied.seq, files=list(map(file_as_json, applied.files)))
        for file in applied.files:
            for warning in file.warnings:
                warn(f"{file.path}: {warning}")

    def show_undone(self, undone: Undone) -> None:
        """Print every file that was undone, and the changes."""
        files = list(map(undone_as_json, undone.files))
        ids = [change.id for change in undone.changes]
        turn = undone.changes[0].turn
        more: dict[str, Any] = {"change_ids": ids, "turn_id": turn}
        if undone.left is not None:
            more["left_why"] = dict(undone.left.paths)
            more["checkpoint_id"] = undone.left.checkpoint_id
        self._print("undone", undone.seq, files=files, **more)

    def show_refusals(self, nothing: NothingDone) -> None:
        """Print every refusal."""
        refusals = [
            {
                "path": each.path,
                "reason": each.refused.reason,
                "message": each.refused.message,
                "closest": each.refused.closest,
                "candidates": list(each.refused.candidates),
            }
            for each in nothing.refusals
        ]
        self._print("refused", nothing.seq, refusals=refusals, unsettled=nothing.unsettled)

    def _print(self, outcome: str, seq: int | None, **more: Any) -> None:
        body: dict[str, Any] = {"outcome": outcome, "files": [], "refusals": [], "seq": seq}
        self.print_body(body | more)


class TerminalOutput:
    """Sentences and diffs, coloured on a terminal unless NO_COLOR is set."""

    def show_note(self, recovered: Settled) -> None:
        """Warn about what interrupted commands had left."""
        warn_settled(recovered)

    def show_stopped(self, notes: Sequence[str]) -> None:
        """Warn about turns that were stopped."""
        for note in notes:
            warn(note)

    def show_open(self, entries: Sequence[OpenEntry]) -> None:
        """Warn about what interrupted commands have left."""
        warn_open(entries)

    def show_landed(self, applied: AppliedReply, *, check: bool) -> None:
        """Print every file that landed, how its old text matched, and its diff."""
        self.show_files(applied.files, check=check)

    def show_files(self, files: Sequence[FileLanded], *, check: bool) -> None:
        """Print each file, how its old text matched, and its diff."""
        for file in files:
            would = text_if(check, "would be ")
            write(f"{would}{headline(file)}", bold=True)
            for warning in file.warnings:
                write(f"warning: {warning}", "yellow")
            write_diff(file.diff)

        if not files:
            write("nothing to change.")

    def show_undone(self, undone: Undone) -> None:
        """Print which change or turn was undone, and every file."""
        write(f"undid {_undone_name(undone)}", bold=True)
        self.show_undone_files(undone.files)
        if undone.left is None or not undone.left.paths:
            return
        for path, why in undone.left.paths:
            write(f"not undone: {path} ({why})", "yellow")
        restore = f"`holdfast checkpoint restore {undone.left.checkpoint_id} --files`"
        write(f"To restore all files as before the turn: {restore}")

    def show_undone_files(self, files: Sequence[FileUndone]) -> None:
        """Print every file that was undone."""
        for file in files:
            write(f"{file.action} {file.path}")

    def show_refusals(self, nothing: NothingDone) -> None:
        """Print every refusal with its cure."""
        for each in nothing.refusals:
            write(explain(each.refused, "person"), "red")
        if nothing.unsettled:
            write("Some files may have changed; the next command here finishes or undoes this.")
        else:
            write("No file was changed.")


def _undone_name(undone: Undone) -> str:
    """Return what was undone, when it was applied, and how many files it had."""
    last = undone.changes[0]
    when = time_since(last.settled_at or last.created_at, datetime.now(UTC))
    files = count_of(len(undone.files), "file")
    if undone.turn is None:
        return f"change {last.id}: {last.origin}, {when}, {files}"

    changes = count_of(len(undone.changes), "change")
    return f"turn {undone.turn}: {changes}, {when}, {files}"


def output_as(*, as_json: bool) -> JsonOutput | TerminalOutput:
    """Return the output that `--json` chooses."""
    if as_json:
        return JsonOutput()
    return TerminalOutput()


def warn_settled(settled: Settled) -> None:
    """Warn about what was done about interrupted commands."""
    for note in settled.notes:
        warn(note)


def settled_as_json(settled: Settled) -> list[dict[str, Any]]:
    """Return what was done about interrupted commands, as every command prints it."""
    bodies = [event_to_json(event) for event in settled.recovered]
    for body in bodies:
        del body["kind"]
    return bodies


def warn_open(entries: Sequence[OpenEntry]) -> dict[str, Any]:
    """Warn about what interrupted commands have left; return it as every command prints it."""
    if not entries:
        return {}
    for entry in entries:
        warn(entry.message)
    return {"open": [asdict(entry) for entry in entries]}


def attempt(use_case: Callable[[], _Outcome]) -> _Outcome | NothingDone:
    """Run a use case. A state directory or a database that cannot be used is a refusal."""
    try:
        return use_case()
    except (JournalDamaged, LogUnavailable) as error:
        message = str(error)
    except OSError as error:
        message = _disk_problem(error)

    return NothingDone((FileRefused("", Refused("conflict", message)),))


def _disk_problem(error: OSError) -> str:
    """Return the sentence for an error of the state directory: no use case raises another one."""
    where = error.filename or "the disk refused"
    cure = "make it writable, or name another place with HOLDFAST_STATE_DIR,"
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        cure = "free some space"
    return f"{where}: {error.strerror}; {cure} and run this again."


def warn_unrecorded(why: LogUnavailable | None) -> None:
    """Warn that the files are written and the change log does not have the change yet."""
    if why:
        warn(f"the files are written, but not recorded yet: {why} The next command here does that.")


def file_as_json(file: FileLanded) -> dict[str, Any]:
    """Return what landed on a file, as every command prints it."""
    entry: dict[str, Any] = {
        "path": file.path,
        "action": file.action,
        "rung": file.rung,
        "similarity": file.similarity,
        "diff": file.diff,
    }
    if file.to is not None:
        entry["to"] = file.to

    return entry


def undone_as_json(file: FileUndone) -> dict[str, Any]:
    """Return what was undone in a file, as every command prints it."""
    return {"path": file.path, "action": file.action}


def headline(file: FileLanded | EditLanded, *, name_exact: bool = False) -> str:
    """Return one line about an edit: the file, and how its old text matched if not exactly."""
    to = text_if(file.to, f" to {file.to}")
    words = f"{_VERBS[file.action]} {file.path}{to}"
    if file.rung == "exact" and not name_exact:
        return words
    return f"{words} ({_match(file)})"


def _match(file: FileLanded | EditLanded) -> str:
    if file.rung != "similar":
        return _MATCHES[file.rung]
    # Texts that differ never read as 100 %.
    percent = min(round(file.similarity * 100), 99)
    return f"approximate match, {percent} %"
