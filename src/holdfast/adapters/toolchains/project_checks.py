"""The checks that a project has for a file: those of its own configuration, and the set command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.installed_tool import find_in_project
from holdfast.adapters.toolchains.languages import python
from holdfast.adapters.toolchains.languages.tsconfig import find_tsconfig
from holdfast.adapters.toolchains.nearest_file import nearest_file
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.usecases.turns.repair_ports import ProjectCheck

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path, PurePosixPath

    from holdfast.adapters.toolchains.tool_check import CheckMode
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target

_CONFIG_FILES: Mapping[Target, tuple[str, ...]] = {
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
"""In a venv these are links out of the project, and then not the project's own."""
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_GOALS = {
    goal: re.compile(rf"^{goal}\s*:(?!=)", re.MULTILINE)
    for goal in ("check", "test", "all", "build")
}


def checks_of_project(
    path: str,
    root: Path,
    *,
    command: str | None,
    timeout: float,
    cancel: Cancel,
    sandbox: Sandbox = UNCONFINED,
) -> tuple[ProjectCheck, ...]:
    """Return the checks that a project has for a file, in their order.

    `command` is the one from the settings; it runs last. Raise ValueError if it cannot be parsed.
    """
    own, named = None, None
    words = command
    language = target_of(path)
    if language is not None:
        own = _own_check(path, root, language, timeout, cancel, sandbox=sandbox)
        if own is None and not words:
            words = _make_command(root)
    if words:
        last = command is not None
        named = _command_check(path, root, words, timeout, cancel, sandbox=sandbox, last=last)
    return tuple(check for check in (own, named) if check is not None)


def _command_check(
    path: str,
    root: Path,
    command: str,
    timeout: float,
    cancel: Cancel,
    *,
    sandbox: Sandbox,
    last: bool,
) -> ProjectCheck | None:
    check = check_for(
        path,
        root,
        mode="project",
        timeout=timeout,
        command=command,
        cancel=cancel,
        sandbox=sandbox,
    )
    if check is None:
        return None
    scope: str | None = command
    if "{path}" in command:
        # The command is about that file alone.
        scope = None
    return ProjectCheck(check, check.with_files, command, scope, last=last)


def _own_check(
    path: str, root: Path, language: Target, timeout: float, cancel: Cancel, *, sandbox: Sandbox
) -> ProjectCheck | None:
    """Return the check of the file's language, if the project is configured for the language."""
    config = nearest_file(root, path, _CONFIG_FILES.get(language, ()))
    if config is None:
        return None
    if path.endswith(".jsx") and config.name == "package.json":
        return None
    mode: CheckMode = "project"
    if language == "python":
        mode = "file"
    check = check_for(
        path, root, mode=mode, timeout=timeout, as_configured=True, cancel=cancel, sandbox=sandbox
    )
    if check is None:
        return None
    command = _own_command(language, path, root)
    scope = _scope(path, root, language, config)
    return ProjectCheck(check, check.with_files, command, scope)


def _scope(path: str, root: Path, language: Target, config: PurePosixPath) -> str | None:
    """Return a name of what one run checks, if that is more than the file.

    tsc checks more than the file if its settings name the file. JavaScript is always checked alone:
    node reads one file at a time.
    """
    if language in {"rust", "go"}:
        return f"{language} {config}"
    if language != "typescript":
        return None
    tsconfig = find_tsconfig(root, path)
    if tsconfig is None or not tsconfig.names(path):
        return None
    return f"tsc {tsconfig.path}"


def _own_command(language: Target, path: str, root: Path) -> str | None:
    """Return the command of a check that runs code of the project; None if it runs none.

    Such code is build scripts, plugins and the project's own tools. A model may have written it, or
    the unknown author of a cloned repository.
    """
    if language == "rust":
        return _CARGO
    tools: list[str] = []
    for name in _TOOLS.get(language, ()):
        tool = _own_tool(name, path, root)
        if tool is not None:
            tools.append(tool)
    if tools:
        return " && ".join(tools)
    if language == "python" and python.runs_project_code(root, path):
        return "mypy"
    return None


def _own_tool(name: str, path: str, root: Path) -> str | None:
    program = find_in_project(name, root, path)
    if program is None or name not in _LINKED:
        return program
    if not (root / program).resolve().is_relative_to(root.resolve()):
        return None
    return program


def _make_command(root: Path) -> str | None:
    """Return the command of the project's Makefile, if it has a goal for a check."""
    for name in _MAKEFILES:
        try:
            text = (root / name).read_text("utf-8", "replace")
        except OSError:
            continue
        for goal, rule in _GOALS.items():
            if rule.search(text):
                return f"make {goal}"
        return None
    return None
