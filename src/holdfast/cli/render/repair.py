"""How repairs are shown: as one JSON object, or as a line a file."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

from holdfast.cli.render.edits import settled_as_json, warn_settled
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
    from holdfast.usecases.settled import Settled

_REMEMBERED = "repaired by a cached answer of the model"
# Fields of an outcome that are not printed: code is in the diff, the message is printed apart.
_NOT_PRINTED = {"code", "best", "message"}


def exit_code(repairs: Sequence[FileRepair]) -> int:
    """Return 4 if the strictness blocks a file, 1 if a file fails that was not skipped, else 0."""
    code = 0
    for each in repairs:
        if isinstance(each.outcome, ProductionBlocked):
            return 4
        if not each.success and not each.skipped:
            code = 1
    return code


def name_outcome(repair: FileRepair) -> str:
    """Return the name of an outcome; "Trouble" if the outcome was not carried out."""
    if repair.outcome is None:
        return "Trouble"
    if repair.trouble is not None:
        return "Trouble"
    return repair.outcome.name


class JsonRepair:
    """One JSON object on standard output; warnings go to standard error."""

    def __init__(self) -> None:
        self._more: dict[str, Any] = {}

    def show_settled(self, settled: Settled) -> None:
        """Warn about what interrupted commands had left, and say so in the object."""
        warn_settled(settled)
        if settled.recovered:
            self._more["recovered"] = settled_as_json(settled)

    def say(self, words: str) -> None:
        """Print a warning."""
        warn(words)

    def show(self, repair: FileRepair) -> None:
        """Print nothing before the end."""

    def end(self) -> None:
        """Print nothing before the end."""

    def show_all(self, repairs: Sequence[FileRepair], *, dry_run: bool) -> None:
        """Print every file and the sums."""
        counts: Counter[str] = Counter()
        files = []
        skipped = []
        numbers = [each.seq for each in repairs if each.seq is not None]
        for each in repairs:
            if each.skipped is not None:
                skipped.append({"path": each.path, "message": each.skipped})
                continue
            counts[name_outcome(each)] += 1
            files.append(_as_json(each, dry_run=dry_run))
        body = {
            "outcome": _summary(repairs),
            "dry_run": dry_run,
            "counts": dict(counts),
            "files": files,
            "skipped": skipped,
            "seq": max(numbers, default=None),
        }
        print(json.dumps(body | self._more))


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
        body[field.name] = getattr(outcome, field.name)
    return body


def _message(repair: FileRepair, *, dry_run: bool) -> str:
    """Return what came of a file, and the next step."""
    parts = (describe_repair(repair), repair.note, _next_step(repair, dry_run=dry_run))
    return "\n".join(filter(None, parts))


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

    def show_settled(self, settled: Settled) -> None:
        """Warn about what interrupted commands had left."""
        warn_settled(settled)

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
        counts: Counter[str] = Counter()
        for each in repairs:
            kind = _kind(each)
            counts[kind] += 1
            if kind == "skipped":
                continue
            if kind != "pass" or len(repairs) == 1:
                self._show_one(each, dry_run=dry_run)
        for each in repairs:
            if each.skipped is not None:
                warn(f"skipped {each.skipped}")
        if counts["skipped"] == len(repairs):
            write("no file here can be checked.")
        elif len(repairs) > 1:
            write(f"{len(repairs)} files: {_sums(counts)}.")

    def _show_one(self, repair: FileRepair, *, dry_run: bool) -> None:
        would = text_if(dry_run and repair.diff, "would be ")
        colour: str | None = "red"
        message = _message(repair, dry_run=dry_run)
        if repair.success:
            colour = None
            if repair.diff:
                message = repair.note
        write(f"{repair.path}: {would}{_headline(repair)}", colour, bold=True)
        if message:
            for line in message.split("\n"):
                write(text_if(line, f"  {line}"))
        write_diff(repair.diff)


def _kind(repair: FileRepair) -> Literal["skipped", "pass", "repaired", "fail"]:
    """Return under which of the sums a file counts."""
    if repair.skipped is not None:
        return "skipped"
    if not repair.success:
        return "fail"
    if isinstance(repair.outcome, FirstTrySuccess):
        return "pass"
    return "repaired"


def _sums(counts: Counter[str]) -> str:
    still = "still fail"
    if counts["fail"] == 1:
        still = "still fails"
    sums = f"{counts['pass']} pass, {counts['repaired']} repaired, {counts['fail']} {still}"
    if counts["skipped"]:
        return f"{sums}, {counts['skipped']} skipped"
    return sums


def _headline(repair: FileRepair) -> str:
    name = name_outcome(repair)
    if name == "Trouble":
        return "was not repaired"
    if isinstance(repair.outcome, Repaired) and repair.outcome.cached:
        return _REMEMBERED
    return WORDS[name]
