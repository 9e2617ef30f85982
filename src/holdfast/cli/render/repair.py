"""How repairs are shown: as one JSON object, or as a line a file."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from holdfast.cli.render.text import plain, text_if, warn, write, write_diff
from holdfast.repair.outcomes import (
    Exhausted,
    FirstTrySuccess,
    NoProgress,
    NoProvider,
    ProductionBlocked,
    Repaired,
    VerificationRejected,
)
from holdfast.usecases.repair.messages import WORDS, describe_repair

if TYPE_CHECKING:
    from holdfast.usecases.repair.file_repair import FileRepair

_REMEMBERED = "repaired by a cached answer of the model"
# Fields of an outcome that are not printed: code is in the diff, the message is printed apart.
_NOT_PRINTED = {"code", "best", "message"}


def exit_code(repairs: Sequence[FileRepair]) -> int:
    """Return 4 if the strictness blocks a file, 1 if a file fails that was not skipped, else 0."""
    if any(isinstance(each.outcome, ProductionBlocked) for each in repairs):
        return 4
    if all(each.success or each.skipped for each in repairs):
        return 0
    return 1


def name_outcome(repair: FileRepair) -> str:
    """Return the name of an outcome; "Trouble" if the outcome was not carried out."""
    if repair.outcome is None or repair.trouble is not None:
        return "Trouble"
    return repair.outcome.name


class JsonRepair:
    """One JSON object on standard output; warnings go to standard error."""

    def say(self, words: str) -> None:
        """Print a warning."""
        warn(words)

    def show(self, repair: FileRepair) -> None:
        """Print nothing before the end."""

    def end(self) -> None:
        """Print nothing before the end."""

    def show_all(self, repairs: Sequence[FileRepair], *, dry_run: bool) -> None:
        """Print every file and the sums."""
        files = [each for each in repairs if each.skipped is None]
        skipped = [each for each in repairs if each.skipped is not None]
        body = {
            "outcome": _summary(repairs),
            "dry_run": dry_run,
            "counts": dict(Counter(map(name_outcome, files))),
            "files": [_as_json(each, dry_run=dry_run) for each in files],
            "skipped": [{"path": each.path, "message": each.skipped} for each in skipped],
        }
        print(json.dumps(body))


def _summary(repairs: Sequence[FileRepair]) -> str:
    code = exit_code(repairs)
    if code == 4:
        return "blocked"
    if code == 1:
        return "failing"
    if any(each.diff for each in repairs):
        return "repaired"
    return "clean"


def _as_json(repair: FileRepair, *, dry_run: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "path": repair.path,
        "target": repair.target,
        "outcome": name_outcome(repair),
        "success": repair.success,
        "written": repair.change_id is not None,
        "change": repair.change_id,
        "diff": repair.diff,
        "message": _message(repair, dry_run=dry_run),
    }
    outcome = repair.outcome
    if outcome is None or repair.trouble is not None:
        return body
    if isinstance(outcome, Repaired):
        body["cached"] = outcome.cached
    for field in fields(outcome):
        if field.name in _NOT_PRINTED:
            continue
        value = getattr(outcome, field.name)
        body[field.name] = list(value) if isinstance(value, tuple) else value
    return body


def _message(repair: FileRepair, *, dry_run: bool) -> str:
    """Return what came of a file, and the next step."""
    parts = (describe_repair(repair), repair.note, _next_step(repair, dry_run=dry_run))
    return "\n".join(words for words in parts if words)


def _next_step(repair: FileRepair, *, dry_run: bool) -> str:
    if repair.trouble is not None:
        return ""
    match repair.outcome:
        case NoProvider():
            return (
                "no cheaper method fixes this; set a model (--model, --base-url, "
                "and no --no-model), or fix it by hand."
            )
        case (
            Exhausted(decision_id=record)
            | NoProgress(decision_id=record)
            | VerificationRejected(decision_id=record)
        ):
            # A dry run keeps no record.
            if record and not dry_run:
                return f"to see what was proposed: `holdfast decisions show {record}`."
            return "try another model (--model), or fix it by hand."
        case _:
            return ""


class TerminalRepair:
    """A line a file, with its diff; progress on a terminal."""

    def __init__(self, total: int, *, progress: bool) -> None:
        """Show `progress` only on a terminal, where it is erased again."""
        self._total = total
        self._done = 0
        self._progress = progress and total > 1

    def say(self, words: str) -> None:
        """Print a warning."""
        self.end()
        warn(words)

    def show(self, repair: FileRepair) -> None:
        """Show the progress."""
        self._done += 1
        if self._progress:
            line = f"\r\x1b[K{self._done}/{self._total} {plain(repair.path)}"
            print(line, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Erase the progress."""
        if self._progress:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show_all(self, repairs: Sequence[FileRepair], *, dry_run: bool) -> None:
        """Print every file that did not simply pass, and the sums."""
        skipped = [each for each in repairs if each.skipped is not None]
        files = [each for each in repairs if each.skipped is None]
        passing = [each for each in files if _passes(each)]
        for each in files:
            if each not in passing or len(repairs) == 1:
                self._show_one(each, dry_run=dry_run)
        for each in skipped:
            warn(f"skipped {each.skipped}")
        if not files:
            write("no file here can be checked.")
        elif len(repairs) > 1:
            fixed = sum(each.success for each in files) - len(passing)
            failing = len(files) - len(passing) - fixed
            fail = "still fails" if failing == 1 else "still fail"
            sums = f"{len(passing)} pass, {fixed} repaired, {failing} {fail}"
            besides = text_if(skipped, f", {len(skipped)} skipped")
            write(f"{len(repairs)} files: {sums}{besides}.")

    def _show_one(self, repair: FileRepair, *, dry_run: bool) -> None:
        would = text_if(dry_run and repair.diff, "would be ")
        colour = None if repair.success else "red"
        write(f"{repair.path}: {would}{_headline(repair)}", colour, bold=True)
        is_fixed = repair.success and repair.diff
        message = repair.note if is_fixed else _message(repair, dry_run=dry_run)
        if message:
            for line in message.split("\n"):
                write(text_if(line, f"  {line}"))
        write_diff(repair.diff)


def _passes(repair: FileRepair) -> bool:
    return repair.success and isinstance(repair.outcome, FirstTrySuccess)


def _headline(repair: FileRepair) -> str:
    outcome = repair.outcome
    if outcome is None or repair.trouble is not None:
        return "was not repaired"
    if isinstance(outcome, Repaired) and outcome.cached:
        return _REMEMBERED
    return WORDS[outcome.name]
