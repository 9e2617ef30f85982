"""The check by a command from the settings, in a copy of the project, for any language.

`{path}` in the command is the unit's path.
"""

from __future__ import annotations

import os
import shlex
import shutil
from functools import partial
from typing import TYPE_CHECKING

from holdfast.adapters.processes.environment import environment
from holdfast.adapters.toolchains.check_step import CheckedFile, CheckStep
from holdfast.adapters.toolchains.installed_tool import NOT_TRUSTED, InstalledTool, ToolProgram
from holdfast.repair.diagnostics import generic
from holdfast.repair.ports import ToolchainMissing

if TYPE_CHECKING:
    from collections.abc import Sequence


def plan_of(command: str | Sequence[str]) -> partial[Sequence[CheckStep]]:
    """Return the plan of a command without a shell; raise ValueError on an open quote."""
    words = shlex.split(command) if isinstance(command, str) else list(command)
    if not words:
        raise ValueError("the check is an empty command; set one, such as: make test")
    return partial(_plan, words=words)


def _plan(unit: CheckedFile, words: Sequence[str]) -> Sequence[CheckStep]:
    if not unit.own_code:
        unit.refuse_tool(ToolProgram(shlex.join(words), ""), NOT_TRUSTED)

    tree = unit.scratch.mirror(unit.path, unit.text)
    name, *arguments = [word.replace("{path}", unit.path) for word in words]
    program = _find_program(name, tree)
    tool = InstalledTool(ToolProgram(name, ""), program, "")
    # The user's own command needs the user's own environment, but not our keys.
    variables = environment() | {"LC_ALL": "C"}
    # make stops at the first file that fails. After the repair of that file the next failure would
    # look as if the repair had caused it.
    variables["MAKEFLAGS"] = _with_keep_going(variables.get("MAKEFLAGS", ""))
    step = CheckStep(
        tool=tool,
        argv=[program, *arguments],
        cwd=tree,
        parse=generic.parse,
        variables=variables,
        exit_code_decides=True,
    )
    return [step]


def _with_keep_going(flags: str) -> str:
    """Return flags of make that begin with `-k`: after ` -- ` it would be a value of a variable.

    Make reads letters at the very beginning as options without their dash.
    """
    begins_with_letters = flags[:1].isalpha() and "=" not in flags.split(maxsplit=1)[0]
    return f"k{flags}" if begins_with_letters else f"-k {flags}".rstrip()


def _find_program(name: str, tree: str) -> str:
    """Return the path of a program, on the PATH or in the tree; raise `ToolchainMissing`."""
    if "/" in name:
        program: str | None = os.path.join(tree, name)  # noqa: PTH118 - may be absolute
    else:
        program = shutil.which(name)

    if program is None or not os.access(program, os.X_OK):
        raise ToolchainMissing(
            f"{name}: no such program; install it, or set another check in .holdfast/config.toml."
        )

    return program
