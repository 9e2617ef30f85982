"""The checks of a project's files: compilers, the project's own command, and the code they run."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.response_cache import ResponseCache
from holdfast.adapters.toolchains.check_batches import BATCHED
from holdfast.adapters.toolchains.own_code import OwnCode
from holdfast.adapters.toolchains.passed_checks import PassedChecks
from holdfast.adapters.toolchains.project_checks import item_of_check, make_command
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.adapters.toolchains.tool_check import ToolCheck
from holdfast.adapters.trust.git_filters import filters_of
from holdfast.usecases.turns.baseline import SinceCheck
from holdfast.wiring.sandboxes import sandbox_at
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.trust import server_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.adapters.processes.sandbox.sandbox import Sandbox
    from holdfast.adapters.toolchains.check_step import CheckMode
    from holdfast.config.settings import Settings
    from holdfast.repair.ports import Check, Checked, CheckTimedOut, RepairUnit
    from holdfast.usecases.repair.repair_files import CheckedUnit
    from holdfast.usecases.trust.project_trust import ProjectTrust
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target
    from holdfast.vocab.trust import CodeItem

__all__ = [
    "BATCHED",
    "FileChecks",
    "check_together",
    "code_of_check",
    "code_of_files",
    "code_of_project",
    "list_files",
    "sees_project",
    "target_of",
]


def list_files(root: Path, under: str) -> tuple[str, ...]:
    """Return the project's files below a directory, as paths from the root."""
    # Not above: a repair of named files lists none, and git takes long to import.
    from holdfast.adapters.project import project_files  # noqa: PLC0415 - see above

    return project_files.list_files(str(root), under).paths


class FileChecks:
    """The checks of the files below a root, with the project's own code where it is trusted."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        trust: ProjectTrust,
        *,
        compile_only: bool = False,
        at_once: int = 1,
    ) -> None:
        """Look for nothing yet. With `compile_only`, only the compiler checks a file.

        At most `at_once` tools run at the same time.
        """
        self._at_once = at_once
        self._compile_only = compile_only
        self._root = root
        self._settings = settings
        self._trust = trust
        self._own_code = OwnCode(root)
        real = Path(os.path.realpath(root))
        self._passed = PassedChecks(ResponseCache(state_directory(), "checks"), real)
        self._sandbox = sandbox_at(root, settings)

    def find(self, path: str, target: Target | None, cancel: Cancel) -> Check | None:
        """Return the check of a file, or None if none is known for it."""
        if _is_checked_by_command(path, target):
            items = code_of_check(self._own_code, self._settings)
            own_code = self._trust.allows(items, path)
        else:
            items = self._own_code.of_file(path, target)
            # Without any item the check has no use for what is in the project.
            own_code = bool(items) and self._trust.allows(items, path)

        return _check_of_file(
            path,
            self._root,
            self._settings,
            target,
            cancel,
            own_code=own_code,
            passed=self._passed,
            sandbox=self._sandbox,
            compile_only=self._compile_only,
            at_once=self._at_once,
        )

    def tests(self, cancel: Cancel) -> Check | None:
        """Return the project's own command as a check.

        None if the project has none, or if it would run code that is not trusted.
        """
        command = self._settings["check"]
        if not command:
            return None
        if self._trust.untrusted(code_of_check(self._own_code, self._settings)):
            return None

        limit = self._settings["command_timeout"]
        return check_for(
            "",
            self._root,
            mode="project",
            timeout=limit,
            command=command,
            own_code=True,
            cancel=cancel,
            sandbox=self._sandbox,
        )


def _is_checked_by_command(path: str, target: Target | None) -> bool:
    """Return whether a file has no compiler; it is checked by the command of the settings."""
    return (target or target_of(path)) in {None, "any"}


def _check_of_file(
    path: str,
    root: Path,
    settings: Settings,
    target: Target | None,
    cancel: Cancel,
    *,
    own_code: bool,
    passed: PassedChecks,
    sandbox: Sandbox,
    compile_only: bool,
    at_once: int,
) -> Check | None:
    language = target or target_of(path)
    mode: CheckMode = "project" if _needs_project(language, root) else "file"
    # For a language that has a compiler, the project's own command is its tests.
    command = None
    if _is_checked_by_command(path, target):
        command = settings["check"]

    limit = settings["command_timeout"]
    return check_for(
        path,
        root,
        mode=mode,
        timeout=limit,
        command=command,
        target=target,
        compile_only=compile_only,
        own_code=own_code,
        cancel=cancel,
        sandbox=sandbox,
        passed=passed,
        at_once=at_once,
    )


def check_together(files: Sequence[CheckedUnit]) -> dict[str, Checked | CheckTimedOut]:
    """Check files together where their tools can; the others are not in the result."""
    groups: defaultdict[object, list[tuple[ToolCheck, RepairUnit]]] = defaultdict(list)
    for check, unit in files:
        if isinstance(check, ToolCheck):
            groups[check.batch_key].append((check, unit))

    results: dict[str, Checked | CheckTimedOut] = {}
    for group in groups.values():
        texts = {unit.path: unit.data for _, unit in group}
        results |= group[0][0].run_many(texts)

    return results


def sees_project(check: Check) -> bool:
    """Return whether a check compiles a file as a part of its project."""
    inner = check.check if isinstance(check, SinceCheck) else check
    return isinstance(inner, ToolCheck) and inner.mode == "project"


def _needs_project(target: Target | None, root: Path) -> bool:
    """Return whether a compiler reads a file of this language only as a part of its project."""
    if target == "go":
        return (root / "go.mod").is_file()
    return target in {"rust", "javascript", "typescript"}


def code_of_project(root: Path, settings: Settings) -> tuple[CodeItem, ...]:
    """Return all code of the project that checks, git and turns would run, each item once."""
    paths = list_files(root, "")
    items = [*code_of_files(root, settings, paths), *filters_of(root), *server_of(settings)]
    made = make_command(root)
    if made is not None and not settings["check"]:
        items += OwnCode(root).of_command(made)
    return tuple(dict.fromkeys(items))


def code_of_files(
    root: Path, settings: Settings, paths: Iterable[str], target: Target | None = None
) -> tuple[CodeItem, ...]:
    """Return the code of the project that the checks of some files would run, each item once."""
    own_code = OwnCode(root)
    items: list[CodeItem] = []
    for path in paths:
        items += own_code.of_file(path, target)
    items += code_of_check(own_code, settings)
    return tuple(dict.fromkeys(items))


def code_of_check(own_code: OwnCode, settings: Settings) -> tuple[CodeItem, ...]:
    """Return the code of the project that `check` of the settings would run."""
    command = settings["check"]
    if not command:
        return ()

    try:
        items = own_code.of_command(command)
    except ValueError:
        # A quote is open: the command cannot run, which each command that needs it reports.
        items = ()

    if settings.values["check"].from_project_only:
        return (item_of_check(command), *items)

    return items
