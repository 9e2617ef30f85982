"""Which check a project has for a file: the command that is set, or what its own files say of how it is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains import python
from holdfast.adapters.toolchains.check import Mode
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.adapters.toolchains.tool import find_in_project
from holdfast.loop.ports import Cancel
from holdfast.repair.ports import Target
from holdfast.sessions.turn_repairs import ProjectCheck

_SAID_IN: Mapping[Target, tuple[str, ...]] = {
    "python": ("pyproject.toml",),
    "javascript": ("tsconfig.json", "jsconfig.json"),
    "typescript": ("tsconfig.json",),
    "rust": ("Cargo.toml",),
}
_CARGO = "cargo check --offline --all-targets"
_TOOLS: Mapping[Target, tuple[str, ...]] = {
    "python": ("python3", "python", "mypy", "pyright", "ruff"),
    "javascript": ("node", "tsc"),
    "typescript": ("tsc",),
}
_LINKED = frozenset({"python3", "python"})
"""In a venv these lead out of the project, and are then none of its own."""
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MAKES = (re.compile(r"^check\s*:(?!=)", re.MULTILINE), re.compile(r"^test\s*:(?!=)", re.MULTILINE))


def check_of_project(
    path: str, root: Path, *, command: str | None, timeout: float, cancel: Cancel
) -> ProjectCheck | None:
    """Give the check that a project has for a file; None if it has none. `command` is the one that is set."""
    language = target_of(path)
    if language is not None and _says(path, root, _SAID_IN.get(language, ())):
        mode: Mode = "file" if language == "python" else "project"
        check = check_for(path, root, mode=mode, timeout=timeout, as_configured=True, cancel=cancel)
        return ProjectCheck(check, _own_command(language, path, root)) if check is not None else None
    words = command or (_make(root) if language is not None else None)
    if words is None:
        return None
    check = check_for(path, root, mode="project", timeout=timeout, command=words, cancel=cancel)
    return ProjectCheck(check, words, whole="{path}" not in words) if check is not None else None


def _says(path: str, root: Path, names: Sequence[str]) -> bool:
    """Whether one of these files is beside the file, or above it up to the root."""
    return any((root / parent / name).is_file() for parent in PurePosixPath(path).parents for name in names)


def _own_command(language: Target, path: str, root: Path) -> str | None:
    """Give the command that a check is, where it runs code of the project: build scripts, plugins, its own tools.

    A model may have written them, or a stranger whose repository this is.
    """
    if language == "rust":
        return _CARGO
    own = [tool for name in _TOOLS.get(language, ()) if (tool := _own_tool(name, path, root)) is not None]
    if own:
        return " && ".join(own)
    return "mypy" if language == "python" and python.runs_its_own(root, path) else None


def _own_tool(name: str, path: str, root: Path) -> str | None:
    program = find_in_project(name, root, path)
    if program is None:
        return None
    leads_out = not (root / program).resolve().is_relative_to(root.resolve())
    return None if name in _LINKED and leads_out else program


def _make(root: Path) -> str | None:
    """Give the command of the project's Makefile, if that has a target for it."""
    for name in _MAKEFILES:
        try:
            text = (root / name).read_text("utf-8", "replace")
        except OSError:
            continue
        return next(
            (f"make {word}" for word, rule in zip(("check", "test"), _MAKES, strict=True) if rule.search(text)), None
        )
    return None
