"""The checks of a project's files: compilers, and the project's own command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.project import project_files
from holdfast.adapters.toolchains.own_code import OwnCode
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.adapters.toolchains.tool_check import CheckMode, ToolCheck
from holdfast.usecases.turns.baseline import SinceCheck
from holdfast.wiring.sandboxes import sandbox_at
from holdfast.wiring.trust import code_of_check

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.config.settings import Settings
    from holdfast.repair.ports import Check
    from holdfast.usecases.trust.project_trust import ProjectTrust
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target

__all__ = ["FileChecks", "list_files", "sees_project", "target_of"]


def list_files(root: Path, under: str) -> tuple[str, ...]:
    """Return the project's files below a directory, as paths from the root."""
    return project_files.list_files(str(root), under).paths


class FileChecks:
    """The checks of the files below a root, with the project's own code where it is trusted."""

    def __init__(self, root: Path, settings: Settings, trust: ProjectTrust) -> None:
        """Look for nothing yet."""
        self._root = root
        self._settings = settings
        self._trust = trust
        self._own_code = OwnCode(root)

    def find(self, path: str, target: Target | None, cancel: Cancel) -> Check | None:
        """Return the check of a file, or None if none is known for it."""
        if _is_checked_by_command(path, target):
            items = code_of_check(self._own_code, self._settings)
            own_code = self._trust.allows(items, path)
        else:
            items = self._own_code.of_file(path, target)
            # Without any item the check has no use for what is in the project.
            own_code = bool(items) and self._trust.allows(items, path)
        return _check_of_file(path, self._root, self._settings, target, cancel, own_code=own_code)

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
            sandbox=sandbox_at(self._root, self._settings),
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
        own_code=own_code,
        cancel=cancel,
        sandbox=sandbox_at(root, settings),
    )


def sees_project(check: Check) -> bool:
    """Return whether a check compiles a file as a part of its project."""
    inner = check.check if isinstance(check, SinceCheck) else check
    return isinstance(inner, ToolCheck) and inner.mode == "project"


def _needs_project(target: Target | None, root: Path) -> bool:
    """Return whether a compiler reads a file of this language only as a part of its project."""
    if target == "go":
        return (root / "go.mod").is_file()
    return target in {"rust", "javascript", "typescript"}
