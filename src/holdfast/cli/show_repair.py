"""How repairs are shown: as one JSON object, or as a line a file for a person."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import typer

from holdfast.cli.show import diff_colour, plain, warn
from holdfast.repair.outcomes import FirstTrySuccess, ProductionBlocked
from holdfast.sessions.repair_words import WORDS, tell_mended

if TYPE_CHECKING:
    from holdfast.sessions.repair import Mended


def exit_code(mended: Sequence[Mended]) -> int:
    """Give 0 if all pass, 4 if the strictness stands in the way of one, else 1."""
    if any(isinstance(each.outcome, ProductionBlocked) for each in mended):
        return 4
    return 0 if all(each.success for each in mended) else 1


class JsonRepair:
    """One JSON object on standard output; what is said besides goes to standard error."""

    def say(self, words: str) -> None:
        """Say something besides."""
        warn(words)

    def show(self, mended: Mended) -> None:
        """Wait for the end."""

    def end(self) -> None:
        """Leave nothing half printed."""

    def show_all(self, mended: Sequence[Mended], *, dry_run: bool) -> None:
        """Print every file and the sums."""
        counts: dict[str, int] = {}
        for each in mended:
            name = each.outcome.name if each.outcome is not None else "Trouble"
            counts[name] = counts.get(name, 0) + 1
        ended = {0: "repaired" if any(each.diff for each in mended) else "clean", 1: "failing", 4: "blocked"}
        told = {
            "outcome": ended[exit_code(mended)],
            "dry_run": dry_run,
            "counts": counts,
            "files": [_as_json(each) for each in mended],
        }
        print(json.dumps(told))


def _as_json(mended: Mended) -> dict[str, Any]:
    outcome = mended.outcome
    told: dict[str, Any] = {
        "path": mended.path,
        "target": mended.target,
        "outcome": outcome.name if outcome is not None else "Trouble",
        "success": mended.success,
        "written": mended.change_id is not None,
        "change": mended.change_id,
        "diff": mended.diff,
        "message": tell_mended(mended),
    }
    if outcome is not None:
        left_out = {"code", "best", "message"}
        told |= {
            field.name: list(value) if isinstance(value := getattr(outcome, field.name), tuple) else value
            for field in fields(outcome)
            if field.name not in left_out
        }
    return told


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

    def show(self, mended: Mended) -> None:
        """Say how far it is."""
        self._done += 1
        if self._progress:
            print(f"\r\x1b[K{self._done}/{self._total} {plain(mended.path)}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Take the progress away."""
        if self._progress:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show_all(self, mended: Sequence[Mended], *, dry_run: bool) -> None:
        """Print every file that was not simply well, and how many were."""
        well = [each for each in mended if each.success and isinstance(each.outcome, FirstTrySuccess)]
        for each in mended:
            if each not in well or len(mended) == 1:
                self._show_one(each, dry_run=dry_run)
        if not mended:
            self._say("there is nothing here that can be checked.")
        elif len(mended) > 1:
            fixed = sum(each.success for each in mended) - len(well)
            failing = len(mended) - len(well) - fixed
            self._say(f"{len(mended)} files: {len(well)} pass, {fixed} repaired, {failing} still fail.")

    def _show_one(self, mended: Mended, *, dry_run: bool) -> None:
        outcome = mended.outcome
        words = WORDS[outcome.name] if outcome is not None else "was not repaired"
        would = "would be " if dry_run and mended.diff else ""
        self._say(f"{mended.path}: {would}{words}", None if mended.success else "red", bold=True)
        for line in tell_mended(mended).split("\n") if not mended.success or not mended.diff else ():
            self._say(f"  {line}" if line else "")
        for line in mended.diff.removesuffix("\n").split("\n") if mended.diff else ():
            self._say(line.removesuffix("\r"), diff_colour(line))

    def _say(self, words: str, colour: str | None = None, *, bold: bool = False) -> None:
        typer.secho(plain(words), fg=colour, bold=bold or None, color=False if os.environ.get("NO_COLOR") else None)
