"""How repairs are shown: as JSON objects, or as a line a file."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

from holdfast.cli.render.edits import settled_as_json, warn_settled
from holdfast.cli.render.text import plain, text_if, warn, write, write_diff
from holdfast.repair.outcomes import (
    Exhausted,
    FirstTrySuccess,
    NeedsReview,
    NoProgress,
    NoProvider,
    ProductionBlocked,
    Repaired,
    VerificationRejected,
)
from holdfast.usecases.repair.descriptions import OUTCOME_WORDS, describe_repair
from holdfast.vocab.diagnostics import Diagnostic

if TYPE_CHECKING:
    from holdfast.usecases.repair.file_repair import FileRepair
    from holdfast.usecases.settle_outcome import Settled

_REMEMBERED = "repaired by a cached answer of the model"
_UNCERTAIN = "this may be wrong, and is applied only with --unsafe-fixes:"
_SECONDS_BETWEEN = 5.0
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


class ProgressLines:
    """A line on the error stream every few seconds, for a job without a terminal."""

    def __init__(self, total: int) -> None:
        """Count up to this many files."""
        self._total = total
        self._kinds: Counter[str] = Counter()
        self._begin = self._last = time.monotonic()

    def count(self, repair: FileRepair) -> None:
        """Count one file that ended."""
        self._kinds[_kind(repair)] += 1

    def tick(self) -> None:
        """Print a line if the last one is some seconds old; this is called often."""
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN:
            return
        self._last = now
        done = f"{self._kinds.total()} of {self._total} files after {now - self._begin:.0f} s"
        print(f"holdfast: {done}: {_sums(self._kinds)}", file=sys.stderr, flush=True)


class JsonRepair:
    """JSON objects on standard output: each file as it ends, then all; warnings on standard error.

    A single file has only the last object, which has all that would be in its own.
    """

    def __init__(self, total: int, *, dry_run: bool) -> None:
        """Report this many files."""
        self._total = total
        self._dry_run = dry_run
        self._done = 0
        self._more: dict[str, Any] = {}
        self._lines = ProgressLines(total)

    def show_settled(self, settled: Settled) -> None:
        """Warn about what interrupted commands had left, and say so in the object."""
        warn_settled(settled)
        if settled.recovered:
            self._more["recovered"] = settled_as_json(settled)

    def say(self, words: str) -> None:
        """Print a warning."""
        warn(words)

    def show(self, repair: FileRepair) -> None:
        """Print an object for a file that ended."""
        self._done += 1
        self._lines.count(repair)
        if self._total == 1:
            return

        body: dict[str, Any] = {"event": "file", "done": self._done, "total": self._total}
        if repair.skipped is not None:
            body["skipped"] = _skipped_as_json(repair)
        else:
            body["file"] = _as_json(repair, dry_run=self._dry_run)

        print(json.dumps(body), flush=True)

    def tick(self) -> None:
        """Print the progress now and then."""
        self._lines.tick()

    def end(self) -> None:
        """Print nothing before the end."""

    def show_all(self, repairs: Sequence[FileRepair]) -> None:
        """Print every file and the sums."""
        counts: Counter[str] = Counter()
        files = []
        skipped = []
        numbers = [each.seq for each in repairs if each.seq is not None]
        for each in repairs:
            if each.skipped is not None:
                skipped.append(_skipped_as_json(each))
                continue
            counts[name_outcome(each)] += 1
            files.append(_as_json(each, dry_run=self._dry_run))

        body = {
            "outcome": _summary(repairs),
            "dry_run": self._dry_run,
            "counts": dict(counts),
            "files": files,
            "skipped": skipped,
            "seq": max(numbers, default=None),
        }
        print(json.dumps(body | self._more))


def _skipped_as_json(repair: FileRepair) -> dict[str, Any]:
    return {"path": repair.path, "message": repair.skipped}


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
        "diagnostics": [diagnostic_as_json(each) for each in repair.diagnostics],
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


def diagnostic_as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as an object: tool, code, severity, path, line, column, message."""
    area = diagnostic.area
    return {
        "tool": diagnostic.tool,
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "path": diagnostic.path,
        "line": area.line if area is not None else None,
        "column": area.column if area is not None else None,
        "message": diagnostic.message,
    }


def _message(repair: FileRepair, *, dry_run: bool) -> str:
    """Return what came of a file, and the next step."""
    parts = (describe_repair(repair), repair.note, _next_step(repair, dry_run=dry_run))
    return "\n".join(filter(None, parts))


def _next_step(repair: FileRepair, *, dry_run: bool) -> str:
    if repair.trouble is not None:
        return ""

    match repair.outcome:
        case NoProvider(hints=hints):
            step = (
                "no cheaper method fixes this; set a model (--model, --base-url, "
                "and no --no-model), or fix it by hand."
            )
            shown = [f"{_UNCERTAIN}\n{hint}" for hint in hints]
            return "\n".join([*shown, step])
        case NeedsReview(decision_id=record) if record and not dry_run:
            return f"if it is right: `holdfast decisions pin {record}`, and repair again."
        case (
            Exhausted(decision_id=record)
            | NoProgress(decision_id=record)
            | VerificationRejected(decision_id=record)
            | NeedsReview(decision_id=record)
        ):
            # A dry run keeps no record.
            if record and not dry_run:
                return f"to see what was proposed: `holdfast decisions show {record}`."
            return "try another model (--model), or fix it by hand."
        case _:
            return ""


class TerminalRepair:
    """A line a file, with its diff; progress on a terminal."""

    def __init__(self, total: int, *, dry_run: bool, progress: bool) -> None:
        """Show `progress` on a terminal, where it is erased again; else a line now and then."""
        self._total = total
        self._dry_run = dry_run
        self._done = 0
        self._progress = progress and total > 1
        self._lines = ProgressLines(total)

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
        self._lines.count(repair)
        if not self._progress:
            return
        line = f"\r\x1b[K{self._done}/{self._total} {plain(repair.path)}"
        print(line, end="", file=sys.stderr, flush=True)

    def tick(self) -> None:
        """Print the progress now and then, where a terminal does not show it."""
        if not self._progress:
            self._lines.tick()

    def end(self) -> None:
        """Erase the progress."""
        if self._progress:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show_all(self, repairs: Sequence[FileRepair]) -> None:
        """Print every file that did not simply pass, and the sums."""
        counts: Counter[str] = Counter()
        for each in repairs:
            kind = _kind(each)
            counts[kind] += 1
            if kind == "skipped":
                continue
            if kind != "pass" or len(repairs) == 1:
                self._show_one(each)

        for each in repairs:
            if each.skipped is not None:
                warn(f"skipped {each.skipped}")

        if counts["skipped"] == len(repairs):
            write("no file here can be checked.")
        elif len(repairs) > 1:
            write(f"{len(repairs)} files: {_sums(counts)}.")

    def _show_one(self, repair: FileRepair) -> None:
        would = text_if(self._dry_run and repair.diff, "would be ")
        colour = None if repair.success else "red"
        message = _message(repair, dry_run=self._dry_run)
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
    return OUTCOME_WORDS[name]
