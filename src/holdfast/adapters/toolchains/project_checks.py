"""The checks that a project has for a file: those of its own configuration, and the set command.

Each names the code of the project that it would run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.languages.tsconfig import find_tsconfig
from holdfast.adapters.toolchains.nearest_file import nearest_file
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.adapters.trust.code_items import item_of_text
from holdfast.adapters.trust.makefiles import MAKEFILES
from holdfast.usecases.turns.repair_ports import ProjectCheck
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path, PurePosixPath

    from holdfast.adapters.toolchains.check_step import CheckMode
    from holdfast.adapters.toolchains.own_code import OwnCode
    from holdfast.adapters.toolchains.tool_check import ToolCheck
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target
    from holdfast.vocab.trust import CodeItem

_CONFIG_FILES: Mapping[Target, tuple[str, ...]] = {
    "python": ("pyproject.toml",),
    "javascript": ("tsconfig.json", "jsconfig.json", "package.json"),
    "typescript": ("tsconfig.json",),
    "rust": ("Cargo.toml",),
    "go": ("go.mod",),
}
_GOALS = {
    goal: lazy_pattern(rf"^{goal}\s*:(?!=)", re.MULTILINE)
    for goal in ("check", "test", "all", "build")
}


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is asked of the checks of a project.

    `command` is the one from the settings; `in_project`: the project's own file names it.
    """

    root: Path
    timeout: float
    command: str | None = None
    in_project: bool = False
    sandbox: Sandbox = UNCONFINED


def checks_of_project(
    path: str, request: CheckRequest, own_code: OwnCode, cancel: Cancel
) -> tuple[ProjectCheck, ...]:
    """Return the checks that a project has for a file, in their order.

    The command from the settings runs last. Raise ValueError if it cannot be parsed.
    """
    own, named = None, None
    words = request.command
    language = target_of(path)
    if language is not None:
        own = _own_check(path, request, language, own_code, cancel)
        if own is None and not words:
            words = make_command(request.root)

    if words:
        named = _command_check(path, request, words, own_code, cancel)

    return tuple(filter(None, (own, named)))


def _command_check(
    path: str, request: CheckRequest, command: str, own_code: OwnCode, cancel: Cancel
) -> ProjectCheck | None:
    check = check_for(
        path,
        request.root,
        mode="project",
        timeout=request.timeout,
        command=command,
        own_code=True,
        cancel=cancel,
        sandbox=request.sandbox,
    )
    if check is None:
        return None

    scope: str | None = command
    if "{path}" in command:
        # The command is about that file alone.
        scope = None

    code = own_code.of_command(command)
    if request.in_project and command == request.command:
        code = (item_of_check(command), *code)

    last = request.command is not None
    return ProjectCheck(check, check.with_files, command, scope, last=last, code=code)


def item_of_check(command: str) -> CodeItem:
    """Return the item of the command that the project's own settings name."""
    return item_of_text(".holdfast/config.toml", "check", f"check = {command}\n")


def _own_check(
    path: str, request: CheckRequest, language: Target, own_code: OwnCode, cancel: Cancel
) -> ProjectCheck | None:
    """Return the check of the file's language, if the project is configured for the language."""
    root = request.root
    config = nearest_file(root, path, _CONFIG_FILES.get(language, ()))
    if config is None:
        return None
    if path.endswith(".jsx") and config.name == "package.json":
        return None

    mode: CheckMode = "project"
    if language == "python":
        mode = "file"

    scope = _scope(path, root, language, config)
    code = own_code.of_file(path, language)

    def check_with(*, own_code: bool) -> ToolCheck | None:
        return check_for(
            path,
            root,
            mode=mode,
            timeout=request.timeout,
            as_configured=True,
            own_code=own_code,
            cancel=cancel,
            sandbox=request.sandbox,
        )

    check, outside = check_with(own_code=True), check_with(own_code=False)
    if check is None or outside is None:
        return None

    without = ProjectCheck(outside, outside.with_files, scope=scope)
    if not code:
        return without

    return ProjectCheck(check, check.with_files, scope=scope, code=code, outside=without)


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


def make_command(root: Path) -> str | None:
    """Return the command of the project's Makefile, if it has a goal for a check."""
    for name in MAKEFILES:
        try:
            text = read_plain(root / name).decode("utf-8", "replace")
        except OSError:
            continue
        for goal, rule in _GOALS.items():
            if rule.search(text):
                return f"make {goal}"
        return None

    return None
