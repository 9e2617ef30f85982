"""Any language: a command that the user has set, in a copy of the project. `{path}` in it is the unit's path."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from functools import partial

from holdfast.adapters.processes.commands import environment
from holdfast.adapters.toolchains.installed_tool import Installed, ToolProgram
from holdfast.adapters.toolchains.tool_check import CheckedFile, CheckStep
from holdfast.repair.diagnostics import generic
from holdfast.repair.ports import ToolchainMissing


def plan_of(command: str | Sequence[str]) -> partial[Sequence[CheckStep]]:
    """Give the plan of a command, in words or as it is typed; no shell reads it. Raises ValueError on an open quote."""
    words = shlex.split(command) if isinstance(command, str) else list(command)
    if not words:
        raise ValueError("the check is an empty command; set one, such as: make test")
    return partial(_plan, words=words)


def _plan(unit: CheckedFile, words: Sequence[str]) -> Sequence[CheckStep]:
    tree = unit.scratch.mirror(unit.path, unit.text)
    argv = [word.replace("{path}", unit.path) for word in words]
    program = shutil.which(argv[0]) if "/" not in argv[0] else os.path.join(tree, argv[0])  # noqa: PTH118 - may be absolute
    if program is None or not os.access(program, os.X_OK):
        raise ToolchainMissing(
            f"{argv[0]}: no such program; install it, or set another check in .holdfast/config.toml."
        )
    tool = Installed(ToolProgram(argv[0], ""), program, "")
    # The user's own command needs the user's own environment; our keys it does not.
    variables = environment(()) | {"LC_ALL": "C"}
    # make stops at the first file that fails, and to mend that one would show the next as if the mending had broken it.
    variables["MAKEFLAGS"] = f"{variables.get('MAKEFLAGS', '')} -k".strip()
    return [
        CheckStep(tool, [program, *argv[1:]], tree, generic.parse, variables=variables, speaks=True)
    ]
