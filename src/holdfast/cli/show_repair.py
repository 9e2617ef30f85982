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
from holdfast.repair.outcomes import (
    FirstTrySuccess,
    Outcome,
    ProductionBlocked,
    ProviderError,
    RejectedLowConfidence,
    Repaired,
    Replayed,
    RuleRepaired,
    VerificationRejected,
)

if TYPE_CHECKING:
    from holdfast.sessions.repair import Mended

_WORDS = {
    "FirstTrySuccess": "passes",
    "FixItRepaired": "repaired by the compiler's own fix-it",
    "RuleRepaired": "repaired by a rule",
    "Replayed": "repaired by a pinned decision",
    "Repaired": "repaired by the model",
    "NoProvider": "fails, and there is no model to ask",
    "ProductionBlocked": "fails, and nothing that is pinned mends it",
    "ProviderError": "fails, and the model gave nothing",
    "RejectedLowConfidence": "fails, and the model is not sure enough",
    "Exhausted": "fails after all attempts",
    "NoProgress": "fails, and the model makes no progress",
    "VerificationRejected": "fails, and what the model proposed was rejected",
    "TimedOut": "was not checked to the end",
}


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
        "message": _message(mended),
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
        words = _WORDS[outcome.name] if outcome is not None else "was not repaired"
        would = "would be " if dry_run and mended.diff else ""
        self._say(f"{mended.path}: {would}{words}", None if mended.success else "red", bold=True)
        for line in _message(mended).split("\n") if not mended.success or not mended.diff else ():
            self._say(f"  {line}" if line else "")
        for line in mended.diff.removesuffix("\n").split("\n") if mended.diff else ():
            self._say(line.removesuffix("\r"), diff_colour(line))

    def _say(self, words: str, colour: str | None = None, *, bold: bool = False) -> None:
        typer.secho(plain(words), fg=colour, bold=bold or None, color=False if os.environ.get("NO_COLOR") else None)


def _message(mended: Mended) -> str:
    """Say what came of it and what to do next."""
    if mended.trouble is not None:
        return mended.trouble
    outcome = mended.outcome
    if outcome is None or outcome.is_success():
        return _success(outcome)
    told = [_next_step(outcome), getattr(outcome, "compiler_error", "")]
    return "\n".join(words for words in told if words)


def _success(outcome: Outcome | None) -> str:
    match outcome:
        case RuleRepaired(_, rules):
            return f"by {', '.join(rules)}"
        case Replayed(_, decision):
            return f"by decision {decision}"
        case Repaired(_, attempts, rule):
            learned = f"; learned rule {rule}" if rule else ""
            return f"after {attempts} questions{learned}" if attempts else f"by a cached response{learned}"
        case _:
            return f"by {outcome.oracle}" if isinstance(outcome, FirstTrySuccess) else ""


def _next_step(outcome: Outcome) -> str:
    match outcome:
        case ProductionBlocked(_, needs_pin) if needs_pin:
            return f"these would mend it if they were pinned: {', '.join(needs_pin)} (`holdfast rules pin`)."
        case ProductionBlocked():
            return "repair it at --strictness development, look at the decision, and pin it (`holdfast decisions pin`)."
        case ProviderError(_, message):
            return message
        case RejectedLowConfidence(_, confidence, threshold):
            told = f"the model's confidence is {confidence:g}, and {threshold:g} is asked for"
            return f"{told}; look at its proposal with `holdfast decisions list`, and pin it if it is right."
        case VerificationRejected(_, reasons):
            return "\n".join(reasons)
        case _:
            return str(getattr(outcome, "message", ""))
