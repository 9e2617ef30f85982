"""Checks that passed, kept in the state directory by everything that decides their result."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast import __version__
from holdfast.adapters.toolchains.project_state import ProjectState
from holdfast.adapters.toolchains.step_diagnostics import without_scratch
from holdfast.repair.ports import Checked
from holdfast.vocab.diagnostics import Area, Diagnostic
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.adapters.toolchains.check_step import CheckedFile, CheckStep
    from holdfast.adapters.toolchains.installed_tool import InstalledTool
    from holdfast.repair.ports import Answers

_DEPENDENCY = lazy_pattern(r"(?:\\[ #\\]|[^\s\\])+")


class PassedChecks:
    """A cache of checks that passed. Only passes are kept: a failure is always checked again."""

    def __init__(self, answers: Answers, root: Path) -> None:
        """Keep the results for a root in a store of answers."""
        self.answers = answers
        self.tools: dict[tuple[str, bool, str], InstalledTool | None] = {}
        self._state = ProjectState(root)

    def key(self, unit: CheckedFile, steps: Sequence[CheckStep]) -> str | None:
        """Return the key of a check as the project is now; None if it must always be run."""
        if any(step.exit_code_decides for step in steps):
            return None

        state = self._state_of(unit, steps)
        if state is None:
            return None

        fields = [
            __version__,
            unit.path,
            unit.mode,
            hashlib.sha256(unit.text).hexdigest(),
            [self._step_fields(step, unit) for step in steps],
            state,
        ]
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()

    def find(self, key: str, unit: CheckedFile) -> Checked | None:
        """Return the result with this key; None without one, or if a file that it read changed."""
        stored = self.answers.get(key)
        if stored is None:
            return None

        try:
            fields = json.loads(stored)
            checked = Checked(
                ok=True,
                diagnostics=tuple(map(_diagnostic, fields["diagnostics"])),
                oracle=fields["oracle"],
            )
            read = dict(fields["read"])
        except (ValueError, TypeError, KeyError):
            return None

        for name, digest in read.items():
            if self._state.of_file(unit.root / name) != digest:
                return None

        return checked

    def keep(
        self, key: str, unit: CheckedFile, steps: Sequence[CheckStep], checked: Checked
    ) -> None:
        """Keep a result that passed, unless something that it depends on changed meanwhile."""
        if not checked.ok or self.key(unit, steps) != key:
            return

        try:
            names = _read_files(unit, steps)
        except OSError:
            # Without the list of headers nobody knows when the result ends.
            return

        read = {name: self._state.of_file(unit.root / name) for name in names}
        found = [asdict(each) | {"fixits": (), "related": ()} for each in checked.diagnostics]
        fields = {"oracle": checked.oracle, "diagnostics": found, "read": read}
        self.answers.put(key, json.dumps(fields).encode())

    def _state_of(self, unit: CheckedFile, steps: Sequence[CheckStep]) -> str | None:
        if any(step.reads == "project" for step in steps):
            return self._state.of_project(unit.path)
        if any(step.reads == "headers" for step in steps):
            return self._state.of_headers()
        return self._state.of_settings(unit.path)

    def _step_fields(self, step: CheckStep, unit: CheckedFile) -> list[Any]:
        """Return what identifies the run of a tool, without names that change from run to run."""
        scratch = str(unit.scratch.folder)
        words = [word.replace(scratch, "") for word in (*step.argv, step.cwd)]
        program = self._state.of_program(step.tool.program)
        variables = sorted(step.variables.items())
        packages = self._state.packages_beside(step.tool.program)
        return [step.tool.title, program, packages, words, variables]


def _read_files(unit: CheckedFile, steps: Sequence[CheckStep]) -> list[str]:
    """Return the files that a compiler read, from the rule for make that it wrote."""
    names: list[str] = []
    for step in steps:
        if not step.dependencies:
            continue
        rule = Path(step.dependencies).read_text("utf-8", "surrogateescape")
        words = _DEPENDENCY.findall(rule.partition(":")[2])
        names += [re.sub(r"\\(.)", r"\1", word) for word in words]

    in_project = [without_scratch(name, unit) for name in names]
    return [name for name in in_project if Path(name) != Path(unit.path)]


def _diagnostic(fields: dict[str, Any]) -> Diagnostic:
    area = fields["area"]
    if area is not None:
        area = Area(**area)
    return Diagnostic(
        **(fields | {"area": area, "args": tuple(fields["args"]), "fixits": (), "related": ()})
    )
