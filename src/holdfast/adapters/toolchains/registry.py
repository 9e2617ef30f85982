"""The check of a file: by its suffix, or by the command in the settings."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.custom_command import plan_of
from holdfast.adapters.toolchains.languages import c, go, java, javascript, python, rust
from holdfast.adapters.toolchains.run_tool import NEVER
from holdfast.adapters.toolchains.tool_check import CheckMode, CheckPlan, ToolCheck

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target

_SUFFIXES: Mapping[str, Target] = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
    ".rs": "rust",
    ".java": "java",
    ".go": "go",
}
_PLANS: Mapping[Target, CheckPlan] = {
    "python": python.plan,
    "javascript": javascript.plan_javascript,
    "typescript": javascript.plan_typescript,
    "c": c.plan_c,
    "cpp": c.plan_cpp,
    "rust": rust.plan,
    "java": java.plan,
    "go": go.plan,
}
_AS_CONFIGURED: Mapping[Target, CheckPlan] = {
    "python": python.plan_as_configured,
    "javascript": javascript.plan_as_configured,
}


def target_of(path: str) -> Target | None:
    """Return the language of a file by its suffix; None if there is no check for it."""
    return _SUFFIXES.get(PurePosixPath(path).suffix.lower())


def check_for(
    path: str,
    root: str | Path,
    *,
    mode: CheckMode,
    timeout: float,
    command: str | Sequence[str] | None = None,
    target: Target | None = None,
    as_configured: bool = False,
    own_code: bool = False,
    cancel: Cancel = NEVER,
    sandbox: Sandbox = UNCONFINED,
) -> ToolCheck | None:
    """Return the check for a file below a root; None if there is none for such a file.

    A `command` is the check, whatever the language. `target` overrides the language of the suffix.
    `as_configured` checks types only if the project has settings for it. Without `own_code` no tool
    or plugin of the project is run; a `command` is then refused. Missing tools are reported when
    the check runs. Raise ValueError if the command cannot be parsed.
    """
    language = target or target_of(path)
    if command is not None:
        return ToolCheck(
            language or "any",
            Path(root),
            mode,
            timeout,
            plan_of(command),
            cancel,
            own_code=own_code,
            sandbox=sandbox,
        )
    if language is None:
        return None
    plan = _PLANS.get(language)
    if as_configured:
        plan = _AS_CONFIGURED.get(language, plan)
    if plan is None:
        return None
    return ToolCheck(
        language, Path(root), mode, timeout, plan, cancel, own_code=own_code, sandbox=sandbox
    )
