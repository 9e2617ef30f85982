"""A check by tools: its steps, each one run of one tool, and their joint result."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol, TypeAlias

from holdfast.adapters.processes.project_programs import path_outside
from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.installed_tool import (
    InstalledTool,
    ToolProgram,
    Unusable,
    explain_missing,
    find_tool,
)
from holdfast.adapters.toolchains.nearest_file import nearest_file
from holdfast.adapters.toolchains.run_tool import (
    LARGEST_OUTPUT,
    NEVER,
    ToolPlace,
    ToolRun,
    run_tool,
)
from holdfast.adapters.toolchains.scratch_dir import ScratchDir, borrow
from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from holdfast.vocab.diagnostics import Diagnostic, FixIt, Related, Target
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.vocab.cancellation import Cancel

CheckMode: TypeAlias = Literal["file", "project"]

_EXCERPT = 2_000
_OUTPUT_KEPT = 20_000


class Parser(Protocol):
    """A parser of a tool's output."""

    def __call__(
        self, output: str, *, version: str, sources: SourceLines
    ) -> tuple[Diagnostic, ...]:
        """Return the diagnostics; () for any other output."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The unit of a check: a file of a project with the text to check, and its scratch folder.

    Without `own_code` nothing of the project's own is run: no tool, no plugin, no build script.
    """

    root: Path
    path: str
    text: bytes
    mode: CheckMode
    scratch: ScratchDir
    deadline: float
    cancel: Cancel = NEVER
    sandbox: Sandbox = UNCONFINED
    own_code: bool = False

    def find_tool(self, tool: ToolProgram) -> InstalledTool | None:
        """Return an installed tool for this unit, or None."""
        return find_tool(
            tool,
            self.root,
            self.path,
            self.deadline,
            self.cancel,
            own_code=self.own_code,
            sandbox=self.sandbox,
        )

    def require_tool(self, tool: ToolProgram) -> InstalledTool:
        """Return an installed tool for this unit; raise `ToolchainMissing`."""
        found = self.find_tool(tool)
        if found is None:
            self.refuse_tool(tool, self.explain_missing(tool))
        return found

    def refuse_tool(self, tool: ToolProgram, unusable: Unusable) -> NoReturn:
        """Raise `ToolchainMissing` about a tool that the check depends on."""
        raise ToolchainMissing(
            f"{self.path}: {tool.name} {unusable.reason}, and this cannot be checked without it. "
            f"{unusable.cure}"
        )

    def explain_missing(self, tool: ToolProgram) -> Unusable:
        """Return why a tool was not found for this unit, and what to do."""
        return explain_missing(tool, self.root, self.path, own_code=self.own_code)

    def folder_with(self, name: str) -> PurePosixPath | None:
        """Return the nearest folder from the unit up to the root that has a file of this name."""
        file = nearest_file(self.root, self.path, [name])
        if file is None:
            return None
        return file.parent


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One run of one tool.

    `is_complete` returns whether an output is that of a run that came to its end. `adjust` may
    change the severity of a diagnostic. A step with `skip_if_broken` is left out if an earlier step
    found an error, which this step would only repeat. With `exit_code_decides`, a failure without a
    diagnostic is an error of the code, not a crash of the tool. `aliases` map the names that the
    tool uses for files to their paths. `base` is the folder, from the root, that its relative paths
    begin at.
    """

    tool: InstalledTool
    argv: Sequence[str]
    cwd: str
    parse: Parser
    stdin: bytes = b""
    variables: Mapping[str, str] = field(default_factory=dict)
    is_complete: Callable[[str], bool] = lambda _: True
    adjust: Callable[[Diagnostic], Diagnostic] = lambda found: found
    skip_if_broken: bool = False
    exit_code_decides: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    base: str = "."


@dataclass(frozen=True, slots=True)
class MissingStep:
    """A step whose tool the project has settings for, and which cannot be run.

    The other steps may still find errors. If they find none, the check has not passed.
    """

    tool: ToolProgram
    unusable: Unusable


CheckPlan: TypeAlias = Callable[[CheckedFile], Sequence[CheckStep | MissingStep]]
"""A function that returns the steps for a unit; it raises `ToolchainMissing`."""


class ToolCheck:
    """A check by tools (port `Check`). Each run starts each tool once.

    A tool is started once more to print its version, when it is used for the first time.
    """

    def __init__(  # noqa: PLR0917 - the parts of a check
        self,
        target: Target,
        root: Path,
        mode: CheckMode,
        timeout: float,
        plan: CheckPlan,
        cancel: Cancel = NEVER,
        *,
        own_code: bool = False,
        sandbox: Sandbox = UNCONFINED,
    ) -> None:
        """Join a plan and its root."""
        self._own_code = own_code
        self._sandbox = sandbox
        self._target: Target = target
        self._root = Path(os.path.realpath(root))
        self._mode: CheckMode = mode
        self._timeout = timeout
        self._plan = plan
        self._cancel = cancel
        self._overrides: Mapping[str, bytes | None] = {}

    @property
    def target(self) -> Target:
        """The language that is checked."""
        return self._target

    @property
    def mode(self) -> CheckMode:
        """Whether the check sees a file alone, or with its project."""
        return self._mode

    def with_files(self, overrides: Mapping[str, bytes | None]) -> ToolCheck:
        """Return the same check of a project where these files have these texts.

        None means that the file is missing. The unit may be one of the files.
        """
        other = ToolCheck(
            self._target,
            self._root,
            self._mode,
            self._timeout,
            self._plan,
            self._cancel,
            sandbox=self._sandbox,
            own_code=self._own_code,
        )
        other._overrides = overrides
        return other

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Check the file at `path` as if it contained `text`."""
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise ValueError(f"{path}: the path of a unit is below the root.")
        with borrow(self._root) as scratch:
            scratch.overrides = self._overrides
            until = time.monotonic() + self._timeout
            unit = CheckedFile(
                root=self._root,
                path=path,
                text=text,
                mode=self._mode,
                scratch=scratch,
                deadline=until,
                cancel=self._cancel,
                sandbox=self._sandbox,
                own_code=self._own_code,
            )
            planned = self._plan(unit)
            steps = [step for step in planned if isinstance(step, CheckStep)]
            for word in chain.from_iterable(step.argv for step in steps):
                _raise_if_option(unit, word)
            checked = self._run_steps(unit, steps)
            if isinstance(checked, Checked) and checked.ok:
                _raise_if_missing(unit, planned)
            return checked

    def _run_steps(self, unit: CheckedFile, steps: Sequence[CheckStep]) -> Checked | CheckTimedOut:
        oracle = " + ".join(step.tool.title for step in steps)
        outside: dict[str, str] = {}
        if not unit.own_code:
            # A compiler starts other programs, by their names.
            outside["PATH"] = path_outside(unit.root)
        outputs: list[str] = []
        found: list[Diagnostic] = []
        place = ToolPlace(self._sandbox, str(unit.root), str(unit.scratch.folder))
        for step in steps:
            if step.skip_if_broken and _has_error(found):
                continue
            ran = run_tool(
                step.argv,
                step.cwd,
                unit.deadline,
                variables={**step.variables, **outside},
                stdin=step.stdin,
                cancel=self._cancel,
                place=place,
            )
            if ran.timed_out:
                return CheckTimedOut(oracle, self._timeout)
            found += _diagnostics(unit, step, ran)
            outputs.append(ran.output)
        output = _without_scratch("\n".join(outputs), unit)[:_OUTPUT_KEPT]
        return Checked(not _has_error(found), tuple(found), oracle, output)


def _raise_if_option(unit: CheckedFile, word: str) -> None:
    """Raise `CheckCrashed` if a word is the name of a file that a tool would read as an option.

    Many tools read `@name` as a file with options, and options can load code.
    """
    is_option = word.startswith("-") and word == unit.path
    if is_option or word.startswith("@"):
        raise CheckCrashed(
            f"{unit.path}: a tool would read the name {word} as an option, so this is not "
            "checked; rename it."
        )


def _raise_if_missing(unit: CheckedFile, planned: Sequence[CheckStep | MissingStep]) -> None:
    for step in planned:
        if isinstance(step, MissingStep):
            raise ToolchainMissing(
                f"{unit.path}: the project has settings for {step.tool.name}, which "
                f"{step.unusable.reason}; without it this is not checked. {step.unusable.cure}"
            )


def _has_error(found: Sequence[Diagnostic]) -> bool:
    return any(each.severity == "error" for each in found)


def _diagnostics(unit: CheckedFile, step: CheckStep, ran: ToolRun) -> list[Diagnostic]:
    """Return the diagnostics of a step, in the project's paths; raise `CheckCrashed`."""
    sources = _sources(unit, step)
    found = step.parse(ran.output, version=step.tool.version, sources=sources)
    _raise_if_crashed(step, ran, found)
    if ran.code != 0 and not _has_error(found):
        found = (*found, _failure(unit, step, ran))
    return [step.adjust(_in_project(each, unit, step)) for each in found]


def _raise_if_crashed(step: CheckStep, ran: ToolRun, found: Sequence[Diagnostic]) -> None:
    """Raise `CheckCrashed` if the tool failed, and not the code."""
    name = step.tool.title
    if ran.flooded:
        size = LARGEST_OUTPUT // 1_000_000
        start = ran.output[:_EXCERPT]
        raise CheckCrashed(
            f"{name} wrote more than {size} MB and was ended; it began with:\n{start}"
        )
    if ran.code < 0:
        raise CheckCrashed(f"{name} was ended by {_name_signal(-ran.code)}; {_last_output(ran)}")
    if ran.code != 0 and not step.exit_code_decides and not _has_error(found):
        raise CheckCrashed(
            f"{name} failed with exit code {ran.code} and named no error in the code; "
            f"{_last_output(ran)}"
        )
    if ran.code == 0 and not step.is_complete(ran.output):
        raise CheckCrashed(f"{name} succeeded, but its output is incomplete; {_last_output(ran)}")


def _failure(unit: CheckedFile, step: CheckStep, ran: ToolRun) -> Diagnostic:
    """Return the diagnostic of a command that fails and names no place."""
    template = "the check failed with exit code {0}"
    return Diagnostic(
        tool="command",
        tool_version=step.tool.version,
        code="",
        severity="error",
        message=f"{template.format(ran.code)}; {_last_output(ran)}",
        template=template,
        args=(str(ran.code),),
        path=unit.path,
        area=None,
    )


def _last_output(ran: ToolRun) -> str:
    output = ran.output.strip()[-_EXCERPT:]
    if not output:
        return "it printed nothing."
    return f"its last output:\n{output}"


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# -------------------------------------------------------------------------------------------- paths


def _sources(unit: CheckedFile, step: CheckStep) -> SourceLines:
    """Return the unit's text by every name that a tool may use for it."""
    text = unit.text.decode("utf-8", "surrogateescape")
    name = PurePosixPath(unit.path).name
    from_base = os.path.relpath(unit.path, step.base)
    names = [
        unit.path,
        f"./{unit.path}",
        name,
        str(unit.root / unit.path),
        str(Path(step.cwd, from_base)),
        from_base,
    ]
    names += [word for word in step.argv if word.endswith(name)]
    names += [alias for alias, path in step.aliases.items() if path == unit.path]
    return SourceLines(dict.fromkeys(names, text))


def _in_project(found: Diagnostic, unit: CheckedFile, step: CheckStep) -> Diagnostic:
    """Return the diagnostic with the project's paths in place of the scratch folder's."""
    return replace(
        found,
        message=_without_scratch(found.message, unit),
        template=_without_scratch(found.template, unit),
        args=tuple(_without_scratch(arg, unit) for arg in found.args),
        path=_project_path(found.path, unit, step),
        fixits=tuple(_fixit_in_project(fixit, unit, step) for fixit in found.fixits),
        related=tuple(_related_in_project(related, unit, step) for related in found.related),
    )


def _fixit_in_project(fixit: FixIt, unit: CheckedFile, step: CheckStep) -> FixIt:
    edits = [replace(edit, path=_project_path(edit.path, unit, step)) for edit in fixit.edits]
    return replace(fixit, edits=tuple(edits))


def _related_in_project(related: Related, unit: CheckedFile, step: CheckStep) -> Related:
    path = _project_path(related.path, unit, step)
    return replace(related, path=path, message=_without_scratch(related.message, unit))


def _without_scratch(text: str, unit: CheckedFile) -> str:
    """Return a tool's output without the scratch folder, whose name changes from run to run."""
    for folder in ("farm/", "mirror/", "file/", ""):
        text = text.replace(f"{unit.scratch.folder}/{folder}", "")
    return text


def _project_path(path: str, unit: CheckedFile, step: CheckStep) -> str:
    """Return the path from the root for a path that a tool printed."""
    if not path:
        return path
    if path.startswith("/"):
        # The folder that shows the root is where the tool runs, or some folders above it.
        top = os.path.normpath(Path(step.cwd, os.path.relpath(".", step.base)))
        path = path.removeprefix(f"{top}/").removeprefix(f"{unit.root}/")
    else:
        path = os.path.normpath(PurePosixPath(step.base, path))
    if path in step.aliases:
        return step.aliases[path]
    # javac prints the name alone, and a single file in the scratch folder has no other path.
    is_name = path == PurePosixPath(unit.path).name
    is_single_file = Path(path).parent == unit.scratch.folder / "file"
    if (is_name or is_single_file) and not (unit.root / path).is_file():
        return unit.path
    return path
