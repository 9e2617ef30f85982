"""Which check a file gets: by its suffix, or by the command that the user has set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains.custom_command import plan_of
from holdfast.adapters.toolchains.languages import c, go, java, javascript, python, rust
from holdfast.adapters.toolchains.run_tool import NEVER
from holdfast.adapters.toolchains.tool_check import CheckMode, CheckPlan, ToolCheck
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


def targets() -> tuple[Target, ...]:
    """Give the languages that can be checked, and `any`, for which a command must be set."""
    return (*_PLANS, "any")


def target_of(path: str) -> Target | None:
    """Give the language of a file, by its suffix; None if there is no check for it."""
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
    cancel: Cancel = NEVER,
) -> ToolCheck | None:
    """Give the check for a file below a root; None if there is none for such a file.

    A `command` is the check, whatever the language; `target` says what language it is if the suffix does not. Whether
    its tools are installed shows when it runs. Raises ValueError on a command that cannot be read.
    `as_configured` checks types only where the project says how.
    """
    language = target or target_of(path)
    if command is not None:
        return ToolCheck(language or "any", Path(root), mode, timeout, plan_of(command), cancel)
    plans = {**_PLANS, **_AS_CONFIGURED} if as_configured else _PLANS
    plan = plans.get(language) if language is not None else None
    if language is None or plan is None:
        return None
    return ToolCheck(language, Path(root), mode, timeout, plan, cancel)
