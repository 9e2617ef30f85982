"""The check of a file: by its suffix, or by the command in the settings."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.custom_command import plan_of
from holdfast.adapters.toolchains.run_tool import NEVER
from holdfast.adapters.toolchains.tool_check import ToolCheck
from holdfast.syntax.parse_check import language_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.adapters.toolchains.check_step import (
        CheckedFile,
        CheckMode,
        CheckPlan,
        CheckStep,
        MissingStep,
    )
    from holdfast.adapters.toolchains.passed_checks import PassedChecks
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target

# By name: a language is imported when a file of it is checked. Each has dozens of patterns.
_LANGUAGES = "holdfast.adapters.toolchains.languages"
_PLANS: Mapping[Target, tuple[str, str]] = {
    "python": ("python", "plan"),
    "javascript": ("javascript", "plan_javascript"),
    "typescript": ("javascript", "plan_typescript"),
    "c": ("c", "plan_c"),
    "cpp": ("c", "plan_cpp"),
    "rust": ("rust", "plan"),
    "java": ("java", "plan"),
    "go": ("go", "plan"),
}
_AS_CONFIGURED: Mapping[Target, tuple[str, str]] = {
    "python": ("python", "plan_as_configured"),
    "javascript": ("javascript", "plan_as_configured"),
}


def target_of(path: str) -> Target | None:
    """Return the language of a file by its suffix; None if there is no check for it."""
    language = language_of(path)
    if language == "tsx":
        language = "typescript"
    for target in _PLANS:
        if target == language:
            return target
    return None


def check_for(
    path: str,
    root: str | Path,
    *,
    mode: CheckMode,
    timeout: float,
    command: str | Sequence[str] | None = None,
    target: Target | None = None,
    as_configured: bool = False,
    compile_only: bool = False,
    own_code: bool = False,
    cancel: Cancel = NEVER,
    sandbox: Sandbox = UNCONFINED,
    passed: PassedChecks | None = None,
    at_once: int = 1,
) -> ToolCheck | None:
    """Return the check for a file below a root; None if there is none for such a file.

    A `command` is the check, whatever the language. `target` overrides the language of the suffix.
    `as_configured` checks types only if the project has settings for it; `compile_only` runs the
    compiler, and no linter or type checker beside it. Without `own_code` no tool
    or plugin of the project is run; a `command` is then refused. What is in `passed` is not run
    again. No more than `at_once` tools are run at the same time. Missing tools are reported when
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

    plan = _plan_of(language, as_configured=as_configured)
    if plan is None:
        return None

    if compile_only:
        plan = partial(_first_step, plan)

    return ToolCheck(
        language,
        Path(root),
        mode,
        timeout,
        plan,
        cancel,
        own_code=own_code,
        sandbox=sandbox,
        passed=passed,
        at_once=at_once,
    )


def _plan_of(language: Target, *, as_configured: bool) -> CheckPlan | None:
    """Return the plan of a language; None for one that only a command checks."""
    name = _PLANS.get(language)
    if as_configured:
        name = _AS_CONFIGURED.get(language, name)

    if name is None:
        return None

    module, function = name
    plan: CheckPlan = getattr(import_module(f"{_LANGUAGES}.{module}"), function)
    return plan


def _first_step(plan: CheckPlan, unit: CheckedFile) -> Sequence[CheckStep | MissingStep]:
    """Return the first step of a plan, which is the compiler."""
    return plan(unit)[:1]
