"""A check by tools: its steps, each one run of one tool, and their joint result."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.check_batches import PlannedFile, run_batches
from holdfast.adapters.toolchains.check_step import (
    CheckedFile,
    CheckMode,
    CheckPlan,
    CheckStep,
    MissingStep,
)
from holdfast.adapters.toolchains.run_tool import (
    NEVER,
    RUNNING_TOOLS,
    ToolPlace,
    ToolRun,
    run_tool,
)
from holdfast.adapters.toolchains.scratch_dir import ScratchDir, borrow
from holdfast.adapters.toolchains.step_diagnostics import (
    diagnostics_of,
    has_error,
    without_scratch,
)
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.adapters.toolchains.passed_checks import PassedChecks
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Diagnostic, Target

_OUTPUT_KEPT = 20_000


class ToolCheck:
    """A check by tools (port `Check`). Each run starts each tool once.

    A tool is started once more to print its version, when it is used for the first time.
    """

    def __init__(  # noqa: PLR0917 - the parts of a check
        self,
        target: Target,
        root: Path,
        mode: CheckMode,
        timeout: float,
        plan: CheckPlan,
        cancel: Cancel = NEVER,
        *,
        own_code: bool = False,
        sandbox: Sandbox = UNCONFINED,
        passed: PassedChecks | None = None,
        at_once: int = 1,
    ) -> None:
        """Join a plan and its root; the first run returns the result in `passed`, if it has one.

        Steps that need no other are run at the same time if no more than `at_once` tools run then.
        """
        self._at_once = at_once
        self._passed = passed
        self._has_run = False
        self._own_code = own_code
        self._sandbox = sandbox
        self._target: Target = target
        self._root = Path(os.path.realpath(root))
        self._mode: CheckMode = mode
        self._timeout = timeout
        self._plan = plan
        self._cancel = cancel
        self._overrides: Mapping[str, bytes | None] = {}

    @property
    def target(self) -> Target:
        """The language that is checked."""
        return self._target

    @property
    def mode(self) -> CheckMode:
        """Whether the check sees a file alone, or with its project."""
        return self._mode

    def with_files(self, overrides: Mapping[str, bytes | None]) -> ToolCheck:
        """Return the same check of a project where these files have these texts.

        None means that the file is missing. The unit may be one of the files.
        """
        other = ToolCheck(
            self._target,
            self._root,
            self._mode,
            self._timeout,
            self._plan,
            self._cancel,
            sandbox=self._sandbox,
            own_code=self._own_code,
            at_once=self._at_once,
        )
        other._overrides = overrides
        return other

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Check the file at `path` as if it contained `text`."""
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise ValueError(f"{path}: the path of a unit is below the root.")

        with self._borrow(path) as scratch:
            scratch.overrides = self._overrides
            unit = self._unit(path, text, scratch)
            planned = self._plan_unit(unit)
            # Only the file as it is found: a fix is always checked by the tools themselves.
            known = None if self._has_run else self._find(planned)
            self._has_run = True
            if known is not None:
                return known
            checked = self._run_steps(unit, planned.steps)
            if isinstance(checked, Checked) and checked.ok:
                _raise_if_missing(unit, planned.missing)
                self._keep(planned, checked)
            return checked

    @property
    def batch_key(self) -> tuple[Target, CheckMode, bool]:
        """What checks have in common whose files can be checked together."""
        return self._target, self._mode, self._own_code

    def run_many(self, files: Mapping[str, bytes]) -> dict[str, Checked | CheckTimedOut]:
        """Check files as they are on the disk, in as few runs of the tools as possible.

        The result lacks the files that have to be checked alone, and those that changed meanwhile.
        """
        results: dict[str, Checked | CheckTimedOut] = {}
        with suppress(ToolchainMissing), self._borrow(next(iter(files), "")) as scratch:
            left: list[PlannedFile] = []
            for path, text in files.items():
                with suppress(ToolchainMissing, CheckCrashed):
                    planned = self._plan_unit(self._unit(path, text, scratch))
                    known = self._find(planned)
                    if known is None:
                        left.append(planned)
                    else:
                        results[path] = known
            place = self._place(scratch)
            for planned, checked in run_batches(left, place, self._timeout, self._cancel):
                results[planned.unit.path] = checked
                if isinstance(checked, Checked):
                    self._keep(planned, checked)

        return results

    @contextmanager
    def _borrow(self, path: str) -> Iterator[ScratchDir]:
        """Lend a scratch folder in which no file with secrets has its content.

        Raise `ToolchainMissing` if a check that nobody trusted could read such a file elsewhere.
        """
        secrets = self._sandbox.secret_files(str(self._root))
        if secrets is not None and secrets.gap and not self._own_code:
            raise ToolchainMissing(
                f"{path}: a check could read files with secrets ({secrets.gap}), so this is not "
                "checked. Set the command `check` in your own settings, or pass --sandbox off."
            )

        with borrow(self._root) as scratch:
            scratch.mirror_copy.is_masked = _nothing if secrets is None else secrets.holds
            yield scratch

    def _place(self, scratch: ScratchDir) -> ToolPlace:
        root, folder = str(self._root), str(scratch.folder)
        return ToolPlace(self._sandbox, root, folder, own_code=self._own_code)

    def _unit(self, path: str, text: bytes, scratch: ScratchDir) -> CheckedFile:
        return CheckedFile(
            root=self._root,
            path=path,
            text=text,
            mode=self._mode,
            scratch=scratch,
            deadline=time.monotonic() + self._timeout,
            cancel=self._cancel,
            sandbox=self._sandbox,
            own_code=self._own_code,
            versions=None if self._passed is None else self._passed.answers,
            tools={} if self._passed is None else self._passed.tools,
        )

    def _plan_unit(self, unit: CheckedFile) -> PlannedFile:
        planned = self._plan(unit)
        steps = [step for step in planned if isinstance(step, CheckStep)]
        missing = [step for step in planned if isinstance(step, MissingStep)]
        for word in chain.from_iterable(step.argv for step in steps):
            _raise_if_option(unit, word)

        key = None
        if self._passed is not None and not missing:
            key = self._passed.key(unit, steps)

        return PlannedFile(unit, steps, missing, key)

    def _find(self, planned: PlannedFile) -> Checked | None:
        if self._passed is None or planned.key is None:
            return None
        return self._passed.find(planned.key, planned.unit)

    def _keep(self, planned: PlannedFile, checked: Checked) -> None:
        if self._passed is not None and planned.key is not None:
            self._passed.keep(planned.key, planned.unit, planned.steps, checked)

    def _run_steps(self, unit: CheckedFile, steps: Sequence[CheckStep]) -> Checked | CheckTimedOut:
        oracle = " + ".join(step.tool.title for step in steps)
        outputs: list[str] = []
        found: list[Diagnostic] = []
        together = self._run_together(unit, steps)
        for number, step in enumerate(steps):
            if step.skip_if_broken and has_error(found):
                continue
            ran = together.get(number) or self._run_step(unit, step)
            if ran.timed_out:
                return CheckTimedOut(oracle, self._timeout)
            found += diagnostics_of(unit, step, ran)
            outputs.append(ran.output)

        output = without_scratch("\n".join(outputs), unit)[:_OUTPUT_KEPT]
        return Checked(not has_error(found), tuple(found), oracle, output)

    def _run_together(self, unit: CheckedFile, steps: Sequence[CheckStep]) -> dict[int, ToolRun]:
        """Run the steps at the same time that need no other, if so many tools may run now."""
        numbers = [number for number, step in enumerate(steps) if not step.skip_if_broken]
        if len(numbers) < 2 or RUNNING_TOOLS.count + len(numbers) > self._at_once:
            return {}

        with ThreadPoolExecutor(len(numbers)) as pool:
            # In our context: a turn marks the processes that are started for it.
            runs = {
                number: pool.submit(copy_context().run, self._run_step, unit, steps[number])
                for number in numbers
            }
        return {number: run.result() for number, run in runs.items()}

    def _run_step(self, unit: CheckedFile, step: CheckStep) -> ToolRun:
        step.prepare()
        return run_tool(
            step.argv,
            step.cwd,
            unit.deadline,
            variables=step.variables,
            stdin=step.stdin,
            cancel=self._cancel,
            place=self._place(unit.scratch),
        )


def _nothing(_: str) -> bool:
    return False


def _raise_if_option(unit: CheckedFile, word: str) -> None:
    """Raise `CheckCrashed` if a word is the name of a file that a tool would read as an option.

    Many tools read `@name` as a file with options, and options can load code.
    """
    is_option = word.startswith("-") and word == unit.path
    if is_option or word.startswith("@"):
        raise CheckCrashed(
            f"{unit.path}: a tool would read the name {word} as an option, so this is not "
            "checked; rename it."
        )


def _raise_if_missing(unit: CheckedFile, missing: Sequence[MissingStep]) -> None:
    for step in missing:
        raise ToolchainMissing(
            f"{unit.path}: the project has settings for {step.tool.name}, which "
            f"{step.unusable.reason}; without it this is not checked. {step.unusable.cure}"
        )
