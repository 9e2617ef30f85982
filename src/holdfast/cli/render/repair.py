"""How repairs are shown: as one JSON object, or as a line a file for a person."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import typer

from holdfast.cli.render.text import diff_colour, plain, warn
from holdfast.repair.outcomes import (
    Exhausted,
    FirstTrySuccess,
    NoProgress,
    NoProvider,
    ProductionBlocked,
    Repaired,
    VerificationRejected,
)
from holdfast.usecases.repair.messages import WORDS, tell_mended

if TYPE_CHECKING:
    from holdfast.usecases.repair.repair_files import FileRepair

_REMEMBERED = "repaired by a remembered answer of the model"


def exit_code(mended: Sequence[FileRepair]) -> int:
    """Give 0 if all pass that were not skipped, 4 if the strictness stands in the way of one, else 1."""
    if any(isinstance(each.outcome, ProductionBlocked) for each in mended):
        return 4
    return 0 if all(each.success or each.skipped for each in mended) else 1


def name_outcome(mended: FileRepair) -> str:
    """Give one name for how a file ended: whatever was found, what is not carried out is trouble."""
    return (
        "Trouble" if mended.outcome is None or mended.trouble is not None else mended.outcome.name
    )


class JsonRepair:
    """One JSON object on standard output; what is said besides goes to standard error."""

    def say(self, words: str) -> None:
        """Say something besides."""
        warn(words)

    def show(self, mended: FileRepair) -> None:
        """Wait for the end."""

    def end(self) -> None:
        """Leave nothing half printed."""

    def show_all(self, mended: Sequence[FileRepair], *, dry_run: bool) -> None:
        """Print every file and the sums."""
        files = [each for each in mended if each.skipped is None]
        counts = dict(Counter(map(name_outcome, files)))
        ended = {
            0: "repaired" if any(each.diff for each in mended) else "clean",
            1: "failing",
            4: "blocked",
        }
        told = {
            "outcome": ended[exit_code(mended)],
            "dry_run": dry_run,
            "counts": counts,
            "files": [_as_json(each, dry_run=dry_run) for each in files],
            "skipped": [
                {"path": each.path, "message": each.skipped}
                for each in mended
                if each.skipped is not None
            ],
        }
        print(json.dumps(told))


def _as_json(mended: FileRepair, *, dry_run: bool) -> dict[str, Any]:
    outcome = mended.outcome
    told: dict[str, Any] = {
        "path": mended.path,
        "target": mended.target,
        "outcome": name_outcome(mended),
        "success": mended.success,
        "written": mended.change_id is not None,
        "change": mended.change_id,
        "diff": mended.diff,
        "message": _tell(mended, dry_run=dry_run),
    }
    if isinstance(outcome, Repaired) and mended.trouble is None:
        told["cached"] = outcome.cached
    if outcome is not None and mended.trouble is None:
        left_out = {"code", "best", "message"}
        told |= {
            field.name: list(value)
            if isinstance(value := getattr(outcome, field.name), tuple)
            else value
            for field in fields(outcome)
            if field.name not in left_out
        }
    return told


def _tell(mended: FileRepair, *, dry_run: bool) -> str:
    """Say what came of a file, and the next step."""
    told = (tell_mended(mended), mended.note, _next_step(mended, dry_run=dry_run))
    return "\n".join(words for words in told if words)


def _next_step(mended: FileRepair, *, dry_run: bool) -> str:
    if mended.trouble is not None:
        return ""
    match mended.outcome:
        case NoProvider():
            return "nothing cheaper mends it; set a model (--model, --base-url, and no --no-model), or mend it by hand."
        case (
            Exhausted(decision_id=record)
            | NoProgress(decision_id=record)
            | VerificationRejected(decision_id=record)
        ):
            # A dry run keeps no record.
            looked = (
                f"look at what was proposed: `holdfast decisions show {record}`."
                if record and not dry_run
                else ""
            )
            return looked or "try another model (--model), or mend it by hand."
        case _:
            return ""


class TerminalRepair:
    """A line a file, with its diff; how far it is, on a terminal."""

    def __init__(self, total: int, *, progress: bool) -> None:
        """Show progress only where somebody sees it go away again."""
        self._total = total
        self._done = 0
        self._progress = progress and total > 1

    def say(self, words: str) -> None:
        """Say something besides."""
        self.end()
        warn(words)

    def show(self, mended: FileRepair) -> None:
        """Say how far it is."""
        self._done += 1
        if self._progress:
            print(
                f"\r\x1b[K{self._done}/{self._total} {plain(mended.path)}",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def end(self) -> None:
        """Take the progress away."""
        if self._progress:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show_all(self, mended: Sequence[FileRepair], *, dry_run: bool) -> None:
        """Print every file that was not simply well, and how many were."""
        skipped = [each for each in mended if each.skipped is not None]
        files = [each for each in mended if each.skipped is None]
        well = [
            each for each in files if each.success and isinstance(each.outcome, FirstTrySuccess)
        ]
        for each in files:
            if each not in well or len(mended) == 1:
                self._show_one(each, dry_run=dry_run)
        for each in skipped:
            warn(f"skipped {each.skipped}")
        if not files:
            self._say("there is nothing here that can be checked.")
        elif len(mended) > 1:
            fixed = sum(each.success for each in files) - len(well)
            failing = len(files) - len(well) - fixed
            besides = f", {len(skipped)} skipped" if skipped else ""
            self._say(
                f"{len(mended)} files: {len(well)} pass, {fixed} repaired, {failing} still fail{besides}."
            )

    def _show_one(self, mended: FileRepair, *, dry_run: bool) -> None:
        would = "would be " if dry_run and mended.diff else ""
        self._say(
            f"{mended.path}: {would}{_headline(mended)}",
            None if mended.success else "red",
            bold=True,
        )
        told = mended.note if mended.success and mended.diff else _tell(mended, dry_run=dry_run)
        for line in told.split("\n") if told else ():
            self._say(f"  {line}" if line else "")
        for line in mended.diff.removesuffix("\n").split("\n") if mended.diff else ():
            self._say(line.removesuffix("\r"), diff_colour(line))

    def _say(self, words: str, colour: str | None = None, *, bold: bool = False) -> None:
        typer.secho(
            plain(words),
            fg=colour,
            bold=bold or None,
            color=False if os.environ.get("NO_COLOR") else None,
        )


def _headline(mended: FileRepair) -> str:
    outcome = mended.outcome
    if outcome is None or mended.trouble is not None:
        return "was not repaired"
    return _REMEMBERED if isinstance(outcome, Repaired) and outcome.cached else WORDS[outcome.name]
