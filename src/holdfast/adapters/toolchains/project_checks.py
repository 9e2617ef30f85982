"""Which checks a project has for a file: what its own files say of how it is checked, and the command that is set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains.installed_tool import find_in_project
from holdfast.adapters.toolchains.languages import python
from holdfast.adapters.toolchains.languages.tsconfig import find_tsconfig
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.adapters.toolchains.tool_check import CheckMode
from holdfast.usecases.turns.repair_ports import ProjectCheck
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.diagnostics import Target

_SAID_IN: Mapping[Target, tuple[str, ...]] = {
    "python": ("pyproject.toml",),
    "javascript": ("tsconfig.json", "jsconfig.json", "package.json"),
    "typescript": ("tsconfig.json",),
    "rust": ("Cargo.toml",),
    "go": ("go.mod",),
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
_GOALS = {
    goal: re.compile(rf"^{goal}\s*:(?!=)", re.MULTILINE)
    for goal in ("check", "test", "all", "build")
}


def checks_of_project(
    path: str, root: Path, *, command: str | None, timeout: float, cancel: Cancel
) -> tuple[ProjectCheck, ...]:
    """Give the checks that a project has for a file, in their order; none if it has none.

    `command` is the one that is set: it has the last word. Raises ValueError if it cannot be read.
    """
    language = target_of(path)
    own = _own_check(path, root, language, timeout, cancel) if language is not None else None
    words = command or (_make(root) if own is None and language is not None else None)
    check = None
    if words is not None:
        check = check_for(path, root, mode="project", timeout=timeout, command=words, cancel=cancel)
    # With the path in it, it is about that file alone.
    scope = words if words is not None and "{path}" not in words else None
    last = command is not None
    named = (
        ProjectCheck(check, check.with_files, words, scope, last=last)
        if check is not None
        else None
    )
    return tuple(each for each in (own, named) if each is not None)


def _own_check(
    path: str, root: Path, language: Target, timeout: float, cancel: Cancel
) -> ProjectCheck | None:
    """Give the check of the file's language, if the project says that it is one of this language."""
    said = _says(path, root, _SAID_IN.get(language, ()))
    if said is None or (path.endswith(".jsx") and said.name == "package.json"):
        return None
    mode: CheckMode = "file" if language == "python" else "project"
    check = check_for(path, root, mode=mode, timeout=timeout, as_configured=True, cancel=cancel)
    if check is None:
        return None
    scope = (
        f"{language} {said}" if language in {"rust", "go"} else _of_typescript(path, root, language)
    )
    return ProjectCheck(check, check.with_files, _own_command(language, path, root), scope)


def _of_typescript(path: str, root: Path, language: Target) -> str | None:
    """Give the settings that have tsc look at more than the file; None for a file that they do not name.

    JavaScript is always looked at alone: node reads one file at a time.
    """
    config = find_tsconfig(root, path) if language == "typescript" else None
    return f"tsc {config.path}" if config is not None and config.names(path) else None


def _says(path: str, root: Path, names: Sequence[str]) -> PurePosixPath | None:
    """Give the first of these files that is beside the file, or else above it up to the root."""
    files = (parent / name for parent in PurePosixPath(path).parents for name in names)
    return next((file for file in files if (root / file).is_file()), None)


def _own_command(language: Target, path: str, root: Path) -> str | None:
    """Give the command that a check is, where it runs code of the project: build scripts, plugins, its own tools.

    A model may have written them, or a stranger whose repository this is.
    """
    if language == "rust":
        return _CARGO
    own = [
        tool
        for name in _TOOLS.get(language, ())
        if (tool := _own_tool(name, path, root)) is not None
    ]
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
    """Give the command of the project's Makefile, if that has a goal for it."""
    for name in _MAKEFILES:
        try:
            text = (root / name).read_text("utf-8", "replace")
        except OSError:
            continue
        return next((f"make {goal}" for goal, rule in _GOALS.items() if rule.search(text)), None)
    return None
