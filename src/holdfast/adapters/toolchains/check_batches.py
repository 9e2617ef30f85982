"""Several files checked by one run of a tool."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.toolchains.run_tool import ToolPlace, ToolRun, run_tool
from holdfast.adapters.toolchains.step_diagnostics import (
    diagnostics_of,
    has_error,
    parse_together,
    raise_if_crashed,
)
from holdfast.repair.ports import CheckCrashed, Checked
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.adapters.toolchains.check_step import (
        BatchForm,
        CheckedFile,
        CheckStep,
        MissingStep,
    )
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Diagnostic, Target

BATCHED: frozenset[Target] = frozenset({"python", "rust", "go"})
"""The languages with a tool that checks several files at once. A gcc would run once for each."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A unit with the steps of its check; `key` identifies the check in a cache."""

    unit: CheckedFile
    steps: Sequence[CheckStep]
    missing: Sequence[MissingStep]
    key: str | None


def run_batches(
    planned: Sequence[PlannedFile], place: ToolPlace, timeout: float, cancel: Cancel
) -> Iterator[tuple[PlannedFile, Checked]]:
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
            if _is_unchanged(each.unit):
                diagnostics = tuple(found[each.unit.path])
                oracle = " + ".join(step.tool.title for step in each.steps)
                yield each, Checked(not has_error(diagnostics), diagnostics, oracle)


def _run_group(
    group: Sequence[PlannedFile],
    forms: Sequence[BatchForm],
    place: ToolPlace,
    timeout: float,
    cancel: Cancel,
) -> dict[str, list[Diagnostic]]:
    """Run each step once for the whole group; raise `CheckCrashed` if that has no result."""
    found: dict[str, list[Diagnostic]] = {each.unit.path: [] for each in group}
    for number, form in enumerate(forms):
        members = []
        for each in group:
            broken = has_error(found[each.unit.path])
            if not (broken and each.steps[number].skip_if_broken):
                members.append((each.unit, each.steps[number]))
        if not members:
            continue
        ran = _run_step(members, form, place, time.monotonic() + timeout, cancel)
        if ran.timed_out:
            raise CheckCrashed("a batch timed out.")
        for path, diagnostics in _divide(members, form, ran).items():
            found[path] += diagnostics

    return found


def _run_step(
    members: Sequence[tuple[CheckedFile, CheckStep]],
    form: BatchForm,
    place: ToolPlace,
    deadline: float,
    cancel: Cancel,
) -> ToolRun:
    _, step = members[0]
    argv = list(form.argv)
    if form.adds_files:
        argv += [member.path for member, _ in members]

    return run_tool(
        argv,
        form.cwd,
        deadline,
        variables=step.variables,
        cancel=cancel,
        place=place,
    )


def _divide(
    members: Sequence[tuple[CheckedFile, CheckStep]], form: BatchForm, ran: ToolRun
) -> dict[str, list[Diagnostic]]:
    """Return the diagnostics of each file; raise `CheckCrashed`."""
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


def _is_unchanged(unit: CheckedFile) -> bool:
    try:
        return read_plain(unit.root / unit.path) == unit.text
    except OSError:
        return False
