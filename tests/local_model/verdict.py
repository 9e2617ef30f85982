"""What must hold after a turn, whatever the model has said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.changes.swaps import Swap
from holdfast.cli.render.turn import EXIT_CODES

MOST_STEPS = 6


@dataclass(frozen=True, slots=True)
class Ran:
    """A turn that was run: what `holdfast run --json` gave, the files before and after, the swaps on record."""

    code: int
    stdout: str
    stderr: str
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    swaps: Sequence[Swap]
    running: int = 0

    def events(self) -> list[dict[str, Any]]:
        """Return the events of standard output, one for each line."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    def count(self, kind: str) -> int:
        """Count the facts of a kind."""
        return sum(event.get("kind") == kind for event in self.events())


def faults(ran: Ran) -> Iterator[str]:
    """Name what does not hold."""
    if "Traceback" in ran.stderr or "Traceback" in ran.stdout:
        yield f"an exception: {ran.stderr[-2000:]}"
    try:
        events = ran.events()
    except ValueError as error:
        yield f"what was printed is not JSON on every line: {error}"
        return
    yield from _faults_of_end(ran.code, events)
    if ran.running:
        yield f"{ran.running} turns are on record as running"
    if fold(ran.before, ran.swaps) != ran.after:
        yield "the files are not what the recorded changes make of them"
    yield from (f"{name}: can no longer be decoded" for name in _broken(ran))


def fold(files: Mapping[str, bytes], swaps: Sequence[Swap]) -> dict[str, bytes] | None:
    """Give the files after these swaps, in order; None if one of them was made on something else."""
    made = dict(files)
    for swap in swaps:
        if made.pop(swap.path, None) != (swap.before.data if swap.before else None):
            return None
        if swap.after is not None:
            made[swap.path] = swap.after.data
    return made


def _faults_of_end(code: int, events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    last = events[-1] if events else {}
    if last.get("kind") != "turn_ended":
        yield f"the last fact is {last.get('kind')}, and not the end of the turn (exit {code})"
        return
    if EXIT_CODES.get(last["stop_reason"]) != code:
        yield f"the exit code is {code}, and the stop reason {last['stop_reason']}"
    if last["stop_reason"] in {"unreachable", "needs_login", "interrupted", "cancelled"}:
        yield f"the stop reason is {last['stop_reason']}, and the server was there all the time: {last['message']}"
    if not last["message"].strip() or last["steps"] > MOST_STEPS:
        yield f"the turn ended after {last['steps']} steps, saying: {last['message']}"
    if last["stop_reason"] == "cap" and last["steps"] != MOST_STEPS:
        yield f"the cap is {MOST_STEPS} steps, and was hit after {last['steps']}"


def _broken(ran: Ran) -> Iterator[str]:
    for name, data in ran.after.items():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            yield name
