"""The checks of a project's files: compilers, and the project's own command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.project import project_files
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.adapters.toolchains.tool_check import CheckMode, ToolCheck
from holdfast.usecases.turns.baseline import SinceCheck
from holdfast.wiring.sandboxes import sandbox_at

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.config.settings import Settings
    from holdfast.repair.ports import Check
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target

__all__ = ["check_of_file", "list_files", "sees_project", "target_of", "tests_of_project"]


def list_files(root: Path, under: str) -> tuple[str, ...]:
    """Return the project's files below a directory, as paths from the root."""
    return project_files.list_files(str(root), under).paths


def check_of_file(
    path: str, root: Path, settings: Settings, target: Target | None, cancel: Cancel
) -> Check | None:
    """Return the check of a file, or None if none is known for it."""
    language = target or target_of(path)
    mode: CheckMode = "project" if _needs_project(language, root) else "file"
    # For a language that has a compiler, the project's own command is its tests.
    command = settings["check"] if language in {None, "any"} else None
    limit = settings["command_timeout"]
    return check_for(
        path,
        root,
        mode=mode,
        timeout=limit,
        command=command,
        target=target,
        cancel=cancel,
        sandbox=sandbox_at(root, settings),
    )


def tests_of_project(root: Path, settings: Settings, cancel: Cancel) -> Check | None:
    """Return the project's own command as a check, or None if the project has none."""
    command = settings["check"]
    if not command:
        return None
    limit = settings["command_timeout"]
    return check_for(
        "",
        root,
        mode="project",
        timeout=limit,
        command=command,
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
