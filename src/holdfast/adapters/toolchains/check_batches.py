"""Several files checked by one run of a tool."""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.toolchains.run_tool import ToolPlace, ToolRun, run_tool
from holdfast.adapters.toolchains.step_diagnostics import (
    diagnostics_of,
    has_error,
    parse_together,
    raise_if_crashed,
)
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.adapters.toolchains.check_step import (
        BatchForm,
        CheckedFile,
        CheckStep,
        MissingStep,
    )
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Diagnostic, Target

BATCHED: frozenset[Target] = frozenset({"python", "rust", "go", "c", "cpp", "javascript"})
"""The languages whose files are checked at once: by one run of a tool, or in one sandbox."""
_RUN_EACH = Path(__file__).with_name("run_each.py")


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A unit with the steps of its check; `key` identifies the check in a cache."""

    unit: CheckedFile
    steps: Sequence[CheckStep]
    missing: Sequence[MissingStep]
    key: str | None


class _RanTooLong:
    """A file whose own run took longer than one may."""


def run_batches(
    planned: Sequence[PlannedFile], place: ToolPlace, timeout: float, cancel: Cancel
) -> Iterator[tuple[PlannedFile, Checked | CheckTimedOut]]:
    """Check the files together whose steps have the same batch forms.

    Yield nothing for a file that has to be checked alone, or that changed meanwhile. Nor for any
    file of a batch in which a tool failed: alone, each file gets a message of its own.
    """
    groups: defaultdict[tuple[BatchForm, ...], list[PlannedFile]] = defaultdict(list)
    for each in planned:
        forms = tuple(step.batch for step in each.steps if step.batch is not None)
        if len(forms) == len(each.steps) and not each.missing:
            groups[forms].append(each)

    for forms, group in groups.items():
        if len(group) == 1:
            continue
        try:
            found = _run_group(group, forms, place, timeout, cancel)
        except CheckCrashed:
            continue
        for each in group:
            own = found.get(each.unit.path)
            if own is None or not _is_unchanged(each.unit):
                continue
            oracle = " + ".join(step.tool.title for step in each.steps)
            if isinstance(own, _RanTooLong):
                yield each, CheckTimedOut(oracle, timeout)
            else:
                yield each, Checked(not has_error(own), tuple(own), oracle)


def _run_group(
    group: Sequence[PlannedFile],
    forms: Sequence[BatchForm],
    place: ToolPlace,
    timeout: float,
    cancel: Cancel,
) -> dict[str, list[Diagnostic] | _RanTooLong]:
    """Run each step once for the whole group; raise `CheckCrashed` if that has no result.

    The result lacks the files whose own run has none.
    """
    found: dict[str, list[Diagnostic] | _RanTooLong] = {each.unit.path: [] for each in group}
    for number, form in enumerate(forms):
        members = []
        for each in group:
            so_far = found.get(each.unit.path)
            if not isinstance(so_far, list):
                continue
            if not (has_error(so_far) and each.steps[number].skip_if_broken):
                members.append((each.unit, each.steps[number]))
        if not members:
            continue
        ran = _run_step(members, form, place, timeout, cancel)
        if ran.timed_out:
            raise CheckCrashed("a batch timed out.")
        divided = _divide(members, form, ran)
        for unit, _ in members:
            so_far, own = found.pop(unit.path), divided.get(unit.path)
            if isinstance(so_far, list) and isinstance(own, list):
                found[unit.path] = so_far + own
            elif own is not None:
                found[unit.path] = own

    return found


def _run_step(
    members: Sequence[tuple[CheckedFile, CheckStep]],
    form: BatchForm,
    place: ToolPlace,
    timeout: float,
    cancel: Cancel,
) -> ToolRun:
    _, step = members[0]
    argv = list(form.argv)
    stdin = b""
    deadline = time.monotonic() + timeout
    if form.one_by_one:
        argv = [sys.executable, "-I", "-S", "-B", str(_RUN_EACH)]
        commands = [_words_of(*member) for member in members]
        stdin = json.dumps({"limit": timeout, "commands": commands}).encode()
        # Each file has the whole limit, as it has alone.
        deadline += timeout * len(members)
    elif form.adds_files:
        argv += [member.path for member, _ in members]

    return run_tool(
        argv,
        form.cwd,
        deadline,
        variables=step.variables,
        stdin=stdin,
        cancel=cancel,
        place=place,
    )


def _words_of(unit: CheckedFile, step: CheckStep) -> tuple[list[str], str]:
    """Return the words of a step, and the file that it reads from stdin."""
    return list(step.argv), unit.path if step.stdin else ""


def _divide(
    members: Sequence[tuple[CheckedFile, CheckStep]], form: BatchForm, ran: ToolRun
) -> Mapping[str, list[Diagnostic] | _RanTooLong]:
    """Return the diagnostics of each file; raise `CheckCrashed`."""
    if form.one_by_one:
        return _divide_runs(members, form, ran)
    if not form.adds_files:
        return {unit.path: diagnostics_of(unit, step, ran) for unit, step in members}

    # Once for all files: once for each would take the square of their number.
    found = parse_together(members, ran)
    raise_if_crashed(members[0][1], ran, found)
    steps = {unit.path: step for unit, step in members}
    own: dict[str, list[Diagnostic]] = {path: [] for path in steps}
    for each in found:
        if each.path not in steps:
            raise CheckCrashed("a tool reports a file that it was not given.")
        own[each.path].append(steps[each.path].adjust(each))

    return own


def _divide_runs(
    members: Sequence[tuple[CheckedFile, CheckStep]], form: BatchForm, ran: ToolRun
) -> dict[str, list[Diagnostic] | _RanTooLong]:
    """Return the diagnostics of each file that was run and that its tool did not crash on."""
    raise_if_crashed(members[0][1], ran, ())
    try:
        runs = [ToolRun(**json.loads(line)) for line in ran.output.splitlines()]
    except (ValueError, TypeError) as error:
        raise CheckCrashed("a batch printed something else than its runs.") from error

    own: dict[str, list[Diagnostic] | _RanTooLong] = {}
    # Behind a run that took too long there is none.
    for (unit, step), run in zip(members, runs, strict=False):
        if run.timed_out:
            own[unit.path] = _RanTooLong()
            continue
        with suppress(CheckCrashed):
            own[unit.path] = diagnostics_of(unit, replace(step, cwd=form.cwd), run)
    return own


def _is_unchanged(unit: CheckedFile) -> bool:
    try:
        return read_plain(unit.root / unit.path) == unit.text
    except OSError:
        return False
